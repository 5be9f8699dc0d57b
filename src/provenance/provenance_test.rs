#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]
//! Walks over boards of every shape, against a plain transitive closure.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::baton::Id;
use crate::board::Post;
use crate::entry::{BoardId, Draft, Readers};
use crate::json::Value;
use crate::memory::Memory;
use crate::render::hostile::{cases, hostile};
use crate::store::{Batch, Expected};

pub(super) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

/// The reference of the entry `seq`.
fn reference(seq: u64) -> Reference {
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&seq.to_be_bytes());
    Reference::from_random(bytes)
}

/// What one entry says, who says it, at which step, and what it was made of.
pub(super) type Fact<'f> = (&'f str, &'f str, Option<&'f str>, &'f [u64]);

pub(super) fn post(board: &mut Board<Memory>, seq: u64, (says, author, step, sources): Fact<'_>) {
    let post = Post {
        kind: id("fact"),
        key: id("k"),
        author: id(author),
        step: step.map(id),
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::string(says.to_owned()),
        derived_from: sources.iter().map(|seq| reference(*seq)).collect(),
        idempotency_key: None,
        declassify: false,
        reference: reference(seq),
    };
    assert_eq!(board.post(&post).unwrap().head.seq, seq);
}

pub(super) fn board() -> Board<Memory> {
    Board::new(Memory::new(), BoardId { tenant: id("t"), task: id("k") })
}

/// A board on which entry `n` was made of the entries in the set `n - 1`.
pub(super) fn linked(links: &[BTreeSet<u64>]) -> Board<Memory> {
    let mut board = board();
    for (place, sources) in links.iter().enumerate() {
        let sources: Vec<u64> = sources.iter().copied().collect();
        post(&mut board, place as u64 + 1, ("x", "a", None, &sources));
    }
    board
}

/// A board of so many entries, put there many at a time.
fn filled(count: u64, sources: impl Fn(u64) -> Vec<u64>) -> Board<Memory> {
    let (mut board, mut head) = (board(), None);
    let id_of_board = board.id().clone();
    let mut records = Vec::new();
    for seq in 1..=count {
        let draft = Draft {
            reference: reference(seq),
            kind: id("fact"),
            key: id("k"),
            author: id("a"),
            step: Some(id("s")),
            at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
            readers: Readers::Everyone,
            data: Value::string("x"),
            derived_from: sources(seq),
            idempotency_key: None,
            declassified: false,
        };
        let record = draft.place(&id_of_board, head.as_ref()).seal();
        head = Some(record.head());
        records.push(record);
    }
    for records in records.chunks(200) {
        let expected = Expected::of(board.head().unwrap());
        let batch = Batch { records: records.to_vec(), ..Batch::default() };
        board.store().append(&id_of_board, &expected, &batch).unwrap();
    }
    board
}

/// Of up to 24 entries, each made of some older ones.
pub(super) fn links() -> impl Strategy<Value = Vec<BTreeSet<u64>>> {
    vec(vec(any::<u64>(), 0..4), 1..24).prop_map(|picks| {
        let of = |(place, picks): (usize, Vec<u64>)| match place as u64 {
            0 => BTreeSet::new(),
            older => picks.into_iter().map(|pick| pick % older + 1).collect(),
        };
        picks.into_iter().enumerate().map(of).collect()
    })
}

/// Everything that `start` rests on, and itself.
fn closure(links: &[BTreeSet<u64>], start: u64) -> BTreeSet<u64> {
    let mut all = BTreeSet::from([start]);
    for seq in (1..=start).rev() {
        if all.contains(&seq) {
            all.extend(&links[seq as usize - 1]);
        }
    }
    all
}

#[test]
fn a_walk_finds_everything_once_and_nothing_else() {
    proptest!(cases(200), |(links in links(), pick in any::<u64>(), most in 1_usize..30)| {
        let start = pick % links.len() as u64 + 1;
        let mut board = linked(&links);
        let graph = walk(&mut board, &[start], ENTRIES_MAX).unwrap();
        let found: Vec<u64> = graph.nodes().iter().map(|node| node.seq).collect();
        let expected = closure(&links, start);
        prop_assert_eq!(found.iter().copied().collect::<BTreeSet<u64>>(), expected.clone());
        prop_assert_eq!(found.len(), expected.len());
        prop_assert!(graph.nodes().is_sorted_by_key(|node| node.distance));
        let edges: BTreeSet<(u64, u64)> = graph.edges().map(|(node, source)| (node.seq, source.seq)).collect();
        let linked = expected.iter().flat_map(|seq| links[*seq as usize - 1].iter().map(|source| (*seq, *source)));
        prop_assert_eq!(edges, linked.collect::<BTreeSet<_>>());
        let roots: BTreeSet<u64> = graph.roots().map(|node| node.seq).collect();
        let bare = expected.iter().copied().filter(|seq| links[*seq as usize - 1].is_empty());
        prop_assert_eq!(roots, bare.collect::<BTreeSet<_>>());

        let part = walk(&mut board, &[start], most).unwrap();
        prop_assert_eq!(part.nodes(), &graph.nodes()[..most.min(found.len())]);
        prop_assert_eq!(part.beyond() > 0, most < found.len());
    });
}

