//! What a case may be called.

pub(super) const HELP: &str =
    "use letters, digits, `-_.:/@#+` and single spaces inside, such as `refund-outside-window`";

const MOST_CHARACTERS: usize = 120;

/// Ids stand in globs (`--case 'refund-*'`), in mutant ids, in reports and, escaped, in file names.
///
/// # Errors
/// What is wrong, as the end of "the id … ".
pub(super) fn check(id: &str) -> Result<(), String> {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/' | '@' | '#' | '+' | ' ');
    if id.is_empty() {
        return Err("is empty".to_owned());
    }
    if let Some(wrong) = id.chars().find(|c| !allowed(*c)) {
        return Err(format!("holds the character {wrong:?}"));
    }
    if id.trim() != id || id.contains("  ") {
        return Err("has a space at an end, or two together".to_owned());
    }
    if id.split('/').any(|part| matches!(part.trim(), "" | "." | "..")) {
        return Err("has a part between slashes that is empty or only dots".to_owned());
    }
    if let Some((first, number)) = id.rsplit_once('#')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && check(first).is_ok()
    {
        return Err(format!(
            "is reserved: `#` and a number at the end name one of several rules of a case (`{first}#2` is the second rule of `{first}`)"
        ));
    }
    if id.chars().count() > MOST_CHARACTERS {
        return Err(format!("is longer than {MOST_CHARACTERS} characters"));
    }
    Ok(())
}
