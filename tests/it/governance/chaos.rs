//! Agents, tools and people that do anything, and processes that end at any time: the invariants hold all the same.

use std::collections::BTreeSet;

use proptest::prelude::*;
use relay_baton::board::Board;
use relay_baton::charter::Tool;
use relay_baton::driver::{Driver, Ports};
use relay_baton::engine::{ApprovalRequest, Decision, Engine, Invocation, Outcome, Request, Status, Usage};
use relay_baton::entry::Kept;
use relay_baton::json::Value;
use relay_baton::memory::Memory;
use relay_baton::port::{Answer, Approvals, Model, Toolbox, Word};
use relay_baton::refusal::{Code, Refused};
use relay_baton::verify::Verifier;

use super::campaign::Mortal;
use super::fixture::{CHARTER, World, answer, board, board_id, charter, entries, id, start};

/// Bytes by which everything is decided; when they are used up, everybody comes to an end.
struct Dice {
    bytes: Vec<u8>,
    next: usize,
}

impl Dice {
    fn roll(&mut self, sides: u8) -> u8 {
        let byte = self.bytes.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        byte % sides
    }
}

/// The charter of the fixture, under which everybody may do much and may often try again.
fn lenient() -> relay_baton::charter::Charter {
    let text = CHARTER
        .replace(r#""uses": ["tool search"]"#, r#""corrections": 5, "uses": ["tool search", "tool send_email"]"#)
        .replace(
            r#""uses": ["agent helper", "tool search"]"#,
            r#""corrections": 5, "uses": ["agent helper", "tool search", "tool send_email"]"#,
        )
        .replace(r#""corrections": 1"#, r#""corrections": 5"#);
    charter(&text)
}

/// The first is what an agent says when the dice are used up.
const REPLIES: [&str; 14] = [
    r#"{"output": {"verdict": 1}}"#,
    r#"{"tool_calls": [{"tool": "send_email", "arguments": {"to": "a"}}]}"#,
    r#"{"tool_calls": [{"tool": "send_email", "arguments": {"to": "b"}}, {"tool": "send_email", "arguments": {"to": "b"}}]}"#,
    r#"{"tool_calls": [{"tool": "send_email"}, {"tool": "send_email", "arguments": null}]}"#,
    r#"{"tool_calls": [{"tool": "search", "arguments": 1}, {"tool": "search", "arguments": 1.0}, {"tool": "search"}]}"#,
    r#"{"tool_calls": [{"tool": "launch"}]}"#,
    r#"{"delegate": [{"agent": "helper", "intent": "x"}, {"agent": "helper", "intent": "y", "input": null}]}"#,
    r#"{"delegate": {"agent": "planner", "intent": "x"}}"#,
    r#"{"output": 1, "baton_patch": {"current_state": ["done"]}}"#,
    r#"{"output": {"verdict": 2}, "baton_patch": {"goal": "mine"}}"#,
    r#"{"baton_patch": {"current_state": {"remove": ["never there"]}}}"#,
    "no JSON at all",
    "",
    r#"{"tool_calls": [{"tool": "search"}], "delegate": {"agent": "helper", "intent": "z"}}"#,
];

struct Chaos<'c> {
    dice: &'c std::cell::RefCell<Dice>,
    made: &'c std::cell::RefCell<Vec<Invocation>>,
    requests: Vec<ApprovalRequest>,
    doubts: Vec<Invocation>,
}

struct Anyone<'c>(&'c std::cell::RefCell<Dice>);

impl Model for Anyone<'_> {
    fn ask(&mut self, request: &Request<'_>) -> Answer {
        match self.0.borrow_mut().roll(16) {
            15 => Answer::Failed("it hangs".to_owned(), Usage { tokens_in: 7, tokens_out: 0 }),
            14 => answer("somebody", r#"{"agent": "else", "output": 1}"#),
            choice => answer(request.agent.name.as_str(), REPLIES[usize::from(choice)]),
        }
    }
}

struct Anything<'c>(&'c std::cell::RefCell<Dice>, &'c std::cell::RefCell<Vec<Invocation>>);

