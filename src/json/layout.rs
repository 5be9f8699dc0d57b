//! The white space of an object, for members that are added to it.

use super::value::Value;
use super::write::{Indent, compact_into, pretty_into, string_into};

/// How the members of one object are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    /// White space before the first member.
    first: &'a str,
    /// White space before the last member seen.
    last: &'a str,
    /// The colon and the white space around it.
    colon: &'a str,
    members: usize,
    /// The indentation of the object itself, where it is on lines of its own.
    outer: Option<&'a str>,
    /// What an indentation grows by.
    step: &'a str,
}

impl<'a> Layout<'a> {
    /// Of the whole document, which has no other layout around it.
    pub(super) fn outermost() -> Self {
        Self { first: "", last: "", colon: ":", members: 0, outer: Some(""), step: "" }
    }

    /// Of an object that is the value of the last member seen.
    pub(super) fn inner(&self) -> Self {
        let outer = self.indentation();
        Self { first: "", last: "", colon: self.colon, members: 0, outer, step: self.step }
    }

    /// Takes note of one more member.
    pub(super) fn member(&mut self, leading: &'a str, colon: &'a str) {
        if self.members == 0 {
            self.first = leading;
        }
        (self.last, self.colon) = (leading, colon);
        self.members += 1;
        if let (Some(indentation), Some(outer)) = (self.indentation(), self.outer) {
            let step = indentation.strip_prefix(outer).unwrap_or_default();
            self.step = if step.is_empty() { "  " } else { step };
        }
    }

    /// The white space that starts the line of the last member seen, if it starts one.
    fn indentation(&self) -> Option<&'a str> {
        self.last.rsplit_once('\n').map(|(_, indentation)| indentation)
    }

    /// Appends `value` as the value of the last member seen.
    pub(super) fn value_into(&self, out: &mut String, value: &Value<'_>) {
        match self.indentation() {
            Some(outer) => pretty_into(out, value, &Indent { outer, step: self.step }, 0),
            None => compact_into(out, value),
        }
    }

    /// Appends a new member: the first of its object, or one after others.
    pub(super) fn new_member_into(&self, out: &mut String, name: &str, value: &Value<'_>, first: bool) {
        if !first {
            out.push(',');
        }
        if self.members == 0 {
            return self.member_of_empty_into(out, name, value);
        }
        out.push_str(match (first, self.members) {
            (true, _) => self.first,
            (false, 1) if self.last.is_empty() && self.colon.ends_with(' ') => " ",
            (false, _) => self.last,
        });
        string_into(out, name);
        out.push_str(self.colon);
        self.value_into(out, value);
    }

    /// In an object that had no member, the layout around it tells.
    fn member_of_empty_into(&self, out: &mut String, name: &str, value: &Value<'_>) {
        let indent = self.outer.filter(|_| !self.step.is_empty()).map(|outer| Indent { outer, step: self.step });
        if let Some(indent) = &indent {
            indent.line_into(out, 1);
        }
        string_into(out, name);
        out.push_str(self.colon);
        match &indent {
            Some(indent) => pretty_into(out, value, indent, 1),
            None => compact_into(out, value),
        }
    }

    /// Appends the white space before the closing bracket of an object that had no member.
    pub(super) fn end_of_empty_into(&self, out: &mut String) {
        if let (Some(outer), false) = (self.outer, self.step.is_empty()) {
            Indent { outer, step: "" }.line_into(out, 0);
        }
    }
}
