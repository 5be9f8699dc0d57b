//! From what somebody wrote, `FIELD` or `FIELD/ITEM`, to the items that are meant.

use crate::baton::{Field, Shape, distance};
use crate::blame::{Blame, Item, Lines, Origin};
use crate::json::Value;
use crate::refusal::{Code, Refusal};
use crate::text::quote;

/// Characters that are compared to find the nearest item.
const COMPARED_MAX: usize = 200;

/// Items that are compared to find the nearest one.
const CANDIDATES_MAX: usize = 2_000;

/// What was meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<'b> {
    /// The field.
    pub field: &'b str,
    /// The items: one, or all of the field.
    pub items: Vec<&'b Item>,
    /// Who removed it, where it is an item that is gone.
    pub removed: Option<&'b Origin>,
}

impl Located<'_> {
    /// The entries that answer why it is as it is, in increasing order: who brought the items in, who changed them last,
    /// and who removed what is gone.
    #[must_use]
    pub fn entries(&self) -> Vec<u64> {
        let seqs = self.items.iter().flat_map(|item| [item.brought.seq, item.changed.seq]);
        let mut seqs: Vec<u64> = seqs.chain(self.removed.map(|origin| origin.seq)).collect();
        seqs.sort_unstable();
        seqs.dedup();
        seqs
    }
}

impl Blame {
    /// What `written` means: a field by its name, or an item of it after a slash: a decision by its id, an artifact by its
    /// name, any item by its text, the beginning of its text where no other begins so, or its index from 0.
    ///
    /// Items that stand come before those that are gone.
    ///
    /// # Errors
    /// `board.unknown_entry` where nothing is called that, with what is nearest; or where it means several items.
    pub fn locate(&self, written: &str) -> Result<Located<'_>, Refusal> {
        if let Some(lines) = self.field(written) {
            return whole(lines);
        }
        let split = written.split_once('/').filter(|(field, _)| Field::named(field).is_some() || self.has(field));
        let Some((name, item)) = split else { return Err(self.no_field(written)) };
        let Some(lines) = self.field(name) else { return Err(empty(name)) };
        if Field::named(name).is_none_or(|field| field == Field::Goal) {
            let detail = format!("{0} is one item as a whole: ask for {0}", quote(name));
            return Err(refusal(detail));
        }
        one(lines, item)
    }

    fn has(&self, name: &str) -> bool {
        self.field(name).is_some()
    }

    fn no_field(&self, written: &str) -> Refusal {
        let name = written.split('/').next().unwrap_or_default();
        if Field::named(name).is_some_and(|field| field.shape() != Shape::Managed) {
            return empty(name);
        }
        if Field::named(name).is_some() {
            return refusal(format!("{} is written anew at every revision: name another field", quote(name)));
        }
        let known = self.fields.iter().map(|lines| lines.field.as_str());
        let near = Field::nearly_named(name).map(Field::name).or_else(|| nearest(name, known));
        let hint = near.map_or(String::new(), |near| format!("; the nearest is {}", quote(near)));
        refusal(format!("the baton has no field {}{hint}", quote(name)))
    }
}

fn whole(lines: &Lines) -> Result<Located<'_>, Refusal> {
    if !lines.items.is_empty() {
        return Ok(Located { field: &lines.field, items: lines.items.iter().collect(), removed: None });
    }
    let last = lines.gone.last().ok_or_else(|| empty(&lines.field))?;
    Ok(Located { field: &lines.field, items: vec![&last.item], removed: Some(&last.removed) })
}

/// The item that `written` means.
fn one<'b>(lines: &'b Lines, written: &str) -> Result<Located<'b>, Refusal> {
    let standing = |item: &'b Item| Located { field: &lines.field, items: vec![item], removed: None };
    let named = lines.items.iter().find(|item| item.key == written);
    let named = named.or_else(|| lines.items.iter().find(|item| text(item) == written));
    let named = named.or_else(|| written.parse().ok().and_then(|index: usize| lines.items.get(index)));
    if let Some(item) = named {
        return Ok(standing(item));
    }
    if let Some(gone) = lines.gone.iter().rev().find(|gone| gone.item.key == written) {
        return Ok(Located { field: &lines.field, items: vec![&gone.item], removed: Some(&gone.removed) });
    }
    let begun: Vec<&Item> = lines.items.iter().filter(|item| begins(item, written)).collect();
    match begun.as_slice() {
        [only] => Ok(standing(only)),
        [first, second, ..] => {
            let (count, first, second) = (begun.len(), quote(text(first)), quote(text(second)));
            let detail = format!("{count} items begin with {}, {first} and {second} among them", quote(written));
            Err(refusal(format!("{detail}: write more of it")))
        }
        [] => gone(lines, written),
    }
}

/// The item that is gone and begins so; or the refusal, where there is none.
fn gone<'b>(lines: &'b Lines, written: &str) -> Result<Located<'b>, Refusal> {
    if let Some(gone) = lines.gone.iter().rev().find(|gone| begins(&gone.item, written)) {
        return Ok(Located { field: &lines.field, items: vec![&gone.item], removed: Some(&gone.removed) });
    }
    if lines.items.is_empty() {
        return Err(empty(&lines.field));
    }
    let names = lines.items.iter().flat_map(|item| [item.key.as_str(), text(item)]);
    let near = nearest(written, names).map_or(String::new(), |near| format!("; the nearest item is {}", quote(near)));
    Err(refusal(format!("{} is no item of `{}`{near}", quote(written), lines.field)))
}

/// What an item says: the text of a decision, else its key.
fn text(item: &Item) -> &str {
    let decision = item.value.as_object().and_then(|object| object.get("decision")).and_then(Value::as_str);
    decision.unwrap_or(&item.key)
}

fn begins(item: &Item, written: &str) -> bool {
    !written.is_empty() && (item.key.starts_with(written) || text(item).starts_with(written))
}

fn nearest<'n>(written: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let part = |text: &str| text.chars().take(COMPARED_MAX).collect::<String>();
    let wanted = part(written);
    names.take(CANDIDATES_MAX).min_by_key(|name| distance(&part(name), &wanted))
}

fn empty(name: &str) -> Refusal {
    refusal(format!("the field {} holds nothing, and never did", quote(name)))
}

fn refusal(detail: String) -> Refusal {
    Refusal::new(Code::BoardUnknownEntry, "", detail)
}
