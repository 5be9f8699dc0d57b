#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::fixture::id as name;
use crate::json::{Limits, read};

/// So many seconds after the approval was asked for.
fn at(seconds: u64) -> Timestamp {
    Timestamp::parse("2026-01-02T03:04:05Z").unwrap().plus_seconds(seconds).unwrap()
}

fn digest_of(arguments: &str) -> String {
    let task = BoardId { tenant: name("acme"), task: name("login") };
    let arguments = read(arguments, &Limits::default()).unwrap();
    digest(&task, "run-1", &name("sender"), &name("email"), Some(&arguments))
}

/// Asked for at 0, to be used before 60.
fn requested() -> Approval {
    let digest = digest_of(r#"{"to":"lee"}"#);
    Approval::request(id(&digest, 1), digest, &at(0), Some(60))
}

fn grant(by: &str) -> Event {
    Event::Grant { by: name(by) }
}

fn deny(by: &str) -> Event {
    Event::Deny { by: name(by), why: Some("not today".to_owned()) }
}

fn consume() -> Event {
    Event::Consume { digest: requested().digest }
}

/// An approval in that state, decided by kim at 10 where it is decided.
fn in_state(state: State) -> Approval {
    let after = |events: &[(Event, u64)]| {
        let step = |approval: Approval, (event, now): &(Event, u64)| approval.step(event.clone(), &at(*now)).unwrap();
        events.iter().fold(requested(), step)
    };
    let approval = match state {
        State::Requested => requested(),
        State::Granted => after(&[(grant("kim"), 10)]),
        State::Denied => after(&[(deny("kim"), 10)]),
        State::Expired => after(&[(grant("kim"), 10), (Event::Tick, 60)]),
        State::Consumed => after(&[(grant("kim"), 10), (consume(), 11)]),
        State::Void => after(&[(grant("kim"), 10), (Event::Void, 11)]),
    };
    assert_eq!(approval.state, state);
    approval
}

type Expected = Result<State, Code>;

/// What becomes of each state at each event, before and after it expires: in the order of [`State::ALL`].
fn table() -> Vec<(Event, [Expected; 6], [Expected; 6])> {
    use Code::{ApprovalDecided, ApprovalExpired, ApprovalMismatch, ApprovalVoid, CallState};
    use State::{Consumed, Denied, Expired, Granted, Void};
    let (decided, expired, void) = (Err(ApprovalDecided), Err(ApprovalExpired), Err(ApprovalVoid));
    let mismatch = [Err(ApprovalMismatch); 6];
    let foreign = Event::Consume { digest: digest_of(r#"{"to":"mallory"}"#) };
    vec![
        (
            grant("kim"),
            [Ok(Granted), Ok(Granted), decided, expired, Ok(Consumed), void],
            [expired, expired, decided, expired, Ok(Consumed), void],
        ),
        (
            grant("lee"),
            [Ok(Granted), decided, decided, expired, decided, void],
            [expired, expired, decided, expired, decided, void],
        ),
        (
            deny("kim"),
            [Ok(Denied), decided, Ok(Denied), expired, decided, void],
            [expired, expired, Ok(Denied), expired, decided, void],
        ),
        (
            deny("lee"),
            [Ok(Denied), decided, decided, expired, decided, void],
            [expired, expired, decided, expired, decided, void],
        ),
        (
            Event::Tick,
            [Ok(State::Requested), Ok(Granted), Ok(Denied), Ok(Expired), Ok(Consumed), Ok(Void)],
            [Ok(Expired), Ok(Expired), Ok(Denied), Ok(Expired), Ok(Consumed), Ok(Void)],
        ),
        (
            consume(),
            [Err(CallState), Ok(Consumed), decided, expired, decided, void],
            [expired, expired, decided, expired, decided, void],
        ),
        (foreign, mismatch, mismatch),
        (
            Event::Void,
            [Ok(Void), Ok(Void), decided, expired, decided, Ok(Void)],
            [Ok(Void), Ok(Void), decided, expired, decided, Ok(Void)],
        ),
    ]
}

#[test]
fn every_pair_of_state_and_event_is_as_in_the_table() {
    for (event, early, late) in table() {
        for (now, row) in [(20, early), (60, late), (999, late)] {
            for (before, expected) in State::ALL.into_iter().zip(row) {
                let approval = in_state(before);
                let found = approval.step(event.clone(), &at(now));
                let state = found.as_ref().map(|after| after.state).map_err(|refusal| refusal.code);
                assert_eq!(state, expected, "{event:?} when {before:?} at {now}");
                let Ok(after) = found else { continue };
                if after.state == before {
                    assert_eq!(after, approval, "{event:?} when {before:?}: nothing changes, nor who decided when");
                }
                assert_eq!((&after.id, &after.digest, &after.requested_at), (&approval.id, &approval.digest, &at(0)));
            }
        }
    }
}

#[test]
fn a_decision_is_kept_with_who_when_and_why() {
    let decision =
        |by: &str, why: Option<&str>| Some(Decision { by: name(by), at: at(10), why: why.map(str::to_owned) });
    assert_eq!(in_state(State::Granted).decision, decision("kim", None));
    assert_eq!(in_state(State::Denied).decision, decision("kim", Some("not today")));
    for state in [State::Consumed, State::Expired, State::Void] {
        assert_eq!(in_state(state).decision, decision("kim", None), "{state:?}");
    }
    assert_eq!(requested().step(Event::Tick, &at(60)).unwrap().decision, None);
}

#[test]
fn a_refusal_names_who_decided_and_when() {
    let id = requested().id;
    let detail = |state: State, event: Event| in_state(state).step(event, &at(20)).unwrap_err().detail;
    let when = "by `kim` at 2026-01-02T03:04:15.000Z";
    assert_eq!(detail(State::Granted, deny("lee")), format!("approval `{id}` was granted {when}"));
    assert_eq!(detail(State::Denied, grant("lee")), format!("approval `{id}` was denied {when}"));
    assert_eq!(detail(State::Consumed, consume()), format!("approval `{id}` was granted {when}, and used"));
    let late = requested().step(grant("kim"), &at(60)).unwrap_err().detail;
    assert_eq!(late, format!("approval `{id}` expired at 2026-01-02T03:05:05.000Z: it has to be asked for again"));
}

#[test]
fn it_expires_at_its_moment_and_not_before() {
    let just_before = Timestamp::parse("2026-01-02T03:05:04.999Z").unwrap();
    assert_eq!(requested().step(Event::Tick, &just_before).unwrap(), requested());
    assert_eq!(requested().step(grant("kim"), &just_before).unwrap().state, State::Granted);
    assert_eq!(in_state(State::Granted).step(consume(), &just_before).unwrap().state, State::Consumed);
    assert_eq!(requested().step(Event::Tick, &at(60)).unwrap().state, State::Expired);
    // A clock that goes back brings nothing back.
    assert_eq!(in_state(State::Expired).step(grant("kim"), &at(1)).unwrap_err().code, Code::ApprovalExpired);
}

#[test]
fn without_a_time_it_waits_for_ever() {
    let digest = digest_of("null");
    let never = Approval::request(id(&digest, 1), digest.clone(), &at(0), None);
    let far = Timestamp::parse("9999-12-31T23:59:59Z").unwrap();
    assert_eq!(never.expires_at, None);
    assert_eq!(never.step(Event::Tick, &far).unwrap(), never);
    assert_eq!(never.step(grant("kim"), &far).unwrap().state, State::Granted);
    for seconds in [u64::MAX, u64::MAX / 1000, 1 << 50] {
        assert_eq!(Approval::request(id(&digest, 1), digest.clone(), &at(0), Some(seconds)), never);
    }
    let now = Approval::request(id(&digest, 1), digest, &at(0), Some(0));
    assert_eq!(now.step(grant("kim"), &at(0)).unwrap_err().code, Code::ApprovalExpired);
}

#[test]
fn it_is_of_one_call_and_no_other() {
    let task = |tenant: &str, task: &str| BoardId { tenant: name(tenant), task: name(task) };
    let arguments = Value::string("x");
    let with = |task: &BoardId, run: &str, agent: &str, tool: &str| {
        digest(task, run, &name(agent), &name(tool), Some(&arguments))
    };
    let one = with(&task("acme", "login"), "r", "a", "t");
    let different = [
        one.clone(),
        with(&task("acmel", "ogin"), "r", "a", "t"),
        with(&task("login", "acme"), "r", "a", "t"),
        with(&task("acme", "login"), "ra", "a", "t"),
        with(&task("acme", "login"), "", "ra", "t"),
        with(&task("acme", "login"), "r", "at", "t"),
        with(&task("acme", "login"), "r", "t", "a"),
        digest(&task("acme", "login"), "r", &name("a"), &name("t"), None),
        digest(&task("acme", "login"), "r", &name("a"), &name("t"), Some(&Value::Null)),
        crate::call::key(&name("r"), &name("a"), &name("t"), Some(&arguments)).to_string(),
    ];
    assert_eq!(different.iter().collect::<BTreeSet<_>>().len(), different.len());
    assert!(different.iter().all(|digest| crate::entry::is_digest(digest)));
    assert_eq!(digest_of(r#"{"a":1.0,"b":2}"#), digest_of(r#"{"b":2,"a":1}"#));
    assert_eq!(with(&task("acme", "login"), "r", "a", "t"), one);
}

#[test]
fn each_attempt_has_a_name_of_its_own() {
    let (one, two) = (digest_of("1"), digest_of("2"));
    let names =
        [id(&one, 1), id(&one, 2), id(&two, 1), id(&two, 2), id(&one, 12), id(&format!("{one}1"), 2), id("", u64::MAX)];
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    assert_eq!(id(&one, 1), names[0]);
}

#[test]
fn it_comes_back_as_it_was_saved() {
    for state in State::ALL {
        let approval = in_state(state);
        let saved = serde_json::to_string(&approval).unwrap();
        assert_eq!(serde_json::from_str::<Approval>(&saved).unwrap(), approval, "{saved}");
        assert!(saved.contains(&format!(r#""state":"{}""#, state.name())), "{saved}");
        assert_eq!(
            (State::named(state.name()), state.is_open()),
            (Some(state), [State::Requested, State::Granted].contains(&state))
        );
    }
    assert_eq!(State::named("used"), None);
    for event in [grant("kim"), deny("kim"), Event::Tick, consume(), Event::Void] {
        let saved = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&saved).unwrap(), event);
    }
}

fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => "kim|lee".prop_map(|by| grant(&by)),
        2 => "kim|lee".prop_map(|by| deny(&by)),
        2 => Just(Event::Tick),
        3 => Just(consume()),
        1 => Just(Event::Consume { digest: digest_of("null") }),
        1 => Just(Event::Void),
    ]
}

proptest! {
    #[test]
    fn it_is_used_at_most_once_and_only_once_granted(steps in prop::collection::vec((events(), 0u64..90), 0..20)) {
        let (mut approval, mut used, mut decisions) = (requested(), 0, BTreeSet::new());
        for (event, now) in steps {
            let Ok(after) = approval.step(event.clone(), &at(now)) else { continue };
            if let Event::Consume { digest } = &event {
                used += 1;
                prop_assert_eq!((approval.state, digest), (State::Granted, &approval.digest));
                prop_assert!(now < 60);
            }
            decisions.extend(after.decision.as_ref().map(|decision| format!("{decision:?}")));
            prop_assert!(approval.state.is_open() || after == approval, "what is over stays");
            approval = after;
        }
        prop_assert!(used <= 1);
        prop_assert!(decisions.len() <= 1, "a decision stands as it was made");
        prop_assert_eq!(used == 1, approval.state == State::Consumed);
    }
}
