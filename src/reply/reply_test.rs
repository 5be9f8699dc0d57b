#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Delegation, Expected, Reply, ToolRequest};
use crate::baton::Id;
use crate::extract::{Extraction, extract};
use crate::json::{self, Limits, Value};
use crate::refusal::{Code, Refusal};

fn read_under(text: &str, limits: &Limits) -> Result<Reply, Refusal> {
    let agent = Id::new("builder").unwrap();
    Reply::read(text, limits, &Expected { agent: &agent, request: "r-1" })
}

fn read(text: &str) -> Result<Reply, Refusal> {
    read_under(text, &Limits::default())
}

#[track_caller]
fn reads(text: &str) -> Reply {
    let reply = read(text).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    assert_eq!(reply.text, text);
    reply
}

fn value(text: &str) -> Value<'static> {
    json::read(text, &Limits::default()).unwrap().into_owned()
}

/// The text is a final answer with this output, and without a patch.
#[track_caller]
fn gives(text: &str, output: &str) {
    let reply = reads(text);
    assert_eq!(reply, Reply { text: text.to_owned(), output: Some(value(output)), ..Reply::default() });
    assert!(reply.is_final());
}

/// The text asks for one call of `search`.
#[track_caller]
fn calls(text: &str, arguments: Option<&str>) {
    let reply = reads(text);
    let request = ToolRequest { tool: "search".to_owned(), arguments: arguments.map(value) };
    assert_eq!(reply, Reply { text: text.to_owned(), calls: vec![request], ..Reply::default() });
    assert!(!reply.is_final());
}

#[track_caller]
fn refuses(text: &str, code: Code, at: &str, words: &str) {
    let refusal = read(text).map(|reply| panic!("{text}\n{reply:?}")).unwrap_err();
    assert_eq!((refusal.code, refusal.at.as_str()), (code, at), "{text}\n{refusal}");
    assert!(refusal.detail.contains(words), "{text}\n{refusal}");
    assert!(!refusal.detail.contains('\n') && !refusal.detail.ends_with('.'), "{refusal}");
    assert!(refusal.position.is_some(), "{text}\n{refusal}");
}

