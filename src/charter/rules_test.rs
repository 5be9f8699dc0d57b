//! One fault at a time: what is told, and where.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use super::*;
use crate::refusal::Code::{self, CharterMember, CharterName, CharterRule, CharterSyntax};

/// One declaration a line, each with what another may contradict.
const SOUND: &str = r#"{
"charter": "v1",
"ceilings": {"tokens": 9000, "tool_calls": 9, "spawns": 1, "depth": 1},
"data": {"open": {"readers": ["*"]}, "shut": {"readers": ["b", "c"]}},
"strategy": {"s": {"goal": "g", "subtask": [
{"id": "one", "agent": "a", "intent": "x", "produces": "open"},
{"id": "two", "agent": "b", "intent": "x", "consumes": ["open"], "produces": "shut", "after": ["one"]}]}},
"agent": {
"a": {"responsibility": "A", "callable_by": ["strategy s"], "uses": ["tool t", "agent c"], "writes": ["current_state"]},
"b": {"responsibility": "B", "callable_by": ["strategy s"], "needs": ["open"], "reads": ["goal"]},
"c": {"responsibility": "C", "callable_by": ["agent a"], "needs": ["shut"]}},
"tool": {"t": {"description": "T", "readers": ["a"], "approvers": ["kim"]}},
"person": {"kim": {"uses": ["tool t"]}}
}"#;

/// What is replaced, by what, and then: the code, the pointer, line and column, and words of the message.
type Case<'c> = (&'c str, &'c str, Code, &'c str, usize, usize, &'c str);

