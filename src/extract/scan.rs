//! One pass over an agent's text that collects everything that may be the patch.

use std::ops::Range;

use memchr::{memchr3, memmem};

use super::ahead::Ahead;
use super::answer::Answers;
use super::broken::{Broken, Mark, Stretch, closes_at};
use super::fence::{Fence, Fences};
use super::name::{BASE, Match, Name, white};
use super::note::Notes;
use super::skip::{End, Skipped, Skipper};
use super::think::{self, Thought};

/// What XML writes before text that is to be taken as it stands: its bracket starts no array.
pub(super) const CDATA: &[u8] = b"<![CDATA[";

/// Something that may be the patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The JSON text.
    pub(super) text: Range<usize>,
    /// In it, the value of the member that holds the patch; the patch is the whole text if there is none.
    pub(super) member: Option<Range<usize>>,
    /// Where and how it breaks off.
    pub(super) broken: Option<(usize, End)>,
}

/// Why a text is refused whatever else it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// A patch seems to stand inside an object that breaks off: where it starts, and where it breaks.
    Inside(usize, usize),
    /// A tag is not closed.
    OpenTag(usize),
    /// A labelled fence is not closed.
    OpenFence(usize),
    /// A labelled fence stands in another block: where, and where that one starts.
    FenceInside(usize, usize),
    /// The member in a tag or fence does not bear the nonce that the tag or fence bears.
    OtherNonce(usize),
}

/// What one pass finds.
#[derive(Debug)]
pub(super) struct Scan<'t, 'n> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) name: &'n Name,
    pub(super) candidates: Vec<Candidate>,
    /// Whether the text as a whole is the candidate.
    pub(super) is_whole: bool,
    /// A text that seems meant as JSON, and is neither a whole value nor anything else.
    pub(super) garbled: Option<Range<usize>>,
    pub(super) doubt: Option<Doubt>,
    pub(super) notes: Notes,
    pub(super) skipper: Skipper<'t>,
    pub(super) fences: Fences<'t>,
    pub(super) closing: Ahead,
    pub(super) opening: Ahead,
    mention: Ahead,
    /// Whether answers are looked for too, and what was found of them.
    pub(super) answers: Option<Answers>,
    /// Nothing after a candidate that breaks off is certain.
    pub(super) stopped: bool,
    steps: usize,
}

impl<'t, 'n> Scan<'t, 'n> {
    pub(super) fn of(text: &'t str, name: &'n Name) -> Self {
        Self::with(text, name, None)
    }

    /// The same; where there is a place for `answers`, they are collected too.
    pub(super) fn with(text: &'t str, name: &'n Name, answers: Option<Answers>) -> Self {
        let mut scan = Self {
            text,
            bytes: text.as_bytes(),
            name,
            candidates: Vec::new(),
            is_whole: false,
            garbled: None,
            doubt: None,
            notes: Notes::default(),
            skipper: Skipper::new(text),
            fences: Fences::new(text),
            closing: Ahead::new(&format!("</{}", name.as_str())),
            opening: Ahead::new(&format!("<{}", name.as_str())),
            mention: Ahead::new(BASE),
            answers,
            stopped: false,
            steps: 0,
        };
        scan.is_whole = scan.whole();
        if !scan.is_whole {
            scan.stretch(0, text.len(), false);
            scan.garbled = scan.garbled_whole();
        }
        scan
    }

    /// Bytes looked at, each as often as it was.
    #[cfg(test)]
    pub(super) fn steps(&self) -> usize {
        let aheads = [&self.closing, &self.opening, &self.mention].into_iter().map(Ahead::steps).sum::<usize>();
        self.steps + self.skipper.steps() + self.fences.steps() + aheads
    }

    /// Scans the bytes from `from` to `to`; in a fenced block no fence starts.
    pub(super) fn stretch(&mut self, from: usize, to: usize, fenced: bool) {
        let mut stretch = Stretch::default();
        let (mut at, mut thinks) = (from, true);
        while at < to && !self.stopped {
            let fence = if fenced { None } else { self.fences.next(at, to) };
            let limit = fence.as_ref().map_or(to, |fence| fence.start);
            let rest = self.bytes.get(at..limit).unwrap_or_default();
            let special = memchr3(b'<', b'{', b'[', rest).map(|next| at + next);
            let until = special.unwrap_or(limit);
            self.steps += until - at + 1;
            self.prose(at, until, &mut stretch);
            at = match (special, fence) {
                (None, None) => to,
                (None, Some(fence)) => self.fence(&fence, to),
                (Some(special), _) if self.bytes.get(special) == Some(&b'<') => {
                    self.angle(special, to, fenced, &mut thinks)
                }
                (Some(special), _) => self.value(special, to, &mut stretch),
            };
        }
        if let Some(broken) = stretch.around_mark(self.bytes, to, &mut self.steps) {
            self.doubt.get_or_insert(Doubt::Inside(broken.start, broken.at));
        }
    }

