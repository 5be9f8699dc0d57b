//! `export`: every entry of a board, one JSON object a line, each with its digest.

use relay_baton::driver;
use relay_baton::engine::Status;
use relay_baton::json::Value;
use relay_baton::refusal::Notice;

use crate::args::ExportArgs;
use crate::command::log::PAGE;
use crate::command::{board, entries};
use crate::done::{Broken, Document, Done, Emit};
use crate::failure::Failure;
use crate::output::Progress;
use crate::place::{Access, Opened, Target};

/// Prints them, up to the one that is the last now.
pub(super) fn run(args: &ExportArgs) -> Result<Done, Failure> {
    let mut opened = board::open(&args.board, Access::Read)?;
    let head = opened.head()?;
    let under_way = is_under_way(&mut opened);
    let target = Target::named(args.output.as_deref(), true);
    let (name, last) = (opened.name.clone(), head.seq);
    let to_stdout = matches!(target, Target::Stdout);
    let make = move |emit: Emit<'_>| write(&mut opened, last, to_stdout, emit);
    let mut done = Done::with(Document::json_stream(make), target);
    done.report.summary = (!to_stdout).then(|| format!("{name}: {}, head {head}", entries(last)));
    done.report.facts = vec![("entries", Value::integer(last)), ("head", Value::string(head.to_string()))];
    if under_way {
        let detail =
            "a task is under way on this board, and what is saved of it is not exported: an import cannot resume it";
        done.report.notices.push(Notice::new("export.run_left_out", "", detail));
    }
    Ok(done)
}

/// Whether a task could be resumed here.
fn is_under_way(opened: &mut Opened) -> bool {
    let engine = driver::load(&mut opened.board).ok().flatten();
    engine.is_some_and(|engine| !matches!(engine.status(), Status::Over(_)) && !engine.is_idle())
}

fn write(opened: &mut Opened, last: u64, to_stdout: bool, emit: Emit<'_>) -> Result<(), Broken> {
    let mut progress = Progress::new("exporting", Some(last), to_stdout);
    let mut after = 0;
    while after < last {
        let page = opened.page(after, last, PAGE)?;
        let Some(newest) = page.last() else { return Err(opened.lost(after + 1).into()) };
        let newest = newest.record.seq;
        for kept in &page {
            if kept.record.seq != after + 1 {
                return Err(opened.lost(after + 1).into());
            }
            after = kept.record.seq;
            emit(&kept.record.to_line())?;
            emit("\n")?;
        }
        progress.at(newest);
    }
    Ok(())
}
