#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]
//! Blame against a naive second way: comparing the whole baton of every revision with the one before.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value as Json, json};

use super::*;
use crate::attribution::Attribution;
use crate::baton::{Baton, Field, Shape};
use crate::board::Recording;
use crate::count::TokenCounter;
use crate::entry::{BoardId, Readers};
use crate::guard::Guards;
use crate::json::Limits;
use crate::lower::key_of;
use crate::memory::Memory;
use crate::relay::Relay;
use crate::render::hostile::cases;

/// Counts bytes: quick, and never too few.
struct Bytes;

impl TokenCounter for Bytes {
    fn encoding(&self) -> &str {
        "o200k_base"
    }

    fn count(&self, text: &str) -> usize {
        text.len()
    }

    fn adds_up_by_line(&self) -> bool {
        false
    }
}

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn reference(number: u8) -> Reference {
    Reference::from_random([number; 10])
}

fn at() -> Timestamp {
    Timestamp::parse("2026-01-02T03:04:05Z").unwrap()
}

const FREE: &str = r#"{"rules": {"goal": "free", "constraints": "free", "acceptance": "free"}}"#;

/// A board that began with `first` and took `patches`; those that are refused are left out.
fn recorded(first: &Json, patches: &[Json]) -> Board<Memory> {
    let mut board = Board::new(Memory::new(), BoardId { tenant: id("t"), task: id("k") });
    let text = first.to_string();
    let first = Baton::read(&text, &Limits::default()).unwrap();
    board.start(first, &id("person"), &at(), &reference(0)).unwrap();
    for (place, patch) in patches.iter().enumerate() {
        let number = place as u8 + 1;
        let step = id(&format!("s{number}"));
        let mut relay = Relay::new(Attribution { step, by: id("agent"), at: at() });
        relay.guards = Guards::read(FREE, &Limits::default()).unwrap();
        let readers = Readers::Everyone;
        let recording = Recording {
            relay,
            base: None,
            derived_from: vec![],
            readers,
            declassify: false,
            reference: reference(number),
            rehearse: false,
        };
        let _ = board.apply(&recording, &patch.to_string(), &Bytes);
    }
    board
}

const STAMP: &str = r#"{"tenant": "t", "task": "k", "budget": {"tokens": 100000, "encoding": "o200k_base"}}"#;

fn patch() -> impl Strategy<Value = Json> {
    let texts = || subsequence(vec!["a", "ab", "b", "0", "a"], 0..4);
    let checks = || {
        let check = (
            select(vec!["c1", "c2", "c3"]),
            select(vec!["passed", "failed"]),
            proptest::option::of(select(vec!["x", "y"])),
        );
        vec(
            check.prop_map(|(check, status, evidence)| match evidence {
                Some(evidence) => json!({"check": check, "status": status, "evidence": evidence}),
                None => json!({"check": check, "status": status}),
            }),
            0..3,
        )
    };
    let decision = (select(vec!["use a", "use b", "use c"]), select(vec!["D1", "D2", "D3"]), any::<bool>());
    let decision = decision.prop_map(|(text, earlier, takes_back)| match takes_back {
        true => json!({"decision": text, "supersedes": [earlier]}),
        false => json!({"decision": text}),
    });
    let value =
        || select(vec![json!(null), json!(1), json!({"m": 1}), json!({"m": null, "n": [1]}), json!({"m": 1.0})]);
    let member = prop_oneof![
        texts().prop_map(|list| ("constraints", json!(list))),
        texts().prop_map(|list| ("current_state", json!(list))),
        (texts(), texts()).prop_map(|(add, remove)| ("open_questions", json!({"add": add, "remove": remove}))),
        Just(("constraints", json!(null))),
        checks().prop_map(|list| ("acceptance", json!(list))),
        checks().prop_map(|list| ("acceptance", json!({"add": list}))),
        vec(decision, 1..3).prop_map(|list| ("decision_log", json!(list))),
        select(vec!["g1", "g2"]).prop_map(|goal| ("goal", json!(goal))),
        value().prop_map(|value| ("notes", value)),
        value().prop_map(|value| ("__proto__", value)),
    ];
    vec(member, 1..4).prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The items of a field at each revision: key and value, each key once.
type History = Vec<Vec<(String, Value<'static>)>>;

fn items(baton: &Baton<'_>, name: &str) -> Vec<(String, Value<'static>)> {
    let shape = Field::named(name).map(Field::shape);
    if matches!(shape, None | Some(Shape::Text)) {
        return baton.member(name).map(|value| (String::new(), value.clone().into_owned())).into_iter().collect();
    }
    let field = Field::named(name).unwrap();
    let mut seen = BTreeSet::new();
    let all = baton.items(field).iter().map(|item| (key_of(field, item).to_owned(), item.clone().into_owned()));
    all.filter(|(key, _)| seen.insert(key.clone())).collect()
}

fn value<'h>(history: &'h History, revision: usize, key: &str) -> Option<&'h Value<'static>> {
    history[revision].iter().find(|(known, _)| known == key).map(|(_, value)| value)
}

/// Since when the item stands that stands at `last`.
fn brought(history: &History, last: usize, key: &str) -> usize {
    (0..=last).rev().take_while(|revision| value(history, *revision, key).is_some()).last().unwrap()
}

/// Since when `part` of the item is what it is at `last`.
fn since<'h, T: PartialEq>(
    history: &'h History,
    last: usize,
    key: &str,
    part: impl Fn(&'h Value<'static>) -> T,
) -> usize {
    let begun = brought(history, last, key);
    let at = |revision: usize| value(history, revision, key).map(&part);
    (begun..=last).rev().take_while(|revision| at(*revision) == at(last)).last().unwrap()
}

