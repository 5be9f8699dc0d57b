use super::*;
use crate::board::tests::{Bytes, begun, code, id, moment, recording, reference, refused};
use crate::board::{BATON, FACT, PATCH, Recording};

fn post(author: &str, number: u64, readers: Readers, derived_from: Vec<Reference>) -> Post {
    Post {
        kind: id(FACT),
        key: id("forecast"),
        author: id(author),
        step: None,
        at: moment(),
        readers,
        data: Value::string("rain"),
        derived_from,
        idempotency_key: None,
        declassify: false,
        reference: reference(number),
    }
}

#[test]
fn nothing_is_laundered() {
    let mut board = begun();
    let readers = |names: &[&str]| Readers::agents(names.iter().map(|name| id(name)));
    let secret = board.post(&post("scout", 10, readers(&["planner"]), vec![])).unwrap().reference;
    let wide = [(Readers::Everyone, "planner"), (readers(&["planner", "builder"]), "scout")];
    for (number, (wide, author)) in (11..).zip(wide) {
        let wide = post(author, number, wide, vec![secret.clone()]);
        assert_eq!(code(board.post(&wide)), Code::BoardLaundering);
        let declassified = board.post(&Post { declassify: true, ..wide }).unwrap();
        let entry = board.entry(Which::Reference(&declassified.reference)).unwrap().unwrap().entry;
        assert!(entry.draft.declassified);
    }
    // The author of a source can read it, and so may be named.
    let narrow = post("planner", 30, readers(&["scout"]), vec![secret.clone()]);
    let entry = board.post(&narrow).unwrap().reference;
    assert!(!board.entry(Which::Reference(&entry)).unwrap().unwrap().entry.draft.declassified);
    // The baton is everyone's: what came of a secret does not get into it.
    let told = Recording { derived_from: vec![secret], ..recording("plan", "planner", 40) };
    assert_eq!(code(board.apply(&told, "{\"current_state\": [\"It rains\"]}", &Bytes)), Code::BoardLaundering);
}

#[test]
fn what_an_author_may_not_read_is_not_there() {
    let mut board = begun();
    let secret = board.post(&post("scout", 10, Readers::nobody(), vec![])).unwrap().reference;
    let absent = reference(99);
    for named in [secret, absent] {
        let told = refused(board.post(&post("planner", 11, Readers::nobody(), vec![named.clone()])));
        let expected = format!("there is no entry `{named}` that `planner` may read: name one as `read` shows it");
        assert_eq!(told, [(Code::BoardUnknownEntry, expected)]);
    }
}

#[test]
fn an_idempotency_key_is_its_authors() {
    let mut board = begun();
    let keyed = |author: &str, number| Post {
        idempotency_key: Some(id("k")),
        ..post(author, number, Readers::nobody(), vec![])
    };
    let first = board.post(&keyed("scout", 10)).unwrap();
    let again = board.post(&keyed("scout", 11)).unwrap();
    assert!(again.replayed && !first.replayed);
    assert_eq!((&again.reference, &again.head), (&first.reference, &first.head));
    let other = Post { data: Value::string("sun"), ..keyed("scout", 12) };
    assert_eq!(code(board.post(&other)), Code::BoardIdempotency);
    assert!(!board.post(&keyed("planner", 13)).unwrap().replayed);
}

#[test]
fn the_boards_own_kinds_are_not_posted() {
    let mut board = begun();
    for kind in [BATON, PATCH] {
        let forged = Post { kind: id(kind), ..post("scout", 10, Readers::Everyone, vec![]) };
        assert_eq!(code(board.post(&forged)), Code::PatchReserved);
    }
}
