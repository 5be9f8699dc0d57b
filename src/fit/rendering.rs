//! A rendering that was fitted, with its counts.

use crate::count::TokenCounter;
use crate::outline::{Section, Shed, Shedding};
use crate::render::{Piece, Role};

/// A rendering of a baton, and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendering {
    pub(super) text: String,
    pub(super) tokens: Option<usize>,
    pub(super) shed: Vec<Shed>,
    pub(super) parts: Vec<Part>,
    /// The encoding in which `parts` are counted; empty where none is.
    pub(super) encoding: String,
    pub(super) made_of_lines: bool,
}

/// A piece of a rendering with its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) section: Option<Section>,
    pub(super) end: usize,
    pub(super) tokens: Option<usize>,
}

impl Rendering {
    /// The rendering of a layout with these pieces, not counted yet.
    pub(super) fn new(text: String, pieces: &[Piece], shedding: &Shedding, made_of_lines: bool) -> Self {
        let part = |piece: &Piece| Part { section: piece.section, end: piece.end, tokens: None };
        let (parts, shed) = (pieces.iter().map(part).collect(), shedding.sheds().collect());
        Self { text, tokens: None, shed, parts, encoding: String::new(), made_of_lines }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Its exact count of tokens. `None` where nobody had to count, because even its bytes are within the budget:
    /// [`Rendering::count`] counts.
    #[must_use]
    pub fn tokens(&self) -> Option<usize> {
        self.tokens
    }

    /// What was left out to make it fit, in the order in which it went.
    #[must_use]
    pub fn shed(&self) -> &[Shed] {
        &self.shed
    }

    /// Its exact count of tokens by `counter`.
    pub fn count(&mut self, counter: &dyn TokenCounter) -> usize {
        self.count_after(counter, None)
    }

    /// As [`Rendering::count`]; what stood in `previous` in the same place is not counted again.
    pub fn count_after(&mut self, counter: &dyn TokenCounter, previous: Option<&Self>) -> usize {
        if let Some(tokens) = self.tokens.filter(|_| self.encoding == counter.encoding()) {
            return tokens;
        }
        let tokens = if self.made_of_lines && counter.adds_up_by_line() {
            self.count_parts(counter, previous)
        } else {
            self.parts.iter_mut().for_each(|part| part.tokens = None);
            counter.count(&self.text)
        };
        self.tokens = Some(tokens);
        self.encoding.clear();
        self.encoding.push_str(counter.encoding());
        tokens
    }

    fn count_parts(&mut self, counter: &dyn TokenCounter, previous: Option<&Self>) -> usize {
        let previous = previous.filter(|previous| previous.encoding == counter.encoding());
        let mut recall = previous.map(Recall::of);
        let (mut start, mut sum) = (0, 0);
        for part in &mut self.parts {
            let text = self.text.get(start..part.end).unwrap_or_default();
            let known = recall.as_mut().and_then(|recall| recall.find(part.section, text));
            let tokens = known.unwrap_or_else(|| counter.count(text));
            part.tokens = Some(tokens);
            start = part.end;
            sum += tokens;
        }
        sum
    }

    /// The tokens of each part that has the section, summed; counted one by one where counts do not add up.
    pub(super) fn section_tokens(&self, section: Option<Section>, counter: &dyn TokenCounter) -> usize {
        let parts = self.parts().filter(|(part, _)| part.section == section);
        if parts.clone().all(|(part, _)| part.tokens.is_some()) {
            return parts.filter_map(|(part, _)| part.tokens).sum();
        }
        let text: String = parts.map(|(_, text)| text).collect();
        counter.count(&text)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = (Part, &str)> + Clone {
        let starts = std::iter::once(0).chain(self.parts.iter().map(|part| part.end));
        self.parts.iter().zip(starts).map(|(part, start)| (*part, self.text.get(start..part.end).unwrap_or_default()))
    }
}

/// How many parts of the previous rendering are looked at for one of the new: what a small patch removes in one place.
const LOOK_AHEAD: usize = 4;

/// The parts of a previous rendering, walked along with those of the new one.
struct Recall<'r> {
    previous: &'r Rendering,
    /// The next part and where it starts.
    at: usize,
    start: usize,
}

impl<'r> Recall<'r> {
    fn of(previous: &'r Rendering) -> Self {
        Self { previous, at: 0, start: 0 }
    }

    /// The count of the part that has this text, if it stands near.
    fn find(&mut self, section: Option<Section>, text: &str) -> Option<usize> {
        // The title and the last line belong to no section: between them the sections are in order.
        if section.is_none() && self.at > 0 {
            self.skip_while(|part| part.section.is_some());
        } else {
            self.skip_while(|part| part.section.is_some_and(|passed| Some(passed) < section));
        }
        let (mut at, mut start) = (self.at, self.start);
        for _ in 0..LOOK_AHEAD {
            let part = self.previous.parts.get(at).filter(|part| part.section == section)?;
            let same = self.previous.text.get(start..part.end) == Some(text);
            (at, start) = (at + 1, part.end);
            if same {
                (self.at, self.start) = (at, start);
                return part.tokens;
            }
        }
        None
    }

    fn skip_while(&mut self, passed: impl Fn(&Part) -> bool) {
        while let Some(part) = self.previous.parts.get(self.at).filter(|part| passed(part)) {
            (self.at, self.start) = (self.at + 1, part.end);
        }
    }
}

/// The index of the entry that a piece is.
pub(super) fn entry_of(role: Role) -> Option<usize> {
    if let Role::Entry(index) = role { Some(index) } else { None }
}
