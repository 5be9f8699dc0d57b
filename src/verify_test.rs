use super::*;
use crate::baton::Timestamp;
use crate::entry::{Draft, Readers, Reference};
use crate::json::Value;

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn board() -> BoardId {
    BoardId { tenant: id("ac\\me"), task: id("lo\"gin") }
}

/// A board of `count` facts, each derived from the one before; every third is for one agent alone.
fn records(count: u64, said: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for number in 1..=count {
        let draft = Draft {
            reference: Reference::from_random([number as u8; 10]),
            kind: id("fact"),
            key: id(&format!("k{number}")),
            author: id("scout"),
            step: None,
            at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
            readers: Readers::Everyone,
            data: Value::string(format!("{said} {number}")),
            derived_from: if number > 1 { vec![number - 1] } else { Vec::new() },
            idempotency_key: (number % 2 == 0).then(|| id(&format!("once-{number}"))),
            declassified: false,
        };
        records.push(draft.place(&board(), records.last().map(Record::head).as_ref()).seal());
    }
    records
}

fn verdict(records: &[Record], expected: Option<Head>) -> Verdict {
    let mut verifier = Verifier::new(board()).replaying();
    if let Some(head) = expected {
        verifier = verifier.expecting(head);
    }
    records.iter().for_each(|record| verifier.push(record));
    verifier.finish()
}

/// The same records with one member of one entry replaced, that entry's digest worked out anew.
fn changed(from: &str, to: &str, place: usize) -> Vec<Record> {
    let mut records = records(5, "it rains");
    let record = &mut records[place];
    assert!(record.bytes.contains(from));
    record.bytes = record.bytes.replace(from, to);
    record.digest = json::digest(record.bytes.as_bytes());
    records
}

#[test]
fn a_board_as_it_was_recorded_is_sound() {
    let records = records(5, "it rains");
    let found = verdict(&records, Some(records[4].head()));
    assert_eq!((found.entries, &found.findings, found.against_head), (5, &Vec::new(), true));
    assert_eq!(verdict(&records, Some(records[2].head())).findings, []);
    assert_eq!(verdict(&[], None).findings, []);
}

