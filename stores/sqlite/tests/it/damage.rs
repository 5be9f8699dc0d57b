//! Board files that were damaged: what is read of them is right, or is told to be wrong; nothing panics.

use std::fs;

use relay_baton::baton::Id;
use relay_baton::entry::{Entry, Record};
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store as _, Which};
use relay_baton_sqlite::{Mode, Sqlite};

use crate::folder::Folder;
use crate::writer::{board, record};

/// Numbers that look random and are the same in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).unwrap() % end.max(1)
    }
}

/// A board of 40 entries, some of them in the file and some in its log.
fn sound() -> (Folder, Vec<Record>) {
    let folder = Folder::fast();
    let mut store = folder.store(Mode::Create);
    let mut records: Vec<Record> = Vec::new();
    for number in 0..40 {
        let head = records.last().map(Record::head);
        let record = record(1, number, head.as_ref());
        let document = Saved { slot: Id::new("baton").unwrap(), number: u64::from(number), bytes: "b".repeat(3_000) };
        let batch = Batch { records: vec![record.clone()], saves: vec![document], drops: Vec::new() };
        store.append(&board(), &Expected::of(head), &batch).unwrap();
        records.push(record);
    }
    // While the store is open: when it goes, it may empty its log.
    let copy = Folder::fast();
    copy.restore(&folder);
    assert!(fs::metadata(copy.at("board.db-wal")).unwrap().len() > 4_120, "there is a log");
    (copy, records)
}

/// What came of the reads of a damaged file.
#[derive(Debug, Default)]
struct Tally {
    told: usize,
    broken: usize,
    right: usize,
    absent: usize,
}

impl Tally {
    fn told(&mut self, fault: &Fault) {
        let known = [
            Code::StoreDamaged,
            Code::StoreForeign,
            Code::StoreNewer,
            Code::StoreFull,
            Code::StoreUnavailable,
            Code::StoreDenied,
        ];
        assert!(known.contains(&fault.code), "{fault:?}");
        self.told += 1;
    }

    /// A record is what was recorded, or its reader sees that it is not.
    fn record(&mut self, record: &Record, sound: &[Record]) {
        match Entry::read(record) {
            Err(_) => self.broken += 1,
            Ok(_) => {
                assert!(sound.contains(record), "a record that was never made: {record:?}");
                self.right += 1;
            }
        }
    }

    fn read(&mut self, folder: &Folder, sound: &[Record]) {
        let mut store = match Sqlite::open(&folder.board(), Mode::Existing) {
            Ok(store) => store,
            Err(fault) => return self.told(&fault),
        };
        match store.page(&board(), 0, 1_000) {
            Ok(page) => page.iter().for_each(|record| self.record(record, sound)),
            Err(fault) => self.told(&fault),
        }
        for known in sound.iter().step_by(7) {
            let key = known.idempotency_key.as_ref().unwrap();
            let whiches = [
                Which::Seq(known.seq),
                Which::Reference(&known.reference),
                Which::Newest { kind: &known.kind, key: &known.key, before: u64::MAX },
                Which::Idempotent { author: &known.author, key },
            ];
            for which in whiches {
                match store.read(&board(), which) {
                    Ok(Some(record)) => self.record(&record, sound),
                    Ok(None) => self.absent += 1,
                    Err(fault) => self.told(&fault),
                }
            }
        }
        self.write(&mut store);
    }

    fn write(&mut self, store: &mut Sqlite) {
        let head = match store.head(&board()) {
            Ok(head) => head,
            Err(fault) => return self.told(&fault),
        };
        if let Err(fault) = store.load(&board(), &Id::new("baton").unwrap(), u64::MAX) {
            self.told(&fault);
        }
        let next = record(2, 1, head.as_ref());
        match store.append(&board(), &Expected::of(head), &Batch { records: vec![next], ..Batch::default() }) {
            Ok(()) | Err(AppendError::Moved(_) | AppendError::Taken(_)) => {}
            Err(AppendError::Fault(fault)) => self.told(&fault),
        }
    }
}

/// Damages the file or its log in one of several ways.
fn damage(folder: &Folder, random: &mut Random) {
    let name = ["board.db", "board.db", "board.db-wal", "board.db-shm"][random.below(4)];
    let mut bytes = fs::read(folder.at(name)).unwrap();
    let at = random.below(bytes.len());
    match random.below(6) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => (0..20).for_each(|_| {
            let at = random.below(bytes.len());
            bytes[at] = u8::try_from(random.below(256)).unwrap();
        }),
        // The head of a page holds what leads to the others.
        3 => (0..4).for_each(|_| {
            let page = random.below(bytes.len() / 4_096) * 4_096;
            let at = page + random.below(120);
            bytes[at] = u8::try_from(random.below(256)).unwrap();
        }),
        4 => {
            let end = (at + random.below(9_000)).min(bytes.len());
            bytes[at..end].fill(0);
        }
        _ => {
            let pages = bytes.len() / 4_096;
            let (from, to) = (random.below(pages) * 4_096, random.below(pages) * 4_096);
            bytes.copy_within(from..from + 4_096, to);
        }
    }
    fs::write(folder.at(name), bytes).unwrap();
}

fn campaign(seed: u64, cases: usize) -> Tally {
    let (original, records) = sound();
    let folder = Folder::fast();
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for _ in 0..cases {
        folder.restore(&original);
        damage(&folder, &mut random);
        tally.read(&folder, &records);
    }
    tally
}

#[test]
fn a_damaged_file_gives_what_was_recorded_or_a_fault() {
    let tally = campaign(1, 400);
    println!("{tally:?}");
    assert!(tally.told > 50 && tally.broken > 0 && tally.right > 1_000, "{tally:?}");
}

#[test]
#[ignore = "a campaign of minutes: `cargo xtask faults` runs it"]
fn faults_files_are_damaged_many_times() {
    println!("{:?}", campaign(2, 50_000));
}
