//! Several writers of one board: each reads the head and appends where it expects that head. An answer can get lost on its
//! way to the writer.

use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::{BoardId, Draft, Head, Readers, Record, Reference};
use relay_baton::json::Value;
use relay_baton::memory::Memory;
use relay_baton::store::{Batch, Expected, Store, Which};
use relay_baton::verify::Verifier;
use stateright::{Checker, HasDiscoveries, Model, Property};

/// What is wrong with the store, or with the writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Twin {
    /// Nothing; the store is the library's own.
    Sound,
    /// The store puts an entry where the writer took the end to be, over whatever is there.
    Overwriting,
    /// The store puts an entry at the end, whatever the writer took that to be.
    Pushing,
    /// A writer that has heard nothing writes once more, under another name.
    Repeating,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    /// Knows the head, or that there is none.
    Read(Option<Head>),
    /// Has appended and heard nothing.
    Unheard,
    /// Takes for lost what it has heard nothing of.
    Repeats,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Writer {
    /// How many of its entries are acknowledged.
    acknowledged: u8,
    /// How often it has given its present entry another name.
    renamed: u8,
    phase: Phase,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    records: Vec<Record>,
    writers: Vec<Writer>,
    /// How many answers got lost.
    losses: u8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Look(usize),
    Append { which: usize, heard: bool },
}

struct Appending {
    twin: Twin,
    writers: usize,
    each: u8,
    losses_max: u8,
}

fn board() -> BoardId {
    BoardId { tenant: Id::new("acme").unwrap(), task: Id::new("login").unwrap() }
}

/// The key of an entry tells what it is, its reference which attempt at it.
fn key(which: usize, number: u8) -> Id {
    Id::new(&format!("w{which}.{number}")).unwrap()
}

fn reference(which: usize, number: u8, renamed: u8) -> Reference {
    Reference::from_random([which as u8, number, renamed, 0, 0, 0, 0, 0, 0, 0])
}

fn record(which: usize, writer: &Writer, head: Option<&Head>) -> Record {
    let draft = Draft {
        reference: reference(which, writer.acknowledged, writer.renamed),
        kind: Id::new("fact").unwrap(),
        key: key(which, writer.acknowledged),
        author: Id::new("scout").unwrap(),
        step: None,
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        readers: Readers::Everyone,
        data: Value::Null,
        derived_from: Vec::new(),
        idempotency_key: None,
        declassified: false,
    };
    draft.place(&board(), head).seal()
}

/// The library's store with these records, which it took.
fn store(records: &[Record]) -> Memory {
    let mut store = Memory::new();
    let batch = Batch { records: records.to_vec(), ..Batch::default() };
    store.append(&board(), &Expected::Empty, &batch).unwrap();
    store
}

impl Appending {
    /// Whether the store took it.
    fn append(&self, records: &mut Vec<Record>, head: Option<Head>, record: Record) -> bool {
        match self.twin {
            Twin::Overwriting => {
                records.truncate(head.map_or(0, |head| head.seq as usize));
                records.push(record);
                true
            }
            Twin::Pushing => {
                records.push(record);
                true
            }
            Twin::Sound | Twin::Repeating => {
                let mut store = store(records);
                let batch = Batch { records: vec![record], ..Batch::default() };
                let taken = store.append(&board(), &Expected::of(head), &batch).is_ok();
                *records = store.page(&board(), 0, usize::MAX).unwrap();
                taken
            }
        }
    }

    fn look(&self, state: &State, which: usize) -> Writer {
        let mut writer = state.writers[which].clone();
        let name = reference(which, writer.acknowledged, writer.renamed);
        let found = match self.twin {
            // The stores of these twins are no stores that could be asked.
            Twin::Overwriting | Twin::Pushing => state.records.iter().any(|record| record.reference == name),
            _ => store(&state.records).read(&board(), Which::Reference(&name)).unwrap().is_some(),
        };
        match writer.phase {
            Phase::Unheard if found => (writer.acknowledged, writer.renamed) = (writer.acknowledged + 1, 0),
            Phase::Repeats => writer.renamed += 1,
            _ => {}
        }
        let acknowledged = writer.acknowledged > state.writers[which].acknowledged;
        writer.phase = if acknowledged { Phase::Idle } else { Phase::Read(state.records.last().map(Record::head)) };
        writer
    }
}