fn compare(board: &mut Board<Memory>, last: usize) -> Result<(), TestCaseError> {
    let batons: Vec<Baton<'static>> =
        (0..=last).map(|revision| board.checkout(revision as u64).unwrap().baton).collect();
    let found = blame(board, Some(last as u64)).unwrap();
    let names: BTreeSet<&str> =
        batons.iter().flat_map(|baton| baton.as_object().iter().map(|(name, _)| name)).collect();
    let told: BTreeSet<&str> = found.fields.iter().map(|lines| lines.field.as_str()).collect();
    prop_assert!(told.is_superset(&names.iter().copied().filter(|name| *name != "stamp").collect()));
    for lines in &found.fields {
        let history: History = batons.iter().map(|baton| items(baton, &lines.field)).collect();
        let standing: Vec<(String, Value<'_>)> =
            lines.items.iter().map(|item| (item.key.clone(), item.value.clone())).collect();
        prop_assert_eq!(&standing, &history[last], "{}", lines.field);
        for item in &lines.items {
            prop_assert_eq!(item.brought.revision as usize, brought(&history, last, &item.key), "{:?}", item);
            prop_assert_eq!(
                item.changed.revision as usize,
                since(&history, last, &item.key, |value| value),
                "{:?}",
                item
            );
            let object = item.value.as_object().filter(|_| lines.field != "decision_log");
            let members: BTreeSet<&str> =
                object.into_iter().flat_map(|object| object.iter().map(|(name, _)| name)).collect();
            prop_assert_eq!(members, item.members.iter().map(|(name, _)| name.as_str()).collect());
            for (name, origin) in &item.members {
                let expected =
                    since(&history, last, &item.key, |value| value.as_object().and_then(|value| value.get(name)));
                prop_assert_eq!(origin.revision as usize, expected, "{} of {:?}", name, item);
            }
            let by: Vec<&str> = lines
                .items
                .iter()
                .filter(|other| supersedes(other, &item.key))
                .map(|other| other.key.as_str())
                .collect();
            prop_assert_eq!(&item.superseded_by, &by);
        }
        let mut went = Vec::new();
        for revision in 1..=last {
            for (key, _) in &history[revision - 1] {
                if value(&history, revision, key).is_none() {
                    went.push((key.as_str(), revision, brought(&history, revision - 1, key)));
                }
            }
        }
        let gone = lines
            .gone
            .iter()
            .map(|gone| (gone.item.key.as_str(), gone.removed.revision as usize, gone.item.brought.revision as usize));
        prop_assert_eq!(gone.collect::<Vec<_>>(), went, "{}", lines.field);
    }
    Ok(())
}

fn supersedes(item: &Item, key: &str) -> bool {
    let ids = item.value.as_object().and_then(|object| object.get("supersedes")).and_then(Value::as_array);
    ids.unwrap_or_default().iter().any(|id| id.as_str() == Some(key))
}

#[test]
fn blame_is_what_comparing_every_revision_finds() {
    let removed = std::cell::Cell::new(0);
    let runs = std::cell::Cell::new(0);
    proptest!(cases(300), |(first in patch(), patches in vec(patch(), 0..8))| {
        let mut first = first;
        first.as_object_mut().unwrap().retain(|name, value| !value.is_null() && name != "open_questions" && name != "decision_log");
        first["acceptance"] = json!(["c1", {"check": "c2", "evidence": "x"}]);
        first["goal"] = json!("g1");
        first["stamp"] = serde_json::from_str(STAMP).unwrap();
        let mut board = recorded(&first, &patches);
        let last = board.newest().unwrap().unwrap().number() as usize;
        for revision in [last, last / 2] {
            compare(&mut board, revision)?;
        }
        let gone: usize = blame(&mut board, None).unwrap().fields.iter().map(|lines| lines.gone.len()).sum();
        removed.set(removed.get() + gone);
        runs.set(runs.get() + last);
    });
    let (removed, runs) = (removed.get(), runs.get());
    assert!(removed > 100 && runs > 300, "{removed} items were removed in {runs} revisions: too few to tell");
}

fn told() -> Blame {
    let first = json!({
        "goal": "g", "constraints": ["no cookies", "no new packages", "old rule"], "notes": {"a": 1},
        "acceptance": ["tests pass"], "stamp": serde_json::from_str::<Json>(STAMP).unwrap(),
    });
    let patches = [
        json!({"decision_log": ["Use sessions"], "constraints": ["no cookies", "no new packages"]}),
        json!({"decision_log": [{"decision": "Use tokens", "supersedes": ["D1"]}]}),
        json!({"acceptance": [{"check": "tests pass", "status": "passed"}], "artifacts": [{"name": "log", "uri": "x"}]}),
    ];
    blame(&mut recorded(&first, &patches), None).unwrap()
}

#[test]
fn an_item_is_found_by_what_people_call_it() {
    let told = told();
    for (written, key, entries) in [
        ("goal", "", &[1][..]),
        ("notes", "", &[1]),
        ("decision_log/D2", "D2", &[3]),
        ("decision_log/Use sess", "D1", &[2]),
        ("decision_log/1", "D2", &[3]),
        ("artifacts/log", "log", &[4]),
        ("acceptance/tests pass", "tests pass", &[1, 4]),
        ("constraints/0", "no cookies", &[1]),
        ("constraints/no n", "no new packages", &[1]),
        ("constraints/old rule", "old rule", &[1, 2]),
        ("constraints/old", "old rule", &[1, 2]),
    ] {
        let located = told.locate(written).unwrap();
        assert_eq!(located.items[0].key, key, "{written}");
        assert_eq!(located.entries(), entries, "{written}");
        assert_eq!(located.removed.is_some(), key == "old rule");
    }
    assert_eq!(told.locate("decision_log").unwrap().entries(), [2, 3]);
    assert_eq!(told.field("decision_log").unwrap().items[0].superseded_by, ["D2"]);
}

#[test]
fn what_is_not_there_is_refused_with_the_nearest() {
    let told = told();
    for (written, detail) in [
        ("constraint", "the baton has no field `constraint`; the nearest is `constraints`"),
        ("note", "the baton has no field `note`; the nearest is `notes`"),
        ("open_questions", "the field `open_questions` holds nothing, and never did"),
        ("work_scope/src", "the field `work_scope` holds nothing, and never did"),
        ("constraints/no cookie jar", "`no cookie jar` is no item of `constraints`; the nearest item is `no cookies`"),
        ("constraints/no", "2 items begin with `no`, `no cookies` and `no new packages` among them: write more of it"),
        ("decision_log/D3", "`D3` is no item of `decision_log`; the nearest item is `D1`"),
        ("notes/a", "`notes` is one item as a whole: ask for `notes`"),
        ("stamp", "`stamp` is written anew at every revision: name another field"),
        ("\u{1b}[2J", "the baton has no field `\\u{1b}[2J`; the nearest is `goal`"),
    ] {
        assert_eq!(told.locate(written).unwrap_err().detail, detail);
    }
}

#[test]
fn a_board_without_a_baton_or_such_a_revision_is_refused() {
    let mut bare = Board::new(Memory::new(), BoardId { tenant: id("t"), task: id("k") });
    assert_eq!(blame(&mut bare, None).unwrap_err().refusals()[0].code, Code::BoardMissing);
    let first = json!({"goal": "g", "stamp": serde_json::from_str::<Json>(STAMP).unwrap()});
    let refused = blame(&mut recorded(&first, &[]), Some(1)).unwrap_err();
    assert_eq!(refused.refusals()[0].code, Code::BoardUnknownEntry);
}
