//! Laws of rebase: a patch made from one revision meets another.

use std::collections::BTreeSet;

use proptest::prelude::*;
use relay_baton::guard::guard;
use relay_baton::json::{self, Value as Json};
use relay_baton::lower::Lowered;
use relay_baton::merge::merge;
use relay_baton::rebase::rebase;
use serde_json::{Value, json};

use super::arbitrary::{self, Members, Move, STRINGS, written};
use super::steps::serde;
use super::systems::{attribution, guards, lowered, read, refusals};
use super::{Judgement, ensure, holds};
use crate::oracle::{self, Refusals, Terms, plain};

/// A baton, and two patches that are both made from it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    baton: Members,
    theirs: Vec<Move>,
    ours: Vec<Move>,
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    (arbitrary::baton(), arbitrary::moves(), arbitrary::moves()).prop_map(|(baton, theirs, ours)| Case {
        baton,
        theirs,
        ours,
    })
}

/// What a patch is after its rebase: its additions to the log and the baton that it leads to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settled {
    pub(crate) sets: String,
    pub(crate) decisions: Value,
    pub(crate) baton: Value,
}

/// Settles a patch, made against a base, against a head. All three are texts.
pub(crate) type Rebaser = fn(&str, &str, &str) -> Result<Settled, Refusals>;

/// Guards that let everything by but what rewrites the log.
fn open() -> Terms {
    let rules = ["goal", "constraints", "acceptance"].map(|name| (name.to_owned(), "free"));
    Terms { rules: rules.to_vec(), ..Terms::default() }
}

pub(crate) fn real(base: &str, head: &str, patch: &str) -> Result<Settled, Refusals> {
    let (base, head) = (read(base).unwrap(), read(head).unwrap());
    let settle = || {
        let lowered = rebase(&base, &head, lowered(&base, patch, false)?, &|_| None)?;
        let (sets, decisions) = shown(&lowered);
        let admitted = guard(&head, lowered, &guards(&open()), &[])?;
        let merged = merge(head.clone(), admitted, &attribution(), oracle::DIGEST);
        Ok(Settled { sets, decisions: serde(&decisions), baton: serde(&merged.baton().to_json()) })
    };
    settle().map_err(|refused| refusals(&refused))
}

fn shown(lowered: &Lowered<'_>) -> (String, String) {
    let decisions = Json::Array(lowered.decisions().to_vec());
    (json::compact(&Json::Object(lowered.sets().clone())), json::compact(&decisions))
}

/// The texts of a case: base, what the other side made of it, and the two patches. `None` where a patch is refused
/// already against the base.
struct Sides {
    base: String,
    theirs: String,
    head: Settled,
    ours: String,
    alone: Settled,
}

fn sides(case: &Case) -> Option<Sides> {
    let base = read(&written(&case.baton, false)).ok()?.to_json();
    let [theirs, ours] = [&case.theirs, &case.ours].map(|moves| arbitrary::patch(&serde(&base), moves));
    sides_of(base, &theirs, &ours)
}

fn sides_of(base: String, theirs: &Members, ours: &Members) -> Option<Sides> {
    let (theirs, ours) = (written(theirs, false), written(ours, false));
    let head = real(&base, &base, &theirs).ok()?;
    let alone = real(&base, &base, &ours).ok()?;
    Some(Sides { base, theirs, head, ours, alone })
}

fn list<'v>(baton: &'v Value, field: &str) -> &'v [Value] {
    baton[field].as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn at_its_base_nothing_changes(case: &Case, rebaser: Rebaser) -> Judgement {
    let Some(sides) = sides(case) else { return Ok(()) };
    let base = read(&sides.base).unwrap();
    let (sets, decisions) = shown(&lowered(&base, &sides.ours, false).unwrap());
    let settled = rebaser(&sides.base, &sides.base, &sides.ours).map_err(|refused| format!("{refused:?}"))?;
    ensure(settled.sets == sets && settled.decisions == serde(&decisions), || {
        format!("{}\n{}\n{sets} {decisions} became {settled:?}", sides.base, sides.ours)
    })
}

