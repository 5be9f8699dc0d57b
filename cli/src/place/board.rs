//! Boards: where they are kept, and how they are opened.
//!
//! The address of a server may hold a password, so it is shown nowhere: such a board is called `postgres board`.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use relay_baton::board::{Board, Revision};
use relay_baton::entry::{BoardId, Head, Kept};
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::store::{Fault, Store};
use relay_baton_postgres::Postgres;
use relay_baton_sqlite::{Mode, Sqlite};

use crate::failure::{Answer, Failure, named};
use crate::place::target::end_of_links;

/// The extension of the file beside a baton.
const EXTENSION: &str = "board";

/// Where boards are kept.
pub(crate) enum Location {
    /// An SQLite file.
    File(PathBuf),
    /// A PostgreSQL server, by its address.
    Postgres(String),
}

/// What is to be done with a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading makes no file, nor changes one.
    Read,
    /// Appending to what is there.
    Append,
    /// Appending, and making the place first where there is none.
    Create,
}

impl Access {
    /// The same, without making a place.
    pub(crate) fn without_making(self) -> Self {
        if self == Self::Create { Self::Append } else { self }
    }
}

/// A board, and what it is called in messages.
pub(crate) struct Opened {
    /// Whether it is on a server, whose address is not shown.
    pub(crate) is_server: bool,
    pub(crate) board: Board<Box<dyn Store>>,
    pub(crate) name: String,
}

impl Location {
    /// The place that `text` names. What is not understood is not repeated, since it may hold a password.
    pub(crate) fn parse(text: &OsStr) -> Result<Self, Failure> {
        let Some(text) = text.to_str() else { return Ok(Self::File(PathBuf::from(text))) };
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite:").unwrap_or(text);
        if path.is_empty() || looks_like_an_address(path) {
            return Err(Failure::Usage(NOT_UNDERSTOOD.to_owned()));
        }
        Ok(Self::File(PathBuf::from(path)))
    }

    /// The file beside the baton at `path`, once symbolic links to the baton are followed.
    pub(crate) fn beside(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Err(Failure::Usage(
                "a baton from standard input has no board beside it: name one with --board".to_owned(),
            ));
        }
        let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        let baton =
            if is_link { fs::canonicalize(path).unwrap_or_else(|_| end_of_links(path)) } else { path.to_owned() };
        let extension = baton.extension().and_then(OsStr::to_str).unwrap_or_default();
        let board = match extension {
            "" | "json" | EXTENSION => baton.with_extension(EXTENSION),
            // A copy such as `baton.before` is not the file that the board stands beside.
            other => baton.with_extension(format!("{other}.{EXTENSION}")),
        };
        if board == baton {
            let wrong = "the baton's own name ends in .board: name its board with --board";
            return Err(Failure::Usage(wrong.to_owned()));
        }
        Ok(Self::File(board))
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => named(path),
            Self::Postgres(_) => "postgres board".to_owned(),
        }
    }

    /// Whether nothing is there yet.
    pub(crate) fn is_absent(&self) -> bool {
        let Self::File(path) = self else { return false };
        fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}

const NOT_UNDERSTOOD: &str =
    "--board (or the variable BATON_BOARD) takes the path of a file, sqlite:FILE, or postgres://USER@HOST/DATABASE";

/// Whether it is more likely an address, whole or mangled, than the path of a file.
fn looks_like_an_address(text: &str) -> bool {
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let has_scheme =
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let has_password = text.split_once(':').is_some_and(|(_, rest)| rest.contains('@'));
    let lower = text.to_ascii_lowercase();
    has_scheme
        || has_password
        || text.contains("://")
        || (text.starts_with("//") && !text.starts_with("///"))
        || lower.contains("password=")
}

/// Opens the board `id` at `location`.
pub(crate) fn open(location: &Location, id: BoardId, access: Access) -> Result<Opened, Failure> {
    let name = location.name();
    let refuse = |code, detail: &str| refused_by(&name, Refusal::new(code, "", detail));
    if access != Access::Create && location.is_absent() {
        return Err(refuse(
            Code::BoardMissing,
            "there is no such file: name the board with --board, or make it with `init`",
        ));
    }
    let store = store(location, access).map_err(|fault| refused_by(&name, Refusal::from(fault)))?;
    let is_server = matches!(location, Location::Postgres(_));
    Ok(Opened { is_server, board: Board::new(store, id), name })
}

fn store(location: &Location, access: Access) -> Result<Box<dyn Store>, Fault> {
    Ok(match location {
        Location::File(path) => Box::new(Sqlite::open(path, mode(access))?),
        Location::Postgres(address) => {
            let password = env::var("PGPASSWORD").ok();
            Box::new(match (access, &password) {
                (Access::Read | Access::Append, _) => Postgres::connect_to_existing(address, password.as_deref())?,
                (Access::Create, Some(password)) => Postgres::connect_with_password(address, password)?,
                (Access::Create, None) => Postgres::connect(address)?,
            })
        }
    })
}

