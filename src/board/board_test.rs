use proptest::prelude::*;

use super::replay::Snapshot;
use super::*;
use crate::attribution::Attribution;
use crate::baton::{Budget, Timestamp};
use crate::count::TokenCounter;
use crate::entry::{Readers, Record, Reference};
use crate::json::{Limits, Object};
use crate::memory::Memory;
use crate::relay::Relay;
use crate::store::Saved;

/// A byte is a token.
pub(crate) struct Bytes;

impl TokenCounter for Bytes {
    fn encoding(&self) -> &str {
        "bytes"
    }

    fn count(&self, text: &str) -> usize {
        text.len()
    }

    fn adds_up_by_line(&self) -> bool {
        true
    }
}

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn board_id() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

pub(crate) fn moment() -> Timestamp {
    Timestamp::parse("2026-01-02T03:04:05Z").unwrap()
}

/// A reference of its own for each number.
pub(crate) fn reference(number: u64) -> Reference {
    let mut bytes = [7; 10];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Reference::from_random(bytes)
}

const FIRST: &str = r#"{"goal": "Ship it", "current_state": ["Planned"], "constraints": ["No new API"],
    "acceptance": ["tests pass"], "notes": {"z": 1, "a": 2},
    "stamp": {"schema": "baton/v1", "tenant": "acme", "task": "login", "revision": 0}}"#;

pub(crate) fn first() -> Baton<'static> {
    Baton::read(FIRST, &Limits::default()).unwrap()
}

/// A board that has begun.
pub(crate) fn begun() -> Board<Memory> {
    let mut board = Board::new(Memory::new(), board_id());
    board.start(first(), &id("author"), &moment(), &reference(0)).unwrap();
    board
}

pub(crate) fn recording<'r, 'a>(step: &str, by: &str, number: u64) -> Recording<'r, 'a> {
    let relay = Relay {
        budget: Some(Budget { tokens: 1_000_000, encoding: "bytes" }),
        ..Relay::new(Attribution { step: id(step), by: id(by), at: moment() })
    };
    let (derived_from, readers) = (Vec::new(), Readers::Everyone);
    Recording {
        relay,
        base: None,
        derived_from,
        readers,
        declassify: false,
        reference: reference(number),
        rehearse: false,
    }
}

/// Applies `answer` of `step` by an agent of the same name, made from `base`.
fn apply<'a>(
    board: &mut Board<Memory>,
    step: &str,
    base: Option<u64>,
    answer: &'a str,
) -> Result<Recorded<'a>, Refused> {
    let number = board.head().unwrap().map_or(0, |head| head.seq) + 1;
    let recording = Recording { base, ..recording(step, step, number) };
    board.apply(&recording, answer, &Bytes)
}

pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, Refused>) -> Vec<(Code, String)> {
    result.unwrap_err().refusals().iter().map(|refusal| (refusal.code, refusal.detail.clone())).collect()
}

pub(crate) fn code<T: std::fmt::Debug>(result: Result<T, Refused>) -> Code {
    refused(result)[0].0
}

