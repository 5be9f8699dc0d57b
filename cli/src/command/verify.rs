//! `verify`: whether the board is still what was recorded.

mod file;

use std::panic;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use relay_baton::board::told_head;
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::json::Value;
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::verify::{Verdict, Verifier};

use crate::args::VerifyArgs;
use crate::command::log::PAGE;
use crate::command::{board, entries};
use crate::done::Done;
use crate::failure::{Answer, Failure, shown_name};
use crate::output::Progress;
use crate::place::{Access, Opened, check_file, open_board, refused_by};

/// Pages that may wait to be checked.
const PAGES_WAITING: usize = 4;

/// Reads every entry, holds the baton's file against them, and tells what is wrong with either.
pub(super) fn run(args: &VerifyArgs) -> Result<Done, Failure> {
    let typed = args.head.as_deref().map(head).transpose()?;
    let named = board::named_board(&args.board)?;
    let expected = typed.or_else(|| named.baton.as_ref().and_then(told_head));
    let mut opened = open_board(&named.location, named.id.clone(), Access::Read)?;
    if expected.is_none() {
        opened.head()?;
    }
    if args.replay {
        check_file(&named.location)?;
    }
    let verifier = Verifier::new(named.id.clone());
    let verifier = if args.replay { verifier.replaying() } else { verifier };
    let verifier = expected.into_iter().fold(verifier, Verifier::expecting);
    let verdict = read_all(verifier, &mut opened, &named.id)?;
    let path = board::baton_path(&args.board);
    let file = file::stands(&mut opened, named, &path);
    tell(&verdict, &opened.name, file)
}

fn head(text: &str) -> Result<Head, Failure> {
    let wrong = || Failure::Usage("--head takes SEQ:DIGEST as a baton's stamp and `log` tell it".to_owned());
    Head::parse(text).ok_or_else(wrong)
}

/// Reads in this thread and checks in another: hashing takes as long as reading.
fn read_all(mut verifier: Verifier, opened: &mut Opened, id: &BoardId) -> Result<Verdict, Failure> {
    let (send, receive) = sync_channel::<Vec<Record>>(PAGES_WAITING);
    // Pages come back: memory is given back soonest by the thread that asked for it.
    let (back, checked) = channel();
    thread::scope(|scope| {
        let checker = scope.spawn(move || {
            for page in receive {
                page.iter().for_each(|record| verifier.push(record));
                // Where nobody wants it any more it goes here.
                let _ = back.send(page);
            }
            verifier.finish()
        });
        let read = each_page(opened, id, |page| {
            checked.try_iter().for_each(drop);
            send.send(page).is_ok()
        });
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

/// What was found of the entries and of the file.
fn tell(verdict: &Verdict, name: &str, file: Result<String, Box<Answer>>) -> Result<Done, Failure> {
    let wrong = file.as_ref().err().map(Box::as_ref);
    Refused::unless_empty(findings(verdict, wrong), ())
        .map_err(|refused| unsound(refused_by(name, refused), verdict, wrong))?;
    let (counts, told) = (counts(verdict), sound(verdict, name));
    match file {
        Ok(line) => {
            let mut done = Done::shown(told + &line);
            done.report.facts = counts;
            Ok(done)
        }
        Err(mut answer) => {
            let way = answer.help.take().map_or(String::new(), |way| format!("; {way}"));
            answer.counts = counts;
            let told = told.lines().next().unwrap_or_default();
            let far = if verdict.against_head { "" } else { ", as far as can be told without --head" };
            Err(answer.with_help(format!("the board itself is sound ({told}){far}{way}")).into())
        }
    }
}

/// What is wrong with the entries, and with the file where that is something else. Where the entries are sound, nothing.
fn findings(verdict: &Verdict, file: Option<&Answer>) -> Vec<Refusal> {
    let mut all = verdict.findings.clone();
    if !verdict.is_sound() {
        let of_file = file.iter().flat_map(|answer| answer.refused.refusals());
        let other = of_file.filter(|refusal| verdict.findings.iter().all(|found| found.code != refusal.code));
        let name = file.and_then(|answer| answer.file.as_deref()).unwrap_or_default();
        let named = |of: &Refusal| Refusal::new(of.code, of.at.clone(), format!("{}: {}", shown_name(name), of.detail));
        all.extend(other.map(named));
    }
    all
}

/// The same, with how many more findings there are, and the way out.
fn unsound(failure: Failure, verdict: &Verdict, file: Option<&Answer>) -> Failure {
    let is_cut = verdict.findings.iter().all(|found| found.code == Code::BoardCut);
    let mut help: Vec<String> =
        (verdict.more > 0).then(|| format!("findings besides: {}", verdict.more)).into_iter().collect();
    match file.and_then(|answer| answer.help.clone()) {
        Some(way) if is_cut => help.push(way),
        // What was tampered with must not be made the truth of the file.
        _ => help.push(
            "keep the baton's file as it is, and put a whole copy or an `export` of the board in its place".to_owned(),
        ),
    }
    match failure {
        Failure::Refused(answer) => answer.with_help(help.join("; ")).into(),
        other => other,
    }
}

fn counts(verdict: &Verdict) -> Vec<(&'static str, Value<'static>)> {
    let mut counts = vec![("entries", Value::integer(verdict.entries))];
    counts.extend(verdict.head.as_ref().map(|head| ("head", Value::string(head.to_string()))));
    counts.push(("against_head", Value::Bool(verdict.against_head)));
    counts
}

/// `baton.board: 4 entries, nothing wrong found`, and how far that goes.
fn sound(verdict: &Verdict, name: &str) -> String {
    let mut text = format!("{}: {}, nothing wrong found", shown_name(name), entries(verdict.entries));
    if let Some(head) = &verdict.head {
        text.push_str(&format!("\nhead {head}"));
    }
    text.push_str(if verdict.against_head {
        "\nthe entry of the expected head is there (that entries after it were cut off would not be seen)\n"
    } else {
        NOT_FOUND
    });
    text
}

const NOT_FOUND: &str = "\nno head was expected, so this cannot tell whether the last entries were cut off, an older copy of \
                         the board was put in its place, or all of it was made anew: keep a head elsewhere and give it \
                         with --head\n";
