//! The words on a node.

use std::fmt::Write as _;

use crate::baton::Id;
use crate::entry::is_digest;
use crate::provenance::Node;

/// A key as people are shown it: of a digest the beginning.
#[must_use]
pub fn short_key(key: &Id) -> String {
    let text = key.as_str();
    match text.get(..14) {
        Some(short) if is_digest(text) => format!("{short}…"),
        _ => text.to_owned(),
    }
}

impl Node {
    /// What it is: `#9 patch baton/2`.
    pub(super) fn name(&self) -> String {
        format!("#{} {} {}", self.seq, self.kind, short_key(&self.key))
    }

    /// Where it comes from: `by builder at build, 2026-01-02T03:04:05.000Z`.
    pub(super) fn origin(&self) -> String {
        let mut origin = format!("by {}", self.author);
        if let Some(step) = &self.step {
            // Writing to a string cannot fail.
            let _ = write!(origin, " at {step}");
        }
        let _ = write!(origin, ", {}", self.at.as_str());
        origin
    }

    /// How many of the entries that it was made of are not in `graph`.
    pub(super) fn left_out(&self, graph: &super::Graph) -> usize {
        if graph.beyond() == 0 {
            return 0;
        }
        self.derived_from.len() - graph.sources(self).count()
    }
}
