//! Running the program in a folder of its own.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use serde_json::Value;

/// The path of the program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_baton-patch");

/// A small baton.
pub(crate) const BATON: &str = r#"{
  "goal": "Ship the login page",
  "current_state": ["Plan written"],
  "decision_log": ["Use sessions, not tokens"],
  "constraints": ["No breaking changes"],
  "acceptance": ["cargo test passes"]
}
"#;

/// A folder that goes when the test ends.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("baton-patch-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self { path }
    }

    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, text) in files {
            fs::write(folder.at(name), text).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    /// The names in it, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The names in it that are not of a board, in order.
    pub(crate) fn documents(&self) -> Vec<String> {
        self.names().into_iter().filter(|name| !name.contains(".board")).collect()
    }

    /// The program in this folder.
    pub(crate) fn program<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(&self.path).env_remove("BATON_BY").env_remove("NO_COLOR");
        command.env_remove("BATON_BOARD");
        command
    }

    /// Runs it with nothing on standard input.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        self.run_with(arguments, "")
    }

    /// Runs it with `input` on standard input.
    pub(crate) fn run_with<S: AsRef<OsStr>>(&self, arguments: &[S], input: &str) -> Ran {
        let mut command = self.program(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ran::from(child.wait_with_output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Asserts that it ended with `code`.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON report, which is one line.
    #[track_caller]
    pub(crate) fn report(&self) -> Value {
        assert_eq!(self.err.matches('\n').count(), 1, "{self:?}");
        serde_json::from_str(&self.err).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The codes of the refusals and the notices in the JSON report.
    #[track_caller]
    pub(crate) fn codes(&self) -> Vec<String> {
        let report = self.report();
        let lists = ["refusals", "notices"].into_iter().filter_map(|name| report[name].as_array());
        lists.flatten().map(|item| item["code"].as_str().unwrap().to_owned()).collect()
    }
}
