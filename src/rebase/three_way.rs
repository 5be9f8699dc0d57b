//! Three-way merges: of lists by item, of keyed lists by item and member, of other values by member.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::baton::Field;
use crate::json::pointer::Place;
use crate::json::{Object, Value};
use crate::lower::{Members, key_of};
use crate::rebase::Rebase;
use crate::refusal::{Code, Notice, Refusal};
use crate::text::{clip, escape_hidden, quote};

/// What stands at the base, at the head, and after the patch; `None` where nothing does.
type Sides<'v, 'a> = [Option<&'v Value<'a>>; 3];

/// Merges lists of strings: what either side removed is gone, what either side added is there, in the head's order.
pub(super) fn strings<'a>(base: &[Value<'a>], head: &[Value<'a>], ours: &[Value<'a>]) -> Vec<Value<'a>> {
    let texts =
        |list: &[Value<'a>]| -> BTreeSet<String> { list.iter().filter_map(Value::as_str).map(str::to_owned).collect() };
    let (at_base, at_head, after) = (texts(base), texts(head), texts(ours));
    let is_in = |set: &BTreeSet<String>, item: &Value<'a>| item.as_str().is_some_and(|text| set.contains(text));
    let kept = head.iter().filter(|item| !is_in(&at_base, item) || is_in(&after, item));
    let added = ours.iter().filter(|item| !is_in(&at_base, item) && !is_in(&at_head, item));
    kept.chain(added).cloned().collect()
}

impl Rebase<'_> {
    /// Merges keyed lists: items as in `strings`, and those that both sides have member by member.
    pub(super) fn keyed<'a>(&mut self, field: Field, sides: [&[Value<'a>]; 3], at: Place<'_>) -> Value<'a> {
        let [base, head, ours] = sides.map(|list| by_key(field, list));
        let mut merged = Vec::new();
        for (index, item) in sides[1].iter().enumerate() {
            let key = key_of(field, item);
            match (base.get(key), ours.get(key)) {
                (Some(_), None) => {}
                (_, None) => merged.push(item.clone()),
                (known, Some(own)) => {
                    let known = known.copied();
                    merged.extend(self.value([known, Some(item), Some(own)], at.item(index)));
                }
            }
        }
        for item in sides[2] {
            let key = key_of(field, item);
            match (base.get(key), head.contains_key(key)) {
                (_, true) => {}
                (None, false) => merged.push(item.clone()),
                (Some(known), false) if *known == item => {}
                (Some(_), false) => {
                    let detail =
                        format!("{} was removed by another step in the meantime: the change to it is void", quote(key));
                    self.notices.push(Notice::new("rebase.item_gone", at.pointer(), detail));
                }
            }
        }
        Value::Array(merged)
    }

    /// Merges any other value; objects member by member.
    pub(super) fn value<'a>(&mut self, [base, theirs, ours]: Sides<'_, 'a>, at: Place<'_>) -> Option<Value<'a>> {
        if theirs == ours || base == ours {
            return theirs.cloned();
        }
        if base == theirs {
            return ours.cloned();
        }
        if let (Some(Value::Object(theirs)), Some(Value::Object(ours))) = (theirs, ours) {
            let base = base.and_then(Value::as_object);
            return Some(Value::Object(self.members(base, theirs, ours, at)));
        }
        self.conflict([base, theirs, ours], at);
        theirs.cloned()
    }

    fn members<'a>(
        &mut self,
        base: Option<&Object<'a>>,
        theirs: &Object<'a>,
        ours: &Object<'a>,
        at: Place<'_>,
    ) -> Object<'a> {
        let base = base.map(|base| Members::of(base, theirs.len() + ours.len()));
        let before = |name: &str| base.as_ref().and_then(|base| base.get(name));
        let at_head = Members::of(theirs, ours.len());
        let after = Members::of(ours, theirs.len());
        let mut merged = Object::new();
        for (name, value) in theirs.members() {
            let sides = [before(name), Some(value), after.get(name)];
            if let Some(value) = self.value(sides, at.member(name)) {
                merged.push_distinct(name.clone(), value);
            }
        }
        for (name, value) in ours.members() {
            if at_head.get(name).is_none()
                && let Some(value) = self.value([before(name), None, Some(value)], at.member(name))
            {
                merged.push_distinct(Cow::clone(name), value);
            }
        }
        merged
    }

    fn conflict(&mut self, sides: Sides<'_, '_>, at: Place<'_>) {
        let at = at.pointer();
        let [base, theirs, ours] = sides.map(show);
        let who = (self.blame)(&at).unwrap_or_else(|| "another step".to_owned());
        let detail = format!(
            "the base has {base}, {who} made it {theirs}, this patch makes it {ours}: \
             read the newest baton and answer again"
        );
        self.refusals.push(Refusal::new(Code::BaseConflict, at, detail));
    }
}

fn by_key<'v, 'a>(field: Field, list: &'v [Value<'a>]) -> BTreeMap<&'v str, &'v Value<'a>> {
    list.iter().map(|item| (key_of(field, item), item)).collect()
}

fn show(value: Option<&Value<'_>>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(value) => format!("`{}`", clip(&escape_hidden(&value.to_string()), 120)),
    }
}
