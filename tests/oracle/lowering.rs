//! From a patch to the baton that it asks for.

use serde_json::{Map, Value, json};

use super::shape::{complete, optional, shaped};
use super::{
    AUTHOR, Kind, MOMENT, NEAR, NEAR_MEMBERS, Refusals, STEP, escaped, items, key_of, kind, merged, next_number, plain,
};

/// The strings of a patch as they are taken; the pointers of what may not be in them go to `bad`.
fn cleaned(value: &Value, at: &str, bad: &mut Refusals) -> Value {
    let forbidden = |letter: char| {
        (letter.is_control() && letter != '\n' && letter != '\t') || (0xE0000..0xE0080).contains(&u32::from(letter))
    };
    match value {
        Value::String(text) => {
            let text = text.replace("\r\n", "\n");
            if text.contains(forbidden) {
                bad.insert(("patch.text".to_owned(), at.to_owned()));
            }
            text.into()
        }
        Value::Array(list) => {
            list.iter().enumerate().map(|(index, item)| cleaned(item, &format!("{at}/{index}"), bad)).collect()
        }
        Value::Object(object) => {
            let mut result = Map::new();
            for (name, value) in object {
                let at = format!("{at}/{}", escaped(name));
                // A name is one line.
                if name.contains(|letter| forbidden(letter) || letter == '\n' || letter == '\t') {
                    bad.insert(("patch.text".to_owned(), at.clone()));
                }
                result.insert(name.clone(), cleaned(value, &at, bad));
            }
            Value::Object(result)
        }
        other => other.clone(),
    }
}

/// The strict dialect in terms of the plain one.
fn unstrict(patch: &mut Map<String, Value>) {
    patch.retain(|_, value| !value.is_null());
    for (name, value) in patch {
        let Kind::Items(key) = kind(name) else {
            if let (Kind::Strings, Value::Object(edit)) = (kind(name), value) {
                loosen(edit);
            }
            continue;
        };
        let list = match value {
            Value::Object(edit) => {
                loosen(edit);
                edit.get_mut("add")
            }
            other => Some(other),
        };
        for item in list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
            item.retain(|name, value| !value.is_null() || !optional(key).contains(&name.as_str()));
        }
    }
}

/// Leaves the `null` members of an edit out; one that had nothing else changes nothing.
fn loosen(edit: &mut Map<String, Value>) {
    let asked = !edit.is_empty();
    edit.retain(|_, value| !value.is_null());
    if asked && edit.is_empty() {
        edit.insert("add".to_owned(), json!([]));
    }
}

/// What each field of a patch becomes once its shape is known.
pub(super) enum Asked {
    Merge(Value),
    List(Vec<Value>),
    Edit(Vec<Value>, Vec<Value>),
}

pub(super) fn parsed(patch: &Value, strict: bool) -> Result<Vec<(String, Asked)>, Refusals> {
    let mut bad = Refusals::new();
    let mut patch = plain(patch).as_object().unwrap().clone();
    if strict {
        unstrict(&mut patch);
    }
    let patch = cleaned(&Value::Object(patch), "", &mut bad);
    let (mut types, mut asked) = (Vec::new(), Vec::new());
    for (name, value) in patch.as_object().unwrap() {
        let at = format!("/{}", escaped(name));
        let change = match (kind(name), value) {
            (Kind::Stamp, _) => {
                bad.insert(("patch.reserved".to_owned(), at));
                continue;
            }
            (Kind::Other, _) => Asked::Merge(value.clone()),
            (Kind::Goal, _) => {
                types.extend((!value.is_string() && !value.is_null()).then_some(at));
                Asked::Merge(value.clone())
            }
            (Kind::Items("decision"), Value::Null) => Asked::Merge(Value::Null),
            (_, Value::Null) => Asked::List(Vec::new()),
            (kind, Value::Object(edit)) => {
                types.extend(edit.is_empty().then(|| at.clone()));
                let strays = edit.keys().filter(|name| !["add", "remove"].contains(&name.as_str()));
                types.extend(strays.map(|name| format!("{at}/{}", escaped(name))));
                let none = json!([]);
                let add = shaped(kind, edit.get("add").unwrap_or(&none), &format!("{at}/add"), &mut types);
                let remove = edit.get("remove").unwrap_or(&none);
                let remove = shaped(Kind::Strings, remove, &format!("{at}/remove"), &mut types);
                Asked::Edit(items(&add).to_vec(), items(&remove).to_vec())
            }
            (kind, _) => Asked::List(items(&shaped(kind, value, &at, &mut types)).to_vec()),
        };
        asked.push((name.clone(), change));
    }
    bad.extend(types.into_iter().map(|at| ("patch.type".to_owned(), at)));
    if bad.is_empty() { Ok(asked) } else { Err(bad) }
}

/// The list that an edit or an array makes of the list `before`.
fn listed(field: &str, before: &[Value], remove: &[Value], add: &[Value], edit: bool, bad: &mut Refusals) -> Value {
    for (index, text) in remove.iter().enumerate() {
        if !before.iter().any(|item| key_of(field, item) == text) {
            bad.insert(("patch.unknown_item".to_owned(), format!("/{field}/remove/{index}")));
        }
    }
    let kept = before.iter().filter(|item| !remove.iter().any(|text| text == key_of(field, item)));
    let standing: Vec<Value> = kept.cloned().collect();
    let mut list = if edit { standing.clone() } else { Vec::new() };
    for (index, item) in add.iter().enumerate() {
        let key = key_of(field, item);
        let Kind::Items(name) = kind(field) else {
            if !edit || !list.contains(item) {
                list.push(item.clone());
            }
            continue;
        };
        if add[..index].iter().any(|other| key_of(field, other) == key) {
            let part = if edit { "/add" } else { "" };
            bad.insert(("patch.type".to_owned(), format!("/{field}{part}/{index}")));
        }
        let known = standing.iter().find(|other| key_of(field, other) == key);
        let item = complete(name, &known.map_or_else(|| item.clone(), |known| merged(known, item)));
        match list.iter_mut().find(|other| key_of(field, other) == key_of(field, &item)) {
            Some(place) => *place = item,
            None => list.push(item),
        }
    }
    Value::Array(list)
}

