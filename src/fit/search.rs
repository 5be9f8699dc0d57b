//! The search for the fewest units that have to go.

use std::ops::Range;

use crate::count::TokenCounter;
use crate::fit::rendering::{Rendering, entry_of};
use crate::outline::{Outline, Shedding, Unit, shedding_order};
use crate::render::{Format, Layout, Piece, Role};

/// One baton to be fitted into one budget.
pub(super) struct Search<'s> {
    pub(super) outline: &'s Outline<'s>,
    pub(super) format: Format,
    pub(super) counter: &'s dyn TokenCounter,
    /// The whole rendering.
    pub(super) whole: &'s Rendering,
    /// Tokens.
    pub(super) budget: usize,
}

/// The entries of the whole rendering: where they stand, and their counts where they are known.
struct Entries<'s> {
    search: &'s Search<'s>,
    ranges: Vec<Range<usize>>,
    tokens: Vec<Option<usize>>,
}

/// How many shed states beyond the last are tried where the counts do not add up and shedding everything is too much:
/// the lines that announce it can be longer than what they announce.
const LAST_TRIES: usize = 64;

impl<'s> Search<'s> {
    /// The rendering that keeps the most: with its exact count where it is within the budget, and otherwise, as the
    /// error, the shortest that was tried.
    pub(super) fn run(&'s self, pieces: &[Piece]) -> Result<Rendering, Rendering> {
        let sizes = sizes(pieces, self.outline.entries.len());
        let units = shedding_order(self.outline, |index| sizes.get(index).map_or(0, Range::len));
        if self.format.is_made_of_lines() && self.counter.adds_up_by_line() {
            let tokens = self.known(pieces, sizes.len());
            Entries { search: self, ranges: sizes, tokens }.run(&units)
        } else {
            self.by_full_counts(&units)
        }
    }

    /// The counts of the entries, as far as the whole rendering has been counted.
    fn known(&self, pieces: &[Piece], entries: usize) -> Vec<Option<usize>> {
        let mut tokens = vec![None; entries];
        for (piece, part) in pieces.iter().zip(&self.whole.parts) {
            if let Some(known) = entry_of(piece.role).and_then(|index| tokens.get_mut(index)) {
                *known = part.tokens;
            }
        }
        tokens
    }

    fn shed(&self, units: &[Unit], count: usize) -> (Layout, Shedding) {
        let shedding = Shedding::of(self.outline, units.get(..count).unwrap_or(units));
        (Layout::of(self.outline, self.format, &shedding), shedding)
    }

    fn rendering(&self, layout: Layout, shedding: &Shedding) -> Rendering {
        Rendering::new(layout.text, &layout.pieces, shedding, self.format.is_made_of_lines())
    }

    /// For counters whose counts do not add up: whole texts are counted, from the shortest on, in steps that double.
    fn by_full_counts(&self, units: &[Unit]) -> Result<Rendering, Rendering> {
        let try_count = |count: usize| {
            let (layout, shedding) = self.shed(units, count);
            let mut rendering = self.rendering(layout, &shedding);
            if rendering.count(self.counter) <= self.budget { Ok(rendering) } else { Err(rendering) }
        };
        let mut best = match try_count(units.len()) {
            Ok(rendering) => rendering,
            Err(rendering) => {
                let last = units.len().saturating_sub(LAST_TRIES)..units.len();
                return last.rev().map(try_count).try_fold(rendering, shorter).map_or_else(Ok, Err);
            }
        };
        let (mut over, mut within, mut step) = (None, units.len(), 1);
        while within > over.map_or(0, |over: usize| over + 1) {
            let middle = over.map_or(within.saturating_sub(step), |over| over.midpoint(within));
            match try_count(middle) {
                Ok(rendering) => (best, within, step) = (rendering, middle, step * 2),
                Err(_) => over = Some(middle),
            }
        }
        Ok(best)
    }
}

/// The shorter of two renderings that are over the budget; or, to stop there, the one that is within it.
fn shorter(shortest: Rendering, tried: Result<Rendering, Rendering>) -> Result<Rendering, Rendering> {
    match tried {
        Ok(within) => Err(within),
        Err(over) => Ok(if over.tokens < shortest.tokens { over } else { shortest }),
    }
}

