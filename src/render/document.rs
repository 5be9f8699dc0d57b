//! The JSON format: one compact object with the fields that stand, what was left out, and the stamp.

use crate::outline::{Entry, Outline, Part, Section, Shedding};
use crate::render::line::Markup;
use crate::render::{Layout, Role, json, push_sheds};

const PLAIN: Markup = Markup::Fence;

pub(super) fn lay_out(outline: &Outline<'_>, shedding: &Shedding) -> Layout {
    let mut layout = Layout::new(outline);
    layout.text.push_str("{\"baton\":{");
    layout.cut(Role::Frame, None);
    let mut first = 0;
    for entries in outline.entries.chunk_by(|one, next| one.section == next.section) {
        let Some(section) = entries.first().map(|entry| entry.section) else { continue };
        let standing = (first..).zip(entries).filter(|(index, _)| !shedding.has(*index)).map(|(_, entry)| entry);
        first += entries.len();
        let mut standing = standing.peekable();
        if standing.peek().is_some() {
            field(&mut layout.text, section, standing);
            layout.cut(Role::Frame, Some(section));
        }
    }
    layout.text.push('}');
    sheds(&mut layout, shedding);
    stamp(&mut layout, outline);
    layout
}

/// A comma, unless the bracket that was opened is empty yet.
fn separate(out: &mut String, bracket: char) {
    if !out.ends_with(bracket) {
        out.push(',');
    }
}

/// The member of one section; for other keys, several.
fn field<'e>(out: &mut String, section: Section, standing: impl Iterator<Item = &'e Entry<'e>>) {
    let Some(field) = section.field() else { return others(out, standing) };
    separate(out, '{');
    json::string(out, PLAIN, field.name());
    out.push(':');
    let lone = section == Section::Goal;
    let mut object_is_open = false;
    for (number, entry) in standing.enumerate() {
        if entry.part.is_head() {
            out.push_str(if object_is_open { "}" } else { "" });
            out.push_str(if lone {
                ""
            } else if number == 0 {
                "["
            } else {
                ","
            });
        }
        object_is_open = part(out, section, &entry.part);
    }
    out.push_str(if object_is_open { "}" } else { "" });
    out.push_str(if lone { "" } else { "]" });
}

fn others<'e>(out: &mut String, standing: impl Iterator<Item = &'e Entry<'e>>) {
    for entry in standing {
        if let Part::Other(name, value) = entry.part {
            separate(out, '{');
            json::string(out, PLAIN, name);
            out.push(':');
            json::value(out, PLAIN, value);
        }
    }
}

/// Writes a head or a member; says whether it left an object open.
fn part(out: &mut String, section: Section, part: &Part<'_>) -> bool {
    match *part {
        Part::Text(name) if section == Section::Artifacts => text_member(out, "{", "name", name),
        Part::Text(text) => {
            json::string(out, PLAIN, text);
            return false;
        }
        Part::Decision { id, step, supersedes, text, .. } => {
            text_member(out, "{", "id", id);
            step.into_iter().for_each(|step| text_member(out, ",", "step", step));
            text_member(out, ",", "decision", text);
            if !supersedes.is_empty() {
                out.push_str(",\"supersedes\":");
                list(out, supersedes);
            }
        }
        Part::Check(status, text) => {
            text_member(out, "{", "check", text);
            text_member(out, ",", "status", status.name());
        }
        Part::Member(name, text) => text_member(out, ",", name, text),
        Part::Other(name, value) | Part::Unknown(name, value) => {
            out.push(',');
            json::string(out, PLAIN, name);
            out.push(':');
            json::value(out, PLAIN, value);
        }
    }
    true
}

fn text_member(out: &mut String, before: &str, name: &str, text: &str) {
    out.push_str(before);
    json::string(out, PLAIN, name);
    out.push(':');
    json::string(out, PLAIN, text);
}

fn list(out: &mut String, items: &[crate::json::Value<'_>]) {
    for (number, item) in items.iter().enumerate() {
        out.push(if number == 0 { '[' } else { ',' });
        json::value(out, PLAIN, item);
    }
    out.push(']');
}

fn sheds(layout: &mut Layout, shedding: &Shedding) {
    let shed = |section: &Section| shedding.sheds_of(*section).next().is_some();
    for (number, section) in Section::ALL.into_iter().filter(shed).enumerate() {
        layout.text.push_str(if number == 0 { ",\"shed\":[\"" } else { ",\"" });
        push_sheds(&mut layout.text, shedding.sheds_of(section), section);
        layout.text.push('"');
    }
    if shedding.sheds().next().is_some() {
        layout.text.push(']');
    }
    layout.cut(Role::Shed, None);
}

fn stamp(layout: &mut Layout, outline: &Outline<'_>) {
    let (stamp, budget) = (&outline.stamp, &outline.budget);
    let out = &mut layout.text;
    out.extend([",\"revision\":", &stamp.revision.to_string()]);
    for (name, id) in [("step", stamp.step), ("by", stamp.by)] {
        id.into_iter().for_each(|id| text_member(out, ",", name, id));
    }
    out.extend([",\"budget\":{\"tokens\":", &budget.tokens.to_string()]);
    text_member(out, ",", "encoding", budget.encoding);
    out.push_str("}}\n");
    layout.cut(Role::Frame, None);
}
