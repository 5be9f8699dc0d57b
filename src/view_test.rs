use proptest::prelude::*;

use super::*;
use crate::board::tests::{Bytes, begun, board_id, first, id, moment, reference};
use crate::entry::Readers;
use crate::json::compact;
use crate::memory::Memory;

/// One thing that happens at a board.
#[derive(Clone, Debug)]
enum Event {
    /// A fact of `scout`, derived from an earlier visible one, that `bob` may read or not.
    Fact { visible: bool, key: u8, source: Option<u8> },
    /// A fact that `bob` posts himself.
    Own { key: u8, idempotent: bool },
    /// A step of the baton.
    Step { value: u8 },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        3 => (any::<bool>(), 0_u8..3, prop::option::of(0_u8..4)).prop_map(|(visible, key, source)| Event::Fact { visible, key, source }),
        1 => (0_u8..3, any::<bool>()).prop_map(|(key, idempotent)| Event::Own { key, idempotent }),
        1 => any::<u8>().prop_map(|value| Event::Step { value }),
    ];
    prop::collection::vec(event, 0..12)
}

/// Everything that `bob` can be told, after `events`; without those he may not see, where `hidden` is not set.
fn told(events: &[Event], hidden: bool) -> Vec<String> {
    told_with(events, hidden, &mut |_| {})
}

/// The same; `look` is shown the store in the end.
fn told_with(events: &[Event], hidden: bool, look: &mut dyn FnMut(&Memory)) -> Vec<String> {
    let mut board = begun();
    let mut visible: Vec<Reference> = Vec::new();
    let mut told = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let number = number as u64 + 100;
        let post = |author: &str, readers, key: u8, derived_from| Post {
            kind: id("fact"),
            key: id(&format!("k{key}")),
            author: id(author),
            step: None,
            at: moment(),
            readers,
            data: Value::integer(number),
            derived_from,
            idempotency_key: None,
            declassify: true,
            reference: reference(number),
        };
        match event {
            Event::Fact { visible: false, .. } if !hidden => {}
            Event::Fact { visible: sees, key, source } => {
                let readers = if *sees { Readers::agents([id("bob")]) } else { Readers::agents([id("carol")]) };
                let source = source.and_then(|source| visible.get(source as usize).cloned());
                let keyed = Post {
                    idempotency_key: Some(id(&format!("once-{number}"))),
                    ..post("scout", readers, *key, source.into_iter().collect())
                };
                let posted = board.post(&keyed).unwrap();
                if *sees {
                    visible.push(posted.reference);
                }
            }
            Event::Own { key, idempotent } => {
                let own = Post {
                    idempotency_key: idempotent.then(|| id(&format!("once-{}", number - 1))),
                    ..post("bob", Readers::nobody(), *key, vec![])
                };
                told.push(format!("{:?}", board.post(&own).map(|posted| (posted.reference, posted.replayed))));
            }
            Event::Step { value } => {
                let answer = format!("{{\"current_state\": [\"{value}\"]}}");
                let relay = crate::relay::Relay {
                    budget: Some(crate::baton::Budget { tokens: 100_000, encoding: "bytes" }),
                    ..crate::relay::Relay::new(crate::attribution::Attribution {
                        step: id("build"),
                        by: id("builder"),
                        at: moment(),
                    })
                };
                let (base, derived_from, readers) = (Some(0), Vec::new(), Readers::Everyone);
                let recording = crate::board::Recording {
                    relay,
                    base,
                    derived_from,
                    readers,
                    declassify: false,
                    reference: reference(number),
                    rehearse: false,
                };
                let came = board
                    .apply(&recording, &answer, &Bytes)
                    .map(|recorded| recorded.applied.rendering.text().to_owned());
                told.push(format!("{came:?}"));
            }
        }
    }
    let store: Memory = board.store().clone();
    look(&store);
    told.extend(asked(store, events.len() as u64));
    told
}

