//! `run` as a whole process, with agents that do nothing, against a shell that runs the same commands in the same order.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::binary;
use crate::chore::{Outcome, target};

/// Subtasks, each after the one before it.
const SUBTASKS: usize = 20;
const TARGET: f64 = 1.5;

/// What the agent of every subtask says, and that is all it does.
const ANSWER: &str = r#"{"output":1}"#;

pub(crate) fn run(runs: u32) -> Outcome {
    let folder = target().join(format!("bench-strategy-{}", std::process::id()));
    let measured = measure(&folder, runs);
    let _gone = fs::remove_dir_all(&folder);
    let (own, other) = measured?;
    println!("{runs} runs of each, interleaved; a strategy of {SUBTASKS} subtasks in a chain, on a board of its own");
    println!(
        "baton-patch run: {own:.2} ms; /bin/sh -c with the same commands: {other:.2} ms: {:.2} × (target {TARGET} ×)",
        own / other
    );
    Ok(())
}

fn measure(folder: &Path, runs: u32) -> Outcome<(f64, f64)> {
    let script = vec![format!("/bin/echo '{ANSWER}'"); SUBTASKS].join("\n");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..runs {
        let place = begin(folder, round)?;
        let mut own = Command::new(binary::path());
        own.args(["run", "charter.json"]).current_dir(&place).env_remove("BATON_BOARD");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).current_dir(&place);
        // Each goes first in turn.
        if round % 2 == 0 {
            theirs.push(time(&mut shell)?);
        }
        ours.push(time(&mut own)?);
        if round % 2 == 1 {
            theirs.push(time(&mut shell)?);
        }
        fs::remove_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    Ok((middle(ours), middle(theirs)))
}

/// A folder with nothing but the charter.
fn begin(folder: &Path, round: u32) -> Outcome<PathBuf> {
    let place = folder.join(round.to_string());
    let made = fs::create_dir_all(&place).and_then(|()| fs::write(place.join("charter.json"), charter()));
    made.map_err(|error| format!("{}: {error}", place.display()))?;
    Ok(place)
}

fn charter() -> String {
    let mut subtasks = String::new();
    for number in 0..SUBTASKS {
        let after = number.checked_sub(1).map_or(String::new(), |before| format!(r#", "after": ["s{before}"]"#));
        let comma = if number == 0 { "" } else { ", " };
        let _written = write!(subtasks, r#"{comma}{{"id": "s{number}", "agent": "idler", "intent": "Idle"{after}}}"#);
    }
    let command = ["/bin/echo", ANSWER].map(|word| format!("\"{}\"", word.replace('"', "\\\""))).join(", ");
    format!(
        r#"{{"charter": "v1", "ceilings": {{"tokens": 10000000, "tool_calls": 0}},
            "strategy": {{"idle": {{"goal": "Do nothing", "subtask": [{subtasks}]}}}},
            "agent": {{"idler": {{"responsibility": "idles", "callable_by": ["strategy idle"], "command": [{command}]}}}}}}"#
    )
}

fn time(command: &mut Command) -> Outcome<Duration> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|error| error.to_string())?;
    let taken = start.elapsed();
    if status.success() { Ok(taken) } else { Err(format!("{command:?}: {status}")) }
}

fn middle(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1_000.0)
}
