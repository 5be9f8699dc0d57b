//! `show`: one entry of the board, for its operator.

use std::fmt::Write as _;

use relay_baton::baton::Id;
use relay_baton::board::PATCH;
use relay_baton::entry::{Kept, Reference};
use relay_baton::json::{self, Object, Value, pointer};
use relay_baton::refusal::{Code, Refusal};
use relay_baton::store::Which;
use relay_baton::text::escape_hidden;

use crate::args::ShowArgs;
use crate::command::post::reference;
use crate::command::{board, seen};
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::output::escape_json;
use crate::place::{Access, Opened, Target};

/// What is asked for.
enum Asked {
    Revision(Wanted),
    Reference(Reference),
    Seq(u64),
}

/// A revision of the baton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Number(u64),
    Newest,
}

/// Prints the entry.
pub(super) fn run(args: &ShowArgs) -> Result<Done, Failure> {
    let asked = asked(args)?;
    let mut opened = board::open(&args.board, Access::Read)?;
    let kept = find(&mut opened, &asked)?;
    let document = if args.json { Document::json(kept.record.to_line() + "\n") } else { Document::plain(text(&kept)) };
    let mut done = Done::with(document, Target::Stdout);
    done.report.facts = vec![("seq", Value::integer(kept.record.seq))];
    Ok(done)
}

fn asked(args: &ShowArgs) -> Result<Asked, Failure> {
    if let Some(seq) = args.seq {
        return Ok(Asked::Seq(seq));
    }
    if let Some(text) = &args.reference {
        return reference("--reference", text).map(Asked::Reference);
    }
    let text = args.which.as_deref().unwrap_or_default();
    if let Some(reference) = Reference::parse(text) {
        return Ok(Asked::Reference(reference));
    }
    if let Some(seq) = text.strip_prefix('#').and_then(number) {
        return Ok(Asked::Seq(seq));
    }
    let wrong = "an entry is named by a revision of the baton (3, r3 or `newest`), by its number in the log (#12, in \
                 quotes) or by its reference";
    revision(text).map(Asked::Revision).ok_or_else(|| Failure::Usage(wrong.to_owned()))
}

/// The revision that was typed.
pub(super) fn wanted(text: &str) -> Result<Wanted, Failure> {
    let wrong = "a revision is a number such as 3 or r3, or `newest`";
    revision(text).ok_or_else(|| Failure::Usage(wrong.to_owned()))
}

fn revision(text: &str) -> Option<Wanted> {
    if text == "newest" {
        return Some(Wanted::Newest);
    }
    number(text.strip_prefix('r').unwrap_or(text)).map(Wanted::Number)
}

fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

fn find(opened: &mut Opened, asked: &Asked) -> Result<Kept, Failure> {
    let found = match asked {
        Asked::Revision(wanted) => return of_revision(opened, *wanted),
        Asked::Reference(reference) => opened.board.entry(Which::Reference(reference)),
        Asked::Seq(seq) => opened.board.entry(Which::Seq(*seq)),
    };
    let found = found.map_err(|refused| opened.refuse(refused))?;
    let none = "there is no such entry on the board: `log` lists them";
    found.ok_or_else(|| opened.refuse(Refusal::new(Code::BoardUnknownEntry, "", none)))
}

/// The entry that made a revision.
fn of_revision(opened: &mut Opened, wanted: Wanted) -> Result<Kept, Failure> {
    let number = match wanted {
        Wanted::Number(number) => number,
        Wanted::Newest => opened.newest()?.number(),
    };
    let found = opened.board.entry_of(number).map_err(|refused| opened.refuse(refused))?;
    if let Some(kept) = found {
        return Ok(kept);
    }
    // The board says best which revisions it has.
    let refused = opened.board.checkout(number).err();
    let unknown = || Refusal::new(Code::BaseUnknown, "", "the board has no such revision of the baton").into();
    Err(opened.refuse(refused.unwrap_or_else(unknown)))
}

fn text(kept: &Kept) -> String {
    let (record, draft) = (&kept.record, &kept.entry.draft);
    let mut out = format!("entry {}  {} {}\n", record.seq, record.kind, record.key);
    let mut line = |name: &str, text: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {name:<16} {text}");
    };
    line("reference", record.reference.as_str());
    line("author", record.author.as_str());
    line("step", draft.step.as_ref().map_or("-", Id::as_str));
    line("at", draft.at.as_str());
    line("readers", seen::readers(&draft.readers).trim_start_matches("for "));
    if draft.declassified {
        line("declassified", "yes");
    }
    if let Some(key) = &draft.idempotency_key {
        line("idempotency key", key.as_str());
    }
    let sources: Vec<String> = draft.derived_from.iter().map(u64::to_string).collect();
    line("derived from", &or_none(sources.join(", ")));
    line("digest", &record.digest);
    match (record.kind.as_str(), &draft.data) {
        (PATCH, Value::Object(data)) => patch(&mut out, data),
        (_, data) => member(&mut out, "data", Some(data)),
    }
    out
}

/// What changed, what was noticed, and the patch in both forms.
fn patch(out: &mut String, data: &Object<'_>) {
    let number =
        |name: &str| data.get(name).and_then(Value::as_u64).map_or("-".to_owned(), |number| number.to_string());
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  {:<16} {} from {}", "revision", number("revision"), number("base"));
    let lowered = data.get("lowered").and_then(Value::as_object);
    let changed: Vec<String> =
        lowered.into_iter().flat_map(Object::iter).map(|(name, _)| pointer::child("", name)).collect();
    let _ = writeln!(out, "  {:<16} {}", "changed", or_none(escape_hidden(&changed.join(", ")).into_owned()));
    for (name, title) in [("allowed", "allowed"), ("repaired", "repaired")] {
        if let Some(value) = data.get(name) {
            let _ = writeln!(out, "  {title:<16} {}", escape_json(&json::compact(value)));
        }
    }
    for notice in data.get("notices").and_then(Value::as_array).unwrap_or_default() {
        let word = |name: &str| {
            notice.as_object().and_then(|notice| notice.get(name)).and_then(Value::as_str).unwrap_or_default()
        };
        let _ = writeln!(out, "  {:<16} {}", "notice", escape_hidden(&format!("{}: {}", word("code"), word("detail"))));
    }
    member(out, "submitted", data.get("submitted"));
    member(out, "lowered (as it was merged: each field whole, new decisions with their ids)", data.get("lowered"));
}

fn or_none(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

fn member(out: &mut String, name: &str, value: Option<&Value<'_>>) {
    let Some(value) = value else { return };
    let text = json::pretty(value);
    let _ = writeln!(out, "{name}:");
    for line in escape_json(&text).lines() {
        let _ = writeln!(out, "  {line}");
    }
}
