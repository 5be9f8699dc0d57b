//! A JSON Schema validator for the keywords that the vectors use, and no others.

use relay_baton::contract::{Validator, Violation};
use relay_baton::json::{Value, pointer};

/// Knows `type`, `required`, `properties`, `minItems`, `items`, `enum`, `minimum` and `additionalProperties`.
pub(crate) struct Small;

const KNOWN: [&str; 9] =
    ["$schema", "type", "required", "properties", "minItems", "items", "enum", "minimum", "additionalProperties"];

impl Validator for Small {
    fn check_schema(&self, schema: &Value<'_>) -> Result<(), String> {
        let Some(members) = schema.as_object() else { return Err("a schema is an object".to_owned()) };
        for (name, member) in members.iter() {
            match (name, member) {
                ("type", member) => {
                    let known = ["object", "array", "string", "number", "integer", "boolean", "null"];
                    if !member.as_str().is_some_and(|name| known.contains(&name)) {
                        return Err("there is no such type".to_owned());
                    }
                }
                ("properties", Value::Object(properties)) => {
                    properties.iter().try_for_each(|(_, schema)| self.check_schema(schema))?;
                }
                ("items", schema) => self.check_schema(schema)?,
                (name, _) if !KNOWN.contains(&name) => return Err("a keyword is not known".to_owned()),
                _ => {}
            }
        }
        Ok(())
    }

    fn validate(&self, schema: &Value<'_>, output: &Value<'_>) -> Result<Vec<Violation>, String> {
        let mut found = Vec::new();
        violations(schema, output, "", &mut found);
        Ok(found)
    }
}

fn violations(schema: &Value<'_>, output: &Value<'_>, at: &str, found: &mut Vec<Violation>) {
    let Some(schema) = schema.as_object() else { return };
    let mut wrong = |at: String, what: &str| found.push(Violation { at, detail: what.to_owned() });
    if schema.get("type").and_then(Value::as_str).is_some_and(|name| !is_of(name, output)) {
        return wrong(at.to_owned(), "it has another type");
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(output)
    {
        wrong(at.to_owned(), "it is none of the allowed values");
    }
    if let (Some(least), Value::Number(number)) = (schema.get("minimum").and_then(Value::as_u64), output)
        && number.as_str().parse::<f64>().unwrap() < least as f64
    {
        wrong(at.to_owned(), "it is too small");
    }
    match output {
        Value::Object(members) => {
            for name in schema.get("required").and_then(Value::as_array).unwrap_or_default() {
                if members.get(name.as_str().unwrap()).is_none() {
                    wrong(at.to_owned(), "a member is missing");
                }
            }
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, member) in members.iter() {
                match properties.and_then(|properties| properties.get(name)) {
                    Some(schema) => violations(schema, member, &pointer::child(at, name), found),
                    None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                        found.push(Violation {
                            at: pointer::child(at, name),
                            detail: "there is no such member".to_owned(),
                        });
                    }
                    None => {}
                }
            }
        }
        Value::Array(items) => {
            if schema.get("minItems").and_then(Value::as_u64).is_some_and(|least| (items.len() as u64) < least) {
                wrong(at.to_owned(), "it has too few items");
            }
            if let Some(schema) = schema.get("items") {
                items.iter().enumerate().for_each(|(index, item)| {
                    violations(schema, item, &pointer::item(at, index), found);
                });
            }
        }
        _ => {}
    }
}

fn is_of(name: &str, value: &Value<'_>) -> bool {
    match (name, value) {
        ("object", Value::Object(_))
        | ("array", Value::Array(_))
        | ("string", Value::String(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("null", Value::Null) => true,
        ("integer", Value::Number(number)) => number.as_str().parse::<f64>().is_ok_and(|number| number.fract() == 0.0),
        _ => false,
    }
}
