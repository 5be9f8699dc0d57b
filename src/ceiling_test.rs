#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::*;

fn tokens(tokens: u64) -> Amount {
    Amount { tokens, ..Amount::default() }
}

fn amount(tokens: u64, tool_calls: u64, spawns: u64) -> Amount {
    Amount { tokens, tool_calls, spawns }
}

#[test]
fn a_reservation_is_free_no_more_until_it_is_settled_or_released() {
    let mut account = Account::new(amount(100, 3, 1));
    assert_eq!(account.reserve("a", amount(60, 1, 1)), Ok(()));
    assert_eq!(
        (account.reserved(), account.spent(), account.free()),
        (amount(60, 1, 1), Amount::default(), amount(40, 2, 0))
    );
    assert_eq!(account.settle("a", amount(10, 1, 1)), Ok(()));
    assert_eq!(
        (account.reserved(), account.spent(), account.free()),
        (Amount::default(), amount(10, 1, 1), amount(90, 2, 0))
    );
    assert_eq!(account.reserve("b", tokens(90)), Ok(()));
    assert_eq!(account.release("b"), Ok(()));
    assert_eq!((account.reserved(), account.spent()), (Amount::default(), amount(10, 1, 1)));
    assert_eq!(account.limits(), amount(100, 3, 1));
}

#[test]
fn each_thing_has_its_own_ceiling_and_a_refusal_changes_nothing() {
    let mut account = Account::new(amount(100, 3, 1));
    account.reserve("a", amount(50, 2, 1)).unwrap();
    let before = account.clone();
    for (asked, code) in [
        (amount(51, 0, 0), Code::CeilingTokens),
        (amount(0, 2, 0), Code::CeilingToolCalls),
        (amount(0, 0, 1), Code::CeilingSpawns),
        (amount(51, 2, 1), Code::CeilingTokens),
    ] {
        assert_eq!(account.reserve("b", asked).unwrap_err().code, code);
        assert_eq!(account.admit(asked).unwrap_err().code, code);
        assert_eq!(account, before);
    }
    let detail = account.reserve("b", tokens(51)).unwrap_err().detail;
    assert_eq!(detail, "the ceiling is 100 tokens: 0 are spent, 50 are reserved, and 51 were asked for");
    assert_eq!((account.reserve("b", tokens(50)), account.free().tokens), (Ok(()), 0));
}

#[test]
fn a_reservation_is_ended_exactly_once() {
    let mut account = Account::new(tokens(100));
    account.reserve("a", tokens(10)).unwrap();
    assert_eq!(account.reserve("a", tokens(1)).unwrap_err().code, Code::CeilingReservation);
    assert_eq!(account.reserved(), tokens(10), "the second did not replace the first");
    account.settle("a", tokens(7)).unwrap();
    let before = account.clone();
    for id in ["a", "b", ""] {
        assert_eq!(account.settle(id, tokens(1)).unwrap_err().code, Code::CeilingReservation);
        assert_eq!(account.release(id).unwrap_err().code, Code::CeilingReservation);
    }
    assert_eq!(account, before);
    assert_eq!(account.reserve("a", tokens(93)), Ok(()), "an id is free again once it is ended");
}

#[test]
fn more_than_was_reserved_is_booked_and_refused_where_it_goes_over() {
    let mut account = Account::new(amount(100, 1, 0));
    account.reserve("a", tokens(10)).unwrap();
    assert_eq!(account.settle("a", tokens(100)), Ok(()), "within the limit, though not within the reservation");
    account.reserve("b", amount(0, 1, 0)).unwrap();
    let refusal = account.settle("b", amount(1, 1, 0)).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.detail.as_str()),
        (Code::CeilingTokens, "the ceiling is 100 tokens, and 101 are spent")
    );
    assert_eq!(
        (account.spent(), account.reserved(), account.free()),
        (amount(101, 1, 0), Amount::default(), Amount::default())
    );
    assert_eq!(account.reserve("c", tokens(1)).unwrap_err().code, Code::CeilingTokens);
    account = Account::new(amount(0, 0, 0));
    account.reserve("a", Amount::default()).unwrap();
    assert_eq!(account.settle("a", amount(0, 1, 0)).unwrap_err().code, Code::CeilingToolCalls);
    account.reserve("a", Amount::default()).unwrap();
    assert_eq!(account.clone().settle("a", amount(0, 0, 1)).unwrap_err().code, Code::CeilingToolCalls);
    account = Account::new(amount(0, 0, 0));
    account.reserve("a", Amount::default()).unwrap();
    assert_eq!(account.settle("a", amount(0, 0, 1)).unwrap_err().code, Code::CeilingSpawns);
}

