//! A shape simple enough for every provider, and how each of them wants it written.
//!
//! What they accept, as of 2026:
//! - OpenAI (strict): objects are closed and list every member as required; optional is a union with `null`; the root is
//!   an object and no `anyOf`; newer models take 10 levels and 5,000 members, older ones 5 and 100.
//! - Anthropic (strict): objects are closed; all the strict schemas of a request share 24 optional members and 16 members
//!   with a union (`anyOf` or a list of types). A nullable form of a patch would need 26 unions, so optional members are
//!   left out instead.
//! - Gemini (`responseSchema`): `nullable`, one type, upper case; no `additionalProperties`, `$ref` or `const`;
//!   `propertyOrdering` sets the order; about 4 levels of objects and arrays are known to be safe.

use crate::json::{Object, Value};
use crate::schema::Dialect;

/// The shape of a value.
pub(super) enum Form {
    Text,
    Word(&'static [&'static str]),
    List(Box<Form>),
    Object(Vec<Member>),
}

/// Whether a member has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// Always, with a value.
    Always,
    /// It may be missing or `null`, as the provider has it.
    Optional,
    /// It may be `null` where there is room for that, and can be the empty list everywhere.
    Emptiable,
}

/// A member of an object.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) presence: Presence,
    pub(super) form: Form,
}

/// The schema of an object with `members`, as `dialect` wants it.
pub(super) fn write(about: &'static str, members: &[Member], dialect: Dialect) -> Value<'static> {
    let mut schema = described(about);
    schema.set("type", word("object", dialect));
    members_into(&mut schema, members, dialect);
    Value::Object(schema)
}

impl Member {
    fn schema(&self, dialect: Dialect) -> Value<'static> {
        let mut schema = described(self.about);
        let is_nullable = self.presence != Presence::Always;
        match (dialect, &self.form) {
            (Dialect::OpenAi, Form::Text) if is_nullable => schema.set("type", words(["string", "null"])),
            (Dialect::OpenAi, form) if is_nullable => schema.set("anyOf", or_null(form.schema(dialect))),
            (Dialect::Gemini, form) => form.write_into(&mut schema, is_nullable, dialect),
            (_, form) => form.write_into(&mut schema, false, dialect),
        }
        Value::Object(schema)
    }

    fn is_required(&self, dialect: Dialect) -> bool {
        dialect != Dialect::Anthropic || self.presence != Presence::Optional
    }
}

impl Form {
    fn schema(&self, dialect: Dialect) -> Value<'static> {
        let mut schema = Object::new();
        self.write_into(&mut schema, false, dialect);
        Value::Object(schema)
    }

    fn write_into(&self, schema: &mut Object<'static>, is_nullable: bool, dialect: Dialect) {
        schema.set("type", word(self.kind(), dialect));
        if is_nullable {
            schema.set("nullable", Value::Bool(true));
        }
        match self {
            Self::Text => {}
            Self::Word(known) => schema.set("enum", words(known.iter().copied())),
            Self::List(item) => schema.set("items", item.schema(dialect)),
            Self::Object(members) => members_into(schema, members, dialect),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Text | Self::Word(_) => "string",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

fn members_into(schema: &mut Object<'static>, members: &[Member], dialect: Dialect) {
    let mut properties = Object::new();
    for member in members {
        properties.set(member.name, member.schema(dialect));
    }
    let required = members.iter().filter(|member| member.is_required(dialect));
    schema.set("properties", Value::Object(properties));
    schema.set("required", words(required.map(|member| member.name)));
    match dialect {
        Dialect::Gemini => schema.set("propertyOrdering", words(members.iter().map(|member| member.name))),
        _ => schema.set("additionalProperties", Value::Bool(false)),
    }
}

fn described(about: &'static str) -> Object<'static> {
    let mut schema = Object::new();
    schema.set("description", Value::string(about));
    schema
}

/// A union with `null`, for what has more to say than a list of types can.
fn or_null(schema: Value<'static>) -> Value<'static> {
    let mut null = Object::new();
    null.set("type", Value::string("null"));
    Value::Array(vec![schema, Value::Object(null)])
}

/// A type's name.
fn word(name: &'static str, dialect: Dialect) -> Value<'static> {
    if dialect == Dialect::Gemini { Value::string(name.to_ascii_uppercase()) } else { Value::string(name) }
}

fn words(names: impl IntoIterator<Item = &'static str>) -> Value<'static> {
    Value::Array(names.into_iter().map(Value::string).collect())
}
