//! `verify`: whether the board is still what was recorded.

use std::panic;
use std::sync::mpsc::sync_channel;
use std::thread;

use std::path::Path;

use relay_baton::baton::Baton;
use relay_baton::board::{Standing, head_of, told_head};
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::json::Value;
use relay_baton::refusal::{Code, Refused};
use relay_baton::verify::{Verdict, Verifier};

use crate::args::VerifyArgs;
use crate::command::board::{self, Named};
use crate::command::log::PAGE;
use crate::command::recorded::about_file;
use crate::done::Done;
use crate::failure::{Answer, Failure, named, shown_name};
use crate::output::Progress;
use crate::place::{Access, Opened, Source, open_board, refused_by};

/// Pages that may wait to be checked.
const PAGES_WAITING: usize = 2;

/// Reads every entry, and tells what is wrong.
pub(super) fn run(args: &VerifyArgs) -> Result<Done, Failure> {
    let typed = args.head.as_deref().map(head).transpose()?;
    let named = board::named_board(&args.board)?;
    let expected = match typed {
        Some(head) => Some(head),
        None => own_head(args, &named)?,
    };
    let mut opened = open_board(&named.location, named.id.clone(), Access::Read)?;
    let verifier = Verifier::new(named.id.clone());
    let verifier = if args.replay { verifier.replaying() } else { verifier };
    let verifier = expected.into_iter().fold(verifier, Verifier::expecting);
    let verdict = read_all(verifier, &mut opened, &named.id)?;
    let mut done = tell(verdict, &opened.name)?;
    if let Some(baton) = &named.baton {
        let path = board::baton_path(&args.board);
        let standing = opened.board.standing(baton);
        let standing = standing.map_err(|refused| about_file(refused, &Source::from(path.as_path()), &opened))?;
        done.shown.get_or_insert_default().push_str(&of_file(&path, baton, standing));
    }
    Ok(done)
}

/// How the baton's file stands to the board.
fn of_file(path: &Path, baton: &Baton<'_>, standing: Standing) -> String {
    let shown = named(path);
    let (file, revision) = (shown_name(&shown), baton.revision());
    match standing {
        Standing::New => format!("{file}: the board holds no baton yet\n"),
        Standing::Newest => format!("{file}: as the board has it, at revision {revision}\n"),
        Standing::Older { newest } => {
            format!("{file}: as the board had it at revision {revision}; it is at {newest} now\n")
        }
    }
}

fn head(text: &str) -> Result<Head, Failure> {
    let wrong = || Failure::Usage("--head takes SEQ:DIGEST as a baton's stamp and `log` tell it".to_owned());
    Head::parse(text).ok_or_else(wrong)
}

/// The head in the stamp of the baton's file.
fn own_head(args: &VerifyArgs, named: &Named) -> Result<Option<Head>, Failure> {
    let Some(baton) = &named.baton else { return Ok(None) };
    let head = told_head(baton);
    if head.is_none() && head_of(baton).is_some() {
        let path = board::baton_path(&args.board);
        return Err(Answer::about(&path, Code::BoardEdited, "the stamp's `head` is no SEQ:DIGEST").into());
    }
    Ok(head)
}

/// Reads in this thread and checks in another: hashing takes as long as reading.
fn read_all(mut verifier: Verifier, opened: &mut Opened, id: &BoardId) -> Result<Verdict, Failure> {
    let (send, receive) = sync_channel::<Vec<Record>>(PAGES_WAITING);
    thread::scope(|scope| {
        let checker = scope.spawn(move || {
            receive.iter().flatten().for_each(|record| verifier.push(&record));
            verifier.finish()
        });
        let read = each_page(opened, id, |page| send.send(page).is_ok());
        drop(send);
        match checker.join() {
            Ok(verdict) => read.map(|()| verdict),
            Err(bug) => panic::resume_unwind(bug),
        }
    })
}

/// Hands over page by page, until `take` wants no more.
fn each_page(opened: &mut Opened, id: &BoardId, take: impl Fn(Vec<Record>) -> bool) -> Result<(), Failure> {
    let last = opened.board.head().map_err(|refused| opened.refuse(refused))?.map_or(0, |head| head.seq);
    let mut progress = Progress::new("verifying", Some(last), false);
    let mut after = 0;
    loop {
        let page = opened.board.store().page(id, after, PAGE);
        let page = page.map_err(|fault| opened.refuse(Refused::from(fault)))?;
        let Some(newest) = page.last() else { return Ok(()) };
        // A store that was tampered with may give any number; one that goes back would never end.
        after = newest.seq.max(after.saturating_add(1));
        progress.at(after);
        if !take(page) {
            return Ok(());
        }
    }
}

fn tell(verdict: Verdict, name: &str) -> Result<Done, Failure> {
    let Verdict { entries, head, findings, more, against_head } = verdict;
    Refused::unless_empty(findings, ()).map_err(|refused| told(refused_by(name, refused), more))?;
    let head = head.map(|head| head.to_string());
    let mut text = format!("{}: {entries} entries, nothing wrong found", shown_name(name));
    if let Some(head) = &head {
        text.push_str(&format!("\nhead {head}"));
    }
    text.push_str(if against_head { "\nthe entry of the expected head is there\n" } else { NOT_FOUND });
    let mut done = Done::shown(text);
    done.report.facts = vec![("entries", Value::integer(entries))];
    done.report.facts.extend(head.map(|head| ("head", Value::string(head))));
    done.report.facts.push(("against_head", Value::Bool(against_head)));
    Ok(done)
}

const NOT_FOUND: &str = "\nno head was expected, so this cannot tell whether the last entries were cut off, an older copy of \
                         the board was put in its place, or all of it was made anew: keep a head elsewhere and give it \
                         with --head\n";

/// The same, with how many more findings there are.
fn told(failure: Failure, more: u64) -> Failure {
    match failure {
        Failure::Refused(answer) if more > 0 => answer.with_help(format!("there are {more} findings more")).into(),
        other => other,
    }
}
