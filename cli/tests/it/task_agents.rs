//! Agents and tools that do not do what they should.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{Folder, Ran};
use crate::tasks::{approval, entries, folder, pending, sent, story, traces};

const HEAD: &str = "charter = \"v1\"\n[ceilings]\ntokens = 60_000\ntool_calls = 5\n[data.out]\nreaders = [\"*\"]\n";
const ONE: &str = "[strategy.s]\ngoal = \"g\"\n[[strategy.s.subtask]]\nid = \"one\"\nagent = \"a\"\nintent = \"do\"\nproduces = \"out\"\n";

/// A task of one agent, with these members and this script.
fn alone(members: &str, script: &str) -> Folder {
    let agent = format!("[agent.a]\nresponsibility = \"r\"\ncallable_by = [\"strategy s\"]\n{members}\n");
    folder(&[("charter.toml", &format!("{HEAD}{ONE}{agent}")), ("a", &format!("#!/bin/sh\n{script}\n"))])
}

fn run(folder: &Folder) -> Ran {
    folder.run(&["run", "charter.toml", "--person", "kim"])
}

fn code(ran: &Ran) -> &str {
    let line = ran.err.lines().find(|line| line.contains(": failed: ")).unwrap_or_else(|| panic!("{ran:?}"));
    line.split(": failed: ").nth(1).unwrap().split(':').next().unwrap()
}

