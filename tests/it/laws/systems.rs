//! The system that is tried, from text to text, and systems that break one law each.

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Id, Timestamp};
use relay_baton::guard::{Guards, guard};
use relay_baton::json::{self, Limits, Object, Value};
use relay_baton::lower::{Lowered, lower};
use relay_baton::merge::{merge, plain_patch};
use relay_baton::parse::{Dialect, Proposal};
use relay_baton::refusal::Refused;
use serde_json::json as value;

use crate::oracle::{AUTHOR, DIGEST, MOMENT, Refusals, STEP, Terms};

/// What an accepted patch leads to, as JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    pub(crate) before: String,
    pub(crate) after: String,
    /// The plain RFC 7396 patch.
    pub(crate) plain: String,
}

/// From the text of a baton and of a patch to the next baton.
pub(crate) type System = fn(&str, &str, &Terms) -> Result<Done, Refusals>;

pub(crate) fn attribution() -> Attribution {
    Attribution { step: Id::new(STEP).unwrap(), by: Id::new(AUTHOR).unwrap(), at: Timestamp::parse(MOMENT).unwrap() }
}

pub(crate) fn refusals(refused: &Refused) -> Refusals {
    assert!(!refused.refusals().is_empty());
    refused.refusals().iter().map(|one| (one.code.to_string(), one.at.clone())).collect()
}

pub(crate) fn read(text: &str) -> Result<Baton<'_>, Refused> {
    Baton::read(text, &Limits::default())
}

pub(crate) fn object(text: &str) -> Object<'_> {
    match json::read(text, &Limits::default()).unwrap() {
        Value::Object(object) => object,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn lowered<'a>(baton: &Baton<'a>, patch: &'a str, strict: bool) -> Result<Lowered<'a>, Refused> {
    let dialect = if strict { Dialect::Strict } else { Dialect::Plain };
    lower(baton, Proposal::parse(object(patch), dialect)?, &attribution())
}

pub(crate) fn guards(terms: &Terms) -> Guards {
    let rules: serde_json::Map<_, _> = terms.rules.iter().map(|(name, rule)| (name.clone(), value!(rule))).collect();
    let mut file = value!({ "rules": rules });
    if let Some(writes) = &terms.writes {
        file["writes"] = value!(writes);
    }
    Guards::read(&file.to_string(), &Limits::default()).unwrap()
}

/// The library.
pub(crate) fn real(baton: &str, patch: &str, terms: &Terms) -> Result<Done, Refusals> {
    let baton = read(baton).unwrap();
    let before = baton.to_json();
    let answer = admitted(&baton, patch, terms);
    assert_eq!(before, baton.to_json(), "a patch changed the baton that it was made for");
    let (after, plain) = answer.map_err(|refused| refusals(&refused))?;
    Ok(Done { before, after, plain })
}

fn admitted(baton: &Baton<'_>, patch: &str, terms: &Terms) -> Result<(String, String), Refused> {
    let lowered = lowered(baton, patch, terms.strict)?;
    let admitted = guard(baton, lowered, &guards(terms), &terms.allow)?;
    let plain = plain_patch(baton, &admitted, &attribution(), DIGEST);
    let merged = merge(baton.clone(), admitted, &attribution(), DIGEST);
    Ok((merged.baton().to_json(), json::compact(&Value::Object(plain))))
}
