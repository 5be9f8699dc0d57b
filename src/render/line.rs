//! Data lines: the strings of a baton behind prefixes, hidden characters as escapes.

use std::fmt::Write;

use crate::baton::Status;
use crate::json::Value;
use crate::outline::{Entry, Part};
use crate::render::json;
use crate::text::is_hidden;

/// What has to be escaped besides hidden characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// Nothing: the data stands in a fenced block.
    Fence,
    /// `&`, `<` and `>`.
    Xml,
}

/// Writes data lines to the end of a text.
pub(crate) struct Lines<'o> {
    out: &'o mut String,
    markup: Markup,
}

impl<'o> Lines<'o> {
    pub(crate) fn new(out: &'o mut String, markup: Markup) -> Self {
        Self { out, markup }
    }

    /// The lines of one entry.
    pub(crate) fn entry(&mut self, entry: &Entry<'_>) {
        match entry.part {
            Part::Text(text) => self.open("- ").text(text),
            Part::Decision { id, step, superseded_by, supersedes, text } => {
                self.open("- [").id(id).steps(step, superseded_by, supersedes);
                self.open("] ").text(text);
            }
            Part::Check(status, text) => self.check(status, text),
            Part::Other(name, value) => self.open("- ").member(name, value),
            Part::Member(name, text) => self.open("+ ").open(name).open(": ").text(text),
            Part::Unknown(name, value) => self.open("+ ").member(name, value),
        }
        self.open("\n");
    }

    /// Template text.
    pub(crate) fn open(&mut self, template: &str) -> &mut Self {
        self.out.push_str(template);
        self
    }

    fn check(&mut self, status: Status, text: &str) {
        self.open("- [").open(status.name()).open("] ").text(text);
    }

    fn member(&mut self, name: &str, value: &Value<'_>) {
        json::string(self.out, self.markup, name);
        self.open(": ");
        json::value(self.out, self.markup, value);
    }

    fn steps(&mut self, step: Option<&str>, superseded_by: Option<&str>, supersedes: &[Value<'_>]) {
        if let Some(step) = step {
            self.open(" ").id(step);
        }
        if let Some(taker) = superseded_by {
            self.open("; superseded by ").id(taker);
        }
        for (number, taken) in supersedes.iter().filter_map(Value::as_str).enumerate() {
            self.open(if number > 0 { ", " } else { "; supersedes " }).id(taken);
        }
    }

    /// A string of any content. A line feed in it starts a line with the prefix `| `.
    pub(crate) fn text(&mut self, text: &str) {
        self.escaped(text, |byte| matches!(byte, 0..=0x1F | b'\\' | 0x7F..) && byte != b'\t', |_| false);
    }

    /// An id or whatever stands for one: besides hidden characters, what ends an id in its place is escaped.
    pub(crate) fn id(&mut self, id: &str) -> &mut Self {
        let ends = |character| matches!(character, ' ' | '\t' | '\n' | '[' | ']' | ';' | ',' | '`');
        self.escaped(id, |byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b'.'), ends);
        self
    }

    /// Writes `text`; each character that starts with a byte that is `special` is looked at, and what `ends` the place
    /// that it stands in becomes an escape too.
    fn escaped(&mut self, text: &str, special: impl Fn(u8) -> bool, ends: impl Fn(char) -> bool) {
        let xml = self.markup == Markup::Xml;
        let mut rest = text;
        loop {
            let stops = |byte: u8| special(byte) || (xml && matches!(byte, b'&' | b'<' | b'>'));
            let plain = rest.bytes().position(stops).unwrap_or(rest.len());
            let (run, tail) = rest.split_at_checked(plain).unwrap_or((rest, ""));
            self.out.push_str(run);
            let mut after = tail.chars();
            let Some(character) = after.next() else { return };
            rest = after.as_str();
            if ends(character) { push_escape(self.out, character) } else { self.character(character, rest) }
        }
    }

    fn character(&mut self, character: char, after: &str) {
        match character {
            '\n' => self.out.push_str("\n| "),
            '\\' if after.starts_with("u{") => push_escape(self.out, '\\'),
            '\t' | '\\' => self.out.push(character),
            _ if is_hidden(character) => push_escape(self.out, character),
            _ => push_marked(self.out, self.markup, character),
        }
    }
}

/// A character that can be seen, as the markup wants it.
pub(crate) fn push_marked(out: &mut String, markup: Markup, character: char) {
    match (markup, character) {
        (Markup::Xml, '&') => out.push_str("&amp;"),
        (Markup::Xml, '<') => out.push_str("&lt;"),
        (Markup::Xml, '>') => out.push_str("&gt;"),
        _ => out.push(character),
    }
}

fn push_escape(out: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
}
