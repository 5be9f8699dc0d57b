//! The full schemas, made from types that mirror the shapes.

mod baton;
mod charter;
mod entry;
mod item;
mod order;
mod patch;
mod report;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::json::Value;
use crate::schema::Kind;

/// The full schema of `kind` (draft 2020-12), made anew from the types.
///
/// It is what [`schema`](crate::schema::schema) reads from the copy in `schema/v1/`; a test compares the two.
#[must_use]
pub fn generate(kind: Kind) -> Value<'static> {
    let mut root = match kind {
        Kind::Baton => root::<baton::Baton>(),
        Kind::Patch => root::<patch::Patch>(),
        Kind::Report => root::<report::Report>(),
        Kind::Entry => root::<entry::Entry>(),
        Kind::Charter => root::<charter::Charter>(),
    };
    root.insert("$id".to_owned(), kind.id().into());
    order::ordered(root.to_value().into())
}

/// The schema of `T`, with those of its parts.
fn root<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

/// Every member may be absent, though none may be `null`.
fn optional_members(schema: &mut Schema) {
    schema.remove("required");
}
