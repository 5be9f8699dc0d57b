//! Every scenario of boards, through the built binary on SQLite files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use relay_baton::baton::{Baton, Id, Timestamp};
use relay_baton::board::{Board, board_of};
use relay_baton::entry::Reference;
use relay_baton::json::{Limits, read};
use relay_baton::memory::Memory;
use relay_baton::store::Store as _;
use serde_json::{Value, json};

#[path = "../../../tests/it/scenario.rs"]
mod scenario;

use scenario::{ABSENT, Act, Boards, Outcome, Step, run_all};

#[test]
fn every_scenario_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/board");
    run_all(&folder, &mut Binary { folder: PathBuf::new(), runs: 0, begins: false });
}

/// The program in a folder of its own.
struct Binary {
    folder: PathBuf,
    runs: usize,
    /// Whether posts begin the boards.
    begins: bool,
}

impl Boards for Binary {
    fn begin(&mut self, batons: &[Value]) {
        self.runs += 1;
        self.folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenarios").join(self.runs.to_string());
        let _ = fs::remove_dir_all(&self.folder);
        fs::create_dir_all(&self.folder).unwrap();
        self.begins = batons.is_empty();
        if batons.is_empty() {
            // A board file that holds another task's board, so that this one is there and empty.
            let other =
                json!({"goal": "Another", "stamp": {"schema": "baton/v1", "tenant": "t", "task": "t", "revision": 0}});
            let done = self.run(&words(&["import", "-", "--board", "x.board"]), &first_line(&other));
            assert!(done.status.success(), "{done:?}");
        }
        for baton in batons {
            let (tenant, task) = (baton["stamp"]["tenant"].as_str().unwrap(), baton["stamp"]["task"].as_str().unwrap());
            let done = self.run(
                &words(&["import", "-", "--board", "x.board", "--tenant", tenant, "--task", task]),
                &first_line(baton),
            );
            assert!(done.status.success(), "{done:?}");
        }
    }

    fn act(&mut self, step: &Step, _number: usize, references: &BTreeMap<String, String>) -> Outcome {
        let named = |name: &String| references.get(name).map_or(ABSENT, String::as_str).to_owned();
        let mut line = Line::default();
        match step.act {
            Act::Apply => return self.apply(step, &named),
            Act::Post => {
                post(&mut line, step, &named);
                if self.begins {
                    line.words(&["--begin"]);
                }
            }
            Act::Read => line.words(&["read", &named(step.entry.as_ref().unwrap()), "--as", &step.by, "--json"]),
            Act::List => {
                line.words(&["read", "--as", &step.by, "--json"]);
                line.option("--after", step.entry.as_ref().map(named));
                line.option("--max", step.max.filter(|_| step.entry.is_some()));
            }
            Act::Newest => {
                line.words(&["read", "--as", &step.by, "--json", "--newest", "--kind", &step.kind, "--key", &step.key]);
            }
            Act::Checkout => line.words(&["checkout", &step.revision.unwrap().to_string()]),
            Act::Verify => {
                line.words(&["verify", "--replay"]);
                line.option("--head", step.head.as_ref());
            }
            Act::Import => line.words(&["import", "-"]),
        }
        line.words(&["--board", "x.board", "--tenant", &step.tenant, "--task", &step.task]);
        let lines: String = step.lines.iter().map(|line| format!("{line}\n")).collect();
        let done = self.run(&line.0, &lines);
        outcome(step, &done)
    }

    fn head(&mut self, _tenant: &str, _task: &str) -> Option<String> {
        None
    }
}

