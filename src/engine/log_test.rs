use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn slot() -> Id {
    Id::new("run.log.1").unwrap()
}

/// What a store holds of the log's slot.
#[derive(Default)]
struct Slot {
    documents: BTreeMap<u64, String>,
    bytes_written: usize,
}

impl Slot {
    fn apply(&mut self, change: Change) {
        for (slot, number) in change.drops {
            assert_eq!(slot, self::slot());
            self.documents.remove(&number);
        }
        for saved in change.saves {
            self.bytes_written += saved.bytes.len();
            self.documents.insert(saved.number, saved.bytes);
        }
    }

    fn in_order(&self) -> Vec<(u64, String)> {
        self.documents.iter().map(|(number, text)| (*number, text.clone())).collect()
    }

    fn text(&self) -> String {
        self.documents.values().map(String::as_str).collect()
    }
}

/// A task whose steps add lines, and which is loaded anew at times.
#[derive(Default)]
struct Task {
    log: Log,
    slot: Slot,
    lines: u64,
    text: String,
}

impl Task {
    /// One step that adds so many lines, each of about so many bytes.
    fn step(&mut self, lines: u64, bytes: usize) {
        let first = self.lines + 1;
        let added: String = (0..lines).map(|more| format!("{} {}\n", first + more, "x".repeat(bytes))).collect();
        self.lines += lines;
        self.text.push_str(&added);
        let change = self.log.push(&slot(), first, added);
        self.slot.apply(change);
    }

    fn load(&mut self) {
        self.log = Log::of(self.slot.in_order());
    }

    /// At most seven chunks of each size stand in a row.
    fn chunks_max(&self) -> u64 {
        7 * (u64::from(self.lines.max(1).ilog(8)) + 1)
    }
}

#[test]
fn a_step_without_lines_changes_nothing() {
    let mut task = Task::default();
    task.step(1, 1);
    let before = task.log.clone();
    let change = task.log.push(&slot(), 2, String::new());
    assert!(change.saves.is_empty() && change.drops.is_empty());
    assert_eq!(task.log, before);
}

#[test]
fn a_thousand_lines_are_few_documents_that_were_written_a_few_times() {
    let mut task = Task::default();
    for _ in 0..1000 {
        task.step(1, 100);
    }
    assert_eq!(task.slot.text(), task.text);
    assert!(task.slot.documents.len() <= 21, "{}", task.slot.documents.len());
    // Each line once by itself, and once for each size that it was part of.
    assert!(task.slot.bytes_written <= 8 * task.text.len() * 4, "{}", task.slot.bytes_written);
}

#[test]
fn what_is_large_is_left_as_it_is() {
    let mut task = Task::default();
    for _ in 0..20 {
        task.step(1, CHUNK_BYTES_MAX);
    }
    assert_eq!(task.slot.documents.len(), 20);
    assert_eq!(task.slot.bytes_written, task.text.len());
}

/// A task that is loaded anew at each pause, whose steps add few lines and then many, has few documents all the same.
#[test]
fn pauses_do_not_split_the_log() {
    let mut task = Task::default();
    for _ in 0..100 {
        for _ in 0..6 {
            task.step(1, 10);
        }
        task.step(8, 10);
        task.load();
    }
    assert_eq!(task.slot.text(), task.text);
    assert!(task.slot.documents.len() as u64 <= task.chunks_max(), "{}", task.slot.documents.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_store_gives_back_the_lines_in_order(
        steps in prop::collection::vec((prop_oneof![Just(1_u64), 0..4_u64, 0..80_u64], 0..20_usize, 0..8_u8), 0..100),
    ) {
        let mut task = Task::default();
        for (lines, bytes, dice) in steps {
            task.step(lines, bytes);
            prop_assert_eq!(&task.log.documents(), &task.slot.in_order());
            prop_assert_eq!(&Log::of(task.slot.in_order()), &task.log);
            if dice == 0 {
                task.load();
            }
            prop_assert!(task.slot.documents.len() as u64 <= task.chunks_max());
        }
        prop_assert_eq!(task.slot.text(), task.text.clone());
        prop_assert_eq!(task.log.texts().collect::<String>(), task.text);
    }
}
