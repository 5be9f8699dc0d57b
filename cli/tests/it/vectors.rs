//! Every vector of the repository, through the built binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

#[path = "../../../tests/it/vector.rs"]
mod vector;

use vector::{Reported, Vector, Verb, differs};

#[test]
fn every_vector_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    vector::run_all(&folder, |vector| Run::of(vector).faults());
}

/// One vector with its files in a folder of its own.
struct Run<'v> {
    vector: &'v Vector,
    folder: PathBuf,
}

impl<'v> Run<'v> {
    fn of(vector: &'v Vector) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors").join(&vector.name);
        fs::create_dir_all(&folder).unwrap();
        let run = Self { vector, folder };
        run.write("baton.json", &vector.baton());
        run.write("patch.txt", &vector.patch());
        if let Some(base) = &vector.options.base_baton {
            run.write("base.json", base.to_string().as_bytes());
        }
        let mut guards = json!({"rules": vector.options.guards});
        if let Some(writes) = &vector.options.writes {
            guards["writes"] = json!(writes);
        }
        run.write("guards.json", guards.to_string().as_bytes());
        run
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.join(name), bytes).unwrap();
    }

    fn faults(&self) -> Vec<String> {
        let done = self.run(&self.words());
        let report = report(&done);
        if report["ok"] != json!(true) {
            return self.refused(&done, &report);
        }
        if self.vector.expect.refusals.is_some() {
            return vec!["it was accepted".to_owned()];
        }
        self.accepted(&done, &report)
    }

    fn run(&self, words: &[String]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton-patch"));
        command.args(words).args(["--report", "json"]).current_dir(&self.folder);
        command.env_remove("BATON_BY").stdin(Stdio::null()).output().unwrap()
    }

    fn accepted(&self, done: &Output, report: &Value) -> Vec<String> {
        let expect = &self.vector.expect;
        let out = String::from_utf8_lossy(&done.stdout);
        let mut faults = Vec::new();
        if done.status.code() != Some(0) {
            faults.push(format!("it ended {}", done.status));
        }
        match self.vector.verb {
            Verb::Apply | Verb::Init => faults.extend(expect.document(&out)),
            Verb::Merge => faults.extend(expect.document(&out).into_iter().chain(expect.output(&out))),
            Verb::Render => faults.extend(expect.output(&out)),
            Verb::Extract => {
                let got: Value = serde_json::from_str(&out).unwrap_or_default();
                faults.extend(expect.patch.as_ref().and_then(|want| differs("the patch", &got, want)));
            }
            // `check` prints no document; that it was accepted is all that can be seen.
            Verb::Check => {}
        }
        let codes = report["notices"].as_array().into_iter().flatten();
        let codes: Vec<String> = codes.filter_map(|notice| notice["code"].as_str()).map(str::to_owned).collect();
        faults.extend(expect.noticed(&codes));
        faults
    }

    /// A refusal has the code's exit status, prints nothing, and leaves the file as it was, also in place.
    fn refused(&self, done: &Output, report: &Value) -> Vec<String> {
        let refusals = report["refusals"].as_array().cloned().unwrap_or_default();
        let refusals: Vec<Reported> = refusals.iter().map(reported).collect();
        let mut faults = self.vector.expect.refused(&refusals);
        let status = done.status.code();
        if refusals.first().is_none_or(|first| status != Some(exit_of(&first.code))) {
            faults.push(format!("it ended {}: {}", done.status, String::from_utf8_lossy(&done.stderr)));
        }
        if !done.stdout.is_empty() {
            faults.push(format!("it printed {:?}", String::from_utf8_lossy(&done.stdout)));
        }
        if matches!(self.vector.verb, Verb::Apply | Verb::Merge) {
            let again = self.run(&[self.words(), vec!["--in-place".to_owned()]].concat());
            if again.status.code() != status {
                faults.push(format!("in place it ended {}", again.status));
            }
        }
        if fs::read(self.folder.join("baton.json")).unwrap() != self.vector.baton() {
            faults.push("the file was changed".to_owned());
        }
        faults
    }

    /// The command line.
    fn words(&self) -> Vec<String> {
        let options = &self.vector.options;
        let mut line = Line::default();
        match self.vector.verb {
            Verb::Apply => self.apply(&mut line),
            Verb::Extract => line.words(&["extract", "patch.txt"]),
            Verb::Check => line.words(&["check", "baton.json"]),
            Verb::Render => {
                line.words(&["render", "baton.json"]);
                line.option("--format", options.format.as_ref());
            }
            Verb::Merge => line.words(&["merge", "baton.json", "patch.txt"]),
            Verb::Init => {
                line.words(&["init", "--by", &options.by, "--at", &options.at]);
                line.option("--goal", options.goal.as_ref());
                options.state.iter().for_each(|state| line.option("--state", Some(state)));
            }
        }
        line.option("--budget", options.budget.as_ref());
        line.option("--encoding", options.encoding.as_ref());
        line.option("--nonce", options.nonce.as_ref());
        if options.repair {
            line.words(&["--repair"]);
        }
        line.0
    }

    fn apply(&self, line: &mut Line) {
        let options = &self.vector.options;
        line.words(&["apply", "baton.json", "patch.txt", "--guards", "guards.json"]);
        line.words(&["--step", &options.step, "--by", &options.by, "--at", &options.at]);
        line.option("--base", options.base.as_ref());
        line.option("--base-file", options.base_baton.as_ref().map(|_| "base.json"));
        line.option("--dialect", options.dialect.as_ref());
        options.allow.iter().for_each(|field| line.option("--allow", Some(field)));
    }
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

/// The last line of standard error, which is the report.
fn report(done: &Output) -> Value {
    let text = String::from_utf8_lossy(&done.stderr);
    text.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default()
}

fn reported(refusal: &Value) -> Reported {
    let text = |name: &str| refusal[name].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| refusal[name].as_u64();
    Reported {
        code: text("code"),
        at: text("at"),
        detail: text("detail"),
        line: number("line"),
        column: number("column"),
        offset: number("offset"),
    }
}

/// The exit status of a refusal with this code.
fn exit_of(code: &str) -> i32 {
    let (family, _) = code.split_once('.').unwrap_or_default();
    match (family, code) {
        ("json" | "baton", _) | (_, "patch.none" | "patch.several" | "patch.not_object" | "guard.rule") => 3,
        ("base", _) => 4,
        ("io" | "store", _) => 5,
        _ => 1,
    }
}
