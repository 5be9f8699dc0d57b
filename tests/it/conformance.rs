//! Every vector of governance, through the library; and that the list in the library is the folder.

use std::fs;
use std::path::Path;

use relay_baton::conformance::{Responder, Vector, check, vectors};

use crate::validator::Small;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/governance");
const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/conformance/list.rs");

/// Group, name and text of every file of the folder, in order.
pub(crate) fn files() -> Vec<(String, String, String)> {
    let mut files = Vec::new();
    for group in fs::read_dir(FOLDER).unwrap() {
        let group = group.unwrap();
        for file in fs::read_dir(group.path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(path.extension().is_some_and(|extension| extension == "json"), "{path:?}");
            files.push((group.file_name().into_string().unwrap(), name, fs::read_to_string(path).unwrap()));
        }
    }
    files.sort();
    files
}

#[test]
fn every_vector_holds() {
    let small = Small;
    let mut responder = Responder::new(Some(&small));
    let (mut faults, mut count) = (Vec::new(), 0);
    for (group, name, text) in files() {
        let vector = Vector::read(&group, &text).unwrap_or_else(|wrong| panic!("{group}/{name}: {wrong}"));
        assert_eq!(vector.name, name, "{group}");
        assert!(vector.rule.len() > 20 && vector.rule.ends_with('.'), "{group}/{name}: its rule is no sentence");
        count += 1;
        let mut line = String::new();
        let found = check(&vector, &mut |request| {
            line = responder.respond(request);
            Ok(line.clone())
        });
        faults.extend(
            found.iter().map(|found| {
                format!("{group}/{name} at `{}`: expected {}, got {}", found.at, found.expected, found.got)
            }),
        );
        if !found.is_empty() && std::env::var_os("SHOW_ANSWERS").is_some() {
            faults.push(format!("    {line}"));
        }
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
}

/// `UPDATE_VECTORS=1` writes the list anew.
#[test]
fn the_list_in_the_library_is_the_folder() {
    let files = files();
    let line = |(group, name, _): &(String, String, String)| {
        format!("    (\"{group}\", include_str!(\"../../tests/vectors/governance/{group}/{name}.json\")),\n")
    };
    let text = format!(
        "//! Every vector of `tests/vectors/governance`; a test holds this list equal to the folder, and makes it anew.\n\n\
         /// The group and the text of each.\n#[rustfmt::skip]\npub(super) const VECTORS: &[(&str, &str)] = &[\n{}];\n",
        files.iter().map(line).collect::<String>()
    );
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        fs::write(LIST, &text).unwrap();
    }
    assert!(fs::read_to_string(LIST).unwrap() == text, "{LIST}: run the tests with UPDATE_VECTORS=1");
    if std::env::var_os("UPDATE_VECTORS").is_none() {
        let own: Vec<(String, String)> = vectors().into_iter().map(|vector| (vector.group, vector.name)).collect();
        assert_eq!(own, files.into_iter().map(|(group, name, _)| (group, name)).collect::<Vec<_>>());
    }
}

/// The published crate has what the list includes.
#[test]
fn the_vectors_are_published() {
    let manifest = fs::read_to_string(Path::new(FOLDER).join("../../../Cargo.toml")).unwrap();
    let include = manifest.lines().find(|line| line.starts_with("include = ")).unwrap();
    assert!(include.contains("\"/tests/vectors/governance\""), "{include}");
}

/// So few scenarios show that a rule is kept.
#[test]
fn every_group_has_its_vectors() {
    let files = files();
    let count = |group: &str| files.iter().filter(|(known, _, _)| known == group).count();
    for group in GROUPS {
        assert!(count(group) >= 4, "{group} has {}", count(group));
    }
    let other: Vec<_> = files.iter().filter(|(group, _, _)| !GROUPS.contains(&group.as_str())).collect();
    assert!(other.is_empty(), "{other:?}");
    assert!(files.len() >= 120, "{}", files.len());
}

pub(crate) const GROUPS: [&str; 20] = [
    "01-no-agent-reference",
    "02-board-only",
    "03-delegation",
    "04-slices",
    "05-budgets",
    "06-approval",
    "07-tools",
    "08-metering",
    "09-one-board",
    "10-validated",
    "11-restart",
    "approval",
    "call",
    "caller",
    "ceiling",
    "charter",
    "contract",
    "delegation",
    "prerequisite",
    "reply",
];

/// Whenever a grant comes, the call is made, or it has expired: the moment between the two leaves nothing waiting.
#[test]
fn a_word_at_the_last_moment_leaves_nothing_waiting() {
    let small = Small;
    let mut responder = Responder::new(Some(&small));
    let (mut made, mut expired) = (0, 0);
    for seconds in 40..70 {
        let request = serde_json::json!({
            "id": seconds, "op": "task",
            "charter": {
                "charter": "v1", "ceilings": {"tokens": 100_000, "tool_calls": 5},
                "strategy": {"ship": {"subtask": [{"id": "plan", "agent": "planner", "intent": "Plan"}]}},
                "agent": {"planner": {"responsibility": "Plans", "callable_by": ["strategy ship"], "uses": ["tool send"]}},
                "tool": {"send": {"approval_minutes": 1}},
            },
            "replies": {"planner": [{"tool_calls": [{"tool": "send"}]}, {"output": 1}]},
            "script": [
                {"do": "pass", "seconds": seconds},
                {"do": "grant", "tool": "send"},
                {"do": "pass", "seconds": 1},
            ],
        });
        let answer: serde_json::Value = serde_json::from_str(&responder.respond(&request.to_string())).unwrap();
        let answer = &answer["answer"];
        assert_eq!(answer["status"], "done", "after {seconds} s: {}", answer["entries"]);
        match answer["invoked"].as_array().unwrap().len() {
            0 => expired += 1,
            _ => made += 1,
        }
    }
    assert!(made > 0 && expired > 0, "{made} were made, {expired} expired");
}
