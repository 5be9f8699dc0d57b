//! The steps from a patch to a baton, one rule a test.

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Id, Timestamp};
use relay_baton::guard::{Admitted, Guards, guard};
use relay_baton::json::{self, Limits, Object, Value};
use relay_baton::lower::{Lowered, lower};
use relay_baton::merge::{merge, plain_patch};
use relay_baton::parse::{Dialect, Proposal};
use relay_baton::rebase::rebase;
use relay_baton::refusal::Refused;

const BATON: &str = r#"{"goal": "Ship it", "current_state": ["Planned"], "decision_log": ["Use Rust",
 {"decision": "Use threads", "rationale": "simple"}, {"decision": "Use tasks", "supersedes": "D2"}],
 "constraints": ["No breaking changes", "Must pass CI"], "open_questions": ["Which hash?"], "notes": {"a": 1, "b": [1]},
 "artifacts": [{"name": "plan", "uri": "docs/plan.md", "owner": "x"}], "acceptance": ["tests pass"]}"#;

fn attribution() -> Attribution {
    Attribution {
        step: Id::new("build").unwrap(),
        by: Id::new("bot").unwrap(),
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
    }
}

fn read(text: &str) -> Baton<'_> {
    Baton::read(text, &Limits::default()).unwrap()
}

fn object(text: &str) -> Object<'_> {
    match json::read(text, &Limits::default()).unwrap() {
        Value::Object(object) => object,
        other => panic!("{other:?}"),
    }
}

fn lowered<'a>(baton: &Baton<'a>, patch: &'a str, dialect: Dialect) -> Result<Lowered<'a>, Refused> {
    lower(baton, Proposal::parse(object(patch), dialect)?, &attribution())
}

fn admitted<'a>(baton: &Baton<'a>, patch: &'a str, guards: &Guards, allow: &[&str]) -> Result<Admitted<'a>, Refused> {
    let allowed: Vec<String> = allow.iter().map(|field| (*field).to_owned()).collect();
    guard(baton, lowered(baton, patch, Dialect::Plain)?, guards, &allowed)
}

fn apply<'a>(text: &'a str, patch: &'a str) -> Result<Baton<'a>, Refused> {
    let baton = read(text);
    let admitted = admitted(&baton, patch, &Guards::default(), &[])?;
    Ok(merge(baton, admitted, &attribution(), "sha256:x").baton().clone())
}

fn codes(result: Result<Baton<'_>, Refused>) -> Vec<(String, String)> {
    let refused = result.expect_err("it should be refused");
    refused.refusals().iter().map(|one| (one.code.to_string(), one.at.clone())).collect()
}

/// The refusals of `patch` on the baton above, as `code pointer`.
fn refusals(patch: &str) -> Vec<String> {
    codes(apply(BATON, patch)).into_iter().map(|(code, at)| format!("{code} {at}")).collect()
}

fn member(baton: &Baton<'_>, name: &str) -> String {
    baton.member(name).map_or_else(|| "-".to_owned(), json::compact)
}

/// The member `name` after `patch` on the baton above.
fn after(patch: &str, name: &str) -> String {
    member(&apply(BATON, patch).unwrap(), name)
}

