#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::fixture::id;
use crate::json::arbitrary::value;
use crate::json::{Limits, read};

const EVENTS: [Event; 11] = [
    Event::Ask,
    Event::Grant,
    Event::Deny,
    Event::Expire,
    Event::Withdraw,
    Event::Begin,
    Event::Finish,
    Event::Fail,
    Event::Lose,
    Event::Resolve { happened: true },
    Event::Resolve { happened: false },
];

type Row = (State, Event, State, &'static [Effect]);

/// What can happen to a call with side effects.
const WITH: &[Row] = &[
    (State::Requested, Event::Ask, State::Pending, &[Effect::RequestApproval]),
    (State::Pending, Event::Grant, State::Approved, &[]),
    (State::Pending, Event::Deny, State::Denied, &[Effect::Tell]),
    (State::Pending, Event::Expire, State::Denied, &[Effect::Tell]),
    (State::Approved, Event::Expire, State::Denied, &[Effect::Tell]),
    (State::Pending, Event::Withdraw, State::Requested, &[]),
    (State::Approved, Event::Withdraw, State::Requested, &[]),
    (State::Approved, Event::Begin, State::Intent, &[Effect::Start]),
    (State::Intent, Event::Finish, State::Done, &[Effect::Tell]),
    (State::Intent, Event::Fail, State::Failed, &[Effect::Tell]),
    (State::Intent, Event::Lose, State::Unknown, &[Effect::PutToPerson]),
    (State::Unknown, Event::Resolve { happened: true }, State::Resolved, &[Effect::Tell]),
    (State::Unknown, Event::Resolve { happened: false }, State::Resolved, &[Effect::Tell]),
];

/// Where a call without side effects differs: what it can do besides, and what it cannot.
const WITHOUT: &[Row] = &[
    (State::Requested, Event::Begin, State::Intent, &[Effect::Start]),
    (State::Intent, Event::Lose, State::Requested, &[]),
];

fn expected(state: State, event: Event, side_effects: bool) -> Option<(State, Vec<Effect>)> {
    let find =
        |rows: &[Row]| rows.iter().find(|row| (row.0, row.1) == (state, event)).map(|row| (row.2, row.3.to_vec()));
    if side_effects {
        return find(WITH);
    }
    find(WITHOUT).or_else(|| find(WITH).filter(|_| (state, event) != (State::Requested, Event::Ask)))
}

#[test]
fn every_pair_of_state_and_event_is_as_in_the_table() {
    let mut allowed = 0;
    for state in State::ALL {
        for (event, side_effects) in EVENTS.into_iter().flat_map(|event| [(event, true), (event, false)]) {
            let found = step(state, event, side_effects);
            match (expected(state, event, side_effects), &found) {
                (Some(expected), Ok(found)) => assert_eq!(*found, expected, "{state:?} {event:?} {side_effects}"),
                (None, Err(refusal)) => assert_eq!(refusal.code, Code::CallState),
                (expected, _) => panic!("{state:?} {event:?} {side_effects}: {found:?}, expected {expected:?}"),
            }
            allowed += usize::from(found.is_ok());
        }
    }
    // Without side effects: one that asks less, one that begins at once more.
    assert_eq!(allowed, WITH.len() * 2);
}

#[test]
fn a_refusal_says_what_cannot_happen_to_what() {
    let refusal = step(State::Requested, Event::Begin, true).unwrap_err();
    assert_eq!(refusal.detail, "a call with side effects that is `requested` cannot `begin`");
}

#[test]
fn an_effect_starts_only_on_the_way_into_intent_and_after_a_grant() {
    for (state, event) in State::ALL.into_iter().flat_map(|state| EVENTS.map(|event| (state, event))) {
        for side_effects in [true, false] {
            let Ok((after, effects)) = step(state, event, side_effects) else { continue };
            assert_eq!(effects.contains(&Effect::Start), after == State::Intent, "{state:?} {event:?}");
            if after == State::Intent && side_effects {
                assert_eq!((state, event), (State::Approved, Event::Begin));
            }
            assert_eq!(effects.contains(&Effect::Tell), is_settled(after), "{state:?} {event:?}");
            assert_eq!(after == State::Approved, event == Event::Grant);
        }
    }
}

/// Every state that a call in `state` can come to.
fn reachable(state: State, side_effects: bool) -> BTreeSet<State> {
    let (mut found, mut next) = (BTreeSet::new(), vec![state]);
    while let Some(state) = next.pop() {
        let ways = EVENTS.into_iter().filter_map(|event| step(state, event, side_effects).ok());
        next.extend(ways.map(|(after, _)| after).filter(|after| found.insert(*after)));
    }
    found
}

#[test]
fn a_call_with_side_effects_starts_at_most_once_and_one_without_may_again() {
    assert!(!reachable(State::Intent, true).contains(&State::Intent));
    assert!(reachable(State::Intent, false).contains(&State::Intent));
    for state in State::ALL {
        assert!(reachable(State::Requested, true).contains(&state), "{state:?}");
        let ends = reachable(state, true).into_iter().filter(|after| is_settled(*after)).count();
        assert_eq!(ends == 0, is_settled(state), "{state:?} comes to an end");
    }
}

#[test]
fn what_is_settled_stays_and_what_waits_for_a_person_is_known() {
    for state in State::ALL {
        let stuck =
            EVENTS.into_iter().all(|event| step(state, event, true).is_err() && step(state, event, false).is_err());
        assert_eq!(is_settled(state), stuck, "{state:?}");
        assert_eq!(State::named(state.name()), Some(state));
        assert_eq!(serde_json::to_string(&state).unwrap(), format!("\"{}\"", state.name()));
    }
    let waiting: Vec<State> = State::ALL.into_iter().filter(|state| waits_for_person(*state)).collect();
    assert_eq!(waiting, [State::Pending, State::Unknown]);
    assert_eq!(State::named("begun"), None);
    for event in EVENTS {
        let saved = serde_json::to_string(&event).unwrap();
        assert!(saved.contains(event.name()), "{saved}");
        assert_eq!(serde_json::from_str::<Event>(&saved).unwrap(), event);
    }
}

fn key_of(parts: [&str; 3], arguments: Option<&str>) -> String {
    let arguments = arguments.map(|text| read(text, &Limits::default()).unwrap());
    let [subtask, agent, tool] = parts.map(id);
    key(&subtask, &agent, &tool, arguments.as_ref()).to_string()
}

#[test]
fn a_key_is_the_digest_of_framed_parts() {
    let mut bytes = Vec::new();
    for part in ["relay-baton call v1", "build", "builder", "compile", r#"{"a":1,"b":[2]}"#] {
        bytes.extend([0; 7]);
        bytes.push(part.len() as u8);
        bytes.extend(part.as_bytes());
    }
    let expected = crate::json::digest(&bytes);
    assert_eq!(key_of(["build", "builder", "compile"], Some(r#"{"b": [2.0], "a": 1e0}"#)), expected);
    assert!(crate::entry::is_digest(&expected));
}

#[test]
fn spelling_does_not_count_and_everything_else_does() {
    let parts = ["s", "a", "t"];
    assert_eq!(key_of(parts, Some(r#"{"x":1,"y":"\u0061"}"#)), key_of(parts, Some(r#" {"y":"a", "x":1.0}"#)));
    let different = [
        key_of(parts, None),
        key_of(parts, Some("null")),
        key_of(parts, Some("{}")),
        key_of(parts, Some("[]")),
        key_of(parts, Some("\"\"")),
        key_of(parts, Some("[1,2]")),
        key_of(parts, Some("[2,1]")),
        key_of(parts, Some("1")),
        key_of(parts, Some("\"1\"")),
        // Composed and decomposed: two texts, so two calls.
        key_of(parts, Some("\"\u{e9}\"")),
        key_of(parts, Some("\"e\u{301}\"")),
        key_of(["ab", "c", "t"], None),
        key_of(["a", "bc", "t"], None),
        key_of(["a", "b", "ct"], None),
        key_of(["s", "t", "a"], None),
        key_of(["S", "a", "t"], None),
        key_of(["s", "a", "tnull"], None),
    ];
    assert_eq!(different.iter().collect::<BTreeSet<_>>().len(), different.len());
}

#[test]
fn a_part_that_looks_like_a_frame_is_not_one() {
    let arguments = read("1", &Limits::default()).unwrap();
    let one = framed("d", &["a\0\0\0\0\0\0\0\u{1}b"], None);
    assert_ne!(one, framed("d", &["a", "b"], None));
    assert_ne!(framed("d", &["a", "1"], None), framed("d", &["a"], Some(&Value::string("1"))));
    // The arguments are the last part; how many come before them belongs to the domain.
    assert_eq!(framed("d", &["a", "1"], None), framed("d", &["a"], Some(&arguments)));
}

proptest! {
    #[test]
    fn equal_calls_have_equal_keys_and_no_others(
        one in ("[ab]{1,3}", "[ab]{1,3}", "[ab]{1,3}", prop::option::of(value())),
        two in ("[ab]{1,3}", "[ab]{1,3}", "[ab]{1,3}", prop::option::of(value())),
    ) {
        let key = |call: &(String, String, String, Option<Value<'static>>)| key(&id(&call.0), &id(&call.1), &id(&call.2), call.3.as_ref());
        prop_assert_eq!(key(&one) == key(&two), one == two);
        let same_words = (one.0.clone(), one.1.clone(), one.2.clone(), two.3.clone());
        prop_assert_eq!(key(&one) == key(&same_words), one.3 == two.3);
    }

    #[test]
    fn no_two_lists_of_parts_have_the_same_bytes(
        one in prop::collection::vec("[ab\0\u{1}]{0,3}", 0..4),
        two in prop::collection::vec("[ab\0\u{1}]{0,3}", 0..4),
    ) {
        let bytes = |parts: &[String]| framed("d", &parts.iter().map(String::as_str).collect::<Vec<_>>(), None);
        prop_assert_eq!(bytes(&one) == bytes(&two), one == two);
    }
}
