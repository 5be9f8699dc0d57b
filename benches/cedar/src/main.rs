//! One decision whether a caller may invoke an agent, against `cedar-policy` answering the same question.
//!
//! The peer gets all that can be prepared: its policies, entities, request and authorizer are made once. It is asked in two
//! forms, one policy for each caller of each agent, and one policy over an attribute of the agents; the quicker is the
//! peer. Ours makes the traces that the engine records, too.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request};
use relay_baton::authority;
use relay_baton::baton::Id;
use relay_baton::charter::{Caller, Charter};

const TARGET: f64 = 0.2;
/// Decisions that are timed as one, since a clock is too coarse for one.
const BATCH: u32 = 100;

/// A charter of so many agents: a strategy may call all of them, and each but the first is called by the one before it.
fn charter(agents: usize) -> Charter {
    let mut text = String::from("{");
    for number in 0..agents {
        let comma = if number == 0 { "" } else { ", " };
        let before = if number == 0 { String::new() } else { format!(", \"agent a{}\"", number - 1) };
        let uses = if number + 1 == agents { String::new() } else { format!("\"agent a{}\"", number + 1) };
        let _ok = write!(
            text,
            r#"{comma}"a{number}": {{"responsibility": "works", "callable_by": ["strategy ship"{before}], "uses": [{uses}]}}"#
        );
    }
    text.push('}');
    let subtask = r#"[{"id": "begin", "agent": "a0", "intent": "Begin"}]"#;
    let ceilings = r#"{"tokens": 1000, "tool_calls": 0, "spawns": 1, "depth": 1}"#;
    let document = format!(
        r#"{{"charter": "v1", "ceilings": {ceilings}, "strategy": {{"ship": {{"subtask": {subtask}}}}}, "agent": {text}}}"#
    );
    Charter::from_json(&document).unwrap_or_else(|refused| panic!("{refused}"))
}

fn principal(caller: &Caller) -> String {
    match caller {
        Caller::Strategy(name) => format!("Strategy::\"{name}\""),
        Caller::Agent(name) => format!("Agent::\"{name}\""),
    }
}

/// The peer, prepared for one question.
struct Peer {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
    request: Request,
}

impl Peer {
    /// A policy for each caller of each agent.
    fn of_pairs(charter: &Charter, caller: &Caller, agent: &str) -> Self {
        let mut text = String::new();
        for agent in charter.agents.values() {
            for caller in &agent.callable_by {
                let (who, name) = (principal(caller), &agent.name);
                let _ok = writeln!(
                    text,
                    "permit(principal == {who}, action == Action::\"invoke\", resource == Agent::\"{name}\");"
                );
            }
        }
        Self::new(&text, Entities::empty(), caller, agent)
    }

    /// One policy, and the callers of each agent as its attribute.
    fn of_attribute(charter: &Charter, caller: &Caller, agent: &str) -> Self {
        let policy = "permit(principal, action == Action::\"invoke\", resource) \
            when { resource.callable_by.contains(principal) };";
        let entity = |agent: &relay_baton::charter::Agent| {
            let callers: Vec<String> = agent.callable_by.iter().map(reference).collect();
            format!(
                r#"{{"uid": {{"type": "Agent", "id": "{}"}}, "attrs": {{"callable_by": [{}]}}, "parents": []}}"#,
                agent.name,
                callers.join(", ")
            )
        };
        let entities: Vec<String> = charter.agents.values().map(entity).collect();
        let entities = Entities::from_json_str(&format!("[{}]", entities.join(", ")), None).unwrap();
        Self::new(policy, entities, caller, agent)
    }

    fn new(policies: &str, entities: Entities, caller: &Caller, agent: &str) -> Self {
        let uid = |text: String| text.parse::<EntityUid>().unwrap();
        let (who, what) = (uid(principal(caller)), uid(format!("Agent::\"{agent}\"")));
        let action = uid("Action::\"invoke\"".to_owned());
        let request = Request::new(who, action, what, Context::empty(), None).unwrap();
        Self { authorizer: Authorizer::new(), policies: policies.parse().unwrap(), entities, request }
    }

    fn decide(&self) -> bool {
        let response = self.authorizer.is_authorized(&self.request, &self.policies, &self.entities);
        response.decision() == Decision::Allow
    }
}

fn reference(caller: &Caller) -> String {
    let (kind, name) = match caller {
        Caller::Strategy(name) => ("Strategy", name),
        Caller::Agent(name) => ("Agent", name),
    };
    format!(r#"{{"__entity": {{"type": "{kind}", "id": "{name}"}}}}"#)
}

/// The median time of one decision by each, called in turn.
fn medians(deciders: &[&dyn Fn() -> bool], expected: bool) -> Vec<f64> {
    let mut times = vec![Vec::new(); deciders.len()];
    for _ in 0..500 {
        for (decide, times) in deciders.iter().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..BATCH {
                assert_eq!(black_box(decide()), expected);
            }
            times.push(start.elapsed());
        }
    }
    times.into_iter().map(median).collect()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e9 / f64::from(BATCH)
}

fn measure(agents: usize, caller: &Caller, expected: bool) {
    let charter = charter(agents);
    let agent = format!("a{}", agents / 2);
    let (pairs, attribute) = (Peer::of_pairs(&charter, caller, &agent), Peer::of_attribute(&charter, caller, &agent));
    let times = medians(
        &[
            &|| authority::invoke(black_box(&charter), black_box(caller), black_box(&agent)).0.is_ok(),
            &|| authority::may_invoke(black_box(&charter), black_box(caller), black_box(&agent)),
            &|| pairs.decide(),
            &|| attribute.decide(),
        ],
        expected,
    );
    let [invoke, may_invoke, pairs, attribute] = times[..] else { return };
    let peer = pairs.min(attribute);
    let word = if expected { "allowed" } else { "refused" };
    let verdict = |ratio: f64| if ratio <= TARGET { "met" } else { "missed" };
    println!(
        "{agents} agents, {word}: cedar-policy {peer:.0} ns ({pairs:.0} with a policy for each pair, {attribute:.0} with one)"
    );
    for (name, own) in [("invoke, with traces", invoke), ("may_invoke", may_invoke)] {
        let ratio = own / peer;
        println!("  {name}: {own:.0} ns: {ratio:.3} × (target {TARGET} ×: {})", verdict(ratio));
    }
}

fn main() {
    let name = |text: &str| Id::new(text).unwrap();
    for agents in [4, 16, 64] {
        measure(agents, &Caller::Strategy(name("ship")), true);
        measure(agents, &Caller::Agent(name("a0")), false);
    }
}
