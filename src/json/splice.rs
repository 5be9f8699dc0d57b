//! A merge patch (RFC 7396) applied to the text of a document: what the patch does not name stays byte for byte.
//!
//! The document is read once and checked in full, as strictly as by the reader, but no value is built of it; only then
//! is there a result. The members on the way to a change keep their white space, new ones take that of their siblings.

use std::borrow::Cow;

use super::check::{BYTES_MAX, Check, NameSpan};
use super::decode::empty_refusal;
use super::fault::{self, Fault};
use super::layout::Layout;
use super::limits::{Limits, size_refusal};
use super::merge_patch::{Places, merge};
use super::pieces::Pieces;
use super::read::{self, Reader};
use super::scan::Scanner;
use super::value::{Object, Value};
use super::write::compact_into;
use crate::refusal::Refusal;

/// The text of `document` after `patch`.
///
/// # Errors
/// What [`read`](super::read()) refuses in the document; a document of 2 GiB or more is `json.size` whatever the limit.
pub fn splice<'a>(document: &'a str, patch: &Value<'_>, limits: &Limits) -> Result<Pieces<'a>, Refusal> {
    let limits = limits.with_bytes(limits.bytes().min(BYTES_MAX));
    if document.len() > limits.bytes() {
        return Err(size_refusal(document.len(), &limits));
    }
    if let Some(refusal) = empty_refusal(document) {
        return Err(refusal);
    }
    let mut splicer = Splicer {
        scanner: Scanner::new(document),
        reader: Reader::new(&limits, Check::new(document)),
        depth_max: limits.depth(),
        pieces: Pieces::of(document),
    };
    match splicer.document(patch) {
        Ok(()) if splicer.pieces.fits() => Ok(splicer.pieces),
        Ok(()) => Err(size_refusal(splicer.pieces.bytes(), &limits)),
        Err(fault) => Err(fault.into_refusal(document)),
    }
}

/// As many names of a document are expected to be looked up in one object of the patch.
const LOOKUPS: usize = 32;

struct Splicer<'a> {
    scanner: Scanner<'a>,
    reader: Reader<Check<'a>>,
    depth_max: usize,
    pieces: Pieces<'a>,
}

/// An object of the document that an object of the patch changes.
struct Touched<'a, 'p> {
    /// Where its bracket stands.
    start: usize,
    patch: &'p Object<'p>,
    places: Places,
    /// Which members of the patch the document has.
    met: Vec<bool>,
    names: Vec<NameSpan>,
    layout: Layout<'a>,
    /// Whether a member was kept, and whether the last one was.
    kept: bool,
    last_kept: bool,
    /// Where the white space after the last member starts.
    white: usize,
}

impl<'a> Splicer<'a> {
    fn document(&mut self, patch: &Value<'_>) -> Result<(), Fault> {
        let first = self.scanner.peek_past_white();
        self.pieces.keep(0, self.scanner.at());
        match patch {
            Value::Object(patch) if first == Some(b'{') => self.objects(patch)?,
            _ => {
                self.reader.value(&mut self.scanner, 0)?;
                self.pieces.add(|out| compact_into(out, &pruned(patch)));
            }
        }
        let end = self.scanner.at();
        read::end_of_text(&mut self.scanner)?;
        self.pieces.keep(end, self.scanner.at());
        Ok(())
    }

    /// Patches the object that is next, and the objects in it.
    fn objects(&mut self, patch: &Object<'_>) -> Result<(), Fault> {
        let mut outer: Vec<Touched<'a, '_>> = Vec::new();
        let mut touched = self.enter(patch, Layout::outermost(), 0)?;
        loop {
            if self.at_member(&mut touched)? {
                if let Some(inner) = self.member(&mut touched, outer.len() + 1)? {
                    outer.push(std::mem::replace(&mut touched, inner));
                }
            } else {
                self.finish(&touched)?;
                match outer.pop() {
                    Some(around) => touched = around,
                    None => return Ok(()),
                }
            }
        }
    }

