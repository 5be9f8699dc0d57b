use super::{Answer, instructions};
use crate::count::{TokenCounter, o200k};

#[test]
fn they_are_short_and_teach_every_field() {
    let text = instructions(&Answer::default());
    let tokens = o200k().count(&text);
    assert!(tokens <= 180, "{tokens} tokens:\n{text}");
    for name in
        ["current_state", "decision_log", "constraints", "open_questions", "work_scope", "artifacts", "acceptance"]
    {
        assert!(text.contains(name), "{name} in {text}");
    }
    for rule in [
        "\"baton_patch\"",
        "new decisions only",
        "supersedes",
        "\"add\"",
        "\"remove\"",
        "Never write stamp",
        "Leave out",
    ] {
        assert!(text.contains(rule), "{rule} in {text}");
    }
    assert!(!text.contains("- goal"));
}

#[test]
fn only_what_may_be_written_is_named() {
    let text = instructions(&Answer { writable: Some(&["acceptance", "quality_signals"]), ..Answer::default() });
    for name in ["current_state", "decision_log", "constraints", "open_questions", "artifacts", "any other key"] {
        assert!(!text.contains(name), "{name} in {text}");
    }
    assert!(
        text.contains("acceptance")
            && text.contains("quality_signals: any JSON")
            && text.contains("pending|passed|failed|waived")
    );
    let goal = instructions(&Answer { writable: Some(&["goal"]), ..Answer::default() });
    assert!(goal.contains("- goal") && !goal.contains("\"add\""));
}

#[test]
fn the_nonce_and_the_dialect_are_told() {
    let text = instructions(&Answer { nonce: Some("w7k2"), strict: true, ..Answer::default() });
    assert!(
        text.contains("\"baton_patch:w7k2\"") && text.contains("Write null") && !text.contains("Leave out"),
        "{text}"
    );
}

#[test]
fn an_echo_of_them_is_no_patch() {
    // Nothing in them is a JSON object with the member, so an agent that repeats them has not answered.
    let text = instructions(&Answer { nonce: Some("w7k2"), ..Answer::default() });
    assert!(!text.contains("\"baton_patch:w7k2\":") && !text.contains("```") && !text.contains("<baton_patch"));
}