fn check(cases: &[Case<'_>]) {
    assert!(Charter::from_json(SOUND).is_ok());
    let mut wrong = Vec::new();
    for (from, to, code, at, line, column, words) in cases {
        assert!(SOUND.contains(from), "{from}");
        let refused = Charter::from_json(&SOUND.replacen(from, to, 1)).unwrap_err();
        let found = refused.refusals().iter().find(|refusal| refusal.at == *at && refusal.code == *code);
        let place = found.and_then(|found| found.position).map(|position| (position.line, position.column));
        let is_told = found.is_some_and(|found| found.detail.contains(words));
        if place != Some((*line, *column)) || !is_told || refused.refusals().len() > 3 {
            wrong.push(format!("{to} @ {place:?} instead of {:?}: {refused}", (line, column)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_charter_is_refused() {
    check(&[
        ("\"charter\": \"v1\",", "\"charter\": \"v1\"", CharterSyntax, "", 3, 1, "a comma is missing"),
        ("\"charter\": \"v1\"", "\"charter\": \"v2\"", CharterMember, "/charter", 2, 12, "`\"v1\"`"),
        ("\"charter\": \"v1\",\n", "", CharterMember, "/charter", 1, 1, "missing"),
        ("\"person\": {", "\"charter\": 1, \"person\": {", CharterName, "/charter", 13, 1, "twice"),
        (
            "\"charter\": \"v1\"",
            "\"charter\": \"v1\", \"agents\": 1",
            CharterMember,
            "/agents",
            2,
            28,
            "did you mean `agent`",
        ),
        ("\"charter\": \"v1\"", "\"charter\": \"v1\", \"module\": \"a b\"", CharterName, "/module", 2, 28, "`a b`"),
        (
            "\"charter\": \"v1\"",
            "\"charter\": \"v1\", \"include\": \"x\"",
            CharterMember,
            "/include",
            2,
            29,
            "a list of strings",
        ),
        (
            "\"tool\": {\"t\": {\"description\"",
            "\"tool\": {\"t\": {\"sides\": 1, \"description\"",
            CharterMember,
            "/tool/t/sides",
            12,
            25,
            "is no member of a tool",
        ),
    ]);
}

#[test]
fn members_of_the_wrong_type_are_refused() {
    check(&[
        ("\"goal\": \"g\"", "\"goal\": 1", CharterMember, "/strategy/s/goal", 5, 28, "a string"),
        ("\"goal\": \"g\"", "\"goal\": \" \"", CharterRule, "/strategy/s/goal", 5, 28, "empty"),
        (
            "\"responsibility\": \"A\"",
            "\"responsibility\": null",
            CharterMember,
            "/agent/a/responsibility",
            9,
            25,
            "found null",
        ),
        (
            "\"responsibility\": \"A\"",
            "\"responsibility\": \" \"",
            CharterRule,
            "/agent/a/responsibility",
            9,
            25,
            "empty",
        ),
        ("\"responsibility\": \"A\", ", "", CharterMember, "/agent/a/responsibility", 9, 6, "missing"),
        ("\"needs\": [\"open\"]", "\"needs\": \"open\"", CharterMember, "/agent/b/needs", 10, 70, "a list of strings"),
        ("[\"goal\"]", "[7]", CharterMember, "/agent/b/reads/0", 10, 90, "found a number"),
        (
            "\"description\": \"T\"",
            "\"side_effects\": \"no\"",
            CharterMember,
            "/tool/t/side_effects",
            12,
            32,
            "`true` or `false`",
        ),
        ("\"description\": \"T\"", "\"arguments\": 1", CharterMember, "/tool/t/arguments", 12, 29, "JSON Schema"),
        ("\"tokens\": 9000", "\"tokens\": 1.5", CharterMember, "/ceilings/tokens", 3, 24, "whole number"),
        ("\"tokens\": 9000", "\"tokens\": 9e3", CharterMember, "/ceilings/tokens", 3, 24, "`9e3`"),
        ("\"tokens\": 9000", "\"tokens\": -1", CharterMember, "/ceilings/tokens", 3, 24, "whole number"),
        ("\"tokens\": 9000, ", "", CharterMember, "/ceilings/tokens", 3, 13, "missing"),
        ("\"readers\": [\"*\"]", "", CharterMember, "/data/open/readers", 4, 18, "missing"),
        ("\"agent\": \"b\", ", "", CharterMember, "/strategy/s/subtask/1/agent", 7, 1, "missing"),
    ]);
}

#[test]
fn names_that_nothing_bears_are_refused() {
    check(&[
        ("\"strategy s\"", "\"strategy S\"", CharterName, "/agent/a/callable_by/0", 9, 46, "did you mean `s`"),
        (
            "[\"agent a\"]",
            "[\"agent a\", \"agent zebra\"]",
            CharterName,
            "/agent/c/callable_by/1",
            11,
            57,
            "there is no agent `zebra`",
        ),
        (
            "[\"agent a\"]",
            "[\"agent a\", \"agent acme.a\"]",
            CharterName,
            "/agent/c/callable_by/1",
            11,
            57,
            "did you mean `a`",
        ),
        (
            "\"tool t\", \"agent",
            "\"tool t\", \"tool q7zz\", \"agent",
            CharterName,
            "/agent/a/uses/1",
            9,
            80,
            "there is no tool",
        ),
        (
            "[\"open\"], \"reads\"",
            "[\"open\", \"opne\"], \"reads\"",
            CharterName,
            "/agent/b/needs/1",
            10,
            79,
            "did you mean `open`",
        ),
        (
            "\"consumes\": [\"open\"]",
            "\"consumes\": [\"open\", \"shutt\"]",
            CharterName,
            "/strategy/s/subtask/1/consumes/1",
            7,
            65,
            "did you mean `shut`",
        ),
        (
            "\"produces\": \"open\"",
            "\"produces\": \"opens\"",
            CharterName,
            "/strategy/s/subtask/0/produces",
            6,
            56,
            "did you mean `open`",
        ),
        (
            "\"after\": [\"one\"]",
            "\"after\": [\"oen\"]",
            CharterName,
            "/strategy/s/subtask/1/after/0",
            7,
            96,
            "did you mean `one`",
        ),
        (
            "\"agent\": \"b\"",
            "\"agent\": \"bb\"",
            CharterName,
            "/strategy/s/subtask/1/agent",
            7,
            24,
            "did you mean `b`",
        ),
        ("[\"b\", \"c\"]", "[\"b\", \"c\", \"xyz\"]", CharterName, "/data/shut/readers/2", 4, 69, "there is no agent"),
        ("[\"tool t\"]}}\n", "[\"tool tt\"]}}\n", CharterName, "/person/kim/uses/0", 13, 29, "did you mean `t`"),
        ("[\"goal\"]", "[\"gaol\"]", CharterName, "/agent/b/reads/0", 10, 90, "did you mean `goal`"),
        (
            "[\"current_state\"]",
            "[\"decisions\"]",
            CharterName,
            "/agent/a/writes/0",
            9,
            103,
            "did you mean `decision_log`",
        ),
    ]);
}

#[test]
fn names_that_nobody_may_bear_are_refused() {
    check(&[
        ("\"c\": {", "\"a b\": {}, \"c\": {", CharterName, "/agent/a b", 11, 8, "no name"),
        ("\"c\": {", "\"*\": {}, \"c\": {", CharterName, "/agent/*", 11, 6, "no name"),
        ("\"c\": {", "\"m.x\": {}, \"c\": {", CharterName, "/agent/m.x", 11, 8, "no name"),
        ("\"c\": {", "\"relay-baton\": {}, \"c\": {", CharterName, "/agent/relay-baton", 11, 16, "another name"),
        ("\"c\": {", "\"A\": {}, \"c\": {", CharterName, "/agent/A", 11, 6, "capital letters"),
        ("\"kim\": {", "\"KIM\": {}, \"kim\": {", CharterName, "/person/kim", 13, 30, "capital letters"),
        ("\"kim\": {", "\"B\": {}, \"kim\": {", CharterName, "/person/B", 13, 17, "is an agent"),
        ("\"id\": \"two\"", "\"id\": \"One\"", CharterName, "/strategy/s/subtask/1/id", 7, 8, "already"),
        ("\"id\": \"two\"", "\"id\": \"t o\"", CharterName, "/strategy/s/subtask/1/id", 7, 8, "no name"),
        ("[\"open\"], \"reads\"", "[\"open\", \"open\"], \"reads\"", CharterName, "/agent/b/needs/1", 10, 79, "twice"),
    ]);
}

#[test]
fn callers_are_strategies_and_agents() {
    check(&[
        ("[\"agent a\"]", "[\"agent a\", \"*\"]", CharterRule, "/agent/c/callable_by/1", 11, 57, "wildcard"),
        ("[\"agent a\"]", "[\"agent a\", \"agent *\"]", CharterRule, "/agent/c/callable_by/1", 11, 57, "wildcard"),
        (
            "[\"agent a\"]",
            "[\"agent a\", \"skill x\"]",
            CharterRule,
            "/agent/c/callable_by/1",
            11,
            57,
            "a skill has no authority",
        ),
        ("[\"agent a\"]", "[\"agent a\", \"b\"]", CharterMember, "/agent/c/callable_by/1", 11, 57, "`agent NAME`"),
        ("\"tool t\", \"agent", "\"t\", \"tool t\", \"agent", CharterMember, "/agent/a/uses/0", 9, 70, "`tool NAME`"),
        ("[\"tool t\"]}}\n", "[\"agent a\"]}}\n", CharterMember, "/person/kim/uses/0", 13, 29, "`tool NAME`"),
        ("[\"kim\"]", "[\"A\"]", CharterRule, "/tool/t/approvers/0", 12, 68, "no agent approves"),
        ("[\"kim\"]", "[\"*\"]", CharterRule, "/tool/t/approvers/0", 12, 68, "wildcard"),
        ("[\"kim\"]", "[]", CharterRule, "/tool/t/approvers", 12, 67, "nobody could approve"),
        ("[\"b\", \"c\"]", "[\"b\", \"c\", \"*\"]", CharterRule, "/data/shut/readers/2", 4, 69, "stands alone"),
    ]);
}

#[test]
fn contradictions_are_refused() {
    check(&[
        ("\"spawns\": 1", "\"spawns\": 0", CharterRule, "/agent/a/uses/1", 9, 80, "`spawns` is 0"),
        (", \"depth\": 1", "", CharterRule, "/agent/a/uses/1", 9, 80, "`depth` is 0"),
        ("[\"agent a\"]", "[]", CharterRule, "/agent/a/uses/1", 9, 80, "callable_by"),
        ("\"tool t\", \"agent", "\"tool t\", \"agent a\", \"agent", CharterRule, "/agent/a/uses/1", 9, 80, "itself"),
        (
            "[\"strategy s\"], \"needs\"",
            "[], \"needs\"",
            CharterRule,
            "/strategy/s/subtask/1/agent",
            7,
            24,
            "add that to its `callable_by`",
        ),
        ("\"needs\": [\"open\"], ", "", CharterRule, "/strategy/s/subtask/1/consumes/0", 7, 57, "is not given `open`"),
        ("\"produces\": \"shut\"", "\"produces\": \"open\"", CharterRule, "/strategy/s/subtask/1", 7, 1, "circle"),
        (
            "\"consumes\": [\"open\"], \"produces\": \"shut\"",
            "\"produces\": \"open\"",
            CharterRule,
            "/strategy/s/subtask/1/produces",
            7,
            56,
            "already",
        ),
        (
            "\"agent\": \"a\", ",
            "\"agent\": \"a\", \"after\": [\"two\"], ",
            CharterRule,
            "/strategy/s/subtask/0",
            6,
            1,
            "`one` for `two` for `one`",
        ),
        (
            "\"agent\": \"a\", ",
            "\"agent\": \"a\", \"after\": [\"one\"], ",
            CharterRule,
            "/strategy/s/subtask/0",
            6,
            1,
            "`one` for `one`",
        ),
        ("[\"current_state\"]", "[\"stamp\"]", CharterRule, "/agent/a/writes/0", 9, 103, "merge"),
    ]);
}

#[test]
fn limits_are_within_the_ceilings_and_not_zero() {
    let with = |limits: &str| format!("\"c\": {{\"limits\": {{{limits}}}, ");
    for (limits, code, member, words) in [
        ("\"tokens\": 9001", CharterRule, "tokens", "the ceiling `tokens` is 9000"),
        ("\"tool_calls\": 10", CharterRule, "tool_calls", "the ceiling `tool_calls` is 9"),
        ("\"answer_tokens\": 9001", CharterRule, "answer_tokens", "the ceiling `tokens`"),
        ("\"tokens\": 0", CharterRule, "tokens", "at least 1"),
        ("\"tool_calls\": 0", CharterRule, "tool_calls", "at least 1"),
        ("\"iterations\": 0", CharterRule, "iterations", "at least 1"),
        ("\"answer_tokens\": 0", CharterRule, "answer_tokens", "at least 1"),
        ("\"iterations\": \"5\"", CharterMember, "iterations", "whole number"),
        ("\"rounds\": 5", CharterMember, "rounds", "no member of limits"),
    ] {
        let at = format!("/agent/c/limits/{member}");
        check(&[("\"c\": {", &with(limits), code, &at, 11, 22 + member.len(), words)]);
    }
    check(&[
        ("\"tokens\": 9000", "\"tokens\": 0", CharterRule, "/ceilings/tokens", 3, 24, "at least 1"),
        (
            "\"c\": {",
            "\"c\": {\"limits\": {\"tokens\": 10, \"answer_tokens\": 11}, ",
            CharterRule,
            "/agent/c/limits/answer_tokens",
            11,
            49,
            "limit `tokens`",
        ),
        (
            "\"description\": \"T\"",
            "\"approval_minutes\": 0",
            CharterRule,
            "/tool/t/approval_minutes",
            12,
            36,
            "at least 1",
        ),
        (
            "\"description\": \"T\"",
            "\"approval_minutes\": 52560001",
            CharterRule,
            "/tool/t/approval_minutes",
            12,
            36,
            "at most",
        ),
    ]);
}

#[test]
fn commands_have_words() {
    for (command, code, at, column, words) in [
        ("[]", CharterRule, "/tool/t/command", 26, "has words"),
        ("[\"\"]", CharterRule, "/tool/t/command", 26, "has words"),
        ("[\"a\\u0000\"]", CharterRule, "/tool/t/command/0", 27, "NUL"),
        ("\"a b\"", CharterMember, "/tool/t/command", 26, "a list of words"),
        ("{\"time_limit_s\": 1}", CharterMember, "/tool/t/command/words", 26, "missing"),
        ("{\"words\": [\"a\"], \"time_limit_s\": 0}", CharterRule, "/tool/t/command/time_limit_s", 59, "at least 1"),
        (
            "{\"words\": [\"a\"], \"output_limit_bytes\": 0}",
            CharterRule,
            "/tool/t/command/output_limit_bytes",
            65,
            "at least 1",
        ),
        ("{\"words\": [\"a\"], \"shell\": true}", CharterMember, "/tool/t/command/shell", 52, "no member of a command"),
    ] {
        check(&[("\"description\": \"T\"", &format!("\"command\": {command}"), code, at, 12, column + 1, words)]);
    }
}

#[test]
fn what_leaks_is_refused_without_running_it() {
    check(&[
        (
            "\"needs\": [\"shut\"]",
            "\"needs\": [\"shut\"], \"writes\": [\"notes\"]",
            CharterRule,
            "/agent/c/writes",
            11,
            87,
            "everybody reads the baton",
        ),
        (
            "\"needs\": [\"open\"]",
            "\"needs\": [\"open\", \"own\"]",
            CharterName,
            "/agent/b/needs/1",
            10,
            79,
            "no data `own`",
        ),
    ]);
    // It makes something for everyone of what is for two.
    let leaking = SOUND
        .replacen(
            "\"shut\": {\"readers\": [\"b\", \"c\"]}",
            "\"shut\": {\"readers\": [\"b\", \"c\"]}, \"all\": {\"readers\": [\"*\"]}",
            1,
        )
        .replacen("\"needs\": [\"open\"]", "\"needs\": [\"open\", \"shut\"]", 1)
        .replacen("\"produces\": \"shut\"", "\"produces\": \"all\"", 1);
    let refused = Charter::from_json(&leaking).unwrap_err();
    let told: Vec<_> = refused.refusals().iter().map(|refusal| (refusal.code, refusal.at.as_str())).collect();
    assert_eq!(told, [(CharterRule, "/strategy/s/subtask/1/produces")], "{refused}");
    let let_by = leaking.replacen("\"b\": {", "\"b\": {\"declassify\": true, ", 1);
    assert!(Charter::from_json(&let_by).is_ok());
    // An agent that may not read what it needs.
    let blind = SOUND.replacen(
        "\"uses\": [\"tool t\", \"agent c\"], \"writes\": [\"current_state\"]",
        "\"uses\": [\"agent c\"], \"needs\": [\"shut\"]",
        1,
    );
    let refused = Charter::from_json(&blind.replacen("\"produces\": \"open\"}", "\"after\": []}", 1)).unwrap_err();
    assert!(refused.refusals().iter().any(|refusal| refusal.at == "/agent/a/needs/0"), "{refused}");
}

#[test]
fn all_faults_are_told_at_once() {
    let text = SOUND.replace("\"strategy s\"", "\"strategy x9\"").replace("9000", "true").replace("\"kim\"", "\"k m\"");
    let refused = Charter::from_json(&text).unwrap_err();
    let codes: Vec<Code> = refused.refusals().iter().map(|refusal| refusal.code).collect();
    for code in [CharterMember, CharterName, CharterRule] {
        assert!(codes.contains(&code), "{refused}");
    }
    assert!(codes.len() >= 5, "{refused}");
}

#[test]
fn many_faults_are_told_in_time() {
    let names: Vec<String> = (0..20_000).map(|number| format!("\"agent name{number}\"")).collect();
    let text = SOUND.replacen("[\"agent a\"]", &format!("[{}]", names.join(",")), 1);
    assert!(Charter::from_json(&text).unwrap_err().refusals().len() <= 200);
}
