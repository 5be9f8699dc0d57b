//! What an agent answered: tools and agents that it asks for, or its output, and the patch that it hands on.
//!
//! This is the protocol of agents that are commands or models: one request, one answer. The answer is UTF-8 text. What
//! stands in blocks of `<think>` or `<thinking>` is not looked at, and of the rest:
//!
//! 1. A text that as a whole is one JSON object with one of the first four members below is a *structured answer*.
//! 2. A text that as a whole is any other JSON value is the *output* itself.
//! 3. In any other text, the one JSON object, fenced or bare, that stands in no other JSON value and has the member
//!    `tool_calls`, `delegate` or `output`, is the structured answer. The same one twice counts once; several different
//!    ones are refused.
//! 4. Any other text is the output, as a JSON string: without the thoughts and the white space around it.
//!
//! | member of a structured answer | what it holds |
//! |---|---|
//! | `tool_calls` | `{"tool": NAME, "arguments": any JSON}`, or a list of these; `arguments` may be left out |
//! | `delegate` | `{"agent": NAME, "intent": TEXT, "input": any JSON}`, or a list of these; `input` may be left out |
//! | `output` | any JSON: the agent is done |
//! | `baton_patch` | what changes in the baton; with `output`, or alone: the agent is done and has no output |
//! | `text` | what else there is to say; it is kept with the answer and has no effect |
//! | `agent`, `request` | who answers what, as it stood in the request; another's answer is refused |
//!
//! ```json
//! {"tool_calls": [{"tool": "search", "arguments": {"query": "login"}}]}
//! {"output": {"files": 3}, "baton_patch": {"current_state": ["Login built"]}}
//! ```
//!
//! Whoever asks for something is not done: `tool_calls` and `delegate` may stand together, but not beside `output` or a
//! patch. For models that have to write every member, `null` is the same as no member, and so is an empty list of calls;
//! only an `output` of `null` without calls is an output. A member that is not in the table is refused.
//!
//! The text is read strictly, as every text is: I-JSON (RFC 7493), no member twice, limits of depth and size. A patch may
//! also stand elsewhere in the text, in any form in which [`extract`](mod@crate::extract) finds one.

mod members;
mod structured;

use serde::{Deserialize, Deserializer, Serialize};

use crate::baton::Id;
use crate::extract::{Survey, place, survey};
use crate::json::{self, Limits, Numbers, Value};
use crate::refusal::{Code, Position, Refusal};
use crate::text::{is_noncharacter, quote};

/// At most so many places of different answers are named.
const PLACES_MAX: usize = 8;

/// What an agent answered. With neither requests nor delegations it is the agent's last word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What it said, whole.
    pub text: String,
    /// Tools that it asks for, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolRequest>,
    /// Agents that it asks for, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delegations: Vec<Delegation>,
    /// Its output. No output is not the output `null`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub output: Option<Value<'static>>,
    /// A text from which [`extract`](crate::extract::extract) takes the patch, or says why it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}

/// A tool that an agent asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRequest {
    /// Its name, as the agent wrote it.
    pub tool: String,
    /// Its arguments. No arguments are not the arguments `null`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value<'static>>,
}

/// An agent that an agent asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delegation {
    /// Its name, as the asking agent wrote it.
    pub agent: String,
    /// What it is to do, in words.
    pub intent: String,
    /// What it is given. No input is not the input `null`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub input: Option<Value<'static>>,
}

/// Whose answer is awaited, and to what.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'e> {
    /// The agent that was asked.
    pub agent: &'e Id,
    /// The request that it was sent.
    pub request: &'e str,
}

/// A member that is there, whatever its value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value<'static>>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Reply {
    /// Reads the answer `text`, in time linear in its length.
    ///
    /// # Errors
    /// `json.size` for a text over the limit; `reply.none` for a text that says and asks nothing; `reply.type` for several
    /// answers, and for what is no answer or contradicts itself; `reply.foreign` for the answer of another agent or to
    /// another request; what the strict reader refuses, where the text or a part of it was meant as JSON.
    pub fn read(text: &str, limits: &Limits, expected: &Expected<'_>) -> Result<Self, Refusal> {
        if text.len() > limits.bytes() {
            return Err(oversized(text, limits));
        }
        let found = survey(text);
        if found.speech.is_empty() || found.only_thinks {
            return Err(nothing(text, &found));
        }
        if let Some(whole) = &found.whole
            && let Some(value) = whole_value(text, whole.start, limits)?
        {
            return structured::of_whole(text, value, whole.start, expected);
        }
        if let Some((start, at)) = found.broken {
            return Err(broken(text, start, at));
        }
        match one_answer(text, &found, limits)? {
            Some((value, start)) => structured::within(text, value, start, found.has_patch, expected),
            None => spoken(text, &found),
        }
    }

    /// Whether it asks for nothing, so that the agent is done.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.calls.is_empty() && self.delegations.is_empty()
    }
}

/// The value that the text is from `start` on; none where it only looked like one.
fn whole_value<'t>(text: &'t str, start: usize, limits: &Limits) -> Result<Option<Value<'t>>, Refusal> {
    let written = text.get(start..).unwrap_or_default().trim_end();
    match json::read(written, limits) {
        Ok(value) => Ok(Some(value)),
        // A word, a number or a quotation may just be said.
        Err(_) if !written.starts_with(['{', '[']) && !is_json(written, limits) => Ok(None),
        Err(refusal) => Err(placed(refusal, text, start)),
    }
}

