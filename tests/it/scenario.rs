//! The format of `tests/vectors/board`: what happens at the boards of a store, step by step, and what must come of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// One scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) rule: String,
    /// The baton that every board begins with, but for its stamp's tenant and task; none where it does not begin.
    #[serde(default)]
    pub(crate) baton: Option<Value>,
    pub(crate) steps: Vec<Step>,
    /// The head afterwards, by implementations that choose their references as told.
    #[serde(default)]
    pub(crate) head: Option<String>,
}

/// What is done.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Act {
    /// An answer is applied and recorded.
    Apply,
    /// A fact is posted.
    Post,
    /// An agent reads an entry.
    Read,
    /// An agent lists what it may read.
    List,
    /// An agent reads the newest of a kind and key.
    Newest,
    /// The operator asks for the baton at a revision.
    Checkout,
    /// The operator verifies the board.
    Verify,
    /// Lines of an export are put on an empty board.
    Import,
}

/// One thing that is done, and what must come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    #[serde(rename = "do")]
    pub(crate) act: Act,
    /// The agent: author or reader.
    #[serde(default = "agent")]
    pub(crate) by: String,
    #[serde(default)]
    pub(crate) step: Option<String>,
    #[serde(default = "tenant")]
    pub(crate) tenant: String,
    #[serde(default = "task")]
    pub(crate) task: String,
    #[serde(default)]
    pub(crate) patch: Option<Value>,
    /// The revision that a patch was made from, or that is checked out.
    #[serde(default)]
    pub(crate) revision: Option<u64>,
    #[serde(default = "kind")]
    pub(crate) kind: String,
    #[serde(default = "key")]
    pub(crate) key: String,
    #[serde(default)]
    pub(crate) data: Value,
    /// `["*"]`, a list of agents, or nothing, which is nobody.
    #[serde(default)]
    pub(crate) readers: Vec<String>,
    /// Names of entries, as earlier steps `save` them; others stand for entries that do not exist.
    #[serde(default)]
    pub(crate) derived_from: Vec<String>,
    #[serde(default)]
    pub(crate) idempotency_key: Option<String>,
    #[serde(default)]
    pub(crate) declassify: bool,
    /// The entry that is read, or after which is listed.
    #[serde(default)]
    pub(crate) entry: Option<String>,
    #[serde(default)]
    pub(crate) max: Option<usize>,
    #[serde(default)]
    pub(crate) lines: Vec<Value>,
    /// The head that is expected to be on the board.
    #[serde(default)]
    pub(crate) head: Option<String>,
    /// The name that later steps give the entry.
    #[serde(default)]
    pub(crate) save: Option<String>,
    /// Whether all other steps must come out the same, byte for byte, where this one is left out.
    #[serde(default)]
    pub(crate) hidden: bool,
    #[serde(default)]
    pub(crate) expect: Expect,
}

fn agent() -> String {
    "scout".to_owned()
}

fn tenant() -> String {
    "acme".to_owned()
}

fn task() -> String {
    "login".to_owned()
}

fn kind() -> String {
    "fact".to_owned()
}

fn key() -> String {
    "forecast".to_owned()
}

/// What must come of a step.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Expect {
    /// Codes, in order; none where it is done.
    refusals: Vec<String>,
    /// What each message says, in order.
    says: Vec<String>,
    /// Values in what comes of it. `"$NAME"` is the reference of the entry that was saved by that name.
    values: BTreeMap<String, Value>,
    absent: Vec<String>,
    counts: BTreeMap<String, usize>,
    notices: Option<Vec<String>>,
    /// The step whose refusal this one's is, byte for byte but for the entry's name.
    same_as: Option<usize>,
}

/// What came of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Code and message of each refusal.
    pub(crate) refusals: Vec<(String, String)>,
    /// The baton, the entry, or the list of entries.
    pub(crate) result: Value,
    pub(crate) notices: Vec<String>,
    /// The entry that was made, or found to be there already.
    pub(crate) reference: Option<String>,
}

