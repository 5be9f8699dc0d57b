//! Two processes that go on with one task at once, and a person who decides meanwhile: each record has one winner, the email
//! is sent once, and no word is lost. The stores' own tests do the same.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::baton::{Id, Timestamp};
use relay_baton::board::Board;
use relay_baton::charter::Tool;
use relay_baton::desk::{self, Said};
use relay_baton::driver::{Driver, Ports, load};
use relay_baton::engine::{ApprovalRequest, Ending, Invocation, Message, Outcome, Request, Status};
use relay_baton::entry::{BoardId, Head, Record, Reference};
use relay_baton::json::Value;
use relay_baton::port::{Answer, Approvals, Model, Toolbox, Word};
use relay_baton::refusal::{Code, Refused};
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};
use relay_baton::verify::Verifier;

use super::fixture::{
    CHARTER, Quarters, Required, SCRIPT, World, answer, board, board_id, charter, entries, id, start,
};

/// A model that needs no memory: how often it has answered stands in the request.
struct Scripted;

impl Model for Scripted {
    fn ask(&mut self, request: &Request<'_>) -> Answer {
        let said = request.messages.iter().filter(|message| matches!(message, Message::Agent(_))).count();
        let agent = request.agent.name.as_str();
        let (_, text) = SCRIPT.iter().filter(|(name, _)| *name == agent).nth(said).expect("the script goes on");
        answer(agent, text)
    }
}

struct Tools<'t> {
    emails: &'t AtomicUsize,
}

impl Toolbox for Tools<'_> {
    fn invoke(&mut self, call: &Invocation, _: &Tool) -> Outcome {
        if call.tool == id("send_email") {
            self.emails.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(5));
        }
        Outcome::Done(Value::string("ok"))
    }
}

/// Words as they stand on the board, each told once.
struct Words<S> {
    board: Board<S>,
    told: Vec<Word>,
}

impl<S: Store> Approvals for Words<S> {
    fn request(&mut self, _: &ApprovalRequest) {}

    fn doubt(&mut self, _: &Invocation) {}

    fn words(&mut self) -> Vec<Word> {
        let Ok(Some(engine)) = load(&mut self.board) else { return Vec::new() };
        let words = desk::words(&mut self.board, &engine).unwrap_or_default();
        let new: Vec<Word> = words.into_iter().filter(|word| !self.told.contains(word)).collect();
        self.told.extend(new.iter().cloned());
        new
    }
}

/// Counts the records of the task that went in.
struct Counting<'c, S> {
    store: S,
    records: &'c AtomicUsize,
}

impl<S: Store> Store for Counting<'_, S> {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.store.head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        self.store.append(board, expected, batch)?;
        if batch.saves.iter().any(|saved| saved.slot == id(relay_baton::engine::RUN)) {
            self.records.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.store.read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.store.page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.store.load(board, slot, number_max)
    }
}

/// What the threads have in common.
struct Common {
    records: AtomicUsize,
    moved: AtomicUsize,
    emails: AtomicUsize,
    is_over: AtomicBool,
    begin: Barrier,
    until: Instant,
}

/// One of those who go on: as soon as somebody else was quicker, it looks how the task stands, and goes on from there.
fn go_on<S: Store>(open: &(dyn Fn() -> S + Sync), common: &Common) {
    let mut world = World::new(&[]);
    let (mut model, mut toolbox) = (Scripted, Tools { emails: &common.emails });
    let mut words = Words { board: Board::new(open(), board_id()), told: Vec::new() };
    let mut is_first = true;
    while Instant::now() < common.until {
        words.told.clear();
        let mut ports = Ports {
            model: &mut model,
            toolbox: &mut toolbox,
            approvals: &mut words,
            meter: &mut world.meter,
            memory: &mut world.shelf,
            clock: &mut world.clock,
            counter: &Quarters,
            validator: Some(&Required),
        };
        let store = Counting { store: open(), records: &common.records };
        let driver = Driver::resume(Board::new(store, board_id()), &mut ports);
        if std::mem::take(&mut is_first) {
            // Both have read the same state by now.
            common.begin.wait();
        }
        match driver.and_then(|mut driver| driver.run(&mut ports)) {
            Ok(Status::Over(ending)) => {
                assert_eq!(ending, Ending::Done);
                common.is_over.store(true, Ordering::SeqCst);
                return;
            }
            Ok(_) => thread::sleep(Duration::from_millis(3)),
            Err(refused) => match refused.refusals()[0].code {
                Code::RunMoved => drop(common.moved.fetch_add(1, Ordering::SeqCst)),
                Code::StoreBusy => {}
                _ => panic!("{refused}"),
            },
        }
    }
    panic!("the task has no end");
}