fn is_json(written: &str, limits: &Limits) -> bool {
    json::read(written, &limits.with_numbers(Numbers::AsWritten)).is_ok()
}

/// Which lines are quotations (CommonMark, section 5.1): what others said is not what the agent says. Each part of the text
/// is looked at once, as long as it is asked about from the front to the back.
#[derive(Default)]
struct Quotes {
    line_start: usize,
    seen_to: usize,
    is_quote: Option<bool>,
}

impl Quotes {
    /// Whether the line of the byte `start` is one.
    fn hold(&mut self, text: &str, start: usize) -> bool {
        let between = text.get(self.seen_to..start).unwrap_or_default();
        if let Some(end) = between.rfind(['\n', '\r']) {
            self.line_start = self.seen_to + end + 1;
            self.is_quote = None;
        }
        self.seen_to = start;
        let before = || text.get(self.line_start..start).unwrap_or_default();
        *self.is_quote.get_or_insert_with(|| before().trim_start().starts_with('>'))
    }
}

/// The one structured answer in a text, and where it starts.
fn one_answer<'t>(text: &'t str, found: &Survey, limits: &Limits) -> Result<Option<(Value<'t>, usize)>, Refusal> {
    let mut different: Vec<(Value<'t>, usize)> = Vec::new();
    let mut quotes = Quotes::default();
    for range in found.answers.iter().filter(|range| !quotes.hold(text, range.start)) {
        let written = text.get(range.clone()).unwrap_or_default();
        let value = json::read(written, limits).map_err(|refusal| placed(refusal, text, range.start))?;
        if !different.iter().any(|(known, _)| *known == value) {
            different.push((value, range.start));
        }
        if different.len() == PLACES_MAX {
            break;
        }
    }
    if different.len() < 2 {
        return Ok(different.pop());
    }
    let places: Vec<String> = different.iter().map(|(_, start)| place(text, *start)).collect();
    let count = if places.len() == PLACES_MAX { format!("{PLACES_MAX} or more") } else { places.len().to_string() };
    let detail = format!("the text holds {count} different answers: at {}; send exactly one", places.join("; at "));
    let first = different.first().map_or(0, |(_, start)| *start);
    Err(Refusal::new(Code::ReplyType, "", detail).in_text(Position::of(text, first)))
}

/// A text that is the output.
fn spoken(text: &str, found: &Survey) -> Result<Reply, Refusal> {
    let said = text.get(found.speech.clone()).unwrap_or_default();
    if let Some((at, letter)) = said.char_indices().find(|(_, letter)| is_noncharacter(*letter)) {
        let detail = format!(
            "the text holds the noncharacter U+{:04X}, which no JSON string may: leave it out",
            u32::from(letter)
        );
        return Err(Refusal::new(Code::ReplyType, "", detail).in_text(Position::of(text, found.speech.start + at)));
    }
    let output = Some(Value::string(said.replace("\r\n", "\n")));
    let patch = found.has_patch.then(|| text.to_owned());
    Ok(Reply { text: text.to_owned(), output, patch, ..Reply::default() })
}

/// A reader's refusal, with its place in the whole text.
fn placed(refusal: Refusal, text: &str, start: usize) -> Refusal {
    let offset = refusal.position.map_or(0, |position| position.offset);
    refusal.in_text(Position::of(text, start + offset))
}

fn oversized(text: &str, limits: &Limits) -> Refusal {
    let detail = format!("the answer has {} bytes, the limit is {}; shorten it", text.len(), limits.bytes());
    Refusal::new(Code::JsonSize, "", detail)
}

fn nothing(text: &str, found: &Survey) -> Refusal {
    let what = match () {
        () if text.trim().is_empty() => "the answer is empty",
        () if found.only_thinks => "the block of thinking is not closed, and what stands in it does not count",
        () => "the answer is nothing but thoughts, which do not count",
    };
    Refusal::new(Code::ReplyNone, "", format!("{what}; say what came of it"))
        .in_text(Position::of(text, found.speech.start))
}

fn broken(text: &str, start: usize, at: usize) -> Refusal {
    let rest = text.get(start..).unwrap_or_default();
    let begun = place(text, start);
    // The reader stops at the fault, so that what follows does not count.
    let unlimited = Limits::default().with_depth(Limits::DEPTH_MAX).with_bytes(usize::MAX);
    let (code, why, at) = match json::read(rest, &unlimited) {
        Err(refusal) => {
            let offset = refusal.position.map_or(at, |position| start + position.offset);
            (refusal.code, refusal.detail, offset)
        }
        Ok(_) => (Code::JsonSyntax, "it is not JSON".to_owned(), at),
    };
    let detail = format!("the JSON object that starts at {begun} is or holds an answer, and breaks off: {why}");
    Refusal::new(code, "", detail).in_text(Position::of(text, at))
}

/// A member's name, quoted, with what it was probably meant to be.
fn unknown(name: &str, near: Option<&str>) -> String {
    near.map_or_else(|| quote(name), |near| format!("{}; did you mean `{near}`?", quote(name)))
}

#[cfg(test)]
#[path = "reply_test.rs"]
mod tests;
