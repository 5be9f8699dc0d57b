//! The ledger: every item that stands with who brought it in, kept up to date patch by patch.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::baton::{Baton, Field, Shape};
use crate::blame::{Gone, Item, Lines, Origin};
use crate::json::{self, Object, Value};
use crate::lower::key_of;

/// Every member of the baton, by name.
#[derive(Default)]
pub(super) struct Ledger {
    fields: BTreeMap<String, Account>,
}

/// One member.
#[derive(Default)]
struct Account {
    items: Vec<Item>,
    gone: Vec<Gone>,
    /// Where decisions stand among the items, by id.
    places: BTreeMap<String, usize>,
}

impl Ledger {
    /// Takes in the baton that a board began with.
    pub(super) fn begin(&mut self, baton: Baton<'static>, origin: Arc<Origin>) {
        for (name, value) in baton.into_object().into_members() {
            let known = Field::named(&name);
            if known.is_none_or(|field| field.shape() == Shape::Text) {
                // No patch: a `null` that stands in a document stays.
                self.account(&name).put(value, &origin);
            } else {
                self.account(&name).take(known, value, &origin);
            }
        }
        self.fields.remove(Field::Stamp.name());
    }

    /// Takes in a plain patch, of whose decision log only what was added is there.
    pub(super) fn take(&mut self, lowered: Object<'static>, origin: &Arc<Origin>) {
        for (name, patch) in lowered.into_members() {
            let known = Field::named(&name);
            if known != Some(Field::Stamp) {
                self.account(&name).take(known, patch, origin);
            }
        }
    }

    fn account(&mut self, name: &str) -> &mut Account {
        self.fields.entry(name.to_owned()).or_default()
    }

    /// Known fields in their order, then the others by name.
    pub(super) fn into_fields(self) -> Vec<Lines> {
        let place = |name: &str| Field::named(name).map_or(Field::ALL.len(), |field| field as usize);
        let lines = |(field, account): (String, Account)| Lines { field, items: account.items, gone: account.gone };
        let mut fields: Vec<Lines> = self.fields.into_iter().map(lines).collect();
        fields.sort_by_key(|lines| place(&lines.field));
        fields
    }
}

impl Account {
    fn take(&mut self, field: Option<Field>, patch: Value<'static>, origin: &Arc<Origin>) {
        match field {
            Some(Field::DecisionLog) => self.decide(patch, origin),
            Some(field) if field.shape() != Shape::Text => self.list(field, patch, origin),
            _ => self.whole(patch, origin),
        }
    }

    /// Adds decisions to the log.
    fn decide(&mut self, added: Value<'static>, origin: &Arc<Origin>) {
        let Value::Array(added) = added else { return };
        for decision in added {
            let item = fresh(Field::DecisionLog, decision, origin);
            let superseded = item.value.as_object().and_then(|decision| decision.get("supersedes"));
            for id in superseded.and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str) {
                if let Some(earlier) = self.places.get(id).and_then(|place| self.items.get_mut(*place)) {
                    earlier.superseded_by.push(item.key.clone());
                }
            }
            self.places.insert(item.key.clone(), self.items.len());
            self.items.push(item);
        }
    }

    /// Replaces a list: whatever is in the old one by its key stays what it is.
    fn list(&mut self, field: Field, patch: Value<'static>, origin: &Arc<Origin>) {
        let mut standing: BTreeMap<String, (usize, Item)> = BTreeMap::new();
        for (place, item) in std::mem::take(&mut self.items).into_iter().enumerate() {
            standing.insert(item.key.clone(), (place, item));
        }
        let new = if let Value::Array(new) = patch { new } else { Vec::new() };
        let mut taken = std::collections::BTreeSet::new();
        for value in new {
            // A text that a list has twice is one item.
            if !taken.insert(key_of(field, &value).to_owned()) {
                continue;
            }
            match standing.remove(key_of(field, &value)) {
                Some((_, item)) => self.items.push(changed(item, value, origin)),
                None => self.items.push(fresh(field, value, origin)),
            }
        }
        let mut left: Vec<(usize, Item)> = standing.into_values().collect();
        left.sort_by_key(|(place, _)| *place);
        self.gone.extend(left.into_iter().map(|(_, item)| Gone { item, removed: Arc::clone(origin) }));
    }

    /// Merges into a value that is one item.
    fn whole(&mut self, patch: Value<'static>, origin: &Arc<Origin>) {
        match self.items.pop() {
            Some(item) if patch.is_null() => self.gone.push(Gone { item, removed: Arc::clone(origin) }),
            Some(item) => {
                let merged = json::merge(item.value.clone(), patch);
                self.items.push(changed(item, merged, origin));
            }
            None if patch.is_null() => {}
            None => self.put(json::merge(Value::Null, patch), origin),
        }
    }

    /// Brings in a value that is one item.
    fn put(&mut self, value: Value<'static>, origin: &Arc<Origin>) {
        self.items.push(Item { members: members(&value, origin), ..bare(value, origin) });
    }
}

fn fresh(field: Field, value: Value<'static>, origin: &Arc<Origin>) -> Item {
    let members = if field == Field::DecisionLog { Vec::new() } else { members(&value, origin) };
    let key = key_of(field, &value).to_owned();
    Item { key, members, ..bare(value, origin) }
}

fn bare(value: Value<'static>, origin: &Arc<Origin>) -> Item {
    let (brought, changed) = (Arc::clone(origin), Arc::clone(origin));
    Item { key: String::new(), value, brought, changed, members: Vec::new(), superseded_by: Vec::new() }
}

fn members(value: &Value<'_>, origin: &Arc<Origin>) -> Vec<(String, Arc<Origin>)> {
    let object = value.as_object().into_iter().flat_map(Object::iter);
    object.map(|(name, _)| (name.to_owned(), Arc::clone(origin))).collect()
}

/// The item with another value: what differs was changed by `origin`.
fn changed(mut item: Item, value: Value<'static>, origin: &Arc<Origin>) -> Item {
    if item.value == value {
        item.value = value;
        return item;
    }
    let old: BTreeMap<String, Arc<Origin>> = item.members.into_iter().collect();
    let before = item.value.as_object();
    let of_member = |(name, new): (&str, &Value<'_>)| {
        let same = before.and_then(|before| before.get(name)) == Some(new);
        let known = old.get(name).filter(|_| same).unwrap_or(origin);
        (name.to_owned(), Arc::clone(known))
    };
    item.members = value.as_object().into_iter().flat_map(Object::iter).map(of_member).collect();
    item.changed = Arc::clone(origin);
    item.value = value;
    item
}