#[test]
fn two_answers_from_one_baton_both_land() {
    let mut board = begun();
    apply(&mut board, "build", Some(0), r#"{"current_state": ["Built"], "decision_log": ["Use Rust"]}"#).unwrap();
    let second = apply(
        &mut board,
        "test",
        Some(0),
        r#"{"current_state": {"add": ["Tested"]}, "decision_log": ["Use proptest"]}"#,
    );
    let baton = second.unwrap().applied.baton;
    assert_eq!(baton.strings(Field::CurrentState).collect::<Vec<_>>(), ["Built", "Tested"]);
    let decisions: Vec<_> =
        baton.decisions().map(|decision| (decision.id().to_owned(), decision.text().to_owned())).collect();
    assert_eq!(decisions, [("D1".into(), "Use Rust".into()), ("D2".into(), "Use proptest".into())]);
    assert_eq!(baton.revision(), 2);
}

#[test]
fn a_conflict_names_who_made_the_value_that_stands() {
    let mut board = begun();
    apply(
        &mut board,
        "early",
        Some(0),
        r#"{"notes": {"z": 5}, "acceptance": [{"check": "tests pass", "status": "failed"}]}"#,
    )
    .unwrap();
    apply(&mut board, "between", None, r#"{"notes": {"a": 3}}"#).unwrap();
    apply(&mut board, "late", None, r#"{"current_state": ["Later"]}"#).unwrap();
    let before = board.head().unwrap();
    let conflicts = refused(apply(
        &mut board,
        "mine",
        Some(0),
        r#"{"notes": {"z": 9, "a": 9}, "acceptance": [{"check": "tests pass", "status": "waived"}]}"#,
    ));
    let told: Vec<&str> = conflicts
        .iter()
        .map(|(code, detail)| {
            assert_eq!(*code, Code::BaseConflict);
            detail.split_once(", ").unwrap().1.split(" made it").next().unwrap()
        })
        .collect();
    assert_eq!(told, ["step `early` by `early`", "step `between` by `between`", "step `early` by `early`"]);
    assert_eq!(board.head().unwrap(), before, "a refusal records nothing");
}

#[test]
fn the_same_answer_again_is_the_first_result() {
    let mut board = begun();
    let answer = r#"{"current_state": ["Built"]}"#;
    let first = apply(&mut board, "build", None, answer).unwrap();
    apply(&mut board, "test", None, r#"{"current_state": ["Tested"]}"#).unwrap();
    let head = board.head().unwrap();
    let again = apply(&mut board, "build", None, answer).unwrap();
    assert!(again.replayed && !first.replayed);
    assert_eq!(again.head, first.head);
    assert_eq!(again.applied.baton, first.applied.baton);
    assert_eq!(again.applied.notices[0].code, "replayed");
    assert_eq!(again.newest.unwrap().number(), 2);
    assert_eq!(board.head().unwrap(), head);
    // Taken as a new one, it is; and that once, from the same base.
    let mut told = recording("build", "build", 50);
    told.relay.again = true;
    told.base = Some(2);
    let anew = board.apply(&told, answer, &Bytes).unwrap();
    assert!(!anew.replayed && anew.applied.baton.revision() == 3);
    told.reference = reference(51);
    assert!(board.apply(&told, answer, &Bytes).unwrap().replayed);
    // Another step, or another author, gives an answer of its own.
    assert!(!apply(&mut board, "check", None, answer).unwrap().replayed);
}

#[test]
fn an_answer_from_before_the_board_is_known() {
    let answer = r#"{"decision_log": ["Use Rust"]}"#;
    let relay = recording("build", "build", 1).relay;
    let taken = relay.apply(first(), answer, &Bytes).unwrap();
    let mut board = Board::new(Memory::new(), board_id());
    board.start(taken.baton, &id("author"), &moment(), &reference(0)).unwrap();
    let again = apply(&mut board, "build", None, answer).unwrap();
    assert!(again.replayed);
    assert_eq!((again.head.seq, &again.reference), (1, &reference(0)));
    assert_eq!(again.applied.baton.decisions().count(), 1);
    assert_eq!(board.head().unwrap().unwrap().seq, 1);
}

#[test]
fn a_base_that_the_board_does_not_have_is_refused() {
    let mut board = begun();
    assert_eq!(code(apply(&mut board, "build", Some(3), "{\"x\": 1}")), Code::BaseUnknown);
    assert_eq!(code(board.checkout(1)), Code::BoardUnknownEntry);
    let mut empty = Board::new(Memory::new(), board_id());
    assert_eq!(code(apply(&mut empty, "build", None, "{\"x\": 1}")), Code::BoardMissing);
}

#[test]
fn a_file_is_held_against_its_board() {
    let mut board = begun();
    let old = board.newest().unwrap().unwrap().reading();
    let read = |document: &str| Baton::read(document, &Limits::default()).unwrap().into_owned();
    assert_eq!(board.standing(&old).unwrap(), Standing::Newest);
    let new = read(&apply(&mut board, "build", None, r#"{"current_state": ["Built"]}"#).unwrap().applied.document);
    assert_eq!(board.standing(&new).unwrap(), Standing::Newest);
    assert_eq!(board.standing(&old).unwrap(), Standing::Older { newest: 1 });
    assert_eq!(board.standing(&without_head(old.clone())).unwrap(), Standing::Older { newest: 1 });

    let edited = read(&new.to_json().replace("Built", "Bullt"));
    assert_eq!(code(board.standing(&edited)), Code::BoardEdited);
    let ahead = read(&new.to_json().replace("\"revision\": 1", "\"revision\": 2"));
    assert_eq!(code(board.standing(&ahead)), Code::BoardEdited, "it went on without the board");
    let cut = read(&ahead.to_json().replace("\"head\": \"2:", "\"head\": \"3:"));
    assert_eq!(code(board.standing(&cut)), Code::BoardCut);
    let foreign = read(&new.to_json().replace("acme", "other"));
    assert_eq!(code(board.standing(&foreign)), Code::BoardForeign);
    let unnamed = read(r#"{"goal": "Ship it"}"#);
    assert_eq!(code(board.standing(&unnamed)), Code::BoardUnnamed);

    let mut other = Board::new(Memory::new(), board_id());
    assert_eq!(code(other.standing(&new)), Code::BoardCut);
    assert_eq!(other.standing(&without_head(new.clone())).unwrap(), Standing::New);
    // A board on which the same happened, in other words: the entries have other names.
    other.start(first(), &id("author"), &moment(), &reference(77)).unwrap();
    assert_eq!(code(other.standing(&old)), Code::BoardBroken);
}

#[test]
fn a_baton_is_put_on_a_board_once() {
    let mut board = begun();
    assert_eq!(code(board.start(first(), &id("author"), &moment(), &reference(1))), Code::BoardNotEmpty);
    let unnamed = Baton::read(r#"{"goal": "Ship it"}"#, &Limits::default()).unwrap();
    assert_eq!(
        code(Board::new(Memory::new(), board_id()).start(unnamed, &id("a"), &moment(), &reference(1))),
        Code::BoardUnnamed
    );
}

#[test]
fn the_newest_snapshot_alone_is_not_believed() {
    let mut board = begun();
    for (step, state) in [("one", "1"), ("two", "2"), ("three", "3")] {
        let answer = format!(r#"{{"current_state": ["{state}"]}}"#);
        apply(&mut board, step, None, &answer).unwrap();
    }
    let slot = id(BATON);
    let store = board.store();
    let saved = store.load(&board_id(), &slot, u64::MAX).unwrap().unwrap();
    let head = store.head(&board_id()).unwrap();
    let forged = Saved { bytes: saved.bytes.replace("\"3\"", "\"4\""), ..saved };
    let batch = Batch { saves: vec![forged], ..Batch::default() };
    store.append(&board_id(), &Expected::of(head), &batch).unwrap();
    let newest = Board::new(board.store().clone(), board_id()).newest().unwrap().unwrap();
    assert_eq!(newest.baton.strings(Field::CurrentState).collect::<Vec<_>>(), ["3"]);
}

#[test]
fn what_could_not_be_read_back_does_not_go_in() {
    let mut board = begun();
    let deep = format!("{{\"x\": {}1{}}}", "[".repeat(1023), "]".repeat(1023));
    let mut told = recording("build", "builder", 10);
    told.relay.extraction.limits = Limits::default().with_depth(1024).with_bytes(1 << 30);
    assert_eq!(code(board.apply(&told, &deep, &Bytes)), Code::JsonDepth);
    assert_eq!(board.head().unwrap().unwrap().seq, 1);
}

/// A patch that does something to a few fields.
fn patches() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["a", "b", "c", "d"]);
    prop_oneof![
        word.clone().prop_map(|word| format!(r#"{{"current_state": ["{word}"]}}"#)),
        word.clone().prop_map(|word| format!(r#"{{"open_questions": {{"add": ["{word}"]}}}}"#)),
        (word.clone(), word.clone())
            .prop_map(|(name, word)| format!(r#"{{"artifacts": [{{"name": "{name}", "summary": "{word}"}}]}}"#)),
        (word.clone(), any::<u8>()).prop_map(|(word, number)| format!(
            r#"{{"zeta": {{"{word}": {number}, "y": null}}, "alpha": [1.0, {{"b": null}}]}}"#
        )),
        word.clone()
            .prop_map(|word| format!(r#"{{"decision_log": ["{word}", {{"decision": "{word} too", "why": 1}}]}}"#)),
        word.prop_map(|word| format!(r#"{{"notes": null, "extra {word}": true}}"#)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_revision_is_made_anew_from_the_entries(answers in prop::collection::vec((patches(), any::<bool>()), 1..24)) {
        let mut board = begun();
        let mut made = vec![board.newest().unwrap().unwrap().reading()];
        for (number, (answer, stale)) in answers.iter().enumerate() {
            let base = stale.then(|| made.len() as u64 / 2);
            if let Ok(recorded) = apply(&mut board, &format!("s{number}"), base, answer) {
                made.push(recorded.applied.baton.into_owned());
            }
        }
        // From the entries alone, without any snapshot, and with those that were saved.
        let records: Vec<Record> = board.store().page(&board_id(), 0, usize::MAX).unwrap();
        let mut memory = Memory::new();
        memory.append(&board_id(), &Expected::Empty, &Batch { records, ..Batch::default() }).unwrap();
        let mut bare = Board::new(memory, board_id());
        for (revision, baton) in made.iter().enumerate() {
            for board in [&mut board, &mut bare] {
                prop_assert_eq!(&board.checkout(revision as u64).unwrap().reading(), baton);
                prop_assert!(board.standing(baton).is_ok());
            }
        }
        prop_assert_eq!(&board.newest().unwrap().unwrap().reading(), made.last().unwrap());
    }

    #[test]
    fn snapshots_stay_sparse_and_near(sizes in prop::collection::vec(1_usize..5000, 1..200)) {
        let baton = first().about_as_long_as(1000);
        let revision = |_| Revision { baton: baton.clone(), after: String::new(), head: Head { seq: 1, digest: String::new() } };
        let mut snapshot = Snapshot::first(revision(0));
        let (mut kept, mut patched, mut since) = (0, 0, 0);
        for size in &sizes {
            snapshot = snapshot.next(revision(0), *size);
            patched += size;
            since += size;
            if snapshot.kept {
                prop_assert!(since >= 4000);
                (kept, since) = (kept + 1, 0);
            } else {
                prop_assert!(since < 4000);
            }
        }
        prop_assert!(kept * 4000 <= patched);
    }
}

#[test]
fn the_lowered_patches_are_plain_merge_patches() {
    let mut board = begun();
    let answers = [
        r#"{"current_state": ["Built"], "decision_log": ["Use Rust"]}"#,
        r#"{"notes": {"z": null}, "decision_log": ["Use serde"]}"#,
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        apply(&mut board, &format!("s{number}"), None, answer).unwrap();
    }
    // What any implementation of RFC 7396 makes of them, once the log's additions are put after those before.
    let first = board.checkout(0).unwrap().baton;
    let mut document: serde_json::Value = serde_json::from_str(&first.to_json()).unwrap();
    for revision in 1..=2 {
        let kept = board.entry_of(revision).unwrap().unwrap();
        let data = PatchData::of(&kept.entry).unwrap();
        let plain = |object: Object<'static>| -> serde_json::Value {
            serde_json::from_str(&json::compact(&Value::Object(object))).unwrap()
        };
        let mut patch = plain(data.lowered);
        if let Some(added) = patch.get("decision_log").cloned() {
            let mut log = document["decision_log"].as_array().cloned().unwrap_or_default();
            log.extend(added.as_array().unwrap().iter().cloned());
            patch["decision_log"] = log.into();
        }
        patch["stamp"] = plain(data.stamp);
        json_patch::merge(&mut document, &patch);
    }
    let newest = board.newest().unwrap().unwrap().baton;
    let newest: serde_json::Value = serde_json::from_str(&newest.to_json()).unwrap();
    assert_eq!(document, newest);
}
