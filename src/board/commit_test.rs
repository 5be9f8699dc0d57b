use super::*;
use crate::board::FACT;
use crate::board::tests::{board_id, id, moment, reference};
use crate::entry::{BoardId, Record};
use crate::json::Value;
use crate::memory::Memory;

fn post(key: &str, number: u64) -> Post {
    Post {
        kind: id(FACT),
        key: id(key),
        author: id("planner"),
        step: None,
        at: moment(),
        readers: Readers::Everyone,
        data: Value::integer(number),
        derived_from: Vec::new(),
        idempotency_key: None,
        declassify: false,
        reference: reference(number),
    }
}

fn slot() -> Id {
    id("run")
}

fn saved(number: u64) -> Saved {
    Saved { slot: slot(), number, bytes: format!("state {number}") }
}

/// Commits `entries` as the version after `before`.
fn put<S: Store>(board: &mut Board<S>, before: u64, entries: &[Post]) -> Result<Option<Head>, Code> {
    let commit = Commit { slot: &slot(), before, entries, saves: &[saved(before + 1)], drops: &[(slot(), before)] };
    board.commit(&commit).map_err(|refused| refused.refusals()[0].code)
}

fn version(board: &mut Board<impl Store>) -> u64 {
    let id = board.id().clone();
    board.store().load(&id, &slot(), u64::MAX).unwrap().map_or(0, |saved| saved.number)
}

fn sources(board: &mut Board<impl Store>, seq: u64) -> Vec<u64> {
    board.entry(Which::Seq(seq)).unwrap().unwrap().entry.draft.derived_from.into_iter().collect()
}

#[test]
fn entries_and_saves_go_in_together_and_one_after_another() {
    let mut board = Board::new(Memory::new(), board_id());
    let head = put(&mut board, 0, &[post("a", 1), post("b", 2)]).unwrap().unwrap();
    assert_eq!((head.seq, version(&mut board)), (2, 1));
    assert_eq!(put(&mut board, 1, &[]).unwrap(), Some(head), "saves alone leave the head");
    assert_eq!(version(&mut board), 2);
    assert_eq!(board.store().load(&board_id(), &slot(), 1).unwrap(), None, "the state before is forgotten");
    assert_eq!(put(&mut board, 2, &[post("c", 3)]).unwrap().unwrap().seq, 3);
}

#[test]
fn whoever_is_behind_is_refused_and_nothing_goes_in() {
    let mut board = Board::new(Memory::new(), board_id());
    put(&mut board, 0, &[post("a", 1)]).unwrap();
    let mut other = Board::new(board.store().clone(), board_id());
    put(&mut other, 1, &[post("b", 2)]).unwrap();
    let stands = other.head().unwrap();
    for before in [0, 1, 3] {
        assert_eq!(put(&mut other, before, &[post("c", 3)]), Err(Code::RunMoved), "{before}");
        assert_eq!((other.head().unwrap(), version(&mut other)), (stands.clone(), 2));
    }
    put(&mut other, 2, &[post("c", 3)]).unwrap();
}

/// Two handles of one store, of which one believes that nothing has changed since its own commit.
#[test]
fn whoever_was_not_told_is_refused_too() {
    let mut store = Memory::new();
    let mut end = None;
    let mut late = Board::new(&mut store, board_id());
    put(&mut late, 0, &[post("a", 1)]).unwrap();
    std::mem::swap(&mut late.end, &mut end);
    drop(late);
    let mut quick = Board::new(&mut store, board_id());
    put(&mut quick, 1, &[post("b", 2)]).unwrap();
    drop(quick);
    let mut late = Board::new(&mut store, board_id());
    late.end = end;
    assert_eq!(put(&mut late, 1, &[post("c", 3)]), Err(Code::RunMoved));
    assert_eq!(late.head().unwrap().unwrap().seq, 2);
}

/// What others append meanwhile is no reason to give up.
#[test]
fn entries_of_others_do_not_stop_a_record() {
    let mut store = Memory::new();
    let mut board = Board::new(&mut store, board_id());
    put(&mut board, 0, &[post("a", 1)]).unwrap();
    let end = board.end.take();
    board.post(&post("between", 9)).unwrap();
    board.end = end;
    assert_eq!(put(&mut board, 1, &[post("b", 2)]).unwrap().unwrap().seq, 3);
    let kept = board.entry(Which::Seq(3)).unwrap().unwrap();
    assert_eq!(kept.entry.prev, Some(board.entry(Which::Seq(2)).unwrap().unwrap().record.digest));
}

/// A store in which somebody is always quicker.
pub(in crate::board) struct Crowded {
    pub(in crate::board) store: Memory,
    /// How often somebody still will be.
    pub(in crate::board) rivals: u64,
    /// What they do.
    pub(in crate::board) rival: fn(&mut Board<&mut Memory>, u64),
}

