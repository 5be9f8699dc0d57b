//! What is wrong with a text: one function per message, from the reader's place to a refusal.

use super::trace;
use crate::refusal::{Code, Position, Refusal};
use crate::text;

/// A fault at a place of the text; boxed, since the good path carries its size around.
pub(super) struct Fault(Box<Complaint>);

struct Complaint {
    code: Code,
    offset: usize,
    detail: String,
    /// The name that was read twice.
    member: Option<String>,
}

impl Fault {
    fn new(code: Code, offset: usize, detail: impl Into<String>) -> Self {
        Self(Box::new(Complaint { code, offset, detail: detail.into(), member: None }))
    }

    fn syntax(offset: usize, detail: impl Into<String>) -> Self {
        Self::new(Code::JsonSyntax, offset, detail)
    }

    /// The refusal, with the pointer that was reached and the position in `text`.
    pub(super) fn into_refusal(self, text: &str) -> Refusal {
        let Complaint { code, offset, detail, member } = *self.0;
        let mut at = trace::pointer_at(text, offset);
        if let Some(name) = member {
            at = super::pointer::child(&at, &name);
        }
        Refusal::new(code, at, detail).in_text(Position::of(text, offset))
    }
}

/// What stands at `offset`, for a message.
fn found(text: &str, offset: usize) -> String {
    let mut rest = text.get(offset..).unwrap_or_default().chars();
    match rest.next() {
        None => "the end of the text".to_owned(),
        Some('`') => "a backtick".to_owned(),
        Some(character) => text::quote(character.encode_utf8(&mut [0; 4])),
    }
}

/// The letters, digits and underscores from `offset` on.
fn word_at(text: &str, offset: usize) -> &str {
    let rest = text.get(offset..).unwrap_or_default();
    rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or_default()
}

/// Something at `offset` that is no JSON in any place; `None` if only the place is wrong.
fn foreign(text: &str, offset: usize) -> Option<String> {
    let rest = text.get(offset..)?;
    let character = rest.chars().next()?;
    let detail = match character {
        '/' if rest.starts_with("//") || rest.starts_with("/*") => {
            "JSON has no comments; remove the comment".to_owned()
        }
        '#' => "JSON has no comments; remove the line from `#` on".to_owned(),
        '\'' => "strings stand in double quotes, not in single quotes".to_owned(),
        '\u{2018}'..='\u{201F}' | '«' | '»' => {
            format!(
                "found the typographic quote {}; strings stand in plain double quotes",
                text::quote(&character.to_string())
            )
        }
        '\0' => "found a NUL character; only space, tab, LF and CR may stand between values".to_owned(),
        '`' => "found a backtick; take the JSON out of its code fence, and write strings in double quotes".to_owned(),
        other if other.is_whitespace() || text::is_hidden(other) => {
            format!("found {}; only space, tab, LF and CR may stand between values", found(text, offset))
        }
        _ => return None,
    };
    Some(detail)
}

/// Whether the last thing before `offset` is a comma.
fn follows_comma(text: &str, offset: usize) -> bool {
    text.get(..offset).unwrap_or_default().trim_end().ends_with(',')
}

/// No value where one is expected.
pub(super) fn no_value(text: &str, offset: usize) -> Fault {
    if let Some(detail) = foreign(text, offset) {
        return Fault::syntax(offset, detail);
    }
    let detail = match text.as_bytes().get(offset) {
        None => "the text ends where a value is expected; it may have been cut off".to_owned(),
        Some(b']' | b'}') if follows_comma(text, offset) => {
            "a trailing comma; remove the comma before the bracket".to_owned()
        }
        Some(b',') => "a value is missing before the comma".to_owned(),
        Some(b'+') => "a number has no plus sign".to_owned(),
        Some(b'.') => "a number starts with a digit; write `0.5`, not `.5`".to_owned(),
        _ => unknown_word(text, offset),
    };
    Fault::syntax(offset, detail)
}

fn unknown_word(text: &str, offset: usize) -> String {
    let word = word_at(text, offset);
    let quoted = text::quote(word);
    match word {
        "" => format!("found {} where a value is expected", found(text, offset)),
        "NaN" | "nan" | "Infinity" | "inf" => format!("JSON has no {quoted}; write `null` or a string"),
        "undefined" | "None" | "nil" => format!("JSON has no {quoted}; write `null`"),
        _ => {
            let lower = word.to_lowercase();
            match lower.as_str() {
                "true" | "false" | "null" => format!("found {quoted}; write `{lower}`"),
                _ => format!("found {quoted} where a value is expected; strings stand in double quotes"),
            }
        }
    }
}

/// No name where one is expected.
pub(super) fn no_name(text: &str, offset: usize) -> Fault {
    if let Some(detail) = foreign(text, offset) {
        return Fault::syntax(offset, detail);
    }
    let word = word_at(text, offset);
    let detail = match text.as_bytes().get(offset) {
        None => "the text ends inside an object; it may have been cut off".to_owned(),
        Some(b'}') if follows_comma(text, offset) => "a trailing comma; remove the comma before `}`".to_owned(),
        Some(b',') => "a member is missing before the comma".to_owned(),
        _ if !word.is_empty() => {
            format!("the name {} stands without quotes; write it in double quotes", text::quote(word))
        }
        _ => format!("found {} where a name in double quotes or `}}` is expected", found(text, offset)),
    };
    Fault::syntax(offset, detail)
}

/// No colon after a name.
pub(super) fn no_colon(text: &str, offset: usize) -> Fault {
    let detail = match text.as_bytes().get(offset) {
        None => "the text ends after a name, where `:` is expected; it may have been cut off".to_owned(),
        Some(b'=') => "found `=` after a name; write `:`".to_owned(),
        _ => foreign(text, offset)
            .unwrap_or_else(|| format!("found {} after a name, where `:` is expected", found(text, offset))),
    };
    Fault::syntax(offset, detail)
}

