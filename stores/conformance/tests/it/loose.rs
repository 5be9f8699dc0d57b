//! A store that checks only what the port asks for, and that can be broken in one way.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::json;
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Fault, PAGE_BYTES_MAX, Saved, Store, Taken, Which};
use relay_baton_store_conformance::{Handle, Place, Shared};

/// What is wrong with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    Nothing,
    InventsAHead,
    HeadLags,
    ForgetsSaves,
    ForgetsDrops,
    TakesHalfABatch,
    SavesBeforeItChecks,
    ExpectsNothing,
    ComparesNumbersOnly,
    TakesOldHeads,
    TellsNoHead,
    LooksForTakenFirst,
    ReplacesEmoji,
    CountsFromZero,
    FindsAnyReference,
    FindsTheOldest,
    FindsWhatCameLater,
    SharesIdempotencyKeys,
    PagesBackwards,
    PagesFromTheNumber,
    IgnoresTheCount,
    IgnoresTheBytes,
    LeaksTenants,
    FoldsCase,
    LoadsExactly,
    KeepsTheFirst,
    DropsTheSlot,
    NeedsRecords,
    SavesLate,
    RemembersTheHead,
    SulksAfterALoss,
    ChecksOutsideTheLock,
    LosesNowAndThen,
    ReadsOldPages,
}

#[derive(Default)]
struct Kept {
    records: Vec<Record>,
    saved: BTreeMap<(Id, u64), String>,
    late: Vec<Saved>,
}

impl Kept {
    fn head(&self) -> Option<Head> {
        self.records.last().map(Record::head)
    }
}

type Boards = BTreeMap<BoardId, Kept>;

/// A place with such a store.
pub(crate) struct Loose {
    boards: Shared<Boards>,
    wrong: Wrong,
}

impl Loose {
    pub(crate) fn new(wrong: Wrong) -> Self {
        Self { boards: Shared::default(), wrong }
    }
}

impl Place for Loose {
    fn open(&self) -> Handle {
        let boards = self.boards.clone();
        Box::new(Door { boards, wrong: self.wrong, remembered: BTreeMap::new(), lost: false, appends: 0 })
    }
}

struct Door {
    boards: Shared<Boards>,
    wrong: Wrong,
    remembered: BTreeMap<BoardId, Option<Head>>,
    lost: bool,
    appends: u32,
}

impl Door {
    fn is(&self, wrong: Wrong) -> bool {
        self.wrong == wrong
    }

    /// The board under which `board` is kept.
    fn name(&self, board: &BoardId) -> BoardId {
        let folded = |id: &Id| {
            if self.is(Wrong::FoldsCase) { Id::new(&id.as_str().to_lowercase()).unwrap() } else { id.clone() }
        };
        let tenant = if self.is(Wrong::LeaksTenants) { Id::new("any").unwrap() } else { folded(&board.tenant) };
        BoardId { tenant, task: folded(&board.task) }
    }

    fn with<T>(&self, board: &BoardId, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(self.boards.lock().entry(self.name(board)).or_default())
    }

    fn is_expected(&self, kept: &Kept, expected: &Expected) -> bool {
        let head = kept.head();
        match self.wrong {
            Wrong::ExpectsNothing => true,
            Wrong::ComparesNumbersOnly => head.map_or(0, |head| head.seq) == expected.seq(),
            Wrong::TakesOldHeads => {
                expected.head().is_none_or(|old| kept.records.iter().any(|record| record.head() == *old))
            }
            _ => head.as_ref() == expected.head(),
        }
    }

    fn taken(&self, kept: &Kept, record: &Record) -> Option<Taken> {
        if kept.records.iter().any(|other| other.reference == record.reference) {
            return Some(Taken::Reference);
        }
        record.idempotency_key.as_ref()?;
        let anybody = self.is(Wrong::SharesIdempotencyKeys);
        let same = |other: &Record| {
            other.idempotency_key == record.idempotency_key && (anybody || other.author == record.author)
        };
        kept.records.iter().any(same).then_some(Taken::IdempotencyKey)
    }

    fn refusal(&mut self, kept: &mut Kept, expected: &Expected, batch: &Batch) -> Option<AppendError> {
        let taken = |kept: &Kept| batch.records.iter().find_map(|record| self.taken(kept, record));
        if self.is(Wrong::LooksForTakenFirst)
            && let Some(taken) = taken(kept)
        {
            return Some(AppendError::Taken(taken));
        }
        if self.is(Wrong::SavesBeforeItChecks) {
            self.save(kept, batch);
        }
        if !self.is_expected(kept, expected) {
            let told = if self.is(Wrong::TellsNoHead) { None } else { kept.head() };
            self.lost = true;
            return Some(AppendError::Moved(told));
        }
        if let Err(refusal) = batch.check(&self.followed(kept, expected)) {
            return Some(refusal);
        }
        let taken = taken(kept).map(AppendError::Taken);
        if taken.is_some() && self.is(Wrong::TakesHalfABatch) {
            let sound: Vec<Record> =
                batch.records.iter().take_while(|record| self.taken(kept, record).is_none()).cloned().collect();
            kept.records.extend(sound);
        }
        taken
    }

