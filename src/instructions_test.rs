use super::{Answer, instructions};
use crate::count::{TokenCounter, o200k};
use crate::guard::Guards;
use crate::json::Limits;

fn under(guards: &str, strict: bool) -> String {
    let guards = Guards::read(guards, &Limits::default()).unwrap();
    instructions(&Answer { guards: Some(&guards), strict, ..Answer::default() })
}

#[test]
fn they_are_short_and_teach_every_field() {
    for strict in [false, true] {
        let text = instructions(&Answer { strict, ..Answer::default() });
        let tokens = o200k().count(&text);
        assert!(tokens <= 180, "{tokens} tokens:\n{text}");
        for name in
            ["current_state", "decision_log", "constraints", "open_questions", "work_scope", "artifacts", "acceptance"]
        {
            assert!(text.contains(name), "{name} in {text}");
        }
        for rule in ["new ones only", "supersedes", "\"add\"", "\"remove\"", "pending|passed|failed|waived"] {
            assert!(text.contains(rule), "{rule} in {text}");
        }
        assert!(!text.contains("- goal"));
    }
    let plain = instructions(&Answer::default());
    for rule in ["\"baton_patch\"", "fenced", "any other key: any JSON", "never write stamp", "Leave out"] {
        assert!(plain.contains(rule), "{rule} in {plain}");
    }
}

#[test]
fn only_what_may_be_written_is_named() {
    let text = under(r#"{"writes": ["acceptance", "quality_signals", "stamp"]}"#, false);
    for name in
        ["current_state", "decision_log", "constraints", "open_questions", "artifact", "any other key", "stamp:"]
    {
        assert!(!text.contains(name), "{name} in {text}");
    }
    assert!(text.contains("- acceptance: only \"add\"") && text.contains("- quality_signals: any JSON\n"), "{text}");
    assert!(text.contains("pending|passed|failed|waived"), "{text}");
}

#[test]
fn a_goal_is_offered_only_where_it_is_free() {
    assert!(!under(r#"{"writes": ["goal"]}"#, false).contains("- goal"));
    let goal = under(r#"{"rules": {"goal": "free"}, "writes": ["goal"]}"#, false);
    assert!(goal.contains("- goal") && !goal.contains("\"add\""), "{goal}");
}

#[test]
fn the_rules_are_told() {
    let usual = instructions(&Answer::default());
    assert!(usual.contains("- constraints, acceptance: only \"add\": every item stays\n"), "{usual}");
    assert!(usual.contains("- open_questions, work_scope, artifacts: {\"add\": [], \"remove\": []}"), "{usual}");
    let rules = r#"{"rules": {"work_scope": "frozen", "artifacts": "append_only", "constraints": "free",
        "current_state": "kept", "notes": "frozen", "log": "append_only"}}"#;
    let text = under(rules, false);
    for line in [
        "- current_state: the list with every standing string, and new ones\n",
        "- open_questions, constraints: {\"add\": [], \"remove\": []} or the whole list\n",
        "- acceptance: only \"add\": every item stays\n",
        "- artifacts: only \"add\" of new items: what stands stays as it is\n",
        "- artifact: {\"name\", \"uri\", \"summary\"}\n",
        "- any other key, but notes (frozen), log (append_only): any JSON",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("work_scope"), "{text}");
}

#[test]
fn a_step_that_may_write_nothing_is_told_so() {
    for (guards, strict) in [
        (r#"{"writes": []}"#, false),
        (r#"{"writes": []}"#, true),
        (r#"{"writes": ["goal"]}"#, false),
        (r#"{"writes": ["notes"]}"#, true),
    ] {
        let text = under(guards, strict);
        assert!(text.contains("This step may change nothing: ") && !text.contains("\n- "), "{text}");
        assert_eq!(text.contains("an empty object"), !strict, "{text}");
        assert_eq!(text.contains("null for every member"), strict, "{text}");
    }
}

#[test]
fn a_strict_answer_is_one_object_of_the_schema() {
    let text = instructions(&Answer { strict: true, ..Answer::default() });
    assert!(text.contains("one JSON object of the given schema and nothing else"), "{text}");
    assert!(text.contains("null where nothing changes"), "{text}");
    for plain in ["fenced", "baton_patch", "whole list", "any other key", "removes it", "strings or", "Leave out"] {
        assert!(!text.contains(plain), "{plain} in {text}");
    }
}

#[test]
fn the_nonce_is_told() {
    let text = instructions(&Answer { nonce: Some("w7k2"), ..Answer::default() });
    assert!(text.contains("\"baton_patch:w7k2\""), "{text}");
}

#[test]
fn an_echo_of_them_is_no_patch() {
    // Nothing in them is a JSON object with the member, so an agent that repeats them has not answered.
    let nothing = Guards::read(r#"{"writes": []}"#, &Limits::default()).unwrap();
    for guards in [None, Some(&nothing)] {
        let text = instructions(&Answer { nonce: Some("w7k2"), guards, strict: false });
        assert!(!text.contains("\"baton_patch:w7k2\":") && !text.contains("```") && !text.contains("<baton_patch"));
    }
}
