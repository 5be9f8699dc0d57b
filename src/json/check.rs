//! Checking a value without building it: only the names of open objects are kept, as places in the text.

use std::borrow::Cow;

use super::names;
use super::read::Build;
use super::scan::RawString;
use super::value::Value;

/// Makes nothing of the values of `text`.
pub(super) struct Check<'a> {
    text: &'a str,
    /// The names of all open objects.
    names: Vec<NameSpan>,
    /// Where those of each open container start.
    firsts: Vec<usize>,
}

/// Texts that are checked have at most this many bytes, so that a place fits four bytes.
pub(super) const BYTES_MAX: usize = 0x7FFF_FFFF;

/// Where a name stands in the text, without its quotes. Small, since an object may have millions.
#[derive(Clone, Copy)]
pub(super) struct NameSpan {
    start: u32,
    /// The length, and in the top bit whether there are escapes in it.
    length: u32,
}

const ESCAPED: u32 = 1 << 31;

impl<'a> Check<'a> {
    /// For values of `text`, which has at most [`BYTES_MAX`] bytes.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, names: Vec::new(), firsts: Vec::new() }
    }

    /// The name that stands at `start`, in its quotes.
    #[inline]
    pub(super) fn span(start: usize, string: RawString<'_>) -> NameSpan {
        let escaped = if string.escaped { ESCAPED } else { 0 };
        NameSpan { start: start as u32 + 1, length: string.raw.len() as u32 | escaped }
    }

    /// The place of the first name that repeats an earlier one.
    #[inline]
    pub(super) fn repeated(&self, names: &[NameSpan]) -> Option<usize> {
        names::repeated(names.len(), |place| self.name_at(names, place))
    }

    fn name_at(&self, names: &[NameSpan], place: usize) -> Cow<'a, str> {
        let Some(span) = names.get(place) else {
            return Cow::Borrowed("");
        };
        let start = span.start as usize;
        let raw = self.text.get(start..start + (span.length & !ESCAPED) as usize).unwrap_or_default();
        RawString { raw, escaped: span.length & ESCAPED != 0 }.text()
    }
}

impl<'a> Build<'a> for Check<'a> {
    #[inline]
    fn open(&mut self, _object: bool) {
        self.firsts.push(self.names.len());
    }

    #[inline]
    fn name(&mut self, start: usize, string: RawString<'a>) {
        self.names.push(Self::span(start, string));
    }

    #[inline]
    fn word(&mut self, _value: Value<'static>) {}

    #[inline]
    fn number(&mut self, _text: &'a str) {}

    #[inline]
    fn string(&mut self, _string: RawString<'a>) {}

    #[inline]
    fn array(&mut self) {
        self.firsts.pop();
    }

    #[inline]
    fn object(&mut self) -> Result<(), usize> {
        let first = self.firsts.pop().unwrap_or_default();
        match self.repeated(self.names.get(first..).unwrap_or_default()) {
            Some(place) => Err(place),
            None => {
                self.names.truncate(first);
                Ok(())
            }
        }
    }
}
