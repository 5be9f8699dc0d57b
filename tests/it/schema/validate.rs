//! A validator for the keywords that the schemas use; any other keyword is an error, so that none is passed over.

use std::cell::RefCell;
use std::collections::BTreeMap;

use regex::Regex;
use relay_baton::baton::Timestamp;
use serde_json::Value;

/// What `value` breaks of `schema`, or `None`.
pub(super) fn fault(schema: &Value, value: &Value) -> Option<String> {
    Validator { root: schema }.check(schema, value, "").err()
}

struct Validator<'a> {
    root: &'a Value,
}

type Verdict = Result<(), String>;

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Verdict {
        let keywords = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Bool(false) => return Err(format!("{at}: nothing may stand here")),
            schema => schema.as_object().expect("a schema is an object or a boolean"),
        };
        if value.is_null() && keywords.get("nullable") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        for (name, rule) in keywords {
            self.keyword(name, rule, schema, value, at)?;
        }
        Ok(())
    }

    fn keyword(&self, name: &str, rule: &Value, schema: &Value, value: &Value, at: &str) -> Verdict {
        let verdict = match name {
            "$schema" | "$id" | "$defs" | "title" | "description" | "nullable" | "propertyOrdering" => true,
            "$ref" => return self.check(self.target(rule), value, at),
            "type" => list(rule).iter().any(|word| is_a(value, word.as_str().unwrap())),
            "enum" => list(rule).contains(value),
            "const" => rule == value,
            "anyOf" => list(rule).iter().any(|part| self.check(part, value, at).is_ok()),
            "not" => self.check(rule, value, at).is_err(),
            "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text)),
            "format" => value.as_str().is_none_or(|text| rule != "date-time" || Timestamp::parse(text).is_some()),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "uniqueItems" => value
                .as_array()
                .is_none_or(|items| (1..items.len()).all(|place| !items[..place].contains(&items[place]))),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "minProperties" => value.as_object().is_none_or(|members| members.len() as u64 >= rule.as_u64().unwrap()),
            "required" => value.as_object().is_none_or(|members| list(rule).iter().all(|name| has(members, name))),
            "properties" => return self.members(rule, value, at),
            "additionalProperties" => return self.others(rule, schema, value, at),
            "items" => return self.items(rule, value, at),
            other => panic!("the validator does not know the keyword `{other}`"),
        };
        if verdict { Ok(()) } else { Err(format!("{at}: `{name}` is not met by {value}")) }
    }

    fn target(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().unwrap().strip_prefix('#').expect("a reference within the schema");
        self.root.pointer(pointer).expect("the target of a reference")
    }

    fn members(&self, properties: &Value, value: &Value, at: &str) -> Verdict {
        for (name, member) in value.as_object().into_iter().flatten() {
            if let Some(schema) = properties.get(name) {
                self.check(schema, member, &format!("{at}/{name}"))?;
            }
        }
        Ok(())
    }

    fn others(&self, rule: &Value, schema: &Value, value: &Value, at: &str) -> Verdict {
        for (name, member) in value.as_object().into_iter().flatten() {
            if schema["properties"].get(name).is_none() {
                self.check(rule, member, &format!("{at}/{name}"))?;
            }
        }
        Ok(())
    }

    fn items(&self, rule: &Value, value: &Value, at: &str) -> Verdict {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            self.check(rule, item, &format!("{at}/{index}"))?;
        }
        Ok(())
    }
}

/// Whether `pattern` is found in `text`. Each pattern is compiled once.
fn matches(pattern: &str, text: &str) -> bool {
    thread_local! {
        static COMPILED: RefCell<BTreeMap<String, Regex>> = const { RefCell::new(BTreeMap::new()) };
    }
    COMPILED.with_borrow_mut(|compiled| {
        let regex = compiled.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).unwrap());
        regex.is_match(text)
    })
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice)
}

fn has(members: &serde_json::Map<String, Value>, name: &Value) -> bool {
    members.contains_key(name.as_str().unwrap())
}

fn is_a(value: &Value, word: &str) -> bool {
    match word.to_ascii_lowercase().as_str() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("`{other}` is no type"),
    }
}

#[test]
fn the_validator_finds_what_breaks_each_keyword() {
    let meets = |schema: Value, value: Value| fault(&schema, &value).is_none();
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    for (schema, good, bad) in [
        (r#"{"type": ["string", "null"]}"#, "null", "1"),
        (r#"{"type": "STRING", "nullable": true}"#, "null", "1"),
        (r#"{"enum": ["a"]}"#, r#""a""#, "null"),
        (r#"{"const": 1}"#, "1", "2"),
        (r#"{"anyOf": [{"type": "integer"}, {"type": "object"}]}"#, "{}", "true"),
        (r#"{"not": {"type": "null"}}"#, "1", "null"),
        (r#"{"pattern": "^a"}"#, r#""ab""#, r#""ba""#),
        (r#"{"format": "date-time"}"#, r#""2026-11-30T09:00:00Z""#, r#""today""#),
        (r#"{"minimum": 1}"#, "1", "0"),
        (r#"{"maximum": 1}"#, "1", "2"),
        (r#"{"uniqueItems": true}"#, "[1, 2]", "[1, 2, 1]"),
        (r#"{"minItems": 1, "maxItems": 2}"#, "[1]", "[]"),
        (r#"{"maxItems": 0}"#, "[]", "[1]"),
        (r#"{"minProperties": 1}"#, r#"{"a": 1}"#, "{}"),
        (r#"{"required": ["a"]}"#, r#"{"a": 1}"#, "{}"),
        (r#"{"properties": {"a": {"type": "null"}}}"#, r#"{"a": null}"#, r#"{"a": 1}"#),
        (r#"{"properties": {"a": true}, "additionalProperties": false}"#, r#"{"a": 1}"#, r#"{"b": 1}"#),
        (r##"{"items": {"$ref": "#/$defs/t"}, "$defs": {"t": {"type": "boolean"}}}"##, "[true]", "[1]"),
    ] {
        assert!(meets(json(schema), json(good)), "{schema} takes {good}");
        assert!(!meets(json(schema), json(bad)), "{schema} refuses {bad}");
    }
}

#[test]
#[should_panic(expected = "does not know the keyword `maxLength`")]
fn the_validator_passes_over_no_keyword() {
    fault(&serde_json::json!({"maxLength": 1}), &Value::Null);
}
