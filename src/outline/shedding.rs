//! What is left out first: the units of shedding in order, and the state after some of them.

use std::ops::Range;

use crate::outline::{Outline, Section, Shed, Stage};

/// What is left out in one step: the entries of one item that are at one stage.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) stage: Stage,
    /// The entries of its item, of which it takes those at its stage.
    pub(crate) item: Range<usize>,
}

impl Unit {
    /// The indexes of the entries that it takes.
    pub(crate) fn entries(&self, outline: &Outline<'_>) -> impl Iterator<Item = usize> {
        let stage = Some(self.stage);
        let entries = outline.entries.get(self.item.clone()).unwrap_or_default().iter();
        self.item.clone().zip(entries).filter(move |(_, entry)| entry.stage == stage).map(|(index, _)| index)
    }
}

/// Every unit, in the order in which they go. `size` tells how large an entry is.
pub(crate) fn shedding_order(outline: &Outline<'_>, size: impl Fn(usize) -> usize) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut start = 0;
    for item in outline.entries.chunk_by(|_, next| !next.part.is_head()) {
        let range = start..start + item.len();
        start = range.end;
        // An item's entries are at two stages at the most: its own, and that of the one member that goes before.
        let first = item.first().and_then(|entry| entry.stage);
        let second = item.iter().map(|entry| entry.stage).find(|stage| *stage != first).flatten();
        units.extend([first, second].into_iter().flatten().map(|stage| Unit { stage, item: range.clone() }));
    }
    let largest_first = |unit: &Unit| match unit.stage {
        Stage::Others => std::cmp::Reverse(size(unit.item.start)),
        _ => std::cmp::Reverse(0),
    };
    units.sort_by_cached_key(|unit| (unit.stage, largest_first(unit)));
    units
}

/// What is left out of a rendering.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shedding {
    /// By entry; an entry beyond the end stays.
    entries: Vec<bool>,
    counts: [usize; Stage::ALL.len()],
}

impl Shedding {
    /// The state after `units` have gone.
    pub(crate) fn of(outline: &Outline<'_>, units: &[Unit]) -> Self {
        let mut shedding = Self { entries: vec![false; outline.entries.len()], counts: Default::default() };
        for unit in units {
            shedding.take(outline, unit);
        }
        shedding
    }

    fn take(&mut self, outline: &Outline<'_>, unit: &Unit) {
        self.recount(unit.stage, |count| count + 1);
        let entries = outline.entries.get(unit.item.clone()).unwrap_or_default();
        let takes_head = entries.first().is_some_and(|head| head.stage == Some(unit.stage));
        for (index, entry) in unit.item.clone().zip(entries) {
            let Some(gone) = self.entries.get_mut(index) else { continue };
            match entry.stage {
                Some(stage) if stage == unit.stage => *gone = true,
                // A member that went before its item is not counted besides it.
                Some(stage) if takes_head && *gone => self.recount(stage, |count| count.saturating_sub(1)),
                _ => {}
            }
        }
    }

    fn recount(&mut self, stage: Stage, change: impl Fn(usize) -> usize) {
        self.counts.get_mut(stage as usize).into_iter().for_each(|count| *count = change(*count));
    }

    /// Whether the entry `index` is left out.
    pub(crate) fn has(&self, index: usize) -> bool {
        self.entries.get(index).copied().unwrap_or_default()
    }

    /// What is left out, in order of the stages.
    pub(crate) fn sheds(&self) -> impl Iterator<Item = Shed> {
        let counts = Stage::ALL.into_iter().zip(self.counts);
        counts.filter(|(_, count)| *count > 0).map(|(stage, count)| Shed { stage, count })
    }

    /// What is left out of one section.
    pub(crate) fn sheds_of(&self, section: Section) -> impl Iterator<Item = Shed> {
        self.sheds().filter(move |shed| shed.stage.section() == section)
    }
}
