//! What a person brings to a task: facts, each for the readers that the charter declares.

use std::path::Path;

use relay_baton::authority::nearest;
use relay_baton::baton::Id;
use relay_baton::board::{FACT, Post};
use relay_baton::charter::{Charter, Data};
use relay_baton::json::{self, Limits, Value};
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::store::Which;
use relay_baton::text::quote;

use crate::failure::Failure;
use crate::place::{Opened, Source};
use crate::settings;

/// Data to be posted, by key.
pub(super) type Facts<'c> = Vec<(&'c Data, Value<'static>)>;

/// Reads a JSON object whose members are data of `charter`.
pub(super) fn read<'c>(path: &Path, charter: &'c Charter) -> Result<Facts<'c>, Failure> {
    let limits = Limits::default();
    let input = Source::from(path).read(&limits)?;
    let value = json::read(input.text, &limits).map_err(|refusal| input.refuse(refusal))?;
    let Value::Object(members) = value else {
        let detail = format!("data is a JSON object of values by key, found {}", value.kind());
        return Err(input.refuse(Refusal::new(Code::CharterMember, "", detail)).into());
    };
    let (mut facts, mut refusals) = (Vec::new(), Vec::new());
    for (name, value) in members.iter() {
        match Id::new(name).and_then(|key| charter.data.get(&key)) {
            Some(data) => facts.push((data, value.clone())),
            None => refusals.push(unknown(name, charter)),
        }
    }
    Refused::unless_empty(refusals, facts).map_err(|refused| input.refuse(refused).into())
}

fn unknown(name: &str, charter: &Charter) -> Refusal {
    let near = nearest(name, charter.data.keys().map(Id::as_str));
    let hint = match near {
        Some(near) => format!("did you mean {}?", quote(near)),
        None if charter.data.is_empty() => "it declares none".to_owned(),
        None => {
            let known: Vec<String> = charter.data.keys().map(|key| quote(key.as_str())).collect();
            format!("it declares {}", known.join(", "))
        }
    };
    let at = json::pointer::child("", name);
    Refusal::new(Code::CharterName, at, format!("the charter declares no data {}: {hint}", quote(name)))
}

/// Posts what the board does not say already.
pub(super) fn post(facts: Facts<'_>, person: &Id, opened: &mut Opened) -> Result<(), Failure> {
    for (data, value) in facts {
        let kind = settings::id("kind", FACT)?;
        let newest = opened.board.entry(Which::Newest { kind: &kind, key: &data.key, before: u64::MAX });
        let newest = newest.map_err(|refused| opened.refuse(refused))?;
        let stands = newest.is_some_and(|kept| {
            let draft = &kept.entry.draft;
            draft.data == value && draft.readers == data.readers
        });
        if stands {
            continue;
        }
        let post = Post {
            kind,
            key: data.key.clone(),
            author: person.clone(),
            step: None,
            at: settings::moment(None)?,
            readers: data.readers.clone(),
            data: value,
            derived_from: Vec::new(),
            idempotency_key: None,
            declassify: false,
            reference: settings::reference()?,
        };
        opened.board.post(&post).map_err(|refused| opened.refuse(refused))?;
    }
    Ok(())
}
