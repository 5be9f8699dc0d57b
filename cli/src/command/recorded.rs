//! `apply` at a board: the board first, then the file.

use std::path::Path;

use relay_baton::baton::{Baton, Id};
use relay_baton::board::{Recorded, Recording, Standing, head_of};
use relay_baton::count::TokenCounter;
use relay_baton::entry::{Readers, Reference};
use relay_baton::json::Value;
use relay_baton::refusal::{Class, Code, Notice, Refusal, Refused};
use relay_baton::relay::{Applied, Relay};

use crate::args::{ApplyArgs, BoardPlaceArgs};
use crate::command::board::id_of;
use crate::failure::{Answer, Failure, named};
use crate::place::{Access, Location, Opened, Source, open_board};
use crate::settings;

/// What came of an answer, with a board or without.
pub(super) struct Came<'a> {
    pub(super) applied: Applied<'a>,
    /// What goes into the file in place of the document, where that is older than the board.
    pub(super) newest: Option<String>,
    /// Members of the JSON report.
    pub(super) facts: Vec<(&'static str, Value<'static>)>,
    /// What to tell where the document cannot be delivered.
    pub(super) stands: Option<String>,
}

impl<'a> From<Applied<'a>> for Came<'a> {
    fn from(applied: Applied<'a>) -> Self {
        Self { applied, newest: None, facts: Vec::new(), stands: None }
    }
}

impl Came<'_> {
    /// The same, after something else.
    pub(super) fn after(mut self, notice: Notice) -> Self {
        self.applied.notices.insert(0, notice);
        self
    }
}

/// The board that the baton from `source` is of; `None` where none is kept.
pub(super) fn board_of_file(
    args: &BoardPlaceArgs,
    source: &Source,
    baton: &Baton<'_>,
    access: Access,
) -> Result<Option<Opened>, Failure> {
    if args.no_board {
        return Ok(None);
    }
    let is_reading = head_of(baton).is_some();
    let told = settings::told_board(args.board.as_deref());
    let location = match told {
        Some(text) => Location::parse(&text)?,
        None => match beside(source)? {
            Some(location) => location,
            None if is_reading => return Err(missing(source)),
            None => return Ok(None),
        },
    };
    let id = id_of(baton, source.path())?;
    // A reading of a board that is not there must not begin another.
    let access = if is_reading { access.without_making() } else { access };
    open_board(&location, id, access).map(Some)
}

