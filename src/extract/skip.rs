//! Passing over one JSON value without reading it.
//!
//! What is passed over is a little more than JSON: comments, trailing commas, a few foreign words. So a candidate with
//! such a fault has an end, and the strict reader names the fault. Where not even this fits, the value breaks off.

use std::ops::Range;

use super::ahead::Ahead;
use super::answer;
use super::name::{Match, Name};

/// How a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With its last bracket.
    Whole,
    /// With the text: it is cut off.
    Cut,
    /// With something that cannot stand there.
    Broken,
}

/// What was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skipped {
    pub(super) end: End,
    /// The byte after it, or where it breaks off.
    pub(super) at: usize,
    /// How many brackets are open there.
    pub(super) depth: usize,
    /// Whether it breaks off inside a string.
    pub(super) in_string: bool,
    /// Where the last string starts, past its quote.
    pub(super) string: usize,
    /// Whether its first bracket was followed by a name and a colon.
    pub(super) keyed: bool,
    /// Whether a comment was passed.
    pub(super) commented: bool,
    /// Whether the outermost object has the member that counts.
    pub(super) has_member: bool,
    /// Where the value of that member stands, once it is whole.
    pub(super) member: Option<Range<usize>>,
    /// Where a member stands that would count with another nonce.
    pub(super) other_nonce: Option<usize>,
    /// Whether the outermost object has a member that makes it an answer.
    pub(super) answers: bool,
}

/// What may come next.
#[derive(Clone, Copy)]
enum Want {
    KeyOrEnd,
    Colon,
    Value,
    ValueOrEnd,
    CommaOrEnd,
}

/// Passes over values.
#[derive(Debug)]
pub(super) struct Skipper<'t> {
    bytes: &'t [u8],
    open: Vec<u8>,
    comment_end: Ahead,
    steps: usize,
}

