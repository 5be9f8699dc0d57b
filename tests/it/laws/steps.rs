//! Laws of lowering, guards and merge.

use proptest::prelude::*;
use relay_baton::baton::Baton;
use relay_baton::json::{self, Limits};
use serde_json::{Value, json};

use super::arbitrary::{self, LISTS, Members, Move, written};
use super::systems::{Done, System, read, real};
use super::{Judgement, ensure, holds};
use crate::oracle::{self, Terms, plain};

/// A document and patches, one after another.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    baton: Members,
    patches: Vec<Vec<Move>>,
    terms: Terms,
    awkward: bool,
}

/// Cases of `patches` patches each; with `ruled`, under other guards than the default.
pub(crate) fn cases(patches: std::ops::Range<usize>, ruled: bool) -> impl Strategy<Value = Case> {
    let moves = prop_oneof![3 => arbitrary::moves(), 1 => arbitrary::attack()];
    let patches = proptest::collection::vec(moves, patches);
    (arbitrary::baton(), patches, arbitrary::terms(), any::<bool>()).prop_map(
        move |(baton, patches, terms, awkward)| {
            let terms = if ruled { terms } else { Terms { strict: terms.strict, ..Terms::default() } };
            Case { baton, patches, terms, awkward }
        },
    )
}

pub(crate) fn serde(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// One patch of a case, made against the baton as it stood.
struct Trial {
    baton: String,
    patch: String,
    answer: Result<Done, oracle::Refusals>,
}

/// The baton of a case in the normal shape; `None` where it is none.
fn normal(case: &Case) -> Option<String> {
    let text = written(&case.baton, case.awkward);
    Baton::read(&text, &Limits::default()).ok().map(|baton| baton.to_json())
}

/// Takes a case through a system, patch by patch; what is refused changes nothing.
fn trials(case: &Case, system: System) -> Vec<Trial> {
    let mut trials = Vec::new();
    let Some(mut baton) = normal(case) else { return trials };
    for moves in &case.patches {
        let patch = written(&arbitrary::patch(&serde(&baton), moves), case.awkward);
        let answer = system(&baton, &patch, &case.terms);
        let next = answer.as_ref().map_or_else(|_| baton.clone(), |done| done.after.clone());
        trials.push(Trial { baton: std::mem::replace(&mut baton, next), patch, answer });
    }
    trials
}

/// Judges each accepted patch of a case by the baton before, the patch, and the baton after.
fn accepted(case: &Case, system: System, judge: impl Fn(&Value, &Value, &Value) -> Judgement) -> Judgement {
    for trial in trials(case, system) {
        if let Ok(done) = &trial.answer {
            let (before, patch, after) = (serde(&done.before), serde(&trial.patch), serde(&done.after));
            judge(&before, &patch, &after).map_err(|why| format!("{why}\n{}\n{}\n{}", before, trial.patch, after))?;
        }
    }
    Ok(())
}

pub(crate) fn the_oracle_agrees(case: &Case, system: System) -> Judgement {
    let text = written(&case.baton, case.awkward);
    let (ours, theirs) = (read(&text), oracle::read(&serde(&text)));
    ensure(ours.is_ok() == theirs.is_some(), || format!("{text}: {ours:?} but the oracle {theirs:?}"))?;
    if let (Ok(ours), Some(theirs)) = (ours, theirs) {
        let ours = plain(&serde(&ours.to_json()));
        ensure(ours == theirs, || format!("{text} is read as {ours} but by the oracle as {theirs}"))?;
    }
    for trial in trials(case, system) {
        let ours = trial.answer.map(|done| plain(&serde(&done.after)));
        let theirs = oracle::apply(&plain(&serde(&trial.baton)), &serde(&trial.patch), &case.terms);
        ensure(ours == theirs, || format!("{}\n{}\nours   {ours:?}\noracle {theirs:?}", trial.baton, trial.patch))?;
    }
    Ok(())
}

pub(crate) fn plain_patches_lead_to_the_same(case: &Case, system: System) -> Judgement {
    let Some(mut document) = normal(case).map(|text| plain(&serde(&text))) else { return Ok(()) };
    for trial in trials(case, system) {
        if let Ok(done) = &trial.answer {
            json_patch::merge(&mut document, &plain(&serde(&done.plain)));
            let ours = plain(&serde(&done.after));
            ensure(document == ours, || format!("{} leads to {document}, not to {ours}", done.plain))?;
        }
    }
    Ok(())
}

fn list<'v>(baton: &'v Value, field: &str) -> &'v [Value] {
    baton[field].as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn the_log_only_grows(case: &Case, system: System) -> Judgement {
    accepted(case, system, |before, _, after| {
        let (before, after) = (list(before, "decision_log"), list(after, "decision_log"));
        ensure(after.starts_with(before), || "the log is another".to_owned())?;
        let news =
            after[before.len()..].iter().all(|item| item["by"] == oracle::AUTHOR && item["step"] == oracle::STEP);
        ensure(news, || "a decision has another author".to_owned())?;
        let mut ids: Vec<&str> = after.iter().map(|item| item["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        ids.dedup();
        ensure(ids.len() == after.len(), || "an id stands twice".to_owned())
    })
}

pub(crate) fn what_is_kept_by_default_stands(case: &Case, system: System) -> Judgement {
    accepted(case, system, |before, _, after| {
        ensure(before["goal"] == after["goal"], || "the goal is another".to_owned())?;
        for text in list(before, "constraints") {
            ensure(list(after, "constraints").contains(text), || format!("the constraint {text} is gone"))?;
        }
        for check in list(before, "acceptance") {
            let stands = list(after, "acceptance").iter().any(|other| other["check"] == check["check"]);
            ensure(stands, || format!("the check {check} is gone"))?;
        }
        Ok(())
    })
}

/// Compares with what the rules say, without looking at the patch.
pub(crate) fn rules_hold(case: &Case, system: System) -> Judgement {
    accepted(case, system, |before, _, after| {
        let (before, after) = (plain(before), plain(after));
        let names = before.as_object().unwrap().keys().chain(after.as_object().unwrap().keys());
        for name in names.filter(|name| *name != "stamp") {
            let (old, new) = (before.get(name), after.get(name));
            let let_by = name != "decision_log" && case.terms.allow.contains(name);
            let rule = oracle::rule(&case.terms, name);
            ensure(let_by || oracle::holds(rule, name, old, new), || format!("{name} is {rule}"))?;
            let may = case.terms.writes.as_ref().is_none_or(|writes| writes.contains(name));
            ensure(may || old == new, || format!("{name} may not be written"))?;
        }
        Ok(())
    })
}

pub(crate) fn what_is_not_named_stays(case: &Case, system: System) -> Judgement {
    for trial in trials(case, system) {
        let Ok(done) = &trial.answer else { continue };
        let (before, after, patch) = (read(&done.before).unwrap(), read(&done.after).unwrap(), serde(&trial.patch));
        let shown = || format!("\n{}\n{}\n{}", done.before, trial.patch, done.after);
        let names = |baton: &Baton<'_>| baton.as_object().iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        for (name, value) in before.as_object().iter().filter(|(name, _)| *name != "stamp" && patch.get(name).is_none())
        {
            let (old, new) = (json::compact(value), after.member(name).map(json::compact));
            ensure(new.as_deref() == Some(&old), || format!("{name}: {old} is {new:?} now{}", shown()))?;
        }
        let kept: Vec<String> = names(&before).into_iter().filter(|name| after.member(name).is_some()).collect();
        ensure(names(&after).starts_with(&kept), || format!("members moved{}", shown()))?;
        for (name, value) in before.others() {
            let (Some(old), Some(new), Some(asked)) =
                (value.as_object(), after.member(name).and_then(|value| value.as_object()), patch[name].as_object())
            else {
                continue;
            };
            for (inner, value) in old.iter().filter(|(inner, _)| !asked.contains_key(*inner)) {
                let (old, new) = (json::compact(value), new.get(inner).map(json::compact));
                ensure(new.as_deref() == Some(&old), || format!("{name}/{inner}: {old} is {new:?} now{}", shown()))?;
            }
        }
    }
    Ok(())
}

pub(crate) fn what_is_written_reads_the_same(case: &Case, system: System) -> Judgement {
    for trial in trials(case, system) {
        let revision = read(&trial.baton).unwrap().revision();
        let (text, revision) = trial.answer.map_or((trial.baton, revision), |done| (done.after, revision + 1));
        let again = read(&text).map_err(|refused| format!("{refused}: {text}"))?;
        ensure(again.to_json() == text, || format!("{text} is read as {}", again.to_json()))?;
        ensure(again.revision() == revision, || format!("revision {revision} is expected: {text}"))?;
    }
    Ok(())
}

/// What is written down of a case that broke a law: the first patch, or the one on which the oracle differs.
fn vector(case: &Case) -> Value {
    let steps: Vec<Value> = trials(case, real)
        .into_iter()
        .map(|trial| {
            let (baton, patch) = (serde(&trial.baton), serde(&trial.patch));
            let theirs = oracle::apply(&plain(&baton), &patch, &case.terms);
            let ours = trial.answer.map(|done| serde(&done.after));
            json!({"baton": baton, "patch": patch, "library": shown(ours), "oracle": shown(theirs)})
        })
        .collect();
    let terms = &case.terms;
    let guards = json!({"rules": terms.rules, "writes": terms.writes, "allow": terms.allow, "strict": terms.strict});
    json!({"document": written(&case.baton, case.awkward), "guards": guards, "steps": steps})
}

fn shown(answer: Result<Value, oracle::Refusals>) -> Value {
    answer.map_or_else(|refusals| json!({ "refusals": refusals }), |baton| json!({ "baton": baton }))
}

fn law(name: &str, cases: &impl Strategy<Value = Case>, law: fn(&Case, System) -> Judgement) {
    holds(name, cases, |case| law(case, real), vector);
}

#[test]
fn the_oracle_agrees_under_default_guards() {
    law("oracle", &cases(1..3, false), the_oracle_agrees);
}

#[test]
fn the_oracle_agrees_under_any_guards() {
    law("oracle with guards", &cases(1..3, true), the_oracle_agrees);
}

#[test]
fn a_log_of_plain_patches_gives_the_baton() {
    law("plain patches", &cases(1..7, false), plain_patches_lead_to_the_same);
}

#[test]
fn the_decision_log_only_grows() {
    law("log", &cases(1..4, true), the_log_only_grows);
}

#[test]
fn goal_constraints_and_checks_stand() {
    law("kept", &cases(1..4, false), what_is_kept_by_default_stands);
}

#[test]
fn no_patch_gets_past_a_rule() {
    law("rules", &cases(1..4, true), rules_hold);
}

#[test]
fn members_that_are_not_named_keep_value_place_and_spelling() {
    law("unnamed", &cases(1..3, true), what_is_not_named_stays);
}

#[test]
fn what_was_written_reads_the_same_one_revision_later() {
    law("reread", &cases(1..3, true), what_is_written_reads_the_same);
}

#[test]
fn a_name_given_twice_is_refused_however_it_is_spelt() {
    for field in LISTS {
        let patch =
            format!("{{\"{field}\": [], \"{}\": null}}", field.replacen('o', "\\u006f", 1).replacen('a', "\\u0061", 1));
        let refused = json::read(&patch, &Limits::default()).unwrap_err();
        assert_eq!(refused.code.as_str(), "json.duplicate_name", "{patch}");
    }
}

#[test]
fn the_cases_reach_both_answers() {
    use std::cell::RefCell;
    let codes = RefCell::new(std::collections::BTreeMap::<String, u32>::new());
    let count = |case: &Case| {
        for trial in trials(case, real) {
            let mut codes = codes.borrow_mut();
            match trial.answer {
                Ok(_) => *codes.entry("ok".to_owned()).or_default() += 1,
                Err(refusals) => refusals.into_iter().for_each(|(code, _)| *codes.entry(code).or_default() += 1),
            }
        }
        Ok(())
    };
    assert!(!super::is_noticed(&cases(1..2, true), count));
    let codes = codes.into_inner();
    let expected = [
        "ok",
        "patch.type",
        "patch.text",
        "patch.unknown_field",
        "patch.unknown_item",
        "patch.reserved",
        "guard.append_only",
        "guard.kept",
        "guard.frozen",
        "guard.rights",
        "decision.rewritten",
        "decision.supersedes",
        "goal.missing",
    ];
    for code in expected {
        assert!(codes.get(code).is_some_and(|count| *count >= 3), "{code}: {codes:?}");
    }
    assert!(codes["ok"] > 600, "{codes:?}");
}
