//! Lowering of lists: arrays that keep what an item does not mention, and edits.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::baton::shape::{complete_check, without_nulls};
use crate::baton::{Field, Shape, distance};
use crate::json;
use crate::json::Value;
use crate::json::pointer;
use crate::lower::Lowering;
use crate::parse::Edit;
use crate::refusal::{Code, Notice};
use crate::text::quote;

/// What an item is known by: the key of a keyed list, the text of a string.
pub(crate) fn key_of<'v>(field: Field, item: &'v Value<'_>) -> &'v str {
    let text = match field.shape() {
        Shape::Keyed(key) => item.as_object().and_then(|object| object.get(key)).and_then(Value::as_str),
        Shape::Decisions => item.as_object().and_then(|object| object.get("id")).and_then(Value::as_str),
        _ => item.as_str(),
    };
    text.unwrap_or_default()
}

impl<'a> Lowering<'_, 'a> {
    /// The list that an array asks for: an item whose key stands keeps the members that it does not mention.
    pub(super) fn replace(&mut self, field: Field, items: Vec<Value<'a>>) -> Option<Vec<Value<'a>>> {
        if !matches!(field.shape(), Shape::Keyed(_)) {
            return Some(items);
        }
        let baton = self.baton;
        let standing: BTreeMap<&str, &Value<'a>> =
            baton.items(field).iter().map(|item| (key_of(field, item), item)).collect();
        self.refuse_misnamed_in(field, &items, &pointer::child("", field.name()), |item| {
            standing.get(key_of(field, item)).copied()
        });
        if self.named_twice(field, &items, "") {
            return None;
        }
        let merged = |item: Value<'a>| match standing.get(key_of(field, &item)) {
            Some(known) => merged(field, (*known).clone(), item),
            None => fresh(field, item),
        };
        Some(items.into_iter().map(merged).collect())
    }

    /// The list after an edit: removed first, then added.
    pub(super) fn edit(&mut self, field: Field, edit: Edit<'a>) -> Vec<Value<'a>> {
        let mut list = self.baton.items(field).to_vec();
        self.remove(field, &mut list, &edit.remove);
        let mut places = Places::of(field, &list, edit.add.len());
        let at = pointer::child(&pointer::child("", field.name()), "add");
        self.refuse_misnamed_in(field, &edit.add, &at, |item| {
            places.find(field, &list, item).and_then(|place| list.get(place))
        });
        if matches!(field.shape(), Shape::Keyed(_)) && self.named_twice(field, &edit.add, "/add") {
            return list;
        }
        for (index, item) in edit.add.into_iter().enumerate() {
            match places.find(field, &list, &item) {
                None => {
                    places.learn(field, &item, list.len());
                    list.push(fresh(field, item));
                }
                Some(place) if matches!(field.shape(), Shape::Keyed(_)) => {
                    if let Some(known) = list.get_mut(place) {
                        *known = merged(field, std::mem::replace(known, Value::Null), item);
                    }
                }
                Some(_) => {
                    let at = pointer::item(&format!("/{}/add", field.name()), index);
                    let detail = format!("{} is on the list already", quote(key_of(field, &item)));
                    self.notices.push(Notice::new("item.present", at, detail));
                }
            }
        }
        list
    }

    fn remove(&mut self, field: Field, list: &mut Vec<Value<'a>>, remove: &[Value<'a>]) {
        if remove.is_empty() {
            return;
        }
        let standing = Texts::of(list.iter().map(|item| key_of(field, item)));
        let unknown = remove.iter().enumerate().filter_map(|(index, text)| Some((index, text.as_str()?)));
        let unknown: Vec<(usize, &str)> = unknown.filter(|(_, text)| !standing.contains(text)).collect();
        self.refuse_unknown_items(field, list, &unknown);
        let wanted = Texts::of(remove.iter().filter_map(Value::as_str));
        list.retain(|item| !wanted.contains(key_of(field, item)));
    }

    fn refuse_unknown_items(&mut self, field: Field, list: &[Value<'a>], unknown: &[(usize, &str)]) {
        for (position, (index, text)) in unknown.iter().enumerate() {
            let at = pointer::item(&format!("/{}/remove", field.name()), *index);
            let more = unknown.len() - position;
            if position == REPORTED && more > 1 {
                let detail = format!("{more} more are not on the list: name items as they stand there");
                self.refuse(Code::PatchUnknownItem, at, detail);
                return;
            }
            let hint = match self.nearest.to(text, list.iter().map(|item| key_of(field, item))) {
                Some(known) => format!("the nearest item is {}", quote(known)),
                None if list.is_empty() => "the list is empty".to_owned(),
                None => "name an item as it stands there".to_owned(),
            };
            self.refuse(Code::PatchUnknownItem, at, format!("{} is not on the list; {hint}", quote(text)));
        }
    }

    fn named_twice(&mut self, field: Field, items: &[Value<'a>], part: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut found = false;
        for (index, item) in items.iter().enumerate() {
            if !seen.insert(key_of(field, item)) {
                found = true;
                let at = pointer::item(&format!("/{}{part}", field.name()), index);
                let detail = format!("the patch has {} twice: give each item once", quote(key_of(field, item)));
                self.refuse(Code::PatchType, at, detail);
            }
        }
        found
    }
}

/// Up to so many texts are searched one by one; an order of them would cost more than it saves.
const FEW: usize = 32;

/// A set of texts.
pub(crate) struct Texts<'v> {
    texts: Vec<&'v str>,
}

