//! A file that fell behind its board: the board was written, and then the program was stopped before the file was.
//!
//! Only the file that the board stands beside is healed. Other copies of the baton are branches, and are meant to stay.

use std::path::Path;

use relay_baton::baton::Baton;
use relay_baton::board::{Standing, head_of};
use relay_baton::json::Limits;
use relay_baton::refusal::{Code, Notice};

use crate::command::board::id_of;
use crate::command::open;
use crate::command::recorded::{about_file, beside};
use crate::failure::{Answer, Failure};
use crate::place::{Access, Hold, Input, Opened, Source, open_board, replace_held};

/// A baton as its board has it.
pub(super) struct Current {
    pub(super) input: Input,
    pub(super) baton: Baton<'static>,
    /// What was done to the file.
    pub(super) notice: Option<Notice>,
}

/// Reads the baton in the file at `path`; where a board stands beside it, as that has it, and brings the file up to date.
pub(super) fn baton_at(path: &Path, limits: &Limits) -> Result<Current, Failure> {
    let (input, baton) = open::baton_at(path, limits)?;
    let source = Source::from(path);
    let (Some(_), Some(location)) = (head_of(&baton), beside(&source)?) else {
        return Ok(Current { input, baton, notice: None });
    };
    let mut opened = open_board(&location, id_of(&baton, path)?, Access::Read)?;
    match opened.board.standing(&baton) {
        Ok(Standing::Older { .. }) => heal(&mut opened, &source, limits),
        Ok(_) => Ok(Current { input, baton, notice: None }),
        Err(refused) => Err(about_file(refused, &source, &opened)),
    }
}

/// Replaces the file by the board's newest reading, unless somebody else has done so by now.
fn heal(opened: &mut Opened, source: &Source, limits: &Limits) -> Result<Current, Failure> {
    let path = source.path();
    let mut hold = Hold::take(path)?;
    let input = hold.read(limits)?;
    let baton = open::baton(&input, limits)?;
    let standing = opened.board.standing(&baton).map_err(|refused| about_file(refused, source, opened))?;
    let Standing::Older { newest } = standing else { return Ok(Current { input, baton, notice: None }) };
    let found = baton.revision();
    let reading = opened.board.newest().map_err(|refused| opened.refuse(refused))?;
    let Some(reading) = reading else {
        let detail = "the board held a baton a moment ago, and holds none now";
        return Err(Answer::about(path, Code::BoardCut, detail).into());
    };
    let text: &'static str = reading.reading().to_json().leak();
    replace_held(&hold, &mut |to| to.write_all(text.as_bytes()))?;
    let detail = format!("the file was at revision {found}, the board is at {newest}: the file was brought up to date");
    let notice = Some(Notice::new("board.healed", "/stamp/revision", detail));
    let input = Input { name: input.name, text };
    let baton = open::baton(&input, limits)?;
    Ok(Current { input, baton, notice })
}
