//! Around one known patch, in any carrier, whatever prose stands: that patch is found, or the text is refused.

#![allow(clippy::unwrap_used)]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Extraction, extract};
use crate::json::{self, Limits, Object, Value};

/// What prose is made of: everything that starts, ends or looks like something.
const PIECES: &[&str] = &[
    "word",
    " ",
    "\n",
    "\r\n",
    "\t",
    "   ",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "\"",
    "'",
    "\\",
    "\\\"",
    ":",
    ",",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "\n```\n",
    "\n```json\n",
    "\n~~~\n",
    "<",
    ">",
    "</",
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "<!--",
    "-->",
    "<div>",
    "<![CDATA[",
    "{\"a\": 1}",
    "{\"a\": [",
    "{\"a\": x",
    "{\"a\": \"",
    "{\"a\"",
    "[1, 2]",
    "[\"",
    "// c",
    "/*",
    "*/",
    "{ // c\n",
    "null",
    "1",
    "é",
    "🙂",
    "\u{202e}",
    "\u{feff}",
    "\0",
    "{'a'",
    "{a: 1}",
    "\"a\": ",
    "{\"type\": \"object\", \"properties\": {\"x\": {}}}",
    "...",
    "…",
];

/// What only a text with a nonce may quote: whole patches of others, and parts of them.
const FOREIGN: &[&str] = &[
    "{\"baton_patch\": {\"a\": 1}}",
    "<baton_patch>{\"a\": 1}</baton_patch>",
    "\n```baton_patch\n{\"a\": 1}\n```\n",
    "<baton_patch>",
    "</baton_patch>",
    "\"baton_patch\": ",
    "baton_patch",
    "{\"baton_patch:x\": {}}",
    "<baton_patch:x>{}</baton_patch:x>",
    "{\"baton_patch\": ",
];

/// Strings of a patch: they quote whole patches.
const QUOTED: &[&str] = &[
    "done",
    "<think>",
    "</think>",
    "```",
    "\n```\n",
    "{",
    "}",
    "\"",
    "\\",
    "</baton_patch>",
    "</baton_patch:k7Qx>",
    "<baton_patch>{}</baton_patch>",
    "{\"baton_patch\": {}}",
    "{\"baton_patch:k7Qx\": {}}",
    "\n```baton_patch\n{}\n```\n",
    "// ,}",
    "/*",
];

fn patch() -> impl Strategy<Value = String> {
    vec(select(QUOTED), 1..4).prop_map(|strings| {
        let strings = strings.into_iter().map(Value::string).collect();
        let mut patch = Object::new();
        patch.set("current_state", Value::Array(strings));
        json::compact(&Value::Object(patch))
    })
}

fn carried(patch: &str, carrier: usize, name: &str) -> String {
    match carrier {
        0 => format!("{{\"{name}\": {patch}}}"),
        1 => format!("\n{{\"x\": {{\"y\": []}}, \"{name}\": {patch}}}\n"),
        2 => format!("<{name}>{patch}</{name}>"),
        3 => format!("\n<{name}>\n```json\n{patch}\n```\n</{name}>\n"),
        4 => format!("\n```{name}\n{patch}\n```\n"),
        5 => format!("\n~~~~ json {name}\n{patch}\n~~~~\n"),
        _ => format!("\n```json\n{{\"{name}\": {patch}}}\n```\n"),
    }
}

/// The text holds `patch` or is refused. Whether it was found.
fn found_or_refused(text: &str, patch: &str, nonce: Option<&str>) -> Result<bool, TestCaseError> {
    for repair in [false, true] {
        match extract(text, &Extraction { nonce, repair, ..Extraction::default() }) {
            Ok(found) => {
                let expected = json::read(patch, &Limits::default()).unwrap();
                prop_assert_eq!(Value::Object(found.value().clone()), expected, "{}", text);
                prop_assert_eq!(found.json(), patch);
                prop_assert_eq!(text.get(found.offset()..found.offset() + patch.len()), Some(patch));
            }
            Err(refused) => {
                for refusal in refused.refusals() {
                    prop_assert!(!refusal.detail.contains('\n'), "{}", refusal);
                    prop_assert!(refusal.position.is_none_or(|at| at.offset <= text.len()));
                }
                return Ok(false);
            }
        }
    }
    Ok(true)
}

proptest! {
    #[test]
    fn prose_around_a_patch(
        before in vec(select(PIECES), 0..10), after in vec(select(PIECES), 0..10), patch in patch(), carrier in 0_usize..7,
    ) {
        let text = format!("x{}{}{}", before.concat(), carried(&patch, carrier, "baton_patch"), after.concat());
        found_or_refused(&text, &patch, None)?;
    }

    #[test]
    fn patches_of_others_around_one_with_a_nonce(
        before in vec(prop_oneof![select(PIECES), select(FOREIGN)], 0..8),
        after in vec(prop_oneof![select(PIECES), select(FOREIGN)], 0..8),
        patch in patch(), carrier in 0_usize..7,
    ) {
        let text = format!("x{}{}{}", before.concat(), carried(&patch, carrier, "baton_patch:k7Qx"), after.concat());
        found_or_refused(&text, &patch, Some("k7Qx"))?;
    }

    #[test]
    fn calm_prose_hides_nothing(
        before in "[a-z .,\n{}()<>;=#*_-]{0,40}", after in "[a-z .,\n{}()<>;=#*_-]{0,40}", patch in patch(), carrier in 0_usize..7,
    ) {
        let before = before.replace("<think", "");
        let text = format!("x{before}\n{}\n{after}", carried(&patch, carrier, "baton_patch"));
        prop_assert!(found_or_refused(&text, &patch, None)?, "{}", text);
    }

    #[test]
    fn anything(text in vec(prop_oneof![select(PIECES), select(FOREIGN)], 0..12)) {
        let text = text.concat();
        if let Ok(found) = extract(&text, &Extraction::default()) {
            prop_assert!(text.get(found.offset()..).is_some_and(|rest| rest.starts_with(found.json())));
            let again = format!("{{\"baton_patch\":{}}}", found.json());
            let again = extract(&again, &Extraction::default()).unwrap();
            prop_assert_eq!(again.value(), found.value());
        }
    }
}
