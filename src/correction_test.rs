use proptest::prelude::*;

use super::correction;
use crate::instructions::Answer;
use crate::refusal::{Code, Position, Refusal, Refused};
use crate::render::hostile::{cases, hostile};

fn refused(refusals: Vec<Refusal>) -> Refused {
    Refused::unless_empty(refusals, ()).unwrap_err()
}

fn with(nonce: &str) -> Answer<'_> {
    Answer { nonce: Some(nonce), ..Answer::default() }
}

#[test]
fn a_strict_step_is_asked_for_one_object_of_the_schema() {
    let kept = Refusal::new(Code::GuardKept, "/constraints", "`No x` is gone; keep it");
    let text = correction(&refused(vec![kept]), &Answer { strict: true, ..Answer::default() });
    assert!(text.contains("one whole corrected JSON object of the given schema and nothing else"), "{text}");
    assert!(!text.contains("fenced") && !text.contains("baton_patch"), "{text}");
}

#[test]
fn what_a_detail_quotes_is_escaped_once() {
    let detail = format!("{} must survive", crate::text::quote("two\nlines \\n"));
    let text = correction(&refused(vec![Refusal::new(Code::GuardKept, "", detail)]), &Answer::default());
    assert!(text.contains(r"- guard.kept: `two\nlines \\n` must survive"), "{text}");
}

#[test]
fn it_says_what_was_wrong_and_what_to_do() {
    let position = Position { offset: 40, line: 3, column: 5 };
    let kept = Refusal::new(Code::GuardKept, "/constraints", "`No x` is gone; keep it").in_text(position);
    let text = correction(&refused(vec![kept]), &with("w7k2"));
    assert!(
        text.contains("\n- guard.kept at /constraints (line 3, column 5): `No x` is gone; keep it\n```\n"),
        "{text}"
    );
    assert!(text.contains("Correct every point. Answer again with one whole corrected patch"), "{text}");
    assert!(text.contains("\"baton_patch:w7k2\"") && !text.contains("left out"), "{text}");
    let stale = Refusal::new(Code::BaseConflict, "/goal", "changed by both");
    assert!(correction(&refused(vec![stale]), &Answer::default()).contains("start from the newest baton"));
}

#[test]
fn what_is_too_much_is_counted() {
    let many = (0..500).map(|n| Refusal::new(Code::PatchType, format!("/a/{n}"), "x".repeat(90))).collect();
    let text = correction(&refused(many), &Answer::default());
    let shown = text.matches("\n- patch.type").count();
    assert!(shown > 3 && text.contains(&format!("({} more left out)", 500 - shown)), "{text}");
}

#[test]
fn quoted_text_stays_data_and_the_length_is_bounded() {
    let strings = || proptest::collection::vec(hostile(), 0..40).prop_map(|parts| parts.concat());
    let refusals = proptest::collection::vec((strings(), strings()), 1..30);
    proptest!(cases(1_000), |(refusals in refusals, nonce in strings())| {
        let all = refusals.into_iter().map(|(at, detail)| Refusal::new(Code::GuardKept, at, detail)).collect();
        let text = correction(&refused(all), &with(&nonce));
        prop_assert!(text.len() <= 2_000, "{} bytes", text.len());
        let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
        let lines: Vec<&str> = text.split(breaks).collect();
        let fences: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].trim_start().starts_with("```")).collect();
        prop_assert_eq!(fences.len(), 2, "{}", text);
        prop_assert_eq!(fences[0], 1);
        prop_assert!(lines[2..fences[1]].iter().all(|line| line.starts_with("- guard.kept")), "{}", text);
        let after: Vec<&str> = lines[fences[1] + 1..].to_vec();
        prop_assert!(after.len() <= 3 && after.last() == Some(&""), "{}", text);
        prop_assert_eq!(text.chars().find(|c| *c != '\n' && crate::text::is_hidden(*c)), None);
    });
}
