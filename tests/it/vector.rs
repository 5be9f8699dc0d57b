//! The format of `tests/vectors`, and what can be compared without knowing who did the work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// One scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) rule: String,
    #[serde(default)]
    pub(crate) verb: Verb,
    baton: Option<Value>,
    baton_text: Option<Text>,
    patch: Option<Value>,
    text: Option<Text>,
    #[serde(default)]
    pub(crate) options: Options,
    pub(crate) expect: Expect,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verb {
    #[default]
    Apply,
    Extract,
    Check,
    Render,
    Merge,
    Init,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Text {
    Plain(String),
    Hex { hex: String },
    Repeat { repeat: Vec<(String, usize)> },
}

#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Options {
    pub(crate) step: String,
    pub(crate) by: String,
    pub(crate) at: String,
    pub(crate) base: Option<u64>,
    pub(crate) base_baton: Option<Value>,
    pub(crate) budget: Option<u64>,
    pub(crate) encoding: Option<String>,
    pub(crate) dialect: Option<String>,
    pub(crate) allow: Vec<String>,
    pub(crate) guards: BTreeMap<String, String>,
    pub(crate) writes: Option<Vec<String>>,
    pub(crate) nonce: Option<String>,
    pub(crate) repair: bool,
    pub(crate) format: Option<String>,
    pub(crate) goal: Option<String>,
    pub(crate) state: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Expect {
    accepted: bool,
    pub(crate) refusals: Option<Vec<ExpectedRefusal>>,
    baton: Option<Value>,
    values: BTreeMap<String, Value>,
    absent: Vec<String>,
    counts: BTreeMap<String, usize>,
    order: Option<Vec<String>>,
    pub(crate) lowered: Option<Value>,
    pub(crate) notices: Option<Vec<String>>,
    pub(crate) patch: Option<Value>,
    text: Option<String>,
    contains: Vec<String>,
    lacks: Vec<String>,
    pub(crate) tokens_max: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedRefusal {
    pub(crate) code: String,
    at: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
    offset: Option<u64>,
    says: Option<String>,
}

/// A refusal as an implementation reports it.
#[derive(Debug)]
pub(crate) struct Reported {
    pub(crate) code: String,
    pub(crate) at: String,
    pub(crate) detail: String,
    pub(crate) line: Option<u64>,
    pub(crate) column: Option<u64>,
    pub(crate) offset: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        let text = str::to_owned;
        Self {
            step: text("build"),
            by: text("builder"),
            at: text("2026-01-02T03:04:05.000Z"),
            base: None,
            base_baton: None,
            budget: None,
            encoding: None,
            dialect: None,
            allow: Vec::new(),
            guards: BTreeMap::new(),
            writes: None,
            nonce: None,
            repair: false,
            format: None,
            goal: None,
            state: Vec::new(),
        }
    }
}

impl Text {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Plain(text) => text.clone().into_bytes(),
            Self::Hex { hex } => {
                let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
                pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
            }
            Self::Repeat { repeat } => {
                repeat.iter().flat_map(|(text, count)| text.repeat(*count).into_bytes()).collect()
            }
        }
    }
}

impl Vector {
    /// The document before, as bytes; empty where there is none.
    pub(crate) fn baton(&self) -> Vec<u8> {
        bytes(self.baton.as_ref(), self.baton_text.as_ref())
    }

    /// The patch, or the text that it is in, as bytes.
    pub(crate) fn patch(&self) -> Vec<u8> {
        bytes(self.patch.as_ref(), self.text.as_ref())
    }

    /// What is wrong with the vector itself.
    pub(crate) fn faults(&self, path: &Path) -> Vec<String> {
        let mut faults = Vec::new();
        if path.file_stem().and_then(|stem| stem.to_str()) != Some(&self.name) {
            faults.push(format!("its name is `{}`", self.name));
        }
        if self.rule.len() < 20 || !self.rule.ends_with('.') {
            faults.push("its rule is no sentence".to_owned());
        }
        if self.baton.is_some() && self.baton_text.is_some() || self.patch.is_some() && self.text.is_some() {
            faults.push("it gives one input twice".to_owned());
        }
        if self.expect.is_empty() {
            faults.push("it expects nothing".to_owned());
        }
        faults
    }
}

fn bytes(value: Option<&Value>, text: Option<&Text>) -> Vec<u8> {
    match (value, text) {
        (Some(value), _) => value.to_string().into_bytes(),
        (None, Some(text)) => text.bytes(),
        (None, None) => Vec::new(),
    }
}

impl Expect {
    fn is_empty(&self) -> bool {
        let texts = self.text.is_none() && self.contains.is_empty() && self.lacks.is_empty();
        let patches = self.lowered.is_none() && self.patch.is_none();
        let rest = !self.accepted && self.notices.is_none() && self.tokens_max.is_none();
        let refusals = self.refusals.as_ref().is_none_or(Vec::is_empty);
        self.asks_nothing_of_the_document() && texts && patches && rest && refusals
    }

    fn asks_nothing_of_the_document(&self) -> bool {
        let lists = self.values.is_empty() && self.absent.is_empty() && self.counts.is_empty();
        lists && self.baton.is_none() && self.order.is_none()
    }

