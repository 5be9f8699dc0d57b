//! The XML format: an element for each section, its data in lines inside.

use crate::outline::{Outline, Shedding};
use crate::render::line::{Lines, Markup};
use crate::render::{Layout, Role, push_sheds};

pub(super) fn lay_out(outline: &Outline<'_>, shedding: &Shedding) -> Layout {
    let mut layout = Layout::new(outline);
    layout.text.push_str("<baton>\n");
    layout.cut(Role::Frame, None);
    let mut first = 0;
    for entries in outline.entries.chunk_by(|one, next| one.section == next.section) {
        let Some(section) = entries.first().map(|entry| entry.section) else { continue };
        layout.text.extend(["<", section.name(), ">\n"]);
        layout.cut(Role::Frame, Some(section));
        for (index, entry) in (first..).zip(entries).filter(|(index, _)| !shedding.has(*index)) {
            Lines::new(&mut layout.text, Markup::Xml).entry(entry);
            layout.cut(Role::Entry(index), Some(section));
        }
        first += entries.len();
        if shedding.sheds_of(section).next().is_some() {
            layout.text.push_str("<shed>");
            push_sheds(&mut layout.text, shedding.sheds_of(section), section);
            layout.text.push_str("</shed>\n");
            layout.cut(Role::Shed, Some(section));
        }
        layout.text.extend(["</", section.name(), ">\n"]);
        layout.cut(Role::Frame, Some(section));
    }
    stamp(&mut layout, outline);
    layout
}

fn stamp(layout: &mut Layout, outline: &Outline<'_>) {
    let (stamp, budget) = (&outline.stamp, &outline.budget);
    let encoding = if budget.encoding.is_empty() { "unnamed" } else { budget.encoding };
    layout.text.extend(["<stamp>revision ", &stamp.revision.to_string()]);
    let mut line = Lines::new(&mut layout.text, Markup::Xml);
    let named = [(" at step ", stamp.step), (" by ", stamp.by)];
    for (words, id) in named.into_iter().filter_map(|(words, id)| Some((words, id?))) {
        line.open(words).id(id);
    }
    line.open("; budget ").open(&budget.tokens.to_string()).open(" tokens of ").id(encoding);
    line.open("</stamp>\n</baton>\n");
    layout.cut(Role::Frame, None);
}