#[test]
fn agents_that_give_no_answer_fail_their_run() {
    let began = Instant::now();
    let (plain, limited) =
        ("command = [\"./a\"]", "command = { words = [\"./a\"], time_limit_s = 1, output_limit_bytes = 1000 }");
    for (members, script, expected) in [
        (limited, "sleep 60", "run.model"),
        (limited, "yes", "run.model"),
        (plain, "kill -9 $$", "run.model"),
        (plain, "echo why >&2; exit 3", "run.model"),
        (plain, "cat >/dev/null", "reply.none"),
        (plain, "echo '{\"output\": 1, \"agent\": \"b\"}'", "reply.foreign"),
        (plain, "echo '{\"output\": 1, \"request\": \"r0\"}'", "reply.foreign"),
        (plain, "echo '{\"output\": 1, \"outptu\": 2}'", "reply.type"),
        (plain, "printf '\\377\\376'", "json.encoding"),
        ("command = [\"./nowhere\"]", "", "run.model"),
    ] {
        let folder = alone(members, script);
        let ran = run(&folder).ends(1);
        assert_eq!(code(&ran), expected, "{script}: {ran:?}");
        assert!(ran.err.contains("run.failed: failed: one"), "{ran:?}");
        assert_eq!(traces(&folder).iter().filter(|name| *name == "model_called").count(), 2, "one correction");
        assert_eq!(entries(&folder, "fact").len(), 0);
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn an_agent_may_mend_its_answer() {
    let script = "request=$(cat)\ncase $request in *'\"correction\"'*) echo '{\"output\": 2}' ;; *) echo '{\"output\": ' ;; esac";
    let folder = alone("command = [\"./a\"]", script);
    assert_eq!(run(&folder).ends(0).json(), json!({"out": 2}));
    assert_eq!(traces(&folder).iter().filter(|name| *name == "correction_sent").count(), 1);
}

#[test]
fn a_plain_text_is_an_output_and_nothing_hidden_reaches_the_terminal() {
    let folder =
        alone("command = [\"./a\"]", "cat >/dev/null; printf 'it is \\033[31mdone\\n'; printf '\\033[2Jx\\n' >&2");
    let ran = run(&folder).ends(0);
    assert_eq!(ran.json(), json!({"out": "it is \u{1b}[31mdone"}));
    assert!(!ran.err.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn what_an_agent_is_sent_is_one_line_of_json() {
    let folder = alone(
        "needs = [\"out\"]\nwrites = [\"current_state\"]\ncommand = [\"./a\"]",
        "tee request.json; env > env.txt",
    );
    fs::write(folder.at("a"), "#!/bin/sh\ncat > request.json; echo \"$BATON_BY $BATON_STEP\" > env.txt; echo 1\n")
        .unwrap();
    run(&folder).ends(0);
    let text = folder.read("request.json");
    assert_eq!(text.matches('\n').count(), 1);
    let request: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&request["schema"], &request["run"]), (&json!("relay-baton/request/v1"), &json!("r1")));
    assert_eq!(
        (&request["person"], &request["step"], &request["intent"]),
        (&json!("kim"), &json!("one"), &json!("do"))
    );
    assert!(request["instructions"].as_str().unwrap().contains("current_state"));
    assert_eq!(folder.read("env.txt"), "a one\n");
}

/// A task of one agent that calls a tool once, and that tool.
fn calling(members: &str, tool: &str) -> Folder {
    let agent =
        "[agent.a]\nresponsibility = \"r\"\ncallable_by = [\"strategy s\"]\nuses = [\"tool t\"]\ncommand = [\"./a\"]\n";
    let script = "#!/bin/sh\nrequest=$(cat)\ncase $request in\n*'\"of\":\"tool t\"'*) printf '%s' \"$request\" | sed 's/.*\\(\"status\":\"[a-z]*\"\\).*/\\1/' ;;\n*) echo '{\"tool_calls\": {\"tool\": \"t\"}}' ;;\nesac\n";
    let charter = format!("{HEAD}{ONE}{agent}[tool.t]\n{members}\n");
    folder(&[("charter.toml", &charter), ("a", script), ("t", &format!("#!/bin/sh\n{tool}\n"))])
}

#[test]
fn a_tool_that_changes_nothing_fails_or_is_done() {
    let free = "side_effects = false\ncommand = { words = [\"./t\"], time_limit_s = 1, output_limit_bytes = 1000 }";
    for (tool, status) in
        [("echo 3", "done"), ("exit 4", "failed"), ("kill -9 $$", "failed"), ("sleep 60", "failed"), ("yes", "failed")]
    {
        let folder = calling(free, tool);
        assert_eq!(run(&folder).ends(0).json(), json!({"out": format!("\"status\":\"{status}\"")}), "{tool}");
    }
}

#[test]
fn a_call_whose_end_nobody_knows_is_put_to_a_person_and_not_repeated() {
    let limited = "command = { words = [\"./t\"], time_limit_s = 1, output_limit_bytes = 1000 }";
    for (tool, words, status) in [
        ("echo x >> outbox.txt; kill -9 $$", &["--happened", "--result", "{\"sent\": true}"][..], "done"),
        ("echo x >> outbox.txt; sleep 60", &["--did-not-happen"][..], "failed"),
        ("echo x >> outbox.txt; yes", &["--happened"][..], "done"),
    ] {
        let folder = calling(limited, tool);
        run(&folder).ends(6);
        let id = approval(&folder);
        folder.run(&["approve", &id, "--by", "kim"]).ends(0);
        let ran = folder.run(&["resume"]).ends(6);
        assert!(ran.err.contains("baton-patch resolve"), "{ran:?}");
        folder.run(&["resume"]).ends(6);
        assert_eq!(sent(&folder), 1);
        let doubt = &pending(&folder)["doubts"][0];
        let short = doubt["short"].as_str().unwrap();
        assert!(doubt["key"].as_str().unwrap().contains(short));
        folder.run(&["resolve", short, "--happened", "--by", "a", "--report", "json"]).ends(1);
        let resolve = [&["resolve", short, "--by", "kim"][..], words].concat();
        folder.run(&resolve).ends(0);
        let by_approval = [&["resolve", &id, "--by", "kim", "--report", "json"][..], words].concat();
        assert_eq!(folder.run(&by_approval).ends(0).codes(), ["replayed"]);
        folder.run(&["resolve", short, "--did-not-happen", "--by", "pat"]).ends(1);
        let done = folder.run(&["resume"]).ends(0).json();
        assert_eq!(done, json!({"out": format!("\"status\":\"{status}\"")}), "{tool}");
        assert_eq!(sent(&folder), 1);
    }
}

#[test]
fn a_tool_with_side_effects_that_fails_is_known_to_have_failed() {
    for tool in ["exit 4", "echo no >&2; exit 1"] {
        let folder = calling("command = [\"./t\"]", tool);
        run(&folder).ends(6);
        folder.run(&["approve", &approval(&folder), "--by", "kim"]).ends(0);
        assert_eq!(folder.run(&["resume"]).ends(0).json(), json!({"out": "\"status\":\"failed\""}));
    }
}

#[test]
fn a_signal_ends_the_commands_too_and_the_task_goes_on_later() {
    let folder = alone("command = [\"./a\"]", "echo $$ > pid; [ -e quick ] && echo 1 || { sleep 60 & wait; }");
    let mut child = folder.program(&["run", "charter.toml", "--person", "kim"]);
    let child = child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while !folder.at("pid").exists() || folder.read("pid").is_empty() {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = folder.run(&["resume", "--report", "json"]).ends(1);
    assert_eq!(second.codes(), ["run.under_way"]);
    let signalled = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(signalled.success());
    let ran = Ran::from(child.wait_with_output().unwrap()).ends(130);
    assert!(ran.err.contains("baton-patch resume"), "{ran:?}");
    let pid = folder.read("pid");
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "the agent is still there: {state}");
    fs::write(folder.at("quick"), "").unwrap();
    assert_eq!(folder.run(&["resume"]).ends(0).json(), json!({"out": 1}));
    assert!(folder.names().iter().all(|name| !name.ends_with(".run")), "{:?}", folder.names());
}

#[test]
fn a_fan_out_of_twenty_stops_at_the_ceiling() {
    let mut charter = HEAD.replace("60_000", "30_000") + "[strategy.s]\ngoal = \"g\"\n";
    for number in 0..20 {
        charter += &format!("[[strategy.s.subtask]]\nid = \"s{number}\"\nagent = \"a\"\nintent = \"do\"\n");
    }
    charter += "[agent.a]\nresponsibility = \"r\"\ncallable_by = [\"strategy s\"]\ncommand = [\"./a\"]\n";
    let folder = folder(&[("charter.toml", &charter), ("a", "#!/bin/sh\ncat >/dev/null; sleep 30; echo 1\n")]);
    let began = Instant::now();
    let ran = run(&folder).ends(1);
    assert!(ran.err.contains("ceiling.tokens"), "{ran:?}");
    assert!(began.elapsed() < Duration::from_secs(15), "what still ran was ended: {:?}", began.elapsed());
    assert!(folder.run(&["resume"]).ends(1).err.contains("ceiling.tokens"));
}

#[test]
fn independent_runs_go_on_at_once() {
    let mut charter = HEAD.to_owned() + "[strategy.s]\ngoal = \"g\"\n";
    for number in 0..8 {
        charter += &format!("[[strategy.s.subtask]]\nid = \"s{number}\"\nagent = \"a\"\nintent = \"do\"\n");
    }
    charter += "[agent.a]\nresponsibility = \"r\"\ncallable_by = [\"strategy s\"]\ncommand = [\"./a\"]\n";
    let folder = folder(&[("charter.toml", &charter), ("a", "#!/bin/sh\ncat >/dev/null; sleep 1; echo 1\n")]);
    let began = Instant::now();
    run(&folder).ends(0);
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    assert_eq!(entries(&folder, "output").len(), 8);
}

#[test]
fn an_agent_that_nobody_may_call_costs_nothing() {
    let folder = story();
    folder.run(&["init", "--goal", "g", "-o", "baton.json"]).ends(0);
    let enter = |caller: &str| {
        folder.run(&[
            "step",
            "enter",
            "planner",
            "--called-by",
            caller,
            "--charter",
            "charter.toml",
            "--report",
            "json",
        ])
    };
    assert_eq!(enter("agent builder").ends(1).codes(), ["delegation.target"]);
    assert_eq!(enter("strategy other").ends(1).codes(), ["authority.caller"]);
    let names = traces(&folder);
    assert!(names.contains(&"agent_invocation_refused".to_owned()) && names.contains(&"failure_detected".to_owned()));
    assert!(!names.contains(&"model_called".to_owned()) && !names.contains(&"slice_given".to_owned()), "{names:?}");
}

#[test]
fn an_output_that_breaks_its_contract_is_seen_by_nobody() {
    let contract = "contract = { type = \"object\", required = [\"n\"] }\ncommand = [\"./a\"]";
    let folder = alone(contract, "cat >/dev/null; echo '{\"output\": {\"m\": 1}}'");
    assert_eq!(code(&run(&folder).ends(1)), "contract.violated");
    assert_eq!(entries(&folder, "fact").len(), 0);
    assert_eq!(traces(&folder).iter().filter(|name| *name == "contract_violated").count(), 2);
    let script =
        "request=$(cat)\ncase $request in *'\"correction\"'*) echo '{\"n\": 1}' ;; *) echo '{\"m\": 1}' ;; esac";
    assert_eq!(run(&alone(contract, script)).ends(0).json(), json!({"out": {"n": 1}}));
}

#[test]
fn agents_delegate_as_far_as_the_charter_goes() {
    let charter = HEAD.replace("tool_calls = 5", "tool_calls = 5\nspawns = 1\ndepth = 1")
        + ONE
        + "[agent.a]\nresponsibility = \"r\"\ncallable_by = [\"strategy s\"]\nuses = [\"agent b\"]\ncommand = [\"./a\"]\n"
        + "[agent.b]\nresponsibility = \"r\"\ncallable_by = [\"agent a\"]\ncommand = [\"./b\"]\n";
    let asks = "{\"delegate\": {\"agent\": \"b\", \"intent\": \"help\", \"input\": 7}}";
    let a = format!(
        "#!/bin/sh\nrequest=$(cat)\ncase $request in *'\"of\":\"agent b\"'*) echo done ;; *) echo '{asks}' ;; esac\n"
    );
    let b = "#!/bin/sh\ncat > request.json; echo 8\n";
    let folder = folder(&[("charter.toml", &charter), ("a", &a), ("b", b)]);
    assert_eq!(run(&folder).ends(0).json(), json!({"out": "done"}));
    let request: Value = serde_json::from_str(&folder.read("request.json")).unwrap();
    assert_eq!((&request["intent"], &request["input"], &request["run"]), (&json!("help"), &json!(7), &json!("r2")));
}

#[test]
fn what_still_runs_when_the_task_has_failed_is_ended_and_booked() {
    let mut charter = HEAD.replace("60_000", "9_500") + "[strategy.s]\ngoal = \"g\"\n";
    for agent in ["a", "b"] {
        charter += &format!("[[strategy.s.subtask]]\nid = \"{agent}\"\nagent = \"{agent}\"\nintent = \"do\"\n");
    }
    for agent in ["a", "b"] {
        charter += &format!(
            "[agent.{agent}]\nresponsibility = \"r\"\ncallable_by = [\"strategy s\"]\ncommand = [\"./{agent}\"]\n"
        );
    }
    // One says more than the whole task may; the other would take its time.
    let a = "#!/bin/sh\ncat >/dev/null; sleep 0.5; seq 1 9000\n";
    let folder = folder(&[("charter.toml", &charter), ("a", a), ("b", "#!/bin/sh\ncat >/dev/null; sleep 60\n")]);
    let began = Instant::now();
    let ran = run(&folder).ends(1);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(ran.err.contains("ceiling.tokens"), "{ran:?}");
    assert_eq!(traces(&folder).iter().filter(|name| *name == "model_called").count(), 2, "both are booked");
    folder.run(&["resume"]).ends(1);
}
