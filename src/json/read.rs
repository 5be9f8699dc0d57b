//! The strict reader: one text, one value, RFC 8259 to the letter.
//!
//! It is our own because a general reader behind a visitor interface hides what is checked here: halves of surrogate
//! pairs written as escapes, numbers before they are rounded, names that are equal only after unescaping, and the line
//! and column of each. It borrows every string without escapes and every number from the text, and it does not recurse,
//! so that no nesting overflows the stack.
//!
//! One loop serves two uses: building a value, and only checking one (where a text is patched in place).

use std::borrow::Cow;

use super::decode::empty_refusal;
use super::fault::{self, Fault};
use super::limits::{Limits, Numbers, size_refusal};
use super::scan::{RawString, Scanner};
use super::tree::Tree;
use super::value::Value;
use super::{number, trace};
use crate::refusal::Refusal;

/// Reads a whole text as one value.
///
/// # Errors
/// `json.size`, `json.empty`, `json.syntax`, `json.encoding` (half of a surrogate pair), `json.duplicate_name`,
/// `json.depth` or `json.number`, with the pointer of the value being read and the position.
pub fn read<'a>(text: &'a str, limits: &Limits) -> Result<Value<'a>, Refusal> {
    if text.len() > limits.bytes() {
        return Err(size_refusal(text.len(), limits));
    }
    if let Some(refusal) = empty_refusal(text) {
        return Err(refusal);
    }
    let mut scanner = Scanner::new(text);
    let mut reader = Reader::new(limits, Tree::default());
    match reader.value(&mut scanner, 0).and_then(|()| end_of_text(&mut scanner)) {
        Ok(()) => Ok(reader.build.into_value()),
        Err(fault) => Err(fault.into_refusal(text)),
    }
}

/// Nothing but white space may follow.
pub(super) fn end_of_text(scanner: &mut Scanner<'_>) -> Result<(), Fault> {
    match scanner.peek_past_white() {
        None => Ok(()),
        Some(_) => Err(fault::trailing(scanner.text(), scanner.at())),
    }
}

