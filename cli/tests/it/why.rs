//! Where things come from: `why`, `blame`, and the log as a page.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::program::{Folder, Ran};

/// Strings that would run, if a page took them for markup.
pub(crate) const HOSTILE: [&str; 5] = [
    "Done <script>window.pwned=1</script><img src=x onerror=\"window.pwned=2\">",
    "[click](javascript:window.pwned=3)",
    "</script><script>window.pwned=4</script>",
    "\u{202e}<svg onload=window.pwned=5>",
    "<!--<script>",
];

/// A board of eight entries: three facts, a baton, and four patches, of which the last is hostile.
pub(crate) fn story() -> Folder {
    let folder = Folder::new();
    let init =
        ["init", "--goal", "Ship the login page", "--constraint", "No new dependencies", "--check", "p95 below 200 ms"];
    folder.run(&[&init[..], &["--by", "maria", "-o", "baton.json"]].concat()).ends(0);
    let post = |key: &str, text: &str, sources: &[&str]| {
        let mut words = vec!["post", key, text, "--text", "--as", "scout", "--step", "explore", "--everyone"];
        sources.iter().for_each(|source| words.extend(["--derived-from", source]));
        folder.run(&words).ends(0).out.trim().to_owned()
    };
    let apply = |step: &str, patch: Value, sources: &[&str]| {
        let mut words = vec!["apply", "-i", "baton.json", "-", "--step", step, "--by", "agent"];
        sources.iter().for_each(|source| words.extend(["--derived-from", source]));
        folder.run_with(&words, &patch.to_string()).ends(0);
    };
    let survey = post("survey", "Tokens lie in localStorage", &[]);
    apply("plan", json!({"decision_log": ["Use sessions"], "open_questions": ["Which store?"]}), &[&survey]);
    apply("build", json!({"decision_log": ["Keep sessions in SQLite"], "open_questions": null}), &[]);
    let first = post("latency", "p95 is 340 ms", &[]);
    let second = post("latency", "p95 is 410 ms", &[&first]);
    let taken_back = json!([{"decision": "Keep sessions in memory", "supersedes": ["D2"]}]);
    let failed = json!([{"check": "p95 below 200 ms", "status": "failed", "evidence": "410 ms"}]);
    apply("review", json!({"decision_log": taken_back, "acceptance": failed}), &[&second]);
    let artifact =
        json!({"name": "javascript:window.pwned=6", "uri": "https://evil.example/leak?q=1", "summary": HOSTILE[3]});
    let polluted = json!({"polluted": "yes", "constructor": {"prototype": {"polluted": 1}}});
    apply(
        "build",
        json!({"current_state": HOSTILE, "artifacts": [artifact], "__proto__": polluted, "constructor": "x"}),
        &[],
    );
    folder
}

/// The sequence numbers that a tree tells in full, in order.
fn told(ran: &Ran) -> Vec<u64> {
    let full = ran.out.lines().filter(|line| line.contains('●') || line.contains('○'));
    full.map(|line| line.split(['#', ' ']).find_map(|word| word.parse().ok()).unwrap()).collect()
}

#[test]
fn why_walks_back_to_the_facts() {
    let folder = story();
    let ran = folder.run(&["why", "decision_log/D3"]).ends(0);
    assert!(
        ran.out.starts_with("`decision_log` `D3`: brought in by #7\n● #7 patch baton/3 by agent at review"),
        "{ran:?}"
    );
    assert_eq!(told(&ran), [7, 6, 5, 4, 3, 2, 1], "{ran:?}");
    assert!(ran.out.contains("\n├─● #6 fact latency") && ran.out.contains("\n│ ○ #5 fact latency"), "{ran:?}");
    let reference = folder.run(&["log", "--json"]).ends(0).out.lines().nth(6).unwrap().to_owned();
    let reference = serde_json::from_str::<Value>(&reference).unwrap()["reference"].as_str().unwrap().to_owned();
    let tree = ran.out.split_once('\n').unwrap().1;
    for entry in ["7", "#7", "r3", &reference] {
        assert_eq!(folder.run(&["why", entry]).ends(0).out, tree, "{entry}");
    }
    assert_eq!(told(&folder.run(&["why", "open_questions/Which"]).ends(0)), [4, 3, 2, 1], "what removed it, too");
    let ran = folder.run(&["why", "acceptance/0"]).ends(0);
    assert!(ran.out.contains("brought in by #1, changed by #7"), "{ran:?}");
    assert_eq!(told(&folder.run(&["why", "5"]).ends(0)), [5]);
}

#[test]
fn why_stops_where_it_is_told_to() {
    let folder = story();
    let ran = folder.run(&["why", "8", "--max", "3", "--report", "json"]).ends(0);
    assert_eq!(told(&ran), [8, 7, 6], "the nearest");
    assert_eq!((&ran.report()["entries"], &ran.report()["beyond"]), (&json!(3), &json!(2)));
    assert!(ran.out.ends_with("… and 2 more entries, and what they were made of\n"), "{ran:?}");
}