    /// Looks for the member's name outside all objects.
    fn prose(&mut self, from: usize, to: usize, stretch: &mut Stretch) {
        let mut at = from;
        while let Some(found) = self.mention.next_before(self.bytes, at, to) {
            at = found + BASE.len();
            let rest = self.bytes.get(found..).unwrap_or_default();
            let Some(after) = rest.strip_prefix(self.name.as_str().as_bytes()) else {
                self.notes.other_nonce.get_or_insert(found);
                continue;
            };
            let quote = usize::from(matches!(after.first(), Some(b'"' | b'\'')));
            if after.get(quote + white(after, quote)) == Some(&b':') && quote == 1 {
                stretch.marks.push(Mark::Key(found));
                self.notes.key.get_or_insert(found);
            }
        }
    }

    /// What stands at a `<`.
    fn angle(&mut self, at: usize, to: usize, fenced: bool, thinks: &mut bool) -> usize {
        if let Some((name, content)) = think::opening(self.bytes, at).filter(|_| *thinks) {
            let (end, after) = match think::end(&mut self.skipper, self.name, name, content, to) {
                Thought::Closed(after) => (after, after),
                _ if !fenced => {
                    self.notes.open_think.get_or_insert(at);
                    (to, to)
                }
                Thought::InnerClosed(after) => (after, after),
                Thought::Open => {
                    *thinks = false;
                    (to, content)
                }
            };
            self.steps += end - at;
            if self.mention.next_before(self.bytes, content, after).is_some() {
                self.notes.think.get_or_insert(at);
            }
            self.fences.start_line(after);
            return after;
        }
        if self.bytes.get(at..).is_some_and(|rest| rest.starts_with(CDATA)) {
            return at + CDATA.len();
        }
        match self.name.of_tag(self.bytes, at) {
            (Match::Name, Some(tag)) if !tag.empty && tag.content <= to => self.tag(at, tag.content, to),
            (Match::OtherNonce, _) => {
                self.notes.other_nonce.get_or_insert(at);
                at + 1
            }
            _ => at + 1,
        }
    }

    /// What stands at a `{` or `[`.
    fn value(&mut self, at: usize, to: usize, stretch: &mut Stretch) -> usize {
        let object = self.bytes.get(at) == Some(&b'{');
        if let Some(key) = self.name.loose_key(self.bytes, at + 1).filter(|key| object && *key < to) {
            return self.broken_off(at, key, End::Broken);
        }
        let skipped = self.skipper.skip(at, to, self.name);
        self.answer(at, &skipped, stretch);
        match skipped.end {
            End::Whole if object && skipped.has_member => {
                stretch.marks.push(Mark::Object(at..skipped.at));
                self.candidates.push(Candidate { text: at..skipped.at, member: skipped.member, broken: None });
                skipped.at
            }
            End::Whole => self.plain(at, object, &skipped),
            end if object && skipped.has_member => self.broken_off(at, skipped.at, end),
            end => self.prose_bracket(at, object, end, &skipped, stretch),
        }
    }

    /// A value without the member.
    fn plain(&mut self, at: usize, object: bool, skipped: &Skipped) -> usize {
        if let Some(member) = skipped.other_nonce {
            self.notes.other_nonce.get_or_insert(member);
        } else if self.mention.next_before(self.bytes, at, skipped.at).is_some() {
            self.notes.nested.get_or_insert(at);
        }
        if object {
            self.notes.bare.get_or_insert(at);
        } else if self.bytes.get(at + 1 + white(self.bytes, at + 1)) == Some(&b'{') {
            self.notes.array.get_or_insert(at);
        }
        skipped.at
    }

    /// A candidate that breaks off at `broken`.
    fn broken_off(&mut self, at: usize, broken: usize, end: End) -> usize {
        self.candidates.push(Candidate { text: at..broken, member: None, broken: Some((broken, end)) });
        self.stopped = true;
        broken
    }

