//! What agents may not read never reaches them, and what came of it reaches nobody else.

use relay_baton::board::{Board, FACT, Post};
use relay_baton::driver::{Driver, Ports};
use relay_baton::engine::{Ending, Request, Status};
use relay_baton::entry::{Readers, Reference};
use relay_baton::json::Value;
use relay_baton::memory::Memory;
use relay_baton::port::{Answer, Clock as _, Model, Script};
use relay_baton::store::Which;

use super::fixture::{CHARTER, SCRIPT, World, board, charter, entries, id, start, told};

/// A model that writes down what it is asked.
struct Recorder<'r> {
    script: &'r mut Script,
    asked: &'r mut Vec<String>,
}

impl Model for Recorder<'_> {
    fn ask(&mut self, request: &Request<'_>) -> Answer {
        self.asked.push(format!("{request:?}"));
        self.script.ask(request)
    }
}

fn fact(world: &mut World, key: &str, data: &str, readers: Readers, number: u8) -> Post {
    Post {
        kind: id(FACT),
        key: id(key),
        author: id("kim"),
        step: None,
        at: world.clock.now(),
        readers,
        data: Value::string(data.to_owned()),
        derived_from: Vec::new(),
        idempotency_key: None,
        declassify: false,
        reference: Reference::from_random([number; 10]),
    }
}

/// What the agents of the fixture are asked on `board`.
fn asked(board: Board<Memory>) -> (Vec<String>, Status) {
    let mut world = World::new(SCRIPT);
    let mut asked = Vec::new();
    let World { model, toolbox, desk, meter, shelf, clock, .. } = &mut world;
    let mut recorder = Recorder { script: model, asked: &mut asked };
    let mut ports = Ports {
        model: &mut recorder,
        toolbox,
        approvals: desk,
        meter,
        memory: shelf,
        clock,
        counter: &relay_baton::count::Encoding::O200kBase,
        validator: Some(&super::fixture::Required),
    };
    let mut driver = Driver::start(board, charter(CHARTER), start(), &mut ports).unwrap();
    let status = driver.run(&mut ports).unwrap();
    (asked, status)
}

#[test]
fn hidden_facts_change_nothing_that_agents_are_asked() {
    let (plain, status) = asked(board(Memory::new()));
    assert_eq!((plain.len(), status), (7, Status::Waiting));
    let mut world = World::new(SCRIPT);
    let mut hiding = board(Memory::new());
    for (number, key) in ["brief", "plan", "report", "other"].into_iter().enumerate() {
        let readers = Readers::agents([id("helper")]);
        let hidden = fact(&mut world, key, "the secret", readers, u8::try_from(number).unwrap() + 20);
        hiding.post(&hidden).unwrap();
    }
    let (beside_hidden, status) = asked(hiding);
    assert_eq!(status, Status::Waiting);
    assert_eq!(plain, beside_hidden);
    // The twin: a fact that the planner may read is seen at once.
    let mut open = board(Memory::new());
    open.post(&fact(&mut world, "brief", "the secret", Readers::agents([id("planner")]), 40)).unwrap();
    assert_ne!(asked(open).0, plain);
}

#[test]
fn what_came_of_a_secret_is_published_to_nobody_who_may_not_read_it() {
    for (patch, attempts) in [("", 1), (r#", "baton_patch": {"current_state": ["it knows"]}"#, 2)] {
        let answer = format!(r#"{{"output": "it is hunter2"{patch}}}"#);
        let script: Vec<(&str, &str)> = vec![("planner", answer.as_str()); 2];
        let mut world = World::new(&script);
        let mut board = board(Memory::new());
        board.post(&fact(&mut world, "brief", "hunter2", Readers::agents([id("planner")]), 40)).unwrap();
        let mut driver = Driver::start(board, charter(CHARTER), start(), &mut world.ports()).unwrap();
        let Status::Over(Ending::Failed { .. }) = driver.run(&mut world.ports()).unwrap() else {
            panic!("it was published")
        };
        assert_eq!(world.model.asked.len(), attempts);
        let board = driver.board();
        for kept in entries(board).iter().filter(|kept| kept.record.bytes.contains("hunter2")) {
            assert_eq!(kept.record.key, id("brief"), "{}", kept.record.bytes);
        }
        assert!(!told(board).iter().any(|line| line.starts_with("patch ")));
        let why: Vec<String> = entries(board).iter().map(|kept| kept.record.bytes.clone()).collect();
        assert!(why.iter().any(|bytes| bytes.contains("board.laundering")), "{why:#?}");
    }
}

#[test]
fn whoever_may_declassify_does_so_on_the_record() {
    let text = CHARTER.replace(r#""responsibility": "plans","#, r#""responsibility": "plans", "declassify": true,"#);
    let mut world = World::new(&[("planner", r#"{"output": "three steps"}"#), ("builder", r#"{"output": 1}"#)]);
    let mut board = board(Memory::new());
    board.post(&fact(&mut world, "brief", "hunter2", Readers::agents([id("planner")]), 40)).unwrap();
    let mut driver = Driver::start(board, charter(&text), start(), &mut world.ports()).unwrap();
    driver.run(&mut world.ports()).unwrap();
    let plan = Which::Newest { kind: &id(FACT), key: &id("plan"), before: u64::MAX };
    let plan = driver.board().entry(plan).unwrap().expect("the plan is there");
    assert!(plan.entry.draft.declassified);
    assert_eq!(plan.record.author, id("planner"));
    assert_eq!(plan.entry.draft.readers, Readers::Everyone);
}

#[test]
fn governance_kinds_and_the_governors_name_cannot_be_posted() {
    let mut world = World::new(SCRIPT);
    let mut board = board(Memory::new());
    for kind in ["approval", "call", "charter", "trace", "delegation", "output", "patch", "baton"] {
        let mut post = fact(&mut world, "k", "granted", Readers::Everyone, 50);
        post.kind = id(kind);
        assert_eq!(board.post(&post).unwrap_err().refusals()[0].code.as_str(), "patch.reserved", "{kind}");
    }
    let mut post = fact(&mut world, "k", "x", Readers::Everyone, 51);
    post.author = id("relay-baton");
    assert_eq!(board.post(&post).unwrap_err().refusals()[0].code.as_str(), "patch.reserved");
}

#[test]
fn an_agent_is_shown_the_fields_that_it_reads_and_no_other() {
    for (reads, shows_goal) in [(r#"["goal"]"#, true), (r#"["current_state"]"#, false)] {
        let text = CHARTER
            .replace(r#""responsibility": "plans","#, &format!(r#""responsibility": "plans", "reads": {reads},"#));
        let mut world = World::new(SCRIPT);
        let mut driver = Driver::start(board(Memory::new()), charter(&text), start(), &mut world.ports()).unwrap();
        driver.run(&mut world.ports()).unwrap();
        let log: String = driver.engine().saves().log.into_iter().map(|(_, text)| text).collect();
        let slice = log.lines().find(|line| line.contains("a login page")).expect("the planner has its slice");
        assert_eq!(slice.contains("Ship it"), shows_goal, "{slice}");
    }
}
