//! Boards beside one another.

use relay_baton::entry::{Draft, Record};
use relay_baton::store::Which;

use crate::Place;
use crate::entries::{all, board, draft, id, keep, keyed, post, saved};

/// Boards with the same ids everywhere, under other tenants and tasks, are as if each were alone.
pub fn boards_are_as_if_alone(place: &dyn Place) {
    let mut store = place.open();
    let boards = [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y"), ("x", "a"), ("ax", "x"), ("a", "xx")]
        .map(|(tenant, task)| board(tenant, task));
    let drafts = || [keyed(1, "scout", "once"), draft(2), draft(3)];
    let mut kept: Vec<Vec<Record>> = Vec::new();
    for (place, board) in boards.iter().enumerate() {
        // Those that come later are still empty.
        assert_eq!(store.head(board), Ok(None), "{board}");
        assert_eq!(store.load(board, &id("baton"), 9), Ok(None), "{board}");
        let mut records = post(&mut store, board, drafts());
        records.extend(post(&mut store, board, (10..10 + place as u64).map(draft)));
        keep(&mut store, board, vec![saved("baton", 1, &board.to_string())], Vec::new());
        kept.push(records);
    }
    keep(&mut store, &boards[0], Vec::new(), vec![(id("baton"), 1)]);
    for (place, board) in boards.iter().enumerate() {
        assert_eq!(store.head(board), Ok(kept[place].last().map(Record::head)), "{board}");
        assert_eq!(all(&mut store, board), kept[place], "{board}");
        let document = (place > 0).then(|| saved("baton", 1, &board.to_string()));
        assert_eq!(store.load(board, &id("baton"), 9), Ok(document), "{board}");
        let first = &kept[place][0];
        let once = Which::Idempotent { author: &first.author, key: &id("once") };
        let newest = Which::Newest { kind: &first.kind, key: &first.key, before: u64::MAX };
        assert_eq!(store.read(board, once), Ok(Some(first.clone())), "{board}");
        assert_eq!(store.read(board, newest), Ok(kept[place].last().cloned()), "{board}");
        assert_eq!(store.read(board, Which::Reference(&first.reference)), Ok(Some(first.clone())), "{board}");
        let beyond = kept[place].len() as u64 + 1;
        assert_eq!(store.read(board, Which::Seq(beyond)), Ok(None), "{board}");
        let others = kept[6].last().filter(|_| place < 6);
        let foreign = others.map(|record| store.read(board, Which::Reference(&record.reference)));
        assert!(foreign.is_none_or(|found| found == Ok(None)), "{board}: a record of another board");
    }
}

/// Ids that a careless store takes for one another, or for something else than data.
const ODD: [&str; 22] = [
    "a", "A", "%", "_", "%%", "a%", "a_", "'", "''", "\"", "\\", "\\'", "a\\", ";--", "$1", "?1", "*", "[a]", "0",
    "00", "1e1", "NULL",
];

/// Ids are compared byte for byte: case, quotes, wildcards, escapes and numbers are nothing but bytes.
pub fn ids_are_nothing_but_bytes(place: &dyn Place) {
    let mut store = place.open();
    let long = "~".repeat(128);
    let odd = || ODD.into_iter().chain([long.as_str()]);
    for word in odd() {
        post(&mut store, &board(word, "x"), [draft(1)]);
        post(&mut store, &board("x", word), [draft(1), draft(2)]);
        keep(&mut store, &board("x", "slots"), vec![saved(word, 1, word)], Vec::new());
    }
    let words = board("x", "words");
    let naming = |number: u64, word: &str| Draft { kind: id(word), key: id(word), ..keyed(number, word, word) };
    let records: Vec<_> =
        odd().zip(1..).flat_map(|(word, number)| post(&mut store, &words, [naming(number, word)])).collect();
    for (word, record) in odd().zip(&records) {
        assert_eq!(all(&mut store, &board(word, "x")).len(), 1, "{word}");
        assert_eq!(all(&mut store, &board("x", word)).len(), 2, "{word}");
        let document = store.load(&board("x", "slots"), &id(word), 1);
        assert_eq!(document, Ok(Some(saved(word, 1, word))), "{word}");
        let id = &id(word);
        let newest = Which::Newest { kind: id, key: id, before: u64::MAX };
        assert_eq!(store.read(&words, newest), Ok(Some(record.clone())), "{word}");
        assert_eq!(store.read(&words, Which::Idempotent { author: id, key: id }), Ok(Some(record.clone())), "{word}");
    }
}
