//! Random batons and patches that have much to do with each other: both draw on the same few texts, keys and ids.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

use crate::oracle::{NEAR, NEAR_MEMBERS, Terms};

/// Members in the order in which they are written.
pub(crate) type Members = Vec<(String, Value)>;

/// Texts of every list of strings, of decisions and of checks.
const TEXTS: [&str; 7] = ["Use Rust", "Use tasks", "a", "b", "na\u{ef}ve\n- x", "D1", "\u{0}"];
const KEYS: [&str; 4] = ["plan", "log", "a", "D1"];
const IDS: [&str; 9] = ["D1", "D2", "D3", "D4", "D5", "D7", "X1", "d1", "D18446744073709551615"];
pub(crate) const STRINGS: [&str; 4] = ["current_state", "constraints", "open_questions", "work_scope"];
pub(crate) const LISTS: [&str; 7] =
    ["current_state", "constraints", "open_questions", "work_scope", "decision_log", "artifacts", "acceptance"];
const OTHERS: [&str; 7] = ["notes", "weights", "a/b", "~t", "", "\"a\"", "budget"];

/// Few of the strings, the forbidden one rarely.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![25 => select(TEXTS[..6].to_vec()), 1 => select(TEXTS.to_vec())].prop_map(str::to_owned)
}

fn id() -> impl Strategy<Value = String> {
    select(IDS.to_vec()).prop_map(str::to_owned)
}

