//! `apply -i` at a board as a whole process, against a process that does nothing and two syncs of the same bytes.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::binary;
use crate::chore::{Outcome, root, target};

/// A baton at a board, in a folder of its own.
struct Bench {
    folder: PathBuf,
    peer: File,
    /// As many bytes as an entry of the bench has.
    bytes: Vec<u8>,
}

pub(crate) fn run(runs: u32) -> Outcome {
    let mut bench = Bench::new().map_err(|error| error.to_string())??;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..runs {
        bench.answer(round).map_err(|error| error.to_string())?;
        // Each goes first in turn.
        if round % 2 == 0 {
            theirs.push(bench.peer()?);
        }
        ours.push(bench.apply(&format!("s{round}"))?);
        if round % 2 == 1 {
            theirs.push(bench.peer()?);
        }
    }
    ours.sort();
    theirs.sort();
    let (own, other) = (middle(&ours), middle(&theirs));
    println!("{runs} runs of each, interleaved; a baton of about 4 KB at a board, a patch of about 0.3 KB");
    println!(
        "apply -i at a board: {own:.2} ms; /bin/true and two fdatasync: {other:.2} ms: {:.2} × (target 2.5 ×)",
        own / other
    );
    let _gone = fs::remove_dir_all(&bench.folder);
    Ok(())
}

fn middle(times: &[Duration]) -> f64 {
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1_000.0)
}

impl Bench {
    fn new() -> std::io::Result<Outcome<Self>> {
        let folder = target().join(format!("bench-board-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let peer = OpenOptions::new().append(true).create(true).open(folder.join("peer"))?;
        let bench = Self { folder, peer, bytes: vec![b'x'; 1200] };
        fs::copy(root().join("benches/data/baton.json"), bench.folder.join("baton.json"))?;
        fs::write(bench.folder.join("stamp.json"), r#"{"stamp": {"tenant": "bench", "task": "apply"}}"#)?;
        fs::write(bench.folder.join("answer.json"), r#"{"current_state": ["begun"]}"#)?;
        let begun = bench.succeed(&["merge", "baton.json", "stamp.json", "-i"]).and_then(|()| {
            bench.succeed(&["apply", "-i", "baton.json", "answer.json", "--step", "begin", "--board", "baton.board"])
        });
        Ok(begun.map(|()| bench))
    }

    /// An answer that no step has given yet.
    fn answer(&self, round: u32) -> std::io::Result<()> {
        let state = format!("round {round}: what is true now, in about as many words as a step uses for it");
        let answer = format!(r#"{{"current_state": ["{state}", "{state}, and a little more"]}}"#);
        fs::write(self.folder.join("answer.json"), answer)
    }

    fn succeed(&self, words: &[&str]) -> Outcome {
        let mut command = Command::new(binary::path());
        command.args(words).current_dir(&self.folder).env_remove("BATON_BOARD");
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("baton-patch {}: {other:?}", words.join(" "))),
        }
    }

    fn apply(&self, step: &str) -> Outcome<Duration> {
        let start = Instant::now();
        self.succeed(&["apply", "-i", "baton.json", "answer.json", "--step", step])?;
        Ok(start.elapsed())
    }

    /// A process that does nothing, and as many bytes made durable twice.
    fn peer(&mut self) -> Outcome<Duration> {
        let start = Instant::now();
        let done = Command::new(Path::new("/bin/true")).stdin(Stdio::null()).status().map(|_| ());
        let synced = done.and_then(|()| {
            (0..2).try_for_each(|_| {
                self.peer.write_all(&self.bytes)?;
                self.peer.sync_data()
            })
        });
        synced.map_err(|error| format!("the peer: {error}"))?;
        Ok(start.elapsed())
    }
}
