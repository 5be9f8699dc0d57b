//! Every vector of `tests/vectors`, through the library.

use std::path::Path;

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Id, Timestamp};
use relay_baton::extract::{Extraction, extract};
use relay_baton::guard::{Guards, guard};
use relay_baton::json::{self, Limits, Numbers, Value};
use relay_baton::lower::lower;
use relay_baton::merge::{merge, plain_patch};
use relay_baton::parse::{Dialect, Proposal};
use relay_baton::rebase::rebase;
use relay_baton::refusal::Refused;

use crate::vector::{self, Reported, Vector, Verb, differs, without_stamp};

/// What came of it: what is not as expected.
type Checked = Result<Vec<String>, Refused>;

#[test]
fn every_vector_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    vector::run_all(&folder, |vector| {
        let checked = match vector.verb {
            Verb::Check => check(vector),
            Verb::Merge => merge_plain(vector),
            Verb::Apply => apply(vector),
            Verb::Extract => find(vector),
            _ => return Vec::new(),
        };
        match checked {
            Err(refused) => vector.expect.refused(&reported(&refused)),
            Ok(_) if vector.expect.refusals.is_some() => vec!["it was accepted".to_owned()],
            Ok(faults) => faults,
        }
    });
}

fn reported(refused: &Refused) -> Vec<Reported> {
    let number = |number: usize| u64::try_from(number).ok();
    let one = |refusal: &relay_baton::refusal::Refusal| Reported {
        code: refusal.code.as_str().to_owned(),
        at: refusal.at.clone(),
        detail: refusal.detail.clone(),
        line: refusal.position.and_then(|position| number(position.line)),
        column: refusal.position.and_then(|position| number(position.column)),
        offset: refusal.position.and_then(|position| number(position.offset)),
    };
    refused.refusals().iter().map(one).collect()
}

fn check(vector: &Vector) -> Checked {
    let limits = Limits::default();
    let bytes = vector.baton();
    let baton = Baton::read(json::decode(&bytes, &limits)?, &limits)?;
    Ok(vector.expect.document(&baton.to_json()))
}

fn find(vector: &Vector) -> Checked {
    let bytes = vector.patch();
    let how =
        Extraction { nonce: vector.options.nonce.as_deref(), repair: vector.options.repair, ..Extraction::default() };
    let extracted = extract(json::decode(&bytes, &Limits::default())?, &how)?;
    let patch = serde_json::to_value(extracted.value()).unwrap();
    Ok(vector.expect.patch.iter().filter_map(|want| differs("the patch", &patch, want)).collect())
}

fn merge_plain(vector: &Vector) -> Checked {
    let limits = Limits::default().with_numbers(Numbers::AsWritten);
    let (document, patch) = (vector.baton(), vector.patch());
    let document = json::read(json::decode(&document, &limits)?, &limits)?;
    let patch = json::read(json::decode(&patch, &limits)?, &limits)?;
    let merged = json::compact(&json::merge(document, patch));
    Ok(vector.expect.document(&merged).into_iter().chain(vector.expect.output(&merged)).collect())
}

fn apply(vector: &Vector) -> Checked {
    let limits = Limits::default();
    let (bytes, patch) = (vector.baton(), vector.patch());
    let baton = Baton::read(json::decode(&bytes, &limits)?, &limits)?;
    let Value::Object(object) = json::read(json::decode(&patch, &limits)?, &limits)? else { return Ok(Vec::new()) };
    let o = &vector.options;
    let who = Attribution {
        step: Id::new(&o.step).unwrap(),
        by: Id::new(&o.by).unwrap(),
        at: Timestamp::parse(&o.at).unwrap(),
    };
    let dialect = if o.dialect.as_deref() == Some("strict") { Dialect::Strict } else { Dialect::Plain };
    let mut g = serde_json::json!({"rules": o.guards});
    if let Some(w) = &o.writes {
        g["writes"] = serde_json::json!(w);
    }
    let guards = Guards::read(&g.to_string(), &limits)?;
    let proposal = Proposal::parse(object, dialect)?;
    let bb = o.base_baton.as_ref().map(|b| b.to_string());
    let lowered = match &bb {
        Some(b) => {
            let base = Baton::read(b, &limits)?;
            let l = lower(&base, proposal, &who)?;
            rebase(&base, &baton, l, &|_| None)?
        }
        None => lower(&baton, proposal, &who)?,
    };
    let admitted = guard(&baton, lowered, &guards, &o.allow)?;
    let before: serde_json::Value = serde_json::from_str(&baton.to_json()).unwrap();
    let plain = serde_json::to_value(plain_patch(&baton, &admitted, &who, "x")).unwrap();
    let merged = merge(baton, admitted, &who, "x");
    let mut after = before;
    json_patch::merge(&mut after, &plain);
    let text = merged.baton().to_json();
    let mut faults = vector.expect.document(&text);
    faults.extend(differs("the document by another implementation", &after, &serde_json::from_str(&text).unwrap()));
    if let Some(want) = &vector.expect.lowered {
        faults.extend(differs("the lowered patch", &without_stamp(plain), want));
    }
    let codes: Vec<String> = merged.notices().iter().map(|n| n.code.to_owned()).collect();
    faults.extend(vector.expect.noticed(&codes));
    Ok(faults)
}