#[test]
fn why_draws_what_it_found() {
    let folder = story();
    let mermaid = folder.run(&["why", "8", "--mermaid"]).ends(0).out;
    assert!(
        mermaid.starts_with("flowchart TD\n    n8[\"#35;8 patch baton#47;4<br/>")
            && mermaid.contains("    n8 --> n7\n")
    );
    let dot = folder.run(&["why", "8", "--dot"]).ends(0).out;
    assert!(dot.starts_with("digraph provenance {\n") && dot.contains("\n  n7 -> n6;\n"), "{dot}");
    let prov = folder.run(&["why", "8", "--prov"]).ends(0).json();
    assert_eq!(prov["entity"].as_object().unwrap().len(), 8);
    assert_eq!(prov["wasDerivedFrom"]["_:d1"]["prov:usedEntity"], "baton:entry-7");
    folder.run(&["why", "8", "--prov", "--dot"]).ends(2);
}

#[test]
fn what_is_not_there_is_refused_with_the_nearest() {
    let folder = story();
    for (asked, told) in [
        ("99", "there is no entry 99"),
        ("r99", "there is no entry `r99`"),
        ("0000000000000000", "there is no entry `0000000000000000`"),
        ("constraint/x", "the nearest is `constraints`"),
        ("constraints/No old dependencies", "the nearest item is `No new dependencies`"),
        ("decision_log/Keep", "2 items begin with `Keep`"),
        ("\u{1b}[2J", "`\\u{1b}[2J`"),
    ] {
        let ran = folder.run(&["why", asked]).ends(1);
        assert!(ran.err.contains("board.unknown_entry") && ran.err.contains(told) && ran.out.is_empty(), "{ran:?}");
    }
    let ran = folder.run(&["blame", "constraint"]).ends(1);
    assert!(ran.err.contains("the nearest is `constraints`"), "{ran:?}");
}

#[test]
fn blame_names_who_brought_it_in() {
    let folder = story();
    let table = folder.run(&["blame"]).ends(0).out;
    assert!(table.contains("\nconstraints\n  r0  #1  maria "), "{table}");
    assert!(table.contains("D2 Keep sessions in SQLite; superseded by D3\n"), "{table}");
    assert!(table.contains("    changed r3  #7  agent at review") && table.contains("  evidence, status\n"), "{table}");
    assert!(!table.contains("Which store?") && !table.chars().any(|c| c == '\u{202e}'), "{table}");
    let removed = folder.run(&["blame", "open_questions", "--removed"]).ends(0).out;
    assert!(
        removed.contains("- r1  #3  agent at plan") && removed.contains("Which store?\n    removed r2  #4"),
        "{removed}"
    );
    let earlier = folder.run(&["blame", "open_questions", "--revision", "1"]).ends(0).out;
    assert!(earlier.contains("Which store?"), "{earlier}");
    assert!(folder.run(&["blame", "--revision", "9"]).ends(1).err.contains("board.unknown_entry"));
}

#[test]
fn blame_is_json_where_that_is_asked_for() {
    let folder = story();
    let ran = folder.run(&["blame", "--json", "--removed"]).ends(0);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fields: BTreeSet<&str> = lines.iter().map(|line| line["field"].as_str().unwrap()).collect();
    assert!(fields.contains("goal") && fields.contains("__proto__") && !fields.contains("stamp"), "{fields:?}");
    let check = lines.iter().find(|line| line["field"] == "acceptance").unwrap();
    assert_eq!((&check["brought"]["seq"], &check["members"]["status"]["seq"]), (&json!(1), &json!(7)));
    assert_eq!(check["members"]["check"]["seq"], 1);
    let question = lines.iter().find(|line| line["field"] == "open_questions").unwrap();
    assert_eq!((&question["removed"]["revision"], &question["removed"]["step"]), (&json!(2), &json!("build")));
    let goal = lines.iter().find(|line| line["field"] == "goal").unwrap();
    assert_eq!(goal.get("changed"), None, "it was never changed");
    let second = lines.iter().find(|line| line["key"] == "D2").unwrap();
    assert_eq!(second["superseded_by"], json!(["D3"]));
}

#[test]
fn the_page_holds_the_log_as_data() {
    let folder = story();
    let page = folder.run(&["log", "--html"]).ends(0).out;
    folder.run(&["log", "--html", "-o", "log.html"]).ends(0);
    assert_eq!(folder.read("log.html"), page);
    assert!(page.contains("default-src 'none'; script-src 'sha256-"), "{page}");
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    assert!(!data.contains('<') && !data.contains('\u{202e}'), "{data}");
    let data: Value = serde_json::from_str(data).unwrap();
    let entries = data["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 8);
    assert_eq!(entries[7]["patch"]["current_state"], json!(HOSTILE));
    assert!(entries.iter().filter(|entry| entry["tokens"].as_u64() > Some(10)).count() == 5, "{data}");
    for words in [&["--json"][..], &["--max", "3"], &["--kind", "fact"], &["--after", "1"]] {
        folder.run(&[&["log", "--html"], words].concat()).ends(2);
    }
}
