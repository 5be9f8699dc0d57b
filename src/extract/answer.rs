//! Where in an agent's text its answer stands, by the same pass that finds a patch.
//!
//! What hides a patch hides an answer: thoughts, strings, and values around it. What stands in a tag or a fence of a patch
//! is the patch's.

use std::ops::Range;

use super::broken::{Mark, Stretch};
use super::name::{Name, unescape, white};
use super::scan::{Doubt, Scan};
use super::skip::{End, Skipped};

/// The members of which an object has one at least that is an answer; a patch's is looked for anyway.
const KEYS: [&str; 3] = ["tool_calls", "delegate", "output"];

/// Other spellings of the first, in lower case and without separators: such an object was meant as an answer.
const MISSPELT: [&[u8]; 2] = [b"toolcall", b"toolcalls"];

/// Answers that one pass finds.
#[derive(Debug, Default)]
pub(super) struct Answers {
    whole: Vec<Range<usize>>,
    /// Where the first one starts that breaks off, and where it breaks.
    broken: Option<(usize, usize)>,
}

/// What one pass finds of an answer.
#[derive(Debug)]
pub(crate) struct Survey {
    /// What the agent says: past thoughts and white space.
    pub(crate) speech: Range<usize>,
    /// The text that is, or seems meant as, one JSON value as a whole.
    pub(crate) whole: Option<Range<usize>>,
    /// Objects that have a member of an answer.
    pub(crate) answers: Vec<Range<usize>>,
    /// An object that was meant as an answer, or that seems to hold one or a patch, and breaks off: where it starts, and
    /// where it breaks.
    pub(crate) broken: Option<(usize, usize)>,
    /// Whether nothing but a thought was begun.
    pub(crate) only_thinks: bool,
    /// Whether the text holds a patch, or what may be one.
    pub(crate) has_patch: bool,
}

/// Looks for answers in `text`, in linear time.
pub(crate) fn survey(text: &str) -> Survey {
    let name = Name::new(None);
    let mut scan = Scan::with(text, &name, Some(Answers::default()));
    let found = scan.answers.take().unwrap_or_default();
    let start = scan.start_of_speech();
    let speech = start..start.max(text.trim_end().len());
    let whole = match scan.candidates.first().filter(|_| scan.is_whole) {
        Some(candidate) => Some(candidate.text.start.max(start)..candidate.text.end.max(speech.end)),
        None => scan.garbled.clone().filter(|range| found.whole.is_empty() && is_meant(text, range)),
    };
    let inside = match scan.doubt {
        Some(Doubt::Inside(start, at)) => Some((start, at)),
        _ => None,
    };
    let null = |member: &Range<usize>| text.get(member.clone()) == Some("null");
    let has_patch = scan.candidates.iter().any(|one| match &one.member {
        Some(member) => !null(member),
        None => !scan.is_whole,
    });
    Survey {
        whole,
        broken: found.broken.or(inside),
        only_thinks: scan.notes.open_think == Some(start),
        has_patch: has_patch || scan.doubt.is_some(),
        answers: found.whole,
        speech,
    }
}

/// Whether a text that is no JSON can be nothing else.
fn is_meant(text: &str, range: &Range<usize>) -> bool {
    let written = text.as_bytes().get(range.clone()).unwrap_or_default();
    match written.first() {
        Some(b'{') => true,
        Some(b'[') => written.get(1 + white(written, 1)) == Some(&b'{'),
        _ => false,
    }
}

/// Whether a member's name between its quotes, as it is written, makes its object an answer.
pub(super) fn is_key(raw: &[u8]) -> bool {
    match raw {
        [b'd' | b'o' | b't' | b'T', ..] if !raw.contains(&b'\\') => is_name(raw),
        _ if raw.contains(&b'\\') => unescape(raw).is_some_and(|name| is_name(name.as_bytes())),
        _ => false,
    }
}

/// Whether a member of that name makes its object an answer, or was meant to.
pub(crate) fn is_answer_key(name: &str) -> bool {
    is_name(name.as_bytes())
}

fn is_name(name: &[u8]) -> bool {
    let letters = || name.iter().filter(|byte| !matches!(byte, b'_' | b'-')).map(u8::to_ascii_lowercase);
    KEYS.iter().any(|key| key.as_bytes() == name)
        || (name.len() < 16 && MISSPELT.iter().any(|own| letters().eq(own.iter().copied())))
}

impl Scan<'_, '_> {
    /// Takes note of the value that was passed over from `at`, if it was meant as an answer.
    pub(super) fn answer(&mut self, at: usize, skipped: &Skipped, stretch: &mut Stretch) {
        let Some(answers) = &mut self.answers else { return };
        let is_whole = skipped.end == End::Whole;
        if self.bytes.get(at) != Some(&b'{') || !(skipped.answers || !is_whole && is_loose(self.bytes, at + 1)) {
            return;
        }
        if !is_whole {
            answers.broken.get_or_insert((at, skipped.at));
            return;
        }
        answers.whole.push(at..skipped.at);
        if !skipped.has_member {
            stretch.marks.push(Mark::Object(at..skipped.at));
        }
    }
}

/// Whether the key of an answer stands at `at`, past white space, without double quotes: `{tool_calls: …`.
fn is_loose(bytes: &[u8], at: usize) -> bool {
    let start = at + white(bytes, at);
    let quoted = bytes.get(start) == Some(&b'\'');
    let rest = bytes.get(start + usize::from(quoted)..).unwrap_or_default();
    KEYS.iter().filter_map(|key| rest.strip_prefix(key.as_bytes())).any(|rest| {
        let rest = if quoted { rest.strip_prefix(b"'").unwrap_or_default() } else { rest };
        rest.get(white(rest, 0)) == Some(&b':')
    })
}