#[test]
fn every_kind_of_tampering_is_found() {
    let good = records(5, "it rains");
    let head = good[4].head();
    let with = |change: &dyn Fn(&mut Vec<Record>)| {
        let mut records = good.clone();
        change(&mut records);
        verdict(&records, Some(head.clone()))
    };
    type Change<'c> = &'c dyn Fn(&mut Vec<Record>);
    let cases: [(&str, Change<'_>); 12] = [
        ("content changed", &|records| records[1].bytes = records[1].bytes.replace("rains", "snows")),
        ("content and digest changed", &|records| *records = changed("rains", "snows", 1)),
        ("last entry and digest changed", &|records| *records = changed("rains", "snows", 4)),
        ("taken out", &|records| drop(records.remove(2))),
        ("first taken out", &|records| drop(records.remove(0))),
        ("twice", &|records| records.insert(2, records[1].clone())),
        ("in another order", &|records| records.swap(2, 3)),
        ("tail cut off", &|records| records.truncate(3)),
        ("emptied", &|records| records.clear()),
        ("chain worked out anew", &|records| *records = self::records(5, "it snows")),
        ("a word beside it", &|records| records[3].author = id("other")),
        ("a reference beside it", &|records| records[3].reference = Reference::from_random([99; 10])),
    ];
    for (what, change) in cases {
        assert!(!with(change).is_sound(), "{what}");
    }
    for (from, to) in [
        ("ac\\\\me", "other"),
        ("[1]", "[2]"),
        ("[1]", "[7]"),
        ("\"seq\":2", "\"seq\":3"),
        ("\"prev\":\"", "\"prev\":\"x"),
    ] {
        assert!(!verdict(&changed(from, to, 1), None).is_sound(), "{from}");
    }
}

#[test]
fn without_a_head_a_cut_tail_is_not_found() {
    let mut records = records(5, "it rains");
    records.truncate(3);
    let found = verdict(&records, None);
    assert!(found.is_sound() && !found.against_head);
}

#[test]
fn laundered_entries_are_found() {
    for (readers, sound) in [("[\"bob\"]", true), ("[\"*\"]", false)] {
        let mut records = Vec::new();
        for (number, readers) in [(1, "[\"bob\"]"), (2, readers)] {
            let readers = json::read(readers, &Limits::default()).unwrap();
            let draft = Draft {
                reference: Reference::from_random([number; 10]),
                kind: id("fact"),
                key: id("k"),
                author: id("scout"),
                step: None,
                at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
                readers: Readers::of(Some(&readers)),
                data: Value::Null,
                derived_from: (1..u64::from(number)).collect(),
                idempotency_key: None,
                declassified: false,
            };
            records.push(draft.place(&board(), records.last().map(Record::head).as_ref()).seal());
        }
        assert_eq!(verdict(&records, None).is_sound(), sound, "{readers}");
    }
}

/// One entry of `kind` and `key` more, chained as it should be.
fn with_one_more(kind: &str, key: &str, change: impl Fn(&mut Draft)) -> Vec<Record> {
    let mut records = records(5, "it rains");
    let mut draft = Entry::read(&records[0]).unwrap().draft;
    draft.reference = Reference::from_random([77; 10]);
    (draft.kind, draft.key) = (id(kind), id(key));
    change(&mut draft);
    records.push(draft.place(&board(), records.last().map(Record::head).as_ref()).seal());
    records
}

#[test]
fn an_entry_put_at_the_end_in_the_place_of_another_is_found() {
    let plain = |records: &[Record]| {
        let mut verifier = Verifier::new(board());
        records.iter().for_each(|record| verifier.push(record));
        verifier.finish()
    };
    assert!(plain(&with_one_more("fact", "k", |_| {})).is_sound());
    for (kind, key) in [("patch", "baton/1"), ("patch", "other"), ("baton", "other")] {
        assert!(!plain(&with_one_more(kind, key, |_| {})).is_sound(), "{kind} {key}");
    }
    let reused: [&dyn Fn(&mut Draft); 2] = [&|draft| draft.reference = Reference::from_random([1; 10]), &|draft| {
        draft.idempotency_key = Some(id("once-2"))
    }];
    for change in reused {
        assert!(!verdict(&with_one_more("fact", "k", change), None).is_sound());
    }
}

#[test]
fn what_no_reader_could_read_is_found_without_reading_it_in_full() {
    let plain = |from: &str, to: &str| {
        let mut verifier = Verifier::new(board());
        let mut records = records(1, "it rains");
        assert!(records[0].bytes.contains(from), "{from}");
        records[0].bytes = records[0].bytes.replace(from, to);
        records[0].digest = json::digest(records[0].bytes.as_bytes());
        verifier.push(&records[0]);
        verifier.finish().is_sound()
    };
    assert!(plain("rains", "snows"));
    for (from, to) in [
        ("\"data\":\"it rains 1\",", ""),
        ("\"kind\"", "\"digest\":1,\"kind\""),
        ("\"kind\"", "\"kine\":1,\"kind\""),
        ("05.000Z", "05Z"),
        ("\"derived_from\":[]", "\"declassified\":false,\"derived_from\":[]"),
        ("\"derived_from\":[]", "\"derived_from\":[0]"),
        ("\"tenant\"", "\"step\":\"a b\",\"tenant\""),
    ] {
        assert!(!plain(from, to), "{to}");
    }
}

#[test]
fn findings_are_counted_where_they_are_many() {
    let mut records = records(250, "it rains");
    records.iter_mut().for_each(|record| record.digest = json::digest(b"other"));
    let found = verdict(&records, None);
    assert_eq!(found.findings.len(), FINDINGS_MAX);
    assert!(found.more > 300);
}
