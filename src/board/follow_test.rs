use super::*;
use crate::board::commit::tests::Crowded;
use crate::board::tests::{board_id, id, moment, reference};
use crate::entry::Readers;
use crate::json::Value;
use crate::memory::Memory;
use crate::refusal::{Code, Refusal};

fn post(text: &str, number: u64) -> Box<Post> {
    Box::new(Post {
        kind: id("other"),
        key: id("other"),
        author: id("kim"),
        step: None,
        at: moment(),
        readers: Readers::Everyone,
        data: Value::string(text.to_owned()),
        derived_from: vec![reference(99)],
        idempotency_key: None,
        declassify: false,
        reference: reference(number),
    })
}

fn text(kept: &Kept) -> &str {
    kept.entry.draft.data.as_str().unwrap()
}

#[test]
fn the_first_follows_on_nothing_and_the_next_on_it() {
    let mut board = Board::new(Memory::new(), board_id());
    let (kind, key) = (id("approval"), id("a"));
    let first = board
        .follow(&kind, &key, |newest| {
            assert!(newest.is_none());
            Ok(Following::Post(post("requested", 1)))
        })
        .unwrap();
    assert_eq!((&first.record.kind, &first.record.key, text(&first)), (&kind, &key, "requested"));
    assert!(first.entry.draft.derived_from.is_empty(), "it is derived from the newest, and from nothing else");
    board.follow(&kind, &id("b"), |_| Ok(Following::Post(post("of another key", 2)))).unwrap();
    let second = board
        .follow(&kind, &key, |newest| {
            assert_eq!(newest.map(text), Some("requested"));
            Ok(Following::Post(post("granted", 3)))
        })
        .unwrap();
    assert_eq!(second.record.seq, 3);
    assert_eq!(second.entry.draft.derived_from, [1]);
}

#[test]
fn what_stands_is_given_and_nothing_added() {
    let mut board = Board::new(Memory::new(), board_id());
    let (kind, key) = (id("approval"), id("a"));
    let first = board.follow(&kind, &key, |_| Ok(Following::Post(post("requested", 1)))).unwrap();
    let again = board.follow(&kind, &key, |newest| Ok(Following::Stands(Box::new(newest.unwrap().clone())))).unwrap();
    assert_eq!(again.record, first.record);
    assert_eq!(board.head().unwrap(), Some(first.head()));
}

#[test]
fn what_is_refused_adds_nothing() {
    let mut board = Board::new(Memory::new(), board_id());
    let refused =
        board.follow(&id("approval"), &id("a"), |_| Err(Refusal::new(Code::ApprovalUnknown, "", "no").into()));
    assert_eq!(refused.unwrap_err().refusals()[0].code, Code::ApprovalUnknown);
    assert_eq!(board.head().unwrap(), None);
    let large = |_: Option<&Kept>| Ok(Following::Post(post(&"x".repeat(crate::entry::ENTRY_BYTES_MAX), 1)));
    let refused = board.follow(&id("approval"), &id("a"), large);
    assert_eq!(refused.unwrap_err().refusals()[0].code, Code::JsonSize);
    assert_eq!(board.head().unwrap(), None);
}

/// Somebody else decides between our look and our append: we look again, and see it.
#[test]
fn whoever_comes_second_sees_the_first() {
    let rival = |board: &mut Board<&mut Memory>, _: u64| {
        board.follow(&id("approval"), &id("a"), |_| Ok(Following::Post(post("granted", 2)))).unwrap();
    };
    let mut board = Board::new(Crowded { store: Memory::new(), rivals: 0, rival }, board_id());
    let (kind, key) = (id("approval"), id("a"));
    board.follow(&kind, &key, |_| Ok(Following::Post(post("requested", 1)))).unwrap();
    board.store().rivals = 1;
    let mut seen = Vec::new();
    let stands = board.follow(&kind, &key, |newest| {
        let newest = newest.unwrap();
        seen.push(text(newest).to_owned());
        Ok(match text(newest) {
            "requested" => Following::Post(post("denied", 3)),
            _ => Following::Stands(Box::new(newest.clone())),
        })
    });
    assert_eq!(text(&stands.unwrap()), "granted");
    assert_eq!(seen, ["requested", "granted"]);
    assert_eq!(board.head().unwrap().unwrap().seq, 2);
}

#[test]
fn whoever_is_never_quick_enough_gives_up() {
    let rival = |board: &mut Board<&mut Memory>, left: u64| {
        board.follow(&id("fact"), &id("b"), |_| Ok(Following::Post(post("quick", 1000 + left)))).unwrap();
    };
    let mut board = Board::new(Crowded { store: Memory::new(), rivals: 1000, rival }, board_id());
    let refused = board.follow(&id("approval"), &id("a"), |_| Ok(Following::Post(post("late", 1))));
    assert_eq!(refused.unwrap_err().refusals()[0].code, Code::StoreBusy);
}
