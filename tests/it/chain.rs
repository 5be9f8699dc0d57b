//! The whole way of an answer, in one call.

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Budget, Id, Timestamp};
use relay_baton::count::TokenCounter;
use relay_baton::json::Limits;
use relay_baton::parse::Dialect;
use relay_baton::refusal::Refused;
use relay_baton::relay::{Applied, Base, Relay};

/// Counts four bytes as a token.
struct Quarters;

impl TokenCounter for Quarters {
    fn encoding(&self) -> &str {
        "quarters"
    }

    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn adds_up_by_line(&self) -> bool {
        false
    }
}

const BATON: &str = r#"{"goal": "Ship it", "constraints": ["No breaking changes"], "decision_log": ["Use Rust"]}"#;

fn relay<'b, 'a>(step: &str) -> Relay<'b, 'a> {
    Relay::new(Attribution {
        step: Id::new(step).unwrap(),
        by: Id::new("bot").unwrap(),
        at: Timestamp::parse("2026-01-02T04:04:05+01:00").unwrap(),
    })
}

fn read(text: &str) -> Baton<'_> {
    Baton::read(text, &Limits::default()).unwrap()
}

fn apply<'a>(relay: &Relay<'_, 'a>, text: &'a str, answer: &'a str) -> Result<Applied<'a>, Refused> {
    relay.apply(read(text), answer, &Quarters)
}

#[test]
fn an_answer_becomes_the_next_revision() {
    let answer = "Here:\n```baton_patch\n{\"current_state\": \"Built\"}\n```\n";
    let applied = apply(&relay("build"), BATON, answer).unwrap();
    let stamp = applied.baton.stamp();
    assert_eq!((stamp.revision, stamp.step, stamp.by), (1, Some("build"), Some("bot")));
    assert_eq!(stamp.at, Some("2026-01-02T03:04:05.000Z"));
    assert_eq!(applied.changed, ["/current_state"]);
    assert!(applied.notices.is_empty());
    assert!(applied.rendering.text().contains("Built"));
    assert_eq!(applied.rendering.tokens(), Some(applied.rendering.text().len().div_ceil(4)));
}

#[test]
fn the_same_answer_again_is_a_replay() {
    let answer = r#"{"decision_log": ["New"]}"#;
    let first = apply(&relay("build"), BATON, answer).unwrap().baton.to_json();
    let again = apply(&relay("build"), &first, answer).unwrap();
    assert_eq!(again.baton.to_json(), first);
    assert_eq!(again.notices.iter().map(|notice| notice.code).collect::<Vec<_>>(), ["replayed"]);
    let other_step = apply(&relay("review"), &first, answer).unwrap();
    assert_eq!(other_step.baton.revision(), 2);
    assert_eq!(other_step.baton.decisions().count(), 2);
}

#[test]
fn a_refusal_stands_at_its_place_in_the_answer() {
    let answer = "Well é:\n<baton_patch>\n{\"current_state\": [\"x\"],\n \"constraints\": [1]}</baton_patch>";
    let refused = apply(&relay("build"), BATON, answer).unwrap_err();
    let one = &refused.refusals()[0];
    let position = one.position.unwrap();
    assert_eq!((one.code.as_str(), one.at.as_str()), ("patch.type", "/constraints/0"));
    assert_eq!((position.line, position.column, position.offset), (4, 18, answer.find("1]").unwrap()));
}

#[test]
fn every_violation_is_reported_at_once() {
    let answer = r#"{"goal": "Other", "constraints": {"remove": ["No breaking changes"]}, "work_scope": [1, null],
        "decision_log": [{"id": "D1", "decision": "x"}], "open_questions": {"remove": "y"}, "stamp": {}, "decisions": []}"#;
    let refused = apply(&relay("build"), BATON, answer).unwrap_err();
    let found: Vec<String> = refused.refusals().iter().map(|one| format!("{} {}", one.code, one.at)).collect();
    assert_eq!(
        found,
        [
            "patch.reserved /stamp",
            "patch.type /work_scope/0",
            "patch.type /work_scope/1",
            "decision.rewritten /decision_log/0/decision",
            "patch.unknown_item /open_questions/remove/0",
            "patch.unknown_field /decisions",
            "guard.frozen /goal",
            "guard.kept /constraints",
        ]
    );
    assert!(refused.refusals().iter().all(|one| one.position.is_some()));
}

