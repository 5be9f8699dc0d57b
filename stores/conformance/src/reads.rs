//! How records come back.

use relay_baton::entry::{Draft, Entry, Record};
use relay_baton::json::{self, Limits};
use relay_baton::store::{AppendError, Expected, Taken, Which};

use crate::Place;
use crate::entries::{INTEGER_MAX, all, batch, board, chain, draft, id, keyed, login, post, reference, saying};

/// Texts that a store may not change: controls, quotes, combining and non-BMP characters, bidi, noncharacters.
const TEXTS: [&str; 12] = [
    "",
    "plain",
    "\0\u{1}\u{8}\u{b}\u{c}\u{1f}\u{7f}",
    "line\nline\r\nline\ttab",
    "\"quoted\" 'single' \\backslash\\ `tick` -- ; /* */ $1 ?1 :name @name %s {}",
    "e\u{301} \u{e9} \u{212b} \u{fb01}",
    "\u{1f600}\u{10ffff}\u{1f468}\u{200d}\u{1f469}",
    "\u{202e}abc\u{202c}\u{2028}\u{2029}\u{85}\u{feff}",
    "\u{e000}\u{fffd}\u{fffe}",
    "\u{e0041}\u{e007f}",
    "\\u0000 \\x00 \\0",
    "   spaces   ",
];

/// Records come back byte for byte, however they are read.
pub fn records_come_back_byte_for_byte(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let mut drafts: Vec<Draft> = TEXTS.iter().zip(1..).map(|(text, number)| saying(number, *text)).collect();
    drafts.push(saying(100, "\u{1f600}x\n".repeat(1 << 18)));
    for (number, data) in (200..).zip(["null", "{}", "[[[]]]", "-0.5", "1e21", "{\"\":{\"\\u0000\":1}}"]) {
        let data = json::read(data, &Limits::default()).unwrap().into_owned();
        drafts.push(Draft { data, ..draft(number) });
    }
    let records: Vec<_> = drafts.into_iter().flat_map(|draft| post(&mut store, &board, [draft])).collect();
    assert!(records.iter().any(|record| record.bytes.len() > 1 << 20), "a record of more than a mebibyte");
    let mut again = place.open();
    assert_eq!(all(&mut again, &board), records);
    for record in &records {
        assert_eq!(again.read(&board, Which::Seq(record.seq)).as_ref(), Ok(&Some(record.clone())));
        assert_eq!(again.read(&board, Which::Reference(&record.reference)).as_ref(), Ok(&Some(record.clone())));
        assert!(Entry::read(record).is_ok());
    }
}

/// A record is found by its sequence number, and there is none before the first and after the last.
pub fn a_record_is_found_by_its_number(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let records = post(&mut store, &board, (1..=20).map(draft));
    for record in &records {
        assert_eq!(store.read(&board, Which::Seq(record.seq)), Ok(Some(record.clone())));
    }
    for seq in [0, 21, 1 << 32, 1 << 40, (1 << 40) + 1, INTEGER_MAX, i64::MAX as u64, (i64::MAX as u64) + 2, u64::MAX] {
        assert_eq!(store.read(&board, Which::Seq(seq)), Ok(None), "{seq}");
    }
}

/// A record is found by its reference and by no other.
pub fn a_record_is_found_by_its_reference(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let records = post(&mut store, &board, (1..=20).map(draft));
    for record in &records {
        assert_eq!(store.read(&board, Which::Reference(&record.reference)), Ok(Some(record.clone())));
    }
    assert_eq!(store.read(&board, Which::Reference(&reference(21))), Ok(None));
}

/// Of a kind and key the newest before a number is found, also within one batch.
pub fn the_newest_of_a_kind_and_key_is_found(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let of = |number, kind: &str, key: &str| Draft { kind: id(kind), key: id(key), ..draft(number) };
    let words =
        [("fact", "a"), ("fact", "b"), ("patch", "a"), ("fact", "a"), ("a", "fact"), ("patch", "b"), ("fact", "a")];
    let drafts: Vec<_> = words.iter().zip(1..).map(|((kind, key), number)| of(number, kind, key)).collect();
    let mut records = post(&mut store, &board, drafts[..3].iter().cloned());
    records.extend(post(&mut store, &board, drafts[3..].iter().cloned()));
    let mut found = |kind: &str, key: &str, before| {
        store.read(&board, Which::Newest { kind: &id(kind), key: &id(key), before }).unwrap()
    };
    for (kind, key) in words {
        for before in (0..10).chain([1 << 32, (1 << 40) - 1, 1 << 40, i64::MAX as u64, u64::MAX]) {
            let of_key = |record: &&Record| record.kind.as_str() == kind && record.key.as_str() == key;
            let newest = records.iter().rev().filter(of_key).find(|record| record.seq < before);
            assert_eq!(found(kind, key, before).as_ref(), newest, "{kind} {key} before {before}");
        }
    }
    for (kind, key) in [("fact", "c"), ("b", "fact"), ("Fact", "a"), ("fact", "A"), ("facta", "a")] {
        assert_eq!(found(kind, key, u64::MAX), None, "{kind} {key}");
    }
}

/// An idempotency key is one author's on one board: others may use it too, and find their own.
pub fn an_idempotency_key_is_its_authors(place: &dyn Place) {
    let mut store = place.open();
    let (one, two) = (login(), board("acme", "logout"));
    let mut mine = post(&mut store, &one, [keyed(1, "scout", "once"), draft(2)]);
    mine.extend(post(&mut store, &one, [keyed(3, "builder", "once")]));
    let theirs = post(&mut store, &two, [keyed(1, "scout", "once")]);
    let mut found = |board, author: &str, key: &str| {
        store.read(board, Which::Idempotent { author: &id(author), key: &id(key) }).unwrap()
    };
    assert_eq!(found(&one, "scout", "once"), Some(mine[0].clone()));
    assert_eq!(found(&one, "builder", "once"), Some(mine[2].clone()));
    assert_eq!(found(&two, "scout", "once"), Some(theirs[0].clone()));
    assert_eq!(found(&two, "builder", "once"), None);
    assert_eq!(found(&one, "scout", "Once"), None);
    assert_eq!(found(&one, "Scout", "once"), None);
    assert_eq!(found(&one, "once", "scout"), None);
    for (key, taken) in [("once", true), ("twice", false)] {
        let head = store.head(&one).unwrap();
        let batch = batch(chain(&one, head.clone(), [keyed(9, "scout", key)]));
        let answer = store.append(&one, &Expected::of(head), &batch);
        let expected = if taken { Err(AppendError::Taken(Taken::IdempotencyKey)) } else { Ok(()) };
        assert_eq!(answer, expected, "{key}");
    }
}
