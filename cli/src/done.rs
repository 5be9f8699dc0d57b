//! What a verb did: the document that it made, where that goes, and what is told about it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::io::{self, BufWriter, Write};

use relay_baton::json::{Pieces, Value};
use relay_baton::refusal::Notice;

use crate::exit::Exit;
use crate::failure::Failure;
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
    /// How the program ends.
    pub(crate) exit: Exit,
}

/// A text in one piece or in several.
#[derive(Debug)]
pub(crate) struct Document {
    body: Body,
    /// Whether it is JSON, whose hidden characters can be escaped for a terminal.
    pub(crate) is_json: bool,
}

enum Body {
    Text(String),
    Pieces(Pieces<'static>),
    Stream(RefCell<Stream>),
}

/// Takes one piece of a text.
pub(crate) type Emit<'e> = &'e mut dyn FnMut(&str) -> io::Result<()>;

/// Why a text that is made while it is written came to no end.
#[derive(Debug)]
pub(crate) enum Broken {
    /// It could not be written.
    Unwritten(io::Error),
    /// It could not be made.
    Unmade(Failure),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error)
    }
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Unmade(failure)
    }
}

/// Makes a text, piece by piece.
type Make = dyn FnMut(Emit<'_>) -> Result<(), Broken>;

/// A text that is made while it is written, since it may be longer than the memory. It may be made more than once.
struct Stream {
    make: Box<Make>,
    failure: Option<Failure>,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text",
            Self::Pieces(_) => "Pieces",
            Self::Stream(_) => "Stream",
        })
    }
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
        Self { document, target, shown: None, report: Report::default(), stands: None, exit: Exit::Done }
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

    /// JSON, one value on a line, made while it is written.
    pub(crate) fn json_stream(make: impl FnMut(Emit<'_>) -> Result<(), Broken> + 'static) -> Self {
        Self { is_json: true, ..Self::stream(make) }
    }

    /// Any other text that is made while it is written.
    pub(crate) fn stream(make: impl FnMut(Emit<'_>) -> Result<(), Broken> + 'static) -> Self {
        let stream = Stream { make: Box::new(make), failure: None };
        Self { body: Body::Stream(RefCell::new(stream)), is_json: false }
    }

    /// Writes it, piece by piece.
    pub(crate) fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        self.write_shown(to, |text| Cow::Borrowed(text))
    }

    /// Writes it, piece by piece, each as `shown` shows it.
    pub(crate) fn write_shown(&self, to: &mut dyn Write, shown: fn(&str) -> Cow<'_, str>) -> io::Result<()> {
        match &self.body {
            Body::Text(text) => to.write_all(shown(text).as_bytes()),
            Body::Pieces(pieces) => {
                let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
                pieces.iter().try_for_each(|piece| to.write_all(shown(piece).as_bytes()))?;
                to.flush()
            }
            Body::Stream(stream) => {
                let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
                stream.borrow_mut().run(&mut |piece| to.write_all(shown(piece).as_bytes()))?;
                to.flush()
            }
        }
    }

    /// Why it could not be made, if it could not.
    pub(crate) fn failure(&self) -> Option<Failure> {
        if let Body::Stream(stream) = &self.body { stream.borrow_mut().failure.take() } else { None }
    }
}

impl Stream {
    fn run(&mut self, emit: Emit<'_>) -> io::Result<()> {
        match (self.make)(emit) {
            Ok(()) => Ok(()),
            Err(Broken::Unwritten(error)) => Err(error),
            Err(Broken::Unmade(failure)) => {
                self.failure = Some(failure);
                Err(io::Error::other("it could not be made"))
            }
        }
    }
}
