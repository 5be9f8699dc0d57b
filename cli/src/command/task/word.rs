//! `approve`, `deny` and `resolve`: people's words on what waits for them.

use relay_baton::baton::{Id, Timestamp};
use relay_baton::desk::{self, Said};
use relay_baton::driver;
use relay_baton::engine::{APPROVAL, CALL};
use relay_baton::entry::{Kept, Reference};
use relay_baton::json::{self, Limits, Value};
use relay_baton::refusal::{Code, Notice, Refusal};
use relay_baton::text::quote;

use super::ending::options;
use super::pending::{newest, word_in};
use super::story;
use crate::args::{ApproveArgs, BoardArgs, DenyArgs, ResolveArgs};
use crate::command::board;
use crate::done::Done;
use crate::failure::{Answer, Failure};
use crate::place::{Access, Input, Opened};
use crate::settings;

/// Characters of arguments that are shown.
const ARGUMENTS_MAX: usize = 50_000;

/// Who says something, and when.
struct Speaker {
    by: Id,
    at: Timestamp,
}

impl Speaker {
    fn new(typed: Option<&str>) -> Result<Self, Failure> {
        Ok(Self { by: settings::person("--by", typed)?, at: settings::moment(None)? })
    }
}

/// Lets calls be made.
pub(in crate::command) fn approve(args: &ApproveArgs) -> Result<Done, Failure> {
    decide(&args.ids, (true, None), args.by.as_deref(), &args.board)
}

/// Has a call not be made.
pub(in crate::command) fn deny(args: &DenyArgs) -> Result<Done, Failure> {
    settings::said("--why", std::slice::from_ref(&args.why))?;
    decide(std::slice::from_ref(&args.id), (false, Some(&args.why)), args.by.as_deref(), &args.board)
}

fn decide(ids: &[String], word: (bool, Option<&str>), by: Option<&str>, args: &BoardArgs) -> Result<Done, Failure> {
    let speaker = Speaker::new(by)?;
    let mut opened = board::open(args, Access::Append)?;
    let ids: Vec<Reference> = ids.iter().map(|text| approval(text)).collect::<Result<_, _>>()?;
    let mut told = Telling::default();
    for id in &ids {
        let reference = settings::reference()?;
        let said = Said { by: &speaker.by, at: &speaker.at, reference: &reference };
        let kept =
            desk::decide(&mut opened.board, id, word, &said).map_err(|refused| refuse(&opened, refused, &told))?;
        told.tell(&kept, kept.record.reference != reference);
    }
    Ok(told.done(args))
}

fn refuse(opened: &Opened, refused: relay_baton::refusal::Refused, told: &Telling) -> Failure {
    let failure = opened.refuse(refused);
    if told.lines.is_empty() {
        failure
    } else {
        failure.all_the_same(Some(format!("recorded before it: {}", told.words())))
    }
}

/// Says what became of a call.
pub(in crate::command) fn resolve(args: &ResolveArgs) -> Result<Done, Failure> {
    let result = args.result.as_deref().map(result).transpose()?;
    let speaker = Speaker::new(args.by.as_deref())?;
    let mut opened = board::open(&args.board, Access::Append)?;
    let key = call(&args.id, &mut opened)?;
    let reference = settings::reference()?;
    let said = Said { by: &speaker.by, at: &speaker.at, reference: &reference };
    let kept = desk::resolve(&mut opened.board, &key, (args.happened, result.as_ref()), &said);
    let kept = kept.map_err(|refused| opened.refuse(refused))?;
    let mut told = Telling::default();
    told.tell(&kept, kept.record.reference != reference);
    Ok(told.done(&args.board))
}

fn result(text: &str) -> Result<Value<'static>, Failure> {
    let input = Input { name: "--result".to_owned(), text: text.to_owned().leak() };
    json::read(input.text, &Limits::default()).map_err(|refusal| input.refuse(refusal).into())
}

fn approval(text: &str) -> Result<Reference, Failure> {
    Reference::parse(text).ok_or_else(|| {
        let detail =
            format!("{} is no approval: `pending` lists those that wait, by ids of 16 digits and letters", quote(text));
        Answer::new(Refusal::new(Code::ApprovalUnknown, "", detail)).into()
    })
}

/// The key of the call that was named: whole, by its beginning, or by its approval.
fn call(typed: &str, opened: &mut Opened) -> Result<Id, Failure> {
    let engine = driver::load(&mut opened.board).map_err(|refused| opened.refuse(refused))?;
    let doubts = engine.map(|engine| engine.doubts()).unwrap_or_default();
    let digits = typed.trim_start_matches("sha256:");
    let begins = |key: &&Id| !digits.is_empty() && key.as_str().trim_start_matches("sha256:").starts_with(digits);
    let found: Vec<&Id> = doubts.iter().map(|call| &call.key).filter(begins).collect();
    match found.as_slice() {
        [key] => return Ok((*key).clone()),
        [] => {}
        several => {
            let detail = format!("{} calls in doubt begin with {}: type more of the key", several.len(), quote(typed));
            return Err(opened.refuse(Refusal::new(Code::ApprovalUnknown, "", detail)));
        }
    }
    if let Some(kept) =
        Reference::parse(typed).map(|id| newest(opened, APPROVAL, id.as_str(), u64::MAX)).transpose()?.flatten()
        && let Some(key) = Id::new(word_in(&kept, "call"))
    {
        return Ok(key);
    }
    // A call whose word was heard before is known by its whole key.
    if let Some(key) = Id::new(typed).filter(|_| typed.starts_with("sha256:"))
        && newest(opened, CALL, key.as_str(), u64::MAX)?.is_some()
    {
        return Ok(key);
    }
    let detail = format!("no call {} is in doubt: `pending` lists those that are", quote(typed));
    Err(opened.refuse(Refusal::new(Code::ApprovalUnknown, "", detail)))
}

/// What is told of the words that were recorded.
#[derive(Default)]
struct Telling {
    lines: Vec<String>,
    notices: Vec<Notice>,
    entries: Vec<Value<'static>>,
}

impl Telling {
    fn tell(&mut self, kept: &Kept, replayed: bool) {
        let data = kept.entry.draft.data.as_object();
        let asked = story::arguments(data.and_then(|data| data.get("arguments")), ARGUMENTS_MAX);
        let state = match (word_in(kept, "state"), data.and_then(|data| data.get("happened"))) {
            ("resolved", Some(Value::Bool(true))) => "happened",
            ("resolved", _) => "did not happen",
            (state, _) => state,
        };
        let (tool, agent, run) = (word_in(kept, "tool"), word_in(kept, "agent"), word_in(kept, "run"));
        self.lines.push(format!("{state} by {}: {tool} by {agent} ({run}): {asked}", kept.record.author));
        self.entries.push(Value::string(kept.record.reference.as_str().to_owned()));
        if replayed {
            let detail = format!("{} has said so before, at {}", kept.record.author, kept.entry.draft.at.as_str());
            self.notices.push(Notice::new("replayed", "", detail));
        }
    }

    fn words(&self) -> String {
        self.lines.join("; ")
    }

    fn done(self, args: &BoardArgs) -> Done {
        let lines = self.lines.iter().map(|line| format!("{}\n", relay_baton::text::escape_hidden(line)));
        let mut done = Done::shown(lines.collect());
        done.report.facts = vec![("decisions", Value::Array(self.entries))];
        done.report.notices = self.notices;
        done.report.summary = Some(format!("to go on: baton-patch resume{}", options(args)));
        done
    }
}