pub(crate) fn apart_it_is_as_if_made_from_the_head(case: &Case, rebaser: Rebaser) -> Judgement {
    let Ok(base) = read(&written(&case.baton, false)).map(|baton| baton.to_json()) else { return Ok(()) };
    let [theirs, mut ours] = [&case.theirs, &case.ours].map(|moves| arbitrary::patch(&serde(&base), moves));
    ours.retain(|(name, _)| theirs.iter().all(|(other, _)| other != name));
    let Some(sides) = sides_of(base, &theirs, &ours) else { return Ok(()) };
    let head = serde_json::to_string(&sides.head.baton).unwrap();
    let answers = [rebaser(&sides.base, &head, &sides.ours), real(&head, &head, &sides.ours)];
    let [rebased, direct] = answers.map(|answer| answer.map(|settled| (serde(&settled.sets), settled.baton)));
    ensure(rebased == direct, || format!("{}\n{}\n{}\n{rebased:?}\n{direct:?}", sides.base, sides.theirs, sides.ours))
}

/// Judges each case that is not refused: base, head, ours alone, and both.
fn both(case: &Case, rebaser: Rebaser, judge: impl Fn(&Value, &Sides, &Settled) -> Judgement) -> Judgement {
    let Some(sides) = sides(case) else { return Ok(()) };
    let head = serde_json::to_string(&sides.head.baton).unwrap();
    let Ok(settled) = rebaser(&sides.base, &head, &sides.ours) else { return Ok(()) };
    judge(&serde(&sides.base), &sides, &settled)
        .map_err(|why| format!("{why}\n{}\n{}\n{}\n{}", sides.base, sides.theirs, sides.ours, settled.baton))
}

fn of_id<'v>(log: &'v [Value], id: &Value) -> Option<&'v Value> {
    log.iter().find(|decision| decision["id"] == *id)
}

pub(crate) fn decisions_of_both_sides_stand_once(case: &Case, rebaser: Rebaser) -> Judgement {
    both(case, rebaser, |base, sides, settled| {
        let [head, ours, after] =
            [&sides.head.baton, &sides.alone.baton, &settled.baton].map(|baton| list(baton, "decision_log"));
        ensure(after.starts_with(head), || "a decision of the head is lost".to_owned())?;
        let ids: BTreeSet<&str> = after.iter().map(|decision| decision["id"].as_str().unwrap()).collect();
        ensure(ids.len() == after.len(), || "an id stands twice".to_owned())?;
        let (theirs, ours) = (&head[list(base, "decision_log").len()..], &ours[list(base, "decision_log").len()..]);
        let new = &after[head.len()..];
        let all = |log: &[Value]| log.iter().map(|decision| decision["decision"].clone()).collect::<Vec<_>>();
        for decision in ours {
            let count = |texts: &[Value]| texts.iter().filter(|text| **text == decision["decision"]).count();
            let (mine, now, before) = (count(&all(ours)), count(&all(new)), count(&all(theirs)));
            ensure(now <= mine && now + before >= 1, || format!("{decision} stands {now} times more"))?;
        }
        ensure(new.len() <= ours.len(), || "decisions came from nowhere".to_owned())?;
        // What a decision takes back is what it took back where it was made.
        let log = list(&sides.alone.baton, "decision_log");
        let meant = |log: &[Value], decision: &Value| -> Vec<Value> {
            let ids = decision["supersedes"].as_array().cloned().unwrap_or_default();
            ids.iter().map(|id| of_id(log, id).map_or(Value::Null, |decision| decision["decision"].clone())).collect()
        };
        let pair = |log: &[Value], decision: &Value| (decision["decision"].clone(), meant(log, decision));
        let told: Vec<_> = ours.iter().map(|decision| pair(log, decision)).collect();
        let stray = new.iter().map(|decision| pair(after, decision)).find(|pair| !told.contains(pair));
        ensure(stray.is_none(), || format!("{stray:?} was never said"))
    })
}

