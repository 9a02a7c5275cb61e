//! The pages of a document: the file's own text, and every text that stands in a string of it or in a string of that.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::container::{self, Container, Literal, Scan, Sequence};
use super::layout::{Layout, LineKind, front_matter, is_markdown};
use super::nearest::Candidate;
use super::normal::Normal;

/// Strings in strings in strings: deeper ones are read as plain text.
const DEEPEST: usize = 4;

/// What finding and editing both need of a document, made at the first question.
#[derive(Debug)]
pub(super) struct Reading {
    /// The file itself first; a page stands after the one that holds it.
    pub pages: Vec<Page>,
    pub standing: Standing,
    pub container: Option<Container>,
}

/// Whether rules stand in the file's own text, or only in the strings of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Markdown and plain text.
    Whole,
    /// A file of data, which may be handed over as it is: searched where none of its strings holds the quote.
    LastResort,
    /// A program.
    Never,
}

/// One text.
#[derive(Debug)]
pub(super) struct Page {
    pub text: Arc<str>,
    /// Lists whose elements are texts of this page.
    pub sequences: Vec<Sequence>,
    /// The page that holds this one, and as which literal; `None` for the file itself.
    pub holder: Option<(usize, Literal)>,
    /// Where it stands in the file's text, quotes included.
    pub span: Range<usize>,
    /// The blocks that are front matter, whose values are pages.
    pub front_matter: Range<usize>,
    markdown: bool,
    layout: OnceLock<Layout>,
    normal: OnceLock<Normal>,
    candidates: OnceLock<Vec<Candidate>>,
}

impl Page {
    fn new(text: Arc<str>, markdown: bool, span: Range<usize>) -> Self {
        Self {
            text,
            sequences: Vec::new(),
            holder: None,
            span,
            front_matter: 0..0,
            markdown,
            layout: OnceLock::new(),
            normal: OnceLock::new(),
            candidates: OnceLock::new(),
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::read(&self.text, self.markdown))
    }

    pub(super) fn normal(&self) -> &Normal {
        self.normal.get_or_init(|| Normal::of(&self.text, self.layout()))
    }

    pub(super) fn candidates(&self) -> &[Candidate] {
        self.candidates.get_or_init(|| Candidate::all(&self.text, self.layout()))
    }

    /// The key or variable that names this text.
    pub(super) fn name(&self) -> Option<&str> {
        self.holder.as_ref().and_then(|(_, literal)| literal.name.as_deref())
    }
}

impl Reading {
    pub(super) fn of(path: &Path, text: &Arc<str>) -> Self {
        let container = Container::of_file(path, text);
        let root = Page::new(Arc::clone(text), is_markdown(path), 0..text.len());
        let mut reading = Self { pages: vec![root], standing: Standing::Whole, container };
        let scan = match container {
            Some(container) => container::scan(container, text, 0..text.len()),
            None => embedded(&mut reading.pages[0]),
        };
        if let Some(container) = container.filter(|_| !scan.literals.is_empty()) {
            reading.standing = if container.is_code() { Standing::Never } else { Standing::LastResort };
        }
        reading.add(0, scan, 1);
        reading
    }

    fn add(&mut self, holder: usize, scan: Scan, depth: usize) {
        self.pages[holder].sequences = scan.sequences;
        for literal in scan.literals {
            let span = self.to_file(holder, &literal.whole());
            let mut page = Page::new(Arc::from(literal.map.content.as_str()), false, span);
            let inner = (depth < DEEPEST).then(|| container::nested(&page.text).unwrap_or_else(|| embedded(&mut page)));
            page.holder = Some((holder, literal));
            self.pages.push(page);
            if let Some(inner) = inner.filter(|inner| !inner.literals.is_empty()) {
                self.add(self.pages.len() - 1, inner, depth + 1);
            }
        }
    }

    /// The file's range of a range of a page.
    pub(super) fn to_file(&self, page: usize, range: &Range<usize>) -> Range<usize> {
        match &self.pages[page].holder {
            None => range.clone(),
            Some((holder, literal)) => self.to_file(*holder, &literal.map.place(range)),
        }
    }

    /// The page's range of a range of the file; `None` where the page has nothing of it.
    pub(super) fn to_page(&self, page: usize, range: &Range<usize>) -> Option<Range<usize>> {
        match &self.pages[page].holder {
            None => Some(range.clone()),
            Some((holder, literal)) => literal.map.within(&self.to_page(*holder, range)?),
        }
    }

    /// The innermost page that a range of the file lies in, with its range there; the file itself for what lies in no
    /// string.
    pub(super) fn innermost(&self, range: &Range<usize>) -> (usize, Range<usize>) {
        (1..self.pages.len())
            .rev()
            .filter(|page| {
                let span = &self.pages[*page].span;
                span.start <= range.start && range.end <= span.end
            })
            .find_map(|page| self.to_page(page, range).map(|inner| (page, inner)))
            .unwrap_or_else(|| (0, range.clone()))
    }

    /// Whether a page is a value of the front matter of a file.
    pub(super) fn in_front_matter(&self, page: usize) -> bool {
        let root = &self.pages[0];
        let layout = root.layout();
        let end =
            root.front_matter.end.checked_sub(1).map_or(0, |last| layout.lines[layout.blocks[last].lines.start].start);
        self.pages[page].span.end <= end
    }

    /// The pages that rules may stand in: all strings, and the file itself unless it is a program or a file of data.
    pub(super) fn read_pages(&self) -> impl Iterator<Item = (usize, &Page)> {
        let first = usize::from(self.standing != Standing::Whole);
        self.pages.iter().enumerate().skip(first)
    }
}

/// What fenced blocks and front matter of a page hold.
fn embedded(page: &mut Page) -> Scan {
    let mut scan = Scan::default();
    let text = Arc::clone(&page.text);
    let fences = text.contains("```") || text.contains("~~~");
    let matter = text.starts_with("---");
    if !fences && !matter {
        return scan;
    }
    let layout = page.layout();
    if let Some(close) = front_matter(&text, &layout.lines) {
        let range = layout.lines[0].end..layout.lines[close].start;
        let blocks = layout.blocks.partition_point(|block| block.lines.start <= close);
        scan.extend(container::scan(Container::Yaml, &text, range));
        page.front_matter = 0..blocks;
    }
    let layout = page.layout();
    let mut at = 0;
    while fences && at < layout.lines.len() {
        let line = &layout.lines[at];
        let opens = line.kind == LineKind::Fence && layout.lines.get(at + 1).is_some_and(|next| next.in_code);
        let language = text[line.content_start..line.content_end].trim_start_matches(['`', '~']).trim();
        let language = language.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or_default();
        at += 1;
        if !opens || line.quotes > 0 {
            continue;
        }
        let start = line.end;
        while layout.lines.get(at).is_some_and(|line| line.in_code) {
            at += 1;
        }
        let end = layout.lines.get(at).map_or(text.len(), |line| line.start);
        // The line that closes the block is no opening one.
        at += 1;
        if let Some(container) = Container::named(language) {
            scan.extend(container::scan(container, &text, start..end));
        }
    }
    scan
}
