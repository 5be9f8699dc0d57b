//! Scenarios through the library, on any store.

use std::collections::BTreeMap;

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Budget, Id, Timestamp};
use relay_baton::board::{Board, Post, Recording, board_of};
use relay_baton::count::TokenCounter;
use relay_baton::entry::{BoardId, Entry, Head, Kept, Readers, Reference};
use relay_baton::json::{self, Limits, Object};
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::relay::Relay;
use relay_baton::store::{Batch, Expected, Store};
use relay_baton::verify::Verifier;
use relay_baton::view::{Seen, View};
use serde_json::{Value, json};

use crate::scenario::{ABSENT, Act, Boards, Outcome, Step};

/// A byte is a token.
struct Bytes;

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

/// Boards in a store.
pub(crate) struct InStore<F> {
    make: F,
    store: Option<Box<dyn Store>>,
}

impl<F: FnMut() -> Box<dyn Store>> InStore<F> {
    /// In stores that `make` makes empty.
    pub(crate) fn new(make: F) -> Self {
        Self { make, store: None }
    }

    fn store(&mut self) -> &mut Box<dyn Store> {
        self.store.as_mut().unwrap()
    }
}

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn moment() -> Timestamp {
    Timestamp::parse("2026-01-02T03:04:05Z").unwrap()
}

/// The reference of the entry that step `number` makes.
fn reference(number: usize) -> Reference {
    let mut bytes = [0; 10];
    bytes[8..].copy_from_slice(&u16::try_from(number).unwrap().to_be_bytes());
    Reference::from_random(bytes)
}

fn own(value: &Value) -> json::Value<'static> {
    let text = value.to_string().leak();
    json::read(text, &Limits::default()).unwrap().into_owned()
}

fn plain(object: Object<'_>) -> Value {
    serde_json::from_str(&json::compact(&json::Value::Object(object))).unwrap()
}

impl<F: FnMut() -> Box<dyn Store>> Boards for InStore<F> {
    fn begin(&mut self, batons: &[Value]) {
        // The store before is closed first: a server may take few connections.
        self.store = None;
        self.store = Some((self.make)());
        for (place, baton) in batons.iter().enumerate() {
            let baton = Baton::from_value(own(baton)).unwrap();
            let mut board = Board::new(self.store(), board_of(&baton).unwrap());
            board.start(baton, &id("author"), &moment(), &reference(60_000 + place)).unwrap();
        }
    }

    fn act(&mut self, step: &Step, number: usize, references: &BTreeMap<String, String>) -> Outcome {
        let board = Board::new(self.store(), BoardId { tenant: id(&step.tenant), task: id(&step.task) });
        let named = |name: &String| {
            let text = references.get(name).map_or(ABSENT, String::as_str);
            Reference::parse(text).unwrap()
        };
        let came = match step.act {
            Act::Apply => apply(board, step, number, step.derived_from.iter().map(named).collect()),
            Act::Post => post(board, step, number, step.derived_from.iter().map(named).collect()),
            Act::Read => View::new(board, id(&step.by)).read(&named(step.entry.as_ref().unwrap())).map(seen),
            Act::List => {
                let after = step.entry.as_ref().map(named);
                let list = View::new(board, id(&step.by)).list(after.as_ref(), step.max.unwrap_or(usize::MAX));
                list.map(|list| result(list.into_iter().map(|seen| plain(seen.to_object())).collect()))
            }
            Act::Newest => {
                let newest = View::new(board, id(&step.by)).newest(&id(&step.kind), &id(&step.key));
                newest.map(|newest| newest.map_or(result(Value::Null), seen))
            }
            Act::Checkout => checkout(board, step.revision.unwrap()),
            Act::Verify => verify(board, step),
            Act::Import => import(board, step),
        };
        came.unwrap_or_else(refused)
    }

    fn head(&mut self, tenant: &str, task: &str) -> Option<String> {
        let board = BoardId { tenant: id(tenant), task: id(task) };
        self.store().head(&board).unwrap().map(|head| head.to_string())
    }
}

fn refused(refused: Refused) -> Outcome {
    let refusals = refused.refusals().iter().map(|refusal| (refusal.code.as_str().to_owned(), refusal.detail.clone()));
    Outcome { refusals: refusals.collect(), ..Outcome::default() }
}

