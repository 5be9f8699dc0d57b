//! Systems that break the laws on purpose: each law has to notice those that are named for it.

use serde_json::{Value, json};

use super::Judgement;
use super::is_noticed;
use super::rebasing::{self, Rebaser, Settled};
use super::steps::{self, serde};
use super::systems::{Done, System, real};
use crate::oracle::{Refusals, Terms};

/// The library's answer, its baton spoilt.
fn spoilt(baton: &str, patch: &str, terms: &Terms, spoil: fn(&mut Value)) -> Result<Done, Refusals> {
    let mut done = real(baton, patch, terms)?;
    let mut after = serde(&done.after);
    spoil(&mut after);
    done.after = ordered_like(&done.after, &after);
    Ok(done)
}

/// `value` as text, with its members in the order that the library writes.
fn ordered_like(text: &str, value: &Value) -> String {
    let baton = super::systems::object(text);
    let names = baton.iter().map(|(name, _)| name.to_owned()).filter(|name| value.get(name).is_some());
    let members: Vec<_> = names.map(|name| (name.clone(), value[&name].clone())).collect();
    super::systems::read(&super::arbitrary::written(&members, false)).unwrap().to_json()
}

fn without_the_first_decision(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    spoilt(baton, patch, terms, |after| {
        if let Some(log) = after["decision_log"].as_array_mut().filter(|log| log.len() > 1) {
            log.remove(0);
        }
    })
}

fn without_the_last_decision(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    spoilt(baton, patch, terms, |after| {
        if let Some(log) = after["decision_log"].as_array_mut() {
            log.pop();
        }
    })
}

fn with_another_last_check(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    spoilt(baton, patch, terms, |after| {
        if let Some(last) = after["acceptance"].as_array_mut().and_then(|checks| checks.last_mut()) {
            last["status"] = "waived".into();
        }
    })
}

fn without_the_last_constraint(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    spoilt(baton, patch, terms, |after| {
        if let Some(list) = after["constraints"].as_array_mut() {
            list.pop();
        }
    })
}

fn at_the_same_revision(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    spoilt(baton, patch, terms, |after| {
        let revision = after["stamp"]["revision"].as_u64().unwrap();
        after["stamp"]["revision"] = json!(revision - 1);
    })
}

fn with_shorthand(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    let mut done = real(baton, patch, terms)?;
    done.after = done.after.replace("\"work_scope\": [\n    \"a\"\n  ]", "\"work_scope\": \"a\"");
    Ok(done)
}

fn with_sorted_members(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    let mut done = real(baton, patch, terms)?;
    let mut members: Vec<_> = serde(&done.after).as_object().unwrap().clone().into_iter().collect();
    members.sort_by(|one, two| one.0.cmp(&two.0));
    done.after = super::arbitrary::written(&members, false);
    Ok(done)
}

fn with_numbers_spelt_anew(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    let mut done = real(baton, patch, terms)?;
    done.after = done.after.replace("1.50", "1.5").replace("1E2", "100.0");
    Ok(done)
}

fn without_guards(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    let names = serde(baton).as_object().unwrap().keys().cloned().collect();
    real(baton, patch, &Terms { allow: names, writes: None, strict: terms.strict, rules: Vec::new() })
}

