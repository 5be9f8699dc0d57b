//! Fitting: the rendering of a baton within its token budget.
//!
//! What may be left out goes in a fixed order, one unit at a time, until the rest fits; a line in its place says what and
//! how many and where it is. A byte-level tokenizer never gives more tokens than bytes, so where the bytes fit nothing is
//! counted at all.

mod rendering;
mod search;
mod table;

use crate::baton::{Baton, Budget};
use crate::count::TokenCounter;
use crate::outline::{Outline, Section, Shedding, shedding_order};
use crate::refusal::{Code, Refusal, Refused};
use crate::render::{Format, Layout, Piece, Role};

pub use rendering::Rendering;
pub use table::{SectionTokens, TokenTable, section_tokens};

/// The rendering of `baton` in `format`, within `budget` as `counter` counts.
///
/// What it does depends on its arguments alone: a baton that was once found to fit always does.
///
/// ```
/// use relay_baton::baton::{Baton, DEFAULT_BUDGET};
/// use relay_baton::count::TokenCounter;
/// use relay_baton::fit::fit;
/// use relay_baton::json::Limits;
/// use relay_baton::render::Format;
///
/// /// Takes every byte for a token.
/// struct Bytes;
///
/// impl TokenCounter for Bytes {
///     fn encoding(&self) -> &str {
///         "bytes"
///     }
///
///     fn count(&self, text: &str) -> usize {
///         text.len()
///     }
///
///     fn adds_up_by_line(&self) -> bool {
///         true
///     }
/// }
///
/// let text = r#"{"goal": "Ship the login page", "constraints": ["No breaking changes"]}"#;
/// let baton = Baton::read(text, &Limits::default())?;
/// let rendering = fit(&baton, Format::Markdown, &DEFAULT_BUDGET, &Bytes)?;
/// assert!(rendering.text().contains("## Constraints\n```\n- No breaking changes\n```\n"));
/// # Ok::<(), relay_baton::refusal::Refused>(())
/// ```
///
/// # Errors
/// `fit.over_budget` where what is never left out is over the budget by itself.
pub fn fit(
    baton: &Baton<'_>,
    format: Format,
    budget: &Budget<'_>,
    counter: &dyn TokenCounter,
) -> Result<Rendering, Refused> {
    refit(baton, format, budget, counter, None)
}

/// As [`fit`], with the rendering of an earlier revision: what stands in it in the same place is not counted again.
///
/// # Errors
/// As [`fit`].
pub fn refit(
    baton: &Baton<'_>,
    format: Format,
    budget: &Budget<'_>,
    counter: &dyn TokenCounter,
    previous: Option<&Rendering>,
) -> Result<Rendering, Refused> {
    let outline = Outline::of(baton, *budget);
    fitted(&outline, format, counter, previous).map_err(|shortest| over_budget(&outline, &shortest, format, counter))
}

/// The Markdown rendering of `baton`, counted, after making sure that it fits in every format: what is accepted here is
/// never refused by [`fit`] under the same budget.
///
/// # Errors
/// As [`fit`], for the first format in which it does not fit.
pub fn accept(baton: &Baton<'_>, budget: &Budget<'_>, counter: &dyn TokenCounter) -> Result<Rendering, Refused> {
    let outline = &Outline::of(baton, *budget);
    let over = |format| move |shortest: Rendering| over_budget(outline, &shortest, format, counter);
    let mut rendering = fitted(outline, Format::Markdown, counter, None).map_err(over(Format::Markdown))?;
    for format in [Format::Xml, Format::Json] {
        if !shortest_fits(outline, format, counter) {
            fitted(outline, format, counter, None).map_err(over(format))?;
        }
    }
    rendering.count(counter);
    Ok(rendering)
}

/// Whether the rendering in which everything was left out that may be is within the budget.
fn shortest_fits(outline: &Outline<'_>, format: Format, counter: &dyn TokenCounter) -> bool {
    let units = shedding_order(outline, |_| 0);
    let layout = Layout::of(outline, format, &Shedding::of(outline, &units));
    let budget = usize::try_from(outline.budget.tokens).unwrap_or(usize::MAX);
    layout.text.len() <= budget || counter.count(&layout.text) <= budget
}