#[test]
fn reading_expands_shorthand() {
    let baton = read(BATON);
    let ids: Vec<&str> = baton.decisions().map(|decision| decision.id()).collect();
    assert_eq!(ids, ["D1", "D2", "D3"]);
    assert_eq!(member(&baton, "acceptance"), r#"[{"check":"tests pass","status":"pending"}]"#);
    assert_eq!(baton.revision(), 0);
    let again = baton.to_json();
    assert_eq!(read(&again), baton);
}

#[test]
fn a_document_of_another_type_is_refused() {
    let refused = |text: &'static str| codes(Baton::read(text, &Limits::default()));
    assert_eq!(refused("[]"), [("baton.type".into(), String::new())]);
    assert_eq!(refused("{}"), [("goal.missing".into(), "/goal".into())]);
    assert_eq!(refused(r#"{"goal": " "}"#), [("goal.missing".into(), "/goal".into())]);
    assert_eq!(refused(r#"{"goal": ["x"]}"#), [("baton.type".into(), "/goal".into())]);
    for (text, at) in [
        (r#"{"goal":"g","constraints":[1]}"#, "/constraints/0"),
        (r#"{"goal":"g","constraints":{"a":1}}"#, "/constraints"),
        (r#"{"goal":"g","decision_log":[{"id":"D1"}]}"#, "/decision_log/0"),
        (r#"{"goal":"g","decision_log":[{"id":"D 1","decision":"x"}]}"#, "/decision_log/0/id"),
        (r#"{"goal":"g","decision_log":[{"id":"D1","decision":"x"},{"id":"D1","decision":"y"}]}"#, "/decision_log/1"),
        (r#"{"goal":"g","artifacts":[{"digest":"x"}]}"#, "/artifacts/0"),
        (r#"{"goal":"g","acceptance":[{"check":"x","status":"done"}]}"#, "/acceptance/0/status"),
        (r#"{"goal":"g","stamp":{"revision":-1}}"#, "/stamp/revision"),
        (r#"{"goal":"g","stamp":{"budget":{"tokens":"9"}}}"#, "/stamp/budget"),
        (r#"{"goal":"g","stamp":{"schema":"baton/v2"}}"#, "/stamp/schema"),
        (r#"{"goal":"g","stamp":{"schema":2}}"#, "/stamp/schema"),
        (r#"{"goal":"g","stamp":[]}"#, "/stamp"),
        (r#"{"goal":"g","stamp":{"budget":{"tokens":0}}}"#, "/stamp/budget"),
    ] {
        assert_eq!(refused(text), [("baton.type".into(), at.into())], "{text}");
    }
}

#[test]
fn decisions_are_added_numbered_and_stamped() {
    let log =
        apply(BATON, r#"{"decision_log": ["Use serde", {"id": "D9", "decision": "No macros", "by": "me"}]}"#).unwrap();
    let added: Vec<String> =
        log.items(relay_baton::baton::Field::DecisionLog).iter().skip(3).map(json::compact).collect();
    let tail = r#""step":"build","at":"2026-01-02T03:04:05.000Z","by":"bot"}"#;
    assert_eq!(
        added,
        [
            format!(r#"{{"id":"D4","decision":"Use serde",{tail}"#),
            format!(r#"{{"id":"D5","decision":"No macros",{tail}"#),
        ]
    );
}

#[test]
fn a_decision_that_repeats_the_log_is_not_added() {
    for patch in [
        r#"{"decision_log": ["Use Rust"]}"#,
        r#"{"decision_log": [{"id": "D1", "decision": "Use Rust"}]}"#,
        r#"{"decision_log": [{"id": "D2", "decision": "Use threads"}, {"id": "D3", "decision": "Use tasks", "supersedes": ["D2"]}]}"#,
        r#"{"decision_log": [{"decision": "Use tasks", "supersedes": ["D2"]}]}"#,
        r#"{"decision_log": {"add": "Use Rust"}}"#,
        r#"{"decision_log": [{"id": "D1", "decision": "Use Rust", "rationale": "x"}]}"#,
        r#"{"decision_log": []}"#,
    ] {
        assert_eq!(apply(BATON, patch).unwrap().decisions().count(), 3, "{patch}");
    }
    let twice = apply(BATON, r#"{"decision_log": ["New", "New"]}"#).unwrap();
    assert_eq!(twice.decisions().count(), 4);
}

#[test]
fn to_come_back_to_an_old_choice_is_a_new_decision() {
    for patch in [
        r#"{"decision_log": ["Use threads"]}"#,
        r#"{"decision_log": [{"decision": "Use threads", "supersedes": "D3"}]}"#,
        r#"{"decision_log": [{"id": "D2", "decision": "Use threads", "supersedes": "D3"}]}"#,
    ] {
        let baton = apply(BATON, patch).unwrap();
        let last = baton.decisions().last().unwrap();
        assert_eq!((last.id(), last.text()), ("D4", "Use threads"), "{patch}");
    }
}

#[test]
fn a_patch_may_supersede_its_own_decisions_by_the_ids_it_gave() {
    let patch = r#"{"decision_log": [{"id": "D10", "decision": "A"}, {"id": "D4", "decision": "B"},
        {"decision": "C", "supersedes": ["D10", "D4", "D1"]}]}"#;
    let baton = apply(BATON, patch).unwrap();
    let last: Vec<&str> = baton.decisions().last().unwrap().supersedes().collect();
    assert_eq!(last, ["D4", "D5", "D1"]);
}

#[test]
fn the_log_cannot_be_rewritten() {
    assert_eq!(refusals(r#"{"decision_log": null}"#), ["guard.append_only /decision_log"]);
    assert_eq!(refusals(r#"{"decision_log": {"remove": ["D1"]}}"#), ["guard.append_only /decision_log"]);
    assert_eq!(
        refusals(r#"{"decision_log": [{"id": "D1", "decision": "Use C"}]}"#),
        ["decision.rewritten /decision_log/0/decision"]
    );
    assert_eq!(
        refusals(r#"{"decision_log": [{"decision": "x", "supersedes": ["d1"]}]}"#),
        ["decision.supersedes /decision_log/0/supersedes/0"]
    );
    let baton = read(BATON);
    let allowed = admitted(&baton, r#"{"decision_log": null}"#, &Guards::default(), &["decision_log"]);
    assert_eq!(allowed.unwrap_err().refusals()[0].code.as_str(), "guard.append_only");
}

#[test]
fn lists_are_replaced_edited_and_emptied() {
    assert_eq!(after(r#"{"current_state": "Built"}"#, "current_state"), r#"["Built"]"#);
    assert_eq!(after(r#"{"open_questions": null}"#, "open_questions"), "[]");
    assert_eq!(
        after(r#"{"open_questions": {"add": ["New?"], "remove": ["Which hash?"]}}"#, "open_questions"),
        r#"["New?"]"#
    );
    assert_eq!(after(r#"{"work_scope": {"add": ["src", "src"]}}"#, "work_scope"), r#"["src"]"#);
    assert_eq!(
        refusals(r#"{"open_questions": {"remove": ["Which"]}}"#),
        ["patch.unknown_item /open_questions/remove/0"]
    );
    assert_eq!(refusals(r#"{"open_questions": {"put": ["x"]}}"#), ["patch.type /open_questions/put"]);
    assert_eq!(refusals(r#"{"open_questions": {}}"#), ["patch.type /open_questions"]);
    assert_eq!(refusals(r#"{"open_questions": [null]}"#), ["patch.type /open_questions/0"]);
    assert_eq!(
        refusals(r#"{"open_questions": 3, "work_scope": [[]]}"#),
        ["patch.type /open_questions", "patch.type /work_scope/0"]
    );
}

/// Time is not measured here: these sizes take minutes where the work is items × removals, or members × members.
#[test]
fn much_that_is_unknown_is_refused_in_bounds() {
    let many = |part: &str, count: usize| (0..count).map(|n| format!("\"{part} {n}\"")).collect::<Vec<_>>().join(",");
    let text = format!(r#"{{"goal": "g", "work_scope": [{}]}}"#, many("a somewhat longer item of a list", 20_000));
    let patch = format!(r#"{{"work_scope": {{"remove": [{}]}}}}"#, many("a somewhat longer item of no list", 20_000));
    let refused = apply(&text, &patch).unwrap_err();
    let details: Vec<&str> = refused.refusals().iter().map(|one| one.detail.as_str()).collect();
    assert_eq!(details.len(), 21);
    assert!(details[0].contains("the nearest item is `a somewhat longer item of a list 0`"), "{}", details[0]);
    assert!(details[20].starts_with("19980 more are not on the list"), "{}", details[20]);

    let ids = many("X", 20_000).replace(' ', "");
    let patch = format!(r#"{{"decision_log": [{{"decision": "d", "supersedes": [{ids}]}}]}}"#);
    let refused = apply(BATON, &patch).unwrap_err();
    assert_eq!(refused.refusals().len(), 21);
    assert!(refused.refusals()[20].detail.starts_with("19980 more are not on the log"));
}

#[test]
fn many_other_members_are_set_and_removed() {
    let members =
        |value: &str, count: usize| -> String { (0..count).map(|n| format!(", \"m{n}\": {value}")).collect() };
    let text = format!(r#"{{"goal": "g"{}}}"#, members("1", 60_000));
    let patch = format!(r#"{{"current_state": "s"{}}}"#, members("null", 60_000));
    assert_eq!(apply(&text, &patch).unwrap().as_object().len(), 3);
    let patch = text.replace(r#""goal": "g", "#, "");
    let added = apply(r#"{"goal": "g"}"#, &patch).unwrap();
    assert_eq!(added.as_object().len(), 60_002);
}

#[test]
fn an_item_whose_key_stands_keeps_what_is_not_mentioned() {
    assert_eq!(
        after(r#"{"artifacts": ["new", {"name": "plan", "uri": "p.md"}]}"#, "artifacts"),
        r#"[{"name":"new"},{"name":"plan","uri":"p.md","owner":"x"}]"#
    );
    assert_eq!(
        after(r#"{"artifacts": {"add": [{"name": "plan", "owner": null, "summary": null}]}}"#, "artifacts"),
        r#"[{"name":"plan","uri":"docs/plan.md"}]"#
    );
    assert_eq!(
        after(r#"{"acceptance": ["tests pass", {"check": "fast", "evidence": null}]}"#, "acceptance"),
        r#"[{"check":"tests pass","status":"pending"},{"check":"fast","status":"pending"}]"#
    );
    assert_eq!(after(r#"{"artifacts": {"remove": ["plan"]}}"#, "artifacts"), "[]");
    assert_eq!(refusals(r#"{"artifacts": ["a", {"name": "a"}]}"#), ["patch.type /artifacts/1"]);
    assert_eq!(
        refusals(r#"{"artifacts": [{"name": "plan", "Owner": 1, "mediaType": "x"}]}"#),
        ["patch.unknown_field /artifacts/0/mediaType"]
    );
}

#[test]
fn other_members_are_plain_merge_patch() {
    assert_eq!(after(r#"{"notes": {"a": null, "c": {"d": null, "e": 1}}}"#, "notes"), r#"{"b":[1],"c":{"e":1}}"#);
    assert_eq!(after(r#"{"notes": null}"#, "notes"), "-");
    assert_eq!(after(r#"{"extra": [null, {"x": null}]}"#, "extra"), r#"[null,{"x":null}]"#);
    assert_eq!(refusals(r#"{"decisions": ["x"]}"#), ["patch.unknown_field /decisions"]);
    let known = r#"{"goal": "g", "scope": 1}"#;
    assert_eq!(member(&apply(known, r#"{"scope": 2}"#).unwrap(), "scope"), "2");
}

#[test]
fn guards_hold() {
    assert_eq!(refusals(r#"{"goal": "Ship more"}"#), ["guard.frozen /goal"]);
    assert_eq!(refusals(r#"{"goal": null}"#), ["guard.frozen /goal"]);
    assert_eq!(refusals(r#"{"constraints": null}"#), ["guard.kept /constraints"]);
    assert_eq!(refusals(r#"{"constraints": ["Must pass CI"]}"#), ["guard.kept /constraints"]);
    assert_eq!(refusals(r#"{"acceptance": []}"#), ["guard.kept /acceptance"]);
    assert_eq!(refusals(r#"{"stamp": null}"#), ["patch.reserved /stamp"]);
    assert!(
        apply(BATON, r#"{"goal": "Ship it", "constraints": ["Must pass CI", "New", "No breaking changes"]}"#).is_ok()
    );
    let baton = read(BATON);
    let let_by = admitted(&baton, r#"{"goal": "Ship more"}"#, &Guards::default(), &["goal"]).unwrap();
    assert_eq!(let_by.lowered().notices().last().unwrap().code, "guard.allowed");
    let lost = admitted(&baton, r#"{"goal": null}"#, &Guards::default(), &["goal"]).unwrap_err();
    assert_eq!(lost.refusals()[0].code.as_str(), "goal.missing");
}

#[test]
fn a_guard_file_sets_rules_and_rights() {
    let guards = Guards::read(
        r#"{"rules": {"notes": "frozen", "work_scope": "append_only", "goal": "free", "open_questions": "kept"}}"#,
        &Limits::default(),
    )
    .unwrap();
    let baton = read(BATON);
    let refused = |patch: &'static str| {
        let result = admitted(&baton, patch, &guards, &[]);
        result.map_or_else(|refused| refused.refusals()[0].code.to_string(), |_| "ok".to_owned())
    };
    assert_eq!(refused(r#"{"notes": {"a": 2}}"#), "guard.frozen");
    assert_eq!(refused(r#"{"notes": {"a": 1}}"#), "ok");
    assert_eq!(refused(r#"{"work_scope": ["a"]}"#), "ok");
    assert_eq!(refused(r#"{"goal": "x"}"#), "ok");
    assert_eq!(refused(r#"{"open_questions": []}"#), "guard.kept");
    let rights = Guards::read(r#"{"writes": ["current_state"]}"#, &Limits::default()).unwrap();
    let result = admitted(&baton, r#"{"current_state": "x", "decision_log": ["y"]}"#, &rights, &[]);
    assert_eq!(result.unwrap_err().to_string().split(':').next(), Some("guard.rights"));
    for bad in ["[]", r#"{"rule": {}}"#, r#"{"rules": {"x": "y"}}"#, r#"{"rules": {"decision_log": "free"}}"#] {
        let refused = Guards::read(bad, &Limits::default()).unwrap_err();
        assert_eq!(refused.refusals()[0].code.as_str(), "guard.rule", "{bad}");
    }
}

#[test]
fn a_hint_names_what_the_field_takes() {
    let guards =
        r#"{"rules": {"work_scope": "append_only", "runs": "append_only", "one": "append_only", "kept": "kept"}}"#;
    let guards = Guards::read(guards, &Limits::default()).unwrap();
    let baton = read(
        r#"{"goal": "g", "work_scope": ["a"], "runs": [1], "one": 1, "kept": [1], "constraints": ["c"],
        "decision_log": ["d"]}"#,
    );
    let hint = |patch: &'static str| admitted(&baton, patch, &guards, &[]).unwrap_err().refusals()[0].detail.clone();
    assert!(hint(r#"{"work_scope": ["b"]}"#).ends_with("to add to it send `{\"add\": […]}`"));
    assert!(hint(r#"{"runs": [2]}"#).ends_with("resend the whole list with the new items at its end"));
    assert!(hint(r#"{"one": 2}"#).ends_with("leave it out of the patch"));
    assert!(hint(r#"{"decision_log": null}"#).ends_with("send only what is new"));
    assert!(hint(r#"{"kept": [2]}"#).ends_with("must survive: resend every item of `kept`"));
    assert!(hint(r#"{"constraints": []}"#).contains("send `{\"add\": […]}`, or resend every item"));
}

#[test]
fn a_near_miss_guards_and_lets_by_nothing() {
    let allowed = |name: &str| Guards::check_allowed(&["goal".to_owned(), name.to_owned()]);
    assert!(allowed("notes").is_ok());
    let refused = allowed("Constraints").unwrap_err();
    assert_eq!(refused.refusals()[0].code.as_str(), "guard.rule");
    assert!(refused.refusals()[0].detail.contains("did you mean `constraints`?"));
}

#[test]
fn text_is_cleaned_or_refused() {
    assert_eq!(after(r#"{"current_state": "a\r\nb\tc"}"#, "current_state"), r#"["a\nb\tc"]"#);
    for (patch, at) in [
        (r#"{"current_state": ["a\u0007"]}"#, "/current_state/0"),
        (r#"{"current_state": ["a\rb"]}"#, "/current_state/0"),
        (r#"{"current_state": ["\u009b31m"]}"#, "/current_state/0"),
        (r#"{"current_state": ["\udb40\udc41"]}"#, "/current_state/0"),
        (r#"{"current_state": ["\uffff"]}"#, "/current_state/0"),
        (r#"{"current_state": ["\ud83f\udffe"]}"#, "/current_state/0"),
        (r#"{"other": {"deep": [{"k": "\u001b"}]}}"#, "/other/deep/0/k"),
    ] {
        assert_eq!(refusals(patch), [format!("patch.text {at}")], "{patch}");
    }
}

#[test]
fn strict_dialect_reads_null_as_no_change() {
    let baton = read(BATON);
    let patch = r#"{"goal": null, "stamp": null, "current_state": ["x"], "open_questions": {"add": null, "remove": ["Which hash?"]},
        "decision_log": [{"decision": "y", "rationale": null, "supersedes": null}],
        "acceptance": {"add": [{"check": "tests pass", "status": null, "evidence": "z"}], "remove": null}}"#;
    let lowered = lowered(&baton, patch, Dialect::Strict).unwrap();
    assert_eq!(
        json::compact(&Value::Object(lowered.sets().clone())),
        r#"{"current_state":["x"],"open_questions":[],"acceptance":[{"check":"tests pass","status":"pending","evidence":"z"}]}"#
    );
    assert_eq!(lowered.decisions().len(), 1);
}

#[test]
fn the_plain_patch_gives_the_same_baton_with_any_implementation() {
    let baton = read(BATON);
    let patch = r#"{"decision_log": ["x"], "notes": {"a": null}, "constraints": {"add": "y"}, "more": {"z": null}}"#;
    let admitted = admitted(&baton, patch, &Guards::default(), &[]).unwrap();
    let plain = plain_patch(&baton, &admitted, &attribution(), "sha256:x");
    let mut document: serde_json::Value = serde_json::from_str(&baton.to_json()).unwrap();
    let plain: serde_json::Value = serde_json::from_str(&json::compact(&Value::Object(plain))).unwrap();
    json_patch::merge(&mut document, &plain);
    let merged = merge(baton, admitted, &attribution(), "sha256:x");
    let ours: serde_json::Value = serde_json::from_str(&merged.baton().to_json()).unwrap();
    assert_eq!(document, ours);
}

#[test]
fn rebase_takes_both_sides() {
    let base = read(BATON);
    let theirs = apply(
        BATON,
        r#"{"decision_log": ["Theirs", "Same"], "open_questions": ["Why?"], "notes": {"a": 5},
        "artifacts": {"add": [{"name": "plan", "uri": "t.md"}, "log"]}, "constraints": {"add": "C1"}}"#,
    )
    .unwrap();
    let ours = r#"{"decision_log": [{"id": "D4", "decision": "Ours"}, "Same", {"decision": "Last", "supersedes": "D4"}],
        "notes": {"b": null}, "open_questions": {"add": "When?"}, "constraints": {"add": "C2"},
        "artifacts": {"add": [{"name": "plan", "summary": "s"}]}}"#;
    let lowered = lowered(&base, ours, Dialect::Plain).unwrap();
    let settled = rebase(&base, &theirs, lowered, &|_| None).unwrap();
    let decisions: Vec<String> = settled
        .decisions()
        .iter()
        .map(|one| {
            let one = one.as_object().unwrap();
            format!(
                "{} {} {:?}",
                one.get("id").unwrap(),
                one.get("decision").unwrap(),
                one.get("supersedes").map(json::compact)
            )
        })
        .collect();
    assert_eq!(decisions, [r#""D6" "Ours" None"#, r#""D7" "Last" Some("[\"D6\"]")"#]);
    assert_eq!(
        json::compact(&Value::Object(settled.sets().clone())),
        r#"{"notes":{"b":null},"open_questions":["Why?","When?"],"constraints":["No breaking changes","Must pass CI","C1","C2"],"artifacts":[{"name":"plan","uri":"t.md","owner":"x","summary":"s"},{"name":"log"}]}"#
    );
}

#[test]
fn rebase_says_which_ids_are_other_ones() {
    let base = read(BATON);
    let theirs = apply(BATON, r#"{"decision_log": ["Theirs", "Same"]}"#).unwrap();
    let ours = r#"{"current_state": "s", "decision_log": [{"id": "D4", "decision": "Ours"},
        {"id": "D7", "decision": "Right"}, {"id": "D9", "decision": "Same"}]}"#;
    let lowered = lowered(&base, ours, Dialect::Plain).unwrap();
    let settled = rebase(&base, &theirs, lowered, &|_| None).unwrap();
    let notices: Vec<String> = settled.notices().iter().map(|one| format!("{} {}", one.code, one.at)).collect();
    assert_eq!(notices, ["decision.renumbered /decision_log/0/id", "decision.repeated /decision_log/2"]);
    assert!(settled.notices()[0].detail.contains("`D4` is D6 there"));
}

#[test]
fn rebase_names_conflicts() {
    let base = read(BATON);
    let theirs =
        apply(BATON, r#"{"notes": {"a": 5}, "artifacts": {"add": [{"name": "plan", "uri": "t.md"}]}}"#).unwrap();
    let ours = r#"{"notes": {"a": 6}, "artifacts": {"add": [{"name": "plan", "uri": "o.md"}]}}"#;
    let lowered = lowered(&base, ours, Dialect::Plain).unwrap();
    let refused = rebase(&base, &theirs, lowered, &|_| Some("step `x` by `y`".into())).unwrap_err();
    let found: Vec<String> = refused.refusals().iter().map(|one| format!("{} {}", one.code, one.at)).collect();
    assert_eq!(found, ["base.conflict /notes/a", "base.conflict /artifacts/0/uri"]);
    assert!(
        refused.refusals()[0].detail.contains("base has `1`, step `x` by `y` made it `5`, this patch makes it `6`")
    );
}

#[test]
fn an_item_given_twice_does_not_hide_a_misspelt_member() {
    let patch = r#"{"artifacts": {"add": [{"name": "a", "media-type": null}, {"name": "a"}]}}"#;
    assert_eq!(refusals(patch), ["patch.unknown_field /artifacts/add/0/media-type", "patch.type /artifacts/add/1"]);
}