/// Kim says yes to whatever is asked, and that whatever is in doubt has happened; the words that were taken.
fn decide<S: Store>(open: &(dyn Fn() -> S + Sync), common: &Common) -> Vec<Reference> {
    let mut board = Board::new(open(), board_id());
    let (at, mut taken, mut words) = (Timestamp::parse("2026-01-02T03:30:00Z").unwrap(), Vec::new(), 0_u8);
    let by = id("kim");
    let is_taken = |came: Result<_, Refused>| match came {
        Ok(_) => true,
        Err(refused) => match refused.refusals()[0].code {
            // Another word of ours was there, or the call was settled in between.
            Code::ApprovalDecided | Code::ApprovalVoid | Code::CallState | Code::StoreBusy => false,
            _ => panic!("{refused}"),
        },
    };
    while !common.is_over.load(Ordering::SeqCst) && Instant::now() < common.until {
        let engine = load(&mut board).unwrap().unwrap();
        for request in engine.pending() {
            words += 1;
            let reference = Reference::from_random([words; 10]);
            let said = Said { by: &by, at: &at, reference: &reference };
            let came = desk::decide(&mut board, &request.id, (true, None), &said);
            let name = came.as_ref().map(|kept| kept.record.reference.clone()).ok();
            if is_taken(came) && !taken.contains(name.as_ref().unwrap()) {
                taken.extend(name);
            }
        }
        for call in engine.doubts() {
            words += 1;
            let reference = Reference::from_random([words; 10]);
            let said = Said { by: &by, at: &at, reference: &reference };
            is_taken(desk::resolve(&mut board, &call.key, (true, None), &said));
        }
        thread::sleep(Duration::from_millis(2));
    }
    taken
}

/// Two go on with one task at once, and a person decides meanwhile.
pub(crate) fn two_go_on_and_a_person_decides<S: Store>(open: &(dyn Fn() -> S + Sync)) {
    let mut world = World::new(&[]);
    drop(Driver::start(board(open()), charter(CHARTER), start(), &mut world.ports()).unwrap());
    let common = Common {
        records: AtomicUsize::new(1),
        moved: AtomicUsize::new(0),
        emails: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
        begin: Barrier::new(2),
        until: Instant::now() + Duration::from_secs(60),
    };
    let taken = thread::scope(|scope| {
        let drivers = [(); 2].map(|()| scope.spawn(|| go_on(open, &common)));
        let person = scope.spawn(|| decide(open, &common));
        drivers.into_iter().for_each(|driver| driver.join().unwrap());
        person.join().unwrap()
    });
    let mut board = Board::new(open(), board_id());
    let engine = load(&mut board).unwrap().unwrap();
    assert_eq!(common.records.into_inner() as u64, engine.version(), "each record has one winner");
    assert!(common.moved.into_inner() > 0, "nobody was in the way of anybody");
    assert!(common.emails.into_inner() <= 1);
    let all = entries(&mut board);
    let intents: Vec<_> = all.iter().filter(|kept| kept.record.bytes.contains("\"state\":\"intent\"")).collect();
    let [grant] = &taken[..] else { panic!("one word was asked for, and {} were taken", taken.len()) };
    let grant = all.iter().find(|kept| kept.record.reference == *grant).expect("the word is on the board");
    let [intent] = &intents[..] else { panic!("{} emails were intended", intents.len()) };
    assert!(intent.entry.draft.derived_from.contains(&grant.record.seq), "the word was heard");
    let mut verifier = Verifier::new(board.id().clone()).replaying();
    all.iter().for_each(|kept| verifier.push(&kept.record));
    assert_eq!(verifier.finish().findings, []);
}