#[test]
fn nothing_wraps() {
    let mut account = Account::new(tokens(u64::MAX));
    account.reserve("a", tokens(u64::MAX)).unwrap();
    assert_eq!(account.reserve("b", tokens(1)).unwrap_err().code, Code::CeilingTokens);
    assert_eq!(account.reserve("b", tokens(u64::MAX)).unwrap_err().code, Code::CeilingTokens);
    account.settle("a", tokens(u64::MAX)).unwrap();
    account.reserve("b", Amount::default()).unwrap();
    assert_eq!(account.settle("b", tokens(u64::MAX)), Ok(()), "counted up to what can be");
    assert_eq!((account.spent(), account.free()), (tokens(u64::MAX), Amount::default()));
    assert_eq!(account.reserve("c", tokens(1)).unwrap_err().code, Code::CeilingTokens);
}

#[test]
fn ceilings_are_limits_and_depth_is_not_counted_here() {
    let ceilings = Ceilings { tokens: 1, tool_calls: 2, spawns: 3, depth: 4 };
    assert_eq!(Amount::from(ceilings), amount(1, 2, 3));
}

#[test]
fn an_account_comes_back_as_it_was_saved() {
    let mut account = Account::new(amount(100, 3, 1));
    account.reserve("b", amount(5, 1, 0)).unwrap();
    account.reserve("a", amount(6, 0, 1)).unwrap();
    account.reserve("c", tokens(1)).unwrap();
    account.settle("c", tokens(9)).unwrap();
    let saved = serde_json::to_string(&account).unwrap();
    let back: Account = serde_json::from_str(&saved).unwrap();
    assert_eq!((&back, back.reserved()), (&account, amount(11, 1, 1)));
    assert_eq!(back.reservations().collect::<Vec<_>>(), [("a", amount(6, 0, 1)), ("b", amount(5, 1, 0))]);
    for wrong in [
        saved.replace(r#""tokens":5"#, r#""tokens":95"#),
        saved.replace(r#""tokens":5"#, &format!(r#""tokens":{}"#, u64::MAX)),
        saved.replace(r#""tokens":5"#, r#""tokens":-5"#),
        saved.replace(r#""spent""#, r#""spend""#),
    ] {
        assert!(serde_json::from_str::<Account>(&wrong).is_err(), "{wrong}");
    }
}

/// What an account does, so that the twins below can be held to it too.
trait Ledger {
    fn reserve(&mut self, id: &str, amount: Amount) -> bool;
    fn settle(&mut self, id: &str, actual: Amount) -> Result<(), Code>;
    fn release(&mut self, id: &str) -> bool;
    /// What is spent, reserved and free.
    fn sums(&self) -> [Amount; 3];
}

impl Ledger for Account {
    fn reserve(&mut self, id: &str, amount: Amount) -> bool {
        self.reserve(id, amount).is_ok()
    }

    fn settle(&mut self, id: &str, actual: Amount) -> Result<(), Code> {
        self.settle(id, actual).map_err(|refusal| refusal.code)
    }

    fn release(&mut self, id: &str) -> bool {
        self.release(id).is_ok()
    }

    fn sums(&self) -> [Amount; 3] {
        [self.spent(), self.reserved(), self.free()]
    }
}

#[derive(Clone, Debug)]
enum Step {
    Reserve(u8, Amount),
    Settle(u8, Amount),
    Release(u8),
}

fn amounts() -> impl Strategy<Value = Amount> {
    let number = || prop_oneof![6 => 0u64..8, 1 => Just(u64::MAX), 1 => Just(u64::MAX - 3), 1 => Just(1 << 63)];
    (number(), 0u64..3, number()).prop_map(|(tokens, tool_calls, spawns)| amount(tokens, tool_calls, spawns))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0u8..4, amounts()).prop_map(|(id, amount)| Step::Reserve(id, amount)),
        2 => (0u8..4, amounts()).prop_map(|(id, amount)| Step::Settle(id, amount)),
        1 => (0u8..4).prop_map(Step::Release),
    ];
    prop::collection::vec(step, 0..24)
}

/// A naive account: every reservation ever made and what became of it, summed anew in 128 bits at each question.
#[derive(Default)]
struct Naive {
    limits: [u128; 3],
    pending: Vec<(u8, [u128; 3])>,
    spent: [u128; 3],
    overrun: bool,
}

fn wide(amount: Amount) -> [u128; 3] {
    [amount.tokens.into(), amount.tool_calls.into(), amount.spawns.into()]
}

impl Naive {
    fn held(&self, place: usize) -> u128 {
        self.pending.iter().map(|(_, amount)| amount[place]).sum()
    }

    fn reserve(&mut self, id: u8, amount: Amount) -> bool {
        let asked = wide(amount);
        let fits = (0..3).all(|n| asked[n] == 0 || self.spent[n] + self.held(n) + asked[n] <= self.limits[n]);
        let new = self.end(id).map(|old| self.pending.push((id, old))).is_none();
        if fits && new {
            self.pending.push((id, asked));
        }
        fits && new
    }

    fn end(&mut self, id: u8) -> Option<[u128; 3]> {
        let at = self.pending.iter().position(|(own, _)| *own == id)?;
        Some(self.pending.remove(at).1)
    }

    fn settle(&mut self, id: u8, actual: Amount) -> Result<(), Code> {
        let reserved = self.end(id).ok_or(Code::CeilingReservation)?;
        for (place, actual) in wide(actual).into_iter().enumerate() {
            self.overrun |= actual > reserved[place];
            self.spent[place] = (self.spent[place] + actual).min(u64::MAX.into());
        }
        let codes = [Code::CeilingTokens, Code::CeilingToolCalls, Code::CeilingSpawns];
        let over = (0..3).find(|place| self.spent[*place] > self.limits[*place]);
        over.map_or(Ok(()), |place| Err(codes[place]))
    }
}

/// The first difference between `ledger` and the naive account, or the first broken law.
fn fault(mut ledger: impl Ledger, limits: Amount, steps: &[Step]) -> Option<String> {
    let mut naive = Naive { limits: wide(limits), ..Naive::default() };
    for (number, step) in steps.iter().enumerate() {
        let (same, name) = match step {
            Step::Reserve(id, amount) => {
                (ledger.reserve(&id.to_string(), *amount) == naive.reserve(*id, *amount), "reserve")
            }
            Step::Settle(id, actual) => {
                (ledger.settle(&id.to_string(), *actual) == naive.settle(*id, *actual), "settle")
            }
            Step::Release(id) => (ledger.release(&id.to_string()) == naive.end(*id).is_some(), "release"),
        };
        let [spent, held, free] = ledger.sums().map(wide);
        for place in 0..3 {
            let sum = spent[place] + held[place] + free[place];
            let left = naive.limits[place].saturating_sub(naive.spent[place] + naive.held(place));
            let right = (spent[place], held[place], free[place]) == (naive.spent[place], naive.held(place), left);
            if !same || !right || (!naive.overrun && sum != naive.limits[place]) {
                return Some(format!("{name} at step {number}, place {place}"));
            }
        }
    }
    None
}

proptest! {
    #[test]
    fn an_account_is_as_the_naive_one(limits in amounts(), steps in steps()) {
        prop_assert_eq!(fault(Account::new(limits), limits, &steps), None);
    }

    #[test]
    fn a_saved_account_goes_on_the_same(limits in amounts(), steps in steps(), cut in 0usize..24) {
        let mut account = Account::new(limits);
        let (before, after) = steps.split_at(cut.min(steps.len()));
        let run = |account: &mut Account, steps: &[Step]| for step in steps {
            match step {
                Step::Reserve(id, amount) => { let _ = account.reserve(&id.to_string(), *amount); }
                Step::Settle(id, actual) => { let _ = account.settle(&id.to_string(), *actual); }
                Step::Release(id) => { let _ = account.release(&id.to_string()); }
            }
        };
        run(&mut account, before);
        let mut back: Account = serde_json::from_str(&serde_json::to_string(&account).unwrap()).unwrap();
        run(&mut account, after);
        run(&mut back, after);
        prop_assert_eq!(account, back);
    }
}

/// Known to be wrong: its sums wrap, or it forgets to give back what is released.
struct Twin {
    account: Account,
    wraps: bool,
    forgets: bool,
}

impl Ledger for Twin {
    fn reserve(&mut self, id: &str, amount: Amount) -> bool {
        if !self.wraps || self.account.reserved.contains_key(id) {
            return Ledger::reserve(&mut self.account, id, amount);
        }
        let Account { limits, spent, held, .. } = self.account;
        let total = held.each(amount, u64::wrapping_add);
        let over = total.each(spent, u64::wrapping_add).each(limits, |total, limit| u64::from(total > limit));
        if over == Amount::default() {
            self.account.held = total;
            self.account.reserved.insert(id.to_owned(), amount);
        }
        over == Amount::default()
    }

    fn settle(&mut self, id: &str, actual: Amount) -> Result<(), Code> {
        Ledger::settle(&mut self.account, id, actual)
    }

    fn release(&mut self, id: &str) -> bool {
        let held = self.account.held;
        let released = Ledger::release(&mut self.account, id);
        if self.forgets {
            self.account.held = held;
        }
        released
    }

    fn sums(&self) -> [Amount; 3] {
        self.account.sums()
    }
}

/// Whether the checker finds a fault of a twin within the cases that the tests above run.
fn is_caught(wraps: bool, forgets: bool) -> bool {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let caught = runner.run(&(amounts(), steps()), |(limits, steps)| {
        let twin = Twin { account: Account::new(limits), wraps, forgets };
        prop_assert_eq!(fault(twin, limits, &steps), None);
        Ok(())
    });
    caught.is_err()
}

#[test]
fn the_checker_catches_what_is_wrong() {
    assert!(is_caught(true, false), "sums that wrap");
    assert!(is_caught(false, true), "a release that is forgotten");
    assert!(!is_caught(false, false), "the account itself is sound");
}
