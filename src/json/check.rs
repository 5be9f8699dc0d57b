//! Checking a value without building it: only the names of open objects are kept, as places in the text.

use std::borrow::Cow;
use std::vec::Drain;

use super::names;
use super::read::Build;
use super::scan::RawString;
use super::value::Value;

/// Makes nothing of the values of `text`.
pub(super) struct Check<'a> {
    text: &'a str,
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
        Self { text }
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
    type Name = NameSpan;

    #[inline]
    fn name(&mut self, start: usize, string: RawString<'a>) -> NameSpan {
        let escaped = if string.escaped { ESCAPED } else { 0 };
        NameSpan { start: start as u32 + 1, length: string.raw.len() as u32 | escaped }
    }

    #[inline]
    fn word(&mut self, _value: Value<'static>) {}

    #[inline]
    fn number(&mut self, _text: &'a str) {}

    #[inline]
    fn string(&mut self, _string: RawString<'a>) {}

    #[inline]
    fn open_values(&self) -> usize {
        0
    }

    #[inline]
    fn array(&mut self, _first: usize) {}

    #[inline]
    fn object(&mut self, _first: usize, names: Drain<'_, NameSpan>) {
        drop(names);
    }

    #[inline]
    fn repeated(&self, names: &[NameSpan]) -> Option<usize> {
        names::repeated(names.len(), |place| self.name_at(names, place))
    }
}