impl Binary {
    fn run(&self, words: &[String], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton-patch"));
        command.args(words).args(["--report", "json"]).current_dir(&self.folder);
        command
            .env_remove("BATON_BY")
            .env_remove("BATON_BOARD")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// The newest baton is checked out, and the answer applied to that.
    fn apply(&self, step: &Step, named: &dyn Fn(&String) -> String) -> Outcome {
        let mut checkout = Line::default();
        checkout.words(&["checkout", "newest", "-o", "baton.json"]);
        checkout.words(&["--board", "x.board", "--tenant", &step.tenant, "--task", &step.task]);
        let done = self.run(&checkout.0, "");
        if !done.status.success() {
            return outcome(step, &done);
        }
        let mut line = Line::default();
        line.words(&["apply", "baton.json", "-", "--board", "x.board", "--budget", "100000"]);
        line.words(&["--by", &step.by, "--step", step.step.as_deref().unwrap_or("build"), "--at", AT]);
        line.option("--base", step.revision);
        step.derived_from.iter().for_each(|name| line.option("--derived-from", Some(named(name))));
        if step.declassify {
            line.words(&["--declassify"]);
        }
        outcome(step, &self.run(&line.0, &step.patch.as_ref().unwrap().to_string()))
    }
}

const AT: &str = "2026-01-02T03:04:05.000Z";

fn post(line: &mut Line, step: &Step, named: &dyn Fn(&String) -> String) {
    line.words(&["post", &step.key, &step.data.to_string(), "--as", &step.by, "--kind", &step.kind, "--at", AT]);
    line.option("--step", step.step.as_ref());
    line.option("--idempotency-key", step.idempotency_key.as_ref());
    for reader in &step.readers {
        if reader == "*" { line.words(&["--everyone"]) } else { line.words(&["--reader", reader]) }
    }
    step.derived_from.iter().for_each(|name| line.option("--derived-from", Some(named(name))));
    if step.declassify {
        line.words(&["--declassify"]);
    }
}

/// The board's first entry, as a line of an export.
fn first_line(baton: &Value) -> String {
    let text: &'static str = baton.to_string().leak();
    let baton = Baton::from_value(read(text, &Limits::default()).unwrap()).unwrap();
    let id = board_of(&baton).unwrap();
    let mut board = Board::new(Memory::new(), id.clone());
    let (author, at) = (Id::new("author").unwrap(), Timestamp::parse(AT).unwrap());
    board.start(baton, &author, &at, &Reference::from_random([7; 10])).unwrap();
    let page = board.store().page(&id, 0, 1).unwrap();
    format!("{}\n", page[0].to_line())
}

fn outcome(step: &Step, done: &Output) -> Outcome {
    let stderr = String::from_utf8_lossy(&done.stderr);
    let report: Value = stderr.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if !done.status.success() {
        let refusals = report["refusals"].as_array().cloned().unwrap_or_default();
        let refusals: Vec<_> =
            refusals.iter().map(|refusal| (text(&refusal["code"]), text(&refusal["detail"]))).collect();
        assert!(!refusals.is_empty(), "{done:?}");
        assert!(done.stdout.is_empty() || step.act == Act::Verify, "{done:?}");
        return Outcome { refusals, ..Outcome::default() };
    }
    let own = ["allow.unused", "budget.once"];
    let notices = report["notices"].as_array().cloned().unwrap_or_default();
    let notices = notices.iter().map(|notice| text(&notice["code"])).filter(|code| !own.contains(&code.as_str()));
    let notices = notices.collect();
    let stdout = String::from_utf8_lossy(&done.stdout);
    let lines = || stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reference = match step.act {
        Act::Apply => report["entry"].as_str().map(str::to_owned),
        Act::Post => Some(stdout.trim_end().to_owned()),
        _ => None,
    };
    let result = match step.act {
        Act::Apply | Act::Checkout => baton(&stdout),
        Act::Post | Act::Import => Value::Null,
        Act::Read | Act::Newest => lines().next().unwrap_or_default(),
        Act::List => lines().take(step.max.unwrap_or(usize::MAX)).collect(),
        Act::Verify => json!({"entries": report["entries"]}),
    };
    Outcome { result, notices, reference, ..Outcome::default() }
}

/// The baton without what tells of other entries.
fn baton(text: &str) -> Value {
    let mut baton: Value = serde_json::from_str(text).unwrap();
    baton["stamp"].as_object_mut().unwrap().remove("head");
    baton
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[derive(Default)]
struct Line(Vec<String>);

impl Line {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|word| (*word).to_owned()));
    }

    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        self.0.extend(value.map(|value| [name.to_owned(), value.to_string()]).into_iter().flatten());
    }
}