impl<'t> Skipper<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), open: Vec::new(), comment_end: Ahead::new("*/"), steps: 0 }
    }

    /// The whole text.
    pub(super) fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    /// Bytes looked at so far.
    #[cfg(test)]
    pub(super) fn steps(&self) -> usize {
        self.steps + self.comment_end.steps()
    }

    /// Passes over the value that starts at `start`, within the bytes before `to`.
    pub(super) fn skip(&mut self, start: usize, to: usize, name: &Name) -> Skipped {
        self.open.clear();
        let mut walk = Walk { skipped: Skipped::none(start), member_from: None };
        let mut want = Want::Value;
        let end = loop {
            want = match self.step(want, to, name, &mut walk) {
                Ok(next) => next,
                Err(end) => break end,
            };
            if self.open.is_empty() {
                break End::Whole;
            }
        };
        let mut skipped = walk.skipped;
        skipped.end = if end == End::Broken && skipped.at >= to { End::Cut } else { end };
        skipped.depth = self.open.len();
        self.steps += skipped.at - start + 1;
        skipped
    }

    /// One token.
    fn step(&mut self, want: Want, to: usize, name: &Name, walk: &mut Walk) -> Result<Want, End> {
        let at = self.white(walk, to)?;
        let byte = self.bytes.get(at).filter(|_| at < to).ok_or(End::Cut)?;
        match (want, byte) {
            (Want::KeyOrEnd, b'"') => self.key(at, to, name, walk),
            (Want::KeyOrEnd, b'}') | (Want::ValueOrEnd, b']') => Ok(self.close(at, walk)),
            (Want::CommaOrEnd, b'}') if self.open.last() == Some(&b'{') => Ok(self.close(at, walk)),
            (Want::CommaOrEnd, b']') if self.open.last() == Some(&b'[') => Ok(self.close(at, walk)),
            (Want::CommaOrEnd, b',') => {
                walk.skipped.at = at + 1;
                Ok(if self.open.last() == Some(&b'{') { Want::KeyOrEnd } else { Want::ValueOrEnd })
            }
            (Want::Colon, b':') => {
                walk.skipped.at = at + 1;
                walk.skipped.keyed = true;
                Ok(Want::Value)
            }
            (Want::Value | Want::ValueOrEnd, _) => self.value(at, to, *byte, walk),
            _ => Err(End::Broken),
        }
    }

    /// A value's first token.
    fn value(&mut self, at: usize, to: usize, byte: u8, walk: &mut Walk) -> Result<Want, End> {
        if let Some(from @ None) = &mut walk.member_from
            && self.open.len() == 1
        {
            *from = Some(at);
        }
        match byte {
            b'{' | b'[' => {
                self.open.push(byte);
                walk.skipped.at = at + 1;
                return Ok(if byte == b'{' { Want::KeyOrEnd } else { Want::ValueOrEnd });
            }
            b'"' => self.string(at, to, walk)?,
            _ => walk.skipped.at = word(self.bytes.get(at..to)).map(|length| at + length).ok_or(End::Broken)?,
        }
        self.end_of_value(walk);
        Ok(Want::CommaOrEnd)
    }

    fn close(&mut self, at: usize, walk: &mut Walk) -> Want {
        self.open.pop();
        walk.skipped.at = at + 1;
        self.end_of_value(walk);
        Want::CommaOrEnd
    }

    fn end_of_value(&mut self, walk: &mut Walk) {
        if self.open.len() == 1
            && let Some(Some(from)) = walk.member_from.take()
        {
            walk.skipped.member = Some(from..walk.skipped.at);
        }
    }

    fn key(&mut self, at: usize, to: usize, name: &Name, walk: &mut Walk) -> Result<Want, End> {
        self.string(at, to, walk)?;
        if self.open.len() == 1 {
            let raw = self.bytes.get(at + 1..walk.skipped.at - 1).unwrap_or_default();
            match name.of_key(raw) {
                Match::Name => {
                    walk.skipped.has_member = true;
                    walk.member_from = Some(None);
                }
                Match::OtherNonce => walk.skipped.other_nonce = Some(at),
                Match::None => walk.skipped.answers |= answer::is_key(raw),
            }
        }
        Ok(Want::Colon)
    }

    /// Passes over the string whose opening quote stands at `at`.
    fn string(&self, at: usize, to: usize, walk: &mut Walk) -> Result<(), End> {
        walk.skipped.in_string = true;
        walk.skipped.at = at + 1;
        walk.skipped.string = at + 1;
        loop {
            let from = walk.skipped.at;
            let rest = self.bytes.get(from..to).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\') || *byte < 0x20) else {
                walk.skipped.at = to;
                return Err(End::Cut);
            };
            walk.skipped.at = from + length;
            match (rest.get(length), rest.get(length + 1)) {
                (Some(b'"'), _) => break,
                (Some(b'\\'), Some(0x20..)) => walk.skipped.at += 2,
                (Some(b'\\'), _) => {
                    walk.skipped.at += 1;
                    return Err(End::Broken);
                }
                _ => return Err(End::Broken),
            }
        }
        walk.skipped.at += 1;
        walk.skipped.in_string = false;
        Ok(())
    }

    /// The byte after the white space and the comments at `at`, before `to`. A comment that does not end is none.
    pub(super) fn past_comments(&mut self, at: usize, to: usize) -> usize {
        let mut walk = Walk { skipped: Skipped::none(at), member_from: None };
        let after = self.white(&mut walk, to).unwrap_or(walk.skipped.at).min(to);
        self.steps += after - at + 1;
        after
    }

    /// Passes over white space and comments.
    fn white(&mut self, walk: &mut Walk, to: usize) -> Result<usize, End> {
        loop {
            let at = walk.skipped.at;
            let rest = self.bytes.get(at..to).unwrap_or_default();
            let length = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
            walk.skipped.at = at + length;
            let end = match rest.get(length..length + 2) {
                Some(b"//") => {
                    let line = rest.get(length..).unwrap_or_default();
                    at + length + memchr::memchr(b'\n', line).unwrap_or(line.len())
                }
                Some(b"/*") => {
                    let end = self.comment_end.next_before(self.bytes, at + length + 2, to);
                    end.ok_or(End::Broken)? + 2
                }
                _ => return Ok(at + length),
            };
            walk.skipped.commented = true;
            walk.skipped.at = end;
        }
    }
}

/// What is known of the value that is passed over.
struct Walk {
    skipped: Skipped,
    /// Inside the member that counts: where its value starts, once it has.
    member_from: Option<Option<usize>>,
}

impl Skipped {
    fn none(start: usize) -> Self {
        Self {
            end: End::Broken,
            at: start,
            depth: 0,
            in_string: false,
            string: start,
            keyed: false,
            commented: false,
            has_member: false,
            member: None,
            other_nonce: None,
            answers: false,
        }
    }
}

/// The length of a number or a literal, of JSON or of a language that is easily mistaken for it.
fn word(rest: Option<&[u8]>) -> Option<usize> {
    let rest = rest?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(byte)).count();
    match rest.get(..length)? {
        b"true" | b"false" | b"null" | b"NaN" | b"Infinity" | b"True" | b"False" | b"None" | b"undefined" => {
            Some(length)
        }
        [b'-' | b'0'..=b'9', ..] => Some(length),
        _ => None,
    }
}