impl Store for Crowded {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.store.head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        if self.rivals > 0 {
            self.rivals -= 1;
            (self.rival)(&mut Board::new(&mut self.store, board.clone()), self.rivals);
        }
        self.store.append(board, expected, batch)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.store.read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.store.page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.store.load(board, slot, number_max)
    }
}

#[test]
fn a_record_is_tried_again_while_others_append_and_given_up_at_last() {
    for (rivals, expected) in [(1, Ok(3)), (20, Ok(22)), (1000, Err(Code::StoreBusy))] {
        let rival = |board: &mut Board<&mut Memory>, left: u64| {
            board.post(&post("rival", 1000 + left)).unwrap();
        };
        let mut board = Board::new(Crowded { store: Memory::new(), rivals, rival }, board_id());
        let mut second = post("b", 2);
        second.derived_from = vec![reference(1)];
        let came = put(&mut board, 0, &[post("a", 1), second]);
        assert_eq!(came.map(|head| head.unwrap().seq), expected);
        if let Ok(seq) = expected {
            assert_eq!(sources(&mut board, seq), [seq - 1], "sources are found by name, wherever they come to stand");
        } else {
            assert_eq!(version(&mut board), 0);
        }
    }
}

#[test]
fn entries_are_derived_from_others_of_their_batch_and_of_the_board() {
    let mut board = Board::new(Memory::new(), board_id());
    put(&mut board, 0, &[post("a", 1)]).unwrap();
    let mut second = post("b", 2);
    second.derived_from = vec![reference(1)];
    let mut third = post("c", 3);
    third.derived_from = vec![reference(2), reference(1), reference(2)];
    put(&mut board, 1, &[second, third]).unwrap();
    assert_eq!((sources(&mut board, 2), sources(&mut board, 3)), (vec![1], vec![1, 2]));
    // Another handle does not know the names by heart.
    let mut other = Board::new(board.store().clone(), board_id());
    let mut fourth = post("d", 4);
    fourth.derived_from = vec![reference(3)];
    put(&mut other, 2, &[fourth]).unwrap();
    assert_eq!(sources(&mut other, 4), [3]);
}

#[test]
fn nothing_is_derived_from_what_is_not_there() {
    let mut board = Board::new(Memory::new(), board_id());
    put(&mut board, 0, &[post("a", 1)]).unwrap();
    let mut unknown = post("b", 2);
    unknown.derived_from = vec![reference(99)];
    assert_eq!(put(&mut board, 1, &[unknown]), Err(Code::BoardUnknownEntry));
    let mut later = post("b", 2);
    later.derived_from = vec![reference(3)];
    assert_eq!(put(&mut board, 1, &[later, post("c", 3)]), Err(Code::BoardUnknownEntry), "only what stands before it");
    let mut own = post("b", 2);
    own.derived_from = vec![reference(2)];
    assert_eq!(put(&mut board, 1, &[own]), Err(Code::BoardUnknownEntry));
    assert_eq!((board.head().unwrap().unwrap().seq, version(&mut board)), (1, 1));
}

#[test]
fn nobody_reads_what_was_made_of_what_they_may_not_read() {
    let secret = || Post { readers: Readers::agents([id("builder")]), ..post("secret", 1) };
    let made = |readers: Readers, declassify: bool| Post {
        readers,
        declassify,
        derived_from: vec![reference(1)],
        ..post("made", 2)
    };
    for (readers, is_kept) in [
        (Readers::Everyone, false),
        (Readers::agents([id("builder"), id("spy")]), false),
        (Readers::agents([id("builder")]), true),
        (Readers::agents([id("planner")]), true),
        (Readers::nobody(), true),
    ] {
        for in_one in [true, false] {
            let mut board = Board::new(Memory::new(), board_id());
            let mut put_both = |declassify| {
                let entry = made(readers.clone(), declassify);
                if in_one {
                    return put(&mut board, 0, &[secret(), entry]);
                }
                put(&mut board, 0, &[secret()]).ok();
                put(&mut board, 1, &[entry])
            };
            let came = put_both(false);
            assert_eq!(came.is_ok(), is_kept, "{readers:?}");
            if came.is_err() {
                assert_eq!(came, Err(Code::BoardLaundering));
                put_both(true).unwrap();
            }
            let kept = board.entry(Which::Seq(2)).unwrap().unwrap();
            assert_eq!(kept.entry.draft.declassified, !is_kept, "it is on the record where it was needed");
        }
    }
}

#[test]
fn a_name_that_is_taken_is_told_as_moved() {
    let mut board = Board::new(Memory::new(), board_id());
    put(&mut board, 0, &[post("a", 1)]).unwrap();
    assert_eq!(put(&mut board, 1, &[post("b", 1)]), Err(Code::RunMoved));
    assert_eq!(version(&mut board), 1);
}
