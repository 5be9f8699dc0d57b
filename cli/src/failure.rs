//! Why a verb did not do what was asked.

use std::borrow::Cow;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use relay_baton::json::Value;
use relay_baton::refusal::{Action, Code, Refusal, Refused};
use relay_baton::text::escape_hidden;

use crate::exit::Exit;

/// Why a verb did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line makes no sense.
    Usage(String),
    /// The reader of the output has gone away; nobody is left to tell.
    Closed,
    /// An answer with codes.
    Refused(Box<Answer>),
}

/// Refusals, and what is needed to show where they stand.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) refused: Refused,
    /// The file that they are about, as it was named.
    pub(crate) file: Option<String>,
    /// Its text, for the snippet.
    pub(crate) text: Option<&'static str>,
    /// Where each of them stands, where they are about several files.
    pub(crate) standings: Vec<Standing>,
    /// What to send back to the agent.
    pub(crate) correction: Option<String>,
    /// The file that the correction goes to.
    pub(crate) correction_file: Option<PathBuf>,
    /// What to do, where it differs from what the code says.
    pub(crate) action: Option<Action>,
    /// Members of the JSON report besides.
    pub(crate) counts: Vec<(&'static str, Value<'static>)>,
    /// One more line for people.
    pub(crate) help: Option<String>,
}

/// Where one refusal stands.
#[derive(Debug)]
pub(crate) struct Standing {
    /// The file, as it was named.
    pub(crate) file: String,
    /// Its text.
    pub(crate) text: Option<&'static str>,
}

impl Failure {
    /// A file that could not be read.
    pub(crate) fn read(path: &Path, error: &io::Error) -> Self {
        Answer::about(path, Code::IoRead, format!("cannot read: {}", cause(error))).into()
    }

    /// A file that could not be written.
    pub(crate) fn write(path: &Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Answer::about(path, Code::IoWrite, format!("cannot write: {}", cause(error))).into()
    }

    /// The same, with what was done `all the same`.
    pub(crate) fn all_the_same(self, stands: Option<String>) -> Self {
        match (self, stands) {
            (Self::Refused(answer), Some(stands)) => answer.with_help(stands).into(),
            (failure, _) => failure,
        }
    }

    /// What the whole failure ends with: the gravest of its refusals.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Closed => Exit::Access,
            Self::Refused(answer) => {
                let exits = answer.refused.refusals().iter().map(|refusal| Exit::from(refusal.code.class()));
                exits.max().unwrap_or(Exit::Refused)
            }
        }
    }
}

impl Answer {
    /// Refusals of something that is no file.
    pub(crate) fn new(refused: impl Into<Refused>) -> Self {
        Self {
            refused: refused.into(),
            file: None,
            text: None,
            standings: Vec::new(),
            correction: None,
            correction_file: None,
            action: None,
            counts: Vec::new(),
            help: None,
        }
    }

    /// The file that the refusal at `index` is about, and its text.
    pub(crate) fn stands(&self, index: usize) -> (Option<&str>, Option<&'static str>) {
        match self.standings.get(index) {
            Some(standing) => (Some(&standing.file), standing.text),
            None => (self.file.as_deref(), self.text),
        }
    }

    /// A refusal about a file as a whole.
    pub(crate) fn about(path: &Path, code: Code, detail: impl Into<String>) -> Self {
        let mut answer = Self::new(Refusal::new(code, "", detail));
        answer.file = Some(named(path));
        answer
    }

    /// The same with a line for people.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<Answer> for Failure {
    fn from(answer: Answer) -> Self {
        Self::Refused(Box::new(answer))
    }
}

/// A path for reports; what is no Unicode is replaced, and so is what may be a password in an address.
pub(crate) fn named(path: &Path) -> String {
    without_passwords(&path.to_string_lossy())
}

/// `text` without what may be a password in an address: `postgres://…@host/database?…`.
pub(crate) fn without_passwords(text: &str) -> String {
    let ends = |character: char| character.is_whitespace() || matches!(character, '\'' | '"' | '`');
    text.split_inclusive(ends).map(without_password).collect()
}

fn without_password(word: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = word.split_once("://") else { return Cow::Borrowed(word) };
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    let hides = if place.len() < rest.len() { "…@" } else { "" };
    let (place, query) = place.split_once('?').map_or((place, ""), |(place, _)| (place, "?…"));
    let end = word.chars().next_back().filter(|last| !query.is_empty() && !last.is_alphanumeric());
    Cow::Owned(format!("{scheme}://{hides}{place}{query}{}", end.map_or(String::new(), String::from)))
}

/// The name of an input as people read it: `-` is standard input.
pub(crate) fn shown_name(name: &str) -> Cow<'_, str> {
    if name == "-" { Cow::Borrowed("<stdin>") } else { escape_hidden(name) }
}

/// The words of the system, without its error number: `no such file or directory`.
pub(crate) fn cause(error: &impl Display) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::without_passwords;

    #[test]
    fn an_address_is_told_without_its_password() {
        for (text, told) in [
            ("error: 'postgres://u:s@h/d' found\n", "error: 'postgres://…@h/d' found\n"),
            ("postgres://u:s@t@h/d?x=y", "postgres://…@h/d?…"),
            ("'postgres://h/d?password=s' found", "'postgres://h/d?…' found"),
            ("a/b.json sqlite:x user@host", "a/b.json sqlite:x user@host"),
            ("https://example.org/", "https://example.org/"),
        ] {
            assert_eq!(without_passwords(text), told);
        }
    }
}
