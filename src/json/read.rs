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
use super::names;
use super::scan::{RawString, Scanner};
use super::value::{Number, Object, Value};
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
    let mut tree = Tree { values: Vec::with_capacity(16) };
    let whole = Reader::new(limits).value(&mut scanner, &mut tree, 0).and_then(|()| end_of_text(&mut scanner));
    match whole {
        Ok(()) => Ok(tree.values.pop().unwrap_or(Value::Null)),
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
    /// How many values are at hand that no closed container holds.
    fn open_values(&self) -> usize;
    fn word(&mut self, value: Value<'static>);
    fn number(&mut self, text: &'a str);
    fn string(&mut self, string: RawString<'a>);
    /// Makes an array of the values from `first` on.
    fn array(&mut self, first: usize);
    /// Makes an object of the values from `first` on and as many names.
    fn object(&mut self, first: usize, names: std::vec::Drain<'_, Cow<'a, str>>);
}

/// Makes nothing: the text is only checked.
pub(super) struct Check;

impl<'a> Build<'a> for Check {
    fn open_values(&self) -> usize {
        0
    }
    fn word(&mut self, _value: Value<'static>) {}
    fn number(&mut self, _text: &'a str) {}
    fn string(&mut self, _string: RawString<'a>) {}
    fn array(&mut self, _first: usize) {}
    fn object(&mut self, _first: usize, _names: std::vec::Drain<'_, Cow<'a, str>>) {}
}

/// Makes a value. The values of all open containers stand in one list, so that each container is allocated once.
struct Tree<'a> {
    values: Vec<Value<'a>>,
}

impl<'a> Build<'a> for Tree<'a> {
    #[inline]
    fn open_values(&self) -> usize {
        self.values.len()
    }
    #[inline]
    fn word(&mut self, value: Value<'static>) {
        self.values.push(value);
    }
    #[inline]
    fn number(&mut self, text: &'a str) {
        self.values.push(Value::Number(Number::from_text(text)));
    }
    #[inline]
    fn string(&mut self, string: RawString<'a>) {
        self.values.push(Value::String(string.text()));
    }
    #[inline]
    fn array(&mut self, first: usize) {
        let items = self.values.drain(first..).collect();
        self.values.push(Value::Array(items));
    }
    #[inline]
    fn object(&mut self, first: usize, names: std::vec::Drain<'_, Cow<'a, str>>) {
        let members = names.zip(self.values.drain(first..)).collect();
        self.values.push(Value::Object(Object::from_members(members)));
    }
}

/// A container that is open.
#[derive(Clone, Copy)]
struct Frame {
    object: bool,
    /// Where its bracket stands.
    start: usize,
    first_value: usize,
    first_name: usize,
}

/// The state of reading: open containers, and the names of those that are objects.
pub(super) struct Reader<'a> {
    depth_max: usize,
    exact: bool,
    frames: Vec<Frame>,
    names: Vec<Cow<'a, str>>,
}

/// What is next in the text.
enum Next {
    Value,
    AfterValue,
}

impl<'a> Reader<'a> {
    pub(super) fn new(limits: &Limits) -> Self {
        let exact = limits.numbers() == Numbers::IJson;
        Self { depth_max: limits.depth(), exact, frames: Vec::new(), names: Vec::with_capacity(16) }
    }

    /// Reads one value that stands inside `outer` containers.
    pub(super) fn value<B: Build<'a>>(
        &mut self,
        scanner: &mut Scanner<'a>,
        build: &mut B,
        outer: usize,
    ) -> Result<(), Fault> {
        loop {
            let mut next = self.one(scanner, build, outer)?;
            while let Next::AfterValue = next {
                let Some(frame) = self.frames.last().copied() else {
                    return Ok(());
                };
                next = self.after_value(scanner, build, frame)?;
            }
        }
    }

    /// Reads a scalar, an empty container, or the start of one.
    #[inline]
    fn one<B: Build<'a>>(&mut self, scanner: &mut Scanner<'a>, build: &mut B, outer: usize) -> Result<Next, Fault> {
        match scanner.peek_past_white() {
            Some(b'"') => build.string(scanner.string()?),
            Some(b'-' | b'0'..=b'9') => build.number(self.number(scanner)?),
            Some(b'{') => return self.open_object(scanner, build, outer),
            Some(b'[') => return self.open_array(scanner, build, outer),
            Some(b't') if scanner.word("true") => build.word(Value::Bool(true)),
            Some(b'f') if scanner.word("false") => build.word(Value::Bool(false)),
            Some(b'n') if scanner.word("null") => build.word(Value::Null),
            _ => return Err(fault::no_value(scanner.text(), scanner.at())),
        }
        Ok(Next::AfterValue)
    }

    #[inline]
    fn number(&self, scanner: &mut Scanner<'a>) -> Result<&'a str, Fault> {
        let start = scanner.at();
        let text = scanner.number()?;
        if !self.exact {
            return Ok(text);
        }
        match number::inexact(text) {
            Some(reason) => Err(fault::inexact_number(scanner.text(), start, reason)),
            None => Ok(text),
        }
    }

    fn open_array<B: Build<'a>>(
        &mut self,
        scanner: &mut Scanner<'a>,
        build: &mut B,
        outer: usize,
    ) -> Result<Next, Fault> {
        let frame = self.enter(scanner, build, outer, false)?;
        if scanner.peek_past_white() == Some(b']') {
            return self.close(scanner, build, frame);
        }
        Ok(Next::Value)
    }

    fn open_object<B: Build<'a>>(
        &mut self,
        scanner: &mut Scanner<'a>,
        build: &mut B,
        outer: usize,
    ) -> Result<Next, Fault> {
        let frame = self.enter(scanner, build, outer, true)?;
        if scanner.peek_past_white() == Some(b'}') {
            return self.close(scanner, build, frame);
        }
        self.names.push(name(scanner)?);
        Ok(Next::Value)
    }

    fn enter<B: Build<'a>>(
        &mut self,
        scanner: &mut Scanner<'a>,
        build: &B,
        outer: usize,
        object: bool,
    ) -> Result<Frame, Fault> {
        let start = scanner.at();
        if self.frames.len() + outer >= self.depth_max {
            return Err(fault::too_deep(start, self.depth_max));
        }
        scanner.step();
        let frame = Frame { object, start, first_value: build.open_values(), first_name: self.names.len() };
        self.frames.push(frame);
        Ok(frame)
    }

    #[inline]
    fn after_value<B: Build<'a>>(
        &mut self,
        scanner: &mut Scanner<'a>,
        build: &mut B,
        frame: Frame,
    ) -> Result<Next, Fault> {
        match (scanner.peek_past_white(), frame.object) {
            (Some(b','), true) => {
                scanner.step();
                self.names.push(name(scanner)?);
                Ok(Next::Value)
            }
            (Some(b','), false) => {
                scanner.step();
                Ok(Next::Value)
            }
            (Some(b'}'), true) | (Some(b']'), false) => self.close(scanner, build, frame),
            (_, object) => Err(fault::not_closed(scanner.text(), scanner.at(), if object { '}' } else { ']' })),
        }
    }

    /// Reads the closing bracket of `frame`, the innermost container.
    #[inline]
    fn close<B: Build<'a>>(&mut self, scanner: &mut Scanner<'a>, build: &mut B, frame: Frame) -> Result<Next, Fault> {
        scanner.step();
        self.frames.pop();
        if frame.object {
            let names = self.names.get(frame.first_name..).unwrap_or_default();
            if let Some(place) = names::repeated(names) {
                return Err(duplicate(scanner.text(), frame.start, place));
            }
            build.object(frame.first_value, self.names.drain(frame.first_name..));
        } else {
            build.array(frame.first_value);
        }
        Ok(Next::AfterValue)
    }
}

/// Reads a name and its colon.
#[inline]
pub(super) fn name<'a>(scanner: &mut Scanner<'a>) -> Result<Cow<'a, str>, Fault> {
    if scanner.peek_past_white() != Some(b'"') {
        return Err(fault::no_name(scanner.text(), scanner.at()));
    }
    let name = scanner.string()?.text();
    if scanner.peek_past_white() != Some(b':') {
        return Err(fault::no_colon(scanner.text(), scanner.at()));
    }
    scanner.step();
    Ok(name)
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