/// RFC 7396 alone: what is refused, or settled, by the library is merged as it stands.
fn replacing(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    let mut done = real(baton, r#"{"work_scope": {"add": []}}"#, terms)?;
    let mut document = serde(&done.after);
    json_patch::merge(&mut document, &serde(patch));
    document["stamp"] = serde(&done.after)["stamp"].clone();
    done.after =
        super::systems::read(&document.to_string()).map_err(|refused| super::systems::refusals(&refused))?.to_json();
    Ok(done)
}

fn with_one_refusal_only(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    real(baton, patch, terms).map_err(|refusals| refusals.into_iter().take(1).collect())
}

fn with_a_plain_patch_of_additions(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    let mut done = real(baton, patch, terms)?;
    let mut plain = serde(&done.plain);
    let standing = serde(baton)["decision_log"].as_array().map_or(0, Vec::len);
    if let Some(log) = plain["decision_log"].as_array_mut() {
        log.drain(..standing.min(log.len()));
    } else {
        plain.as_object_mut().unwrap().remove("decision_log");
    }
    done.plain = plain.to_string();
    Ok(done)
}

#[test]
fn every_law_of_the_steps_notices_its_breach() {
    type Law = fn(&steps::Case, System) -> Judgement;
    let table: [(&str, Law, &[System]); 7] = [
        (
            "oracle",
            steps::the_oracle_agrees,
            &[without_the_last_decision, with_another_last_check, replacing, without_guards, with_one_refusal_only],
        ),
        (
            "plain patches",
            steps::plain_patches_lead_to_the_same,
            &[with_a_plain_patch_of_additions, at_the_same_revision],
        ),
        ("log", steps::the_log_only_grows, &[without_the_first_decision, replacing]),
        ("kept", steps::what_is_kept_by_default_stands, &[without_the_last_constraint, without_guards, replacing]),
        ("rules", steps::rules_hold, &[without_guards, without_the_first_decision]),
        (
            "unnamed",
            steps::what_is_not_named_stays,
            &[with_sorted_members, with_numbers_spelt_anew, without_the_last_decision],
        ),
        ("reread", steps::what_is_written_reads_the_same, &[at_the_same_revision, with_shorthand]),
    ];
    for (name, law, twins) in table {
        let cases = steps::cases(1..3, ["rules", "unnamed"].contains(&name));
        for (index, twin) in twins.iter().enumerate() {
            assert!(is_noticed(&cases, |case| law(case, *twin)), "{name} does not notice its twin {index}");
        }
    }
}

fn answer(base: &str, head: &str, patch: &str, spoil: fn(&mut Settled)) -> Result<Settled, Refusals> {
    let mut settled = rebasing::real(base, head, patch)?;
    spoil(&mut settled);
    Ok(settled)
}

/// As if nobody had changed anything.
fn blind(base: &str, _: &str, patch: &str) -> Result<Settled, Refusals> {
    rebasing::real(base, base, patch)
}

/// As if the patch had been made from the head.
fn late(_: &str, head: &str, patch: &str) -> Result<Settled, Refusals> {
    rebasing::real(head, head, patch)
}

/// The patch wins where the library sees a conflict.
fn winning(base: &str, head: &str, patch: &str) -> Result<Settled, Refusals> {
    rebasing::real(base, head, patch).or_else(|_| late(base, head, patch))
}

fn losing(_: &str, head: &str, _: &str) -> Result<Settled, Refusals> {
    rebasing::real(head, head, "{}")
}

fn wary(base: &str, head: &str, patch: &str) -> Result<Settled, Refusals> {
    if base == head || serde(base) == serde(head) {
        return rebasing::real(base, head, patch);
    }
    Err([("base.conflict".to_owned(), String::new())].into())
}

fn repeating(base: &str, head: &str, patch: &str) -> Result<Settled, Refusals> {
    answer(base, head, patch, |settled| {
        if let Some(log) = settled.baton["decision_log"].as_array_mut() {
            log.extend(log.last().cloned());
        }
    })
}

fn forgetting_what_was_superseded(base: &str, head: &str, patch: &str) -> Result<Settled, Refusals> {
    let standing = serde(head)["decision_log"].as_array().map_or(0, Vec::len);
    let mut settled = rebasing::real(base, head, patch)?;
    for decision in settled.baton["decision_log"].as_array_mut().into_iter().flatten().skip(standing) {
        decision.as_object_mut().unwrap().remove("supersedes");
    }
    Ok(settled)
}

#[test]
fn every_law_of_rebase_notices_its_breach() {
    type Law = fn(&rebasing::Case, Rebaser) -> Judgement;
    let table: [(&str, Law, &[Rebaser]); 6] = [
        ("at base", rebasing::at_its_base_nothing_changes, &[losing]),
        ("apart", rebasing::apart_it_is_as_if_made_from_the_head, &[blind, losing, wary, repeating]),
        (
            "decisions",
            rebasing::decisions_of_both_sides_stand_once,
            &[blind, losing, repeating, forgetting_what_was_superseded],
        ),
        ("lists", rebasing::lists_take_what_both_sides_did, &[blind, late, losing]),
        ("order", rebasing::the_order_of_the_sides_does_not_matter, &[late, losing]),
        ("conflicts", rebasing::conflicts_are_two_different_changes, &[winning, wary, blind]),
    ];
    for (name, law, twins) in table {
        for (index, twin) in twins.iter().enumerate() {
            assert!(is_noticed(&rebasing::cases(), |case| law(case, *twin)), "{name} does not notice its twin {index}");
        }
    }
}
