//! Fenced blocks, as CommonMark has them (section 4.5), with any indentation.

use std::ops::Range;

use super::ahead::Ahead;

/// An opening fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// Where its first mark stands.
    pub(super) start: usize,
    /// A backtick or a tilde.
    mark: u8,
    /// How many marks.
    pub(super) length: usize,
    indent: usize,
    /// What follows the marks on the line.
    pub(super) info: Range<usize>,
    /// Where the next line starts.
    pub(super) content: usize,
}

/// Where a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closing {
    /// The end of what stands in the block.
    pub(super) content_end: usize,
    /// The byte after the closing fence; none if there is no closing fence.
    pub(super) after: Option<usize>,
}

/// Finds fences.
#[derive(Debug)]
pub(super) struct Fences<'t> {
    bytes: &'t [u8],
    backticks: Ahead,
    tildes: Ahead,
    backtick: Ahead,
    line_ends: Ahead,
    last: Option<(usize, Option<Fence>)>,
    /// A place that counts as the start of a line: after a closing tag.
    line_start: usize,
    steps: usize,
}

impl<'t> Fences<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            bytes: text.as_bytes(),
            backticks: Ahead::new("```"),
            tildes: Ahead::new("~~~"),
            backtick: Ahead::new("`"),
            line_ends: Ahead::new("\n"),
            last: None,
            line_start: 0,
            steps: 0,
        }
    }

    /// Bytes looked at so far.
    #[cfg(test)]
    pub(super) fn steps(&self) -> usize {
        let aheads = [&self.backticks, &self.tildes, &self.backtick, &self.line_ends];
        self.steps + aheads.into_iter().map(Ahead::steps).sum::<usize>()
    }

    /// Lets a fence stand at `at`, past blanks, even if the line does not start there.
    pub(super) fn start_line(&mut self, at: usize) {
        self.line_start = at;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let start = at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.steps += start - at;
        if let Some(b'`' | b'~') = self.bytes.get(start)
            && let Ok(fence) = self.open(start)
        {
            self.last = Some((at, Some(fence)));
        }
    }

    /// The next opening fence at `from` or after it, that starts before `to`.
    pub(super) fn next(&mut self, from: usize, to: usize) -> Option<Fence> {
        if let Some((start, found)) = &self.last
            && *start <= from
            && found.as_ref().is_none_or(|fence| fence.start >= from)
        {
            return found.clone().filter(|fence| fence.start < to);
        }
        let mut at = from;
        let found = loop {
            let next =
                [&mut self.backticks, &mut self.tildes].into_iter().filter_map(|marks| marks.next(self.bytes, at));
            let Some(start) = next.min() else { break None };
            match self.open(start) {
                Ok(fence) => break Some(fence),
                Err(after) => at = after,
            }
        };
        self.last = Some((from, found.clone()));
        found.filter(|fence| fence.start < to)
    }

    /// The opening fence at `start`, as if a line started there.
    pub(super) fn open_here(&mut self, start: usize) -> Result<Fence, usize> {
        let line_start = std::mem::replace(&mut self.line_start, start);
        let fence = self.open(start);
        self.line_start = line_start;
        fence
    }

    /// The opening fence whose marks start at `start`, or where to look on.
    fn open(&mut self, start: usize) -> Result<Fence, usize> {
        let (mark, length) = self.run(start);
        let after = start + length;
        let indent = self.indent(start).filter(|_| length >= 3).ok_or(after)?;
        let line_end = self.line_ends.next(self.bytes, after).unwrap_or(self.bytes.len());
        // A backtick in the info string makes it a code span.
        if mark == b'`' && self.backtick.next_before(self.bytes, after, line_end).is_some() {
            return Err(after);
        }
        let content = (line_end + 1).min(self.bytes.len());
        Ok(Fence { start, mark, length, indent, info: after..line_end, content })
    }

    /// Where the block of `fence` ends, within the bytes before `to`. `each` is told of opening fences inside.
    pub(super) fn close(&mut self, fence: &Fence, to: usize, mut each: impl FnMut(&Fence)) -> Closing {
        let mut at = fence.content;
        loop {
            let marks = if fence.mark == b'`' { &mut self.backticks } else { &mut self.tildes };
            let Some(start) = marks.next_before(self.bytes, at, to) else {
                return Closing { content_end: to.max(fence.content), after: None };
            };
            let (_, length) = self.run(start);
            at = start + length;
            let Ok(inner) = self.open(start) else { continue };
            let info = inner.info.start..inner.info.end.min(to).max(inner.info.start);
            let blank = self.bytes.get(info).unwrap_or_default().iter().all(u8::is_ascii_whitespace);
            if blank && length >= fence.length && inner.indent <= fence.indent + 3 {
                return Closing { content_end: start - inner.indent, after: Some(inner.content.min(to)) };
            }
            if !blank {
                each(&inner);
            }
        }
    }

    /// The mark at `start`, and how often it stands there.
    fn run(&mut self, start: usize) -> (u8, usize) {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mark = rest.first().copied().unwrap_or_default();
        let length = rest.iter().take_while(|byte| **byte == mark).count();
        self.steps += length;
        (mark, length)
    }

    /// How far the marks at `start` are indented; none if something stands before them on the line.
    fn indent(&mut self, start: usize) -> Option<usize> {
        let floor = if self.line_start <= start { self.line_start } else { 0 };
        let line = self.bytes.get(floor..start).unwrap_or_default();
        let indent = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.steps += indent + 1;
        let before = line.len().checked_sub(indent + 1).and_then(|at| line.get(at));
        matches!(before, None | Some(b'\n')).then_some(indent)
    }
}