impl Toolbox for Anything<'_> {
    fn invoke(&mut self, call: &Invocation, tool: &Tool) -> Outcome {
        if tool.side_effects {
            self.1.borrow_mut().push(call.clone());
        }
        match self.0.borrow_mut().roll(6) {
            0..=3 => Outcome::Done(Value::string("ok")),
            4 => Outcome::Failed("no".to_owned()),
            _ => Outcome::Unknown("who knows".to_owned()),
        }
    }
}

impl Approvals for Chaos<'_> {
    fn request(&mut self, request: &ApprovalRequest) {
        self.requests.push(request.clone());
    }

    fn doubt(&mut self, call: &Invocation) {
        self.doubts.push(call.clone());
    }

    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        for request in std::mem::take(&mut self.requests) {
            let choice = self.dice.borrow_mut().roll(8);
            let by = if choice == 6 { id("helper") } else { id("kim") };
            let decision = Decision { by, granted: choice < 4 || choice == 6, why: None };
            let word = Word::Decided { approval: request.id.clone(), decision, entry: None };
            words.push(word.clone());
            if choice >= 5 {
                // The same word again, and then another one.
                words.push(word);
                let decision = Decision { by: id("kim"), granted: choice == 7, why: None };
                words.push(Word::Decided { approval: request.id, decision, entry: None });
            }
        }
        for call in std::mem::take(&mut self.doubts) {
            let happened = self.made.borrow().iter().any(|made| made.key == call.key);
            words.push(Word::Resolved { key: call.key, by: id("kim"), happened, result: None, entry: None });
        }
        words
    }
}

/// One process; it ends by itself, at the append `dies_at`, or when the task has gone on for too long.
fn one_process(
    store: &mut Mortal<Memory>,
    dice: &std::cell::RefCell<Dice>,
    made: &std::cell::RefCell<Vec<Invocation>>,
) -> Result<Status, Refused> {
    let mut world = World::new(&[]);
    world.clock.pass(u64::try_from(dice.borrow().next).unwrap());
    let (mut model, mut toolbox) = (Anyone(dice), Anything(dice, made));
    let mut desk = Chaos { dice, made, requests: Vec::new(), doubts: Vec::new() };
    let mut ports = Ports {
        model: &mut model,
        toolbox: &mut toolbox,
        approvals: &mut desk,
        meter: &mut world.meter,
        memory: &mut world.shelf,
        clock: &mut world.clock,
        counter: &relay_baton::count::Encoding::O200kBase,
        validator: Some(&super::fixture::Required),
    };
    let mut driver = match Driver::resume(Board::new(&mut *store, board_id()), &mut ports) {
        Err(refused) if refused.refusals()[0].code == Code::RunNone => {
            Driver::start(Board::new(&mut *store, board_id()), lenient(), start(), &mut ports)?
        }
        other => other?,
    };
    let status = driver.run(&mut ports)?;
    let saves = driver.engine().saves();
    let loaded = Engine::load(lenient(), saves.clone()).unwrap();
    assert_eq!(loaded.saves(), saves);
    Ok(status)
}

fn data<'k>(kept: &'k Kept, name: &str) -> Option<&'k str> {
    kept.entry.draft.data.as_object()?.get(name)?.as_str()
}

/// Every effect was intended on the board before it was made, each intent by a yes of its own to the same call.
fn check_effects(all: &[Kept], made: &[Invocation]) {
    let intents: Vec<&Kept> = all
        .iter()
        .filter(|kept| kept.record.kind.as_str() == "call" && data(kept, "state") == Some("intent"))
        .collect();
    for call in made {
        let own = |kept: &&&Kept| kept.record.key == call.key;
        let times = made.iter().filter(|other| other.key == call.key).count();
        assert!(intents.iter().filter(own).count() >= times, "{call:?} was made {times} times");
    }
    let mut used = BTreeSet::new();
    for intent in intents {
        let sources =
            intent.entry.draft.derived_from.iter().filter_map(|seq| all.get(usize::try_from(*seq).unwrap() - 1));
        let grants: Vec<&Kept> = sources.filter(|kept| data(kept, "state") == Some("granted")).collect();
        assert_eq!(grants.len(), 1, "{}", intent.record.bytes);
        let grant = grants[0];
        assert_eq!(grant.record.author, id("kim"));
        assert_eq!(data(grant, "call"), Some(intent.record.key.as_str()));
        assert_eq!(
            grant.entry.draft.data.as_object().unwrap().get("arguments"),
            intent.entry.draft.data.as_object().unwrap().get("arguments")
        );
        assert!(used.insert(grant.record.seq), "one yes was used twice: {}", grant.record.bytes);
    }
}

