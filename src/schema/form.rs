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

use serde_json::{Map, Value, json};

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
pub(super) fn write(about: &str, members: &[Member], dialect: Dialect) -> Value {
    let mut schema = object(members, dialect);
    schema.insert("description".to_owned(), about.into());
    Value::Object(schema)
}

impl Form {
    fn schema(&self, dialect: Dialect) -> Map<String, Value> {
        let mut schema = Map::new();
        match self {
            Self::Text => drop(schema.insert("type".to_owned(), word("string", dialect))),
            Self::Word(words) => {
                schema.insert("type".to_owned(), word("string", dialect));
                schema.insert("enum".to_owned(), json!(words));
            }
            Self::List(item) => {
                schema.insert("type".to_owned(), word("array", dialect));
                schema.insert("items".to_owned(), Value::Object(item.schema(dialect)));
            }
            Self::Object(members) => return object(members, dialect),
        }
        schema
    }
}

impl Member {
    fn schema(&self, dialect: Dialect) -> Value {
        let schema = self.form.schema(dialect);
        let is_nullable = self.presence != Presence::Always;
        let mut schema = match dialect {
            Dialect::OpenAi if is_nullable => nullable(schema),
            Dialect::Gemini if is_nullable => with(schema, "nullable", true.into()),
            _ => schema,
        };
        schema.insert("description".to_owned(), self.about.into());
        Value::Object(schema)
    }

    fn is_required(&self, dialect: Dialect) -> bool {
        dialect != Dialect::Anthropic || self.presence != Presence::Optional
    }
}

fn object(members: &[Member], dialect: Dialect) -> Map<String, Value> {
    let mut properties = Map::new();
    for member in members {
        properties.insert(member.name.to_owned(), member.schema(dialect));
    }
    let required: Vec<&str> =
        members.iter().filter(|member| member.is_required(dialect)).map(|member| member.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), word("object", dialect));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    match dialect {
        Dialect::Gemini => with(schema, "propertyOrdering", json!(required)),
        _ => with(schema, "additionalProperties", false.into()),
    }
}

/// A type's name.
fn word(name: &str, dialect: Dialect) -> Value {
    if dialect == Dialect::Gemini { name.to_ascii_uppercase().into() } else { name.into() }
}

/// A union with `null`: a list of types for a plain string, `anyOf` for what has more to say.
fn nullable(schema: Map<String, Value>) -> Map<String, Value> {
    if schema.len() == 1 {
        return with(schema, "type", json!(["string", "null"]));
    }
    let mut union = Map::new();
    union.insert("anyOf".to_owned(), json!([schema, {"type": "null"}]));
    union
}

fn with(mut schema: Map<String, Value>, name: &str, value: Value) -> Map<String, Value> {
    schema.insert(name.to_owned(), value);
    schema
}