#[test]
fn a_structured_answer_asks_for_tools_and_agents() {
    calls(r#"{"tool_calls": [{"tool": "search", "arguments": {"q": 1}}]}"#, Some(r#"{"q": 1}"#));
    calls(r#"{"tool_calls": {"tool": "search"}}"#, None);
    calls(r#"{"tool_calls": [{"tool": "search", "arguments": null}]}"#, Some("null"));
    calls(
        r#" <think>{"output": 1}</think> {"tool_calls": {"tool": "search"}, "delegate": [], "output": null, "baton_patch": null, "text": null}"#,
        None,
    );
    let reply = reads(
        r#"{"text": "off we go", "agent": "builder", "request": "r-1",
            "tool_calls": [{"tool": "a"}, {"tool": "a"}], "delegate": {"agent": "tester", "intent": "test it", "input": [1]}}"#,
    );
    assert_eq!(reply.calls.len(), 2);
    let (agent, intent) = ("tester".to_owned(), "test it".to_owned());
    assert_eq!(reply.delegations, [Delegation { agent, intent, input: Some(value("[1]")) }]);
}

#[test]
fn an_answer_without_requests_is_the_last() {
    gives(r#"{"output": {"files": 3}}"#, r#"{"files": 3}"#);
    gives(r#"{"output": null, "tool_calls": [], "delegate": null}"#, "null");
    for whole in [
        r#"{"files": 3}"#,
        r#"{"text": "x", "agent": "kim"}"#,
        "{}",
        "[1, {}]",
        "[]",
        "-1.5",
        "true",
        "null",
        "\"said\"",
    ] {
        gives(whole, whole);
        gives(&format!("\n\u{feff} <thinking>a</thinking>\r\n{whole} \n"), whole);
    }
    gives("  It is done.\r\nAll of it. ", r#""It is done.\nAll of it.""#);
    gives("<think>\nso\n</think>\nDone", "\"Done\"");
    gives("2026-11-30", "\"2026-11-30\"");
    gives("[see above] it is {done}", "\"[see above] it is {done}\"");
    gives("\"Yes\", she said, \"C:\\new\"", r#""\"Yes\", she said, \"C:\\new\"""#);
    gives("made {\"a\": 1} of {\"b\": [{\"output\": 1}]}", r#""made {\"a\": 1} of {\"b\": [{\"output\": 1}]}""#);
    gives("the member \"output\": see {output}", r#""the member \"output\": see {output}""#);
}

#[test]
fn text_holds_one_structured_answer() {
    let call = r#"{"tool_calls": [{"tool": "search"}]}"#;
    for text in [
        format!("I look.\n```json\n{call}\n```\nThen I go on."),
        format!("I look. {call}"),
        format!("{call} {call} and [{{\"output\": 1}}] and {{\"x\": {call}}}"),
        format!("<think>{{\"output\": 1}}</think> {call} <thinking>{{\"output\": 2}}</thinking>"),
        r#"so: {"tool\u005fcalls": {"tool": "search"}}"#.to_owned(),
    ] {
        calls(&text, None);
    }
    let text = "Done: {\"output\": 1, \"note\": 2}";
    refuses(text, Code::ReplyType, "/note", "an answer has no member `note`");
    gives("Done: {\"output\": [1]} and that is it", "[1]");
}

#[test]
fn a_patch_is_found_wherever_extract_finds_it() {
    let patch = r#"{"current_state": ["done"]}"#;
    for (text, output) in [
        (format!(r#"{{"output": 1, "baton_patch": {patch}}}"#), Some("1")),
        (format!(r#"{{"baton_patch": {patch}}}"#), None),
        (format!("Done.\n{{\"output\": 1, \"baton_patch\": {patch}}}"), Some("1")),
        (format!("Done. {{\"output\": 1}}\n<baton_patch>{patch}</baton_patch>"), Some("1")),
        (format!("{{\"output\": 1}}\n```baton_patch\n{patch}\n```"), Some("1")),
    ] {
        let reply = reads(&text);
        assert_eq!((reply.output, reply.patch.as_deref()), (output.map(value), Some(text.as_str())));
        assert_eq!(extract(&text, &Extraction::default()).unwrap().json(), patch);
    }
    let text = format!("Done.\n<baton_patch>{{\"output\": 1, \"x\": {patch}}}</baton_patch>");
    let reply = reads(&text);
    assert_eq!((reply.output, reply.patch), (Some(Value::string(text.clone())), Some(text)));
    assert_eq!(reads("nothing of <baton_patch> here, nor of `baton_patch`").patch, None);
    let several = reads("<baton_patch>{}</baton_patch> <baton_patch>{\"a\": 1}</baton_patch>").patch.unwrap();
    assert!(extract(&several, &Extraction::default()).is_err());
}

#[test]
fn what_is_no_answer_is_refused() {
    for (text, code, at, words) in [
        ("", Code::ReplyNone, "", "is empty"),
        (" \r\n\t", Code::ReplyNone, "", "is empty"),
        ("<think>a</think>\n", Code::ReplyNone, "", "nothing but thoughts"),
        ("<think>{\"output\": 1}", Code::ReplyNone, "", "not closed"),
        (r#"{"tool_calls": []}"#, Code::ReplyNone, "", "asks for nothing"),
        (r#"{"baton_patch": null}"#, Code::ReplyNone, "", "asks for nothing"),
        (r#"{"tool_calls": {"tool": "a"}, "output": 1}"#, Code::ReplyType, "/output", "exclude each other"),
        (
            r#"{"delegate": {"agent": "a", "intent": "b"}, "baton_patch": {}}"#,
            Code::ReplyType,
            "/baton_patch",
            "`delegate` and",
        ),
        (
            "<baton_patch>{}</baton_patch> {\"tool_calls\": {\"tool\": \"a\"}}",
            Code::ReplyType,
            "/baton_patch",
            "exclude",
        ),
        (r#"{"tool_calls": [{"tool": "a"}, 1]}"#, Code::ReplyType, "/tool_calls/1", "is a number"),
        (r#"{"tool_calls": "a"}"#, Code::ReplyType, "/tool_calls", "has to be a list"),
        (r#"{"tool_calls": [{"tool": 1}]}"#, Code::ReplyType, "/tool_calls/0/tool", "has to be a string"),
        (r#"{"tool_calls": [{"tool": " "}]}"#, Code::ReplyType, "/tool_calls/0/tool", "is empty"),
        (r#"{"tool_calls": [{"arguments": {}}]}"#, Code::ReplyType, "/tool_calls/0", "lacks the member `tool`"),
        (r#"{"tool_calls": {"tool": "a", "argument": 1}}"#, Code::ReplyType, "/tool_calls/argument", "`arguments`?"),
        (r#"{"delegate": [{"agent": "a"}]}"#, Code::ReplyType, "/delegate/0", "lacks the member `intent`"),
        (r#"{"output": 1, "text": 2}"#, Code::ReplyType, "/text", "is a number"),
        (r#"{"output": 1, "baton_patchs": {}}"#, Code::ReplyType, "/baton_patchs", "did you mean `baton_patch`?"),
        (r#"{"tool_call": {"tool": "a"}}"#, Code::ReplyType, "/tool_call", "did you mean `tool_calls`?"),
        (r#"so {"toolCalls": []}"#, Code::ReplyType, "/toolCalls", "did you mean `tool_calls`?"),
        (r#"{"output": 1, "agent": "Builder"}"#, Code::ReplyForeign, "/agent", "`Builder`"),
        (r#"{"output": 1, "request": "r-2"}"#, Code::ReplyForeign, "/request", "that of `r-1` is awaited"),
        ("{\"output\": 1} or\n{\"output\": 2}", Code::ReplyType, "", "at line 1, column 1; at line 2, column 1"),
        ("x\u{ffff}", Code::ReplyType, "", "noncharacter U+FFFF"),
    ] {
        refuses(text, code, at, words);
    }
}

#[test]
fn what_was_meant_as_json_is_read_strictly() {
    for (text, code, words) in [
        (r#"{"output": 1, "output": 2}"#, Code::JsonDuplicateName, "twice"),
        (r#"{"output": 12345678901234567890}"#, Code::JsonNumber, "write it as a string"),
        ("12345678901234567890", Code::JsonNumber, "write it as a string"),
        (r#"{"output": 1,}"#, Code::JsonSyntax, "trailing comma"),
        (r#"{"files": [1, 2"#, Code::JsonSyntax, "cut off"),
        (r#"[{"files": [1, 2"#, Code::JsonSyntax, "cut off"),
        (r#"so {"tool_calls": [{"tool": "a", "arg"#, Code::JsonSyntax, "line 1, column 4"),
        (r#"so {"tool_calls": [{'tool': "a"}]} it is"#, Code::JsonSyntax, "breaks off"),
        (r#"so {'tool_calls': [{"tool": "a"}]} it is"#, Code::JsonSyntax, "breaks off"),
        (r#"so {output: 1}"#, Code::JsonSyntax, "breaks off"),
        (r#"so {"a": x {"output": 1}} it is"#, Code::JsonSyntax, "breaks off"),
        (r#"so {"output": 1, "x": "\ud800"} it is"#, Code::JsonEncoding, "surrogate"),
    ] {
        let refusal = read(text).map(|reply| panic!("{text}\n{reply:?}")).unwrap_err();
        assert_eq!(refusal.code, code, "{text}\n{refusal}");
        assert!(refusal.detail.contains(words) && refusal.position.is_some(), "{text}\n{refusal}");
    }
    let deep = format!("{{\"output\": {}{}}}", "[".repeat(128), "]".repeat(128));
    assert_eq!(read(&deep).unwrap_err().code, Code::JsonDepth);
    assert_eq!(read(&format!("so {deep}")).unwrap_err().code, Code::JsonDepth);
    let small = Limits::default().with_bytes(5);
    assert_eq!(read_under("longer", &small).unwrap_err().code, Code::JsonSize);
    assert_eq!(read_under("short", &small).unwrap().output, Some(Value::string("short")));
}

#[test]
fn what_is_kept_is_read_back() {
    for text in [
        r#"{"tool_calls": [{"tool": "a", "arguments": null}, {"tool": "b"}], "delegate": {"agent": "c", "intent": "d", "input": null}}"#,
        r#"{"output": null, "baton_patch": {}}"#,
        "said",
    ] {
        let reply = reads(text);
        let kept = serde_json::to_string(&reply).unwrap();
        assert_eq!(serde_json::from_str::<Reply>(&kept).unwrap(), reply, "{kept}");
    }
    let (none, null) = (reads(r#"{"baton_patch": {}}"#), reads(r#"{"baton_patch": {}, "output": null}"#));
    assert_ne!(serde_json::to_string(&none).unwrap(), serde_json::to_string(&null).unwrap());
}

#[test]
fn floods_take_linear_time() {
    let limits = Limits::default().with_bytes(usize::MAX);
    let call = r#"{"tool_calls": {"tool": "a"}}"#;
    for piece in [
        "{",
        "[",
        "{\"output\":",
        "{\"output\": 1}",
        "{\"a\": x",
        "<think>",
        "```\n",
        "{tool_calls:",
        "\"",
        "{\"output\": \"",
        call,
    ] {
        let flood = piece.repeat(200_000 / piece.len());
        for text in [flood.clone(), format!("so {flood}"), format!("so {flood}{call}{flood}")] {
            let begun = text.len();
            let said = read_under(&text, &limits).map(|reply| reply.text.len());
            assert!(said.is_ok_and(|length| length == begun) || read_under(&text, &limits).is_err());
        }
    }
}

/// What texts are made of: everything that starts, ends or looks like something.
const PIECES: &[&str] = &[
    "word",
    " ",
    "\n",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    ":",
    ",",
    "```",
    "\n```json\n",
    "\n```\n",
    "~~~",
    "<think>",
    "</think>",
    "<baton_patch>",
    "</baton_patch>",
    "{\"a\": 1}",
    "{\"a\": [",
    "{\"a\": x",
    "{\"a\": \"",
    "// c",
    "/*",
    "*/",
    "\n```baton_patch\n",
    "{\"baton_patch\": {}}",
    "{\"output\": 1}",
    "\"output\": ",
    "{\"tool_calls\": ",
    "{\"tool\": \"a\"}",
    "{\"delegate\": {\"agent\": \"a\", \"intent\": \"b\"}}",
    "null",
    "1",
    "é",
    "\u{feff}",
    "\0",
    "{output: 1}",
];

proptest! {
    #[test]
    fn nothing_panics_and_every_refusal_can_be_shown(pieces in vec(select(PIECES), 0..14)) {
        let text = pieces.concat();
        match read(&text) {
            Ok(reply) => {
                prop_assert_eq!(&reply.text, &text);
                prop_assert!(!reply.is_final() || reply.output.is_some() || reply.patch.is_some());
                prop_assert!(reply.is_final() || reply.output.is_none() && reply.patch.is_none());
                let kept = serde_json::to_string(&reply).unwrap();
                prop_assert_eq!(serde_json::from_str::<Reply>(&kept).unwrap(), reply);
            }
            Err(refusal) => {
                prop_assert!(!refusal.detail.contains('\n'), "{}", refusal);
                prop_assert!(refusal.position.is_some_and(|at| at.offset <= text.len()));
            }
        }
    }

    #[test]
    fn calm_prose_hides_no_answer(
        before in "[a-z .,\n()<>;=#*_-]{0,40}", after in "[a-z .,\n()<>;=#*_-]{0,40}", fenced: bool,
    ) {
        let call = r#"{"tool_calls": [{"tool": "search"}]}"#;
        let call = if fenced { format!("\n```json\n{call}\n```\n") } else { call.to_owned() };
        let text = format!("x{}\n{call}\n{}", before.replace("<think", ""), after.replace("<think", ""));
        prop_assert_eq!(read(&text).unwrap().calls.len(), 1, "{}", text);
    }

    #[test]
    fn a_patch_that_extract_finds_is_told(pieces in vec(select(PIECES), 0..10)) {
        let text = format!("x {}", pieces.concat());
        if let (Ok(_), Ok(reply)) = (extract(&text, &Extraction::default()), read(&text)) {
            prop_assert_eq!(reply.patch, Some(text));
        }
    }
}

#[test]
fn what_is_quoted_is_not_answered() {
    let expected = Expected { agent: &Id::new("bob").unwrap(), request: "" };
    let read = |text: &str| Reply::read(text, &Limits::default(), &expected).unwrap();
    let quoted = read("It says:\n> {\"tool_calls\": [{\"tool\": \"t\"}]}\nI do not.");
    assert!(quoted.calls.is_empty());
    assert!(quoted.output.unwrap().as_str().unwrap().contains("I do not"));
    let own = read("> {\"output\": 1}\r\n  > {\"output\": 2} {\"output\": 3}\nMine: {\"output\": 4}");
    assert_eq!(own.output.unwrap().as_u64(), Some(4));
}
