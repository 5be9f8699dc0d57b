//! What an append does, and what it leaves alone when it is refused.

use relay_baton::entry::{BoardId, ENTRY_BYTES_MAX, Head, Record};
use relay_baton::json;
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Taken, Which};

use crate::Place;
use crate::entries::{all, batch, chain, draft, id, keep, keyed, login, post, reference, saved, saying};

/// A board without entries has no head, no record, no page and no document.
pub fn an_empty_board_has_nothing(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    assert_eq!(store.head(&board), Ok(None));
    assert_eq!(store.page(&board, 0, 10), Ok(Vec::new()));
    let (kind, key) = (id("fact"), id("weather"));
    for which in [
        Which::Seq(1),
        Which::Reference(&reference(1)),
        Which::Newest { kind: &kind, key: &key, before: u64::MAX },
        Which::Idempotent { author: &kind, key: &key },
    ] {
        assert_eq!(store.read(&board, which), Ok(None), "{which:?}");
    }
    assert_eq!(store.load(&board, &id("baton"), u64::MAX), Ok(None));
}

/// After an append the board ends with its last record; after an empty one, where it ended.
pub fn an_append_moves_the_head(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    keep(&mut store, &board, Vec::new(), Vec::new());
    assert_eq!(store.head(&board), Ok(None), "nothing was appended");
    let first = post(&mut store, &board, [draft(1)]);
    assert_eq!(store.head(&board), Ok(Some(first[0].head())));
    let more = post(&mut store, &board, [draft(2), draft(3), draft(4)]);
    assert_eq!(store.head(&board), Ok(Some(more[2].head())));
    assert_eq!(more[2].seq, 4);
    keep(&mut store, &board, Vec::new(), Vec::new());
    assert_eq!(store.head(&board), Ok(Some(more[2].head())));
}

/// A batch that goes in goes in whole: records, saves and drops.
pub fn a_batch_goes_in_whole(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    keep(&mut store, &board, vec![saved("baton", 1, "one"), saved("run", 1, "r")], Vec::new());
    let records = chain(&board, None, [draft(1), keyed(2, "scout", "once"), draft(3)]);
    let whole =
        Batch { records: records.clone(), saves: vec![saved("baton", 2, "two")], drops: vec![(id("baton"), 1)] };
    assert_eq!(store.append(&board, &Expected::Empty, &whole), Ok(()));
    assert_eq!(all(&mut store, &board), records);
    assert_eq!(store.load(&board, &id("baton"), 2), Ok(Some(saved("baton", 2, "two"))));
    assert_eq!(store.load(&board, &id("baton"), 1), Ok(None), "the drop of the batch");
    assert_eq!(store.load(&board, &id("run"), 1), Ok(Some(saved("run", 1, "r"))));
}

/// What can be told of a board from outside.
fn picture(store: &mut dyn Store, board: &BoardId) -> (Option<Head>, Vec<Record>, Vec<Option<Saved>>) {
    let loads =
        [("baton", 1), ("baton", 9), ("run", 9)].map(|(slot, number)| store.load(board, &id(slot), number).unwrap());
    (store.head(board).unwrap(), all(store, board), loads.to_vec())
}

/// Appends `records` with a save and a drop; the answer must be `refusal`, and nothing may have changed.
fn refused(store: &mut dyn Store, expected: &Expected, records: Vec<Record>, refusal: &AppendError) {
    let board = login();
    let before = picture(store, &board);
    let drops = vec![(id("baton"), 1)];
    let batch = Batch { records, saves: vec![saved("baton", 2, "new"), saved("run", 1, "new")], drops };
    let answer = store.append(&board, expected, &batch).expect_err("the batch was to be refused");
    match (&answer, refusal) {
        (AppendError::Fault(answer), AppendError::Fault(refusal)) => {
            assert_eq!(answer.code, refusal.code, "{answer:?}")
        }
        (answer, refusal) => assert_eq!(answer, refusal),
    }
    assert_eq!(picture(store, &board), before, "a refused batch changed something: {refusal:?}");
}