fn keys(baton: &Value, field: &str) -> BTreeSet<String> {
    let key = |item: &Value| ["name", "check"].into_iter().find_map(|key| item.get(key)).unwrap_or(item).to_string();
    list(baton, field).iter().map(key).collect()
}

pub(crate) fn lists_take_what_both_sides_did(case: &Case, rebaser: Rebaser) -> Judgement {
    both(case, rebaser, |base, sides, settled| {
        for field in STRINGS.into_iter().chain(["artifacts", "acceptance"]) {
            let [old, theirs, ours, after] =
                [base, &sides.head.baton, &sides.alone.baton, &settled.baton].map(|baton| keys(baton, field));
            let stays = |key: &String| !old.contains(key) || (theirs.contains(key) && ours.contains(key));
            let expected: BTreeSet<String> =
                old.union(&theirs).chain(&ours).filter(|key| stays(key)).cloned().collect();
            ensure(after == expected, || format!("{field} should have {expected:?}"))?;
        }
        Ok(())
    })
}

/// A baton with its lists as sets, without what the merge wrote.
fn as_sets(baton: &Value) -> Value {
    let mut baton = plain(baton);
    let object = baton.as_object_mut().unwrap();
    object.retain(|name, _| name != "stamp" && name != "decision_log");
    for field in STRINGS.into_iter().chain(["artifacts", "acceptance"]) {
        let mut items: Vec<String> =
            object.get(field).and_then(Value::as_array).into_iter().flatten().map(Value::to_string).collect();
        items.sort();
        items.dedup();
        object.insert(field.to_owned(), json!(items));
    }
    baton
}

pub(crate) fn the_order_of_the_sides_does_not_matter(case: &Case, rebaser: Rebaser) -> Judgement {
    let Some(sides) = sides(case) else { return Ok(()) };
    let [first, second] = [(&sides.head, &sides.ours), (&sides.alone, &sides.theirs)].map(|(head, patch)| {
        let head = serde_json::to_string(&head.baton).unwrap();
        rebaser(&sides.base, &head, patch).map(|settled| as_sets(&settled.baton))
    });
    let shown = || format!("{}\n{}\n{}\n{first:?}\n{second:?}", sides.base, sides.theirs, sides.ours);
    match (&first, &second) {
        (Ok(one), Ok(two)) => ensure(one == two, shown),
        (one, two) => ensure(one.is_err() == two.is_err(), shown),
    }
}

/// Merges three values as the rules say, naively; the pointers of the conflicts go to `bad`.
fn three_way(sides: [Option<&Value>; 3], at: &str, bad: &mut BTreeSet<String>) -> Option<Value> {
    let [base, theirs, ours] = sides;
    match (theirs, ours) {
        _ if ours == base || ours == theirs => theirs.cloned(),
        _ if theirs == base => ours.cloned(),
        (Some(Value::Object(one)), Some(Value::Object(two))) => {
            let names: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
            let mut merged = |name: &String| {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                let old = base.and_then(Value::as_object).and_then(|base| base.get(name));
                Some((name.clone(), three_way([old, one.get(name), two.get(name)], &at, bad)?))
            };
            Some(Value::Object(names.into_iter().filter_map(&mut merged).collect()))
        }
        _ => {
            bad.insert(at.to_owned());
            theirs.cloned()
        }
    }
}

