//! Blocks in which a model thinks aloud. What stands in them is not said.

use memchr::memchr2;

use super::name::{Name, tag_end};
use super::skip::{End, Skipped, Skipper};

/// Where a block of thinking ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thought {
    /// The byte after its closing tag.
    Closed(usize),
    /// Inner blocks are closed, the last one up to this byte; the block itself is not.
    InnerClosed(usize),
    /// There is no closing tag.
    Open,
}

/// The longer one first: it starts with the shorter one.
const NAMES: [&str; 2] = ["thinking", "think"];

/// The name and the content of an opening tag at `at`, where a `<` stands.
pub(super) fn opening(bytes: &[u8], at: usize) -> Option<(&'static str, usize)> {
    let rest = bytes.get(at + 1..)?;
    let name = NAMES.into_iter().find(|name| starts_with(rest, name))?;
    let tag = tag_end(bytes, at + 1 + name.len()).filter(|tag| !tag.empty)?;
    Some((name, tag.content))
}

/// Whether an opening tag stands in `bytes`.
pub(super) fn is_opened_in(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'<', bytes).any(|at| opening(bytes, at).is_some())
}

/// Where the block of the tag `name` ends whose content starts at `content`. Blocks of that name nest; what stands in a
/// JSON object is data here too.
pub(super) fn end(skipper: &mut Skipper<'_>, patch: &Name, name: &str, content: usize, to: usize) -> Thought {
    let bytes = skipper.bytes();
    let (mut at, mut depth, mut inner) = (content, 1_usize, None);
    while let Some(next) = bytes.get(at..to).and_then(|rest| memchr2(b'<', b'{', rest)) {
        let start = at + next;
        at = start + 1;
        if bytes.get(start) != Some(&b'<') {
            at = past_object(&skipper.skip(start, to, patch), start);
        } else if let Some(after) = closing(bytes, name, start).filter(|after| *after <= to) {
            depth -= 1;
            if depth == 0 {
                return Thought::Closed(after);
            }
            (inner, at) = (Some(after), after);
        } else if let Some((known, after)) = opening(bytes, start)
            && known == name
        {
            depth += 1;
            at = after;
        }
    }
    inner.map_or(Thought::Open, Thought::InnerClosed)
}

/// Where to look on after the object that was passed over from `start`. A string that does not end is taken for prose.
fn past_object(skipped: &Skipped, start: usize) -> usize {
    match skipped.end {
        End::Whole => skipped.at,
        _ if skipped.in_string => skipped.string,
        _ if !skipped.keyed && !skipped.commented => start + 1,
        _ => skipped.at.max(start + 1),
    }
}

fn closing(bytes: &[u8], name: &str, at: usize) -> Option<usize> {
    let rest = bytes.get(at + 1..)?.strip_prefix(b"/")?;
    if !starts_with(rest, name) {
        return None;
    }
    let rest = rest.get(name.len()..)?;
    let white = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    (rest.get(white) == Some(&b'>')).then_some(at + 3 + name.len() + white)
}

fn starts_with(bytes: &[u8], name: &str) -> bool {
    bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}