/// Looks into the file at `location` for what no reading of entries in their order finds; a server sees to that itself.
pub(crate) fn check_file(location: &Location) -> Result<(), Failure> {
    let Location::File(path) = location else { return Ok(()) };
    let checked = Sqlite::open(path, Mode::ReadOnly).and_then(|mut store| store.check());
    checked.map_err(|fault| refused_by(&location.name(), Refusal::from(fault)))
}

/// The boards in the file at `location`, at most `count_max`; none where there is no file.
pub(crate) fn boards_of(location: &Location, count_max: usize) -> Result<Vec<BoardId>, Failure> {
    let Location::File(path) = location else { return Ok(Vec::new()) };
    if location.is_absent() {
        return Ok(Vec::new());
    }
    let listed = Sqlite::open(path, Mode::ReadOnly).and_then(|mut store| store.boards(count_max));
    listed.map_err(|fault| refused_by(&location.name(), Refusal::from(fault)))
}

fn mode(access: Access) -> Mode {
    match access {
        Access::Read => Mode::ReadOnly,
        Access::Append => Mode::Existing,
        Access::Create => Mode::Create,
    }
}

impl Opened {
    /// Refusals of this board.
    pub(crate) fn refuse(&self, refusal: impl Into<Refused>) -> Failure {
        refused_by(&self.name, refusal)
    }

    /// Its last entry.
    pub(crate) fn head(&mut self) -> Result<Head, Failure> {
        let head = self.board.head().map_err(|refused| self.refuse(refused))?;
        head.ok_or_else(|| {
            let none = format!("the board has no entry of {}", self.board.id());
            self.refuse(Refusal::new(Code::BoardMissing, "", none))
        })
    }

    /// The newest baton.
    pub(crate) fn newest(&mut self) -> Result<Revision, Failure> {
        let newest = self.board.newest().map_err(|refused| self.refuse(refused))?;
        newest.ok_or_else(|| {
            let none = format!("the board has no baton of {}: make it with `init`", self.board.id());
            self.refuse(Refusal::new(Code::BoardMissing, "", none))
        })
    }

    /// The entries after `after` and up to `last`, at most `count_max`.
    pub(crate) fn page(&mut self, after: u64, last: u64, count_max: usize) -> Result<Vec<Kept>, Failure> {
        let left = usize::try_from(last.saturating_sub(after)).unwrap_or(usize::MAX);
        self.board.page(after, count_max.min(left)).map_err(|refused| self.refuse(refused))
    }

    /// An entry that the head says is there and that is not.
    pub(crate) fn lost(&self, seq: u64) -> Failure {
        let detail = format!("the board has lost entry {seq}");
        self.refuse(Refusal::new(Code::BoardBroken, "", detail))
    }
}

/// Refusals of the board `name`.
pub(crate) fn refused_by(name: &str, refusal: impl Into<Refused>) -> Failure {
    let mut answer = Answer::new(refusal);
    answer.file = Some(name.to_owned());
    answer.into()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::Location;
    use crate::failure::Failure;

    fn parse(text: &str) -> Result<String, String> {
        match Location::parse(OsStr::new(text)) {
            Ok(location) => Ok(location.name()),
            Err(Failure::Usage(text)) => Err(text),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_board_is_a_file_or_a_server() {
        for (text, name) in [
            ("x.board", "x.board"),
            ("sqlite:x.board", "x.board"),
            ("sqlite:/a/b", "/a/b"),
            ("./a:b", "./a:b"),
            ("c:\\x.board", "c:\\x.board"),
            ("postgres://u:secret@h/d", "postgres board"),
            ("postgresql://u:secret@h/d?x=y", "postgres board"),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(name), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_not_repeated() {
        for text in [
            "",
            "sqlite:",
            "mysql://u:secret@h/d",
            "Postgres://u:secret@h/d",
            " postgres://u:secret@h/d",
            "postgres:u:secret@h",
            "sqlite:postgres://u:secret@h",
            "sqlite://secret.board",
            "u:secret@h/d",
            "//u:secret@h/d",
            "host=h password=secret",
        ] {
            let told = parse(text).unwrap_err();
            assert!(!told.contains("secret") && told.contains("--board"), "{text}: {told}");
        }
    }

    #[test]
    fn the_board_stands_beside_the_baton() {
        for (baton, board) in [
            ("baton.json", "baton.board"),
            ("a/b.c.json", "a/b.c.board"),
            ("baton", "baton.board"),
            ("baton.old", "baton.old.board"),
        ] {
            assert_eq!(Location::beside(Path::new(baton)).unwrap().name(), board);
        }
        assert!(matches!(Location::beside(Path::new("x.board")), Err(Failure::Usage(_))));
        assert!(matches!(Location::beside(Path::new("-")), Err(Failure::Usage(_))));
    }
}
