//! `import`: what `export` printed, put on an empty board.

use relay_baton::entry::{BoardId, Entry, Head, Kept, Record};
use relay_baton::json::Value;
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::store::{AppendError, Batch, Expected, Store as _, Which};
use relay_baton::verify::Verifier;

use crate::args::ImportArgs;
use crate::command::{board, entries};
use crate::done::Done;
use crate::failure::Failure;
use crate::output::Progress;
use crate::place::{Access, Line, Lines, Opened, Source, open_board};

/// Entries that are appended in one go, and bytes after which no more are added to them.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

/// Reads line by line, and appends in batches.
pub(super) fn run(args: &ImportArgs) -> Result<Done, Failure> {
    let mut lines = Lines::open(&Source::from(args.file.as_path()))?;
    let location = board::location(&args.board)?;
    let told = told_id(args)?;
    let Some(first) = lines.next()? else {
        return Err(lines.refuse(Refusal::new(Code::JsonEmpty, "", "there is no entry in it")));
    };
    let kept = read(&lines, &first)?;
    let id = kept.entry.board.clone();
    if let Some(told) = told.filter(|told| *told != id) {
        let detail = format!("the entry is of {id}, not of {told}");
        return Err(lines.refuse_line(&first, Refusal::new(Code::BoardForeign, "", detail)));
    }
    let opened = open_board(&location, id, Access::Create)?;
    let mut import = Import::new(opened)?;
    match import.take_all(&mut lines, &first, kept) {
        Ok(()) => Ok(import.done()),
        Err(failure) => Err(failure.all_the_same(import.stays())),
    }
}

/// The tenant and the task that were typed, or that the baton that was typed names.
fn told_id(args: &ImportArgs) -> Result<Option<BoardId>, Failure> {
    if args.board.baton.is_some() && args.board.tenant.is_none() {
        return board::named_board(&args.board).map(|named| Some(named.id));
    }
    board::typed_id(&args.board)
}

fn read(lines: &Lines, line: &Line) -> Result<Kept, Failure> {
    let kept = Entry::read_line(&line.text).and_then(Kept::read);
    kept.map_err(|refusal| lines.refuse_line(line, refusal))
}

/// An import as far as it has come.
struct Import {
    opened: Opened,
    /// What the board had before.
    had: u64,
    head: Option<Head>,
    /// The last entry that was read.
    read: Option<Head>,
    verifier: Verifier,
    waiting: Vec<Record>,
    bytes: usize,
    progress: Progress,
}

impl Import {
    fn new(mut opened: Opened) -> Result<Self, Failure> {
        let head = opened.board.head().map_err(|refused| opened.refuse(refused))?;
        let had = head.as_ref().map_or(0, |head| head.seq);
        let progress = Progress::new("importing", None, false);
        let verifier = Verifier::new(opened.board.id().clone());
        Ok(Self { opened, had, head, read: None, verifier, waiting: Vec::new(), bytes: 0, progress })
    }

    fn take_all(&mut self, lines: &mut Lines, first: &Line, kept: Kept) -> Result<(), Failure> {
        self.take(lines, first, kept)?;
        while let Some(line) = lines.next()? {
            let kept = read(lines, &line)?;
            self.take(lines, &line, kept)?;
        }
        self.append()
    }

    /// What an import that ends here leaves.
    fn stays(&self) -> Option<String> {
        let last = self.head.as_ref().map_or(0, |head| head.seq).max(self.had);
        let told = format!("the entries up to {last} are on the board and stay: mend the file and import it again");
        (last > self.had).then_some(told)
    }

    /// Takes the next entry: it has to follow the one before, and is appended unless it is there.
    fn take(&mut self, lines: &Lines, line: &Line, kept: Kept) -> Result<(), Failure> {
        self.check(&kept).map_err(|refusal| lines.refuse_line(line, refusal))?;
        self.read = Some(kept.head());
        self.progress.at(kept.record.seq);
        if kept.record.seq <= self.had {
            return self.recognise(&kept.record).map_err(|refused| self.opened.refuse(refused));
        }
        self.bytes = self.bytes.saturating_add(kept.record.bytes.len());
        self.waiting.push(kept.record);
        if self.waiting.len() >= BATCH || self.bytes >= BATCH_BYTES { self.append() } else { Ok(()) }
    }

    fn check(&mut self, kept: &Kept) -> Result<(), Refusal> {
        let entry = &kept.entry;
        let id = self.opened.board.id();
        if entry.board != *id {
            return Err(Refusal::new(Code::BoardForeign, "", format!("the entry is of {}, not of {id}", entry.board)));
        }
        self.verifier.push(&kept.record);
        self.verifier.findings().first().map_or(Ok(()), |found| Err(found.clone()))
    }

    /// Whether the board has this very entry.
    fn recognise(&mut self, record: &Record) -> Result<(), Refused> {
        let known = self.opened.board.entry(Which::Seq(record.seq))?;
        if known.is_some_and(|known| known.record == *record) {
            return Ok(());
        }
        let detail = format!("the board has another entry {}: import into an empty board", record.seq);
        Err(Refusal::new(Code::BoardNotEmpty, "", detail).into())
    }

    fn append(&mut self) -> Result<(), Failure> {
        let Some(last) = self.waiting.last().map(Record::head) else { return Ok(()) };
        let batch = Batch { records: std::mem::take(&mut self.waiting), ..Batch::default() };
        let id = self.opened.board.id().clone();
        let expected = Expected::of(self.head.take());
        let appended = self.opened.board.store().append(&id, &expected, &batch);
        appended.map_err(|error| self.opened.refuse(refused(error)))?;
        (self.head, self.bytes) = (Some(last), 0);
        Ok(())
    }

    fn done(self) -> Done {
        let read = self.read.as_ref().map_or(0, |head| head.seq);
        let added = read.saturating_sub(self.had);
        let there = if added == read { String::new() } else { format!(" ({} were there already)", read - added) };
        let head = self.head.map_or_else(String::new, |head| head.to_string());
        let mut done = Done::shown(String::new());
        let (name, id) = (&self.opened.name, self.opened.board.id());
        done.report.summary = Some(format!("{name}: {} added{there} of {id}, head {head}", entries(added)));
        done.report.facts = vec![
            ("tenant", Value::string(id.tenant.as_str().to_owned())),
            ("task", Value::string(id.task.as_str().to_owned())),
            ("entries", Value::integer(added)),
            ("head", Value::string(head)),
        ];
        done
    }
}

fn refused(error: AppendError) -> Refused {
    match error {
        AppendError::Fault(fault) => fault.into(),
        AppendError::Moved(_) => {
            let detail = "somebody else appends to the board: import into one that nobody uses";
            Refusal::new(Code::BoardNotEmpty, "", detail).into()
        }
        AppendError::Taken(_) => {
            let detail =
                "two entries bear one reference, or one idempotency key of one author: this is no export of a board";
            Refusal::new(Code::BoardBroken, "", detail).into()
        }
    }
}
