//! A call with side effects: an engine that can crash anywhere, a person in no hurry, and a tool that cannot be undone.
//!
//! The engine plans a step, writes it down, and does what it asks for, one thing at a time. What is written survives a
//! crash, what is planned or about to be done does not. A call that did not take place may be asked for once more.

use relay_baton::approval::{self, Approval};
use relay_baton::baton::{Id, Timestamp};
use relay_baton::call::{self, Effect};
use stateright::{Checker, Model, Property};

/// What is wrong with the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Twin {
    /// Nothing.
    Sound,
    /// It does what a step asks for before the step is written.
    EffectFirst,
    /// It begins a call and leaves the approval as it was.
    Unconsumed,
    /// It writes where a crash can reach.
    Volatile,
    /// After a crash it starts again what may have been started.
    Repeating,
    /// After a crash it does not do what was still to be done.
    Forgetful,
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Written {
    call: call::State,
    approval: Option<Approval>,
    attempt: u8,
}

/// A step that is not written yet, and what it was planned on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Plan {
    before: Written,
    after: Written,
    effects: Vec<Effect>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Engine {
    plan: Option<Plan>,
    effects: Vec<Effect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Tool {
    Idle,
    Running,
    Ended {
        worked: bool,
    },
    /// Nobody hears of it any more.
    Gone,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    written: Written,
    /// None while it is down.
    engine: Option<Engine>,
    tool: Tool,
    late: bool,
    crashes: u8,
    grants: u8,
    /// How often the effect took place, in each attempt.
    starts: [u8; 2],
    /// Whether a person has been asked for what the call waits for.
    asked: bool,
    /// What a person found out.
    found: Option<bool>,
    told: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Plan,
    Write,
    Perform,
    Crash,
    Restart,
    Grant,
    Deny,
    Later,
    End { worked: bool },
    Answer,
    AskAgain,
}

struct Call {
    twin: Twin,
    crashes_max: u8,
}

const DIGEST: &str = "sha256:of the call";

fn new(attempt: u8, approval: Option<Approval>) -> Written {
    Written { call: call::State::Requested, approval, attempt }
}

fn now(state: &State) -> Timestamp {
    let start = Timestamp::parse("2026-01-02T03:04:05Z").unwrap();
    if state.late { start.plus_seconds(60).unwrap() } else { start }
}

/// What has to be done, whatever was done before, where this is written.
fn outstanding(state: &State) -> Vec<Effect> {
    match state.written.call {
        call::State::Pending => vec![Effect::RequestApproval],
        call::State::Unknown => vec![Effect::PutToPerson],
        settled if call::is_settled(settled) && !state.told => vec![Effect::Tell],
        _ => Vec::new(),
    }
}

impl Call {
    /// The next step, where there is one to take.
    fn plan(&self, state: &State) -> Option<Plan> {
        let before = &state.written;
        let asked_for = |event| before.approval.as_ref()?.step(event, &now(state)).ok();
        let (event, approval) = match before.call {
            call::State::Requested => (call::Event::Ask, Some(self.approval(state))),
            call::State::Pending => {
                let approval = asked_for(approval::Event::Tick)?;
                let event = match approval.state {
                    approval::State::Granted => call::Event::Grant,
                    approval::State::Denied => call::Event::Deny,
                    approval::State::Expired => call::Event::Expire,
                    _ => return None,
                };
                (event, Some(approval))
            }
            call::State::Approved => match asked_for(approval::Event::Consume { digest: DIGEST.to_owned() }) {
                Some(_) if self.twin == Twin::Unconsumed => (call::Event::Begin, before.approval.clone()),
                Some(consumed) => (call::Event::Begin, Some(consumed)),
                None => (call::Event::Expire, asked_for(approval::Event::Tick)),
            },
            call::State::Intent => {
                let event = match state.tool {
                    Tool::Ended { worked: true } => call::Event::Finish,
                    Tool::Ended { worked: false } => call::Event::Fail,
                    Tool::Gone => call::Event::Lose,
                    Tool::Idle | Tool::Running => return None,
                };
                (event, before.approval.clone())
            }
            call::State::Unknown => (call::Event::Resolve { happened: state.found? }, before.approval.clone()),
            _ => return None,
        };
        let (call, effects) = call::step(before.call, event, true).unwrap();
        Some(Plan { before: before.clone(), after: Written { call, approval, attempt: before.attempt }, effects })
    }

    /// The approval of a call that is asked for: one that is still open serves.
    fn approval(&self, state: &State) -> Approval {
        match &state.written.approval {
            Some(approval) if approval.state.is_open() => approval.clone(),
            _ => {
                let id = approval::id(DIGEST, state.written.attempt.into());
                Approval::request(id, DIGEST.to_owned(), &now(state), Some(60))
            }
        }
    }

    fn engine_actions(&self, state: &State, engine: &Engine, actions: &mut Vec<Action>) {
        if !engine.effects.is_empty() {
            actions.push(Action::Perform);
        } else if engine.plan.is_some() {
            actions.push(Action::Write);
        } else if self.plan(state).is_some() {
            actions.push(Action::Plan);
        } else if did_not_happen(state) && state.told && state.written.attempt == 0 {
            actions.push(Action::AskAgain);
        }
        if state.crashes < self.crashes_max {
            actions.push(Action::Crash);
        }
    }
}

fn did_not_happen(state: &State) -> bool {
    let written = state.written.call;
    written == call::State::Failed || (written == call::State::Resolved && state.found == Some(false))
}

fn perform(state: &mut State, effect: Effect) {
    match effect {
        Effect::RequestApproval | Effect::PutToPerson => state.asked = true,
        Effect::Start => {
            state.starts[usize::from(state.written.attempt)] += 1;
            state.tool = Tool::Running;
        }
        Effect::Tell => state.told = true,
    }
}

/// A person's word goes to the record at once; the engine learns of it there.
fn decide(state: &mut State, event: approval::Event) -> Option<()> {
    let approval = state.written.approval.as_ref()?;
    let after = approval.step(event, &now(state)).ok()?;
    state.grants += u8::from(after.state == approval::State::Granted && approval.state != after.state);
    (*approval != after).then(|| state.written.approval = Some(after))
}

fn crash(state: &mut State, twin: Twin) {
    state.engine = None;
    state.crashes += 1;
    state.tool = Tool::Gone;
    if twin == Twin::Volatile {
        state.written = new(state.written.attempt, None);
        state.told = false;
    }
}

impl Model for Call {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            written: new(0, None),
            engine: Some(Engine::default()),
            tool: Tool::Idle,
            late: false,
            crashes: 0,
            grants: 0,
            starts: [0; 2],
            asked: false,
            found: None,
            told: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        match &state.engine {
            Some(engine) => self.engine_actions(state, engine, actions),
            None => actions.push(Action::Restart),
        }
        if state.tool == Tool::Running {
            actions.extend([Action::End { worked: true }, Action::End { worked: false }]);
        }
        if state.asked && state.written.call == call::State::Unknown && state.found.is_none() {
            actions.push(Action::Answer);
        }
        if state.asked && state.written.call != call::State::Unknown {
            actions.extend([Action::Grant, Action::Deny]);
        }
        if !state.late {
            actions.push(Action::Later);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let kim = Id::new("kim").unwrap();
        match action {
            Action::Plan => {
                let plan = self.plan(&state)?;
                let engine = state.engine.as_mut()?;
                if self.twin == Twin::EffectFirst {
                    engine.effects = plan.effects.clone();
                }
                engine.plan = Some(plan);
            }
            Action::Write => {
                let plan = state.engine.as_mut()?.plan.take()?;
                // A person came first: it is planned anew.
                if plan.before == state.written {
                    state.asked &= plan.after.call == plan.before.call;
                    state.written = plan.after;
                    let performed = self.twin == Twin::EffectFirst;
                    state.engine.as_mut()?.effects = if performed { Vec::new() } else { plan.effects };
                    state.asked |= performed && call::waits_for_person(state.written.call);
                }
            }
            Action::Perform => {
                let effect = state.engine.as_mut()?.effects.remove(0);
                perform(&mut state, effect);
            }
            Action::Crash => crash(&mut state, self.twin),
            Action::Restart => {
                let repeats = self.twin == Twin::Repeating && state.written.call == call::State::Intent;
                let effects = match self.twin {
                    Twin::Forgetful => Vec::new(),
                    _ if repeats => vec![Effect::Start],
                    _ => outstanding(&state),
                };
                state.engine = Some(Engine { plan: None, effects });
            }
            Action::Grant => decide(&mut state, approval::Event::Grant { by: kim })?,
            Action::Deny => decide(&mut state, approval::Event::Deny { by: kim, why: None })?,
            Action::Later => state.late = true,
            Action::End { worked } => state.tool = Tool::Ended { worked },
            Action::Answer => state.found = Some(state.starts[usize::from(state.written.attempt)] > 0),
            Action::AskAgain => {
                state.written = new(1, state.written.approval.take());
                (state.tool, state.asked, state.found, state.told) = (Tool::Idle, false, None, false);
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_, state: &State| state.starts.iter().all(|starts| *starts <= 1)),
            Property::always(GRANTED, |_, state: &State| state.starts.iter().sum::<u8>() <= state.grants),
            Property::always(SETTLED, |_, state: &State| !state.told || call::is_settled(state.written.call)),
            Property::always(TOLD, |model: &Self, state: &State| {
                let mut actions = Vec::new();
                model.actions(state, &mut actions);
                state.told || actions.into_iter().any(|action| model.next_state(state, action).is_some())
            }),
            Property::sometimes("it is done", |_, state: &State| state.told && state.written.call == call::State::Done),
            Property::sometimes("it is denied", |_, state: &State| state.told && state.grants == 0),
            Property::sometimes("a grant is not used in time", |_, state: &State| {
                state.told && state.grants == 1 && state.written.call == call::State::Denied
            }),
            Property::sometimes("a call that began is found to have happened", |_, state: &State| {
                state.told && state.written.call == call::State::Resolved && state.found == Some(true)
            }),
            Property::sometimes("a second grant lets it begin again", |_, state: &State| state.starts == [1, 1]),
        ]
    }
}

const ONCE: &str = "an effect takes place at most once an attempt";
const GRANTED: &str = "every effect has a grant of its own";
const SETTLED: &str = "only what is settled is told";
const TOLD: &str = "in the end the outcome is told";

fn checked(twin: Twin, crashes_max: u8) -> impl Checker<Call> {
    Call { twin, crashes_max }.checker().spawn_bfs().join()
}

#[test]
fn an_approved_effect_takes_place_at_most_once_and_its_outcome_is_told() {
    let checker = checked(Twin::Sound, 3);
    checker.assert_properties();
    assert!(checker.unique_state_count() > 500, "{}", checker.unique_state_count());
}

#[test]
fn an_effect_before_its_intent_is_written_is_found() {
    checked(Twin::EffectFirst, 1).assert_any_discovery(ONCE);
}

#[test]
fn an_approval_that_is_not_consumed_is_found() {
    checked(Twin::Unconsumed, 0).assert_any_discovery(GRANTED);
}

#[test]
fn a_record_that_a_crash_can_reach_is_found() {
    checked(Twin::Volatile, 1).assert_any_discovery(ONCE);
}

#[test]
fn an_intent_that_is_started_again_is_found() {
    checked(Twin::Repeating, 1).assert_any_discovery(ONCE);
}

#[test]
fn what_is_forgotten_in_a_crash_is_found() {
    checked(Twin::Forgetful, 1).assert_any_discovery(TOLD);
}

#[test]
fn without_a_crash_only_the_twin_that_needs_none_is_caught() {
    for twin in [Twin::EffectFirst, Twin::Volatile, Twin::Repeating, Twin::Forgetful] {
        let checker = checked(twin, 0);
        for law in [ONCE, GRANTED, TOLD] {
            checker.assert_no_discovery(law);
        }
    }
}
