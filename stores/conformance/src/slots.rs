//! Documents that can be replaced.

use relay_baton::entry::Record;
use relay_baton::store::{AppendError, Batch, Expected};

use crate::Place;
use crate::entries::{INTEGER_MAX, board, chain, draft, id, keep, login, post, saved};

/// Of a slot the newest document that is not newer than asked for is loaded.
pub fn the_newest_document_is_loaded(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let numbers = [0, 3, 7, 1 << 32, INTEGER_MAX];
    for number in [7, 0, INTEGER_MAX, 3, 1 << 32] {
        keep(&mut store, &board, vec![saved("baton", number, &number.to_string())], Vec::new());
    }
    keep(&mut store, &board, vec![saved("Baton", 5, "of another slot")], Vec::new());
    for asked in [0, 1, 2, 3, 4, 6, 7, 8, (1 << 32) - 1, 1 << 32, INTEGER_MAX - 1, INTEGER_MAX, u64::MAX] {
        let newest = numbers.iter().rev().find(|number| **number <= asked);
        let document = newest.map(|number| saved("baton", *number, &number.to_string()));
        assert_eq!(store.load(&board, &id("baton"), asked), Ok(document), "at most {asked}");
    }
    assert_eq!(store.load(&board, &id("Baton"), 4), Ok(None));
    assert_eq!(store.load(&board, &id("run"), u64::MAX), Ok(None));
}

/// A document is replaced by one of its slot and number, and comes back byte for byte.
pub fn a_document_is_replaced(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let large = "{\"x\": \"\u{1f600}'\\\"\"}\n".repeat(60_000);
    for bytes in ["first", "", "\0 raw \u{1}", "{}\r\n", &large, "last"] {
        keep(&mut store, &board, vec![saved("run", 1, bytes)], Vec::new());
        assert_eq!(place.open().load(&board, &id("run"), 1), Ok(Some(saved("run", 1, bytes))));
    }
    // Of two in one batch the later stands, and a save is stronger than a drop.
    let twice = vec![saved("run", 2, "one"), saved("run", 2, "two")];
    keep(&mut store, &board, twice, vec![(id("run"), 2), (id("run"), 1)]);
    assert_eq!(store.load(&board, &id("run"), 2), Ok(Some(saved("run", 2, "two"))));
    assert_eq!(store.load(&board, &id("run"), 1), Ok(None));
}

/// A document that is dropped is gone, alone; to drop none is no error.
pub fn a_document_is_dropped(place: &dyn Place) {
    let mut store = place.open();
    let (one, two) = (login(), board("acme", "logout"));
    for board in [&one, &two] {
        let saves = vec![saved("run", 1, "1"), saved("run", 2, "2"), saved("other", 2, "o")];
        keep(&mut store, board, saves, Vec::new());
    }
    keep(&mut store, &one, Vec::new(), vec![(id("run"), 2), (id("run"), 9), (id("none"), 1)]);
    assert_eq!(store.load(&one, &id("run"), 9), Ok(Some(saved("run", 1, "1"))));
    assert_eq!(store.load(&one, &id("other"), 9), Ok(Some(saved("other", 2, "o"))));
    assert_eq!(store.load(&two, &id("run"), 9), Ok(Some(saved("run", 2, "2"))));
}

/// Documents are saved without a record, on an empty board too, and leave its head alone; they expect it all the same.
pub fn documents_are_saved_without_records(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    keep(&mut store, &board, vec![saved("run", 1, "early")], Vec::new());
    assert_eq!(store.head(&board), Ok(None));
    let first = post(&mut store, &board, [draft(1)]);
    let late = Batch { saves: vec![saved("run", 1, "late")], drops: vec![(id("run"), 1)], ..Batch::default() };
    let answer = store.append(&board, &Expected::Empty, &late);
    assert_eq!(answer, Err(AppendError::Moved(first.last().map(Record::head))));
    assert_eq!(store.load(&board, &id("run"), 1), Ok(Some(saved("run", 1, "early"))));
    keep(&mut store, &board, vec![saved("run", 1, "late")], Vec::new());
    assert_eq!(store.load(&board, &id("run"), 1), Ok(Some(saved("run", 1, "late"))));
    assert_eq!(store.head(&board), Ok(first.last().map(Record::head)));
}

/// A document that is saved with a record is there when the record is.
pub fn a_document_goes_in_with_its_record(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    for number in 1..=20 {
        let head = store.head(&board).unwrap();
        let records = chain(&board, head.clone(), [draft(number)]);
        let drops = vec![(id("baton"), number - 1)];
        let batch = Batch { records, saves: vec![saved("baton", number, &number.to_string())], drops };
        assert_eq!(store.append(&board, &Expected::of(head), &batch), Ok(()));
        let document = place.open().load(&board, &id("baton"), u64::MAX).unwrap();
        assert_eq!(document, Some(saved("baton", number, &number.to_string())));
        assert_eq!(store.load(&board, &id("baton"), number - 1), Ok(None));
    }
}
