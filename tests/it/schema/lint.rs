//! What providers accept in a schema, as code, with a broken schema for every rule.

use std::collections::BTreeSet;

use relay_baton::schema::{Dialect, Kind};
use serde_json::{Value, json};

use super::published;

/// Levels of objects that every OpenAI model takes.
const LEVELS_MAX: usize = 5;
/// Levels of objects and arrays that Gemini is known to take.
const CONTAINERS_MAX: usize = 4;
/// Members in all that every OpenAI model takes.
const MEMBERS_MAX: usize = 100;
/// Words of one enumeration that every provider takes.
const WORDS_MAX: usize = 250;
/// Optional members and unions that Anthropic takes in all strict schemas of a request together.
const OPTIONAL_MAX: usize = 24;
const UNIONS_MAX: usize = 16;

/// What `dialect` would refuse of `schema`.
fn faults(schema: &Value, dialect: Dialect) -> Vec<String> {
    let mut lint = Lint { dialect, members: 0, optional: 0, unions: 0, faults: Vec::new() };
    let is_object = schema["type"].as_str().is_some_and(|word| word.eq_ignore_ascii_case("object"));
    lint.expect(is_object && schema.get("anyOf").is_none(), "", "the root is no object");
    lint.visit(schema, "", 0, 0);
    lint.expect(lint.members <= MEMBERS_MAX, "", "too many members");
    if dialect == Dialect::Anthropic {
        lint.expect(lint.optional <= OPTIONAL_MAX, "", "too many optional members");
        lint.expect(lint.unions <= UNIONS_MAX, "", "too many unions");
    }
    lint.faults
}

struct Lint {
    dialect: Dialect,
    members: usize,
    optional: usize,
    unions: usize,
    faults: Vec<String>,
}

impl Lint {
    fn expect(&mut self, holds: bool, at: &str, fault: &str) {
        if !holds {
            self.faults.push(format!("{at}: {fault}"));
        }
    }

    fn visit(&mut self, schema: &Value, at: &str, levels: usize, containers: usize) {
        for name in schema.as_object().unwrap().keys() {
            self.expect(self.keywords().contains(&name.as_str()), at, &format!("keyword `{name}`"));
        }
        self.check_type(schema, at);
        if let Some(words) = schema.get("enum") {
            let words = words.as_array().unwrap();
            self.expect(words.iter().all(Value::is_string), at, "an enumeration of something else than strings");
            self.expect((1..=WORDS_MAX).contains(&words.len()), at, "an enumeration of this size");
        }
        let kind = schema["type"].as_str().unwrap_or_default().to_ascii_lowercase();
        match kind.as_str() {
            "object" => self.object(schema, at, levels + 1, containers + 1),
            "array" if schema.get("items").is_none() => self.expect(false, at, "an array without items"),
            "array" => self.visit(&schema["items"], &format!("{at}/items"), levels, containers + 1),
            _ => {}
        }
        self.expect(self.dialect != Dialect::Gemini || containers < CONTAINERS_MAX || kind == "string", at, "too deep");
        for (index, part) in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.visit(part, &format!("{at}/anyOf/{index}"), levels, containers);
        }
    }

    fn keywords(&self) -> &'static [&'static str] {
        match self.dialect {
            Dialect::Gemini => {
                &["description", "type", "nullable", "enum", "items", "properties", "required", "propertyOrdering"]
            }
            _ => &["description", "type", "enum", "items", "properties", "required", "additionalProperties", "anyOf"],
        }
    }

    fn check_type(&mut self, schema: &Value, at: &str) {
        let is_union = schema["type"].is_array() || schema.get("anyOf").is_some();
        self.unions += usize::from(is_union);
        let sound = match (&schema["type"], self.dialect) {
            (Value::String(word), Dialect::Gemini) => ["OBJECT", "ARRAY", "STRING"].contains(&word.as_str()),
            (Value::String(word), _) => ["object", "array", "string", "null"].contains(&word.as_str()),
            (Value::Array(words), Dialect::OpenAi | Dialect::Anthropic) => {
                words[..] == [json!("string"), json!("null")]
            }
            (Value::Null, _) => schema.get("anyOf").is_some(),
            _ => false,
        };
        self.expect(sound, at, "this type");
    }

    fn object(&mut self, schema: &Value, at: &str, levels: usize, containers: usize) {
        let Some(properties) = schema["properties"].as_object() else {
            return self.expect(false, at, "an object without properties");
        };
        let names: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
        let required = strings(&schema["required"]);
        self.members += names.len();
        self.optional += names.len().saturating_sub(required.len());
        self.expect(levels <= LEVELS_MAX, at, "too many levels");
        self.expect(required.is_subset(&names), at, "a required member that is not there");
        match self.dialect {
            Dialect::Gemini => {
                self.expect(strings(&schema["propertyOrdering"]) == names, at, "no order of all members")
            }
            _ => self.expect(schema["additionalProperties"] == false, at, "an open object"),
        }
        if self.dialect != Dialect::Anthropic {
            self.expect(required == names, at, "a member that is not required");
        }
        for (name, member) in properties {
            let at = format!("{at}/{name}");
            let about = member["description"].as_str().unwrap_or_default();
            self.expect(about.len() > 3 && !about.contains('\n'), &at, "no description in one line");
            self.visit(member, &at, levels, containers);
        }
    }
}

fn strings(list: &Value) -> BTreeSet<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

const PROVIDERS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini];

