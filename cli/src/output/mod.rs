//! The only writer: documents to where they go, reports to standard error.
//!
//! A document comes first, and its report only when it has arrived.

mod json;
mod live;
mod progress;
mod snippet;
mod terminal;
mod text;

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::panic::PanicHookInfo;
use std::path::Path;
use std::process;

use crate::done::{Document, Done};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::{Target, replace_held, write_file};
use crate::settings::Reporting;

pub(crate) use live::Live;
pub(crate) use progress::Progress;
pub(crate) use terminal::escape_json;

/// Delivers what a verb did, or tells why it did not; returns how the program ends.
pub(crate) fn finish(result: Result<Done, Failure>, reporting: Reporting) -> Exit {
    let delivered = result.and_then(|mut done| match deliver(&mut done) {
        Ok(()) => Ok(done),
        Err(failure) => Err(failure.all_the_same(done.stands)),
    });
    let delivered = delivered.map_err(deliver_correction);
    let (report, exit) = match &delivered {
        Ok(done) if reporting.json => (json::success(&done.report), done.exit),
        Ok(done) => (text::success(&done.report, reporting.color()), done.exit),
        Err(Failure::Closed) => (String::new(), Failure::Closed.exit()),
        Err(failure) if reporting.json => (json::failure(failure), failure.exit()),
        Err(failure) => (text::failure(failure, reporting.color()), failure.exit()),
    };
    tell(&report, exit)
}

/// Tells of a panic, and ends the program as a bug.
pub(crate) fn bug(panic: &PanicHookInfo<'_>) {
    let report = format!("this is a bug in baton-patch: {panic}\n");
    process::exit(tell(&text::lines(&report), Exit::Bug) as i32)
}

/// Prints what was asked for with `--help` or `--version`.
pub(crate) fn print(text: &str) -> Exit {
    let reporting = Reporting::default();
    finish(Ok(Done::shown(text.to_owned())), reporting)
}

/// Tells of a command line that is not understood.
pub(crate) fn usage(text: &str, json: bool) -> Exit {
    let report = if json { json::failure(&Failure::Usage(text.to_owned())) } else { text::lines(text) };
    tell(&report, Exit::Usage)
}

fn tell(report: &str, exit: Exit) -> Exit {
    if report.is_empty() || io::stderr().lock().write_all(report.as_bytes()).is_ok() { exit } else { exit.max_access() }
}

fn deliver(done: &mut Done) -> Result<(), Failure> {
    let document = &done.document;
    let write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()> = &mut |to| document.write(to);
    let written = match &done.target {
        Target::Nowhere => Ok(None),
        Target::Stdout => print_document(document).map(|()| None),
        Target::InPlace(hold) => replace_held(hold, write),
        Target::File { path, force } => write_file(path, *force, write),
    };
    done.report.notices.extend(written.map_err(|failure| document.failure().unwrap_or(failure))?);
    done.shown.as_deref().map_or(Ok(()), print_text)
}

/// Writes the message for the agent. Where that cannot be written, that is the graver failure.
fn deliver_correction(failure: Failure) -> Failure {
    let Failure::Refused(answer) = &failure else { return failure };
    let (Some(text), Some(path)) = (&answer.correction, &answer.correction_file) else { return failure };
    let message = Document::plain(text.clone());
    let written = match Target::named(Some(path), true) {
        Target::File { path, force } => write_file(&path, force, &mut |to| message.write(to)).map(drop),
        _ => print_text(text),
    };
    written.err().unwrap_or(failure)
}

/// Answers each line of standard input with one on standard output, until there is no more.
pub(crate) fn answer_lines(answer: &mut dyn FnMut(&str) -> String) -> Result<(), Failure> {
    let mut line = String::new();
    let mut input = io::stdin().lock();
    loop {
        line.clear();
        let read = input.read_line(&mut line);
        match read.map_err(|error| Failure::read(Path::new("standard input"), &error))? {
            0 => return Ok(()),
            _ => print_text(&format!("{}\n", answer(line.trim_end_matches(['\n', '\r']))))?,
        }
    }
}

fn print_document(document: &Document) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = if document.is_json && out.is_terminal() {
        document.write_shown(&mut out, terminal::escape_json)
    } else {
        document.write(&mut out)
    };
    to_stdout(written.and_then(|()| out.flush()))
}

fn print_text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    to_stdout(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn to_stdout(written: io::Result<()>) -> Result<(), Failure> {
    written.map_err(|error| Failure::write(Path::new("standard output"), &error))
}
