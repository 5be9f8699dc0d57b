//! The object around a patch: what stands beside the patch in it, and objects that look like one and are none.

use memchr::memmem;

use super::name::{BASE, Match, Name};
use crate::json::{self, Object, pointer};
use crate::refusal::{Code, Position, Refusal};
use crate::text::quote;

/// The fields that an agent writes. A member of one of these names beside a patch was meant to be in it.
const FIELDS: [&str; 8] =
    ["goal", "current_state", "decision_log", "constraints", "open_questions", "work_scope", "artifacts", "acceptance"];

/// Names that can mean nothing but a field, in the form that `plain` gives.
const ALIASES: [&str; 4] = ["decision", "decisions", "decisionlogs", "acceptancecriteria"];

/// The names of the members beside the patch in `wrapper`, whose JSON text starts at `start` of `text`. A field among
/// them is refused, for it would be lost.
pub(super) fn beside(wrapper: &Object<'_>, json: &str, text: &str, start: usize) -> Result<Vec<String>, Refusal> {
    let Some((field, _)) = wrapper.iter().find(|(name, _)| is_field(name)) else {
        return Ok(wrapper.iter().map(|(name, _)| name.to_owned()).collect());
    };
    let detail = format!("the object holds a patch and {} beside it: put everything into `{BASE}`", quote(field));
    let at = json::locate(json, &format!("/{}", pointer::escape(field))).unwrap_or(0);
    Err(Refusal::new(Code::PatchSeveral, "", detail).in_text(Position::of(text, start + at)))
}

/// Refuses a patch that has the member which marks patches: it was wrapped twice.
pub(super) fn refuse_nested(patch: &Object<'_>, name: &Name, text: &str, offset: usize) -> Result<(), Refusal> {
    if !marks(patch, name) {
        return Ok(());
    }
    let detail = format!("the patch has itself a member `{BASE}`: wrap it once, and put everything into the inner one");
    Err(Refusal::new(Code::PatchSeveral, "", detail).in_text(Position::of(text, offset)))
}

/// Refuses a text that as a whole is an object around a patch, such as a message or the call of a tool: it speaks of a
/// patch further inside, and is none itself.
pub(super) fn refuse_envelope(object: &Object<'_>, name: &Name, text: &str, offset: usize) -> Result<(), Refusal> {
    let written = text.get(offset..).unwrap_or_default();
    let Some(at) = memmem::find(written.as_bytes(), BASE.as_bytes()) else { return Ok(()) };
    let holds_one = object.iter().any(|(_, value)| value.as_object().is_some_and(|inner| marks(inner, name)));
    if !holds_one && object.iter().any(|(name, _)| is_field(name)) {
        return Ok(());
    }
    let detail = format!(
        "the object is no patch but an envelope around a `{BASE}`: hand over its inner text or value, or answer with \
         {{\"{BASE}\": {{...}}}}"
    );
    Err(Refusal::new(Code::PatchNone, "", detail).in_text(Position::of(text, offset + at)))
}

/// Whether it has a member that marks a patch, with whatever nonce.
fn marks(object: &Object<'_>, name: &Name) -> bool {
    object.iter().any(|(member, _)| name.of_word(member) != Match::None)
}

/// Whether `name` is a known field's, in whatever case and with whatever separators, or of one item instead of many.
fn is_field(name: &str) -> bool {
    let plain = plain(name);
    let is = |field: &str| field.bytes().filter(|byte| *byte != b'_').eq(plain.bytes());
    ALIASES.contains(&plain.as_str())
        || FIELDS.into_iter().any(|field| is(field) || is(field.strip_suffix('s').unwrap_or(field)))
}

/// Letters and digits only, lower case; cut off where it is longer than every field.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).take(32).flat_map(char::to_lowercase).collect()
}