fn result(result: Value) -> Outcome {
    Outcome { result, ..Outcome::default() }
}

fn seen(seen: Seen) -> Outcome {
    result(plain(seen.to_object()))
}

/// The baton without what tells of other entries.
fn baton(baton: Baton<'_>) -> Value {
    let mut value = plain(baton.into_object());
    value["stamp"].as_object_mut().unwrap().remove("head");
    value
}

fn apply(
    mut board: Board<&mut Box<dyn Store>>,
    step: &Step,
    number: usize,
    derived_from: Vec<Reference>,
) -> Result<Outcome, Refused> {
    let attribution = Attribution { step: id(step.step.as_deref().unwrap_or("build")), by: id(&step.by), at: moment() };
    let budget = Some(Budget { tokens: 1_000_000, encoding: "bytes" });
    let relay = Relay { budget, ..Relay::new(attribution) };
    let answer = step.patch.as_ref().unwrap().to_string();
    let recording = Recording {
        relay,
        base: step.revision,
        derived_from,
        readers: Readers::Everyone,
        declassify: step.declassify,
        reference: reference(number),
        rehearse: false,
    };
    let recorded = board.apply(&recording, &answer, &Bytes)?;
    let notices = recorded.applied.notices.iter().map(|notice| notice.code.to_owned()).collect();
    let reference = Some(recorded.reference.as_str().to_owned());
    Ok(Outcome { result: baton(recorded.applied.baton), notices, reference, ..Outcome::default() })
}

fn post(
    mut board: Board<&mut Box<dyn Store>>,
    step: &Step,
    number: usize,
    derived_from: Vec<Reference>,
) -> Result<Outcome, Refused> {
    let post = Post {
        kind: id(&step.kind),
        key: id(&step.key),
        author: id(&step.by),
        step: step.step.as_deref().map(id),
        at: moment(),
        readers: Readers::of(Some(&own(&json!(step.readers)))),
        data: own(&step.data),
        derived_from,
        idempotency_key: step.idempotency_key.as_deref().map(id),
        declassify: step.declassify,
        reference: reference(number),
    };
    let posted = board.post(&post)?;
    let notices = posted.replayed.then(|| "replayed".to_owned()).into_iter().collect();
    Ok(Outcome { notices, reference: Some(posted.reference.as_str().to_owned()), ..Outcome::default() })
}

fn checkout(mut board: Board<&mut Box<dyn Store>>, revision: u64) -> Result<Outcome, Refused> {
    board.checkout(revision).map(|revision| result(baton(revision.baton)))
}

fn verify(mut board: Board<&mut Box<dyn Store>>, step: &Step) -> Result<Outcome, Refused> {
    let mut verifier = Verifier::new(board.id().clone()).replaying();
    if let Some(head) = &step.head {
        verifier = verifier.expecting(Head::parse(head).unwrap());
    }
    let id = board.id().clone();
    let mut after = 0;
    loop {
        // Small pages, so that every store has to give several.
        let page = board.store().page(&id, after, 3)?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        page.iter().for_each(|record| verifier.push(record));
    }
    let verdict = verifier.finish();
    let entries = json!({"entries": verdict.entries});
    Refused::unless_empty(verdict.findings, result(entries))
}

fn import(mut board: Board<&mut Box<dyn Store>>, step: &Step) -> Result<Outcome, Refused> {
    let id = board.id().clone();
    let mut verifier = Verifier::new(id.clone());
    let mut records = Vec::new();
    for line in &step.lines {
        let kept = Kept::read(Entry::read_line(&line.to_string())?)?;
        if kept.entry.board != id {
            return Err(Refusal::new(Code::BoardForeign, "", format!("the entry is of {}", kept.entry.board)).into());
        }
        verifier.push(&kept.record);
        if let Some(found) = verifier.findings().first() {
            return Err(found.clone().into());
        }
        records.push(kept.record);
    }
    let batch = Batch { records, ..Batch::default() };
    board.store().append(&id, &Expected::Empty, &batch).unwrap();
    Ok(Outcome::default())
}
