//! A walk over a program or a data file as a row of strings, words, signs and comments: which strings are texts, which
//! are joined to one, and which are elements of a list. What a string looks like is the language's own matter.

use std::ops::Range;

use super::map::Map;
use super::sequence::{Form, Sequence};
use super::{Element, Literal, Piece, Scan, Writing};

/// What stands at one place.
pub(super) enum Token {
    /// A string that holds text.
    Text(Writing, Map),
    /// A name, a number, a string of bytes, a pattern.
    Word,
    Sign(char),
    Comment,
}

/// What the walk knows of a language.
pub(super) struct Grammar {
    /// The token at an offset, where no blank stands, and its end; `after_value` where an operator would follow.
    pub token: fn(text: &str, at: usize, after_value: bool) -> (Token, usize),
    /// `"a" "b"` is one text.
    pub joins_neighbours: bool,
    /// `"a" + "b"` is one text.
    pub joins_sums: bool,
    /// A line end outside of brackets ends a statement.
    pub lines_end: bool,
    /// Fewest words that make a string a text.
    pub fewest_words: usize,
}

struct Bracket {
    sign: char,
    inner: usize,
    /// `None` where the brackets are no list: an index, a call, a block.
    elements: Option<Vec<Range<usize>>>,
    /// From the first to the last token of the element at hand.
    element: Option<Range<usize>>,
}

/// The strings that one text may be joined of.
struct Open {
    pieces: Vec<Piece>,
    map: Map,
    name: Option<String>,
    /// How many brackets are open around it.
    depth: usize,
    /// A `+` stands after its last piece.
    summed: bool,
    /// It follows the start of a mapping or a comma there: it may be a key.
    may_be_key: bool,
}

struct Walk<'a> {
    text: &'a str,
    grammar: &'a Grammar,
    scan: Scan,
    brackets: Vec<Bracket>,
    open: Option<Open>,
    /// The last sign or word, `None` at the start.
    last: Option<Last>,
    /// What a `:` or `=` gave a name to.
    name: Option<String>,
}

#[derive(Clone)]
enum Last {
    Sign(char),
    Value(Range<usize>),
}

pub(super) fn walk(grammar: &Grammar, text: &str, range: Range<usize>) -> Scan {
    let until = &text[..range.end];
    let mut walk =
        Walk { text: until, grammar, scan: Scan::default(), brackets: Vec::new(), open: None, last: None, name: None };
    let mut at = range.start;
    while let Some(c) = until[at..].chars().next() {
        if c.is_whitespace() {
            if c == '\n' && grammar.lines_end && walk.brackets.is_empty() {
                walk.close();
                walk.name = None;
            }
            at += c.len_utf8();
            continue;
        }
        if c == '\\' {
            // A line that is continued, with its line end.
            at += 1 + super::escapes::line_end_at(until, at + 1);
            continue;
        }
        let after_value = matches!(walk.last, Some(Last::Value(_) | Last::Sign(')' | ']' | '}')));
        let (token, end) = (grammar.token)(until, at, after_value);
        let end = end.max(at + c.len_utf8());
        walk.take(token, at..end);
        at = end;
    }
    walk.close();
    walk.scan
}