/// An implementation of boards.
pub(crate) trait Boards {
    /// Makes a store without boards, and begins a board with each of the batons.
    fn begin(&mut self, batons: &[Value]);

    /// Does what a step says. `references` has the saved entries by name; `number` chooses the entry's reference, where
    /// the implementation can choose.
    fn act(&mut self, step: &Step, number: usize, references: &BTreeMap<String, String>) -> Outcome;

    /// The head of the board of the first step, where its references were chosen.
    fn head(&mut self, tenant: &str, task: &str) -> Option<String>;
}

/// A name that no entry has.
pub(crate) const ABSENT: &str = "zzzzzzzzzzzzzzzz";

impl Scenario {
    /// What is not as expected.
    pub(crate) fn faults(&self, boards: &mut dyn Boards) -> Vec<String> {
        let all: Vec<usize> = (0..self.steps.len()).collect();
        let outcomes = self.run(boards, &all);
        let mut faults = self.judge(&outcomes);
        if let Some(want) = &self.head
            && let Some(first) = self.steps.first()
            && let Some(got) = boards.head(&first.tenant, &first.task)
            && got != *want
        {
            faults.push(format!("the head is {got}, not {want}"));
        }
        let shown: Vec<usize> = all.iter().copied().filter(|place| !self.steps[*place].hidden).collect();
        if shown.len() < all.len() {
            let without = self.run(boards, &shown);
            for (place, outcome) in &without {
                let with = outcomes.iter().find(|(other, _)| other == place).map(|(_, outcome)| outcome);
                if with != Some(outcome) {
                    faults.push(format!("step {place} is told {with:?}, and {outcome:?} without what it may not see"));
                }
            }
        }
        faults
    }

    /// Runs the steps at `places`; references are replaced by the names that they were saved by.
    fn run(&self, boards: &mut dyn Boards, places: &[usize]) -> Vec<(usize, Outcome)> {
        boards.begin(&self.batons());
        let mut references = BTreeMap::new();
        let mut outcomes = Vec::new();
        for place in places {
            let step = &self.steps[*place];
            let outcome = boards.act(step, *place, &references);
            if let (Some(name), Some(reference)) = (&step.save, &outcome.reference) {
                references.insert(name.clone(), reference.clone());
            }
            outcomes.push((*place, outcome.renamed(&references)));
        }
        outcomes
    }

    /// The baton for each board that the steps name.
    fn batons(&self) -> Vec<Value> {
        let Some(baton) = &self.baton else { return Vec::new() };
        let mut ids: Vec<(&str, &str)> =
            self.steps.iter().map(|step| (step.tenant.as_str(), step.task.as_str())).collect();
        ids.sort_unstable();
        ids.dedup();
        let stamped = |(tenant, task): (&str, &str)| {
            let mut baton = baton.clone();
            let stamp = serde_json::json!({"schema": "baton/v1", "tenant": tenant, "task": task, "revision": 0});
            baton["stamp"] = stamp;
            baton
        };
        ids.into_iter().map(stamped).collect()
    }

    fn judge(&self, outcomes: &[(usize, Outcome)]) -> Vec<String> {
        let mut faults = Vec::new();
        for (place, outcome) in outcomes {
            let expect = &self.steps[*place].expect;
            let same = expect.same_as.and_then(|other| outcomes.get(other)).map(|(_, outcome)| outcome);
            faults.extend(expect.faults(outcome, same).into_iter().map(|fault| format!("step {place}: {fault}")));
        }
        faults
    }
}