    fn enter<'p>(&mut self, patch: &'p Object<'p>, layout: Layout<'a>, depth: usize) -> Result<Touched<'a, 'p>, Fault> {
        let start = self.scanner.at();
        if depth >= self.depth_max {
            return Err(fault::too_deep(start, self.depth_max));
        }
        self.scanner.step();
        self.pieces.keep(start, start + 1);
        let (places, met) = (Places::of(patch.members(), LOOKUPS), vec![false; patch.len()]);
        let (kept, last_kept, white) = (false, false, start + 1);
        Ok(Touched { start, patch, places, met, names: Vec::new(), layout, kept, last_kept, white })
    }

    /// Whether a member is next, its comma being read, and not the end of the object.
    fn at_member(&mut self, touched: &mut Touched<'a, '_>) -> Result<bool, Fault> {
        touched.white = self.scanner.at();
        match self.scanner.peek_past_white() {
            Some(b'}') => Ok(false),
            Some(b',') if !touched.names.is_empty() => {
                if touched.last_kept {
                    self.pieces.keep(touched.white, self.scanner.at());
                }
                self.scanner.step();
                touched.white = self.scanner.at();
                Ok(true)
            }
            _ if touched.names.is_empty() => Ok(true),
            _ => Err(fault::not_closed(self.scanner.text(), self.scanner.at(), '}')),
        }
    }

    /// Reads a member; returns it opened, if its value is an object that the patch changes.
    fn member<'p>(&mut self, touched: &mut Touched<'a, 'p>, depth: usize) -> Result<Option<Touched<'a, 'p>>, Fault> {
        let name = self.name(touched)?;
        let (start, value_start) = (touched.white, self.scanner.at());
        let place = touched.places.find(touched.patch.members(), &name);
        touched.last_kept = true;
        match place.and_then(|place| touched.meet(place)) {
            None => {
                self.reader.value(&mut self.scanner, depth)?;
                self.keep(touched, start, self.scanner.at());
            }
            Some(Value::Null) => {
                self.reader.value(&mut self.scanner, depth)?;
                touched.last_kept = false;
            }
            Some(Value::Object(inner)) if self.scanner.peek() == Some(b'{') => {
                self.keep(touched, start, value_start);
                return self.enter(inner, touched.layout.inner(), depth).map(Some);
            }
            Some(new) => {
                self.reader.value(&mut self.scanner, depth)?;
                self.keep(touched, start, value_start);
                self.pieces.add(|out| touched.layout.value_into(out, &pruned(new)));
            }
        }
        Ok(None)
    }

    /// Reads the name of a member, its colon, and the white space around them.
    fn name(&mut self, touched: &mut Touched<'a, '_>) -> Result<Cow<'a, str>, Fault> {
        let (text, start) = (self.scanner.text(), self.scanner.at());
        let (name_start, name) = read::name(&mut self.scanner)?;
        let name_end = self.scanner.at();
        read::colon(&mut self.scanner)?;
        self.scanner.peek_past_white();
        let leading = text.get(touched.white.min(start)..name_start).unwrap_or_default();
        let colon = text.get(name_end..self.scanner.at()).unwrap_or_default();
        touched.layout.member(leading, colon);
        touched.names.push(Check::span(name_start, name));
        Ok(name.text())
    }

    /// Keeps a member or its first part, and the comma before it, if one is needed.
    fn keep(&mut self, touched: &mut Touched<'a, '_>, start: usize, end: usize) {
        let comma = usize::from(touched.kept);
        self.pieces.keep(start - comma, end);
        touched.kept = true;
    }

    /// Adds the members that are new, and reads the closing bracket.
    fn finish(&mut self, touched: &Touched<'a, '_>) -> Result<(), Fault> {
        if let Some(place) = self.reader.build.repeated(&touched.names) {
            return Err(read::duplicate(self.scanner.text(), touched.start, place));
        }
        let mut first = !touched.kept;
        for ((name, value), met) in touched.patch.iter().zip(&touched.met) {
            if !met && !value.is_null() {
                self.pieces.add(|out| touched.layout.new_member_into(out, name, &pruned(value), first));
                first = false;
            }
        }
        let close = self.scanner.at();
        self.scanner.step();
        let was_empty = touched.names.is_empty();
        if was_empty && !first {
            self.pieces.add(|out| touched.layout.end_of_empty_into(out));
        }
        let keeps_white = if was_empty { first } else { !first };
        self.pieces.keep(if keeps_white { touched.white } else { close }, close + 1);
        Ok(())
    }
}

impl<'p> Touched<'_, 'p> {
    /// What the patch has at `place`, which the document has too.
    fn meet(&mut self, place: usize) -> Option<&'p Value<'p>> {
        if let Some(met) = self.met.get_mut(place) {
            *met = true;
        }
        self.patch.members().get(place).map(|(_, value)| value)
    }
}

/// A new value of the patch, without the `null` members that delete nothing there.
fn pruned<'v>(value: &'v Value<'v>) -> Cow<'v, Value<'v>> {
    match value {
        Value::Object(_) => Cow::Owned(merge(Value::Null, value.clone())),
        other => Cow::Borrowed(other),
    }
}

#[cfg(test)]
#[path = "splice_test.rs"]
mod tests;