#[test]
fn every_form_is_one_that_its_provider_accepts() {
    for dialect in PROVIDERS {
        for kind in [Kind::Baton, Kind::Patch] {
            let schema = published(kind, dialect);
            assert_eq!(faults(&schema, dialect), Vec::<String>::new(), "{kind:?} {dialect:?}");
        }
    }
}

#[test]
fn the_full_schema_would_be_refused_by_every_provider() {
    let full = published(Kind::Patch, Dialect::JsonSchema);
    for dialect in PROVIDERS {
        assert!(faults(&full, dialect).len() > 10, "{dialect:?}");
    }
}

/// A change to a form of a patch, and the fault that it has to bring.
type Twin = (&'static [Dialect], fn(&mut Value), &'static str);

#[test]
fn every_rule_finds_its_broken_twin() {
    use Dialect::{Anthropic, Gemini, OpenAi};
    const TWINS: &[Twin] = &[
        (&[OpenAi, Anthropic], |s| s["additionalProperties"] = true.into(), ": an open object"),
        (&[OpenAi, Anthropic], |s| remove(decision(s), "additionalProperties"), "/items: an open object"),
        (&[OpenAi, Gemini], |s| drop(s["required"].as_array_mut().unwrap().pop()), ": a member that is not required"),
        (&PROVIDERS, |s| s["required"] = json!(["goal", "other"]), ": a required member that is not there"),
        (&PROVIDERS, |s| s["properties"]["goal"]["maxLength"] = 9.into(), "/goal: keyword `maxLength`"),
        (&PROVIDERS, |s| s["properties"]["goal"]["default"] = Value::Null, "/goal: keyword `default`"),
        (&PROVIDERS, |s| s["properties"]["goal"]["const"] = "x".into(), "/goal: keyword `const`"),
        (&PROVIDERS, |s| s["$defs"] = json!({}), ": keyword `$defs`"),
        (&PROVIDERS, |s| s["properties"]["goal"] = json!({"$ref": "#"}), "/goal: keyword `$ref`"),
        (&[OpenAi, Anthropic], |s| s["properties"]["goal"]["nullable"] = true.into(), "/goal: keyword `nullable`"),
        (&[Gemini], |s| s["properties"]["goal"]["type"] = json!(["STRING", "NULL"]), "/goal: this type"),
        (&[Gemini], |s| s["properties"]["goal"]["type"] = "string".into(), "/goal: this type"),
        (&[Gemini], |s| s["properties"]["goal"]["anyOf"] = json!([]), "/goal: keyword `anyOf`"),
        (&[Gemini], |s| s["additionalProperties"] = false.into(), ": keyword `additionalProperties`"),
        (&[Gemini], |s| s["propertyOrdering"] = json!(["goal"]), ": no order of all members"),
        (&PROVIDERS, |s| s["properties"]["goal"]["description"] = "".into(), "/goal: no description in one line"),
        (&PROVIDERS, |s| s["properties"]["goal"]["enum"] = json!(["a", 1]), "/goal: an enumeration of something else"),
        (&PROVIDERS, |s| s["properties"]["goal"]["enum"] = json!(vec!["a"; 251]), "/goal: an enumeration of this size"),
        (&[Anthropic, Gemini], |s| remove(&mut s["properties"]["current_state"], "items"), "without items"),
        (&PROVIDERS, |s| remove(s, "properties"), ": an object without properties"),
        (&[OpenAi], |s| *s = json!({"anyOf": [s.clone()]}), ": the root is no object"),
        (&[OpenAi, Anthropic], |s| *s = nested(s.clone(), 4), ": too many levels"),
        (
            &[Gemini],
            |s| decision(s)["properties"]["supersedes"]["items"] = json!({"type": "ARRAY"}),
            "/items: too deep",
        ),
        (
            &[OpenAi, Anthropic],
            |s| widen(s, 100, &json!({"type": "string", "description": "more"})),
            "too many members",
        ),
        (&[Anthropic], |s| widen(s, 9, &json!({"type": "string", "description": "more"})), "too many optional members"),
        (
            &[Anthropic],
            |s| widen(s, 17, &json!({"type": ["string", "null"], "description": "more"})),
            "too many unions",
        ),
    ];
    for (dialects, spoil, fault) in TWINS {
        for dialect in *dialects {
            let mut schema = published(Kind::Patch, *dialect);
            spoil(&mut schema);
            let found = faults(&schema, *dialect);
            assert!(found.iter().any(|found| found.contains(fault)), "{dialect:?} {fault}: {found:?}");
        }
    }
}

/// The schema of a decision, in any form.
fn decision(schema: &mut Value) -> &mut Value {
    let log = &mut schema["properties"]["decision_log"];
    let log = if log.get("anyOf").is_some() { &mut log["anyOf"][0] } else { log };
    &mut log["items"]
}

fn remove(schema: &mut Value, name: &str) {
    assert!(schema.as_object_mut().unwrap().remove(name).is_some(), "there was no `{name}`");
}

fn nested(schema: Value, times: usize) -> Value {
    (0..times).fold(schema, |inner, _| {
        let mut inner = inner;
        inner["description"] = "deeper".into();
        json!({"type": "object", "properties": {"in": inner}, "required": ["in"], "additionalProperties": false})
    })
}

/// Adds `count` members to the root, none of them required.
fn widen(schema: &mut Value, count: usize, member: &Value) {
    for number in 0..count {
        schema["properties"][format!("more_{number}")] = member.clone();
    }
}
