//! The rendering: a baton as text for a prompt, in which no string of the baton can pose as structure.
//!
//! Markdown and XML are made of lines, and every line is either a template line, in which nothing of the baton's strings
//! stands, or a data line, which starts with a prefix: `- ` starts an item, `| ` continues the string before it after a
//! line feed, `+ ` starts a further member of the item. Whoever reads by lines, as a model does, and whoever parses
//! Markdown or XML, sees the same structure. Hidden characters are shown as escapes such as `\u{200b}`; a backslash of
//! the text itself is written `\u{5c}` where `u{` follows it, so that nothing is ambiguous, and as itself elsewhere.
//!
//! What the merge writes about a decision (`at`, `by`) is in the document and not in the rendering.
//!
//! No line starts with white space or `/`, so that token counts add up piece by piece.

mod document;
mod json;
mod line;
mod markdown;
mod xml;

use crate::outline::{Outline, Section, Shed, Shedding};

/// The format of a rendering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown (CommonMark): headings, and the data in fenced blocks.
    #[default]
    Markdown,
    /// Text tagged with XML elements.
    Xml,
    /// One compact JSON object.
    Json,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Xml, Self::Json];

    /// Its name, such as `markdown`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Xml => "xml",
            Self::Json => "json",
        }
    }

    /// The format of that exact name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether it is made of lines, so that it can be counted piece by piece.
    pub(crate) fn is_made_of_lines(self) -> bool {
        self != Self::Json
    }
}

/// What a piece of a rendering is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Template lines.
    Frame,
    /// The entry of that index.
    Entry(usize),
    /// The line that says what was left out.
    Shed,
}

/// A piece of a rendering, in whole lines where the format has lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) role: Role,
    /// The section that it belongs to, `None` for what belongs to the whole.
    pub(crate) section: Option<Section>,
    /// Where it ends, in bytes; it starts where the one before ends.
    pub(crate) end: usize,
}

/// A rendering in pieces.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) text: String,
    pub(crate) pieces: Vec<Piece>,
}

impl Layout {
    /// `outline` in `format` without what `shedding` leaves out.
    pub(crate) fn of(outline: &Outline<'_>, format: Format, shedding: &Shedding) -> Self {
        match format {
            Format::Markdown => markdown::lay_out(outline, shedding),
            Format::Xml => xml::lay_out(outline, shedding),
            Format::Json => document::lay_out(outline, shedding),
        }
    }

    /// An empty layout with room for a usual baton.
    fn new(outline: &Outline<'_>) -> Self {
        let pieces = Vec::with_capacity(outline.entries.len() + 3 * Section::ALL.len());
        Self { text: String::with_capacity(4096), pieces }
    }

    /// Ends a piece here.
    fn cut(&mut self, role: Role, section: Option<Section>) {
        self.pieces.push(Piece { role, section, end: self.text.len() });
    }

    /// The pieces with their text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (Piece, &str)> {
        let starts = std::iter::once(0).chain(self.pieces.iter().map(|piece| piece.end));
        self.pieces
            .iter()
            .zip(starts)
            .map(|(piece, start)| (*piece, self.text.get(start..piece.end).unwrap_or_default()))
    }
}

/// Writes what was left out of one section: `12 superseded decisions, 1 rationale left out: …`.
fn push_sheds(out: &mut String, sheds: impl Iterator<Item = Shed>, section: Section) {
    for (number, shed) in sheds.enumerate() {
        out.push_str(if number > 0 { ", " } else { "" });
        out.push_str(&shed.to_string());
    }
    out.push_str(" left out: ");
    match section.field() {
        Some(_) => out.extend([section.pointer(), " in the baton"]),
        None => out.push_str("at the top level of the baton"),
    }
}

#[cfg(test)]
#[path = "hostile_test.rs"]
pub(crate) mod hostile;

#[cfg(test)]
#[path = "inverse_test.rs"]
pub(crate) mod inverse;

#[cfg(test)]
#[path = "render_test.rs"]
mod tests;