impl<'v> Texts<'v> {
    pub(crate) fn of(texts: impl Iterator<Item = &'v str>) -> Self {
        let mut texts: Vec<&str> = texts.collect();
        if texts.len() > FEW {
            texts.sort_unstable();
        }
        Self { texts }
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        if self.texts.len() > FEW { self.texts.binary_search(&text).is_ok() } else { self.texts.contains(&text) }
    }
}

/// Where in a list the items stand, by key.
struct Places<'a> {
    index: Option<BTreeMap<Cow<'a, str>, usize>>,
}

impl<'a> Places<'a> {
    /// The places in `list`, to which `added` items may come.
    fn of(field: Field, list: &[Value<'a>], added: usize) -> Self {
        let mut places = Self { index: (list.len() + added > FEW).then(BTreeMap::new) };
        for (place, item) in list.iter().enumerate() {
            places.learn(field, item, place);
        }
        places
    }

    fn learn(&mut self, field: Field, item: &Value<'a>, place: usize) {
        if let Some(index) = &mut self.index {
            index.entry(owned_key(field, item)).or_insert(place);
        }
    }

    fn find(&self, field: Field, list: &[Value<'a>], item: &Value<'a>) -> Option<usize> {
        let key = key_of(field, item);
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => list.iter().position(|known| key_of(field, known) == key),
        }
    }
}

fn owned_key<'a>(field: Field, item: &Value<'a>) -> Cow<'a, str> {
    let of_object = |key: &str| item.as_object().and_then(|object| object.get(key));
    let text = match field.shape() {
        Shape::Keyed(key) => of_object(key),
        _ => Some(item),
    };
    if let Some(Value::String(text)) = text { text.clone() } else { Cow::Borrowed("") }
}

/// A standing item with what a patch says of it (RFC 7396, per member).
fn merged<'a>(field: Field, standing: Value<'a>, item: Value<'a>) -> Value<'a> {
    let mut value = json::merge(standing, item);
    complete(field, &mut value);
    value
}

/// A new item: optional members that are `null` are not there.
fn fresh<'a>(field: Field, mut item: Value<'a>) -> Value<'a> {
    if let Value::Object(object) = &mut item {
        without_nulls(field, object);
    }
    complete(field, &mut item);
    item
}

fn complete<'a>(field: Field, item: &mut Value<'a>) {
    if let (Field::Acceptance, Value::Object(check)) = (field, item) {
        complete_check(check);
    }
}

/// Of refusals that differ in nothing but the item, so many are told one by one.
pub(super) const REPORTED: usize = 20;

/// Looks for nearest items, as long as that is cheap: the time of one patch is bounded, however much it names.
pub(super) struct Nearest {
    searches: usize,
    /// Pairs of characters.
    comparisons: usize,
}

impl Default for Nearest {
    fn default() -> Self {
        Self { searches: 8, comparisons: 4_000_000 }
    }
}

impl Nearest {
    /// The text of `known` that is nearest to `text`, as far as they are compared.
    fn to<'v>(&mut self, text: &str, known: impl Iterator<Item = &'v str>) -> Option<&'v str> {
        self.searches = self.searches.checked_sub(1)?;
        let wanted = clip(text);
        let mut nearest: Option<(usize, &str)> = None;
        for known in known {
            let candidate = clip(known);
            let Some(left) = self.comparisons.checked_sub((candidate.len() + 1) * (wanted.len() + 1)) else { break };
            self.comparisons = left;
            let far = distance(candidate, wanted);
            if nearest.is_none_or(|(least, _)| far < least) {
                nearest = Some((far, known));
            }
        }
        nearest.map(|(_, known)| known)
    }
}

/// As much of an item as is compared to find the nearest one.
fn clip(text: &str) -> &str {
    text.char_indices().nth(200).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
