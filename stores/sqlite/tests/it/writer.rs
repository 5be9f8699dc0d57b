//! A writer in a process of its own, which can be killed: this test program, run for one test alone.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::{BoardId, Draft, Entry, Head, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::store::{AppendError, Batch, Expected, Store as _};
use relay_baton_sqlite::{Mode, Sqlite};
use rusqlite::Connection;

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn board() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

/// The entry number `number` of a writer.
pub(crate) fn record(writer: u32, number: u32, head: Option<&Head>) -> Record {
    let mut random = [0; 10];
    random[..4].copy_from_slice(&writer.to_be_bytes());
    random[4..8].copy_from_slice(&number.to_be_bytes());
    let draft = Draft {
        reference: Reference::from_random(random),
        kind: id("fact"),
        key: id("work"),
        author: id("scout"),
        step: None,
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::string(format!("{writer} {number} {}", "x".repeat(400))),
        derived_from: Vec::new(),
        idempotency_key: Some(id(&format!("{writer}-{number}"))),
        declassified: false,
    };
    draft.place(&board(), head).seal()
}

/// How a writer writes; all but the first are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Ours,
    /// Says that an entry is in before it is.
    Early,
    /// Writes the same tables with `synchronous=NORMAL`.
    Normal,
    /// Writes the same tables with `synchronous=OFF`.
    Off,
}

/// What a writer is to do.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) board: PathBuf,
    pub(crate) writer: u32,
    pub(crate) count: u32,
    pub(crate) how: How,
}

impl Job {
    pub(crate) fn new(board: &Path, writer: u32, count: u32) -> Self {
        Self { board: board.to_owned(), writer, count, how: How::Ours }
    }

    /// The file in which it says what became of its entries.
    pub(crate) fn said(&self) -> PathBuf {
        self.board.with_file_name(format!("said-{}", self.writer))
    }

    /// The words of the command that does it.
    pub(crate) fn words() -> Vec<String> {
        let program = env::current_exe().unwrap().to_string_lossy().into_owned();
        let words = [&program, "writer::work", "--exact", "--ignored", "--test-threads=1", "--quiet"];
        words.map(str::to_owned).to_vec()
    }

    /// Tells `command`, in which those words stand, what to do.
    pub(crate) fn give(&self, command: &mut Command) {
        command
            .env("WRITER_BOARD", &self.board)
            .env("WRITER_JOB", format!("{} {} {:?}", self.writer, self.count, self.how))
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
    }

    pub(crate) fn command(&self) -> Command {
        let words = Self::words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        self.give(&mut command);
        command
    }

    fn told() -> Self {
        let job = env::var("WRITER_JOB").expect("run by other tests");
        let words: Vec<&str> = job.split(' ').collect();
        let hows = [How::Ours, How::Early, How::Normal, How::Off];
        let how = hows.into_iter().find(|how| format!("{how:?}") == words[2]).unwrap();
        let board = env::var_os("WRITER_BOARD").unwrap();
        Self { board: board.into(), writer: words[0].parse().unwrap(), count: words[1].parse().unwrap(), how }
    }
}

/// What writers said of their entries, by digest.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) acknowledged: Vec<String>,
    /// With the code of the fault.
    pub(crate) refused: BTreeMap<String, String>,
    pub(crate) longest: Duration,
    pub(crate) ended: bool,
}

impl Said {
    pub(crate) fn read(path: &Path) -> Self {
        Self::of(&fs::read_to_string(path).unwrap_or_default())
    }

    pub(crate) fn of(text: &str) -> Self {
        let mut said = Self::default();
        // A line that was cut off was not said.
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["in", digest] => said.acknowledged.push(digest.to_owned()),
                ["fault", digest, code] => drop(said.refused.insert(digest.to_owned(), code.to_owned())),
                ["longest", micros] => {
                    said.longest = Duration::from_micros(micros.parse().unwrap());
                    said.ended = true;
                }
                _ => panic!("{line}"),
            }
        }
        said
    }
}