#[test]
fn a_tree_tells_each_entry_in_full_once() {
    proptest!(cases(200), |(links in links(), most in 1_usize..30)| {
        let mut board = linked(&links);
        let graph = walk(&mut board, &[links.len() as u64], most).unwrap();
        let text = graph.to_text();
        let full = |line: &&str| line.contains('●') || line.contains('○');
        prop_assert_eq!(text.lines().filter(full).count(), graph.nodes().len());
        for node in graph.nodes() {
            let mark = if node.derived_from.is_empty() { '○' } else { '●' };
            prop_assert!(text.contains(&format!("{mark} #{} fact k by a, 2026", node.seq)), "{}", text);
        }
        let named: usize = graph.nodes().iter().map(|node| node.derived_from.len()).sum();
        prop_assert!(text.lines().count() <= named + graph.nodes().len() + 2);
    });
}

#[test]
fn a_tree_goes_on_in_its_column_and_branches_before() {
    let of = |seqs: &[u64]| seqs.iter().copied().collect::<BTreeSet<u64>>();
    let mut board = linked(&[of(&[]), of(&[1]), of(&[]), of(&[2, 3]), of(&[2, 4])]);
    let text = walk(&mut board, &[5], 100).unwrap().to_text();
    let says = "fact k by a, 2026-01-02T03:04:05.000Z: x";
    let lines = [
        format!("● #5 {says}"),
        format!("├─● #2 {says}"),
        format!("│ ○ #1 {says}"),
        format!("● #4 {says}"),
        "├─↑ #2 fact k".to_owned(),
        format!("○ #3 {says}"),
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), lines, "{text}");
    let text = walk(&mut board, &[5], 2).unwrap().to_text();
    assert!(text.contains("├─… #2") && text.ends_with("… and 2 more entries, and what they were made of\n"), "{text}");
}

#[test]
fn ten_thousand_links_and_as_many_branches_stay_small() {
    // The older of the two branches off at every link.
    let mut board = filled(10_000, |seq| [seq.saturating_sub(2), seq - 1].into_iter().filter(|seq| *seq > 0).collect());
    let graph = walk(&mut board, &[10_000], ENTRIES_MAX).unwrap();
    assert_eq!((graph.nodes().len(), graph.beyond()), (10_000, 0));
    let text = graph.to_text();
    assert!(text.len() < 10_000 * 200, "{}", text.len());
    assert_eq!(text.matches("by a").count(), 10_000);
    assert_eq!(graph.to_mermaid().lines().count(), 1 + 10_000 + 19_997);
    assert_eq!(graph.to_dot().matches(" -> ").count(), 19_997);
    assert!(graph.to_prov().contains("\"_:d19997\""));
}

#[test]
fn a_line_of_what_is_said_is_short_and_visible() {
    proptest!(cases(2_000), |(text in hostile(), times in 1_usize..40)| {
        let line = says::one_line(&text.repeat(times));
        prop_assert!(line.chars().count() <= SAYS_MAX);
        prop_assert!(!line.chars().any(crate::text::is_hidden));
    });
    for (json, shown) in [
        (r#"{"a":[1,2],"b":"c"}"#, r#"{"a":[1,2],"b":"c"}"#),
        ("[]", "[]"),
        ("\"two\\nlines\"", "two\nlines"),
        ("null", "null"),
        ("1.50", "1.50"),
    ] {
        assert_eq!(says::plain(&crate::json::read(json, &crate::json::Limits::default()).unwrap()), shown);
    }
    let many = Value::Array(vec![Value::Null; 100_000]);
    assert!(says::plain(&many).len() < 1_000);
    assert_eq!(says::plain(&Value::Array(vec![many])), "[[100000 items]]");
}

#[test]
fn what_is_not_there_is_refused() {
    let mut board = linked(&[BTreeSet::new()]);
    let refused = walk(&mut board, &[2], 10).unwrap_err();
    assert_eq!(refused.refusals()[0].code, Code::BoardUnknownEntry);
    assert_eq!(walk(&mut board, &[], 10).unwrap().to_text(), "");
}

#[test]
fn a_call_and_an_approval_say_what_became_of_them() {
    let says = |kind: &str, data: &str| {
        let mut board = board();
        post(&mut board, 1, ("x", "scout", None, &[]));
        let mut entry = board.entry(Which::Seq(1)).unwrap().unwrap().entry;
        entry.draft.kind = Id::new(kind).unwrap();
        entry.draft.data = crate::json::read(data, &crate::json::Limits::default()).unwrap().into_owned();
        super::says(&entry)
    };
    let call = r#"{"state": "done", "tool": "send", "agent": "bob", "arguments": {"to": "ops"}, "result": "sent"}"#;
    assert_eq!(says("call", call), r#"send done, for bob: {"to":"ops"} → sent"#);
    let denied = r#"{"state": "denied", "tool": "send", "agent": "bob", "why": "not today"}"#;
    assert_eq!(says("approval", denied), "send denied, for bob → not today");
    let failed = r#"{"what": "run", "run": "r2", "agent": "bob", "code": "run.failed", "detail": "it ended with 1"}"#;
    assert_eq!(says("trace", failed), "run of bob (r2): run.failed: it ended with 1");
    let invoked = r#"{"caller": "strategy ship", "agent": "bob"}"#;
    assert_eq!(says("trace", invoked), "strategy ship → bob");
    assert_eq!(says("trace", r#"{"run": "r1", "tokens_in": 7}"#), "(r1): tokens_in 7");
    assert_eq!(says("call", r#"{"state": "done"}"#), r#"{"state":"done"}"#);
}

#[test]
fn of_a_digest_people_are_shown_the_beginning() {
    let digest = Id::new(&crate::json::digest(b"x")).unwrap();
    assert_eq!(super::short_key(&digest), format!("{}…", digest.as_str().chars().take(14).collect::<String>()));
    assert_eq!(super::short_key(&Id::new("baton/12").unwrap()), "baton/12");
}
