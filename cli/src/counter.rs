//! The token counter of an encoding.

use relay_baton::baton::Budget;
use relay_baton::count::TokenCounter;
use relay_baton_tokens::{Encoding, count};

use crate::failure::Failure;

/// Counts tokens of one encoding.
#[derive(Debug)]
pub(crate) struct Counter {
    encoding: Encoding,
}

impl Counter {
    /// The counter that a budget names.
    pub(crate) fn of(budget: &Budget<'_>) -> Result<Self, Failure> {
        let known = || Encoding::ALL.map(Encoding::name).join(" and ");
        let unknown = || Failure::Usage(format!("the encoding `{}` is not known: {} are", budget.encoding, known()));
        Encoding::named(budget.encoding).map(|encoding| Self { encoding }).ok_or_else(unknown)
    }
}

impl TokenCounter for Counter {
    fn encoding(&self) -> &str {
        self.encoding.name()
    }

    fn count(&self, text: &str) -> usize {
        count(self.encoding, text)
    }
}
