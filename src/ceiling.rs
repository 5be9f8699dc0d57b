//! Ceilings: what a task, or a run, may spend, counted in two phases.
//!
//! A reservation is pending until it is settled, with what was really spent, or released, each exactly once. All
//! arithmetic is checked: nothing wraps, and a sum that cannot be written is over every limit.
//!
//! *Invariant.* `spent + reserved + free` is never more than the limit, but where a settlement brought in more than had been
//! reserved for it. That is booked, since it was spent, and refused, since the task is over its ceiling.

use std::collections::BTreeMap;

use crate::charter::Ceilings;
use crate::refusal::{Code, Refusal};
use crate::text::quote;

/// How much of each thing that is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amount {
    /// Tokens, in and out.
    pub tokens: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Agents that were started by agents.
    pub spawns: u64,
}

/// One of the things that are counted: its code, its name, and how much of it an amount has.
type Dimension = (Code, &'static str, fn(&Amount) -> u64);

const DIMENSIONS: [Dimension; 3] = [
    (Code::CeilingTokens, "tokens", |amount| amount.tokens),
    (Code::CeilingToolCalls, "tool calls", |amount| amount.tool_calls),
    (Code::CeilingSpawns, "spawns", |amount| amount.spawns),
];

impl From<Ceilings> for Amount {
    fn from(ceilings: Ceilings) -> Self {
        let Ceilings { tokens, tool_calls, spawns, depth: _ } = ceilings;
        Self { tokens, tool_calls, spawns }
    }
}

impl Amount {
    fn each(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            tokens: with(self.tokens, other.tokens),
            tool_calls: with(self.tool_calls, other.tool_calls),
            spawns: with(self.spawns, other.spawns),
        }
    }

    /// The sum, where it can be written.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        Some(Self {
            tokens: self.tokens.checked_add(other.tokens)?,
            tool_calls: self.tool_calls.checked_add(other.tool_calls)?,
            spawns: self.spawns.checked_add(other.spawns)?,
        })
    }
}

/// What may be spent, what is, and what is reserved.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Account {
    limits: Amount,
    spent: Amount,
    reserved: BTreeMap<String, Amount>,
    /// The sum of `reserved`.
    held: Amount,
}

/// An account as it is kept: without what follows from the rest.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    limits: Amount,
    spent: Amount,
    reserved: BTreeMap<String, Amount>,
}

impl From<Account> for Saved {
    fn from(account: Account) -> Self {
        let Account { limits, spent, reserved, held: _ } = account;
        Self { limits, spent, reserved }
    }
}

impl TryFrom<Saved> for Account {
    type Error = &'static str;

    fn try_from(saved: Saved) -> Result<Self, Self::Error> {
        let Saved { limits, spent, reserved } = saved;
        let held = reserved.values().try_fold(Amount::default(), |sum, amount| sum.checked_add(*amount));
        let held = held.ok_or("the reservations of an account are more than can be counted")?;
        if held.each(limits, |held, limit| u64::from(held > limit)) != Amount::default() {
            return Err("the reservations of an account are more than its limits");
        }
        Ok(Self { limits, spent, reserved, held })
    }
}

impl Account {
    /// An account of which nothing is spent or reserved.
    #[must_use]
    pub fn new(limits: Amount) -> Self {
        Self { limits, spent: Amount::default(), reserved: BTreeMap::new(), held: Amount::default() }
    }

    /// The same account under other limits.
    ///
    /// # Errors
    /// `ceiling.tokens`, `ceiling.tool_calls` or `ceiling.spawns` where more is spent and reserved than they are.
    pub fn with_limits(&self, limits: Amount) -> Result<Self, Refusal> {
        for (code, name, of) in DIMENSIONS {
            let taken = of(&self.spent).saturating_add(of(&self.held));
            if taken > of(&limits) {
                let detail = format!("the ceiling would be {} {name}, and {taken} are spent or reserved", of(&limits));
                return Err(Refusal::new(code, "", detail));
            }
        }
        Ok(Self { limits, ..self.clone() })
    }

    /// What may be spent in all.
    #[must_use]
    pub fn limits(&self) -> Amount {
        self.limits
    }

