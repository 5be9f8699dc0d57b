//! The table of tokens per section.

use crate::baton::{Baton, Budget};
use crate::count::TokenCounter;
use crate::fit::{Rendering, fitted, row_name, whole};
use crate::outline::{Outline, Section};
use crate::render::Format;

/// One row: a section of the rendering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionTokens {
    /// The name of its field, `other_keys`, or `frame` for the lines that belong to no section.
    pub name: &'static str,
    /// Its tokens in the fitted rendering.
    pub tokens: usize,
    /// Its tokens with nothing left out.
    pub whole: usize,
    /// How many of its items and members were left out.
    pub shed: usize,
}

/// Where the tokens of a rendering go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenTable {
    /// The sections that the baton has, in rendering order, and `frame` last.
    pub rows: Vec<SectionTokens>,
    /// Tokens of the fitted rendering; where nothing fits, of the shortest.
    pub tokens: usize,
    /// Tokens with nothing left out.
    pub whole: usize,
    /// Tokens that the rendering may have.
    pub budget: u64,
    /// Whether the rendering is within the budget.
    pub fits: bool,
    /// The encoding of all these counts.
    pub encoding: String,
}

/// Where the tokens of `baton` in `format` go, under `budget` as `counter` counts.
///
/// Where the counts of a format or a counter do not add up, the rows need not sum to the total.
#[must_use]
pub fn section_tokens(
    baton: &Baton<'_>,
    format: Format,
    budget: &Budget<'_>,
    counter: &dyn TokenCounter,
) -> TokenTable {
    let outline = Outline::of(baton, *budget);
    let (mut whole, _) = whole(&outline, format);
    let whole_tokens = whole.count(counter);
    let found = fitted(&outline, format, counter, Some(&whole));
    let fits = found.is_ok();
    let mut fitted = found.unwrap_or_else(|shortest| shortest);
    let tokens = fitted.count_after(counter, Some(&whole));
    let sections = Section::ALL.into_iter().map(Some).chain([None]);
    let rows = sections.map(|section| row(section, &whole, &fitted, counter)).filter(|row| row.whole > 0).collect();
    let encoding = counter.encoding().to_owned();
    TokenTable { rows, tokens, whole: whole_tokens, budget: budget.tokens, fits, encoding }
}

fn row(section: Option<Section>, whole: &Rendering, fitted: &Rendering, counter: &dyn TokenCounter) -> SectionTokens {
    let shed = fitted.shed().iter().filter(|shed| Some(shed.stage.section()) == section);
    SectionTokens {
        name: row_name(section),
        tokens: fitted.section_tokens(section, counter),
        whole: whole.section_tokens(section, counter),
        shed: shed.map(|shed| shed.count).sum(),
    }
}