    /// What the records of a batch have to follow.
    fn followed(&self, kept: &Kept, expected: &Expected) -> Expected {
        match self.wrong {
            Wrong::ExpectsNothing | Wrong::TakesOldHeads => expected.clone(),
            Wrong::ComparesNumbersOnly => Expected::of(kept.head()),
            _ => expected.clone(),
        }
    }

    fn save(&self, kept: &mut Kept, batch: &Batch) {
        if self.is(Wrong::NeedsRecords) && batch.records.is_empty() {
            return;
        }
        for (slot, number) in batch.drops.iter().filter(|_| !self.is(Wrong::ForgetsDrops)) {
            let whole = self.is(Wrong::DropsTheSlot);
            kept.saved.retain(|(kept, at), _| kept != slot || (at != number && !whole));
        }
        let mut saves = batch.saves.clone();
        if self.is(Wrong::SavesLate) {
            std::mem::swap(&mut saves, &mut kept.late);
        }
        for saved in saves.into_iter().filter(|_| !self.is(Wrong::ForgetsSaves)) {
            let document = kept.saved.entry((saved.slot, saved.number));
            if self.is(Wrong::KeepsTheFirst) {
                document.or_insert(saved.bytes);
            } else {
                document.insert_entry(saved.bytes);
            }
        }
    }

    fn keep(&mut self, kept: &mut Kept, batch: &Batch) {
        self.appends += 1;
        self.save(kept, batch);
        // Not the first ones, so that the plainer properties do not see it.
        if self.is(Wrong::LosesNowAndThen) && self.appends.is_multiple_of(10) {
            return;
        }
        kept.records.extend(batch.records.iter().cloned());
    }
}

impl Store for Door {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        let head = self.with(board, |kept| kept.head());
        Ok(match self.wrong {
            Wrong::InventsAHead => head.or(Some(Head { seq: 1, digest: json::digest(b"") })),
            Wrong::HeadLags => self.with(board, |kept| kept.records.iter().rev().nth(1).map(Record::head)),
            Wrong::RemembersTheHead => self.remembered.entry(board.clone()).or_insert(head).clone(),
            _ => head,
        })
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        if self.is(Wrong::SulksAfterALoss) && self.lost {
            return Err(Fault::new(Code::StoreBusy, "lost before").into());
        }
        let boards = self.boards.clone();
        let name = self.name(board);
        let mut lock = boards.lock();
        if let Some(refusal) = self.refusal(lock.entry(name.clone()).or_default(), expected, batch) {
            return Err(refusal);
        }
        if self.is(Wrong::ChecksOutsideTheLock) {
            drop(lock);
            thread::sleep(Duration::from_micros(100));
            lock = boards.lock();
        }
        self.keep(lock.entry(name).or_default(), batch);
        drop(lock);
        self.remembered.insert(board.clone(), batch.records.last().map(Record::head));
        Ok(())
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        let wrong = self.wrong;
        Ok(self.with(board, |kept| {
            let mut records: Vec<&Record> = kept.records.iter().collect();
            if wrong != Wrong::FindsTheOldest {
                records.reverse();
            }
            let zero = u64::from(wrong == Wrong::CountsFromZero);
            let any = wrong == Wrong::FindsAnyReference;
            let found = |record: &&&Record| match which {
                Which::Seq(seq) => record.seq == seq.saturating_add(zero),
                Which::Reference(reference) => any || record.reference == *reference,
                Which::Newest { kind, key, before } => {
                    let early = record.seq < before || wrong == Wrong::FindsWhatCameLater;
                    record.kind == *kind && record.key == *key && early
                }
                Which::Idempotent { author, key } => {
                    record.author == *author && record.idempotency_key.as_ref() == Some(key)
                }
            };
            records.iter().find(found).map(|record| (*record).clone())
        }))
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        let wrong = self.wrong;
        Ok(self.with(board, |kept| {
            let inclusive = u64::from(wrong == Wrong::PagesFromTheNumber);
            let count = if wrong == Wrong::IgnoresTheCount { usize::MAX } else { count_max };
            let end = if wrong == Wrong::ReadsOldPages { kept.records.len().saturating_sub(150) } else { usize::MAX };
            let end = if kept.records.len() > 150 { end } else { usize::MAX };
            let mut bytes = 0;
            let fits = |record: &&Record| {
                let fits = bytes < PAGE_BYTES_MAX || wrong == Wrong::IgnoresTheBytes;
                bytes += record.bytes.len();
                fits
            };
            let after = |record: &&Record| record.seq.saturating_add(inclusive) > after;
            let mut page: Vec<Record> =
                kept.records.iter().take(end).filter(after).take(count).take_while(fits).cloned().collect();
            if wrong == Wrong::PagesBackwards {
                page.reverse();
            }
            if wrong == Wrong::ReplacesEmoji {
                page.iter_mut().for_each(|record| record.bytes = record.bytes.replace('\u{1f600}', "?"));
            }
            page
        }))
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        let exactly = self.is(Wrong::LoadsExactly);
        Ok(self.with(board, |kept| {
            let least = if exactly { number_max } else { 0 };
            let mut of_slot = kept.saved.range((slot.clone(), least)..=(slot.clone(), number_max));
            let newest = of_slot.next_back();
            newest.map(|((slot, number), bytes)| Saved { slot: slot.clone(), number: *number, bytes: bytes.clone() })
        }))
    }
}
