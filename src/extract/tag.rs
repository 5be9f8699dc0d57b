//! What stands in a tag or a labelled fence.

use std::ops::Range;

use super::name::white;
use super::scan::{CDATA, Candidate, Doubt, Scan};
use super::skip::End;

impl Scan<'_, '_> {
    /// A tag of the name, whose content starts at `content`; what follows it is scanned from the byte returned.
    pub(super) fn tag(&mut self, open: usize, content: usize, to: usize) -> usize {
        let start = content + white(self.bytes, content);
        let passed = self.past_content(start, to);
        let close = self.close_from(passed.unwrap_or(content), to);
        // A tag that is only spoken of has no JSON after it, and another one may follow before any closing tag.
        let next = self.opening.next_before(self.bytes, content, to);
        let only_named = passed.is_none()
            && match (close, next) {
                (Some((close, _)), Some(next)) => next < close,
                (Some(_), None) => false,
                (None, _) => true,
            };
        if only_named {
            self.notes.tag.get_or_insert(open);
            return content;
        }
        match close {
            Some((close, after)) => {
                self.content(content..close);
                self.fences.start_line(after);
                after
            }
            None => {
                self.open_content(content..to, Doubt::OpenTag(open));
                to
            }
        }
    }

    /// The closing tag at `from` or after it: where it starts and the byte after it.
    fn close_from(&mut self, from: usize, to: usize) -> Option<(usize, usize)> {
        let mut at = from;
        loop {
            let close = self.closing.next_before(self.bytes, at, to)?;
            match self.name.closing_tag(self.bytes, close) {
                Some(after) if after <= to => return Some((close, after)),
                _ => at = close + 2,
            }
        }
    }

    /// The end of the JSON value at `start`, which a fence may stand before, so that a closing tag in a string does not close.
    fn past_content(&mut self, start: usize, to: usize) -> Option<usize> {
        match self.bytes.get(start..to)?.first()? {
            b'{' | b'[' | b'"' => Some(self.skipper.skip(start, to, self.name).at),
            b'`' | b'~' => {
                let fence = self.fences.open_here(start).ok()?;
                let inside = fence.content + white(self.bytes, fence.content);
                match self.bytes.get(inside..to).and_then(<[u8]>::first) {
                    Some(b'{' | b'[' | b'"') => Some(self.skipper.skip(inside, to, self.name).at),
                    _ => Some(fence.content.min(to)),
                }
            }
            _ => None,
        }
    }

    /// The content of a tag or of a labelled fence: JSON, or one fenced block that holds it.
    pub(super) fn content(&mut self, range: Range<usize>) {
        let text = self.unwrapped(self.trimmed(range));
        let start = self.skipper.past_comments(text.start, text.end);
        let skipped = match self.bytes.get(start..text.end).and_then(<[u8]>::first) {
            Some(b'{') => Some(self.skipper.skip(start, text.end, self.name)),
            _ => None,
        };
        let broken = skipped.as_ref().filter(|skipped| skipped.end == End::Cut).map(|skipped| (skipped.at, End::Cut));
        if let Some(at) = skipped.as_ref().filter(|skipped| !skipped.has_member).and_then(|skipped| skipped.other_nonce)
        {
            self.doubt.get_or_insert(Doubt::OtherNonce(at));
        }
        let whole = skipped.filter(|skipped| {
            skipped.end == End::Whole && self.skipper.past_comments(skipped.at, text.end) == text.end
        });
        self.candidates.push(Candidate { text, member: whole.and_then(|skipped| skipped.member), broken });
    }

    /// Content that is not closed: it is cut off, or in doubt.
    pub(super) fn open_content(&mut self, range: Range<usize>, doubt: Doubt) {
        let text = self.unwrapped(self.trimmed(range));
        if self.bytes.get(text.clone()).and_then(<[u8]>::first) == Some(&b'{') {
            let skipped = self.skipper.skip(text.start, text.end, self.name);
            if skipped.end != End::Whole {
                let broken = Some((skipped.at, skipped.end));
                self.candidates.push(Candidate { text: text.start..skipped.at, member: None, broken });
                self.stopped = true;
                return;
            }
        }
        self.doubt.get_or_insert(doubt);
        self.stopped = true;
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let start = range.start + (text.len() - text.trim_start().len());
        start..(start + text.trim().len())
    }

    /// What stands in the one fenced block, or in the one tag, that `range` is.
    fn unwrapped(&mut self, range: Range<usize>) -> Range<usize> {
        match self.bytes.get(range.clone()).and_then(<[u8]>::first) {
            Some(b'`' | b'~') => {
                let Ok(fence) = self.fences.open_here(range.start) else { return range };
                let closing = self.fences.close(&fence, range.end, |_| {});
                if closing.after.is_some_and(|after| self.trimmed(after..range.end).is_empty())
                    || closing.after.is_none()
                {
                    return self.trimmed(fence.content.min(range.end)..closing.content_end.min(range.end));
                }
                range
            }
            Some(b'<')
                if self
                    .bytes
                    .get(range.clone())
                    .is_some_and(|text| text.starts_with(CDATA) && text.ends_with(b"]]>")) =>
            {
                self.trimmed(range.start + CDATA.len()..range.end - 3)
            }
            Some(b'<') => {
                let (_, Some(tag)) = self.name.of_tag(self.bytes, range.start) else { return range };
                let start = tag.content + white(self.bytes, tag.content);
                let from = self.past_content(start, range.end).unwrap_or(tag.content);
                match self.close_from(from, range.end) {
                    Some((close, after)) if after == range.end => self.trimmed(tag.content..close),
                    _ => range,
                }
            }
            _ => range,
        }
    }
}
