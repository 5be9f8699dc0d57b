//! Texts that were meant as JSON and are none: the reader's word on them says more than that they hold no patch.

use std::ops::Range;

use super::name::white;
use super::scan::Scan;
use super::skip::End;

impl Scan<'_, '_> {
    /// The text past thoughts, if it is written like JSON from its start and nothing in it seemed to be a patch.
    pub(super) fn garbled_whole(&mut self) -> Option<Range<usize>> {
        if !self.candidates.is_empty() || self.doubt.is_some() || self.name.has_nonce() || self.notes.say_more() {
            return None;
        }
        let range = self.start_of_speech()..self.text.trim_end().len();
        let written = self.bytes.get(range.clone())?;
        let is_meant = match written.first()? {
            b'{' => starts_object(written) && self.runs_on(range.clone(), |_| true),
            b'[' => self.runs_on(range.clone(), |text| matches!(text.last(), Some(b']' | b'}'))),
            b'"' => self.skipper.skip(range.start, range.end, self.name).end == End::Cut,
            _ => ["true", "false", "null"].iter().any(|word| word.as_bytes().starts_with(written)),
        };
        is_meant.then_some(range)
    }

    /// Whether the value goes on to the end, or breaks off in a text of which `is_json` holds, or only brackets and commas
    /// follow it.
    fn runs_on(&mut self, range: Range<usize>, is_json: fn(&[u8]) -> bool) -> bool {
        let skipped = self.skipper.skip(range.start, range.end, self.name);
        let after = skipped.at + white(self.bytes, skipped.at);
        match skipped.end {
            End::Cut => true,
            End::Broken => self.bytes.get(range).is_some_and(is_json),
            End::Whole => matches!(self.bytes.get(after), Some(b'{' | b'}' | b']' | b',' | b':')),
        }
    }
}

/// Whether a brace is followed by what follows it in an object, or in what passes for one in other notations.
fn starts_object(written: &[u8]) -> bool {
    let rest = written.get(1 + white(written, 1)..).unwrap_or_default();
    let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    match rest.first() {
        None | Some(b'"' | b'\'' | b'}' | b'/') => true,
        _ => word > 0 && rest.get(word + white(rest, word)) == Some(&b':'),
    }
}
