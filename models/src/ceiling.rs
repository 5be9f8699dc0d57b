//! Several processes of one task that spend from one account: each reads it, reserves, works, and settles, and the store
//! takes a new account only where the one that was read still stands.

use relay_baton::ceiling::{Account, Amount};
use stateright::{Checker, Model, Property};

/// What is wrong with the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Twin {
    /// Nothing.
    Sound,
    /// They work first and settle what they never reserved.
    Unreserved,
    /// They write the account whatever stands there.
    Overwriting,
    /// What a process that died had reserved is given back, though it may be spent.
    Releasing,
}

/// An account as it was read, with its version.
type Seen = (u8, Account);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Process {
    Idle,
    /// About to reserve.
    Read(Seen),
    Reserved,
    /// Has spent so much, and has to settle.
    Worked(u64),
    /// About to settle.
    Reread(u64, Seen),
    Settled,
    Refused,
    /// Died with a reservation.
    Dead,
    /// Died, and somebody saw to the reservation.
    Cleared,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    kept: Seen,
    /// What was really spent.
    spent: u64,
    deaths: u8,
    processes: Vec<Process>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Read(usize),
    Reserve(usize),
    Work(usize, u64),
    Settle(usize),
    Die(usize),
    Clear(usize),
}

struct Spending {
    twin: Twin,
    processes: usize,
}

const LIMIT: u64 = 5;
/// What each process reserves.
const EACH: u64 = 2;

fn tokens(tokens: u64) -> Amount {
    Amount { tokens, ..Amount::default() }
}

impl Spending {
    /// Writes an account that was made of the one that was `seen`; whether it was taken.
    fn write(&self, state: &mut State, seen: u8, account: Account) -> bool {
        let taken = self.twin == Twin::Overwriting || state.kept.0 == seen;
        if taken {
            state.kept = (state.kept.0 + 1, account);
        }
        taken
    }

    fn reserve(&self, state: &mut State, which: usize, (version, mut account): Seen) -> Process {
        if account.reserve(&which.to_string(), tokens(EACH)).is_err() {
            return Process::Refused;
        }
        if self.write(state, version, account) { Process::Reserved } else { Process::Idle }
    }

    fn settle(&self, state: &mut State, which: usize, actual: u64, (version, mut account): Seen) -> Process {
        let id = which.to_string();
        if self.twin == Twin::Unreserved && account.reserve(&id, tokens(0)).is_err() {
            return Process::Refused;
        }
        // What goes over the limit is booked all the same, and so is kept.
        let _ = account.settle(&id, tokens(actual));
        if self.write(state, version, account) { Process::Settled } else { Process::Worked(actual) }
    }

    /// It is not known what a dead process spent, so all that it had reserved is booked.
    fn clear(&self, state: &mut State, which: usize) -> Process {
        let (version, mut account) = state.kept.clone();
        let id = which.to_string();
        let ended = if self.twin == Twin::Releasing { account.release(&id) } else { account.settle(&id, tokens(EACH)) };
        if ended.is_ok() {
            self.write(state, version, account);
        }
        Process::Cleared
    }
}

impl Model for Spending {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let first = if self.twin == Twin::Unreserved { Process::Reserved } else { Process::Idle };
        let kept = (0, Account::new(tokens(LIMIT)));
        vec![State { kept, spent: 0, deaths: 0, processes: vec![first; self.processes] }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (which, process) in state.processes.iter().enumerate() {
            match process {
                Process::Idle | Process::Worked(_) => actions.push(Action::Read(which)),
                Process::Read(_) => actions.push(Action::Reserve(which)),
                Process::Reserved => actions.extend((1..=EACH).map(|actual| Action::Work(which, actual))),
                Process::Reread(..) => actions.push(Action::Settle(which)),
                Process::Dead => actions.push(Action::Clear(which)),
                Process::Settled | Process::Refused | Process::Cleared => {}
            }
            let holds = matches!(process, Process::Reserved | Process::Worked(_) | Process::Reread(..));
            if holds && state.deaths == 0 {
                actions.push(Action::Die(which));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (which, after) = match action {
            Action::Read(which) => match &state.processes[which] {
                Process::Worked(actual) => (which, Process::Reread(*actual, state.kept.clone())),
                _ => (which, Process::Read(state.kept.clone())),
            },
            Action::Reserve(which) => {
                let Process::Read(seen) = state.processes[which].clone() else { return None };
                (which, self.reserve(&mut state, which, seen))
            }
            Action::Work(which, actual) => {
                state.spent += actual;
                (which, Process::Worked(actual))
            }
            Action::Settle(which) => {
                let Process::Reread(actual, seen) = state.processes[which].clone() else { return None };
                (which, self.settle(&mut state, which, actual, seen))
            }
            Action::Die(which) => {
                state.deaths += 1;
                (which, Process::Dead)
            }
            Action::Clear(which) => (which, self.clear(&mut state, which)),
        };
        state.processes[which] = after;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(WITHIN, |_, state: &State| state.spent <= LIMIT),
            Property::always(BOOKED, |_, state: &State| {
                let account = &state.kept.1;
                state.spent <= account.spent().tokens + account.reserved().tokens
            }),
            Property::always(SUM, |_, state: &State| {
                let account = &state.kept.1;
                account.spent().tokens + account.reserved().tokens + account.free().tokens == LIMIT
            }),
            Property::always(ENDED, |model: &Self, state: &State| {
                let mut actions = Vec::new();
                model.actions(state, &mut actions);
                !actions.is_empty() || state.kept.1.reservations().len() == 0
            }),
            Property::sometimes("one is refused", |_, state: &State| state.processes.contains(&Process::Refused)),
            Property::sometimes("all of it is spent", |_, state: &State| state.spent == LIMIT),
            Property::sometimes("a write comes too late", |_, state: &State| {
                let stale =
                    |process: &Process| matches!(process, Process::Read((version, _)) if *version < state.kept.0);
                state.processes.iter().any(stale)
            }),
        ]
    }
}

const WITHIN: &str = "what is spent is within the ceiling";
const BOOKED: &str = "what is spent is booked or reserved";
const SUM: &str = "spent, reserved and free are the limit";
const ENDED: &str = "in the end nothing is reserved";

fn checked(twin: Twin) -> impl Checker<Spending> {
    Spending { twin, processes: 3 }.checker().spawn_bfs().join()
}

#[test]
fn processes_that_reserve_never_spend_more_than_the_ceiling() {
    let checker = checked(Twin::Sound);
    checker.assert_properties();
    assert!(checker.unique_state_count() > 500, "{}", checker.unique_state_count());
}

#[test]
fn a_settlement_without_a_reservation_is_found() {
    checked(Twin::Unreserved).assert_any_discovery(WITHIN);
}

#[test]
fn an_account_that_is_written_over_is_found() {
    let checker = checked(Twin::Overwriting);
    checker.assert_any_discovery(WITHIN);
    checker.assert_any_discovery(BOOKED);
}

#[test]
fn what_a_dead_process_may_have_spent_is_not_given_back() {
    checked(Twin::Releasing).assert_any_discovery(WITHIN);
}