/// The log with what is new in `asked`.
fn decided(log: &[Value], asked: &[Value], at: &str, bad: &mut Refusals) -> Value {
    let mut all = log.to_vec();
    let mut given: Vec<(String, String)> = Vec::new();
    for (index, item) in asked.iter().enumerate() {
        let at = format!("{at}/{index}");
        let item = complete("decision", item);
        let mut taken_back = items(&item["supersedes"]).to_vec();
        for id in &mut taken_back {
            let own = given.iter().rev().find(|(told, _)| id == told);
            if let Some((_, now)) = own.filter(|_| !log.iter().any(|known| &known["id"] == id)) {
                *id = now.as_str().into();
            }
        }
        let says = |known: &Value, name: &str| item[name].is_null() || item[name] == known[name];
        let no_more = |known: &Value| taken_back.iter().all(|id| items(&known["supersedes"]).contains(id));
        if let Some(known) = log.iter().find(|known| !item["id"].is_null() && known["id"] == item["id"]) {
            if !says(known, "decision") {
                bad.insert(("decision.rewritten".to_owned(), format!("{at}/decision")));
                continue;
            }
            if no_more(known) {
                continue;
            }
        } else if let Some(known) = all.iter().rev().find(|known| known["decision"] == item["decision"]) {
            let superseded = all.iter().any(|other| items(&other["supersedes"]).contains(&known["id"]));
            if !superseded && no_more(known) {
                continue;
            }
        }
        for (place, id) in taken_back.iter().enumerate() {
            if !all.iter().any(|known| &known["id"] == id) {
                bad.insert(("decision.supersedes".to_owned(), format!("{at}/supersedes/{place}")));
            }
        }
        let id = format!("D{}", next_number(&all));
        if let Some(own) = item["id"].as_str() {
            given.push((own.to_owned(), id.clone()));
        }
        let mut new = merged(&item, &json!({"step": STEP, "at": MOMENT, "by": AUTHOR}));
        new["id"] = id.into();
        if !item["supersedes"].is_null() {
            new["supersedes"] = taken_back.into();
        }
        all.push(new);
    }
    Value::Array(all)
}

/// Refuses what of new items nearly bears the name of a member, unless the item has it as it stands.
fn misnamed(field: &str, before: &[Value], asked: &[Value], at: &str, bad: &mut Refusals) {
    let near = match field {
        "decision_log" => NEAR_MEMBERS[0],
        "artifacts" => NEAR_MEMBERS[1],
        "acceptance" => NEAR_MEMBERS[2],
        _ => return,
    };
    for (index, item) in asked.iter().enumerate().filter(|(_, item)| item.get(near).is_some()) {
        let by_id = before.iter().find(|known| key_of(field, known) == key_of(field, item));
        let by_text =
            || before.iter().rev().find(|known| field == "decision_log" && known["decision"] == item["decision"]);
        if by_id.or_else(by_text).is_none_or(|known| known.get(near).is_none()) {
            bad.insert(("patch.unknown_field".to_owned(), format!("{at}/{index}/{near}")));
        }
    }
}

pub(super) fn lowered(baton: &Value, asked: Vec<(String, Asked)>) -> Result<Value, Refusals> {
    let mut bad = Refusals::new();
    let mut after = baton.clone();
    for (name, asked) in asked {
        let before = items(&baton[&name]);
        match &asked {
            Asked::List(add) => misnamed(&name, before, add, &format!("/{name}"), &mut bad),
            Asked::Edit(add, _) => misnamed(&name, before, add, &format!("/{name}/add"), &mut bad),
            Asked::Merge(_) => {}
        }
        let value = match (kind(&name), asked) {
            (Kind::Items("decision"), Asked::List(add)) => decided(before, &add, "/decision_log", &mut bad),
            (Kind::Items("decision"), Asked::Edit(add, remove)) => {
                let left = listed(&name, before, &remove, &[], true, &mut bad);
                let all = decided(before, &add, "/decision_log/add", &mut bad);
                items(&left).iter().chain(&items(&all)[before.len()..]).cloned().collect()
            }
            (Kind::Items("decision"), Asked::Merge(_)) => json!([]),
            (_, Asked::List(add)) => listed(&name, before, &[], &add, false, &mut bad),
            (_, Asked::Edit(add, remove)) => listed(&name, before, &remove, &add, true, &mut bad),
            (kind, Asked::Merge(value)) => {
                if kind == Kind::Other && baton.get(&name).is_none() && NEAR.contains(&name.as_str()) {
                    bad.insert(("patch.unknown_field".to_owned(), format!("/{name}")));
                    continue;
                }
                after = merged(&after, &json!({ name: value }));
                continue;
            }
        };
        // An empty list and no list are the same.
        if baton.get(&name).is_some() || !items(&value).is_empty() {
            after[&name] = value;
        }
    }
    if bad.is_empty() { Ok(after) } else { Err(bad) }
}