/// A batch that is refused, whatever for, leaves no record, no save, no drop and no name behind.
pub fn a_refused_batch_leaves_nothing(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    post(&mut store, &board, [draft(1), keyed(2, "scout", "once")]);
    keep(&mut store, &board, vec![saved("baton", 1, "old")], Vec::new());
    let head = store.head(&board).unwrap().unwrap();
    let (stale, at) = (Expected::Empty, Expected::Head(head.clone()));
    let next = |drafts| chain(&board, Some(head.clone()), drafts);
    let foreign = AppendError::Fault(Fault::new(Code::StoreForeign, ""));
    let store = &mut store;
    refused(store, &stale, chain(&board, None, vec![draft(10), draft(11)]), &AppendError::Moved(Some(head.clone())));
    refused(store, &at, next(vec![draft(10), draft(1)]), &AppendError::Taken(Taken::Reference));
    let taken = AppendError::Taken(Taken::IdempotencyKey);
    refused(store, &at, next(vec![draft(10), keyed(11, "scout", "once")]), &taken);
    refused(store, &at, next(vec![draft(10), draft(10)]), &AppendError::Taken(Taken::Reference));
    refused(store, &at, next(vec![keyed(10, "scout", "new"), keyed(11, "scout", "new")]), &taken);
    refused(store, &at, next(vec![draft(10), draft(11), draft(12)]).split_off(1), &foreign);
    let mut gap = next(vec![draft(10), draft(11), draft(12)]);
    gap.remove(1);
    refused(store, &at, gap, &foreign);
    let large = saying(11, "x".repeat(ENTRY_BYTES_MAX));
    refused(store, &at, next(vec![draft(10), large]), &foreign);
    // What was refused has taken no name.
    post(store, &board, [draft(10), draft(11), keyed(12, "scout", "new")]);
}

/// A board with entries is not empty, and an empty one does not end with an entry.
pub fn what_is_expected_is_what_must_be(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let dreamt = Head { seq: 1, digest: json::digest(b"dreamt") };
    let records = chain(&board, Some(dreamt.clone()), [draft(1)]);
    let answer = store.append(&board, &Expected::Head(dreamt), &batch(records));
    assert_eq!(answer, Err(AppendError::Moved(None)));
    let first = post(&mut store, &board, [draft(1)]);
    let answer = store.append(&board, &Expected::Empty, &batch(chain(&board, None, [draft(2)])));
    assert_eq!(answer, Err(AppendError::Moved(Some(first[0].head()))));
    let answer = store.append(&board, &Expected::Empty, &Batch::default());
    assert_eq!(answer, Err(AppendError::Moved(Some(first[0].head()))), "a batch of nothing expects too");
}

/// An append at a head that was the last once, or will be, is told where the board ends.
pub fn a_stale_head_is_told_the_head(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let records = post(&mut store, &board, [draft(1), draft(2), draft(3)]);
    let end = Some(records[2].head());
    for stale in &records[..2] {
        let batch = batch(chain(&board, Some(stale.head()), [draft(9)]));
        let answer = store.append(&board, &Expected::Head(stale.head()), &batch);
        assert_eq!(answer, Err(AppendError::Moved(end.clone())), "at entry {}", stale.seq);
    }
    let ahead = Head { seq: 4, digest: records[2].digest.clone() };
    let batch = batch(chain(&board, Some(ahead.clone()), [draft(9)]));
    assert_eq!(store.append(&board, &Expected::Head(ahead), &batch), Err(AppendError::Moved(end)));
    assert_eq!(all(&mut store, &board), records);
}

/// A head of the right number and another digest is not the head.
pub fn a_head_of_another_digest_is_another_head(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let records = post(&mut store, &board, [draft(1), draft(2)]);
    for digest in [json::digest(b"other"), records[0].digest.clone(), String::new()] {
        let other = Head { seq: 2, digest };
        let batch = batch(chain(&board, Some(other.clone()), [draft(3)]));
        let answer = store.append(&board, &Expected::Head(other), &batch);
        assert_eq!(answer, Err(AppendError::Moved(Some(records[1].head()))));
    }
}

/// Who is told that the board moved is told so before anything else.
pub fn moved_comes_before_taken(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let records = post(&mut store, &board, [keyed(1, "scout", "once"), draft(2)]);
    let head = Some(records[0].head());
    let moved = Err(AppendError::Moved(Some(records[1].head())));
    for drafts in [vec![draft(1)], vec![keyed(3, "scout", "once")], vec![draft(3), draft(3)]] {
        let batch = batch(chain(&board, head.clone(), drafts));
        assert_eq!(store.append(&board, &Expected::of(head.clone()), &batch), moved);
    }
    let mut gap = chain(&board, head.clone(), [draft(3), draft(4)]);
    gap.remove(0);
    assert_eq!(store.append(&board, &Expected::of(head), &batch(gap)), moved);
}