/// What each value should become, and which conflicts there are.
fn expected(base: &Value, theirs: &Value, ours: &Value) -> (Value, BTreeSet<String>) {
    let (mut bad, mut merged) = (BTreeSet::new(), serde_json::Map::new());
    let names: BTreeSet<&String> =
        [base, theirs, ours].into_iter().flat_map(|baton| baton.as_object().unwrap().keys()).collect();
    for name in names.into_iter().filter(|name| !["stamp", "decision_log"].contains(&name.as_str())) {
        let sides = [base, theirs, ours].map(|baton| baton.get(name));
        let at = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let key = match name.as_str() {
            "artifacts" => "name",
            "acceptance" => "check",
            _ if STRINGS.contains(&name.as_str()) => continue,
            _ => {
                merged.extend(three_way(sides, &at, &mut bad).map(|value| (name.clone(), value)));
                continue;
            }
        };
        for (index, item) in list(theirs, name).iter().enumerate() {
            let find = |baton: &'_ Value| list(baton, name).iter().find(|other| other[key] == item[key]).cloned();
            let (old, own) = (find(base), find(ours));
            if own.is_some() {
                three_way([old.as_ref(), Some(item), own.as_ref()], &format!("{at}/{index}"), &mut bad);
            }
        }
    }
    (Value::Object(merged), bad)
}

pub(crate) fn conflicts_are_two_different_changes(case: &Case, rebaser: Rebaser) -> Judgement {
    let Some(sides) = sides(case) else { return Ok(()) };
    let head = serde_json::to_string(&sides.head.baton).unwrap();
    let [base, theirs, ours] = [&serde(&sides.base), &sides.head.baton, &sides.alone.baton].map(plain);
    let (values, conflicts) = expected(&base, &theirs, &ours);
    let shown = || format!("{}\n{}\n{}", sides.base, sides.theirs, sides.ours);
    match rebaser(&sides.base, &head, &sides.ours) {
        Ok(settled) => {
            ensure(conflicts.is_empty(), || format!("no conflict at {conflicts:?}\n{}", shown()))?;
            let after = plain(&settled.baton);
            for (name, value) in values.as_object().unwrap() {
                ensure(after.get(name) == Some(value), || format!("{name} should be {value}\n{}\n{after}", shown()))?;
            }
            Ok(())
        }
        Err(refused) => {
            let found: BTreeSet<String> =
                refused.into_iter().filter(|(code, _)| code == "base.conflict").map(|(_, at)| at).collect();
            ensure(found == conflicts, || format!("conflicts at {found:?}, expected at {conflicts:?}\n{}", shown()))
        }
    }
}

fn vector(case: &Case) -> Value {
    let base = written(&case.baton, false);
    let Some(sides) = sides(case) else { return json!({ "document": base }) };
    let head = serde_json::to_string(&sides.head.baton).unwrap();
    let (answer, ours) = (real(&sides.base, &head, &sides.ours), serde(&sides.ours));
    let answer =
        answer.map_or_else(|refusals| json!({ "refusals": refusals }), |settled| json!({ "baton": settled.baton }));
    json!({"base": serde(&sides.base), "theirs": serde(&sides.theirs), "head": serde(&head), "patch": ours, "library": answer})
}

fn law(name: &str, law: fn(&Case, Rebaser) -> Judgement) {
    holds(name, &cases(), |case| law(case, real), vector);
}

#[test]
fn a_patch_at_its_base_stays_as_it_is() {
    law("rebase at base", at_its_base_nothing_changes);
}

#[test]
fn a_patch_of_other_fields_is_as_if_made_from_the_head() {
    law("rebase apart", apart_it_is_as_if_made_from_the_head);
}

#[test]
fn the_decisions_of_both_sides_stand_once() {
    law("rebase decisions", decisions_of_both_sides_stand_once);
}

#[test]
fn lists_have_what_either_added_and_not_what_either_removed() {
    law("rebase lists", lists_take_what_both_sides_did);
}

#[test]
fn either_order_gives_the_same() {
    law("rebase order", the_order_of_the_sides_does_not_matter);
}

#[test]
fn a_conflict_is_one_value_changed_in_two_ways() {
    law("rebase conflicts", conflicts_are_two_different_changes);
}
