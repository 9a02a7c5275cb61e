//! Other wordings of a text that a needle could not know of: contractions, and its words in other places. They never
//! make an assertion hold; they make the note that says why it did not.

use super::folded::is_word;

/// Contractions and what they stand for, on a folded text. `'s` and `'d` stand for too many things.
const CONTRACTIONS: [(&str, &str); 9] = [
    ("can't", "cannot"),
    ("can not", "cannot"),
    ("won't", "will not"),
    ("shan't", "shall not"),
    ("n't", " not"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("i'm", "i am"),
];

/// A folded text with its contractions spelled out: "I can't" and "I cannot" become the same.
pub fn spelled_out(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len() + 16);
    let mut rest = folded;
    while !rest.is_empty() {
        // Where the next apostrophe or "can not" may begin something; letters before it belong to it.
        let Some((at, short, long)) = next_contraction(folded, folded.len() - rest.len()) else { break };
        let start = at - (folded.len() - rest.len());
        out.push_str(&rest[..start]);
        out.push_str(long);
        rest = &rest[start + short.len()..];
    }
    out.push_str(rest);
    out
}

fn next_contraction(text: &str, from: usize) -> Option<(usize, &'static str, &'static str)> {
    let mut search = from;
    loop {
        let mark = memchr::memchr(b'\'', &text.as_bytes()[search..]).map(|at| search + at);
        let split = memchr::memmem::find(&text.as_bytes()[search..], b"can not").map(|at| search + at);
        let at = match (mark, split) {
            (Some(mark), Some(split)) => mark.min(split),
            (mark, split) => mark.or(split)?,
        };
        let found = CONTRACTIONS.iter().find_map(|(short, long)| {
            let start = at - short.find('\'').unwrap_or(0).min(at);
            let end = start + short.len();
            let whole = start >= from
                && text.get(start..end).is_some_and(|there| there.eq_ignore_ascii_case(short))
                && !text[end..].starts_with(is_word)
                && (short.starts_with(['n', '\'']) || !text[..start].ends_with(is_word));
            whole.then_some((start, *short, *long))
        });
        if found.is_some() {
            return found;
        }
        search = at + 1;
    }
}

/// True where a folded text has a word in it that is often contracted.
pub fn can_contract(folded: &str) -> bool {
    let often = ["cannot", "not", "are", "have", "will", "am"];
    folded.split(' ').any(|word| often.contains(&word.trim_end_matches(|c: char| !is_word(c))))
}

/// True where every word of `needle` stands somewhere in `text` (both folded), though not side by side. False for one word.
pub fn scattered(needle: &str, text: &str) -> bool {
    let mut count = 0;
    for word in needle.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()) {
        let stands = memchr::memmem::find_iter(text.as_bytes(), word)
            .any(|at| !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word));
        if !stands {
            return false;
        }
        count += 1;
    }
    count > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_and_their_long_forms_become_one() {
        for (text, spelled) in [
            ("i can't share that", "i cannot share that"),
            ("i can not share", "i cannot share"),
            ("we don't, you won't; they're here", "we do not, you will not; they are here"),
            ("i'm sure it's fine, i'll go", "i am sure it's fine, i will go"),
            ("'not quoted'", "'not quoted'"),
            ("african nothing", "african nothing"),
            ("can't", "cannot"),
        ] {
            assert_eq!(spelled_out(text), spelled);
        }
    }

    #[test]
    fn words_that_stand_apart_are_told_from_words_that_are_missing() {
        assert!(scattered("<i> </div> monday i", "<i>open</i> monday</div>"));
        assert!(!scattered("refund issued", "the refund is here"));
        assert!(!scattered("refund", "the refund is here"));
    }
}