impl Model for Appending {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let writer = Writer { acknowledged: 0, renamed: 0, phase: Phase::Idle };
        vec![State { records: Vec::new(), writers: vec![writer; self.writers], losses: 0 }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (which, writer) in state.writers.iter().enumerate() {
            match writer.phase {
                _ if writer.acknowledged == self.each => {}
                Phase::Read(_) => {
                    actions.push(Action::Append { which, heard: true });
                    if state.losses < self.losses_max {
                        actions.push(Action::Append { which, heard: false });
                    }
                }
                Phase::Idle | Phase::Unheard | Phase::Repeats => actions.push(Action::Look(which)),
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Look(which) => state.writers[which] = self.look(last, which),
            Action::Append { which, heard } => {
                let mut writer = last.writers[which].clone();
                let Phase::Read(head) = writer.phase.clone() else { return None };
                let taken = self.append(&mut state.records, head.clone(), record(which, &writer, head.as_ref()));
                writer.phase = Phase::Idle;
                if !heard {
                    state.losses += 1;
                    writer.phase = if self.twin == Twin::Repeating { Phase::Repeats } else { Phase::Unheard };
                } else if taken {
                    (writer.acknowledged, writer.renamed) = (writer.acknowledged + 1, 0);
                }
                state.writers[which] = writer;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(KEPT, |_, state: &State| {
                let mut acknowledged = state
                    .writers
                    .iter()
                    .enumerate()
                    .flat_map(|(which, writer)| (0..writer.acknowledged).map(move |number| key(which, number)));
                acknowledged.all(|key| state.records.iter().any(|record| record.key == key))
            }),
            Property::always(SOUND, |_, state: &State| {
                let mut verifier = Verifier::new(board());
                state.records.iter().for_each(|record| verifier.push(record));
                verifier.finish().findings.is_empty()
            }),
            Property::always(ONCE, |_, state: &State| {
                let keys: std::collections::BTreeSet<&Id> = state.records.iter().map(|record| &record.key).collect();
                keys.len() == state.records.len()
            }),
            Property::always(DONE, |model: &Self, state: &State| {
                let mut actions = Vec::new();
                model.actions(state, &mut actions);
                let all = state.writers.iter().all(|writer| writer.acknowledged == model.each);
                !actions.is_empty() || (all && state.records.len() >= model.writers * usize::from(model.each))
            }),
            Property::sometimes("a head has moved", |_, state: &State| {
                let seen = |writer: &Writer| matches!(&writer.phase, Phase::Read(head) if *head != state.records.last().map(Record::head));
                state.writers.iter().any(seen)
            }),
            Property::sometimes("an answer is lost and its entry kept", |_, state: &State| {
                let kept = |(which, writer): (usize, &Writer)| {
                    let key = key(which, writer.acknowledged);
                    writer.phase == Phase::Unheard && state.records.iter().any(|record| record.key == key)
                };
                state.writers.iter().enumerate().any(kept)
            }),
        ]
    }
}

const KEPT: &str = "what was acknowledged is there";
const SOUND: &str = "the board has no gap and is one chain";
const ONCE: &str = "nothing is there twice";
const DONE: &str = "in the end everybody is heard";

fn checked(twin: Twin, writers: usize, each: u8, losses_max: u8) -> impl Checker<Appending> {
    let model = Appending { twin, writers, each, losses_max };
    model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join()
}

#[test]
fn what_was_acknowledged_is_kept_once_and_in_order() {
    for (writers, each, losses_max) in [(2, 2, 1), (3, 1, 2)] {
        let checker = checked(Twin::Sound, writers, each, losses_max);
        checker.assert_properties();
        assert!(checker.unique_state_count() > 100, "{}", checker.unique_state_count());
    }
}

#[test]
fn a_store_that_writes_over_is_found() {
    checked(Twin::Overwriting, 3, 1, 0).assert_any_discovery(KEPT);
}

#[test]
fn a_store_that_does_not_expect_the_head_is_found() {
    checked(Twin::Pushing, 3, 1, 0).assert_any_discovery(SOUND);
}

#[test]
fn a_writer_that_repeats_itself_is_found() {
    checked(Twin::Repeating, 3, 1, 1).assert_any_discovery(ONCE);
}
