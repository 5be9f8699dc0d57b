//! From what was found to the one patch, or to why there is none.

use std::borrow::Cow;
use std::ops::Range;

use super::name::Name;
use super::note::place;
use super::repair::blank;
use super::scan::{Candidate, Doubt, Scan};
use super::skip::End;
use super::wrapper;
use super::{Extracted, Extraction};
use crate::json::{self, Object, Value};
use crate::refusal::{Code, Position, Refusal, Refused};

/// At most so many refusals are reported, and so many patches named.
const REPORT_MAX: usize = 8;

/// The one patch among the candidates.
pub(super) fn judge<'a>(text: &'a str, scan: &Scan<'a, '_>, how: &Extraction<'_>) -> Result<Extracted<'a>, Refused> {
    let (mut patches, mut refusals): (Vec<Extracted<'a>>, Vec<Refusal>) = (Vec::new(), Vec::new());
    for candidate in &scan.candidates {
        if refusals.len() == REPORT_MAX {
            break;
        }
        match patch_of(text, candidate, scan, how) {
            Ok(patch) if same(&mut patches, &patch) => {}
            Ok(patch) if patches.len() < REPORT_MAX => patches.push(patch),
            Ok(_) => {}
            Err(refusal) => refusals.push(refusal),
        }
    }
    if let Some(doubt) = scan.doubt {
        refusals.push(doubt.refusal(text, scan.name));
    }
    if refusals.is_empty() && patches.len() > 1 {
        refusals.push(several(text, &patches));
    }
    Refused::unless_empty(refusals, ())?;
    patches.pop().ok_or_else(|| {
        let fault = scan.garbled.clone().and_then(|range| fault_of(text, range, scan, how));
        fault.unwrap_or_else(|| scan.notes.refusal(text, scan.name)).into()
    })
}

/// What the strict reader has against a text that was meant as JSON.
fn fault_of(text: &str, range: Range<usize>, scan: &Scan<'_, '_>, how: &Extraction<'_>) -> Option<Refusal> {
    let written = text.get(range.clone())?;
    let json = if how.repair { blank(written) } else { Cow::Borrowed(written) };
    let refusal = json::read(&json, &how.limits.with_bytes(usize::MAX)).err()?;
    Some(placed(refusal, text, range.start, scan))
}

/// The patch that a candidate holds.
fn patch_of<'a>(
    text: &'a str,
    candidate: &Candidate,
    scan: &Scan<'a, '_>,
    how: &Extraction<'_>,
) -> Result<Extracted<'a>, Refusal> {
    if let Some((at, end)) = candidate.broken {
        return Err(break_of(text, candidate.text.start, at, end, scan, how));
    }
    let written = text.get(candidate.text.clone()).unwrap_or_default();
    if written.starts_with('\u{feff}') {
        let detail = "the text starts with a byte-order mark: send it without";
        return Err(Refusal::new(Code::JsonEncoding, "", detail).in_text(Position::of(text, candidate.text.start)));
    }
    let json = if how.repair { blank(written) } else { Cow::Borrowed(written) };
    let value = match &json {
        Cow::Borrowed(json) => json::read(json, &how.limits),
        Cow::Owned(json) => json::read(json, &how.limits).map(Value::into_owned),
    };
    let value = value.map_err(|refusal| placed(refusal, text, candidate.text.start, scan))?;
    let (value, range, beside) = match (&candidate.member, value) {
        (Some(member), Value::Object(mut around)) => {
            let value = around.remove(scan.name.as_str()).unwrap_or(Value::Null);
            let beside = wrapper::beside(&around, &json, text, candidate.text.start)?;
            (value, member.start - candidate.text.start..member.end - candidate.text.start, beside)
        }
        (_, value) => (value, inner(&json), Vec::new()),
    };
    let offset = candidate.text.start + range.start;
    let value = object_of(value, text, offset)?;
    if candidate.member.is_some() {
        wrapper::refuse_nested(&value, scan.name, text, offset)?;
    } else if scan.is_whole {
        wrapper::refuse_envelope(&value, scan.name, text, offset)?;
    }
    let repaired = matches!(json, Cow::Owned(_));
    let json = match json {
        Cow::Borrowed(json) => Cow::Borrowed(json.get(range).unwrap_or_default()),
        Cow::Owned(json) => Cow::Owned(json.get(range).unwrap_or_default().to_owned()),
    };
    Ok(Extracted { value, json, offset, repaired, beside })
}

/// Where in `json` its value stands: around it there may be room where comments were.
fn inner(json: &str) -> Range<usize> {
    json.len() - json.trim_start().len()..json.trim_end().len()
}