/// Any JSON, small, with names that look like items and items that look like names.
pub(crate) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        2 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => select(vec![json!(0), json!(1), json!(1.0), json!(1.5), json!(-3), json!(100)]),
        3 => select(vec!["a", "b", "1", "notes"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let name = select(vec!["a", "b", "1", "\"a\"", "~/"]);
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            vec((name, inner), 0..3).prop_map(|members| {
                Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

fn object(members: Vec<(&str, Option<Value>)>) -> Value {
    Value::Object(members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// An optional member: mostly not there, sometimes `null`, rarely of any type.
fn option<S: Strategy<Value = Value>>(value: S) -> impl Strategy<Value = Option<Value>> {
    prop_oneof![24 => Just(None), 14 => value.prop_map(Some), 3 => Just(Some(Value::Null)), 1 => json().prop_map(Some)]
}

/// A name for a member that nobody knows, seldom one that is nearly known.
fn extra() -> impl Strategy<Value = &'static str> {
    prop_oneof![30 => Just("extra"), 1 => select(NEAR_MEMBERS.to_vec())]
}

fn decision() -> impl Strategy<Value = Value> {
    let string = || text().prop_map(Value::from);
    let ids = prop_oneof![id().prop_map(Value::from), vec(id(), 0..3).prop_map(|ids| json!(ids))];
    let members = (
        option(id().prop_map(Value::from)),
        string(),
        option(string()),
        option(ids),
        option(json()),
        option(id().prop_map(Value::from)),
        extra(),
    );
    let full = members.prop_map(|(id, decision, rationale, supersedes, extra, by, name)| {
        object(vec![
            ("id", id),
            ("decision", Some(decision)),
            ("rationale", rationale),
            ("supersedes", supersedes),
            (name, extra),
            ("by", by),
        ])
    });
    prop_oneof![1 => string(), 3 => full]
}

fn artifact() -> impl Strategy<Value = Value> {
    let key = || select(KEYS.to_vec()).prop_map(Value::from);
    let name = select(vec!["name", "name", "name", "id", "path", "uri"]);
    let members = (name, key(), option(key()), option(key()), option(json()), extra());
    let full = members.prop_map(|(name, key, summary, digest, owner, other)| {
        let mut item = object(vec![("summary", summary), ("digest", digest), (other, owner)]);
        item[name] = key;
        item
    });
    prop_oneof![1 => key(), 3 => full]
}

fn check() -> impl Strategy<Value = Value> {
    let status = select(vec!["pending", "passed", "failed", "waived"]).prop_map(Value::from);
    let string = || text().prop_map(Value::from);
    let full = (string(), option(status), option(string()), option(json()), extra()).prop_map(
        |(check, status, evidence, other, name)| {
            object(vec![("check", Some(check)), ("status", status), ("evidence", evidence), (name, other)])
        },
    );
    prop_oneof![1 => string(), 2 => full]
}

/// One item as a document or a patch may have it.
fn item(field: &'static str) -> BoxedStrategy<Value> {
    match field {
        "decision_log" => decision().boxed(),
        "artifacts" => artifact().boxed(),
        "acceptance" => check().boxed(),
        _ => text().prop_map(Value::from).boxed(),
    }
}

/// A list, or the lone string that stands for one.
fn list(field: &'static str) -> impl Strategy<Value = Value> {
    prop_oneof![1 => text().prop_map(Value::from), 9 => vec(item(field), 0..5).prop_map(Value::Array)]
}

fn field() -> impl Strategy<Value = &'static str> {
    select(LISTS.to_vec())
}

fn stamp() -> impl Strategy<Value = Value> {
    let extra = select(vec![json!(null), json!({"a": null}), json!("x")]);
    (0_u64..20, option(extra), any::<bool>()).prop_map(|(revision, head, budget)| {
        let budget = budget.then(|| json!({"tokens": 500}));
        object(vec![
            ("revision", Some(json!(revision))),
            ("tenant", Some(json!("t"))),
            ("head", head),
            ("budget", budget),
        ])
    })
}

/// Any other members of a document.
fn others() -> impl Strategy<Value = Members> {
    let names = select([&OTHERS[..], &NEAR[..1]].concat());
    vec((names, json()), 0..4)
        .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A document that is nearly always a baton.
pub(crate) fn baton() -> impl Strategy<Value = Members> {
    let lists: Vec<_> = LISTS.iter().map(|field| weighted(0.7, list(field))).collect();
    let parts = (lists, weighted(0.5, stamp()), others(), any::<prop::sample::Index>(), weighted(0.05, Just(())));
    parts.prop_map(|(mut lists, stamp, others, place, long)| {
        // Long lists are searched in another way than short ones.
        for list in lists.iter_mut().filter(|_| long.is_some()).flatten().filter_map(Value::as_array_mut) {
            list.splice(0..0, (0..40).map(|number| json!(format!("item {number}"))));
        }
        let lists = LISTS.iter().zip(lists).filter_map(|(field, list)| Some(((*field).to_owned(), list?)));
        let mut members: Members = lists.chain(stamp.map(|stamp| ("stamp".to_owned(), stamp))).chain(others).collect();
        members.insert(place.index(members.len() + 1), ("goal".to_owned(), "Ship it".into()));
        for (field, list) in &mut members {
            without_repeats(field, list);
        }
        distinct(members)
    })
}

/// Members with each name once.
fn distinct(members: Members) -> Members {
    let mut kept: Members = Vec::new();
    for (name, value) in members {
        if kept.iter().all(|(known, _)| *known != name) {
            kept.push((name, value));
        }
    }
    kept
}

/// Drops items whose key stands already, which no baton may have.
fn without_repeats(field: &str, list: &mut Value) {
    let keys: &[&str] = match field {
        "decision_log" => &["id"],
        "artifacts" => &["name", "id", "path", "uri"],
        "acceptance" => &["check"],
        _ => return,
    };
    let mut seen = Vec::new();
    for item in list.as_array_mut().into_iter().flatten() {
        let key = if item.is_string() && field != "decision_log" {
            item.clone()
        } else {
            keys.iter().map(|key| item[*key].clone()).find(Value::is_string).unwrap_or_default()
        };
        if !key.is_null() && seen.contains(&key) {
            *item = Value::Null;
        }
        seen.push(key);
    }
    if let Some(list) = list.as_array_mut() {
        list.retain(|item| !item.is_null());
    }
}

/// One thing that a patch may do, with what it needs of the baton left open.
#[derive(Clone, Debug)]
pub(crate) enum Move {
    Set(String, Value),
    /// Sends back the items of the baton that the bits choose, and more.
    Resend(&'static str, u8, Vec<Value>),
    /// Removes the items that the bits choose, and the texts; adds items.
    Edit(&'static str, u8, Vec<String>, Vec<Value>),
    /// Bears the id of the decision at that place, with another text or rationale.
    Rewrite(usize, bool, Option<String>),
    /// Gives a value of the baton another form, as one who wants past a rule does.
    Bypass(String, usize),
}

fn step() -> impl Strategy<Value = Move> {
    let any_field = || field().prop_flat_map(|field| (Just(field), vec(item(field), 0..3)));
    let other = || select([&OTHERS[..], &NEAR[..], &["notes"]].concat());
    let set = |(field, value): (&str, Value)| Move::Set(field.to_owned(), value);
    prop_oneof![
        6 => field().prop_flat_map(|field| (Just(field), list(field))).prop_map(set),
        6 => (any_field(), any::<u8>()).prop_map(|((field, more), bits)| Move::Resend(field, bits, more)),
        3 => any_field().prop_map(|(field, more)| Move::Resend(field, 0xff, more)),
        6 => (any_field(), any::<u8>(), vec(text(), 0..2)).prop_map(|((field, add), bits, texts)| Move::Edit(field, bits, texts, add)),
        3 => any_field().prop_map(|(field, add)| Move::Edit(field, 0, Vec::new(), add)),
        1 => (0..4_usize, any::<bool>(), weighted(0.3, id())).prop_map(|(place, whole, id)| Move::Rewrite(place, whole, id)),
        1 => field().prop_map(|field| Move::Set(field.to_owned(), Value::Null)),
        1 => (field(), json()).prop_map(set),
        5 => (other(), json()).prop_map(set),
        3 => select(vec![json!("Ship it"), json!("Ship"), json!(" "), json!(null), json!(1)]).prop_map(|goal| Move::Set("goal".to_owned(), goal)),
        1 => (select([&LISTS[..], &OTHERS[..]].concat()), 0..9_usize).prop_map(|(field, way)| Move::Bypass(field.to_owned(), way)),
    ]
}

/// A patch still to be made against a baton.
pub(crate) fn moves() -> impl Strategy<Value = Vec<Move>> {
    prop_oneof![30 => vec(step(), 0..4), 1 => vec(step(), 0..2).prop_map(|mut moves| {
        moves.push(Move::Set("stamp".to_owned(), json!({"revision": 0})));
        moves
    })]
}

/// Patches against what the rules guard.
pub(crate) fn attack() -> impl Strategy<Value = Vec<Move>> {
    let name = select([&LISTS[..], &OTHERS[..], &["goal", "notes", "notes"]].concat());
    let bypass = (name, 0..9_usize).prop_map(|(field, way)| Move::Bypass(field.to_owned(), way));
    vec(prop_oneof![3 => bypass, 1 => step()], 1..3)
}

fn chosen(items: &[Value], bits: u8) -> impl Iterator<Item = &Value> {
    items.iter().enumerate().filter(move |(index, _)| bits >> (index % 8) & 1 == 1).map(|(_, item)| item)
}

/// The patch that `moves` are against `baton`, which is in the normal shape.
pub(crate) fn patch(baton: &Value, moves: &[Move]) -> Members {
    let items = |field: &str| baton[field].as_array().cloned().unwrap_or_default();
    let members = moves.iter().map(|step| match step {
        Move::Set(name, value) => (name.clone(), value.clone()),
        Move::Resend(field, bits, more) => {
            let list = chosen(&items(field), *bits).chain(more).cloned().collect();
            ((*field).to_owned(), list)
        }
        Move::Edit(field, bits, texts, add) => {
            let standing = items(field);
            let keys = chosen(&standing, *bits).map(|item| {
                let key = ["id", "name", "check"]
                    .into_iter()
                    .find_map(|key| item.get(key).filter(|_| *field != "artifacts" || key == "name"));
                key.unwrap_or(item).clone()
            });
            let remove: Vec<Value> = keys.chain(texts.iter().map(|text| text.as_str().into())).collect();
            let mut edit = Map::new();
            if !add.is_empty() || remove.is_empty() {
                edit.insert("add".to_owned(), json!(add));
            }
            let spared = *field == "decision_log" && *bits < 224;
            if !spared && !remove.is_empty() {
                edit.insert("remove".to_owned(), json!(remove));
            }
            ((*field).to_owned(), Value::Object(edit))
        }
        Move::Rewrite(place, whole, supersedes) => {
            let mut decision = items("decision_log").get(*place).cloned().unwrap_or(json!({"decision": "a"}));
            decision[if *whole { "decision" } else { "rationale" }] = "rewritten".into();
            if let Some(id) = supersedes {
                decision["supersedes"] = json!([id]);
            }
            ("decision_log".to_owned(), json!([decision]))
        }
        Move::Bypass(field, way) => (field.clone(), disguised(&baton[field], *way)),
    });
    distinct(members.collect())
}

/// Another value that holds much the same.
fn disguised(value: &Value, way: usize) -> Value {
    let list = value.as_array().cloned().unwrap_or_default();
    let names = |name: &dyn Fn(&Value) -> String| -> Value {
        Value::Object(list.iter().map(|item| (name(item), json!(1))).collect())
    };
    match way {
        0 => Value::Null,
        1 => json!({}),
        2 => json!(list.get(1..).unwrap_or_default()),
        3 => {
            list.iter().enumerate().map(|(index, item)| (index.to_string(), item.clone())).collect::<Map<_, _>>().into()
        }
        4 => names(&|item| item.to_string()),
        5 => names(&|item| item.as_str().unwrap_or_default().to_owned()),
        6 => value.as_object().map_or_else(|| json!([value]), |object| object.keys().map(|name| json!(name)).collect()),
        7 => value.as_object().map_or_else(
            || json!({ value.to_string(): 1 }),
            |object| object.keys().map(|name| (name.clone(), Value::Null)).collect::<Map<_, _>>().into(),
        ),
        _ => list.iter().rev().cloned().chain([json!("a")]).collect(),
    }
}

/// Guard files, rights, and fields that are let by.
pub(crate) fn terms() -> impl Strategy<Value = Terms> {
    let names = || [&LISTS[..], &OTHERS[..], &["goal", "notes"]].concat();
    let rule = select(vec!["append_only", "kept", "frozen", "free"]);
    let rules = vec((prop_oneof![9 => select(names()), 1 => Just("goal")], rule), 0..6);
    let writes = weighted(0.2, subsequence(names(), 0..12));
    let allow = prop_oneof![2 => Just(Vec::new()), 1 => subsequence(names(), 0..5)];
    (any::<bool>(), rules, writes, allow).prop_map(|(strict, mut rules, writes, allow)| {
        let mut seen = Vec::new();
        rules.retain(|(name, rule)| {
            let first = !seen.contains(name) && (*name != "decision_log" || *rule == "append_only");
            seen.push(*name);
            first
        });
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        Terms {
            strict,
            rules: rules.into_iter().map(|(name, rule)| (name.to_owned(), rule)).collect(),
            writes: writes.map(owned),
            allow: owned(allow),
        }
    })
}

/// Members as JSON text. With `awkward`, names are spelt with escapes and numbers in other ways.
pub(crate) fn written(members: &[(String, Value)], awkward: bool) -> String {
    let member = |(name, value): &(String, Value)| {
        let name = json!(name).to_string();
        let name = if awkward { name.replace('o', "\\u006f").replace('/', "\\/") } else { name };
        format!("{name}: {}", spelt(value, awkward))
    };
    format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
}

fn spelt(value: &Value, awkward: bool) -> String {
    match value {
        Value::Number(number) if awkward && number.as_f64() == Some(100.0) => "1E2".to_owned(),
        Value::Number(number) if awkward && number.as_f64() == Some(1.5) => "1.50".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| spelt(item, awkward)).collect::<Vec<_>>().join(","))
        }
        Value::Object(object) => {
            let members: Vec<(String, Value)> =
                object.iter().rev().map(|(name, value)| (name.clone(), value.clone())).collect();
            written(&members, awkward)
        }
        other => other.to_string(),
    }
}
