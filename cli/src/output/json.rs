//! Reports as JSON, one object on a line.

use relay_baton::json::{self, Object, Value};
use relay_baton::refusal::{Action, Notice, Refusal};

use crate::done::Report;
use crate::failure::{Answer, Failure};

/// `{"ok": true, …}`
pub(crate) fn success(report: &Report) -> String {
    let mut object = Object::new();
    object.set("ok", Value::Bool(true));
    for (name, value) in &report.facts {
        object.set(*name, value.clone());
    }
    object.set("notices", Value::Array(report.notices.iter().map(notice).collect()));
    for (name, value) in &report.counts {
        object.set(*name, value.clone());
    }
    line(object)
}

/// `{"ok": false, …}`
pub(crate) fn failure(failure: &Failure) -> String {
    let mut object = Object::new();
    object.set("ok", Value::Bool(false));
    match failure {
        Failure::Closed => {}
        Failure::Usage(text) => object.set("usage", Value::string(text.trim_end().to_owned())),
        Failure::Refused(answer) => {
            let refusals = answer.refused.refusals().iter().enumerate();
            let refusals = refusals.map(|(index, refusal)| refused(refusal, answer, answer.stands(index).0));
            object.set("refusals", Value::Array(refusals.collect()));
            if let Some(correction) = &answer.correction {
                object.set("correction", Value::string(correction.clone()));
            }
            for (name, value) in &answer.counts {
                object.set(*name, value.clone());
            }
        }
    }
    line(object)
}

fn line(object: Object<'_>) -> String {
    let mut text = json::compact(&Value::Object(object));
    text.push('\n');
    text
}

fn notice(notice: &Notice) -> Value<'static> {
    let mut object = Object::new();
    object.set("code", Value::string(notice.code));
    object.set("at", Value::string(notice.at.clone()));
    object.set("detail", Value::string(notice.detail.clone()));
    Value::Object(object)
}

fn refused(refusal: &Refusal, answer: &Answer, file: Option<&str>) -> Value<'static> {
    let action: Action = answer.action.unwrap_or_else(|| refusal.action());
    let mut object = Object::new();
    object.set("code", Value::string(refusal.code.as_str()));
    object.set("at", Value::string(refusal.at.clone()));
    object.set("detail", Value::string(refusal.detail.clone()));
    object.set("action", Value::string(action.name()));
    if let Some(file) = file {
        object.set("file", Value::string(file.to_owned()));
    }
    if let Some(position) = refusal.position {
        for (name, number) in [("line", position.line), ("column", position.column), ("offset", position.offset)] {
            object.set(name, Value::integer(number as u64));
        }
    }
    Value::Object(object)
}