/// The board beside a file, if it is there.
pub(super) fn beside(source: &Source) -> Result<Option<Location>, Failure> {
    if *source == Source::Stdin {
        return Ok(None);
    }
    match Location::beside(source.path()) {
        Ok(location) if location.is_absent() => Ok(None),
        Ok(location) => Ok(Some(location)),
        // A file whose own name is a board's has none beside it.
        Err(Failure::Usage(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

fn missing(source: &Source) -> Failure {
    let detail = "the baton is a reading of a board, and no board is beside it";
    let help = "put it back, or `import` an export of it; name one that is elsewhere with --board; begin another with \
                this baton by --begin; or go on without by --no-board";
    Answer::about(source.path(), Code::BoardMissing, detail).with_help(help).into()
}

/// Holds the file, and the base where one is given, against the board. A file whose edit is to be recorded has to be edited.
pub(super) fn stand(
    opened: &mut Opened,
    file: &Baton<'static>,
    base: Option<&Baton<'static>>,
    source: &Source,
    args: &ApplyArgs,
) -> Result<Option<Standing>, Failure> {
    if let (Some(base), Some(path)) = (base, &args.base_file) {
        let standing = opened.board.standing(base);
        standing.map_err(|refused| about_file(refused, &Source::from(path.as_path()), opened))?;
    }
    match opened.board.standing(file) {
        Err(refused) if args.edited && refused.refusals().iter().all(|found| found.code == Code::BoardEdited) => {
            Ok(None)
        }
        Err(refused) => Err(about_file(refused, source, opened)),
        Ok(_) if args.edited => {
            let detail = "the file is as the board has it: there is no edit to record";
            Err(Answer::about(source.path(), Code::PatchNone, detail).into())
        }
        Ok(standing) if args.begin && standing != Standing::New => {
            let detail = "the board holds a baton of this task: there is none to begin";
            Err(opened.refuse(Refusal::new(Code::BoardNotEmpty, "", detail)))
        }
        Ok(standing) => Ok(Some(standing)),
    }
}

/// Puts the baton of the file on a board that holds none.
pub(super) fn begin(opened: &mut Opened, file: &Baton<'static>, by: &Id, args: &ApplyArgs) -> Result<Notice, Failure> {
    let at = settings::moment(args.at.as_deref())?;
    let begun = opened.board.start(file.clone(), by, &at, &settings::reference()?);
    begun.map_err(|refused| opened.refuse(refused))?;
    Ok(Notice::new("board.begun", "", format!("the board {} begins with this baton", opened.name)))
}

/// A refusal of the file, with the way out.
pub(super) fn about_file(refused: Refused, source: &Source, opened: &Opened) -> Failure {
    if refused.refusals().iter().any(|refusal| refusal.code.class() == Class::Access) {
        return opened.refuse(refused);
    }
    let path = source.path();
    let shown = named(path);
    let board = typed_board(path, opened);
    let code = refused.refusals().first().map(|refusal| refusal.code);
    let mut answer = Answer::new(refused);
    answer.file = Some(shown.clone());
    match code {
        Some(Code::BoardEdited) => answer
            .with_help(format!(
                "record the edit with `apply -i {shown} --edited --step STEP{board}`, or drop it with `checkout newest -i \
                 --baton {shown}{board}`"
            ))
            .into(),
        Some(Code::BoardCut | Code::BoardBroken) => answer
            .with_help(format!(
                "see whether the board is sound with `verify --baton {shown}{board}`; `checkout newest -i --baton \
                 {shown}{board}` makes the file a reading of it, whatever it says now"
            ))
            .into(),
        _ => answer.into(),
    }
}

/// The option that names the board, where it is not the one beside the file.
fn typed_board(path: &Path, opened: &Opened) -> String {
    let is_beside = Location::beside(path).is_ok_and(|beside| beside.name() == opened.name);
    // The address of a server is not repeated: it may hold a password.
    if is_beside || opened.is_server { String::new() } else { format!(" --board {}", opened.name) }
}

/// What an answer is recorded with, beside the rules of the relay.
pub(super) struct How<'r> {
    pub(super) base: u64,
    /// The name that the entry gets.
    pub(super) reference: Reference,
    pub(super) args: &'r ApplyArgs,
}

/// Applies the answer and records it.
pub(super) fn record<'a>(
    opened: &mut Opened,
    relay: Relay<'_, 'a>,
    how: &How<'_>,
    answer: &'a str,
    counter: &dyn TokenCounter,
) -> Result<Came<'a>, Refused> {
    let derived_from = how.args.derived_from.iter().filter_map(|text| Reference::parse(text)).collect();
    let recording = Recording {
        relay,
        base: Some(how.base),
        derived_from,
        readers: Readers::Everyone,
        declassify: how.args.declassify,
        reference: how.reference.clone(),
        rehearse: how.args.dry_run,
    };
    opened.board.apply(&recording, answer, counter).map(|recorded| came(recorded, how.args.dry_run))
}

fn came(recorded: Recorded<'_>, rehearsed: bool) -> Came<'_> {
    let Recorded { applied, head, reference, replayed, newest } = recorded;
    if rehearsed && !replayed {
        return applied.into();
    }
    let mut facts =
        vec![("entry", Value::string(reference.as_str().to_owned())), ("head", Value::string(head.to_string()))];
    if replayed {
        facts.push(("replayed", Value::Bool(true)));
    }
    let stands = format!(
        "the board has recorded this as revision {}: the same command again writes the document",
        applied.baton.revision()
    );
    let newest = newest.map(|newest| newest.reading().to_json());
    Came { applied, newest, facts, stands: Some(stands) }
}

/// Whether refusals are the board's, and not what the agent can mend.
pub(super) fn is_of_board(refused: &Refused) -> bool {
    let own = |code: Code| {
        code.class() == Class::Access
            || matches!(code, Code::BoardBroken | Code::BoardCut | Code::BoardMissing | Code::BoardForeign)
    };
    refused.refusals().iter().any(|refusal| own(refusal.code))
}
