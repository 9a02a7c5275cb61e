use super::{Diagnostics, Node, NodeKind, TIME_HELP, parse_time};

/// The keys of one mapping, taken one by one; what is left over at [`Fields::finish`] is an unknown key.
///
/// Every getter records a diagnostic at the value's own place and returns `None` where the value is of the wrong
/// kind, so that a reader goes on and finds the next mistake too.
pub struct Fields<'n> {
    what: &'static str,
    node: &'n Node,
    pairs: Vec<(&'n Node, &'n Node)>,
    known: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// `what` names the mapping in messages ("a case", "limits"). `None`, with a diagnostic, where it is no mapping.
    pub fn of(what: &'static str, node: &'n Node, diagnostics: &mut Diagnostics) -> Option<Fields<'n>> {
        let Some(pairs) = node.mapping() else {
            diagnostics.error(
                &node.place,
                format!("{what} must be a mapping of keys to values, but this is {}", node.describe()),
            );
            return None;
        };
        Some(Fields { what, node, pairs: pairs.iter().map(|(k, v)| (k, v)).collect(), known: vec![] })
    }

    pub fn node(&self) -> &'n Node {
        self.node
    }

    /// The value of `key`, taken out. A null value counts as absent.
    pub fn take(&mut self, key: &'static str) -> Option<&'n Node> {
        self.take_entry(key).map(|(_, value)| value).filter(|value| !value.is_null())
    }

    /// The value of `key`, left where it is. A null value counts as absent.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        let (_, value) = self.pairs.iter().find(|(name, _)| name.text() == Some(key))?;
        Some(*value).filter(|value| !value.is_null())
    }

    /// Whether `key` is there, null or not.
    pub fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(name, _)| name.text() == Some(key))
    }

    /// Key and value of `key`, taken out, null or not.
    pub fn take_entry(&mut self, key: &'static str) -> Option<(&'n Node, &'n Node)> {
        self.known.push(key);
        let at = self.pairs.iter().position(|(name, _)| name.text() == Some(key))?;
        Some(self.pairs.remove(at))
    }

    /// Keys and values of every key that `wanted` says yes to, taken out.
    pub fn take_where(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<(&'n Node, &'n Node)> {
        let taken = |(key, _): &(&Node, &Node)| key.text().is_some_and(&wanted);
        let (found, left) = std::mem::take(&mut self.pairs).into_iter().partition(taken);
        self.pairs = left;
        found
    }

    /// What nobody has taken yet, for readers of open-ended mappings (`expect_<field>`).
    pub fn rest(&mut self) -> Vec<(&'n Node, &'n Node)> {
        std::mem::take(&mut self.pairs)
    }

    pub fn required(&mut self, key: &'static str, diagnostics: &mut Diagnostics) -> Option<&'n Node> {
        let found = self.take(key);
        if found.is_none() {
            diagnostics.error(&self.node.place, format!("{} needs `{key}`", self.what));
        }
        found
    }

    /// Text: any scalar, as it is spelled (`no` is "no", `0042` is "0042").
    pub fn text(&mut self, key: &'static str, diagnostics: &mut Diagnostics) -> Option<String> {
        let node = self.take(key)?;
        text_of(key, node, diagnostics)
    }

    /// A list of texts; one text alone counts as a list of one.
    pub fn texts(&mut self, key: &'static str, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
        let node = self.take(key)?;
        match node.sequence() {
            Some(items) => Some(items.iter().filter_map(|item| text_of(key, item, diagnostics)).collect()),
            None => text_of(key, node, diagnostics).map(|text| vec![text]),
        }
    }

    pub fn boolean(&mut self, key: &'static str, diagnostics: &mut Diagnostics) -> Option<bool> {
        let node = self.take(key)?;
        if node.boolean().is_none() {
            diagnostics
                .error(&node.place, format!("`{key}` must be true or false, but this is {}", node.describe()))
                .help
                .push("write `true` or `false`: `yes`, `no`, `on` and `off` are text here".to_owned());
        }
        node.boolean()
    }

    /// A whole number of at least `least`.
    pub fn whole(&mut self, key: &'static str, least: u64, diagnostics: &mut Diagnostics) -> Option<u64> {
        self.whole_within(key, least, u64::MAX, diagnostics)
    }

    /// A whole number from `least` to `most`, both included.
    pub fn whole_within(
        &mut self,
        key: &'static str,
        least: u64,
        most: u64,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let node = self.take(key)?;
        let found = node.number().and_then(|number| number.as_u64()).filter(|value| (least..=most).contains(value));
        if found.is_none() {
            let range =
                if most == u64::MAX { format!("of at least {least}") } else { format!("from {least} to {most}") };
            let message = format!("`{key}` must be a whole number {range}, not {}", seen(node));
            let error = diagnostics.error(&node.place, message);
            if quoted_number(node) {
                error.help.push("write the number without quotes".to_owned());
            }
        }
        found
    }

    /// A number above 0 and below `high`, or up to it where `high_included`.
    pub fn fraction(
        &mut self,
        key: &'static str,
        high: f64,
        high_included: bool,
        diagnostics: &mut Diagnostics,
    ) -> Option<f64> {
        let node = self.take(key)?;
        let inside = |value: &f64| *value > 0.0 && (*value < high || high_included && *value == high);
        let found = node.number().and_then(|number| number.as_f64()).filter(inside);
        if found.is_none() {
            let upper = if high_included { "at most" } else { "below" };
            diagnostics.error(&node.place, format!("`{key}` must be above 0 and {upper} {high}, not {}", seen(node)));
        }
        found
    }

    /// One of a few words.
    pub fn choice(
        &mut self,
        key: &'static str,
        choices: &[&'static str],
        diagnostics: &mut Diagnostics,
    ) -> Option<&'static str> {
        let node = self.take(key)?;
        let found = node.text().and_then(|text| choices.iter().copied().find(|choice| *choice == text));
        if found.is_none() {
            let known = choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", ");
            let error = diagnostics.error(&node.place, format!("`{key}` can't be `{}`", seen(node)));
            error.help.push(match node.text().and_then(|text| nearest_name(text, choices.iter().copied())) {
                Some(near) => format!("did you mean `{near}`? the choice is {known}"),
                None => format!("the choice is {known}"),
            });
        }
        found
    }

    /// A number between `low` and `high`, both included.
    pub fn number(&mut self, key: &'static str, low: f64, high: f64, diagnostics: &mut Diagnostics) -> Option<f64> {
        let node = self.take(key)?;
        let found = node.number().and_then(|number| number.as_f64()).filter(|value| (low..=high).contains(value));
        if found.is_none() {
            let range = if high.is_finite() { format!("from {low} to {high}") } else { format!("of at least {low}") };
            let error = diagnostics.error(&node.place, format!("`{key}` must be a number {range}, not {}", seen(node)));
            if quoted_number(node) {
                error.help.push("write the number without quotes".to_owned());
            }
        }
        found
    }

    /// A time span, as [`parse_time`] reads it.
    pub fn seconds(&mut self, key: &'static str, diagnostics: &mut Diagnostics) -> Option<std::time::Duration> {
        let node = self.take(key)?;
        let found = node.text().and_then(parse_time);
        if found.is_none() {
            let error = diagnostics.error(&node.place, format!("`{key}` must be a time span, not {}", seen(node)));
            error.help.push(TIME_HELP.to_owned());
        }
        found
    }

    /// Reports every key that nobody took, with the nearest known one.
    pub fn finish(self, diagnostics: &mut Diagnostics) {
        for (key, _) in &self.pairs {
            let name = key.text().unwrap_or("null");
            let entry = diagnostics.error(&key.place, format!("unknown key `{name}` in {}", self.what));
            entry.label = "not a key here".to_owned();
            match nearest_name(name, self.known.iter().copied()) {
                Some(near) => entry.help.push(format!("did you mean `{near}`?")),
                None => entry.help.push(format!("known keys: {}", self.known.join(", "))),
            }
        }
    }
}

/// A value as an error shows it: the text, shortened, or what it is. What came out of an environment variable may be a
/// secret, and a shortened secret can't be redacted later: the name is shown.
fn seen(node: &Node) -> String {
    let written = node.place.file.text.get(node.place.span.clone()).unwrap_or_default();
    match node.text() {
        Some(_) if written.contains("${") => format!("the value of {}", written.trim_matches(['"', '\''])),
        Some("") => "an empty text".to_owned(),
        Some(text) if text.chars().count() > 40 => format!("{}…", text.chars().take(40).collect::<String>()),
        Some(text) => text.to_owned(),
        None => node.describe().to_owned(),
    }
}

fn quoted_number(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Scalar { text, plain: false } if text.trim().parse::<f64>().is_ok())
}

fn text_of(key: &str, node: &Node, diagnostics: &mut Diagnostics) -> Option<String> {
    if node.text().is_none() {
        diagnostics.error(&node.place, format!("`{key}` must be text, but this is {}", node.describe()));
    }
    node.text().map(str::to_owned)
}

/// The known name that looks most like `name`, when one is likely meant.
pub fn nearest_name<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let known: Vec<&str> = known.into_iter().collect();
    similar::get_close_matches(name, &known, 1, 0.6).first().copied()
}