/// Neither a comma nor the bracket `close` after a value.
pub(super) fn not_closed(text: &str, offset: usize, close: char) -> Fault {
    let kind = if close == '}' { "an object" } else { "an array" };
    let detail = match text.as_bytes().get(offset) {
        None => format!("the text ends inside {kind}, where `,` or `{close}` is expected; it may have been cut off"),
        Some(b']' | b'}') => format!("found {} inside {kind}, which `{close}` closes", found(text, offset)),
        Some(b'"' | b'{' | b'[') => format!("a comma is missing before {}", found(text, offset)),
        _ => foreign(text, offset).unwrap_or_else(|| {
            format!("found {} after a value, where `,` or `{close}` is expected", found(text, offset))
        }),
    };
    Fault::syntax(offset, detail)
}

/// Something after the whole value.
pub(super) fn trailing(text: &str, offset: usize) -> Fault {
    let detail = match text.as_bytes().get(offset) {
        Some(b'{' | b'[' | b'"') => "a second value follows the first; one text holds one value".to_owned(),
        Some(b']' | b'}') => format!("found {}, which closes nothing", found(text, offset)),
        _ => foreign(text, offset)
            .unwrap_or_else(|| format!("found {} after the value; nothing may follow it", found(text, offset))),
    };
    Fault::syntax(offset, detail)
}

/// A string without its closing quote.
pub(super) fn unclosed_string(offset: usize) -> Fault {
    Fault::syntax(offset, "the string that starts here is not closed; the text may have been cut off")
}

/// A control character that has to be an escape.
pub(super) fn raw_control(text: &str, offset: usize) -> Fault {
    let detail = match text.as_bytes().get(offset) {
        Some(b'\n') => "a raw line break in a string; write `\\n`, or close the string".to_owned(),
        Some(b'\r') => "a raw carriage return in a string; write `\\r`".to_owned(),
        Some(b'\t') => "a raw tab in a string; write `\\t`".to_owned(),
        byte => format!("a raw control character in a string; write `\\u{:04x}`", byte.copied().unwrap_or_default()),
    };
    Fault::syntax(offset, detail)
}

/// A backslash before something that is no escape.
pub(super) fn bad_escape(text: &str, offset: usize) -> Fault {
    let detail = match text.get(offset + 1..).and_then(|rest| rest.chars().next()) {
        None => "the text ends inside an escape; it may have been cut off".to_owned(),
        Some(next) => format!(
            "a backslash before {} is no escape; a backslash itself is `\\\\`",
            text::quote(next.encode_utf8(&mut [0; 4]))
        ),
    };
    Fault::syntax(offset, detail)
}

/// `\u` without four hexadecimal digits.
pub(super) fn bad_unicode_escape(text: &str, offset: usize) -> Fault {
    let written: String = text.get(offset..).unwrap_or_default().chars().take(6).collect();
    let detail = format!("{} is no escape; `\\u` takes four hexadecimal digits", text::quote(&written));
    Fault::syntax(offset, detail)
}

/// Half of a surrogate pair.
pub(super) fn lone_surrogate(text: &str, offset: usize) -> Fault {
    let written = text.get(offset..offset + 6).unwrap_or_default();
    let detail =
        format!("{} is half of a surrogate pair; write both halves, or the character itself", text::quote(written));
    Fault::new(Code::JsonEncoding, offset, detail)
}

/// `01`
pub(super) fn leading_zero(text: &str, offset: usize) -> Fault {
    let number = text::quote(number_at(text, offset));
    Fault::syntax(offset, format!("the number {number} has a leading zero; remove it or write a string"))
}

/// No digit at `at` in the number from `start`.
pub(super) fn no_digit(text: &str, start: usize, at: usize) -> Fault {
    match word_at(text, at) {
        word @ ("Infinity" | "inf" | "NaN" | "nan") => {
            Fault::syntax(start, format!("JSON has no {}; write `null` or a string", text::quote(&format!("-{word}"))))
        }
        _ => {
            let number = text::quote(text.get(start..at).unwrap_or_default());
            Fault::syntax(start, format!("a digit is missing after {number}, found {}", found(text, at)))
        }
    }
}

/// A number with something at its end that is no part of it.
pub(super) fn after_number(text: &str, start: usize, at: usize) -> Fault {
    let number = text::quote(number_at(text, start));
    let detail = match text.as_bytes().get(at) {
        Some(b'x' | b'X') => format!("{number} is no JSON number; write it in decimal"),
        _ => format!("{number} is no JSON number; correct it, or write a string"),
    };
    Fault::syntax(start, detail)
}

fn number_at(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '+' | '_'));
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
}

/// A number that other readers would change.
pub(super) fn inexact_number(text: &str, offset: usize, reason: &str) -> Fault {
    let number = text::quote(number_at(text, offset));
    Fault::new(Code::JsonNumber, offset, format!("{number} {reason}; write it as a string"))
}

/// More levels than allowed.
pub(super) fn too_deep(offset: usize, depth: usize) -> Fault {
    Fault::new(
        Code::JsonDepth,
        offset,
        format!("arrays and objects are nested deeper than {depth} levels; flatten them"),
    )
}

/// A name that its object already has; `offset` is where it stands for the second time.
pub(super) fn duplicate_name(offset: usize, name: &str) -> Fault {
    let detail = format!("the name {} stands twice in one object; keep one of the two members", text::quote(name));
    let mut fault = Fault::new(Code::JsonDuplicateName, offset, detail);
    fault.0.member = Some(name.to_owned());
    fault
}
