//! Every vector of `tests/vectors`, through the library.

use std::path::Path;

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Budget, DEFAULT_BUDGET, Id, Timestamp};
use relay_baton::conformance::vectors as governance;
use relay_baton::count::TokenCounter;
use relay_baton::extract::{Extraction, extract};
use relay_baton::fit::fit;
use relay_baton::guard::Guards;
use relay_baton::json::{self, Limits, Numbers};
use relay_baton::parse::Dialect;
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::relay::{Applied, Base, Relay};
use relay_baton::render::Format;
use relay_baton_tokens::Encoding;
use serde_json::{Value, json};

use crate::vector::{self, Reported, Vector, Verb, differs, without_stamp};

/// What came of it: what is not as expected.
type Checked = Result<Vec<String>, Refused>;

/// What files, stores and boards refuse has tests of its own.
const ELSEWHERE: [&str; 4] = ["io.", "store.", "board.", "conformance."];

/// Two runs that ask for the same call at a time both wait for it: neither is told so.
const NEVER_TOLD: &[Code] = &[Code::CallInProgress];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors"))
}

#[test]
fn every_vector_holds() {
    vector::run_all(folder(), |vector| {
        let checked = match vector.verb {
            Verb::Apply => apply(vector),
            Verb::Check => check(vector),
            Verb::Extract => find(vector),
            Verb::Init => init(vector),
            Verb::Merge => merge(vector),
            Verb::Render => render(vector),
        };
        match checked {
            Err(refused) => vector.expect.refused(&refused.refusals().iter().map(reported).collect::<Vec<_>>()),
            Ok(_) if vector.expect.refusals.is_some() => vec!["it was accepted".to_owned()],
            Ok(faults) => faults,
        }
    });
}

#[test]
fn every_code_has_a_vector() {
    let vectors = vector::all(folder());
    let refusals = || vectors.iter().filter_map(|(_, vector)| vector.expect.refusals.as_ref()).flatten();
    let here = Code::ALL.iter().filter(|code| !ELSEWHERE.iter().any(|group| code.as_str().starts_with(group)));
    let governed: Vec<String> = governance().iter().map(|vector| json::compact(&vector.expect)).collect();
    let is_governed = |code: &Code| governed.iter().any(|expect| expect.contains(&format!("\"{code}\"")));
    let shown = |code: &Code| refusals().any(|refusal| refusal.code == code.as_str()) || is_governed(code);
    let without = here.filter(|code| !shown(code));
    assert_eq!(without.copied().collect::<Vec<_>>(), NEVER_TOLD);
}

/// No test has a network file system; which kinds are one is tested where it is decided.
const NOT_HERE: &[Code] = &[Code::StoreNetwork];

#[test]
fn every_code_of_boards_and_stores_is_tested_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    let mut folders: Vec<_> =
        ["tests/vectors/board", "cli/tests", "stores", "src/board"].map(|name| root.join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if (name.contains("/tests/") || name.ends_with("_test.rs")) && !name.contains("/target/") {
                tests.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }
    let here = Code::ALL.iter().filter(|code| ELSEWHERE.iter().any(|group| code.as_str().starts_with(group)));
    let untested = here.filter(|code| !tests.contains(code.as_str()) && !tests.contains(&format!("Code::{code:?}")));
    assert_eq!(untested.copied().collect::<Vec<_>>(), NOT_HERE);
}

fn reported(refusal: &Refusal) -> Reported {
    let number = |number: usize| u64::try_from(number).ok();
    Reported {
        code: refusal.code.as_str().to_owned(),
        at: refusal.at.clone(),
        detail: refusal.detail.clone(),
        line: refusal.position.and_then(|position| number(position.line)),
        column: refusal.position.and_then(|position| number(position.column)),
        offset: refusal.position.and_then(|position| number(position.offset)),
    }
}

fn check(vector: &Vector) -> Checked {
    let limits = Limits::default();
    let bytes = vector.baton();
    let baton = Baton::read(json::decode(&bytes, &limits)?, &limits)?;
    Ok(vector.expect.document(&baton.to_json()))
}

fn find(vector: &Vector) -> Checked {
    let bytes = vector.patch();
    let extracted = extract(json::decode(&bytes, &Limits::default())?, &extraction(vector))?;
    let patch = serde_json::to_value(extracted.value()).unwrap();
    Ok(vector.expect.patch.iter().filter_map(|want| differs("the patch", &patch, want)).collect())
}

fn extraction(vector: &Vector) -> Extraction<'_> {
    let options = &vector.options;
    Extraction { nonce: options.nonce.as_deref(), repair: options.repair, ..Extraction::default() }
}

fn merge(vector: &Vector) -> Checked {
    let limits = Limits::default().with_numbers(Numbers::AsWritten);
    let (document, patch) = (vector.baton(), vector.patch());
    let document = json::read(json::decode(&document, &limits)?, &limits)?;
    let patch = json::read(json::decode(&patch, &limits)?, &limits)?;
    let merged = json::compact(&json::merge(document, patch));
    Ok(vector.expect.document(&merged).into_iter().chain(vector.expect.output(&merged)).collect())
}