/// Whether the board in `path` is whole and holds what was said: what is wrong with it, if anything.
pub(crate) fn check(path: &Path, said: &[Said]) -> Result<usize, String> {
    let mut store = Sqlite::open(path, Mode::Existing).map_err(|fault| format!("{fault:?}"))?;
    let mut records: Vec<Record> = Vec::new();
    loop {
        let after = records.last().map_or(0, |record| record.seq);
        let page = store.page(&board(), after, 1_000).map_err(|fault| format!("{fault:?}"))?;
        if page.is_empty() {
            break;
        }
        records.extend(page);
    }
    let mut prev = None;
    for (record, seq) in records.iter().zip(1..) {
        let entry = Entry::read(record).map_err(|refusal| refusal.detail)?;
        if entry.seq != seq || entry.prev != prev {
            return Err(format!("entry {} is not chained", record.seq));
        }
        prev = Some(record.digest.clone());
    }
    let there = |digest: &String| records.iter().any(|record| record.digest == *digest);
    for said in said {
        if let Some(digest) = said.acknowledged.iter().find(|digest| !there(digest)) {
            return Err(format!("{digest} was acknowledged and is lost"));
        }
        for (digest, code) in &said.refused {
            if code != "store.unsettled" && there(digest) {
                return Err(format!("{digest} was refused with {code} and is there"));
            }
        }
    }
    // The next one goes in.
    let head = records.last().map(Record::head);
    let batch = Batch { records: vec![record(u32::MAX, 1, head.as_ref())], ..Batch::default() };
    store.append(&board(), &Expected::of(head), &batch).map_err(|error| format!("{error:?}"))?;
    Ok(records.len())
}

#[test]
#[ignore = "the process that other tests start"]
fn work() {
    let job = Job::told();
    let mut said = OpenOptions::new().append(true).create(true).open(job.said()).unwrap();
    let mut say = |line: String| said.write_all(format!("{line}\n").as_bytes()).unwrap();
    if matches!(job.how, How::Normal | How::Off) {
        return unsynced(&job, say);
    }
    let opening = Instant::now();
    let mut store = match Sqlite::open(&job.board, Mode::Create) {
        Ok(store) => store,
        Err(fault) => return say(format!("fault opening {}", fault.code)),
    };
    let mut longest = opening.elapsed();
    for number in 0..job.count {
        let start = Instant::now();
        append(&mut store, &job, number, &mut say);
        longest = longest.max(start.elapsed());
    }
    say(format!("longest {}", longest.as_micros()));
}

fn append(store: &mut Sqlite, job: &Job, number: u32, say: &mut impl FnMut(String)) {
    let Ok(mut head) = store.head(&board()) else { return };
    loop {
        let record = record(job.writer, number, head.as_ref());
        let digest = record.digest.clone();
        if job.how == How::Early {
            say(format!("in {digest}"));
        }
        match store.append(&board(), &Expected::of(head), &Batch { records: vec![record], ..Batch::default() }) {
            Ok(()) if job.how == How::Early => return,
            Ok(()) => return say(format!("in {digest}")),
            Err(AppendError::Moved(now)) => head = now,
            Err(AppendError::Fault(fault)) => return say(format!("fault {digest} {}", fault.code)),
            Err(AppendError::Taken(taken)) => panic!("{taken:?}"),
        }
    }
}

/// Writes our tables by itself, without our care.
fn unsynced(job: &Job, mut say: impl FnMut(String)) {
    let mut connection = Connection::open(&job.board).unwrap();
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    let level = format!("{:?}", job.how).to_uppercase();
    connection.execute_batch(&format!("PRAGMA synchronous = {level}; PRAGMA wal_autocheckpoint = 64")).unwrap();
    for number in 0..job.count {
        let transaction = connection.transaction().unwrap();
        let sql = "SELECT place, place & 1099511627775, 'sha256:' || lower(hex(digest)) FROM entry ORDER BY place DESC LIMIT 1";
        let (place, head) = transaction
            .query_row(sql, [], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    Head { seq: u64::try_from(row.get::<_, i64>(1)?).unwrap(), digest: row.get(2)? },
                ))
            })
            .unwrap();
        let record = record(job.writer, number, Some(&head));
        let key = record.idempotency_key.as_ref().unwrap().as_str();
        let hex = record.digest.strip_prefix("sha256:").unwrap();
        let digest: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect();
        let row = rusqlite::params![
            place + 1,
            record.reference.as_str(),
            record.kind.as_str(),
            record.key.as_str(),
            record.author.as_str(),
            key,
            digest,
            record.bytes
        ];
        transaction.execute("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", row).unwrap();
        transaction.commit().unwrap();
        say(format!("in {}", record.digest));
    }
    say("longest 0".to_owned());
}
