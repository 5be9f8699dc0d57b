//! The Markdown format: a heading for each section, its data in a fenced block.

use crate::outline::{Outline, Section, Shedding};
use crate::render::line::{Lines, Markup};
use crate::render::{Layout, Role, push_sheds};

const FENCE: &str = "```\n";

pub(super) fn lay_out(outline: &Outline<'_>, shedding: &Shedding) -> Layout {
    let mut layout = Layout::new(outline);
    layout.text.push_str("# Baton\n");
    layout.cut(Role::Frame, None);
    let mut first = 0;
    for entries in outline.entries.chunk_by(|one, next| one.section == next.section) {
        let Some(section) = entries.first().map(|entry| entry.section) else { continue };
        let standing = (first..).zip(entries).filter(|(index, _)| !shedding.has(*index));
        first += entries.len();
        layout.text.extend(["## ", section.title(), "\n"]);
        fenced(&mut layout, section, standing);
        if shedding.sheds_of(section).next().is_some() {
            layout.text.push('(');
            push_sheds(&mut layout.text, shedding.sheds_of(section), section);
            layout.text.push_str(")\n");
            layout.cut(Role::Shed, Some(section));
        }
    }
    stamp(&mut layout, outline);
    layout
}

/// The entries that stand, in a fence; where there are none, no fence.
fn fenced<'e>(
    layout: &mut Layout,
    section: Section,
    standing: impl Iterator<Item = (usize, &'e crate::outline::Entry<'e>)>,
) {
    let mut standing = standing.peekable();
    let fence = if standing.peek().is_some() { FENCE } else { "" };
    layout.text.push_str(fence);
    layout.cut(Role::Frame, Some(section));
    for (index, entry) in standing {
        Lines::new(&mut layout.text, Markup::Fence).entry(entry);
        layout.cut(Role::Entry(index), Some(section));
    }
    if !fence.is_empty() {
        layout.text.push_str(fence);
        layout.cut(Role::Frame, Some(section));
    }
}

/// The last line. What it names stands in code spans, in which nothing but a backtick has a meaning.
fn stamp(layout: &mut Layout, outline: &Outline<'_>) {
    let (stamp, budget) = (&outline.stamp, &outline.budget);
    let encoding = if budget.encoding.is_empty() { "unnamed" } else { budget.encoding };
    layout.text.extend(["(revision ", &stamp.revision.to_string()]);
    let mut line = Lines::new(&mut layout.text, Markup::Fence);
    let named = [(" at step `", stamp.step), (" by `", stamp.by)];
    for (words, id) in named.into_iter().filter_map(|(words, id)| Some((words, id?))) {
        line.open(words).id(id).open("`");
    }
    line.open("; budget ").open(&budget.tokens.to_string()).open(" tokens of `").id(encoding).open("`)\n");
    layout.cut(Role::Frame, None);
}
