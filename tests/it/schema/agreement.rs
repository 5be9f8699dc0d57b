//! The schemas and the merge say the same: what a schema refuses is refused, and what a provider's form allows is read.

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Field, Id, Status, Timestamp};
use relay_baton::guard::{Guards, guard};
use relay_baton::json::{self, Limits, Value as Json};
use relay_baton::lower::lower;
use relay_baton::merge::{Merged, merge};
use relay_baton::parse::{self, Proposal};
use relay_baton::refusal::Refused;
use relay_baton::schema::{Dialect, Kind};
use serde_json::{Map, Value, json};

use super::samples::{batons, no_batons, no_patches, patches};
use super::validate::fault;
use super::{members, published};

fn read(baton: &Value) -> Result<Baton<'static>, Refused> {
    Baton::read(&baton.to_string(), &Limits::default()).map(Baton::into_owned)
}

fn parsed(patch: &Value, dialect: parse::Dialect) -> Result<Proposal<'static>, Refused> {
    let text = patch.to_string();
    match json::read(&text, &Limits::default())?.into_owned() {
        Json::Object(object) => Proposal::parse(object, dialect),
        _ => panic!("{text} is no object"),
    }
}

/// `baton` after `patch`, by every step of the merge.
fn merged(baton: &Value, patch: &Value, dialect: parse::Dialect) -> Result<Merged<'static>, Refused> {
    let baton = read(baton).unwrap();
    let id = |text| Id::new(text).unwrap();
    let at = Timestamp::parse("2026-11-30T09:00:00.000Z").unwrap();
    let attribution = Attribution { step: id("build"), by: id("builder"), at };
    let lowered = lower(&baton, parsed(patch, dialect)?, &attribution)?;
    let admitted = guard(&baton, lowered, &Guards::default(), &[])?;
    Ok(merge(baton, admitted, &attribution, "sha256:00"))
}

#[test]
fn batons_of_the_schema_are_read_and_others_are_not() {
    for sample in batons() {
        assert_eq!(read(&sample).err(), None, "{sample}");
    }
    for sample in no_batons() {
        assert!(read(&sample).is_err(), "{sample}");
    }
}

#[test]
fn patches_of_the_schema_are_read_and_others_are_refused() {
    for sample in patches() {
        assert_eq!(parsed(&sample, parse::Dialect::Plain).err(), None, "{sample}");
    }
    let baton = json!({"goal": "Ship it", "decision_log": "use MySQL"});
    for sample in no_patches().into_iter().filter(Value::is_object) {
        assert!(merged(&baton, &sample, parse::Dialect::Plain).is_err(), "{sample}");
    }
}

#[test]
fn fields_and_statuses_are_those_of_the_library() {
    for kind in [Kind::Baton, Kind::Patch] {
        let full = published(kind, Dialect::JsonSchema);
        assert_eq!(members(kind, Dialect::JsonSchema), Field::ALL.map(Field::name), "{kind:?}");
        assert_eq!(full["$defs"]["Status"]["enum"], json!(Status::ALL.map(Status::name)), "{kind:?}");
    }
    for dialect in PROVIDERS {
        let form = published(Kind::Patch, dialect);
        let names = members(Kind::Patch, dialect);
        assert_eq!(names, Field::ALL[..8].iter().map(|field| field.name()).collect::<Vec<_>>(), "{dialect:?}");
        let words = json!(Status::ALL.map(Status::name)).to_string();
        assert!(form.to_string().contains(&words), "{dialect:?}");
    }
}

const PROVIDERS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini];

/// What stands for every string that a model writes: with it, whatever an answer names is there.
const TEXT: &str = "D1";

/// What a model may write to `form`: everything, or as little as it can.
fn answer(form: &Value, full: bool) -> Value {
    if !full && (form.get("nullable").is_some() || form["type"].is_array() || form.get("anyOf").is_some()) {
        return Value::Null;
    }
    if let Some(parts) = form.get("anyOf") {
        return answer(&parts[0], full);
    }
    if let Some(words) = form.get("enum") {
        return words[1].clone();
    }
    match form["type"].as_str().unwrap_or("string").to_ascii_lowercase().as_str() {
        "object" => {
            let required = form["required"].as_array().unwrap();
            let members = form["properties"].as_object().unwrap().iter();
            let members = members.filter(|(name, _)| full || required.contains(&json!(name)));
            members.map(|(name, member)| (name.clone(), answer(member, full))).collect::<Map<_, _>>().into()
        }
        "array" if full => json!([answer(&form["items"], full)]),
        "array" => json!([]),
        _ => TEXT.into(),
    }
}

