//! `checkout`: the baton at any revision.

use relay_baton::board::Revision;

use crate::args::CheckoutArgs;
use crate::command::show::{Wanted, wanted};
use crate::command::{board, open, revised};
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Access, Hold, Opened, Target, open_board};

/// Prints it as a reading of its entry.
pub(super) fn run(args: &CheckoutArgs) -> Result<Done, Failure> {
    let wanted = wanted(&args.revision)?;
    let named = board::named_board(&args.board)?;
    let id = named.id.clone();
    let mut opened = open_board(&named.location, named.id, Access::Read)?;
    // The lock first, so that nobody records a newer revision between our reading of the board and our writing.
    let target = if args.in_place { in_place(args, &id)? } else { Target::named(args.output.as_deref(), true) };
    let revision = revision(&mut opened, wanted)?;
    let reading = revision.reading();
    let mut done = Done::with(Document::json(reading.to_json()), target);
    done.report.facts = revised(&reading, &[]);
    Ok(done)
}

/// The baton of the board at a revision.
pub(super) fn revision(opened: &mut Opened, wanted: Wanted) -> Result<Revision, Failure> {
    match wanted {
        Wanted::Newest => opened.newest(),
        Wanted::Number(number) => opened.board.checkout(number).map_err(|refused| opened.refuse(refused)),
    }
}

/// The baton's file, under a lock if it is there. One of another task is not overwritten.
fn in_place(args: &CheckoutArgs, id: &relay_baton::entry::BoardId) -> Result<Target, Failure> {
    let path = board::baton_path(&args.board);
    if !path.exists() {
        return Ok(Target::File { path, force: false });
    }
    let mut hold = Hold::take(&path)?;
    let input = hold.read(&board::limits())?;
    let baton = open::baton(&input, &board::limits())?;
    let own = board::id_of(&baton, &path)?;
    if own != *id {
        return Err(board::foreign(&own, id, &path));
    }
    Ok(Target::InPlace(Box::new(hold)))
}
