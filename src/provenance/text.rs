//! A graph as text: a tree, one line for each entry.
//!
//! Under an entry stands what it was made of. Of that the baton before, or else the newest, goes on in the same column, so
//! that a chain of any length stays where it is; the others branch off before it.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;

use crate::board::{BATON, PATCH};
use crate::provenance::{Graph, Node};

/// Columns of branches; what would branch off further is told after the tree.
const BRANCHES_MAX: usize = 12;

/// A line to write: of which entry, in which column, and whether it begins a branch there.
struct Line {
    seq: u64,
    column: usize,
    begins: bool,
}

impl Graph {
    /// A tree: `●` is an entry, under which stands what it was made of, and `○` one that was made of nothing; `↑` stands
    /// above already, `↓` stands below, `…` is beyond the walk.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let mut told = BTreeSet::new();
        let mut later: VecDeque<u64> = self.starts().iter().copied().collect();
        while let Some(start) = later.pop_front() {
            if !told.contains(&start) {
                self.tree(&mut out, start, &mut told, &mut later);
            }
        }
        if self.beyond() > 0 {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "… and {} more entries, and what they were made of", self.beyond());
        }
        out
    }

    fn tree(&self, out: &mut String, start: u64, told: &mut BTreeSet<u64>, later: &mut VecDeque<u64>) {
        let mut lines = vec![Line { seq: start, column: 0, begins: false }];
        while let Some(line) = lines.pop() {
            let begins = if line.begins { "├─" } else { "│ " };
            let bars = "│ ".repeat(line.column.saturating_sub(1));
            let indent = if line.column == 0 { String::new() } else { format!("{bars}{begins}") };
            let Some(node) = self.node(line.seq) else {
                let _ = writeln!(out, "{indent}… #{}", line.seq);
                continue;
            };
            if told.contains(&line.seq) {
                let _ = writeln!(out, "{indent}↑ {}", node.name());
                continue;
            }
            if line.column > BRANCHES_MAX {
                let _ = writeln!(out, "{indent}↓ {}", node.name());
                later.push_back(line.seq);
                continue;
            }
            told.insert(line.seq);
            let _ = writeln!(out, "{indent}{}", told_in_full(node));
            below(self, &mut lines, node, line.column);
        }
    }
}

fn told_in_full(node: &Node) -> String {
    let mark = if node.derived_from.is_empty() { '○' } else { '●' };
    format!("{mark} {} {}: {}", node.name(), node.origin(), node.says)
}

/// What comes under `node`, the last line first: the branches, the older ones first, and then what goes on in its column:
/// the baton before, or else the newest.
fn below(graph: &Graph, lines: &mut Vec<Line>, node: &Node, column: usize) {
    let carries_on =
        |seq: &&u64| graph.node(**seq).is_some_and(|source| [BATON, PATCH].contains(&source.kind.as_str()));
    let own = node.derived_from.iter().rev().find(carries_on).or(node.derived_from.last());
    let Some(own) = own else { return };
    lines.push(Line { seq: *own, column, begins: false });
    let others = node.derived_from.iter().rev().filter(|seq| *seq != own);
    lines.extend(others.map(|seq| Line { seq: *seq, column: column + 1, begins: true }));
}