/// What is made of the values that are read.
pub(super) trait Build<'a> {
    /// An array or an object begins.
    fn open(&mut self, object: bool);
    fn name(&mut self, start: usize, string: RawString<'a>);
    fn word(&mut self, value: Value<'static>);
    fn number(&mut self, text: &'a str);
    fn string(&mut self, string: RawString<'a>);
    /// The innermost array ends.
    fn array(&mut self);
    /// The innermost object ends.
    ///
    /// # Errors
    /// The place of the first name that repeats an earlier one.
    fn object(&mut self) -> Result<(), usize>;
}

/// A container that is open.
#[derive(Clone, Copy)]
struct Frame {
    object: bool,
    /// Where its bracket stands.
    start: usize,
}

/// The state of reading: the open containers, and what is built of them.
pub(super) struct Reader<B> {
    depth_max: usize,
    exact: bool,
    frames: Vec<Frame>,
    pub(super) build: B,
}

/// What is next in the text.
enum Next {
    Value,
    AfterValue,
}

impl<'a, B: Build<'a>> Reader<B> {
    pub(super) fn new(limits: &Limits, build: B) -> Self {
        let exact = limits.numbers() == Numbers::IJson;
        Self { depth_max: limits.depth(), exact, frames: Vec::with_capacity(8), build }
    }

    /// Reads one value that stands inside `outer` containers.
    pub(super) fn value(&mut self, scanner: &mut Scanner<'a>, outer: usize) -> Result<(), Fault> {
        loop {
            let mut next = self.one(scanner, outer)?;
            while let Next::AfterValue = next {
                let Some(frame) = self.frames.last().copied() else {
                    return Ok(());
                };
                next = self.after_value(scanner, frame)?;
            }
        }
    }

    /// Reads a scalar, an empty container, or the start of one.
    #[inline]
    fn one(&mut self, scanner: &mut Scanner<'a>, outer: usize) -> Result<Next, Fault> {
        match scanner.peek_past_white() {
            Some(b'"') => self.build.string(scanner.string()?),
            Some(b'-' | b'0'..=b'9') => self.number(scanner)?,
            Some(b'{') => return self.open_object(scanner, outer),
            Some(b'[') => return self.open_array(scanner, outer),
            Some(b't') if scanner.word("true") => self.build.word(Value::Bool(true)),
            Some(b'f') if scanner.word("false") => self.build.word(Value::Bool(false)),
            Some(b'n') if scanner.word("null") => self.build.word(Value::Null),
            _ => return Err(fault::no_value(scanner.text(), scanner.at())),
        }
        Ok(Next::AfterValue)
    }

    #[inline]
    fn number(&mut self, scanner: &mut Scanner<'a>) -> Result<(), Fault> {
        let start = scanner.at();
        let text = scanner.number()?;
        if self.exact
            && let Some(reason) = number::inexact(text)
        {
            return Err(fault::inexact_number(scanner.text(), start, reason));
        }
        self.build.number(text);
        Ok(())
    }

    #[inline]
    fn open_array(&mut self, scanner: &mut Scanner<'a>, outer: usize) -> Result<Next, Fault> {
        let frame = self.enter(scanner, outer, false)?;
        if scanner.peek_past_white() == Some(b']') { self.close(scanner, frame) } else { Ok(Next::Value) }
    }

    #[inline]
    fn open_object(&mut self, scanner: &mut Scanner<'a>, outer: usize) -> Result<Next, Fault> {
        let frame = self.enter(scanner, outer, true)?;
        if scanner.peek_past_white() == Some(b'}') { self.close(scanner, frame) } else { self.name(scanner) }
    }

    #[inline]
    fn name(&mut self, scanner: &mut Scanner<'a>) -> Result<Next, Fault> {
        let (start, string) = name(scanner)?;
        colon(scanner)?;
        self.build.name(start, string);
        Ok(Next::Value)
    }

    #[inline]
    fn enter(&mut self, scanner: &mut Scanner<'a>, outer: usize, object: bool) -> Result<Frame, Fault> {
        let start = scanner.at();
        if self.frames.len() + outer >= self.depth_max {
            return Err(fault::too_deep(start, self.depth_max));
        }
        scanner.step();
        let frame = Frame { object, start };
        self.frames.push(frame);
        self.build.open(object);
        Ok(frame)
    }

    #[inline]
    fn after_value(&mut self, scanner: &mut Scanner<'a>, frame: Frame) -> Result<Next, Fault> {
        match (scanner.peek_past_white(), frame.object) {
            (Some(b','), true) => {
                scanner.step();
                self.name(scanner)
            }
            (Some(b','), false) => {
                scanner.step();
                Ok(Next::Value)
            }
            (Some(b'}'), true) | (Some(b']'), false) => self.close(scanner, frame),
            (_, object) => Err(fault::not_closed(scanner.text(), scanner.at(), if object { '}' } else { ']' })),
        }
    }

    /// Reads the closing bracket of `frame`, the innermost container.
    #[inline]
    fn close(&mut self, scanner: &mut Scanner<'a>, frame: Frame) -> Result<Next, Fault> {
        scanner.step();
        self.frames.pop();
        if !frame.object {
            self.build.array();
        } else if let Err(place) = self.build.object() {
            return Err(duplicate(scanner.text(), frame.start, place));
        }
        Ok(Next::AfterValue)
    }
}

/// Reads a name, and says where it starts.
#[inline]
pub(super) fn name<'a>(scanner: &mut Scanner<'a>) -> Result<(usize, RawString<'a>), Fault> {
    if scanner.peek_past_white() != Some(b'"') {
        return Err(fault::no_name(scanner.text(), scanner.at()));
    }
    Ok((scanner.at(), scanner.string()?))
}

/// Reads the colon after a name.
#[inline]
pub(super) fn colon(scanner: &mut Scanner<'_>) -> Result<(), Fault> {
    if scanner.peek_past_white() != Some(b':') {
        return Err(fault::no_colon(scanner.text(), scanner.at()));
    }
    scanner.step();
    Ok(())
}

/// The fault of the member at `place`, whose name repeats an earlier one, in the object at `start`.
#[cold]
pub(super) fn duplicate(text: &str, start: usize, place: usize) -> Fault {
    let (offset, name) = trace::name_at(text, start, place).unwrap_or((start, Cow::Borrowed("")));
    fault::duplicate_name(offset, &name)
}

#[cfg(test)]
#[path = "read_test.rs"]
mod tests;