#[test]
fn answers_to_a_providers_form_are_patches_of_the_strict_dialect() {
    let list = json!([TEXT]);
    let baton = json!({
        "goal": TEXT, "current_state": list, "decision_log": list, "constraints": list, "open_questions": list,
        "work_scope": list, "artifacts": list, "acceptance": list,
    });
    for dialect in PROVIDERS {
        let form = published(Kind::Patch, dialect);
        let (all, least) = (answer(&form, true), answer(&form, false));
        assert_eq!((fault(&form, &all), fault(&form, &least)), (None, None), "{dialect:?}");
        let changed = merged(&baton, &all, parse::Dialect::Strict).unwrap();
        assert_eq!(changed.baton().decisions().count(), 2, "{dialect:?}");
        assert_eq!(changed.baton().checks().next().unwrap().status(), Status::Passed, "{dialect:?}");
        assert_eq!(changed.baton().artifacts().next().unwrap().as_object().len(), 5, "{dialect:?}");
        let same = merged(&baton, &least, parse::Dialect::Strict).unwrap();
        assert_eq!(same.changed(), [""; 0], "{dialect:?}");
    }
    let idle = json!({"constraints": {"add": [], "remove": []}, "artifacts": {"add": null, "remove": null}});
    assert_eq!(merged(&baton, &idle, parse::Dialect::Strict).unwrap().changed(), [""; 0]);
}

#[test]
fn answers_to_a_providers_form_of_a_baton_are_batons() {
    for dialect in PROVIDERS {
        let form = published(Kind::Baton, dialect);
        for sample in [answer(&form, true), answer(&form, false)] {
            assert_eq!(fault(&form, &sample), None, "{dialect:?}");
            assert_eq!(fault(&published(Kind::Baton, Dialect::JsonSchema), &sample), None, "{dialect:?}");
            assert_eq!(read(&sample).map(|baton| baton.revision()), Ok(0), "{dialect:?}");
        }
    }
}

/// Every sample in which one value was replaced by a value of another kind.
fn variants(samples: &[Value]) -> Vec<Value> {
    let others =
        [Value::Null, true.into(), 1.into(), 1.5.into(), "".into(), " ".into(), json!([]), json!({}), json!([null])];
    let mut found = Vec::new();
    for sample in samples {
        let mut places = Vec::new();
        pointers(sample, String::new(), &mut places);
        for place in &places {
            for other in &others {
                let mut variant = sample.clone();
                *variant.pointer_mut(place).unwrap() = other.clone();
                found.push(variant);
            }
        }
    }
    found
}

fn pointers(value: &Value, at: String, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| pointers(value, format!("{at}/{name}"), into))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| pointers(value, format!("{at}/{index}"), into));
        }
        _ => {}
    }
    into.push(at);
}

#[test]
fn schema_and_reader_agree_on_every_variant() {
    let full = published(Kind::Baton, Dialect::JsonSchema);
    let variants = variants(&batons());
    assert!(variants.len() > 300, "{}", variants.len());
    for sample in variants {
        let (fault, refused) = (fault(&full, &sample), read(&sample).err());
        assert_eq!(fault.is_some(), refused.is_some(), "{fault:?} {refused:?} {sample}");
    }
}

/// Some of what the schema refuses passes the parser and is refused by a later step.
#[test]
fn schema_and_merge_agree_on_every_variant() {
    let full = published(Kind::Patch, Dialect::JsonSchema);
    let baton = json!({"goal": "Ship it", "decision_log": "use MySQL"});
    let variants = variants(&patches());
    assert!(variants.len() > 300, "{}", variants.len());
    for sample in variants.into_iter().filter(Value::is_object) {
        match fault(&full, &sample) {
            None => assert_eq!(parsed(&sample, parse::Dialect::Plain).err(), None, "{sample}"),
            Some(fault) => {
                let refused = merged(&baton, &sample, parse::Dialect::Plain).err();
                assert!(refused.is_some(), "{fault}: {sample}");
            }
        }
    }
}