impl Walk<'_> {
    fn take(&mut self, token: Token, range: Range<usize>) {
        match token {
            Token::Comment => {}
            Token::Text(writing, map) => {
                self.grow_element(&range);
                self.string(writing, map, range.clone());
                self.last = Some(Last::Value(range));
            }
            Token::Word => {
                self.close();
                self.grow_element(&range);
                self.last = Some(Last::Value(range));
            }
            Token::Sign(sign) => {
                self.sign(sign, &range);
                self.last = Some(Last::Sign(sign));
            }
        }
    }

    fn string(&mut self, writing: Writing, map: Map, range: Range<usize>) {
        let depth = self.brackets.len();
        let joins = self
            .open
            .as_ref()
            .is_some_and(|open| open.depth == depth && (open.summed || self.grammar.joins_neighbours));
        if !joins {
            self.close();
            // A string after an operator is a part of something that is no text of its own, but still read as one.
            let may_be_key = matches!(self.last, None | Some(Last::Sign('{' | ',')));
            self.open = Some(Open {
                pieces: Vec::new(),
                map: Map::starting_at(map.point(0)),
                name: self.name.clone(),
                depth,
                summed: false,
                may_be_key,
            });
        }
        if let Some(open) = &mut self.open {
            let start = open.map.content.len();
            open.map.append(map);
            open.pieces.push(Piece { whole: range, content: start..open.map.content.len(), writing });
            open.summed = false;
        }
    }

    fn sign(&mut self, sign: char, range: &Range<usize>) {
        if sign == '+'
            && self.grammar.joins_sums
            && let Some(open) = self.open.as_mut().filter(|open| !open.summed)
        {
            open.summed = true;
            self.grow_element(range);
            return;
        }
        match sign {
            ':' | '=' => {
                let key = self.open.take_if(|open| sign == ':' && open.may_be_key);
                let word = match &self.last {
                    Some(Last::Value(word)) if key.is_none() => Some(self.text[word.clone()].to_owned()),
                    _ => None,
                };
                self.close();
                self.name = key.map(|key| key.map.content).or(word).filter(|name| !name.contains(['"', '\'']));
                self.grow_element(range);
            }
            '[' | '(' | '{' => {
                self.close();
                self.grow_element(range);
                let after_value = matches!(self.last, Some(Last::Value(_) | Last::Sign(')' | ']' | '}')));
                let elements = (sign == '[' && !after_value).then(Vec::new);
                self.brackets.push(Bracket { sign, inner: range.end, elements, element: None });
            }
            ']' | ')' | '}' => {
                let opening = match sign {
                    ']' => '[',
                    ')' => '(',
                    _ => '{',
                };
                // A bracket that closes nothing is left alone, as half-written code has it.
                if self.brackets.last().is_some_and(|bracket| bracket.sign == opening) {
                    self.close_element();
                    if let Some(Bracket { inner, elements: Some(elements), .. }) = self.brackets.pop() {
                        self.list(inner..range.start, elements);
                    }
                } else {
                    self.close();
                }
                self.grow_element(range);
                self.name = None;
            }
            ',' => {
                self.close_element();
                let in_mapping = self.brackets.last().is_none_or(|bracket| bracket.sign != '[');
                if in_mapping {
                    self.name = None;
                }
            }
            ';' => {
                self.close();
                self.name = None;
            }
            _ => {
                self.close();
                self.grow_element(range);
            }
        }
    }

    /// The element at hand reaches to the end of a token.
    fn grow_element(&mut self, range: &Range<usize>) {
        if let Some(bracket) = self.brackets.last_mut() {
            let start = bracket.element.as_ref().map_or(range.start, |element| element.start);
            bracket.element = Some(start..range.end);
        }
    }

    fn close_element(&mut self) {
        self.close();
        if let Some(bracket) = self.brackets.last_mut()
            && let Some(element) = bracket.element.take()
            && let Some(elements) = &mut bracket.elements
        {
            elements.push(element);
        }
    }

    /// Ends the text at hand: nothing more is joined to it.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let words = open.map.content.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
        if words >= self.grammar.fewest_words {
            self.scan.literals.push(Literal { pieces: open.pieces, map: open.map, name: open.name, element: None });
        }
    }

    /// A list is closed: those of its elements that are texts come to know it.
    fn list(&mut self, inner: Range<usize>, elements: Vec<Range<usize>>) {
        let sequence = self.scan.sequences.len();
        let from = self.scan.literals.partition_point(|literal| literal.whole().start < inner.start);
        for literal in &mut self.scan.literals[from..] {
            let whole = literal.whole();
            if let Ok(index) = elements.binary_search_by_key(&whole.start, |element| element.start)
                && elements[index] == whole
                && literal.element.is_none()
            {
                literal.element = Some(Element { sequence, index });
            }
        }
        self.scan.sequences.push(Sequence { elements, form: Form::Bracketed(inner) });
    }
}

/// The end of a row of letters, digits and `_`, at least one character.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let length = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(rest.len());
    at + length.max(rest.chars().next().map_or(0, char::len_utf8))
}

/// The end of a line, without its line end.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |found| at + found)
}

/// The end of a string that starts with `quote` at `at`; `None` where it is not closed, on its line if it has to be.
pub(super) fn string_end(text: &str, at: usize, quote: &str, spans_lines: bool, escapes: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut next = at + quote.len();
    while next < bytes.len() {
        match bytes[next] {
            b'\\' if escapes => {
                next += 2;
                continue;
            }
            b'\n' | b'\r' if !spans_lines => return None,
            _ if bytes[next..].starts_with(quote.as_bytes()) => return Some(next + quote.len()),
            _ => next += 1,
        }
    }
    None
}
