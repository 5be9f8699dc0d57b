//! What a verb did: the document that it made, where that goes, and what is told about it.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use relay_baton::json::{Pieces, Value};
use relay_baton::refusal::Notice;

use crate::place::Target;

/// Pieces are gathered to this many bytes before they are written.
const BUFFER_BYTES: usize = 1 << 16;

/// What a verb did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) document: Document,
    pub(crate) target: Target,
    /// What is printed on standard output besides.
    pub(crate) shown: Option<String>,
    pub(crate) report: Report,
    /// What to tell where the document cannot be delivered: what was done all the same.
    pub(crate) stands: Option<String>,
}

/// A text in one piece or in several.
#[derive(Debug)]
pub(crate) struct Document {
    body: Body,
    /// Whether it is JSON, whose hidden characters can be escaped for a terminal.
    pub(crate) is_json: bool,
}

#[derive(Debug)]
enum Body {
    Text(String),
    Pieces(Pieces<'static>),
}

/// What is told about it on standard error.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) notices: Vec<Notice>,
    /// One line for people alone.
    pub(crate) summary: Option<String>,
    /// Members of the JSON report, in order, between `ok` and `notices`.
    pub(crate) facts: Vec<(&'static str, Value<'static>)>,
    /// Members after `notices`.
    pub(crate) counts: Vec<(&'static str, Value<'static>)>,
    /// The file that the notices are about.
    pub(crate) file: Option<String>,
}

impl Done {
    /// A document and where it goes.
    pub(crate) fn with(document: Document, target: Target) -> Self {
        Self { document, target, shown: None, report: Report::default(), stands: None }
    }

    /// Something for standard output alone.
    pub(crate) fn shown(text: String) -> Self {
        Self { shown: Some(text), ..Self::with(Document::plain(String::new()), Target::Nowhere) }
    }
}

impl Document {
    /// A JSON text.
    pub(crate) fn json(text: String) -> Self {
        Self { body: Body::Text(text), is_json: true }
    }

    /// A JSON text that is mostly another, which is not copied.
    pub(crate) fn pieces(pieces: Pieces<'static>) -> Self {
        Self { body: Body::Pieces(pieces), is_json: true }
    }

    /// Any other text.
    pub(crate) fn plain(text: String) -> Self {
        Self { body: Body::Text(text), is_json: false }
    }

    /// Writes it, piece by piece.
    pub(crate) fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        match &self.body {
            Body::Text(text) => to.write_all(text.as_bytes()),
            Body::Pieces(pieces) => {
                let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
                pieces.iter().try_for_each(|piece| to.write_all(piece.as_bytes()))?;
                to.flush()
            }
        }
    }

    /// The whole text.
    pub(crate) fn to_text(&self) -> Cow<'_, str> {
        match &self.body {
            Body::Text(text) => Cow::Borrowed(text),
            Body::Pieces(pieces) => Cow::Owned(pieces.to_text()),
        }
    }
}