    /// A bracket that starts no JSON value.
    fn prose_bracket(&mut self, at: usize, object: bool, end: End, skipped: &Skipped, stretch: &mut Stretch) -> usize {
        if object {
            self.notes.brace.get_or_insert(at);
        }
        if object && !skipped.keyed && !skipped.commented {
            return at + 1;
        }
        let passed = self.bytes.get(at..skipped.at).unwrap_or_default();
        self.steps += passed.len();
        if memmem::find(passed, self.name.as_str().as_bytes()).is_some() || think::is_opened_in(passed) {
            self.doubt.get_or_insert(Doubt::Inside(at, skipped.at));
            self.stopped = true;
        } else if object {
            let Skipped { at: broken, depth, in_string, .. } = *skipped;
            stretch.broken.push(Broken { start: at, at: broken, depth, in_string });
            if end == End::Cut {
                self.notes.cut.get_or_insert(at);
            }
        }
        skipped.at.max(at + 1)
    }

    /// A fenced block.
    fn fence(&mut self, fence: &Fence, to: usize) -> usize {
        let label = self.text.get(fence.info.clone()).map_or(Match::None, |info| self.name.of_info(info));
        let (text, name) = (self.text, self.name);
        let mut inner: Option<(usize, usize)> = None;
        let closing = self.fences.close(fence, to, |one| {
            if inner.is_none() && text.get(one.info.clone()).is_some_and(|info| name.of_info(info) == Match::Name) {
                inner = Some((one.start, one.length));
            }
        });
        self.steps += closing.content_end - fence.content.min(closing.content_end);
        match (label, closing.after) {
            (Match::Name, Some(_)) => self.content(fence.content..closing.content_end),
            (Match::Name, None) => self.open_content(fence.content..closing.content_end, Doubt::OpenFence(fence.start)),
            _ => {
                if label == Match::OtherNonce {
                    self.notes.other_nonce.get_or_insert(fence.start);
                }
                if let Some((start, length)) = inner {
                    self.notes.fence_inside.get_or_insert((start, fence.start));
                    if length >= fence.length {
                        self.doubt.get_or_insert(Doubt::FenceInside(start, fence.start));
                    }
                }
                self.stretch(fence.content, closing.content_end, true);
            }
        }
        closing.after.unwrap_or(to)
    }

    /// Whether the text as a whole is one JSON value, whole or broken: then nothing else is looked for. Comments may stand
    /// around a bare patch: the reader refuses them, or they are repaired.
    fn whole(&mut self) -> bool {
        let (speech, end) = (self.start_of_speech(), self.text.trim_end().len());
        let start =
            if self.bytes.get(speech) == Some(&b'/') { self.skipper.past_comments(speech, end) } else { speech };
        let skipped = match self.bytes.get(start..end).and_then(<[u8]>::first) {
            Some(b'{') => self.skipper.skip(start, end, self.name),
            Some(b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') if start == speech => {
                self.skipper.skip(start, end, self.name)
            }
            _ => return false,
        };
        let bare = !skipped.has_member && self.bytes.get(start) == Some(&b'{');
        let Skipped { at, depth, in_string, .. } = skipped;
        let broken = match skipped.end {
            End::Whole if at == end || (bare && self.skipper.past_comments(at, end) == end) => None,
            End::Cut if bare && self.bytes.get(start + 1 + white(self.bytes, start + 1)) == Some(&b'"') => {
                Some((at, End::Cut))
            }
            End::Broken
                if bare && skipped.keyed && closes_at(self.bytes, Broken { start, at, depth, in_string }, end) =>
            {
                Some((at, End::Broken))
            }
            _ => return false,
        };
        if bare && (self.name.has_nonce() || skipped.other_nonce.is_some()) {
            return false;
        }
        let after = if broken.is_none() { at..end } else { end..end };
        if start > speech && !bare || self.is_named_in(speech..start) || self.is_named_in(after) {
            return false;
        }
        // The strict reader has to see a byte-order mark that the patch starts with.
        let mark = bare && self.text.get(..start).is_some_and(|before| before == "\u{feff}");
        let start = if mark { 0 } else { speech };
        self.candidates.push(Candidate { text: start..end, member: skipped.member, broken });
        true
    }

    /// Whether a comment speaks of a patch: then it is not passed over lightly.
    fn is_named_in(&mut self, comment: Range<usize>) -> bool {
        self.mention.next_before(self.bytes, comment.start, comment.end).is_some()
    }

    /// Where what the agent says starts: after white space and thoughts.
    pub(super) fn start_of_speech(&mut self) -> usize {
        let blank = |one: char| one.is_whitespace() || one == '\u{feff}';
        let text = self.text;
        let past_white = |at: usize| {
            let rest = text.get(at..).unwrap_or_default();
            at + (rest.len() - rest.trim_start_matches(blank).len())
        };
        let mut at = past_white(0);
        while let Some((name, content)) = think::opening(self.bytes, at) {
            let Thought::Closed(after) = think::end(&mut self.skipper, self.name, name, content, self.bytes.len())
            else {
                break;
            };
            at = past_white(after);
        }
        at
    }
}
