//! `checkout`: the baton at any revision.

use relay_baton::board::Revision;
use relay_baton::refusal::{Code, Notice};

use crate::args::CheckoutArgs;
use crate::command::board::Named;
use crate::command::show::{Wanted, wanted};
use crate::command::{board, open, revised};
use crate::done::{Document, Done};
use crate::failure::{Failure, named as file_name};
use crate::place::{Access, Hold, Opened, Target, open_board};

/// Prints it as a reading of its entry.
pub(super) fn run(args: &CheckoutArgs) -> Result<Done, Failure> {
    let wanted = wanted(&args.revision)?;
    let named = board::named_board(&args.board)?;
    let mut opened = open_board(&named.location, named.id.clone(), Access::Read)?;
    // The lock first, so that nobody records a newer revision between our reading of the board and our writing.
    let target = if args.in_place { in_place(args, &named)? } else { Target::named(args.output.as_deref(), true) };
    let revision = revision(&mut opened, wanted)?;
    let reading = revision.reading();
    let mut done = Done::with(Document::json(reading.to_json()), target);
    done.report.facts = revised(&reading, &[]);
    if args.in_place {
        done.report.notices.extend(dropped(&mut opened, &named));
        done.report.notices.extend(newer(&mut opened, &named, args, revision.number())?);
    }
    Ok(done)
}

/// What the file said that is on no board, and goes.
fn dropped(opened: &mut Opened, named: &Named) -> Option<Notice> {
    let refused = opened.board.standing(named.baton.as_ref()?).err()?;
    let edited = refused.refusals().iter().any(|found| found.code == Code::BoardEdited);
    let detail = "what was changed in the file by hand was on no board, and is gone from it";
    edited.then(|| Notice::new("board.edit_dropped", "", detail))
}

/// What becomes of a file that the board stands beside, and that was put back to an older revision.
fn newer(opened: &mut Opened, named: &Named, args: &CheckoutArgs, number: u64) -> Result<Option<Notice>, Failure> {
    let (path, newest) = (board::baton_path(&args.board), opened.newest()?.number());
    if number >= newest || !board::is_beside(&named.location, &path) {
        return Ok(None);
    }
    let detail = format!(
        "the board is still at revision {newest}, and the next command on the file brings it up to date: to go back for \
         good, record a patch, `baton-patch diff {newest} {number} | baton-patch apply -i {} - --step back`",
        file_name(&path)
    );
    Ok(Some(Notice::new("board.newer", "/stamp/revision", detail)))
}

/// The baton of the board at a revision.
pub(super) fn revision(opened: &mut Opened, wanted: Wanted) -> Result<Revision, Failure> {
    match wanted {
        Wanted::Newest => opened.newest(),
        Wanted::Number(number) => opened.board.checkout(number).map_err(|refused| opened.refuse(refused)),
    }
}

/// The baton's file, under a lock if it is there. One of another task is not overwritten, nor what is no baton unless the
/// board stands beside it.
fn in_place(args: &CheckoutArgs, named: &Named) -> Result<Target, Failure> {
    let path = board::baton_path(&args.board);
    if !path.exists() {
        return Ok(Target::File { path, force: false });
    }
    let mut hold = Hold::take(&path)?;
    let held = hold.read(&board::limits()).and_then(|input| open::baton(&input, &board::limits()));
    match held {
        Ok(baton) => {
            let own = board::id_of(&baton, &path)?;
            if own != named.id {
                return Err(board::foreign(&own, &named.id, &path));
            }
        }
        Err(failure) if board::is_lost(&failure) && board::is_beside(&named.location, &path) => {}
        Err(failure) => {
            let help = format!("replace it all the same with `checkout newest -o {}`", file_name(&path));
            return Err(board::with_help(failure, &help));
        }
    }
    Ok(Target::InPlace(Box::new(hold)))
}
