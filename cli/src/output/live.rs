//! What is told while a task is carried out: one line for each event, on standard error.

use std::io::{self, Write as _};

use relay_baton::json::{self, Object, Value};
use relay_baton::text::escape_hidden;

/// Tells of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    json: bool,
    quiet: bool,
}

impl Live {
    /// Lines of JSON, or of text for people.
    pub(crate) fn new(json: bool) -> Self {
        Self { json, quiet: false }
    }

    /// Nothing at all.
    pub(crate) fn quiet() -> Self {
        Self { json: false, quiet: true }
    }

    /// Tells people something; in JSON nothing.
    pub(crate) fn say(self, line: &str) {
        if !self.json && !self.quiet {
            write(&escape_hidden(line));
        }
    }

    /// Tells of an event: its line to people, if it has one, its members in JSON.
    pub(crate) fn event(self, line: Option<&str>, members: Object<'static>) {
        if self.json && !self.quiet {
            write(&json::compact(&Value::Object(members)));
        } else if let Some(line) = line {
            self.say(line);
        }
    }
}

fn write(line: &str) {
    // Whoever does not see the events sees what came of them.
    let _ = writeln!(io::stderr().lock(), "{line}");
}