    /// What of the document afterwards is not as expected.
    pub(crate) fn document(&self, text: &str) -> Vec<String> {
        if self.asks_nothing_of_the_document() {
            return Vec::new();
        }
        let document: Value = match serde_json::from_str(text) {
            Ok(document) => document,
            Err(error) => return vec![format!("the document is not JSON: {error}: {}", clipped(text))],
        };
        let mut faults = Vec::new();
        if let Some(want) = &self.baton {
            let got = if want.get("stamp").is_some() { document.clone() } else { without_stamp(document.clone()) };
            faults.extend(differs("the document", &got, want));
        }
        for (pointer, want) in &self.values {
            match document.pointer(pointer) {
                Some(got) => faults.extend(differs(pointer, got, want)),
                None => faults.push(format!("{pointer} is absent")),
            }
        }
        for pointer in self.absent.iter().filter(|pointer| document.pointer(pointer).is_some()) {
            faults.push(format!("{pointer} is there"));
        }
        for (pointer, want) in &self.counts {
            let got = document.pointer(pointer).map_or(0, length);
            if got != *want {
                faults.push(format!("{pointer} has {got} items, not {want}"));
            }
        }
        faults.extend(self.order.as_ref().and_then(|want| disorder(text, want)));
        faults
    }

    /// What of a text is not as expected.
    pub(crate) fn output(&self, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(want) = &self.text
            && text.trim_end_matches('\n') != want.trim_end_matches('\n')
        {
            faults.push(format!("the output is {:?}, not {want:?}", clipped(text)));
        }
        let missing = self.contains.iter().filter(|part| !text.contains(part.as_str()));
        faults.extend(missing.map(|part| format!("the output lacks {part:?}: {}", clipped(text))));
        let surplus = self.lacks.iter().filter(|part| text.contains(part.as_str()));
        faults.extend(surplus.map(|part| format!("the output holds {part:?}: {}", clipped(text))));
        faults
    }

    /// What of the notices is not as expected.
    pub(crate) fn noticed(&self, codes: &[String]) -> Option<String> {
        let want = self.notices.as_ref()?;
        (want != codes).then(|| format!("the notices are {codes:?}, not {want:?}"))
    }

    /// What of an answer that is a refusal is not as expected.
    pub(crate) fn refused(&self, reported: &[Reported]) -> Vec<String> {
        let Some(expected) = &self.refusals else { return vec![format!("it was refused: {reported:?}")] };
        let mut faults = Vec::new();
        if expected.len() != reported.len() {
            faults.push(format!("{} refusals, not {}: {reported:?}", reported.len(), expected.len()));
        }
        for (want, got) in expected.iter().zip(reported) {
            faults.extend(want.fault(got));
        }
        faults
    }
}

impl ExpectedRefusal {
    fn fault(&self, got: &Reported) -> Option<String> {
        let place = |want: Option<u64>, got: Option<u64>| want.is_none() || want == got;
        let matches = self.code == got.code
            && self.at.as_ref().is_none_or(|at| *at == got.at)
            && place(self.line, got.line)
            && place(self.column, got.column)
            && place(self.offset, got.offset)
            && self.says.as_ref().is_none_or(|part| got.detail.contains(part.as_str()));
        (!matches).then(|| format!("the refusal is {got:?}, not {self:?}"))
    }
}

/// The difference between two JSON values, where there is one; `1` and `1.0` are the same number.
pub(crate) fn differs(what: &str, got: &Value, want: &Value) -> Option<String> {
    (!same(got, want)).then(|| format!("{what} is {got}, not {want}"))
}

fn same(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one == two || one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| same(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len() && one.iter().all(|(name, value)| two.get(name).is_some_and(|two| same(value, two)))
        }
        _ => one == two,
    }
}

/// `value` without the member `stamp`.
pub(crate) fn without_stamp(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.remove("stamp");
    }
    value
}

fn clipped(text: &str) -> String {
    text.chars().take(600).collect()
}

fn length(value: &Value) -> usize {
    value.as_array().map(Vec::len).or_else(|| value.as_object().map(serde_json::Map::len)).unwrap_or_default()
}

/// The top-level member names of an object, in the order in which they stand in its text.
fn disorder(text: &str, want: &[String]) -> Option<String> {
    struct Names(Vec<String>);
    impl<'de> serde::de::Visitor<'de> for Names {
        type Value = Vec<String>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
            while let Some((name, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                self.0.push(name);
            }
            Ok(self.0)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    match serde::Deserializer::deserialize_map(&mut reader, Names(Vec::new())) {
        Ok(got) if got == want => None,
        Ok(got) => Some(format!("the members are {got:?}, not {want:?}")),
        Err(error) => Some(error.to_string()),
    }
}

/// Every vector under `folder`, with its path, in order.
pub(crate) fn all(folder: &Path) -> Vec<(PathBuf, Vector)> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // Scenarios of boards, and of governance, have formats of their own.
                if !path.ends_with("board") && !path.ends_with("governance") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let text = fs::read_to_string(&path).unwrap();
                let vector = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                found.push((path, vector));
            }
        }
    }
    found.sort_by(|one, two| one.0.cmp(&two.0));
    assert!(!found.is_empty(), "{} holds no vector", folder.display());
    found
}

/// Runs every vector under `folder` through `run`, which tells what is not as expected; panics with all of it.
pub(crate) fn run_all(folder: &Path, run: impl Fn(&Vector) -> Vec<String>) {
    let vectors = all(folder);
    let mut failed = Vec::new();
    for (path, vector) in &vectors {
        let faults: Vec<String> = vector.faults(path).into_iter().chain(run(vector)).collect();
        if !faults.is_empty() {
            failed.push(format!("{}: {}\n    {}", path.display(), vector.rule, faults.join("\n    ")));
        }
    }
    assert!(failed.is_empty(), "{} of {} vectors:\n{}", failed.len(), vectors.len(), failed.join("\n"));
}