fn render(vector: &Vector) -> Checked {
    let limits = Limits::default();
    let bytes = vector.baton();
    let baton = Baton::read(json::decode(&bytes, &limits)?, &limits)?;
    let format = vector.options.format.as_deref().map_or(Format::Markdown, |name| Format::named(name).unwrap());
    let budget = budget(vector).or(baton.stamp().budget).unwrap_or(DEFAULT_BUDGET);
    let counter = Counter(encoding(vector));
    let text = fit(&baton, format, &budget, &counter)?.into_text();
    let tokens = counter.count(&text) as u64;
    let over = vector.expect.tokens_max.filter(|most| tokens > *most);
    let faults = over.map(|most| format!("the output has {tokens} tokens, more than {most}"));
    Ok(vector.expect.output(&text).into_iter().chain(faults).collect())
}

/// The exact counter, also where the library is built without it.
struct Counter(Encoding);

impl TokenCounter for Counter {
    fn encoding(&self) -> &str {
        self.0.name()
    }

    fn count(&self, text: &str) -> usize {
        relay_baton_tokens::count(self.0, text)
    }

    fn adds_up_by_line(&self) -> bool {
        true
    }
}

fn encoding(vector: &Vector) -> Encoding {
    Encoding::named(vector.options.encoding.as_deref().unwrap_or(DEFAULT_BUDGET.encoding)).unwrap()
}

fn budget(vector: &Vector) -> Option<Budget<'_>> {
    let encoding = vector.options.encoding.as_deref().unwrap_or(DEFAULT_BUDGET.encoding);
    vector.options.budget.map(|tokens| Budget { tokens, encoding })
}

fn init(vector: &Vector) -> Checked {
    let options = &vector.options;
    let mut document = json!({
        "goal": options.goal, "current_state": options.state, "stamp": {"schema": "baton/v1", "revision": 0},
    });
    if let Some(tokens) = options.budget {
        document["stamp"]["budget"] = json!({"tokens": tokens, "encoding": DEFAULT_BUDGET.encoding});
    }
    let document = document.to_string();
    let baton = Baton::read(&document, &Limits::default())?;
    Ok(vector.expect.document(&baton.to_json()))
}

fn apply(vector: &Vector) -> Checked {
    let limits = Limits::default();
    let (document, answer) = (vector.baton(), vector.patch());
    let baton = Baton::read(json::decode(&document, &limits)?, &limits)?;
    let answer = json::decode(&answer, &limits)?;
    let guards = guards(vector);
    let base_text = vector.options.base_baton.as_ref().map(Value::to_string);
    let base = base_text.as_ref().map(|text| Baton::read(text, &limits)).transpose()?;
    let mut relay = Relay::new(attribution(vector));
    relay.base = match (&base, vector.options.base) {
        (Some(base), _) => Base::Baton(base),
        (None, Some(revision)) => Base::Revision(revision),
        (None, None) => Base::Head,
    };
    relay.extraction = extraction(vector);
    relay.guards = Guards::read(&guards, &limits)?;
    relay.allowed.clone_from(&vector.options.allow);
    relay.budget = budget(vector);
    relay.wants_patch = true;
    if vector.options.dialect.as_deref() == Some("strict") {
        relay.dialect = Dialect::Strict;
    }
    let before = serde_json::from_str(&baton.to_json()).unwrap();
    let applied = relay.apply(baton, answer, &Counter(encoding(vector)))?;
    Ok(faults_of(vector, before, &applied))
}

fn attribution(vector: &Vector) -> Attribution {
    let options = &vector.options;
    Attribution {
        step: Id::new(&options.step).unwrap(),
        by: Id::new(&options.by).unwrap(),
        at: Timestamp::parse(&options.at).unwrap(),
    }
}

fn guards(vector: &Vector) -> String {
    let mut guards = json!({"rules": vector.options.guards});
    if let Some(writes) = &vector.options.writes {
        guards["writes"] = json!(writes);
    }
    guards.to_string()
}

/// What is not as expected of an answer that was accepted; the law of the lowered patch holds for every one.
fn faults_of(vector: &Vector, before: Value, applied: &Applied<'_>) -> Vec<String> {
    let text = applied.baton.to_json();
    let mut faults = vector.expect.document(&text);
    if let Some(patch) = &applied.patch {
        let patch = serde_json::to_value(patch).unwrap();
        let mut after = before;
        json_patch::merge(&mut after, &patch);
        let own = serde_json::from_str(&text).unwrap();
        faults.extend(differs("the document by another implementation of RFC 7396", &after, &own));
        let patch = without_stamp(patch);
        faults.extend(vector.expect.lowered.as_ref().and_then(|want| differs("the lowered patch", &patch, want)));
    }
    let codes: Vec<String> = applied.notices.iter().map(|notice| notice.code.to_owned()).collect();
    faults.extend(vector.expect.noticed(&codes));
    faults
}
