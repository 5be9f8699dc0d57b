use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::{BoardId, Draft, Entry, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::store::{Batch, Expected, Saved, Store as _};

use super::*;
use crate::schema;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("relay-baton-open-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A file that was made with SQLite by these statements.
    fn database(&self, name: &str, statements: &str) -> PathBuf {
        Connection::open(self.at(name)).unwrap().execute_batch(statements).unwrap();
        self.at(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn board() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

fn first() -> Record {
    let draft = Draft {
        reference: Reference::from_random([1; 10]),
        kind: id("fact"),
        key: id("sky"),
        author: id("scout"),
        step: None,
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::integer(1),
        derived_from: Vec::new(),
        idempotency_key: Some(id("once")),
        declassified: false,
    };
    draft.place(&board(), None).seal()
}

fn refusal(path: &Path, mode: Mode) -> Fault {
    let fault = Sqlite::open(path, mode).unwrap_err();
    let detail = &fault.detail;
    assert!(!detail.contains('/') || detail.contains("`-wal`"), "a path in {detail}");
    assert!(!detail.ends_with('.') && !detail.contains('\n') && !detail.contains("secret"), "{detail}");
    fault
}

#[test]
fn the_sqlite_inside_does_not_damage_logs_that_two_processes_write() {
    // Mended in 3.51.3.
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}

#[test]
fn a_new_file_and_all_beside_it_are_their_owners_alone() {
    let folder = Folder::new();
    let mut store = Sqlite::open(&folder.at("board.db"), Mode::Create).unwrap();
    store.append(&board(), &Expected::Empty, &Batch { records: vec![first()], ..Batch::default() }).unwrap();
    assert_eq!(folder.names(), ["board.db", "board.db-lock", "board.db-shm", "board.db-wal"]);
    #[cfg(unix)]
    for name in folder.names() {
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(folder.at(&name)).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_writer_has_what_keeps_entries_safe() {
    let folder = Folder::new();
    let path = folder.at("board.db");
    drop(Sqlite::open(&path, Mode::Create).unwrap());
    for mode in [Mode::Create, Mode::Existing] {
        let store = Sqlite::open(&path, mode).unwrap();
        let number = |pragma: &str| store.connection.query_row(pragma, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(number("PRAGMA synchronous"), 2, "FULL");
        assert_eq!(number("PRAGMA trusted_schema"), 0);
        assert_eq!(number("PRAGMA wal_autocheckpoint"), i64::from(LOG_PAGES));
        let journal: String = store.connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(journal, "wal");
    }
}

#[test]
fn only_create_makes_a_file() {
    let folder = Folder::new();
    for mode in [Mode::Existing, Mode::ReadOnly] {
        assert_eq!(refusal(&folder.at("board.db"), mode).code, Code::StoreUnavailable);
        assert!(folder.names().is_empty(), "{mode:?}");
    }
    let nowhere = folder.at("no/board.db");
    assert_eq!(refusal(&nowhere, Mode::Create).code, Code::StoreUnavailable);
}

#[test]
fn a_reader_reads_and_writes_nothing() {
    let folder = Folder::new();
    let path = folder.at("board.db");
    let batch = Batch { records: vec![first()], ..Batch::default() };
    Sqlite::open(&path, Mode::Create).unwrap().append(&board(), &Expected::Empty, &batch).unwrap();
    let mut reader = Sqlite::open(&path, Mode::ReadOnly).unwrap();
    assert_eq!(reader.page(&board(), 0, 9), Ok(vec![first()]));
    let next = Batch::default();
    let answer = reader.append(&board(), &Expected::Head(first().head()), &next);
    assert!(matches!(answer, Err(relay_baton::store::AppendError::Fault(fault)) if fault.code == Code::StoreReadOnly));
}

#[test]
fn a_copy_without_its_log_says_so() {
    let folder = Folder::new();
    let path = folder.at("board.db");
    let batch = Batch { records: vec![first()], ..Batch::default() };
    Sqlite::open(&path, Mode::Create).unwrap().append(&board(), &Expected::Empty, &batch).unwrap();
    fs::copy(&path, folder.at("copy.db")).unwrap();
    let fault = refusal(&folder.at("copy.db"), Mode::ReadOnly);
    assert_eq!(fault.code, Code::StoreReadOnly);
    assert!(fault.detail.contains("`copy.db-wal`") && fault.detail.contains("left behind"), "{}", fault.detail);
    fs::copy(folder.at("board.db-wal"), folder.at("copy.db-wal")).unwrap();
    assert_eq!(Sqlite::open(&folder.at("copy.db"), Mode::ReadOnly).unwrap().page(&board(), 0, 9), Ok(vec![first()]));
}

#[test]
fn its_boards_are_listed() {
    let folder = Folder::new();
    let mut store = Sqlite::open(&folder.at("board.db"), Mode::Create).unwrap();
    assert_eq!(store.boards(9), Ok(Vec::new()));
    let batch = Batch { records: vec![first()], ..Batch::default() };
    store.append(&board(), &Expected::Empty, &batch).unwrap();
    assert_eq!(store.boards(9), Ok(vec![board()]));
    let other = BoardId { task: id("other"), ..board() };
    let saved = Saved { slot: id("baton"), number: 1, bytes: "b".to_owned() };
    store.append(&other, &Expected::Empty, &Batch { saves: vec![saved], ..Batch::default() }).unwrap();
    assert_eq!((store.boards(9), store.boards(1)), (Ok(vec![board(), other]), Ok(vec![board()])));
}

#[test]
fn an_empty_file_is_a_new_one() {
    let folder = Folder::new();
    fs::write(folder.at("board.db"), "").unwrap();
    assert_eq!(refusal(&folder.at("board.db"), Mode::ReadOnly).code, Code::StoreReadOnly);
    let mut store = Sqlite::open(&folder.at("board.db"), Mode::Existing).unwrap();
    assert_eq!(store.head(&board()), Ok(None));
}

#[test]
fn other_files_are_left_alone() {
    let folder = Folder::new();
    let text = folder.at("notes.txt");
    fs::write(&text, "secret notes\n".repeat(1_000)).unwrap();
    let other = folder.database("other.db", "CREATE TABLE secret (x); INSERT INTO secret VALUES (1)");
    let marked = folder.database("marked.db", "PRAGMA application_id = 7");
    for path in [text, other, marked] {
        let before = fs::read(&path).unwrap();
        for mode in [Mode::Create, Mode::Existing, Mode::ReadOnly] {
            assert_eq!(refusal(&path, mode).code, Code::StoreForeign, "{}", path.display());
        }
        assert_eq!(fs::read(&path).unwrap(), before, "{}", path.display());
    }
    assert_eq!(refusal(&folder.0, Mode::Create).code, Code::StoreForeign);
    assert_eq!(refusal(&folder.at("notes.txt/board.db"), Mode::Create).code, Code::StoreForeign);
}

#[test]
fn a_file_with_more_than_our_tables_is_foreign() {
    let more = [
        "CREATE TABLE more (x)",
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "CREATE INDEX more ON entry (length(bytes))",
        "DROP TABLE saved; CREATE VIEW saved AS SELECT 1 AS board, 'x' AS slot, 1 AS number, 'x' AS bytes",
        "DROP INDEX entry_reference",
        "ALTER TABLE entry ADD COLUMN more TEXT",
    ];
    for more in more {
        let folder = Folder::new();
        drop(Sqlite::open(&folder.at("board.db"), Mode::Create).unwrap());
        let path = folder.database("board.db", more);
        for mode in [Mode::Create, Mode::ReadOnly] {
            assert_eq!(refusal(&path, mode).code, Code::StoreForeign, "{more}");
        }
    }
}

#[test]
fn what_sqlite_itself_adds_is_not_foreign() {
    let folder = Folder::new();
    drop(Sqlite::open(&folder.at("board.db"), Mode::Create).unwrap());
    let path = folder.database("board.db", "ANALYZE; VACUUM");
    assert!(Sqlite::open(&path, Mode::Existing).is_ok());
}

#[test]
fn a_newer_file_is_left_alone() {
    let folder = Folder::new();
    drop(Sqlite::open(&folder.at("board.db"), Mode::Create).unwrap());
    let path = folder.database("board.db", "PRAGMA user_version = 3; CREATE TABLE later (x)");
    for mode in [Mode::Create, Mode::ReadOnly] {
        let fault = refusal(&path, mode);
        assert_eq!((fault.code, fault.detail.contains("version 3")), (Code::StoreNewer, true));
    }
}

/// A file of the version before documents were saved, with one entry.
fn older(folder: &Folder) -> PathBuf {
    let path = folder.at("board.db");
    let mut connection = Connection::open(&path).unwrap();
    schema::make(&mut connection, 1);
    let record = first();
    connection.execute("INSERT INTO board VALUES (5, 'acme', 'login')", []).unwrap();
    let row = rusqlite::params![
        5_i64 << 40 | 1,
        record.reference.as_str(),
        "fact",
        "sky",
        "scout",
        "once",
        crate::row::digest_bytes(&record.digest).unwrap(),
        record.bytes
    ];
    connection.execute("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", row).unwrap();
    path
}

#[test]
fn an_older_file_is_renewed_with_all_that_is_in_it() {
    let folder = Folder::new();
    let path = older(&folder);
    assert_eq!(refusal(&path, Mode::ReadOnly).code, Code::StoreReadOnly);
    let mut store = Sqlite::open(&path, Mode::Existing).unwrap();
    assert_eq!(store.page(&board(), 0, 9), Ok(vec![first()]));
    let document = Saved { slot: id("baton"), number: 1, bytes: "b".to_owned() };
    let batch = Batch { saves: vec![document.clone()], ..Batch::default() };
    store.append(&board(), &Expected::Head(first().head()), &batch).unwrap();
    drop(store);
    let mut again = Sqlite::open(&path, Mode::ReadOnly).unwrap();
    assert_eq!(again.load(&board(), &id("baton"), 1), Ok(Some(document)));
    assert_eq!(look(&again.connection), Ok(Found::Ready));
}

#[test]
fn an_older_file_that_cannot_be_renewed_stays_what_it_is() {
    let folder = Folder::new();
    let path = older(&folder);
    let mut connection = connect(&Place::find(&path).unwrap().address(""), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    connection.pragma_update(None, "max_page_count", 1).unwrap();
    assert_eq!(renew(&mut connection).unwrap_err().code, Code::StoreFull);
    assert_eq!(look(&connection), Ok(Found::Older(1)));
    drop(connection);
    assert!(Sqlite::open(&path, Mode::Existing).is_ok());
}

#[cfg(unix)]
#[test]
fn a_file_has_one_queue_and_one_log_by_whatever_name() {
    let folder = Folder::new();
    let path = folder.at("board.db");
    drop(Sqlite::open(&path, Mode::Create).unwrap());
    std::os::unix::fs::symlink(&path, folder.at("link.db")).unwrap();
    let mut store = Sqlite::open(&folder.at("link.db"), Mode::Existing).unwrap();
    store.append(&board(), &Expected::Empty, &Batch { records: vec![first()], ..Batch::default() }).unwrap();
    assert!(!folder.names().iter().any(|name| name.starts_with("link.db-")), "{:?}", folder.names());
    std::os::unix::fs::symlink(folder.at("gone.db"), folder.at("broken.db")).unwrap();
    assert_eq!(refusal(&folder.at("broken.db"), Mode::Create).code, Code::StoreUnavailable);
    fs::hard_link(&path, folder.at("twin.db")).unwrap();
    assert_eq!(refusal(&folder.at("twin.db"), Mode::Existing).code, Code::StoreDenied);
}

#[test]
fn no_character_in_a_name_is_taken_for_something_else() {
    let folder = Folder::new();
    for name in ["a b.db", "a?mode=memory&x.db", "a#b.db", "a%41.db", "\u{e9}.db", "file:x.db", ":memory:"] {
        let mut store = Sqlite::open(&folder.at(name), Mode::Create).unwrap();
        store.append(&board(), &Expected::Empty, &Batch { records: vec![first()], ..Batch::default() }).unwrap();
        drop(store);
        assert!(folder.at(name).is_file(), "{name}");
        assert_eq!(Sqlite::open(&folder.at(name), Mode::ReadOnly).unwrap().head(&board()), Ok(Some(first().head())));
    }
    assert_eq!(folder.names().len(), 7 * 4, "{:?}", folder.names());
}

/// A pipeline starts a process for each step: each opens the file, appends once, and goes.
#[test]
fn a_log_does_not_grow_from_process_to_process() {
    let folder = Folder::new();
    let path = folder.at("x.board");
    let (mut head, mut longest) = (None, 0);
    for number in 1..=200_u64 {
        let mut store = Sqlite::open(&path, Mode::Create).unwrap();
        let mut random = [0; 10];
        random[..8].copy_from_slice(&number.to_be_bytes());
        let draft = Draft {
            reference: Reference::from_random(random),
            idempotency_key: None,
            ..Entry::read(&first()).unwrap().draft
        };
        let record = draft.place(&board(), head.as_ref()).seal();
        let next = Some(record.head());
        let batch = Batch { records: vec![record], ..Batch::default() };
        store.append(&board(), &Expected::of(head.take()), &batch).unwrap();
        head = next;
        drop(store);
        longest = longest.max(fs::metadata(folder.at("x.board-wal")).unwrap().len());
    }
    // One append more may come after the last that was short enough.
    assert!(longest <= LOG_BYTES_LEFT + 16 * 4120, "{longest}");
    let mut store = Sqlite::open(&path, Mode::ReadOnly).unwrap();
    assert_eq!(store.head(&board()).unwrap(), head);
    assert_eq!(store.page(&board(), 0, 1000).unwrap().len(), 200);
}