    /// What was spent.
    #[must_use]
    pub fn spent(&self) -> Amount {
        self.spent
    }

    /// The sum of what is reserved. Takes the same time for any number of reservations.
    #[must_use]
    pub fn reserved(&self) -> Amount {
        self.held
    }

    /// What may still be reserved.
    #[must_use]
    pub fn free(&self) -> Amount {
        self.limits.each(self.spent, u64::saturating_sub).each(self.held, u64::saturating_sub)
    }

    /// The pending reservations, in the order of their ids.
    pub fn reservations(&self) -> impl ExactSizeIterator<Item = (&str, Amount)> {
        self.reserved.iter().map(|(id, amount)| (id.as_str(), *amount))
    }

    /// What is reserved under `id`; `None` where nothing is.
    #[must_use]
    pub fn reservation(&self, id: &str) -> Option<Amount> {
        self.reserved.get(id).copied()
    }

    /// Whether `amount` could be reserved. What it has nothing of is not looked at.
    ///
    /// # Errors
    /// As [`Self::reserve`].
    pub fn admit(&self, amount: Amount) -> Result<(), Refusal> {
        for (code, name, of) in DIMENSIONS {
            let (limit, spent, held, asked) = (of(&self.limits), of(&self.spent), of(&self.held), of(&amount));
            let total = spent.checked_add(held).and_then(|sum| sum.checked_add(asked));
            if asked > 0 && total.is_none_or(|total| total > limit) {
                let detail = format!(
                    "the ceiling is {limit} {name}: {spent} are spent, {held} are reserved, and {asked} were asked for"
                );
                return Err(Refusal::new(code, "", detail));
            }
        }
        Ok(())
    }

    /// Reserves `amount` under `id`. The account is unchanged where that is refused.
    ///
    /// # Errors
    /// `ceiling.tokens`, `ceiling.tool_calls` or `ceiling.spawns`, with the limit, what is spent and reserved and what was
    /// asked for, where that would go over the limit; `ceiling.reservation` where `id` is reserved already.
    pub fn reserve(&mut self, id: &str, amount: Amount) -> Result<(), Refusal> {
        if self.reserved.contains_key(id) {
            return Err(Refusal::new(Code::CeilingReservation, "", format!("{} is reserved already", quote(id))));
        }
        self.admit(amount)?;
        // It was admitted, so the sum is within the limit.
        self.held = self.held.each(amount, u64::saturating_add);
        self.reserved.insert(id.to_owned(), amount);
        Ok(())
    }

    /// Ends the reservation `id` and books what was really spent, `actual`.
    ///
    /// `actual` is booked even where it is more than was reserved and where it goes over the limit, up to `u64::MAX`: it was
    /// spent. So after an error with one of the codes of a ceiling the account *has* changed.
    ///
    /// # Errors
    /// `ceiling.reservation` where `id` is not reserved, and nothing is booked; `ceiling.tokens`, `ceiling.tool_calls` or
    /// `ceiling.spawns` where it was booked and more is spent now than the limit.
    pub fn settle(&mut self, id: &str, actual: Amount) -> Result<(), Refusal> {
        self.end(id)?;
        self.spent = self.spent.each(actual, u64::saturating_add);
        for (code, name, of) in DIMENSIONS {
            let (limit, spent) = (of(&self.limits), of(&self.spent));
            if spent > limit {
                return Err(Refusal::new(code, "", format!("the ceiling is {limit} {name}, and {spent} are spent")));
            }
        }
        Ok(())
    }

    /// Ends the reservation `id`; nothing was spent.
    ///
    /// # Errors
    /// `ceiling.reservation` where `id` is not reserved.
    pub fn release(&mut self, id: &str) -> Result<(), Refusal> {
        self.end(id)
    }

    fn end(&mut self, id: &str) -> Result<(), Refusal> {
        let Some(amount) = self.reserved.remove(id) else {
            let detail = format!("nothing is reserved as {}, or it was settled or released before", quote(id));
            return Err(Refusal::new(Code::CeilingReservation, "", detail));
        };
        self.held = self.held.each(amount, u64::saturating_sub);
        Ok(())
    }
}

#[cfg(test)]
#[path = "ceiling_test.rs"]
mod tests;
