//! Folders and files that cannot be written, seen by somebody who is not the administrator.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::{env, io};

use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Store as _};
use relay_baton_sqlite::{Mode, Sqlite};

use crate::folder::Folder;
use crate::writer::{board, record};

/// Nobody.
const NOBODY: u32 = 65_534;

/// A board with two entries; the log is written back into the file if it is to be `alone`.
fn board_file(alone: bool) -> Folder {
    let folder = Folder::new();
    let mut store = folder.store(Mode::Create);
    let first = record(1, 1, None);
    let second = record(1, 2, Some(&first.head()));
    let batch = Batch { records: vec![first, second], ..Batch::default() };
    store.append(&board(), &Expected::Empty, &batch).unwrap();
    drop(store);
    if alone {
        // As another program leaves it, which closes the last connection.
        rusqlite::Connection::open(folder.board()).unwrap().execute_batch("PRAGMA user_version").unwrap();
        assert!(!folder.at("board.db-wal").exists(), "the log is gone");
    }
    folder
}

/// Gives the folder and all in it to nobody, with these modes.
fn hand_over(folder: &Folder, folder_mode: u32, file_mode: u32) {
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        fs::set_permissions(&path, Permissions::from_mode(file_mode)).unwrap();
        give(&path);
    }
    fs::set_permissions(folder.path(), Permissions::from_mode(folder_mode)).unwrap();
    give(folder.path());
}

fn give(path: &Path) {
    let given = chown(path, Some(NOBODY), Some(NOBODY));
    assert!(given.is_ok() || given.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied));
}

/// What somebody without rights is answered: by reading, and by writing.
fn seen(folder: &Folder) -> (String, String) {
    let said = Folder::new();
    fs::set_permissions(said.path(), Permissions::from_mode(0o777)).unwrap();
    // The program has to be where everybody may run it.
    fs::copy(env::current_exe().unwrap(), said.at("program")).unwrap();
    let mut command = Command::new(said.at("program"));
    command.args(["rights::look", "--exact", "--ignored", "--quiet"]);
    command.env("LOOK_BOARD", folder.board()).env("LOOK_SAID", said.at("said"));
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(said.at("said")).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    let (read, written) = text.split_once('\n').unwrap();
    (read.to_owned(), written.to_owned())
}

#[test]
#[ignore = "the process that other tests start"]
fn look() {
    let path = env::var_os("LOOK_BOARD").expect("run by other tests");
    let path = Path::new(&path);
    let read = match Sqlite::open(path, Mode::ReadOnly).and_then(|mut store| store.page(&board(), 0, 9)) {
        Ok(page) => format!("{} entries", page.len()),
        Err(fault) => fault.code.to_string(),
    };
    let written = match Sqlite::open(path, Mode::Existing) {
        Ok(mut store) => match store.head(&board()) {
            Ok(head) => {
                let next = record(2, 1, head.as_ref());
                match store.append(&board(), &Expected::of(head), &Batch { records: vec![next], ..Batch::default() }) {
                    Ok(()) => "appended".to_owned(),
                    Err(AppendError::Fault(fault)) => fault.code.to_string(),
                    Err(other) => format!("{other:?}"),
                }
            }
            Err(fault) => fault.code.to_string(),
        },
        Err(fault) => fault.code.to_string(),
    };
    fs::write(env::var_os("LOOK_SAID").unwrap(), format!("{read}\n{written}")).unwrap();
}

fn seen_as(alone: bool, folder_mode: u32, file_mode: u32) -> (String, String) {
    let folder = board_file(alone);
    hand_over(&folder, folder_mode, file_mode);
    seen(&folder)
}

fn answers(read: &str, written: Code) -> (String, String) {
    (read.to_owned(), written.to_string())
}

#[test]
fn a_board_that_one_may_write_is_written() {
    assert_eq!(seen_as(false, 0o700, 0o600), ("2 entries".to_owned(), "appended".to_owned()));
    assert_eq!(seen_as(true, 0o700, 0o600), ("2 entries".to_owned(), "appended".to_owned()));
}

#[test]
fn a_board_alone_in_a_folder_that_cannot_be_written_is_read() {
    assert_eq!(seen_as(true, 0o500, 0o400), answers("2 entries", Code::StoreReadOnly));
}

#[test]
fn a_board_whose_log_stands_beside_it_is_read_too() {
    assert_eq!(seen_as(false, 0o500, 0o400), answers("2 entries", Code::StoreReadOnly));
}

#[test]
fn a_log_without_its_index_cannot_be_read_where_nothing_can_be_made_and_that_is_told() {
    let folder = board_file(false);
    fs::remove_file(folder.at("board.db-shm")).unwrap();
    hand_over(&folder, 0o500, 0o400);
    assert_eq!(seen(&folder), answers("store.read_only", Code::StoreReadOnly));
}

#[test]
fn a_board_that_one_may_not_read_is_denied() {
    if rustix::process::geteuid().is_root() {
        let folder = board_file(true);
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        assert_eq!(seen(&folder), answers("store.denied", Code::StoreDenied));
    } else {
        assert_eq!(seen_as(true, 0o700, 0o000), answers("store.denied", Code::StoreDenied));
    }
}