/// What the view answers to everything that can be asked.
fn asked(store: Memory, events: u64) -> Vec<String> {
    let view = || View::new(Board::new(store.clone(), board_id()), id("bob"));
    let seen = |seen: Seen| compact(&Value::Object(seen.to_object()));
    let mut told = Vec::new();
    let all = view().list(None, usize::MAX).unwrap();
    told.extend(all.iter().cloned().map(seen));
    for count in 0..4 {
        told.push(format!("{:?}", view().list(None, count)));
        told.push(format!("{:?}", view().list(all.first().map(|first| &first.reference), count)));
    }
    for key in 0..4 {
        told.push(format!("{:?}", view().newest(&id("fact"), &id(&format!("k{key}")))));
    }
    for number in 0..events + 1 {
        told.push(format!("{:?}", view().read(&reference(number + 100))));
        told.push(format!("{:?}", view().list(Some(&reference(number + 100)), 2)));
        let mut post = Post {
            kind: id("fact"),
            key: id("k0"),
            author: id("bob"),
            step: None,
            at: moment(),
            readers: Readers::nobody(),
            data: Value::Null,
            derived_from: vec![reference(number + 100)],
            idempotency_key: Some(id(&format!("once-{}", number + 100))),
            declassify: false,
            reference: reference(9999),
        };
        told.push(format!("{:?}", view().post(&post).map(|posted| (posted.reference, posted.replayed))));
        post.derived_from.clear();
        told.push(format!("{:?}", view().post(&post).map(|posted| (posted.reference, posted.replayed))));
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_hidden_tells_nothing(events in events()) {
        prop_assert_eq!(told(&events, true), told(&events, false));
    }
}

/// Views that are broken on purpose, each of which tells of what is hidden.
#[test]
fn broken_views_are_caught() {
    let events = [
        Event::Fact { visible: true, key: 0, source: None },
        Event::Fact { visible: false, key: 0, source: None },
        Event::Step { value: 1 },
    ];
    let store = |hidden| {
        let mut kept = None;
        told_with(&events, hidden, &mut |store| kept = Some(store.clone()));
        kept.unwrap()
    };
    type Leak = fn(&mut Board<Memory>) -> String;
    let leaks: [(&str, Leak); 4] = [
        ("how many there are", |board| board.head().unwrap().unwrap().seq.to_string()),
        ("that something is forbidden", |board| {
            board.entry(Which::Reference(&reference(101))).unwrap().is_some().to_string()
        }),
        ("the newest of a key, hidden or not", |board| {
            let newest = Which::Newest { kind: &id("fact"), key: &id("k0"), before: u64::MAX };
            board.entry(newest).unwrap().unwrap().record.reference.to_string()
        }),
        ("a digest of the chain", |board| board.newest().unwrap().unwrap().reading().to_json()),
    ];
    for (what, leak) in leaks {
        let told = |hidden| leak(&mut Board::new(store(hidden), board_id()));
        assert_ne!(told(true), told(false), "{what}");
    }
}

#[test]
fn the_two_runs_differ_where_something_visible_does() {
    let secret = Event::Fact { visible: false, key: 0, source: None };
    let open = Event::Fact { visible: true, key: 0, source: None };
    assert_ne!(told(&[secret], true), told(&[open], true));
}

#[test]
fn an_agent_is_shown_neither_places_nor_digests() {
    let mut board = begun();
    let store = board.store().clone();
    let mut view = View::new(Board::new(store, board_id()), id("bob"));
    let all = view.list(None, 10).unwrap();
    assert_eq!(all.len(), 1);
    let text = compact(&Value::Object(all[0].to_object()));
    assert!(!text.contains("sha256:") && !text.contains("\"seq\"") && !text.contains("prev"), "{text}");
    assert!(text.contains("Ship it"));
    assert_eq!(first().goal(), "Ship it");
}

#[test]
fn what_was_shown_is_not_laundered() {
    let mut board = begun();
    let secret = Post {
        kind: id("fact"),
        key: id("k"),
        author: id("scout"),
        step: None,
        at: moment(),
        readers: Readers::agents([id("bob")]),
        data: Value::Null,
        derived_from: Vec::new(),
        idempotency_key: None,
        declassify: false,
        reference: reference(5),
    };
    board.post(&secret).unwrap();
    let wide = Post { author: id("bob"), readers: Readers::Everyone, reference: reference(6), ..secret.clone() };
    let store = board.store().clone();
    let mut view = View::new(Board::new(store, board_id()), id("bob"));
    assert!(view.post(&Post { reference: reference(7), ..wide.clone() }).is_ok(), "nothing was shown yet");
    view.read(&reference(5)).unwrap();
    let refused = view.post(&wide).unwrap_err();
    assert_eq!(refused.refusals()[0].code, crate::refusal::Code::BoardLaundering);
    let other = Post { author: id("scout"), ..wide };
    assert_eq!(view.post(&other).unwrap_err().refusals()[0].code, crate::refusal::Code::BoardForeign);
}
