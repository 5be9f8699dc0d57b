//! Whether a value fits an entry: a model or a tool may answer with anything, and what cannot be recorded would hold up the
//! whole task.

use crate::json::Value;
use crate::refusal::{Code, Refusal};
use crate::reply::Reply;

/// Bytes that the canonical form of a value may have: half of what an entry may.
const BYTES_MAX: usize = crate::entry::ENTRY_BYTES_MAX / 2;

/// Levels of arrays and objects that a value may have: what is saved of a task has a few more around it, and is read with
/// at most 127.
const DEPTH_MAX: usize = 100;

/// Whether `value` fits an entry with what else stands there.
///
/// # Errors
/// `json.size` or `json.depth`.
pub(super) fn fits(value: &Value<'_>) -> Result<(), Refusal> {
    let mut left = BYTES_MAX;
    match walk(value, DEPTH_MAX, &mut left) {
        Ok(()) => Ok(()),
        Err(Code::JsonDepth) => Err(Refusal::new(
            Code::JsonDepth,
            "",
            format!("it is nested deeper than {DEPTH_MAX} levels: make it simpler"),
        )),
        Err(code) => Err(Refusal::new(code, "", format!("it is longer than {BYTES_MAX} bytes: answer with less"))),
    }
}

/// Whether all that an answer brings fits.
///
/// # Errors
/// As [`fits`], at the first place that does not.
pub(super) fn reply_fits(reply: &Reply) -> Result<(), Refusal> {
    let outputs = reply.output.iter().map(|value| ("/output".to_owned(), value));
    let arguments = reply.calls.iter().map(|call| call.arguments.as_ref()).enumerate();
    let arguments = arguments.filter_map(|(place, value)| Some((format!("/tool_calls/{place}"), value?)));
    let inputs = reply.delegations.iter().map(|delegation| delegation.input.as_ref()).enumerate();
    let inputs = inputs.filter_map(|(place, value)| Some((format!("/delegate/{place}"), value?)));
    let mut all = outputs.chain(arguments).chain(inputs);
    all.try_for_each(|(at, value)| fits(value).map_err(|refusal| Refusal { at, ..refusal }))
}

fn walk(value: &Value<'_>, depth: usize, left: &mut usize) -> Result<(), Code> {
    match value {
        Value::Null | Value::Bool(_) => take(left, 5),
        Value::Number(number) => take(left, number.as_str().len().max(25)),
        Value::String(text) => take_text(left, text),
        Value::Array(items) => {
            let depth = depth.checked_sub(1).ok_or(Code::JsonDepth)?;
            items.iter().try_for_each(|item| {
                take(left, 1)?;
                walk(item, depth, left)
            })
        }
        Value::Object(object) => {
            let depth = depth.checked_sub(1).ok_or(Code::JsonDepth)?;
            object.iter().try_for_each(|(name, value)| {
                take_text(left, name)?;
                walk(value, depth, left)
            })
        }
    }
}

/// A string is not longer in its canonical form than six bytes for each control character, quote or backslash.
fn take_text(left: &mut usize, text: &str) -> Result<(), Code> {
    let escaped = text.bytes().filter(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\').count();
    take(left, text.len().saturating_add(escaped.saturating_mul(5)).saturating_add(4))
}

fn take(left: &mut usize, bytes: usize) -> Result<(), Code> {
    *left = left.checked_sub(bytes).ok_or(Code::JsonSize)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, canonical, read};

    #[test]
    fn what_fits_is_never_longer_than_what_is_allowed() {
        let most = Value::string("\u{1}".repeat(BYTES_MAX / 6 - 2));
        assert_eq!(fits(&most), Ok(()));
        assert!(canonical(&most).len() <= BYTES_MAX);
        assert_eq!(fits(&Value::string("\u{1}".repeat(BYTES_MAX / 6 + 1))).unwrap_err().code, Code::JsonSize);
        assert_eq!(fits(&Value::string("a".repeat(BYTES_MAX))).unwrap_err().code, Code::JsonSize);
    }

    #[test]
    fn depth_is_told_apart() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let limits = Limits::default().with_depth(Limits::DEPTH_MAX);
        assert_eq!(fits(&read(&nested(DEPTH_MAX), &limits).unwrap()), Ok(()));
        assert_eq!(fits(&read(&nested(DEPTH_MAX + 1), &limits).unwrap()).unwrap_err().code, Code::JsonDepth);
    }
}