#[test]
fn a_base_that_is_not_at_hand_is_a_conflict() {
    let mut relay = relay("build");
    for base in [1, 7] {
        relay.base = Base::Revision(base);
        let refused = apply(&relay, BATON, r#"{"current_state": "x"}"#).unwrap_err();
        assert_eq!(refused.refusals()[0].code.as_str(), "base.unknown");
    }
    relay.base = Base::Revision(0);
    assert!(apply(&relay, BATON, r#"{"current_state": "x"}"#).is_ok());
}

#[test]
fn an_older_baton_as_base_takes_both_sides() {
    let base = read(BATON);
    let head = apply(&relay("one"), BATON, r#"{"decision_log": ["Theirs"], "notes": 1}"#).unwrap().baton.to_json();
    let mut relay = relay("two");
    relay.base = Base::Baton(&base);
    let answer = r#"{"decision_log": [{"id": "D2", "decision": "Ours"}]}"#;
    let applied = apply(&relay, &head, answer).unwrap();
    let log: Vec<String> = applied.baton.decisions().map(|one| format!("{} {}", one.id(), one.text())).collect();
    assert_eq!(log, ["D1 Use Rust", "D2 Theirs", "D3 Ours"]);
    let refused = apply(&relay, &head, r#"{"notes": 2}"#).unwrap_err();
    assert_eq!(refused.refusals()[0].code.as_str(), "base.conflict");
    assert!(refused.refusals()[0].detail.contains("step `one` by `bot`"));
}

#[test]
fn what_is_never_shed_has_to_fit() {
    let mut relay = relay("build");
    relay.budget = Some(Budget { tokens: 100, encoding: "quarters" });
    let long = format!(r#"{{"current_state": "{}"}}"#, "word ".repeat(100));
    let refused = apply(&relay, BATON, &long).unwrap_err();
    assert_eq!(refused.refusals()[0].code.as_str(), "fit.over_budget");
    assert!(apply(&relay, BATON, r#"{"current_state": "x"}"#).is_ok());
}

#[test]
fn the_dialect_decides_what_null_means() {
    let mut relay = relay("build");
    let answer = r#"{"goal": null, "current_state": "x"}"#;
    assert_eq!(apply(&relay, BATON, answer).unwrap_err().refusals()[0].code.as_str(), "guard.frozen");
    relay.dialect = Dialect::Strict;
    assert!(apply(&relay, BATON, answer).is_ok());
}

#[test]
fn a_baton_that_nobody_could_read_is_not_made() {
    let mut relay = relay("build");
    relay.extraction.limits = Limits::default().with_bytes(700);
    let refused = apply(&relay, BATON, &format!(r#"{{"x": [{}1]}}"#, "1,".repeat(80))).unwrap_err();
    assert_eq!(refused.refusals()[0].code.as_str(), "json.size");
    let last = r#"{"goal": "g", "stamp": {"revision": 9007199254740991}}"#;
    let refused = apply(&relay, last, r#"{"current_state": "x"}"#).unwrap_err();
    assert_eq!(
        (refused.refusals()[0].code.as_str(), refused.refusals()[0].at.as_str()),
        ("baton.type", "/stamp/revision")
    );
    let one_before = r#"{"goal": "g", "stamp": {"revision": 9007199254740990}}"#;
    let applied = apply(&relay, one_before, r#"{"current_state": "x"}"#).unwrap();
    assert!(Baton::read(&applied.document, &Limits::default()).is_ok());
}

#[test]
fn the_budget_is_held_against_what_a_guard_refuses_too() {
    let mut relay = relay("build");
    relay.budget = Some(Budget { tokens: 100, encoding: "quarters" });
    let long = format!(r#"{{"goal": "Other", "current_state": "{}"}}"#, "word ".repeat(200));
    let refused = apply(&relay, BATON, &long).unwrap_err();
    let codes: Vec<&str> = refused.refusals().iter().map(|one| one.code.as_str()).collect();
    assert_eq!(codes, ["guard.frozen", "fit.over_budget"]);
}

#[test]
fn a_base_of_another_chain_is_refused() {
    let head = r#"{"goal": "g", "decision_log": ["A", "B"], "stamp": {"revision": 3, "task": "t"}}"#;
    for base in [
        r#"{"goal": "g", "decision_log": ["B"], "stamp": {"revision": 1, "task": "t"}}"#,
        r#"{"goal": "g", "decision_log": ["A"], "stamp": {"revision": 1, "task": "u"}}"#,
        r#"{"goal": "g", "decision_log": ["A"], "stamp": {"revision": 1}}"#,
    ] {
        let base = read(base);
        let mut relay = relay("build");
        relay.base = Base::Baton(&base);
        let refused = apply(&relay, head, r#"{"current_state": "x"}"#).unwrap_err();
        assert_eq!(refused.refusals()[0].code.as_str(), "base.unknown");
    }
}

#[test]
fn a_moment_has_a_year_of_four_digits() {
    assert!(Timestamp::parse("9999-12-31T23:59:59-01:00").is_none());
    assert!(Timestamp::parse("0000-01-01T00:00:00+23:59").is_none());
    assert_eq!(Timestamp::parse("2026-01-02T03:04:05.6789+01:00").unwrap().as_str(), "2026-01-02T02:04:05.678Z");
}
