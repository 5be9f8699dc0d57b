//! Vectors, and what becomes of one that is asked of an implementation.

use super::list::VECTORS;
use super::matching::mismatches;
use crate::json::{self, Limits, Object, Value};
use crate::text::{clip, quote};

/// One scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// The rule that it belongs to: the name of its folder.
    pub group: String,
    /// Its own name: that of its file without `.json`.
    pub name: String,
    /// What it shows, in one sentence.
    pub rule: String,
    /// The request, without an `id`.
    pub request: Object<'static>,
    /// What is expected of the answer.
    pub expect: Value<'static>,
}

/// Something that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where in the answer: a JSON Pointer (RFC 6901); `""` is the whole of it.
    pub at: String,
    /// What was expected.
    pub expected: String,
    /// What there was.
    pub got: String,
}

impl Vector {
    /// Reads the vector `text` of `group`.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn read(group: &str, text: &str) -> Result<Self, String> {
        let value = json::read(text, &Limits::default()).map_err(|refusal| refusal.to_string())?.into_owned();
        let Value::Object(mut members) = value else { return Err("a vector is an object".to_owned()) };
        let mut string = |name: &str| match members.remove(name) {
            Some(Value::String(text)) => Ok(text.into_owned()),
            _ => Err(format!("a vector has the string `{name}`")),
        };
        let (name, rule) = (string("name")?, string("rule")?);
        let Some(Value::Object(request)) = members.remove("request") else {
            return Err("a vector has the object `request`".to_owned());
        };
        let expect = members.remove("expect").ok_or("a vector says what to `expect`")?;
        match members.iter().next() {
            Some((other, _)) => Err(format!("a vector has no member {}", quote(other))),
            None => Ok(Self { group: group.to_owned(), name, rule, request, expect }),
        }
    }

    /// The operation that it asks for.
    #[must_use]
    pub fn request_op(&self) -> Option<&str> {
        self.request.get("op").and_then(Value::as_str)
    }

    /// What it is called in reports, `GROUP/NAME`; the `id` of its request.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }

    /// The request, on one line without its end.
    #[must_use]
    pub fn line(&self) -> String {
        let mut request = Object::new();
        request.set("id", Value::string(self.id()));
        for (name, value) in self.request.iter() {
            request.set(name.to_owned(), value.clone());
        }
        json::compact(&Value::Object(request))
    }
}

/// Every vector, in the order of groups and names.
#[must_use]
pub fn vectors() -> Vec<Vector> {
    VECTORS.iter().filter_map(|(group, text)| Vector::read(group, text).ok()).collect()
}

/// Asks the request of `vector`, and gives what of the answer is not as expected; nothing, where the vector holds.
///
/// `ask` is given a line and gives the line that answers it, or why there is none.
pub fn check(vector: &Vector, ask: &mut dyn FnMut(&str) -> Result<String, String>) -> Vec<Mismatch> {
    let wrong = |expected: &str, got: String| vec![Mismatch { at: String::new(), expected: expected.to_owned(), got }];
    let line = match ask(&vector.line()) {
        Ok(line) => line,
        Err(why) => return wrong("an answer", why),
    };
    let told = format!("`{}`", clip(&crate::text::escape_message(&line), 400));
    let Ok(Value::Object(answer)) = json::read(&line, &Limits::default()) else {
        return wrong("one JSON object on one line", told);
    };
    if answer.get("id").and_then(Value::as_str) != Some(vector.id().as_str()) {
        return wrong("the `id` of the request", told);
    }
    match (answer.get("answer"), answer.get("error")) {
        (Some(answer), None) => mismatches(&vector.expect, answer),
        (None, Some(error)) => wrong("an answer", format!("the error {}", json::compact(error))),
        _ => wrong("either `answer` or `error`", told),
    }
}
