//! The members of an object as texts: read as strictly as by the reader, and nothing is built of their values.

use std::borrow::Cow;

use super::check::{BYTES_MAX, Check};
use super::decode::empty_refusal;
use super::fault::{self, Fault};
use super::limits::{Limits, size_refusal};
use super::read::{self, Reader};
use super::scan::Scanner;
use crate::refusal::Refusal;

/// The names of the members of the object that is the whole `text`, each with the text of its value, in order.
///
/// # Errors
/// What [`read`](super::read()) refuses; `json.syntax` where the text is no object. A text of 2 GiB or more is
/// `json.size` whatever the limit.
pub fn spans<'a>(text: &'a str, limits: &Limits) -> Result<Vec<(Cow<'a, str>, &'a str)>, Refusal> {
    let limits = limits.with_bytes(limits.bytes().min(BYTES_MAX));
    if text.len() > limits.bytes() {
        return Err(size_refusal(text.len(), &limits));
    }
    if let Some(refusal) = empty_refusal(text) {
        return Err(refusal);
    }
    let mut reader = Reader::new(&limits, Check::new(text));
    members(text, &mut reader).map_err(|fault| fault.into_refusal(text))
}

fn members<'a>(text: &'a str, reader: &mut Reader<Check<'a>>) -> Result<Vec<(Cow<'a, str>, &'a str)>, Fault> {
    let mut scanner = Scanner::new(text);
    if scanner.peek_past_white() != Some(b'{') {
        return Err(fault::no_value(text, scanner.at()));
    }
    let start = scanner.at();
    scanner.step();
    let (mut found, mut names) = (Vec::with_capacity(16), Vec::with_capacity(16));
    if scanner.peek_past_white() == Some(b'}') {
        scanner.step();
        return read::end_of_text(&mut scanner).map(|()| found);
    }
    loop {
        let (name_start, name) = read::name(&mut scanner)?;
        read::colon(&mut scanner)?;
        scanner.peek_past_white();
        let value_start = scanner.at();
        reader.value(&mut scanner, 1)?;
        names.push(Check::span(name_start, name));
        found.push((name.text(), text.get(value_start..scanner.at()).unwrap_or_default()));
        match scanner.peek_past_white() {
            Some(b',') => scanner.step(),
            Some(b'}') => break,
            _ => return Err(fault::not_closed(text, scanner.at(), '}')),
        }
    }
    scanner.step();
    if let Some(place) = reader.build.repeated(&names) {
        return Err(read::duplicate(text, start, place));
    }
    read::end_of_text(&mut scanner).map(|()| found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Value, compact, read};

    #[test]
    fn members_are_told_apart() {
        let text = r#" { "a" : [1, {"b": "}"}] , "c\u0064" : "x,y" } "#;
        let found = spans(text, &Limits::default()).unwrap();
        let expected = [("a", r#"[1, {"b": "}"}]"#), ("cd", r#""x,y""#)];
        assert_eq!(found.iter().map(|(name, value)| (&**name, *value)).collect::<Vec<_>>(), expected);
        assert_eq!(spans(" {} ", &Limits::default()).unwrap(), []);
    }

    #[test]
    fn what_the_reader_refuses_is_refused() {
        for text in [
            "",
            "[]",
            "{",
            "{\"a\"}",
            "{\"a\":1,}",
            "{\"a\":1,\"\\u0061\":2}",
            "{\"a\":1}x",
            "{\"a\":{\"b\":1,\"b\":2}}",
        ] {
            assert!(spans(text, &Limits::default()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_reader(value in crate::json::arbitrary::value()) {
            let text = compact(&value);
            let found = spans(&text, &Limits::default());
            let Value::Object(object) = &value else {
                prop_assert!(found.is_err());
                return Ok(());
            };
            let found = found.unwrap();
            prop_assert_eq!(found.len(), object.len());
            for ((name, text), (known, value)) in found.iter().zip(object.iter()) {
                prop_assert_eq!(&**name, known);
                prop_assert_eq!(&read(text, &Limits::default()).unwrap(), value);
            }
        }
    }
}
