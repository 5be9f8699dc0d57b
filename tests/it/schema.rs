//! The published schemas: what is generated, what is committed, and what they accept.

mod agreement;
mod lint;
mod samples;
mod validate;

use std::fs;
use std::path::PathBuf;

use relay_baton::schema::{Dialect, Kind, schema, schema_text};

fn committed(kind: Kind) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("schema/v1/{}.schema.json", kind.name()))
}

/// `UPDATE_SCHEMAS=1 cargo test` rewrites the committed files instead.
#[test]
fn committed_schemas_are_the_generated_ones() {
    for kind in Kind::ALL {
        let generated = schema_text(kind, Dialect::JsonSchema).unwrap();
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            fs::write(committed(kind), &generated).unwrap();
        }
        let found = fs::read_to_string(committed(kind)).unwrap_or_default();
        assert!(found == generated, "schema/v1/{}.schema.json: run the tests with UPDATE_SCHEMAS=1", kind.name());
    }
}

#[test]
fn each_full_schema_names_its_draft_and_itself() {
    for kind in Kind::ALL {
        let schema = schema(kind, Dialect::JsonSchema).unwrap();
        let first: Vec<&String> = schema.as_object().unwrap().keys().take(3).collect();
        assert_eq!(first, ["$schema", "$id", "title"], "{kind:?}");
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
fn a_report_has_no_providers_form() {
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::JsonSchema) {
        let refused = schema(Kind::Report, dialect).unwrap_err();
        assert_eq!((refused.kind, refused.dialect), (Kind::Report, dialect));
        assert!(refused.to_string().contains("ask for `json-schema`"), "{refused}");
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
            let schema = schema(kind, dialect).unwrap();
            let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
            let expected = if dialect == Dialect::JsonSchema { &order[..] } else { &order[..8] };
            assert_eq!(names, expected, "{kind:?} {dialect:?}");
        }
    }
}