/// Where each entry stands in a layout that has them all.
fn sizes(pieces: &[Piece], entries: usize) -> Vec<Range<usize>> {
    let mut ranges = vec![0..0; entries];
    let mut start = 0;
    for piece in pieces {
        if let Some(range) = entry_of(piece.role).and_then(|index| ranges.get_mut(index)) {
            *range = start..piece.end;
        }
        start = piece.end;
    }
    ranges
}

impl Entries<'_> {
    /// Walks back from the shortest rendering, adding what was shed last, as long as the text is within the budget without
    /// the lines that announce; then forward again until it is within the budget with them. So no more text is
    /// counted than the budget holds, whatever the size of the baton, and the least that fits is found exactly.
    fn run(mut self, units: &[Unit]) -> Result<Rendering, Rendering> {
        let budget = self.search.budget;
        let (layout, shedding) = self.search.shed(units, units.len());
        let (shortest, announced) = self.count(&layout);
        let mut sum = shortest - announced;
        let mut least = units.len();
        while let Some(unit) = least.checked_sub(1).and_then(|index| units.get(index)).filter(|_| sum <= budget) {
            sum += unit.entries(self.search.outline).map(|index| self.tokens_of(index)).sum::<usize>();
            least -= usize::from(sum <= budget);
        }
        for count in least..units.len() {
            let (layout, shedding) = self.search.shed(units, count);
            let (tokens, _) = self.count(&layout);
            if tokens <= budget {
                return Ok(self.counted(layout, &shedding, tokens));
            }
        }
        if shortest <= budget {
            return Ok(self.counted(layout, &shedding, shortest));
        }
        let count = self.shortest(units, shortest, announced);
        let (layout, shedding) = self.search.shed(units, count);
        let (tokens, _) = self.count(&layout);
        Err(self.counted(layout, &shedding, tokens))
    }

    /// How many units have to go for the fewest tokens, where it takes `tokens` with all of them gone, `announced` of
    /// these for the lines that announce: such a line can be longer than what it stands for.
    fn shortest(&mut self, units: &[Unit], mut tokens: usize, announced: usize) -> usize {
        let mut sum = tokens - announced;
        let mut shortest = units.len();
        for (count, unit) in units.iter().enumerate().rev() {
            sum += unit.entries(self.search.outline).map(|index| self.tokens_of(index)).sum::<usize>();
            if sum >= tokens {
                break;
            }
            let (layout, _) = self.search.shed(units, count);
            let (found, _) = self.count(&layout);
            if found < tokens {
                (tokens, shortest) = (found, count);
            }
        }
        shortest
    }

    /// The tokens of a layout, and of its lines that announce what was shed.
    fn count(&mut self, layout: &Layout) -> (usize, usize) {
        let (mut sum, mut announced) = (0, 0);
        for (piece, text) in layout.texts() {
            let tokens = match piece.role {
                Role::Entry(index) => self.tokens_of(index),
                Role::Frame | Role::Shed => self.search.counter.count(text),
            };
            sum += tokens;
            announced += if piece.role == Role::Shed { tokens } else { 0 };
        }
        (sum, announced)
    }

    fn tokens_of(&mut self, index: usize) -> usize {
        let search = self.search;
        let Some(known) = self.tokens.get_mut(index) else { return 0 };
        let text = self.ranges.get(index).and_then(|range| search.whole.text.get(range.clone()));
        *known.get_or_insert_with(|| search.counter.count(text.unwrap_or_default()))
    }

    fn counted(&mut self, layout: Layout, shedding: &Shedding, tokens: usize) -> Rendering {
        let counts: Vec<usize> = layout
            .texts()
            .map(|(piece, text)| match entry_of(piece.role) {
                Some(index) => self.tokens_of(index),
                None => self.search.counter.count(text),
            })
            .collect();
        let mut rendering = self.search.rendering(layout, shedding);
        rendering.parts.iter_mut().zip(counts).for_each(|(part, tokens)| part.tokens = Some(tokens));
        rendering.tokens = Some(tokens);
        rendering.encoding = self.search.counter.encoding().to_owned();
        rendering
    }
}
