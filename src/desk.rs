//! The desk: people's words on what waits for them, over the board.
//!
//! A word is an entry that follows on the newest one about the same approval or call, if that still waits. So two people,
//! or a person and a running engine, never decide the same twice, and a word that was lost on the way to whoever gave it
//! can be given again: the same word by the same person is answered with the first.

use crate::authority;
use crate::baton::{Id, Timestamp};
use crate::board::{Board, Following, Post};
use crate::charter::Charter;
use crate::driver::charter_of;
use crate::engine::{APPROVAL, CALL, Decision, Engine};
use crate::entry::{Kept, Reference};
use crate::json::{Object, Value};
use crate::port::Word;
use crate::refusal::{Code, Refusal, Refused};
use crate::store::{Store, Which};
use crate::text::quote;

/// A person's word, before it is on the board.
#[derive(Clone, Debug)]
pub struct Said<'s> {
    /// Whose.
    pub by: &'s Id,
    /// When.
    pub at: &'s Timestamp,
    /// The random name that its entry gets.
    pub reference: &'s Reference,
}

/// Records a person's yes or no to the approval `id`.
///
/// # Errors
/// `approval.unknown` where nothing of that name was ever asked; `approval.approver` where this person may not decide it;
/// `approval.decided` where it was decided otherwise or by somebody else; `approval.expired`; `approval.void` where it is no
/// longer asked for; `store.*`. Nothing was recorded then.
pub fn decide<S: Store>(
    board: &mut Board<S>,
    id: &Reference,
    (granted, why): (bool, Option<&str>),
    said: &Said<'_>,
) -> Result<Kept, Refused> {
    let charter = charter_of(board)?;
    let (kind, key) = (crate::board::word(APPROVAL)?, crate::board::word(id.as_str())?);
    board.follow(&kind, &key, |newest| {
        let newest = newest.ok_or_else(|| unknown(id))?;
        may_decide(charter.as_ref(), newest, said.by)?;
        let asked = data_of(newest)?;
        let state = if granted { "granted" } else { "denied" };
        match word_in(asked, "state") {
            "requested" => check_time(asked, said.at)?,
            known if known == state && word_in(asked, "by") == said.by.as_str() => {
                return Ok(Following::Stands(Box::new(newest.clone())));
            }
            "granted" | "denied" => return Err(decided(newest, asked).into()),
            "expired" => return Err(Refusal::new(Code::ApprovalExpired, "", "its time was over before").into()),
            _ => {
                let detail = "it is no longer asked for: its run has ended, or asks anew under another charter";
                return Err(Refusal::new(Code::ApprovalVoid, "", detail).into());
            }
        }
        let mut data = asked.clone();
        data.set("state", Value::string(state));
        data.set("by", Value::string(said.by.as_str().to_owned()));
        if let Some(why) = why {
            data.set("why", Value::string(why.to_owned()));
        }
        Ok(Following::Post(Box::new(post(newest, data, said))))
    })
}

