//! The same in TOML, with the places in its text.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use proptest::prelude::*;

use super::*;
use crate::refusal::Code::{self, CharterMember, CharterName, CharterRule, CharterSyntax};

const SOUND: &str = r#"charter = "v1"
[ceilings]
tokens = 9_000
tool_calls = 0x9

[data.plan]
readers = ["*"]

[strategy.ship]
[[strategy.ship.subtask]]
id = "plan"
agent = "planner"
intent = "Plan"
produces = "plan"

[agent.planner]
responsibility = "Plans"
callable_by = ["strategy ship"]
contract = { type = "object", properties = { share = { multipleOf = 0.5 } } }
limits = { iterations = 5 }
"#;

fn read(text: &str) -> Result<Charter, Unsound> {
    let source = Source::toml("c.toml", text).map_err(|found| Unsound::of("c.toml", found))?;
    Charter::read(source, &mut |_| panic!("it names no file"))
}

#[test]
fn toml_says_the_same_as_json() {
    let json = r#"{"charter": "v1", "ceilings": {"tokens": 9000, "tool_calls": 9}, "data": {"plan": {"readers": ["*"]}},
        "strategy": {"ship": {"subtask": [{"id": "plan", "agent": "planner", "intent": "Plan", "produces": "plan"}]}},
        "agent": {"planner": {"responsibility": "Plans", "callable_by": ["strategy ship"], "limits": {"iterations": 5},
        "contract": {"type": "object", "properties": {"share": {"multipleOf": 0.5}}}}}}"#;
    let charter = read(SOUND).unwrap();
    assert_eq!(charter, Charter::from_json(json).unwrap());
    assert_eq!(Charter::of_document(&charter.document).unwrap(), charter);
}

#[test]
fn faults_have_their_place_in_the_text() {
    let cases: &[(&str, &str, Code, &str, usize, usize)] = &[
        ("tokens = 9_000", "tokens = 9e3", CharterMember, "/ceilings/tokens", 3, 10),
        ("tokens = 9_000", "tokens = 9007199254740992", CharterMember, "/ceilings/tokens", 3, 10),
        ("tokens = 9_000", "tokens = inf", CharterMember, "/ceilings/tokens", 3, 10),
        ("tokens = 9_000", "tokens = 2026-01-01", CharterMember, "/ceilings/tokens", 3, 10),
        ("tokens = 9_000", "tokens = -0", CharterRule, "/ceilings/tokens", 3, 10),
        ("tokens = 9_000", "tokens = ", CharterSyntax, "", 3, 10),
        ("tokens = 9_000", "tokens = 1\ntokens = 1", CharterName, "", 4, 1),
        ("[data.plan]", "[data.plan]\n[data.plan]", CharterName, "", 7, 7),
        ("[agent.planner]", "[agent.planer]", CharterName, "/strategy/ship/subtask/0/agent", 12, 9),
        ("[data.plan]", "[data.\"a b\"]\nreaders = []\n[data.plan]", CharterName, "/data/a b", 6, 7),
        ("readers = [\"*\"]", "", CharterMember, "/data/plan/readers", 6, 7),
        ("iterations = 5", "iteratons = 5", CharterMember, "/agent/planner/limits/iteratons", 20, 24),
        ("[\"strategy ship\"]", "[\"strategy ship\", \"*\"]", CharterRule, "/agent/planner/callable_by/1", 18, 33),
        ("intent = \"Plan\"", "intent = 1", CharterMember, "/strategy/ship/subtask/0/intent", 13, 10),
        ("id = \"plan\"\n", "", CharterMember, "/strategy/ship/subtask/0/id", 10, 1),
        ("[strategy.ship]", "[strategy.ship.subtasks]", CharterMember, "/strategy/ship/subtasks", 9, 16),
    ];
    for (from, to, code, at, line, column) in cases {
        assert!(SOUND.contains(from), "{from}");
        let unsound = read(&SOUND.replacen(from, to, 1)).unwrap_err();
        let found = unsound.faults().iter().map(|fault| &fault.refusal).find(|refusal| refusal.at == *at);
        let found = found.unwrap_or_else(|| panic!("{to}: {unsound}"));
        let position = found.position.unwrap();
        assert_eq!((found.code, position.line, position.column), (*code, *line, *column), "{to}: {unsound}");
    }
}

#[test]
fn deep_and_long_texts_are_refused() {
    for text in [format!("a = {}", "[".repeat(100_000)), "a = 1\n".repeat(200_000), "\u{feff}".to_owned()] {
        assert!(read(&text).is_err());
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "[a-z\\[\\]{}=\"'.,\n #0-9_-]{0,80}", from in 0_usize..400, length in 0_usize..40) {
        let _ = read(&text).is_err();
        let kept: String = SOUND.chars().enumerate().filter(|(place, _)| !(from..from + length).contains(place)).map(|(_, c)| c).collect();
        if let Err(unsound) = read(&kept) {
            prop_assert!(unsound.faults().iter().all(|fault| fault.refusal.position.is_some()));
        }
    }
}