impl Outcome {
    /// With names in the place of references.
    fn renamed(mut self, references: &BTreeMap<String, String>) -> Self {
        let rename = |text: &str| {
            let named = references
                .iter()
                .fold(text.to_owned(), |text, (name, reference)| text.replace(reference.as_str(), &format!("${name}")));
            named.replace(ABSENT, "$absent")
        };
        self.refusals.iter_mut().for_each(|(_, detail)| *detail = rename(detail));
        self.result = serde_json::from_str(&rename(&self.result.to_string())).unwrap();
        self.reference = self.reference.map(|reference| rename(&reference));
        self
    }
}

impl Expect {
    fn faults(&self, outcome: &Outcome, same: Option<&Outcome>) -> Vec<String> {
        let mut faults = Vec::new();
        let codes: Vec<&String> = outcome.refusals.iter().map(|(code, _)| code).collect();
        if codes != self.refusals.iter().collect::<Vec<_>>() {
            faults.push(format!("it is refused with {:?}, not {:?}", outcome.refusals, self.refusals));
        }
        let unsaid =
            self.says.iter().zip(&outcome.refusals).filter(|(say, (_, detail))| !detail.contains(say.as_str()));
        faults.extend(unsaid.map(|(say, (_, detail))| format!("{detail:?} does not say {say:?}")));
        for (pointer, want) in &self.values {
            if outcome.result.pointer(pointer) != Some(want) {
                faults.push(format!("{pointer} is {:?}, not {want}", outcome.result.pointer(pointer)));
            }
        }
        let there = self.absent.iter().filter(|pointer| outcome.result.pointer(pointer).is_some());
        faults.extend(there.map(|pointer| format!("{pointer} is there: {}", outcome.result)));
        for (pointer, want) in &self.counts {
            let got = outcome.result.pointer(pointer).and_then(Value::as_array).map(Vec::len);
            if got != Some(*want) {
                faults.push(format!("{pointer} has {got:?} items, not {want}: {}", outcome.result));
            }
        }
        if let Some(want) = &self.notices
            && *want != outcome.notices
        {
            faults.push(format!("the notices are {:?}, not {want:?}", outcome.notices));
        }
        faults.extend(same.and_then(|same| differs(outcome, same)));
        faults
    }
}

/// Whether two refusals differ, whatever the entry is called.
fn differs(one: &Outcome, two: &Outcome) -> Option<String> {
    let nameless = |outcome: &Outcome| -> Vec<(String, String)> {
        let blank = |detail: &str| {
            let words = detail.split('`').map(|word| if word.starts_with('$') { "$" } else { word });
            words.collect::<Vec<_>>().join("`")
        };
        outcome.refusals.iter().map(|(code, detail)| (code.clone(), blank(detail))).collect()
    };
    let (one, two) = (nameless(one), nameless(two));
    (one != two).then(|| format!("it is told {one:?}, and {two:?} for what does not exist"))
}

/// Every scenario of the repository, with its path, in order.
pub(crate) fn all(folder: &Path) -> Vec<(PathBuf, Scenario)> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let text = fs::read_to_string(&path).unwrap();
                let scenario: Scenario =
                    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert_eq!(path.file_stem().unwrap().to_str(), Some(scenario.name.as_str()));
                assert!(scenario.rule.len() >= 20 && scenario.rule.ends_with('.'), "{}: no rule", path.display());
                found.push((path, scenario));
            }
        }
    }
    found.sort_by(|one, two| one.0.cmp(&two.0));
    assert!(!found.is_empty(), "{} holds no scenario", folder.display());
    found
}

/// Runs every scenario under `folder` on `boards`; panics with all that is not as expected.
pub(crate) fn run_all(folder: &Path, boards: &mut dyn Boards) {
    let scenarios = all(folder);
    let mut failed = Vec::new();
    for (path, scenario) in &scenarios {
        let faults = scenario.faults(boards);
        if !faults.is_empty() {
            failed.push(format!("{}: {}\n    {}", path.display(), scenario.rule, faults.join("\n    ")));
        }
    }
    assert!(failed.is_empty(), "{} of {} scenarios:\n{}", failed.len(), scenarios.len(), failed.join("\n"));
}