/// Whether one of the patches is the same; what stands beside the other one counts for it too.
fn same(patches: &mut [Extracted<'_>], patch: &Extracted<'_>) -> bool {
    let Some(known) = patches.iter_mut().find(|known| known.value == patch.value) else { return false };
    // Many repetitions of a patch with many names beside it would take long.
    if known.beside.len() < REPORT_MAX {
        let news: Vec<String> = patch.beside.iter().filter(|name| !known.beside.contains(name)).cloned().collect();
        known.beside.extend(news);
    }
    true
}

fn object_of<'a>(value: Value<'a>, text: &str, offset: usize) -> Result<Object<'a>, Refusal> {
    match value {
        Value::Object(object) => Ok(object),
        other => {
            let detail = format!("the patch is {}, and has to be a JSON object", other.kind());
            Err(Refusal::new(Code::PatchNotObject, "", detail).in_text(Position::of(text, offset)))
        }
    }
}

/// The refusal of a candidate that starts at `start` and breaks off at `at`.
fn break_of(text: &str, start: usize, at: usize, end: End, scan: &Scan<'_, '_>, how: &Extraction<'_>) -> Refusal {
    let position = Position::of(text, at);
    if end == End::Cut {
        let detail = format!("the patch that starts at {} is cut off: send it whole", place(text, start));
        return Refusal::new(Code::JsonSyntax, "", detail).in_text(position);
    }
    let rest = text.get(start..).unwrap_or_default();
    let json = if how.repair { blank(rest) } else { Cow::Borrowed(rest) };
    // The reader stops at the fault, so that the length of what follows does not count.
    match json::read(&json, &how.limits.with_bytes(usize::MAX)) {
        Err(refusal) => placed(refusal, text, start, scan),
        Ok(_) => Refusal::new(Code::JsonSyntax, "", "the patch is not JSON").in_text(position),
    }
}

/// A reader's refusal, with its place in the whole text and its pointer in the patch.
fn placed(mut refusal: Refusal, text: &str, start: usize, scan: &Scan<'_, '_>) -> Refusal {
    let offset = refusal.position.map_or(0, |position| position.offset);
    refusal.position = Some(Position::of(text, start + offset));
    let inside = refusal.at.strip_prefix('/').and_then(|at| at.strip_prefix(scan.name.as_str()));
    if let Some(inside) = inside.filter(|at| at.is_empty() || at.starts_with('/')) {
        refusal.at = inside.to_owned();
    }
    refusal
}

fn several(text: &str, patches: &[Extracted<'_>]) -> Refusal {
    let places: Vec<String> = patches.iter().map(|patch| place(text, patch.offset)).collect();
    let count = if patches.len() == REPORT_MAX { format!("{REPORT_MAX} or more") } else { patches.len().to_string() };
    let detail = format!("the text holds {count} different patches: at {}; send exactly one", places.join("; at "));
    let first = patches.first().map_or(0, |patch| patch.offset);
    Refusal::new(Code::PatchSeveral, "", detail).in_text(Position::of(text, first))
}

impl Doubt {
    fn refusal(self, text: &str, name: &Name) -> Refusal {
        let shown = name.shown();
        let (code, at, detail) = match self {
            Self::Inside(start, at) => {
                let start = place(text, start);
                (
                    Code::JsonSyntax,
                    at,
                    format!(
                        "the JSON value that starts at {start} breaks off here, and what looks like a patch stands inside it: send the patch on its own"
                    ),
                )
            }
            Self::OpenTag(at) => (
                Code::PatchNone,
                at,
                if name.has_nonce() {
                    "the tag that bears the nonce is not closed with the nonce: close it with `</baton_patch:NONCE>`, or send the patch again if it was cut off".to_owned()
                } else {
                    "the tag `<baton_patch>` is not closed: close it, or send the patch again if it was cut off"
                        .to_owned()
                },
            ),
            Self::OpenFence(at) => (
                Code::PatchNone,
                at,
                format!(
                    "the fence labelled `{shown}` is not closed: close it, or send the patch again if it was cut off"
                ),
            ),
            Self::FenceInside(at, outer) => {
                let outer = place(text, outer);
                (
                    Code::PatchNone,
                    at,
                    format!(
                        "the fence labelled `{shown}` stands inside the block that starts at {outer}: close that one first"
                    ),
                )
            }
            Self::OtherNonce(at) => (
                Code::PatchNone,
                at,
                "the member `baton_patch` in it does not bear the nonce that is expected: name both alike".to_owned(),
            ),
        };
        Refusal::new(code, "", detail).in_text(Position::of(text, at))
    }
}
