use proptest::prelude::*;

use super::*;
use crate::json::{Limits, read};
use crate::memory::Memory;
use crate::store::{Batch, Expected, Store as _, Which};

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn board() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

fn draft(random: u8, data: &str) -> Draft {
    Draft {
        reference: Reference::from_random([random; 10]),
        kind: id("fact"),
        key: id("forecast"),
        author: id("scout"),
        step: None,
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::agents([id("planner"), id("builder")]),
        data: read(data, &Limits::default()).unwrap().into_owned(),
        derived_from: vec![3, 1, 3],
        idempotency_key: Some(id("once")),
        declassified: false,
    }
}

#[test]
fn an_entry_has_one_form() {
    let head = Head { seq: 6, digest: crate::json::digest(b"before") };
    let record = draft(1, r#"{"sky": "clear", "c": 1.0}"#).place(&board(), Some(&head)).seal();
    assert_eq!(record.seq, 7);
    let expected = format!(
        concat!(
            r#"{{"at":"2026-01-02T03:04:05.000Z","author":"scout","data":{{"c":1,"sky":"clear"}},"derived_from":[1,3],"#,
            r#""idempotency_key":"once","key":"forecast","kind":"fact","prev":"{}","readers":["builder","planner"],"#,
            r#""reference":"{}","seq":7,"task":"login","tenant":"acme"}}"#
        ),
        head.digest, record.reference
    );
    assert_eq!(record.bytes, expected);
    assert_eq!(record.digest, crate::json::digest(expected.as_bytes()));
    let entry = Entry::read(&record).unwrap();
    assert_eq!((entry.seal(), entry.draft.derived_from), (record, vec![1, 3]));
}

#[test]
fn a_line_is_read_back_and_a_changed_one_is_not() {
    let record = draft(1, "\"}\\\",\\\"digest\\\":{\"").place(&board(), None).seal();
    let line = record.to_line();
    assert_eq!(Entry::read_line(&line).unwrap(), record);
    let changed = line.replace("scout", "scoat");
    assert_eq!(Entry::read_line(&changed).unwrap_err().code, crate::refusal::Code::BoardBroken);
}

#[test]
fn readers_that_are_not_understood_survive_as_they_are() {
    for readers in ["null", "\"all\"", "[\"\"]"] {
        let good = draft(1, "1").place(&board(), None).seal().to_line();
        let value = read(&good, &Limits::default()).unwrap();
        let mut object = value.as_object().unwrap().clone();
        object.remove("digest");
        object.set("readers", read(readers, &Limits::default()).unwrap());
        let bytes = crate::json::canonical(&crate::json::Value::Object(object.clone()));
        object.set("digest", crate::json::Value::string(crate::json::digest(&bytes)));
        let line = crate::json::compact(&crate::json::Value::Object(object));
        let record = Entry::read_line(&line).unwrap();
        assert_eq!(record.bytes.as_bytes(), bytes);
        assert_eq!(Entry::read(&record).unwrap().draft.readers, Readers::nobody(), "{readers}");
    }
}

#[test]
fn a_word_beside_the_bytes_that_says_something_else_is_found() {
    let good = draft(1, "1").place(&board(), None).seal();
    let changes: [fn(&mut Record); 7] = [
        |record| record.seq = 2,
        |record| record.reference = Reference::from_random([9; 10]),
        |record| record.kind = id("patch"),
        |record| record.key = id("other"),
        |record| record.author = id("other"),
        |record| record.idempotency_key = None,
        |record| record.digest = crate::json::digest(b"other"),
    ];
    assert!(Entry::read(&good).is_ok());
    for change in changes {
        let mut record = good.clone();
        change(&mut record);
        assert!(Entry::read(&record).is_err(), "{record:?}");
    }
}

#[test]
fn a_head_is_read_as_it_is_written() {
    let head = Head { seq: 12, digest: crate::json::digest(b"x") };
    assert_eq!(Head::parse(&head.to_string()), Some(head.clone()));
    for text in ["", "12", "12:", "0:x", &head.digest, &format!("+{head}"), &format!("0{head}"), &format!("{head} ")] {
        assert_eq!(Head::parse(text), None, "{text}");
    }
}

#[test]
fn the_memory_refuses_what_is_no_entry_of_the_board() {
    let mut memory = Memory::new();
    let first = draft(1, "1").place(&board(), None).seal();
    let foreign = BoardId { tenant: id("other"), ..board() };
    let batch = |record: Record| Batch { records: vec![record], ..Batch::default() };
    assert!(memory.append(&foreign, &Expected::Empty, &batch(first.clone())).is_err());
    memory.append(&board(), &Expected::Empty, &batch(first.clone())).unwrap();
    let mut second = draft(2, "2");
    second.idempotency_key = None;
    let other = Head { seq: 1, digest: crate::json::digest(b"other") };
    let unchained = second.clone().place(&board(), Some(&other)).seal();
    assert!(memory.append(&board(), &Expected::Head(first.head()), &batch(unchained)).is_err());
    let chained = second.place(&board(), Some(&first.head())).seal();
    memory.append(&board(), &Expected::Head(first.head()), &batch(chained.clone())).unwrap();
    assert_eq!(memory.read(&board(), Which::Reference(&chained.reference)).unwrap(), Some(chained));
    assert_eq!(memory.head(&foreign).unwrap(), None);
}

proptest! {
    #[test]
    fn whatever_the_data_says_it_comes_back(data in crate::json::arbitrary::value(), author in "[!-~]{1,128}") {
        let mut draft = draft(1, "null");
        draft.data = data;
        draft.author = id(&author);
        let entry = draft.place(&board(), None);
        let record = entry.seal();
        prop_assert_eq!(&Entry::read(&record).unwrap(), &entry);
        prop_assert_eq!(Entry::read_line(&record.to_line()).unwrap(), record);
    }
}
