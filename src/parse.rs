//! From the JSON of a patch to a proposal: what is asked of each field, in one form.
//!
//! Everything that can be told from the patch alone is decided here; what needs the baton is decided in `lower`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::baton::shape::{Normalizer, Nulls};
use crate::baton::{Field, Shape};
use crate::json::pointer::Place;
use crate::json::{Object, Value};
use crate::refusal::{Code, Refusal, Refused};
use crate::text;

/// How the patch says that a field stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// RFC 7396: a member that is not there changes nothing, `null` removes.
    #[default]
    Plain,
    /// For structured output that demands every key: a top-level `null` changes nothing, and a `null` member of an
    /// item or of an edit is the same as no member.
    Strict,
}

/// What an agent asks for, field by field, in patch order.
#[derive(Clone, Debug)]
pub struct Proposal<'a> {
    changes: Vec<(Cow<'a, str>, Change<'a>)>,
}

/// What is asked of one member.
#[derive(Clone, Debug)]
pub(crate) enum Change<'a> {
    /// A known list is replaced. Decisions are always additions.
    List(Field, Vec<Value<'a>>),
    /// Items of a known list are removed by text or key, and then added.
    Edit(Field, Edit<'a>),
    /// Any other member: RFC 7396.
    Free(Value<'a>),
}

/// An edit of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edit<'a> {
    pub(crate) add: Vec<Value<'a>>,
    pub(crate) remove: Vec<Value<'a>>,
}

impl<'a> Proposal<'a> {
    /// Parses a patch object.
    ///
    /// # Errors
    /// `patch.text` for a control character other than newline and tab, a Unicode tag character, or a noncharacter,
    /// in any string;
    /// `patch.type` for a value of the wrong type, and `null` inside a list; `patch.reserved` for `stamp`. All at once.
    pub fn parse(patch: Object<'a>, dialect: Dialect) -> Result<Self, Refused> {
        let (proposal, refusals) = Self::parse_what_is_sound(patch, dialect);
        Refused::unless_empty(refusals, proposal)
    }

    /// What is sound of a patch, and what is not: so that the steps below can still find what they would refuse.
    pub(crate) fn parse_what_is_sound(patch: Object<'a>, dialect: Dialect) -> (Self, Vec<Refusal>) {
        let nulls = if dialect == Dialect::Strict { Nulls::Absent } else { Nulls::Kept };
        let mut parser = Parser { dialect, types: Normalizer::new(Code::PatchType, nulls), refusals: Vec::new() };
        let mut changes = Vec::with_capacity(patch.len());
        for (name, mut value) in patch.into_members() {
            if dialect == Dialect::Strict && value.is_null() {
                continue;
            }
            let root = Place::Root;
            parser.clean_name(&name, root);
            parser.clean(&mut value, root.member(&name));
            if let Some(change) = parser.change(&name, value) {
                changes.push((name, change));
            }
        }
        let mut refusals = parser.refusals;
        refusals.extend(parser.types.into_refusals());
        let unsound: BTreeSet<Cow<'_, str>> = refusals.iter().filter_map(Refusal::member).collect();
        changes.retain(|(name, _)| !unsound.contains(name.as_ref()));
        (Self { changes }, refusals)
    }

    pub(crate) fn into_changes(self) -> Vec<(Cow<'a, str>, Change<'a>)> {
        self.changes
    }
}

struct Parser {
    dialect: Dialect,
    types: Normalizer,
    refusals: Vec<Refusal>,
}

impl Parser {
    fn change<'a>(&mut self, name: &str, mut value: Value<'a>) -> Option<Change<'a>> {
        let root = Place::Root;
        let at = root.member(name);
        let Some(field) = Field::named(name) else { return Some(Change::Free(value)) };
        match field.shape() {
            Shape::Managed => {
                let detail = "the stamp is written by the merge: leave `stamp` out of the patch";
                self.refusals.push(Refusal::new(Code::PatchReserved, at.pointer(), detail));
                None
            }
            Shape::Text => {
                if !value.is_null() {
                    self.types.field(field, &mut value, at);
                }
                Some(Change::Free(value))
            }
            _ => self.list_change(field, value, at),
        }
    }

    fn list_change<'a>(&mut self, field: Field, mut value: Value<'a>, at: Place<'_>) -> Option<Change<'a>> {
        match value {
            // Removing every decision is no addition: the guard of the log sees an edit that empties it.
            Value::Null if field == Field::DecisionLog => Some(Change::Free(Value::Null)),
            Value::Null => Some(Change::List(field, Vec::new())),
            Value::Object(edit) => self.edit(field, edit, at).map(|edit| Change::Edit(field, edit)),
            _ => {
                self.types.field(field, &mut value, at);
                if let Value::Array(items) = value { Some(Change::List(field, items)) } else { None }
            }
        }
    }

    fn edit<'a>(&mut self, field: Field, object: Object<'a>, at: Place<'_>) -> Option<Edit<'a>> {
        let hint = "an edit of a list is `{\"add\": […], \"remove\": […]}`";
        let mut edit = Edit::default();
        let mut sound = !object.is_empty();
        if !sound {
            self.types.refuse(at, format!("{hint}; this object is empty"));
        }
        for (name, mut value) in object.into_members() {
            let place = at.member(&name);
            if value.is_null() && self.dialect == Dialect::Strict {
                continue;
            }
            match &*name {
                "add" => {
                    self.types.field(field, &mut value, place);
                    edit.add = items(value);
                }
                "remove" => {
                    self.types.field(Field::OpenQuestions, &mut value, place);
                    edit.remove = items(value);
                }
                other => {
                    sound = false;
                    self.types.refuse(place, format!("{hint}; it has no member {}", text::quote(other)));
                }
            }
        }
        sound.then_some(edit)
    }

    /// Applies the rules for strings everywhere in `value`: CR LF becomes LF, forbidden characters are refused.
    fn clean(&mut self, value: &mut Value<'_>, at: Place<'_>) {
        match value {
            Value::String(string) => self.clean_string(string, at),
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.clean(item, at.item(index));
                }
            }
            Value::Object(object) => {
                for (name, value) in object.iter_mut() {
                    self.clean_name(name, at);
                    self.clean(value, at.member(name));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn clean_string(&mut self, string: &mut Cow<'_, str>, at: Place<'_>) {
        if !is_suspect(string) {
            return;
        }
        if string.contains("\r\n") {
            *string = Cow::Owned(string.replace("\r\n", "\n"));
        }
        if let Some(letter) = string.chars().find(|letter| is_forbidden(*letter)) {
            self.refuse_character(letter, "string", at);
        }
    }

    fn clean_name(&mut self, name: &str, at: Place<'_>) {
        let forbidden = |letter: &char| is_forbidden(*letter) || matches!(letter, '\n' | '\t');
        if let Some(letter) = name.chars().find(forbidden) {
            self.refuse_character(letter, "member name", at.member(name));
        }
    }

    fn refuse_character(&mut self, letter: char, what: &str, at: Place<'_>) {
        let code = u32::from(letter);
        let kind = match letter {
            _ if text::is_tag(letter) => "Unicode tag character",
            _ if text::is_noncharacter(letter) => "noncharacter",
            _ => "control character",
        };
        let detail = format!("the {what} holds the {kind} U+{code:04X}: leave it out");
        self.refusals.push(Refusal::new(Code::PatchText, at.pointer(), detail));
    }
}

fn items(value: Value<'_>) -> Vec<Value<'_>> {
    if let Value::Array(items) = value { items } else { Vec::new() }
}

/// Whether a string has a byte that a forbidden character or CR LF may be made of.
fn is_suspect(string: &str) -> bool {
    // Without an early end, so that several bytes are looked at at a time.
    string.bytes().fold(false, |suspect, byte| suspect | (byte < 0x20) | matches!(byte, 0x7f | 0xc2 | 0xef | 0xf0..))
}

fn is_forbidden(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t')) || text::is_tag(letter) || text::is_noncharacter(letter)
}
