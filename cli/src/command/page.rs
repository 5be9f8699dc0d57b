//! `log --html`: the whole log as one page.

use relay_baton::board::Revision;
use relay_baton::entry::Head;
use relay_baton::json::Value;

use crate::args::LogArgs;
use crate::command::board;
use crate::command::log::PAGE;
use crate::done::{Broken, Document, Done, Emit};
use crate::failure::Failure;
use crate::page::Page;
use crate::place::{Access, Opened, Target};

/// Writes the page, up to the entry that is the last now.
pub(super) fn run(args: &LogArgs) -> Result<Done, Failure> {
    let mut opened = board::open(&args.board, Access::Read)?;
    let head = opened.head()?;
    let first = opened.board.first().map_err(|refused| opened.refuse(refused))?;
    let newest = opened.board.newest().map_err(|refused| opened.refuse(refused))?;
    let target = Target::named(args.output.as_deref(), true);
    let facts = vec![("head", Value::string(head.to_string()))];
    let told = Told { head, first, newest };
    let mut done = Done::with(Document::stream(move |emit: Emit<'_>| write(&mut opened, &told, emit)), target);
    done.report.facts = facts;
    Ok(done)
}

/// What the page begins with.
struct Told {
    head: Head,
    first: Option<Revision>,
    newest: Option<Revision>,
}

fn write(opened: &mut Opened, told: &Told, emit: Emit<'_>) -> Result<(), Broken> {
    let newest = told.newest.as_ref().map(|newest| &newest.baton);
    let (mut page, opening) = Page::open(opened.board.id(), Some(&told.head), told.first.clone(), newest);
    emit(&opening)?;
    let (mut after, last) = (0, told.head.seq);
    while after < last {
        let entries = opened.page(after, last, PAGE)?;
        let Some(newest) = entries.last() else { return Err(opened.lost(after + 1).into()) };
        after = newest.record.seq;
        for kept in &entries {
            emit(&page.entry(kept).map_err(|refused| opened.refuse(refused))?)?;
        }
    }
    Ok(emit(&Page::close())?)
}
