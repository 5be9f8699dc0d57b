//! What each fuzz target does with its bytes, and what must hold. Ordinary tests run the same over `tests/corpus`.

use relay_baton::extract::{self, Extraction};
use relay_baton::json::{self, Limits, Numbers, Value};
use relay_baton::refusal::Code;

/// The strict reader against serde_json, and the writer against the reader.
pub(crate) fn read_json(data: &[u8]) {
    let limits = Limits::default();
    let text = match json::decode(data, &limits) {
        Ok(text) => text,
        Err(refusal) => return assert!(std::str::from_utf8(data).is_err() || refusal.code != Code::JsonSyntax),
    };
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    let too_deep = theirs.as_ref().is_err_and(|error| error.to_string().starts_with("recursion limit"));
    match json::read(text, &limits) {
        Ok(value) => {
            assert!(theirs.is_ok() || too_deep, "serde_json does not read {text:?}");
            written_is_read(&value, &limits);
            if let Ok(theirs) = theirs {
                let ours = value.to_serde().expect("an I-JSON number is a double");
                assert!(alike(&ours, &theirs), "{text:?}");
            }
        }
        Err(refusal) => {
            assert!(refusal.code != Code::JsonSyntax || theirs.is_err(), "serde_json reads {text:?}");
            let position = refusal.position.expect("a refusal of a text says where");
            assert!(position.offset <= text.len() && position.line > 0 && position.column > 0);
            assert!(!refusal.detail.contains('\n'), "{refusal}");
        }
    }
    if let Ok(value) = json::read(text, &limits.with_numbers(Numbers::AsWritten)) {
        written_is_read(&value, &limits.with_numbers(Numbers::AsWritten));
    }
}

fn written_is_read(value: &Value<'_>, limits: &Limits) {
    let limits = limits.with_bytes(usize::MAX);
    for text in [json::compact(value), json::pretty(value)] {
        assert_eq!(json::read(&text, &limits).as_ref(), Ok(value), "{text:?}");
    }
    let canonical = String::from_utf8(json::canonical(value)).expect("canonical bytes are UTF-8");
    let again = json::read(&canonical, &limits).expect("canonical bytes are JSON");
    assert_eq!(json::canonical(&again), canonical.as_bytes(), "{canonical:?}");
}

/// Equal, but for the last digits of floats: serde_json rounds a long one to a neighbour.
fn alike(ours: &serde_json::Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (ours, theirs) {
        (Number(ours), Number(theirs)) => {
            let (ours, theirs) = (ours.as_f64().unwrap_or(f64::NAN), theirs.as_f64().unwrap_or(f64::NAN));
            (ours - theirs).abs() <= ours.abs() * 4.0 * f64::EPSILON + f64::MIN_POSITIVE
        }
        (Array(ours), Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| alike(ours, theirs))
        }
        (Object(ours), Object(theirs)) => {
            let same = |(name, value)| theirs.get(name).is_some_and(|theirs| alike(value, theirs));
            ours.len() == theirs.len() && ours.iter().all(same)
        }
        _ => ours == theirs,
    }
}

/// A patch is found in a text, or a place in the text is told.
pub(crate) fn extract(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let plain = found(text, &Extraction::default());
    let repaired = found(text, &Extraction { repair: true, ..Extraction::default() });
    if let Some(plain) = plain {
        assert_eq!(Some(plain), repaired, "a repair of what is not broken: {text:?}");
    }
    let nonce = Extraction { nonce: Some("k7f3"), ..Extraction::default() };
    assert!(found(text, &nonce).is_none() || text.contains("k7f3"), "found without the nonce: {text:?}");
}

fn found(text: &str, how: &Extraction<'_>) -> Option<Value<'static>> {
    match extract::extract(text, how) {
        Ok(found) => {
            let place = text.get(found.offset()..).and_then(|rest| rest.get(..found.json().len()));
            assert!(place.is_some_and(|place| found.repaired() || place == found.json()), "{text:?}");
            let value = json::read(found.json(), &Limits::default()).expect("what was found is JSON");
            assert_eq!(value.as_object(), Some(found.value()), "{text:?}");
            Some(value.into_owned())
        }
        Err(refused) => {
            assert!(!refused.refusals().is_empty());
            for refusal in refused.refusals() {
                assert!(refusal.position.is_none_or(|position| position.offset <= text.len()), "{refusal:?}");
                assert!(!refusal.detail.contains('\n'), "{refusal}");
            }
            None
        }
    }
}