fn play(bytes: Vec<u8>, deaths: &[(usize, bool)]) -> (Memory, usize) {
    let dice = std::cell::RefCell::new(Dice { bytes, next: 0 });
    let made = std::cell::RefCell::new(Vec::new());
    let mut store = board(Memory::new()).store().clone();
    let mut deaths = deaths.iter();
    let mut died = 0;
    for _ in 0..40 {
        let (dies_at, is_durable) = deaths.next().copied().unwrap_or((usize::MAX, false));
        let mut mortal = Mortal { store, appends: 0, dies_at, is_durable };
        let ended = one_process(&mut mortal, &dice, &made);
        store = mortal.store;
        let all = entries(&mut Board::new(store.clone(), board_id()));
        check_effects(&all, &made.borrow());
        match ended {
            Ok(Status::Over(_)) => {
                check_end(&mut Board::new(store.clone(), board_id()));
                return (store, died);
            }
            Ok(_) => {}
            Err(refused) => {
                assert_eq!(refused.refusals()[0].code, Code::StoreUnsettled, "{refused}");
                died += 1;
            }
        }
    }
    panic!("the task has no end");
}

fn check_end(board: &mut Board<Memory>) {
    let engine = relay_baton::driver::load(board).unwrap().unwrap();
    let account = engine.account();
    assert_eq!(account.reserved(), relay_baton::ceiling::Amount::default());
    assert!(account.spent().tool_calls <= account.limits().tool_calls);
    assert!(account.spent().spawns <= account.limits().spawns);
    let mut verifier = Verifier::new(board.id().clone()).replaying();
    for kept in entries(board) {
        verifier.push(&kept.record);
    }
    let findings = verifier.finish().findings;
    assert!(findings.is_empty(), "{findings:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_no_effect_is_without_its_own_yes(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        deaths in proptest::collection::vec((1_usize..25, any::<bool>()), 0..6),
    ) {
        play(bytes, &deaths);
    }

    #[test]
    fn the_same_happenings_give_the_same_board(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let lines = |store: Memory| -> Vec<String> {
            entries(&mut Board::new(store, board_id())).iter().map(|kept| kept.record.to_line()).collect()
        };
        prop_assert_eq!(lines(play(bytes.clone(), &[]).0), lines(play(bytes, &[]).0));
    }
}

/// The harness does what it says: processes end, effects are made, words are said and calls are in doubt.
#[test]
fn everything_does_happen_in_this_harness() {
    let (mut died, mut said) = (0, BTreeSet::new());
    for seed in 0..24_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut roll = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u8::try_from(state >> 56).unwrap()
        };
        let bytes: Vec<u8> = (0..60).map(|_| roll()).collect();
        let deaths: Vec<(usize, bool)> = (0..4).map(|_| (usize::from(roll() % 12) + 1, roll() % 2 == 0)).collect();
        let (store, deaths) = play(bytes, &deaths);
        died += deaths;
        for kept in entries(&mut Board::new(store, board_id())) {
            said.extend(data(&kept, "state").map(|state| format!("{} {state}", kept.record.kind)));
        }
    }
    assert!(died > 20, "{died}");
    for state in ["requested", "granted", "denied"] {
        assert!(said.contains(&format!("approval {state}")), "{state}: {said:?}");
    }
    for state in ["intent", "done", "failed", "unknown", "resolved"] {
        assert!(said.contains(&format!("call {state}")), "{state}: {said:?}");
    }
}