/// Records a person's word on what became of the call `key`, whose end is not known.
///
/// # Errors
/// `approval.unknown` where there is no such call; `call.state` where its end is known; `approval.approver` where this
/// person may not say; `approval.decided` where another word was given before; `store.*`. Nothing was recorded then.
pub fn resolve<S: Store>(
    board: &mut Board<S>,
    key: &Id,
    (happened, result): (bool, Option<&Value<'static>>),
    said: &Said<'_>,
) -> Result<Kept, Refused> {
    let charter = charter_of(board)?;
    let kind = crate::board::word(CALL)?;
    board.follow(&kind, key, |newest| {
        let newest = newest.ok_or_else(|| {
            let detail = format!("there is no call {}: `pending` lists those in doubt", quote(key.as_str()));
            Refusal::new(Code::ApprovalUnknown, "", detail)
        })?;
        let known = data_of(newest)?;
        may_resolve(charter.as_ref(), word_in(known, "tool"), said.by)?;
        match word_in(known, "state") {
            "unknown" => {}
            "resolved" => {
                let same = known.get("happened") == Some(&Value::Bool(happened))
                    && word_in(known, "by") == said.by.as_str()
                    && known.get("result") == result;
                if same {
                    return Ok(Following::Stands(Box::new(newest.clone())));
                }
                return Err(decided(newest, known).into());
            }
            state => {
                let detail = format!("the call is `{state}`: only one whose end is not known is to be resolved");
                return Err(Refusal::new(Code::CallState, "", detail).into());
            }
        }
        let mut data = known.clone();
        data.remove("detail");
        data.set("state", Value::string("resolved"));
        data.set("by", Value::string(said.by.as_str().to_owned()));
        data.set("happened", Value::Bool(happened));
        if let Some(result) = result {
            data.set("result", result.clone());
        }
        Ok(Following::Post(Box::new(post(newest, data, said))))
    })
}

/// What people have said on the board about what `engine` waits for, oldest run first.
///
/// # Errors
/// `store.*`; `board.broken`.
pub fn words<S: Store>(board: &mut Board<S>, engine: &Engine) -> Result<Vec<Word>, Refused> {
    let mut words = Vec::new();
    for request in engine.pending() {
        if let Some(kept) = newest(board, APPROVAL, request.id.as_str())? {
            words.extend(decision_in(&kept, &request.id));
        }
    }
    for call in engine.doubts() {
        if let Some(kept) = newest(board, CALL, call.key.as_str())? {
            words.extend(resolution_in(&kept, &call.key));
        }
    }
    Ok(words)
}

fn newest<S: Store>(board: &mut Board<S>, kind: &str, key: &str) -> Result<Option<Kept>, Refused> {
    let (kind, key) = (crate::board::word(kind)?, crate::board::word(key)?);
    board.entry(Which::Newest { kind: &kind, key: &key, before: u64::MAX })
}

fn decision_in(kept: &Kept, id: &Reference) -> Option<Word> {
    let data = kept.entry.draft.data.as_object()?;
    let granted = match word_in(data, "state") {
        "granted" => true,
        "denied" => false,
        _ => return None,
    };
    let decision = Decision { by: kept.record.author.clone(), granted, why: text_in(data, "why") };
    Some(Word::Decided { approval: id.clone(), decision, entry: Some(kept.record.reference.clone()) })
}

fn resolution_in(kept: &Kept, key: &Id) -> Option<Word> {
    let data = kept.entry.draft.data.as_object()?;
    if word_in(data, "state") != "resolved" {
        return None;
    }
    Some(Word::Resolved {
        key: key.clone(),
        by: kept.record.author.clone(),
        happened: data.get("happened") == Some(&Value::Bool(true)),
        result: data.get("result").cloned(),
        entry: Some(kept.record.reference.clone()),
    })
}

fn may_decide(charter: Option<&Charter>, newest: &Kept, person: &Id) -> Result<(), Refused> {
    let tool = word_in(data_of(newest)?, "tool").to_owned();
    let found = charter.and_then(|charter| Some((charter, charter.tools.get(&Id::new(&tool)?)?)));
    let Some((charter, tool)) = found else {
        return Err(Refusal::new(Code::AuthorityUnknown, "", "the charter has no such tool any more").into());
    };
    Ok(authority::approver(charter, tool, person)?)
}

fn may_resolve(charter: Option<&Charter>, tool: &str, person: &Id) -> Result<(), Refused> {
    let (Some(charter), Some(tool)) = (charter, Id::new(tool)) else {
        return Err(
            Refusal::new(Code::BoardBroken, "", "the board does not hold the charter that its task goes by").into()
        );
    };
    Ok(authority::witness(charter, &tool, person)?)
}

fn check_time(asked: &Object<'_>, now: &Timestamp) -> Result<(), Refused> {
    let until = asked.get("expires_at").and_then(Value::as_str).and_then(Timestamp::parse);
    match until {
        Some(until) if until <= *now => {
            let detail =
                format!("it could be decided until {}: the agent is told so, and may ask again", until.as_str());
            Err(Refusal::new(Code::ApprovalExpired, "", detail).into())
        }
        _ => Ok(()),
    }
}

fn decided(newest: &Kept, data: &Object<'_>) -> Refusal {
    let state = if word_in(data, "state") == "resolved" { "resolved" } else { word_in(data, "state") };
    let detail = format!("it was {state} by `{}` at {}", newest.record.author, newest.entry.draft.at.as_str());
    Refusal::new(Code::ApprovalDecided, "", detail)
}

fn unknown(id: &Reference) -> Refusal {
    Refusal::new(Code::ApprovalUnknown, "", format!("nothing waits for the approval `{id}`: `pending` lists what does"))
}

fn post(newest: &Kept, data: Object<'static>, said: &Said<'_>) -> Post {
    let draft = &newest.entry.draft;
    Post {
        kind: draft.kind.clone(),
        key: draft.key.clone(),
        author: said.by.clone(),
        step: draft.step.clone(),
        at: said.at.clone(),
        readers: draft.readers.clone(),
        data: Value::Object(data),
        derived_from: Vec::new(),
        idempotency_key: None,
        declassify: false,
        reference: said.reference.clone(),
    }
}

fn data_of(kept: &Kept) -> Result<&Object<'static>, Refused> {
    kept.entry.draft.data.as_object().ok_or_else(|| {
        Refusal::new(Code::BoardBroken, "", format!("entry {} does not say what it is about", kept.record.seq)).into()
    })
}

fn word_in<'o>(data: &'o Object<'_>, name: &str) -> &'o str {
    data.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn text_in(data: &Object<'_>, name: &str) -> Option<String> {
    data.get(name).and_then(Value::as_str).map(str::to_owned)
}
