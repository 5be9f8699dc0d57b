//! `blame`: who brought in each item of the baton, and who removed it.

use relay_baton::blame::{Blame, Item, Origin, blame};
use relay_baton::json::{self, Object, Value};
use relay_baton::text::{clip, escape_hidden};

use crate::args::BlameArgs;
use crate::command::board;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::output::escape_json;
use crate::place::{Access, Target};

/// Characters of an item on its line.
const SHOWN_MAX: usize = 160;

/// An item to tell of: its field, itself, and who removed it.
type Told<'b> = (&'b str, &'b Item, Option<&'b Origin>);

/// Prints a line for each item.
pub(super) fn run(args: &BlameArgs) -> Result<Done, Failure> {
    let mut opened = board::open(&args.board, Access::Read)?;
    let told = blame(&mut opened.board, args.revision).map_err(|refused| opened.refuse(refused))?;
    let items = match &args.field {
        None => all(&told, args.removed, None),
        Some(written) => {
            let located = told.locate(written).map_err(|refusal| opened.refuse(refusal))?;
            let is_field = told.field(written).is_some();
            let one = || located.items.iter().map(|item| (located.field, *item, located.removed)).collect();
            if is_field { all(&told, args.removed, Some(written)) } else { one() }
        }
    };
    let document = if args.json { Document::json(lines(&items)) } else { Document::plain(table(&items)) };
    let mut done = Done::with(document, Target::Stdout);
    done.report.facts =
        vec![("revision", Value::integer(told.revision)), ("items", Value::integer(items.len() as u64))];
    Ok(done)
}

/// The items of the field `only`, or of all fields; those that are gone last.
fn all<'b>(told: &'b Blame, removed: bool, only: Option<&str>) -> Vec<Told<'b>> {
    let mut items: Vec<Told<'b>> = Vec::new();
    for lines in told.fields.iter().filter(|lines| only.is_none_or(|only| only == lines.field)) {
        items.extend(lines.items.iter().map(|item| (lines.field.as_str(), item, None)));
        if removed {
            let gone = lines.gone.iter().map(|gone| (lines.field.as_str(), &gone.item, Some(&*gone.removed)));
            items.extend(gone);
        }
    }
    items
}

/// One JSON object a line.
fn lines(items: &[Told<'_>]) -> String {
    let mut out = String::new();
    for (field, item, removed) in items {
        let mut object = Object::new();
        object.set("field", text(field));
        object.set("key", if item.key.is_empty() { Value::Null } else { text(&item.key) });
        object.set("value", item.value.clone());
        object.set("brought", origin(&item.brought));
        if item.changed != item.brought {
            object.set("changed", origin(&item.changed));
        }
        if !item.members.is_empty() {
            let mut members = Object::new();
            item.members.iter().for_each(|(name, by)| members.set(name.clone(), origin(by)));
            object.set("members", Value::Object(members));
        }
        if !item.superseded_by.is_empty() {
            object.set("superseded_by", Value::Array(item.superseded_by.iter().map(|id| text(id)).collect()));
        }
        if let Some(removed) = removed {
            object.set("removed", origin(removed));
        }
        json::compact_into(&mut out, &Value::Object(object));
        out.push('\n');
    }
    out
}

fn origin(origin: &Origin) -> Value<'static> {
    let mut object = Object::new();
    object.set("revision", Value::integer(origin.revision));
    object.set("seq", Value::integer(origin.seq));
    object.set("reference", text(origin.reference.as_str()));
    object.set("author", text(origin.author.as_str()));
    if let Some(step) = &origin.step {
        object.set("step", text(step.as_str()));
    }
    object.set("at", text(origin.at.as_str()));
    Value::Object(object)
}

/// Fields with their items, who brought them in first.
fn table(items: &[Told<'_>]) -> String {
    let width = items.iter().map(|(_, item, _)| words(&item.brought).chars().count()).max().unwrap_or_default();
    let (mut out, mut before) = (String::new(), None);
    for (field, item, removed) in items {
        if before != Some(field) {
            out.push_str(&format!("{}\n", escape_hidden(field)));
            before = Some(field);
        }
        let mark = if removed.is_some() { '-' } else { ' ' };
        out.push_str(&format!("{mark} {:<width$}  {}", words(&item.brought), says(item)));
        if !item.superseded_by.is_empty() {
            out.push_str(&format!("; superseded by {}", item.superseded_by.join(", ")));
        }
        out.push('\n');
        if item.changed != item.brought {
            out.push_str(&format!("    changed {}{}\n", words(&item.changed), changed_members(item)));
        }
        if let Some(removed) = removed {
            out.push_str(&format!("    removed {}\n", words(removed)));
        }
    }
    out
}

/// `r1  #2  builder at build  2026-01-02T03:04:05.000Z`
fn words(origin: &Origin) -> String {
    let step = origin.step.as_ref().map_or(String::new(), |step| format!(" at {step}"));
    format!("r{}  #{}  {}{step}  {}", origin.revision, origin.seq, origin.author, origin.at.as_str())
}

/// The members that the last change set, where the item has others.
fn changed_members(item: &Item) -> String {
    let by_last = item.members.iter().filter(|(_, by)| *by == item.changed);
    let names: Vec<&str> = by_last.map(|(name, _)| name.as_str()).collect();
    if names.is_empty() || names.len() == item.members.len() {
        return String::new();
    }
    format!("  {}", clip(&escape_hidden(&names.join(", ")), SHOWN_MAX))
}

/// What an item is, on one line.
fn says(item: &Item) -> String {
    let of = |name: &str| item.value.as_object().and_then(|object| object.get(name)).and_then(Value::as_str);
    let shown = match (of("decision"), of("status")) {
        (Some(decision), _) if !item.key.is_empty() => format!("{} {decision}", item.key),
        (None, Some(status)) if !item.key.is_empty() => format!("{} [{status}]", item.key),
        _ if !item.key.is_empty() => item.key.clone(),
        _ => match &item.value {
            Value::String(text) => text.clone().into_owned(),
            other => escape_json(&json::compact(other)).into_owned(),
        },
    };
    escape_hidden(&clip(&shown, SHOWN_MAX)).into_owned()
}

fn text(text: &str) -> Value<'static> {
    Value::string(text.to_owned())
}
