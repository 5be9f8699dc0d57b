//! The line that a refusal is about, clipped, with a caret under the place.

use relay_baton::refusal::Position;
use relay_baton::text::{escape_hidden, is_hidden};

/// Characters that are shown before the place, and from it on.
const BEFORE_MAX: usize = 40;
const AFTER_MAX: usize = 36;

/// Two lines: ` 3 | "goal": tru,` and a caret under the place.
pub(crate) fn snippet(text: &str, position: Position) -> String {
    let (before, after) = text.split_at_checked(position.offset).unwrap_or((text, ""));
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let before = before.get(line_start..).unwrap_or_default();
    let after = after.split(['\n', '\r']).next().unwrap_or_default();
    let kept_from = before.char_indices().rev().nth(BEFORE_MAX - 1).map_or(0, |(at, _)| at);
    let shown_before = shown(before.get(kept_from..).unwrap_or_default());
    let kept_to = after.char_indices().nth(AFTER_MAX).map_or(after.len(), |(at, _)| at);
    let shown_after = shown(after.get(..kept_to).unwrap_or_default());
    let (head, tail) = (if kept_from > 0 { "…" } else { "" }, if kept_to < after.len() { "…" } else { "" });
    let gutter = position.line.to_string();
    let indent = gutter.len() + head.chars().count() + shown_before.chars().count();
    format!(" {gutter} | {head}{shown_before}{shown_after}{tail}\n{:indent$}    ^\n", "")
}

/// A tab is one space, so that the caret stands under its character; other hidden characters are escapes.
fn shown(text: &str) -> String {
    let spaced = text.replace('\t', " ");
    if spaced.chars().any(is_hidden) { escape_hidden(&spaced).into_owned() } else { spaced }
}

#[cfg(test)]
mod tests {
    use relay_baton::refusal::Position;

    use super::snippet;

    #[test]
    fn the_caret_stands_under_the_place() {
        let text = "{\n\t\"goal\": tru,\n}";
        let shown = snippet(text, Position::of(text, text.find("tru").unwrap()));
        assert_eq!(shown, " 2 |  \"goal\": tru,\n              ^\n");
    }

    #[test]
    fn a_long_line_is_clipped_on_both_sides() {
        let text = format!("{}X{}", "a".repeat(500), "\u{9b}".repeat(500));
        let shown = snippet(&text, Position::of(&text, 500));
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].starts_with(" 1 | …aaa") && lines[0].ends_with('…'), "{shown}");
        assert_eq!(lines[0].chars().position(|c| c == 'X'), lines[1].chars().position(|c| c == '^'));
        assert!(!shown.contains('\u{9b}'));
    }
}
