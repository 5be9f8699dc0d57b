//! The published schemas: what is generated, what is committed, and what they accept.

mod agreement;
mod lint;
mod samples;
mod validate;

use relay_baton::json;
use relay_baton::schema::{Dialect, Kind, schema, schema_text};
use serde_json::Value;

/// What [`schema`] returns, for the validator.
fn published(kind: Kind, dialect: Dialect) -> Value {
    schema(kind, dialect).unwrap().to_serde().unwrap()
}

/// The names of the members of a document, in order.
fn members(kind: Kind, dialect: Dialect) -> Vec<String> {
    let schema = schema(kind, dialect).unwrap();
    names(schema.as_object().unwrap().get("properties").unwrap())
}

fn names(value: &json::Value<'_>) -> Vec<String> {
    value.as_object().unwrap().iter().map(|(name, _)| name.to_owned()).collect()
}

/// `UPDATE_SCHEMAS=1 cargo test --features schemars` rewrites the committed files instead.
#[cfg(feature = "schemars")]
#[test]
fn committed_schemas_are_the_generated_ones() {
    use std::fs;
    use std::path::Path;

    for kind in Kind::ALL {
        let file = format!("schema/v1/{}.schema.json", kind.name());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        let generated = json::pretty(&relay_baton::schema::generate(kind)) + "\n";
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            fs::write(&path, &generated).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == generated, "{file}: run the tests with UPDATE_SCHEMAS=1");
    }
}

#[test]
fn a_text_is_its_schema_with_a_line_feed() {
    for (kind, dialect) in Kind::ALL.into_iter().flat_map(|kind| Dialect::ALL.map(|dialect| (kind, dialect))) {
        let (text, schema) = (schema_text(kind, dialect), schema(kind, dialect));
        assert_eq!(text.map(String::from), schema.map(|schema| json::pretty(&schema) + "\n"), "{kind:?} {dialect:?}");
    }
}

#[test]
fn each_full_schema_names_its_draft_and_itself() {
    for kind in Kind::ALL {
        let first = names(&schema(kind, Dialect::JsonSchema).unwrap());
        assert_eq!(first[..3], ["$schema", "$id", "title"], "{kind:?}");
        let schema = published(kind, Dialect::JsonSchema);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], format!("urn:relay-baton:schema:v1:{}", kind.name()));
    }
}

#[test]
fn words_name_their_kind_and_dialect() {
    for kind in Kind::ALL {
        assert_eq!(Kind::named(kind.name()), Some(kind));
    }
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::named(dialect.name()), Some(dialect));
    }
    assert_eq!((Kind::named("Patch"), Dialect::named("")), (None, None));
}

#[test]
fn what_no_model_writes_has_no_providers_form() {
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::JsonSchema) {
        for kind in [Kind::Report, Kind::Entry, Kind::Charter] {
            let refused = schema(kind, dialect).unwrap_err();
            assert_eq!((refused.kind, refused.dialect), (kind, dialect));
            assert!(refused.to_string().contains("ask for `json-schema`"), "{refused}");
        }
    }
}

#[test]
fn members_stand_in_the_order_of_the_document() {
    let order = [
        "goal",
        "current_state",
        "decision_log",
        "constraints",
        "open_questions",
        "work_scope",
        "artifacts",
        "acceptance",
        "stamp",
    ];
    for kind in [Kind::Baton, Kind::Patch] {
        for dialect in Dialect::ALL {
            let expected = if dialect == Dialect::JsonSchema { &order[..] } else { &order[..8] };
            assert_eq!(members(kind, dialect), expected, "{kind:?} {dialect:?}");
        }
        assert_eq!(published(kind, Dialect::Gemini)["propertyOrdering"], serde_json::json!(order[..8]), "{kind:?}");
    }
}