/// The rendering of `baton` in `format` with nothing left out, whatever its size. `budget` is only named in it.
#[must_use]
pub fn render_whole(baton: &Baton<'_>, format: Format, budget: &Budget<'_>) -> Rendering {
    whole(&Outline::of(baton, *budget), format).0
}

/// Bytes of a token beyond which a text is taken to be over its budget without counting all of it. To be wrong costs
/// time only.
const BYTES_PER_TOKEN: usize = 16;

/// The rendering within the budget; or else, counted, the shortest that was tried.
fn fitted(
    outline: &Outline<'_>,
    format: Format,
    counter: &dyn TokenCounter,
    previous: Option<&Rendering>,
) -> Result<Rendering, Rendering> {
    let budget = usize::try_from(outline.budget.tokens).unwrap_or(usize::MAX);
    let (mut whole, pieces) = whole(outline, format);
    let bytes = whole.text().len();
    if bytes <= budget {
        return Ok(whole);
    }
    if bytes <= budget.saturating_mul(BYTES_PER_TOKEN) && whole.count_after(counter, previous) <= budget {
        return Ok(whole);
    }
    search::Search { outline, format, counter, whole: &whole, budget }.run(&pieces)
}

fn whole(outline: &Outline<'_>, format: Format) -> (Rendering, Vec<Piece>) {
    let nothing = Shedding::default();
    let layout = Layout::of(outline, format, &nothing);
    (Rendering::new(layout.text, &layout.pieces, &nothing, format.is_made_of_lines()), layout.pieces)
}

fn over_budget(outline: &Outline<'_>, shortest: &Rendering, format: Format, counter: &dyn TokenCounter) -> Refused {
    let place = if format == Format::Markdown { String::new() } else { format!(" {}", format.name()) };
    let rows = kept_tokens(outline, format, counter);
    // The goal always stands, so there is one.
    let largest = rows.iter().find_map(|(section, _)| *section).unwrap_or(Section::Goal);
    let rows: Vec<String> = rows.iter().map(|(section, tokens)| format!("{} {tokens}", row_name(*section))).collect();
    let detail = format!(
        "the shortest{place} rendering takes {} of {} tokens of {}; what is never left out: {}; shorten `{largest}` or \
         raise the budget",
        shortest.tokens().unwrap_or_default(),
        outline.budget.tokens,
        counter.encoding(),
        rows.join(", "),
    );
    Refusal::new(Code::FitOverBudget, largest.pointer(), detail).into()
}

/// The tokens of what is never left out, the largest section first; those of all that is no content as `None`.
fn kept_tokens(outline: &Outline<'_>, format: Format, counter: &dyn TokenCounter) -> Vec<(Option<Section>, usize)> {
    let units = shedding_order(outline, |_| 0);
    let layout = Layout::of(outline, format, &Shedding::of(outline, &units));
    let stands =
        |section: &Section| outline.entries.iter().any(|entry| entry.section == *section && entry.stage.is_none());
    let kept: Vec<Section> = Section::ALL.into_iter().filter(stands).collect();
    let row = |section: Option<Section>| {
        let belongs =
            |piece: &Piece| piece.role != Role::Shed && piece.section.filter(|own| kept.contains(own)) == section;
        let text: String = layout.texts().filter(|(piece, _)| belongs(piece)).map(|(_, text)| text).collect();
        (section, counter.count(&text))
    };
    let mut rows: Vec<(Option<Section>, usize)> = kept.iter().copied().map(Some).chain([None]).map(row).collect();
    rows.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    rows
}

/// The name of a section in tables; `frame` is what belongs to none.
fn row_name(section: Option<Section>) -> &'static str {
    section.map_or("frame", Section::name)
}

#[cfg(test)]
#[path = "fit_test.rs"]
mod tests;
