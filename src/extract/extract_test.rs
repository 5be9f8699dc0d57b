#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use super::{Extraction, extract};
use crate::refusal::{Code, Refusal};

const PATCH: &str = r#"{"current_state": ["Login built"]}"#;

fn plain() -> Extraction<'static> {
    Extraction::default()
}

fn nonce() -> Extraction<'static> {
    Extraction { nonce: Some("k7Qx"), ..plain() }
}

fn repairing() -> Extraction<'static> {
    Extraction { repair: true, ..plain() }
}

/// `text` with `§` for the patch.
fn filled(text: &str) -> String {
    text.replace('§', PATCH)
}

#[track_caller]
fn holds_under(how: &Extraction<'_>, text: &str, patch: &str) {
    let found = extract(text, how).unwrap_or_else(|refused| panic!("{text}\n{refused}"));
    assert_eq!(found.json(), patch, "{text}");
    assert_eq!(text.get(found.offset()..found.offset() + patch.len()), Some(patch), "{text}");
}

/// The text, with `§` for the patch, holds just that.
#[track_caller]
fn holds(text: &str) {
    holds_under(&plain(), &filled(text), PATCH);
}

#[track_caller]
fn first_refusal(how: &Extraction<'_>, text: &str) -> Refusal {
    match extract(text, how) {
        Ok(found) => panic!("{text}\nholds {}", found.json()),
        Err(refused) => {
            for refusal in refused.refusals() {
                assert!(!refusal.detail.contains('\n') && !refusal.detail.ends_with('.'), "{refusal}");
            }
            refused.refusals()[0].clone()
        }
    }
}

/// The text, with `§` for the patch, is refused with `code` at `place` (line:column) and with `words` in the detail.
#[track_caller]
fn refuses_under(how: &Extraction<'_>, text: &str, code: Code, place: &str, words: &str) {
    let text = filled(text);
    let refusal = first_refusal(how, &text);
    let at = refusal.position.map_or_else(String::new, |at| format!("{}:{}", at.line, at.column));
    assert_eq!((refusal.code, at.as_str()), (code, place), "{text}\n{refusal}");
    assert!(refusal.detail.contains(words), "{text}\n{refusal}");
}

#[track_caller]
fn refuses(text: &str, code: Code, place: &str, words: &str) {
    refuses_under(&plain(), text, code, place, words);
}

mod carriers {
    use super::*;

    #[test]
    fn a_bare_patch() {
        holds("§");
        holds("\n  §\r\n\n");
    }

    #[test]
    fn an_empty_patch() {
        holds_under(&plain(), "{}", "{}");
        holds_under(&plain(), r#"{"baton_patch":{}}"#, "{}");
    }

    #[test]
    fn an_object_with_the_member() {
        holds(r#"{"baton_patch": §}"#);
        holds(r#"{"thoughts": {"a": [1, {}]}, "baton_patch": § , "done": true}"#);
    }

    #[test]
    fn the_member_written_with_escapes() {
        holds(r#"{"baton\u005fpatch": §}"#);
        holds(r#"so: {"\u0062aton_patch": §} yes"#);
    }

    #[test]
    fn an_object_in_prose() {
        holds("Done. {\"baton_patch\": §} Hope this helps!");
        holds("{\"baton_patch\": §} Hope this helps!");
        holds("I did it{\"baton_patch\": §}.");
    }

    #[test]
    fn an_object_in_a_fence() {
        holds("Done.\n\n```json\n{\"baton_patch\": §}\n```\nLet me know.");
        holds("```\n{\"baton_patch\": §}\n```");
        holds("~~~\n{\"baton_patch\": §}\n~~~");
        holds("text\n````json\n{\"baton_patch\": §}\n````\n");
    }

    #[test]
    fn a_labelled_fence() {
        holds("Done:\n```baton_patch\n§\n```\n");
        holds("```json baton_patch\n§\n```\n");
        holds("```baton_patch json\n§\n```\n");
        holds("``` {.json .baton_patch}\n§\n```\n");
        holds("```json,baton_patch\n§\n```\n");
        holds("```baton_patch\n{\"baton_patch\": §}\n```\n");
        holds("~~~~ baton_patch\n§\n~~~~\n");
        holds("````baton_patch\n§\n`````");
    }

    #[test]
    fn a_labelled_fence_in_a_list() {
        holds("1. First\n\n   ```baton_patch\n   §\n   ```\n2. Second");
        holds("- x\n\t```baton_patch\n\t§\n\t```\n");
    }

    #[test]
    fn a_tag() {
        holds("Fine.\n<baton_patch>§</baton_patch>\n");
        holds("<baton_patch>\n  §\n</baton_patch>");
        holds("<baton_patch>{\"baton_patch\": §}</baton_patch>");
        holds("<baton_patch >§</baton_patch\n>");
        holds("<baton_patch version=\"1\">§</baton_patch>");
    }

    #[test]
    fn a_tag_with_a_fence_in_it() {
        holds("<baton_patch>\n```json\n§\n```\n</baton_patch>");
        holds("<baton_patch>```\n§\n```</baton_patch>");
        holds("<baton_patch>\n~~~\n{\"baton_patch\": §}\n~~~\n</baton_patch>");
    }

    #[test]
    fn a_tag_in_a_fence() {
        holds("```xml\n<baton_patch>§</baton_patch>\n```");
        holds("```baton_patch\n<baton_patch>\n§\n</baton_patch>\n```");
    }

    #[test]
    fn other_tags_around() {
        holds("<answer>\n<baton_patch>§</baton_patch>\n</answer>");
        holds("<answer>{\"baton_patch\": §}</answer>");
        holds("<output format=\"json\"><![CDATA[{\"baton_patch\": §}]]></output>");
        holds("<baton_patch><![CDATA[\n§\n]]></baton_patch>");
    }

    #[test]
    fn line_ends_of_any_kind() {
        holds("Done.\r\n\r\n```json baton_patch\r\n§\r\n```\r\nbye\r\n");
        holds("<baton_patch>\r\n```\r\n§\r\n```\r\n</baton_patch>\r\n");
        holds("x\r\n{\"baton_patch\":\r\n§\r\n}\r\n");
    }

    #[test]
    fn spaces_in_the_patch_are_kept() {
        let patch = "{\n\t\"current_state\" : [ \"a\" ,\r\n \"b\" ]\n}";
        holds_under(&plain(), &format!("x {{ \"baton_patch\" :  {patch}  }} y"), patch);
    }
}

mod prose {
    use super::*;

    #[test]
    fn braces_and_quotes() {
        holds("use {x} or {\"y\" and \"z} or }{ or {{{ or \"{\n{\"baton_patch\": §}");
        holds("format!(\"{}\", a[0]) }}}} ]] {\"baton_patch\": §} {");
        holds("a { b\n{\"baton_patch\": §}\n} c");
        holds("{\"baton_patch\": §} and then {");
        holds("he said \"{\"baton_patch\": §}\" aloud");
        holds("set {\"a\": …} first\n{\"baton_patch\": §}");
        holds("set {\"a\": 1, …} first\n<baton_patch>§</baton_patch>");
        holds("{\"unclosed key\n<baton_patch>§</baton_patch>");
        holds("{\"unclosed\": \"text\n<baton_patch>§</baton_patch>");
    }

    #[test]
    fn brackets() {
        holds("[link](http://x/[1]) [ ] todo [\"x\" [[[ or {\"baton_patch\": §} ]]");
        holds("[see {\"baton_patch\": §}]");
    }

    #[test]
    fn angle_brackets() {
        holds("a < b, Vec<u8>, <br/>, </think>, <<<, <! {\"baton_patch\": §}");
        holds("<thinker>{\"baton_patch\": §}");
    }

    #[test]
    fn html_comments() {
        holds("<!-- note -->\n<baton_patch>§</baton_patch>\n<!-- end -->");
    }

    #[test]
    fn backticks() {
        holds("run `ls` and ``a`b`` and ```x``` then\n{\"baton_patch\": §}");
        holds("`{\"baton_patch\": §}`");
        holds("```rust\nfn main() { let a = \"{\"; }\n```\n\n```baton_patch\n§\n```");
        holds("``` `\n{\"baton_patch\": §}");
    }

    #[test]
    fn code_with_objects() {
        holds("```js\nfoo({ \"a\": bar(), b: { c: 1 } });\n```\n<baton_patch>§</baton_patch>");
        holds("```json\n{\"a\": 1, \"b\": {\"c\": [1, 2]}}\n```\n```json\n{\"baton_patch\": §}\n```");
        holds(
            "```\n{\"level\":\"info\",\"msg\":\"cut of\n{\"level\":\"info\",\"msg\":\"cut\n```\n{\"baton_patch\": §}",
        );
    }

    #[test]
    fn logs_that_are_cut_off() {
        let logs = "{\"level\":\"info\",\"msg\":\"it was {\n".repeat(100);
        holds(&format!("{logs}\n{{\"baton_patch\": §}}\n{logs}"));
    }

    #[test]
    fn a_tag_that_is_only_named() {
        holds("I answer in a <baton_patch> tag.\n<baton_patch>§</baton_patch>");
        holds("I answer in <baton_patch>: {\"baton_patch\": §}");
        holds("use <baton_patch/> {\"baton_patch\": §}");
    }

    #[test]
    fn odd_characters() {
        holds("\u{feff}Done {\"baton_patch\": §}");
        holds("Done \u{feff} here \u{0} {\"baton_patch\": §} \u{0}");
        holds("🙂🙂 \u{202e}אבג\u{202c} 日本 {\"baton_patch\": §} 🙂");
        holds("\u{85}\u{2028}<baton_patch>\u{a0}§\u{2003}</baton_patch>");
    }

    #[test]
    fn a_very_long_line() {
        let prose = "word {x} ".repeat(20_000);
        holds(&format!("{prose}{{\"baton_patch\": §}}{prose}"));
    }

    #[test]
    fn a_fence_that_is_not_closed_before() {
        holds("```\nlog\nlog\n\n{\"baton_patch\": §}");
        holds("~~~\n```json\n{\"baton_patch\": §}\n```\n");
    }

    #[test]
    fn an_empty_fence() {
        holds("```\n```\n```json\n```\n{\"baton_patch\": §}");
    }
}

mod strings {
    use super::*;

    const OTHER: &str = r#"<baton_patch>{}</baton_patch>"#;

    #[test]
    fn a_tag_in_a_string_is_data() {
        holds(&format!("{{\"page\": \"{OTHER}\"}}\n{{\"baton_patch\": §}}"));
        holds(&format!("{{\"page\": \"{OTHER}\", \"baton_patch\": §}}"));
        holds(&format!("```json\n{{\"page\": [\"{OTHER}\"]}}\n```\n<baton_patch>§</baton_patch>"));
        holds(&format!("[\"{OTHER}\", \"{OTHER}\"]\n<baton_patch>§</baton_patch>"));
    }

    #[test]
    fn an_object_in_a_string_is_data() {
        holds(r#"{"page": "{\"baton_patch\": {}}"} {"baton_patch": §}"#);
    }

    #[test]
    fn a_thought_in_a_string_is_data() {
        holds("{\"page\": \"<think>\"}\n{\"baton_patch\": §}");
    }

    #[test]
    fn a_closing_tag_in_a_string_does_not_close() {
        let patch = r#"{"current_state": ["</baton_patch> \"</baton_patch>", "```"]}"#;
        holds_under(&plain(), &format!("<baton_patch>{patch}</baton_patch>"), patch);
        let quoting = r#"{"current_state": ["<baton_patch>{}</baton_patch>"]}"#;
        holds_under(&plain(), &format!("<baton_patch>\n```\n{quoting}\n```\n</baton_patch>"), quoting);
    }

    #[test]
    fn a_fence_in_a_string_does_not_close() {
        let patch = r#"{"current_state": ["\n```\n", "```", "~~~ {"]}"#;
        holds_under(&plain(), &format!("```baton_patch\n{patch}\n```"), patch);
        holds_under(&plain(), &format!("<baton_patch>\n```\n{patch}\n```\n</baton_patch>"), patch);
    }

    #[test]
    fn a_patch_in_the_patch_is_data() {
        let patch =
            r#"{"current_state": ["<baton_patch>{}</baton_patch> <think>"], "baton_patches": {"baton_patch": {}}}"#;
        holds_under(&plain(), &format!("{{\"baton_patch\": {patch}}}"), patch);
        holds_under(&plain(), &format!("x <baton_patch>{patch}</baton_patch>"), patch);
    }
}

mod thoughts {
    use super::*;

    #[test]
    fn what_is_thought_does_not_count() {
        holds("<think>maybe {x} or {\"baton_patch\": {}}</think>{\"baton_patch\": §}");
        holds("<THINKING>\n```baton_patch\n{}\n```\n<baton_patch>{}</baton_patch></Thinking>\n```baton_patch\n§\n```");
        holds("{\"baton_patch\": §}\n<think>{\"baton_patch\": {}}</think >");
    }

    #[test]
    fn thoughts_nest() {
        holds("<think>a <think>b</think> {\"baton_patch\": {}} </think>{\"baton_patch\": §}");
        holds("<think>a <thinking>b</think>{\"baton_patch\": §}");
    }

    #[test]
    fn a_thought_before_a_bare_patch() {
        holds("<think>so {\"a\": 1}</think>\n\n§");
        holds("<think></think><thinking>x</thinking>§\n");
    }

    #[test]
    fn a_fence_right_after_a_thought() {
        holds("<think>x</think>```baton_patch\n§\n```");
    }

    #[test]
    fn a_closing_tag_in_a_string_ends_no_thought() {
        holds("<think>{\"a\": \"</think><baton_patch>{}</baton_patch>\"}</think>{\"baton_patch\": §}");
        holds("<think>so {\"a\": \"b</think>\n{\"baton_patch\": §}");
        holds("<think>so [1] {x} [\"a</think>{\"baton_patch\": §}");
    }

    #[test]
    fn a_stray_end_changes_nothing() {
        holds("{\"baton_patch\": §}\n</think>\nbye");
        holds("a </think> {\"baton_patch\": §}");
    }

    #[test]
    fn a_tag_in_code_is_no_thought() {
        holds("```\nif text.contains(\"<think>\") {}\n```\n{\"baton_patch\": §}");
    }

    #[test]
    fn only_thought() {
        refuses(
            "<think>{\"baton_patch\": §}</think> done",
            Code::PatchNone,
            "1:1",
            "only `baton_patch` stands in the block of thinking",
        );
        refuses("```\n<think>{\"baton_patch\": §}</think>\n```", Code::PatchNone, "2:1", "block of thinking");
        refuses("```\n<think><think>{\"baton_patch\": §}</think>\n```", Code::PatchNone, "2:1", "block of thinking");
    }

    #[test]
    fn a_thought_that_does_not_end() {
        refuses("Hm.\n<think> so {\"baton_patch\": §}", Code::PatchNone, "2:1", "not closed");
        refuses("<think>a<think>b</think>\n{\"baton_patch\": §}", Code::PatchNone, "1:1", "not closed");
    }
}

mod several {
    use super::*;

    #[test]
    fn two_different() {
        let text = "```json\n{\"baton_patch\":{\"current_state\":[\"A\"]}}\n```\n```json\n{\"baton_patch\":{\"current_state\":[\"B\"]}}\n```";
        refuses(
            text,
            Code::PatchSeveral,
            "2:16",
            "2 different patches: at line 2, column 16; at line 5, column 16; send exactly one",
        );
        refuses(
            "<baton_patch>{}</baton_patch> {\"baton_patch\": §}",
            Code::PatchSeveral,
            "1:14",
            "at line 1, column 47",
        );
        refuses(
            "```baton_patch\n{}\n```\n<baton_patch>§</baton_patch>",
            Code::PatchSeveral,
            "2:1",
            "at line 4, column 14",
        );
        refuses(
            "{\"baton_patch\":{\"a\":1}}{\"baton_patch\":{\"a\":\"1\"}}",
            Code::PatchSeveral,
            "1:16",
            "2 different",
        );
    }

    #[test]
    fn a_quoted_page_and_the_answer() {
        refuses(
            "The page said:\n> <baton_patch>{}</baton_patch>\n\n{\"baton_patch\": §}",
            Code::PatchSeveral,
            "2:16",
            "2 different",
        );
    }

    #[test]
    fn the_same_twice_is_one() {
        let text = filled("{\"baton_patch\": §} as I said <baton_patch>§</baton_patch>");
        holds_under(&plain(), &text, PATCH);
        let first = "{\"a\": 1, \"b\": [true, {\"c\": \"\u{e9}\"}]}";
        let again = r#"<baton_patch>{"b":[true,{"c":"\u00e9"}],"a":1}</baton_patch>"#;
        holds_under(&plain(), &format!("{{\"baton_patch\": {first}}} {again}"), first);
    }

    #[test]
    fn very_many() {
        let text: String = (0..1000).map(|one| format!("{{\"baton_patch\":{{\"a\":{one}}}}}\n")).collect();
        refuses(&text, Code::PatchSeveral, "1:16", "8 or more different patches");
    }
}

mod beside {
    use super::*;

    #[track_caller]
    fn names(text: &str, names: &[&str]) {
        let text = filled(text);
        let found = extract(&text, &plain()).unwrap_or_else(|refused| panic!("{text}\n{refused}"));
        assert_eq!(found.beside(), names, "{text}");
    }

    #[test]
    fn other_members_are_told() {
        names("§", &[]);
        names("{\"baton_patch\": §}", &[]);
        names("{\"thoughts\": {\"goal\": 1}, \"baton_patch\": §, \"done\": true}", &["thoughts", "done"]);
        names("<baton_patch>{\"baton_patch\": §, \"id\": 7}</baton_patch>", &["id"]);
        names("x {\"baton_patch\": §, \"a\": 1} {\"b\": 1, \"a\": 2, \"baton_patch\": §}", &["a", "b"]);
    }

    #[test]
    fn a_field_is_refused() {
        for field in [
            "goal",
            "current_state",
            "decision_log",
            "constraints",
            "open_questions",
            "work_scope",
            "artifacts",
            "acceptance",
            "decisionLog",
            "Decision-Log",
            "OPEN QUESTIONS",
            "constraint",
            "decisions",
            "acceptance_criteria",
            "decision\\u005flog",
        ] {
            let shown = field.replace("\\u005f", "_");
            let words = format!("holds a patch and `{shown}` beside it: put everything into `baton_patch`");
            let text = format!("x {{\"a\": 1, \"{field}\": 1, \"baton_patch\": §}}");
            let place = format!("1:{}", 16 + field.chars().count());
            refuses(&text, Code::PatchSeveral, &place, &words);
        }
        refuses("{\"baton_patch\": §,\n\"goal\": \"x\"}", Code::PatchSeveral, "2:9", "`goal`");
        refuses_under(
            &nonce(),
            "{\"baton_patch:k7Qx\": {},\n\"goal\": \"x\"}",
            Code::PatchSeveral,
            "2:9",
            "put everything into `baton_patch`",
        );
    }

    #[test]
    fn names_that_are_far_from_every_field() {
        names(
            "{\"baton_patch\": §, \"goals_met\": 1, \"state\": 2, \"log\": 3, \"é\": 4, \"\": 5}",
            &["goals_met", "state", "log", "é", ""],
        );
    }

    #[test]
    fn a_patch_wrapped_twice() {
        refuses("{\"baton_patch\": {\"baton_patch\": §}}", Code::PatchSeveral, "1:17", "wrap it once");
        refuses(
            "<baton_patch>{\"baton_patch\": {\"baton_patch\": §}}</baton_patch>",
            Code::PatchSeveral,
            "1:30",
            "once",
        );
        refuses("x {\"baton_patch\": {\"baton_patch:k\": §}}", Code::PatchSeveral, "1:19", "has itself a member");
        let text = "{\"baton_patch:k7Qx\": {\"a\": 1, \"baton_patch\": §}}";
        refuses_under(&nonce(), text, Code::PatchSeveral, "1:22", "once");
    }
}

mod envelopes {
    use super::*;

    #[test]
    fn an_object_around_a_patch() {
        let none = Code::PatchNone;
        let words = "an envelope around a `baton_patch`: hand over its inner text or value";
        refuses("{\"out\": {\"baton_patch\": §}}", none, "1:11", words);
        refuses("{\"name\": \"baton_patch\", \"arguments\": §}", none, "1:11", words);
        refuses("{\"role\": \"assistant\",\n\"content\": \"x {\\\"baton_patch\\\": {}}\"}", none, "2:18", words);
        refuses(
            "{\"choices\": [{\"message\": {\"content\": \"<baton_patch>{}</baton_patch>\"}}]}",
            none,
            "1:40",
            words,
        );
        refuses("{\"artifacts\": [], \"output\": {\"baton_patch\": §}}", none, "1:31", words);
        refuses("<think>x</think>{\"out\": {\"baton_patch:k\": §}}", none, "1:27", words);
    }

    #[test]
    fn a_patch_that_speaks_of_patches() {
        for text in [
            r#"{"current_state": ["The baton_patch is documented", "<baton_patch>{}</baton_patch>"]}"#,
            r#"{"goal": "Write {\"baton_patch\": {}}", "notes": {"a": 1}}"#,
            r#"{"notes": {"a": {"name": "patch"}}}"#,
        ] {
            holds_under(&plain(), text, text);
        }
    }
}

mod garbled {
    use super::*;

    #[test]
    fn a_text_that_was_meant_as_json() {
        for (text, place) in [
            ("{", "1:2"),
            ("{'current_state':['a']}", "1:2"),
            ("{current_state:[\"a\"]}", "1:2"),
            ("{ current_state : [\"a\"]", "1:3"),
            ("[1,", "1:4"),
            ("[{\"a\": 1} oops]", "1:11"),
            ("nul", "1:1"),
            ("§}", "1:35"),
            ("\n§,\n", "2:35"),
            ("§ {\"b\": 1}", "1:36"),
            ("[1]]", "1:4"),
            ("\"a", "1:1"),
            ("{\"a\": 1, oops", "1:10"),
            ("{\"a\" 1} and so on", "1:6"),
            ("<think>x</think>\n{'a': 1}", "2:2"),
            ("{x: 1}", "1:2"),
        ] {
            refuses(text, Code::JsonSyntax, place, "");
        }
        refuses_under(&repairing(), "§} // why", Code::JsonSyntax, "1:35", "");
    }

    #[test]
    fn prose_that_starts_with_a_bracket() {
        for text in [
            "{x} or {y}",
            "[x] done",
            "[1 of 3] done",
            "[link](http://x) is it",
            "\"Done\", he said",
            "\"Do\nne",
            "not yet",
            "§ Bye",
        ] {
            let refusal = first_refusal(&plain(), &filled(text));
            assert_eq!(refusal.code, Code::PatchNone, "{text}\n{refusal}");
        }
    }

    #[test]
    fn with_a_nonce_it_is_no_patch() {
        refuses_under(&nonce(), "{'a': 1}", Code::PatchNone, "1:1", "holds no patch");
        refuses_under(&nonce(), "§}", Code::PatchNone, "1:1", "no member `baton_patch:NONCE`");
    }
}

mod none {
    use super::*;

    #[test]
    fn an_empty_text() {
        refuses("", Code::PatchNone, "", "the text is empty; answer with {\"baton_patch\": {...}}");
        refuses(" \n\t\n", Code::PatchNone, "", "empty");
    }

    #[test]
    fn prose_only() {
        refuses("I could not do it.", Code::PatchNone, "", "holds no patch; answer with");
        refuses("{x} or {", Code::PatchNone, "1:1", "holds no patch");
        refuses("I did it\n{", Code::PatchNone, "2:1", "holds no patch");
    }

    #[test]
    fn an_object_without_the_member() {
        refuses(
            "Done.\n\n```json\n§\n```",
            Code::PatchNone,
            "4:1",
            "the JSON object has no member `baton_patch`; answer with",
        );
        refuses("Done: §", Code::PatchNone, "1:7", "no member");
        refuses("§ Hope this helps!", Code::PatchNone, "1:1", "no member");
    }

    #[test]
    fn an_echoed_schema() {
        let schema = r#"{"type": "object", "properties": {"baton_patch": {"type": "object"}}}"#;
        refuses(&format!("Schema: {schema}"), Code::PatchNone, "1:9", "only further inside");
        holds(&format!("Schema:\n{schema}\nAnswer:\n{{\"baton_patch\": §}}"));
    }

    #[test]
    fn inside_an_array() {
        refuses("Answer: [{\"baton_patch\": §}]", Code::PatchNone, "1:9", "only further inside");
    }

    #[test]
    fn a_labelled_fence_in_another_block() {
        refuses(
            "````markdown\n```baton_patch\n§\n```\n````",
            Code::PatchNone,
            "2:1",
            "stands inside the block that starts at line 1, column 1",
        );
        refuses("```\nlog\n\n```baton_patch\n§\n```\n", Code::PatchNone, "4:1", "close that one first");
    }

    #[test]
    fn a_tag_or_fence_that_is_not_closed() {
        refuses("x\n<baton_patch>§", Code::PatchNone, "2:1", "the tag `<baton_patch>` is not closed");
        refuses("x\n```baton_patch\n§\n", Code::PatchNone, "2:1", "the fence labelled `baton_patch` is not closed");
        refuses("x\n```baton_patch\n§\n``\n", Code::PatchNone, "2:1", "not closed");
        refuses("<baton_patch>§ {\"baton_patch\": §}", Code::PatchNone, "1:1", "not closed");
    }

    #[test]
    fn a_tag_with_nothing_after_it() {
        refuses("I would use <baton_patch> here", Code::PatchNone, "1:13", "has no JSON after it");
    }

    #[test]
    fn a_member_without_an_object() {
        refuses("\"baton_patch\": §", Code::PatchNone, "1:2", "stands in no JSON object");
    }

    #[test]
    fn an_object_that_is_cut_off_early() {
        refuses("Here:\n```json\n{\"note\": \"x\", \"baton_pa", Code::PatchNone, "3:1", "cut off before any member");
    }
}

mod kinds {
    use super::*;

    #[test]
    fn a_patch_that_is_no_object() {
        refuses(
            "{\"baton_patch\": [1]}",
            Code::PatchNotObject,
            "1:17",
            "the patch is an array, and has to be a JSON object",
        );
        refuses("x {\"baton_patch\": \"{}\"}", Code::PatchNotObject, "1:19", "a string");
        refuses("{\"baton_patch\": null}", Code::PatchNotObject, "1:17", "null");
        refuses("<baton_patch>[§]</baton_patch>", Code::PatchNotObject, "1:14", "an array");
        refuses("```baton_patch\ntrue\n```", Code::PatchNotObject, "2:1", "a boolean");
    }

    #[test]
    fn a_text_that_is_no_object() {
        refuses(" [{\"baton_patch\": §}]", Code::PatchNotObject, "1:2", "an array");
        refuses("\"{\\\"baton_patch\\\": {}}\"", Code::PatchNotObject, "1:1", "a string");
        refuses("null", Code::PatchNotObject, "1:1", "null");
        refuses("42", Code::PatchNotObject, "1:1", "a number");
    }
}

mod faults {
    use super::*;

    #[test]
    fn a_trailing_comma() {
        refuses("{\"current_state\": [\"x\"],}", Code::JsonSyntax, "1:25", "");
        refuses("é {\"baton_patch\": {\"a\": 1,}}", Code::JsonSyntax, "1:27", "");
        refuses("a\n```baton_patch\n{\"a\": [1,]}\n```", Code::JsonSyntax, "3:10", "");
        refuses("<baton_patch>{\"a\": 1,}</baton_patch>", Code::JsonSyntax, "1:22", "");
    }

    #[test]
    fn comments() {
        refuses("{\"baton_patch\": {\"a\": 1 // one\n}}", Code::JsonSyntax, "1:25", "");
        refuses("{ /* c */ \"baton_patch\": {}}", Code::JsonSyntax, "1:3", "");
    }

    #[test]
    fn foreign_spellings() {
        refuses("{'baton_patch': {'a': 1}}", Code::JsonSyntax, "1:2", "");
        refuses("x {baton_patch: {a: 1}}", Code::JsonSyntax, "1:4", "");
        refuses("{\"baton_patch\": {\"a\": None}}", Code::JsonSyntax, "1:23", "");
        refuses("x {\"baton_patch\": {\"a\": 'b'}}", Code::JsonSyntax, "1:25", "");
        refuses("{\"baton_patch\": ...}", Code::JsonSyntax, "1:17", "");
    }

    #[test]
    fn a_line_end_in_a_string() {
        refuses("x {\"baton_patch\": {\"a\": \"b\nc\"}}", Code::JsonSyntax, "1:27", "");
        refuses("x {\"note\": \"b\nc\", \"baton_patch\": §}", Code::JsonSyntax, "1:14", "");
    }

    #[test]
    fn quotes_that_are_not_escaped() {
        refuses("{\"baton_patch\": {\"a\": \"say \"hi\" now\"}}", Code::JsonSyntax, "1:29", "");
    }

    #[test]
    fn a_broken_object_before_another_candidate() {
        refuses("{\"baton_patch\": {\"a\": oops}} {\"baton_patch\": §}", Code::JsonSyntax, "1:23", "");
        refuses("<baton_patch>nothing</baton_patch> {\"baton_patch\": §}", Code::JsonSyntax, "1:14", "");
        refuses("{\"baton_patch\": §} {\"baton_patch\": {\"a\" 1}}", Code::JsonSyntax, "1:74", "");
    }

    #[test]
    fn the_member_after_the_break() {
        refuses("x {\"a\": oops, \"baton_patch\": §} y", Code::JsonSyntax, "1:9", "breaks off here");
    }

    #[test]
    fn a_patch_inside_a_broken_object() {
        refuses("x {\"a\": oops, \"b\": {\"baton_patch\": §}} y", Code::JsonSyntax, "1:9", "on its own");
        refuses("[1, {\"baton_patch\": §} oops]", Code::JsonSyntax, "1:57", "on its own");
        refuses("x {\"a\": {\"baton_patch\": §}, oops} y", Code::JsonSyntax, "1:62", "on its own");
        refuses("x {\"a\": \"he said <baton_patch>{\"b\": 1}</baton_patch>\"} y", Code::JsonSyntax, "1:33", "");
        refuses(
            "{\"type\": \"object\", ..., \"properties\": {\"baton_patch\": {\"type\": \"object\"}}}\n{\"baton_patch\": §}",
            Code::JsonSyntax,
            "1:20",
            "on its own",
        );
    }

    #[test]
    fn text_that_is_cut_off() {
        refuses(
            "Here:\n{\"baton_patch\": {\"a\": [\"b\", \"c",
            Code::JsonSyntax,
            "2:31",
            "the patch that starts at line 2, column 1 is cut off",
        );
        refuses("{\"current_state\": [\"a\"", Code::JsonSyntax, "1:23", "cut off");
        refuses("```json\n{\"baton_patch\": {\"a\":\n```", Code::JsonSyntax, "3:1", "cut off");
        refuses("<baton_patch>{\"a\": 1", Code::JsonSyntax, "1:21", "cut off");
        refuses("<baton_patch>{\"a\": [1, 2}</baton_patch>", Code::JsonSyntax, "1:25", "");
        refuses("```baton_patch\n{\"a\": \"", Code::JsonSyntax, "2:8", "cut off");
        refuses("```baton_patch\n{\"a\": \"b\n```\n", Code::JsonSyntax, "2:9", "");
    }

    #[test]
    fn text_after_the_patch() {
        refuses("<baton_patch>{} thanks</baton_patch>", Code::JsonSyntax, "1:17", "");
        refuses("```baton_patch\n{}\n{}\n```", Code::JsonSyntax, "3:1", "");
    }

    #[test]
    fn nothing_in_it() {
        refuses("x <baton_patch></baton_patch>", Code::JsonEmpty, "1:16", "");
        refuses("```baton_patch\n```", Code::JsonEmpty, "2:1", "");
    }

    #[test]
    fn two_members_of_one_name() {
        refuses("{\"baton_patch\": {}, \"baton\\u005fpatch\": {\"a\": 1}}", Code::JsonDuplicateName, "1:21", "");
        refuses("x {\"baton_patch\": {\"a\": 1, \"a\": 2}}", Code::JsonDuplicateName, "1:28", "");
        refuses("x {\"n\": 1, \"n\": 2, \"baton_patch\": {}}", Code::JsonDuplicateName, "1:12", "");
    }

    #[test]
    fn limits() {
        let deep = format!("x {{\"baton_patch\": {{\"a\": {}{}}}}}", "[".repeat(500), "]".repeat(500));
        refuses(&deep, Code::JsonDepth, "1:151", "");
        let long = format!("x {{\"baton_patch\": {{\"a\": \"{}\"}}}}", "y".repeat(1 << 20));
        refuses(&long, Code::JsonSize, "1:3", "");
        refuses("x {\"baton_patch\": {\"a\": 9007199254740993}}", Code::JsonNumber, "1:25", "");
    }

    #[test]
    fn pointers_are_in_the_patch() {
        let refusal = first_refusal(&plain(), "x {\"baton_patch\": {\"a\": [0, 9007199254740993]}}");
        assert_eq!(refusal.at, "/a/1");
        let refusal = first_refusal(&plain(), "{\"a\": [0, 9007199254740993]}");
        assert_eq!(refusal.at, "/a/1");
    }

    #[test]
    fn several_faults_are_reported_together() {
        let refused = extract("<baton_patch>{,}</baton_patch> <baton_patch>[}</baton_patch>", &plain()).unwrap_err();
        assert_eq!(refused.refusals().len(), 2);
    }

    #[test]
    fn a_mark_of_byte_order_at_the_start() {
        refuses("\u{feff}§", Code::JsonEncoding, "1:1", "");
    }
}

mod nonces {
    use super::*;

    #[test]
    fn the_name_with_the_nonce_counts() {
        for text in [
            "{\"baton_patch:k7Qx\": §}",
            "x {\"baton_patch:k7Qx\": §} y",
            "<baton_patch:k7Qx>§</baton_patch:k7Qx>",
            "```json baton_patch:k7Qx\n§\n```",
            "{\"baton_patch\": {}} <baton_patch>{}</baton_patch> <baton_patch:other>{}</baton_patch:other> {\"baton_patch:k7Qx\": §}",
            "<baton_patch>{\"baton_patch:k7Qx\": §}</baton_patch>",
            "{\"baton_patch\": {\"a\": oops}} {\"baton_patch:k7Qx\": §}",
        ] {
            holds_under(&nonce(), &filled(text), PATCH);
        }
    }

    #[test]
    fn other_names_do_not() {
        let none = Code::PatchNone;
        refuses_under(
            &nonce(),
            "x {\"baton_patch\": §}",
            none,
            "1:4",
            "does not bear the nonce; answer with {\"baton_patch:NONCE\"",
        );
        refuses_under(&nonce(), "{\"baton_patch\": §}", none, "1:2", "does not bear the nonce");
        refuses_under(&nonce(), "<baton_patch>§</baton_patch>", none, "1:1", "does not bear the nonce");
        refuses_under(&nonce(), "```baton_patch\n§\n```", none, "1:1", "does not bear the nonce");
        refuses_under(&nonce(), "{\"baton_patch:k7Qxx\": §}", none, "1:2", "does not bear the nonce");
        refuses_under(&nonce(), "{\"baton_patch:K7QX\": §}", none, "1:2", "does not bear the nonce");
        refuses_under(&nonce(), "<baton_patch:k7Qxx>§</baton_patch:k7Qxx>", none, "1:1", "does not bear the nonce");
    }

    #[test]
    fn a_bare_patch_does_not() {
        refuses_under(&nonce(), "§", Code::PatchNone, "1:1", "has no member");
        refuses_under(&nonce(), "{\"a\": 1,}", Code::PatchNone, "1:1", "no member");
    }

    #[test]
    fn a_nonce_where_none_is_given() {
        refuses("{\"baton_patch:k7Qx\": §}", Code::PatchNone, "1:2", "bears a nonce, and none is expected");
        refuses("<baton_patch:k7Qx>§</baton_patch:k7Qx>", Code::PatchNone, "1:1", "bears a nonce");
        refuses("```baton_patch:k7Qx\n§\n```", Code::PatchNone, "1:1", "bears a nonce");
    }

    #[test]
    fn a_tag_and_a_member_that_differ() {
        let text = "<baton_patch:k7Qx>{\"baton_patch\": §}</baton_patch:k7Qx>";
        refuses_under(&nonce(), text, Code::PatchNone, "1:20", "does not bear the nonce");
        refuses("<baton_patch>{\"baton_patch:k7Qx\": §}</baton_patch>", Code::PatchNone, "1:15", "nonce");
    }

    #[test]
    fn a_closing_tag_without_it_does_not_close() {
        let words = "the tag that bears the nonce is not closed with the nonce: close it with `</baton_patch:NONCE>`";
        refuses_under(&nonce(), "<baton_patch:k7Qx>§</baton_patch>", Code::PatchNone, "1:1", words);
        refuses_under(&nonce(), "x <baton_patch:k7Qx>§", Code::PatchNone, "1:3", words);
    }

    #[test]
    fn no_message_tells_it() {
        for text in [
            "<baton_patch:k7Qx>§",
            "<baton_patch:k7Qx> x",
            "x\n```baton_patch:k7Qx\n§",
            "````x\n```baton_patch:k7Qx\n§\n```\n````",
            "\"baton_patch:k7Qx\": §",
            "x [{\"baton_patch:k7Qx\": §}]",
            "x {\"a\": 1}",
            "x {\"a\": \"b",
            "{\"baton_patch:k7Qx\": {\"baton_patch:k7Qx\": {}}}",
            "{\"baton_patch:k7Qx\": {}, \"goal\": 1}",
            "{\"baton_patch:k7Qx\": 1}",
            "<baton_patch:k7Qx>{\"a\": 1,}</baton_patch:k7Qx>",
        ] {
            let refusal = first_refusal(&nonce(), &filled(text));
            assert!(!refusal.to_string().contains("k7Qx"), "{text}\n{refusal}");
        }
    }
}

mod repairs {
    use super::*;

    #[track_caller]
    fn repairs(text: &str, patch: &str) {
        let how = repairing();
        let found = extract(text, &how).unwrap_or_else(|refused| panic!("{text}\n{refused}"));
        assert!(found.repaired(), "{text}");
        assert_eq!(found.json(), patch, "{text}");
        assert_eq!(crate::json::read(found.json(), &how.limits).unwrap().as_object(), Some(found.value()));
    }

    #[test]
    fn comments_and_trailing_commas() {
        repairs("{\"a\":[\"see https://a/b\"], // why\n}", "{\"a\":[\"see https://a/b\"]        \n}");
        repairs("{\"baton_patch\": {\"a\": [1, 2,],},}", "{\"a\": [1, 2 ] }");
        repairs("<baton_patch>{\"a\": /* é */ 1 , /* x */ }</baton_patch>", "{\"a\":          1           }");
        repairs("x { // c\n\"baton_patch\": {\"a\": \"/* no */ ,}\"}}", "{\"a\": \"/* no */ ,}\"}");
    }

    #[test]
    fn comments_around_the_patch() {
        let patch = "{\"a\": [1]}";
        for text in [
            "// why\n§",
            "§\n// why",
            "§ // why {x}\n",
            "/* x */ § /* y */",
            "\n// a\n// b\n/* c\n*/ § // d\n\n/* e */\n",
            "<think>x</think>\n// why\n§",
            "<baton_patch>// why\n§</baton_patch>",
            "<baton_patch>// why\n{\"baton_patch\": §} /* y */</baton_patch>",
            "```baton_patch\n/* x */\n§\n// y\n```",
        ] {
            repairs(&text.replace('§', patch), patch);
        }
        for text in ["// why\n{\"baton_patch\": §}", "{\"baton_patch\": §}\n// why", "/* {x} */ {\"baton_patch\": §}"]
        {
            holds(text);
            holds_under(&repairing(), &filled(text), PATCH);
        }
    }

    #[test]
    fn comments_around_a_broken_patch() {
        refuses_under(&repairing(), "// why\n{\"a\": oops}", Code::JsonSyntax, "2:7", "");
        refuses_under(&repairing(), "// why\n{\"a\": [1", Code::JsonSyntax, "2:9", "cut off");
        refuses("// why\n§", Code::JsonSyntax, "1:1", "");
        refuses("§\n/* why */", Code::JsonSyntax, "2:1", "");
        refuses("<baton_patch>// why\n§</baton_patch>", Code::JsonSyntax, "1:14", "");
    }

    #[test]
    fn prose_around_the_patch_is_no_comment() {
        let none = Code::PatchNone;
        refuses_under(&repairing(), "why\n§", none, "2:1", "no member");
        refuses_under(&repairing(), "// why\n§ there", none, "2:1", "no member");
        refuses_under(&repairing(), "§ /* why", none, "1:1", "no member");
        refuses_under(&repairing(), "§ / why", none, "1:1", "no member");
        refuses_under(&repairing(), "/ why\n§", none, "2:1", "no member");
        refuses_under(&repairing(), "// why\n[§]", none, "2:1", "array is no patch");
    }

    #[test]
    fn a_patch_in_a_comment_beside_another() {
        refuses_under(
            &repairing(),
            "/* {\"baton_patch\": {}} */\n{\"baton_patch\": §}",
            Code::PatchSeveral,
            "1:20",
            "2 different",
        );
        let text = filled("{\"a\": 1}\n// {\"baton_patch\": §}");
        holds_under(&repairing(), &text, PATCH);
        holds_under(&plain(), &text, PATCH);
    }

    #[test]
    fn what_needs_none_is_not_repaired() {
        let text = filled("x {\"baton_patch\": §}");
        assert!(!extract(&text, &repairing()).unwrap().repaired());
        assert!(!extract("{\"a\": \"// ,} /* \"}", &repairing()).unwrap().repaired());
    }

    #[test]
    fn nothing_else_is_repaired() {
        for (text, place) in [
            ("{\"baton_patch\": [,]}", "1:18"),
            ("{\"baton_patch\": {,}}", "1:18"),
            ("{\"baton_patch\": {\"a\": [1,,]}}", "1:26"),
            ("{\"baton_patch\": {\"a\": }}", "1:23"),
            ("{\"baton_patch\": {'a': 1}}", "1:18"),
            ("{\"baton_patch\": {\"a\": None}}", "1:23"),
            ("{\"baton_patch\": {\"a\": 1 # x\n}}", "1:25"),
            ("{\"baton_patch\": {\"a\": 1 /* x }}", "1:25"),
            ("{\"baton_patch\": {\"a\": /* é\n, */ 1,\n\"b\": oops,}}", "3:6"),
        ] {
            refuses_under(&repairing(), text, Code::JsonSyntax, place, "");
        }
    }

    #[test]
    fn nothing_is_repaired_unasked() {
        refuses("{\"a\":[1], // why\n}", Code::JsonSyntax, "1:11", "");
    }
}

mod work {
    use super::super::name::Name;
    use super::super::scan::Scan;
    use super::*;

    /// Texts made to be slow: each piece is repeated.
    const PIECES: &[&str] = &[
        "{",
        "[",
        "{\"a\":[",
        "{\"a\":1,",
        "{\"a\":1}",
        "{\"a\":",
        "{\"",
        "{\"a",
        "{\"\\",
        "{ ",
        "}",
        "\"",
        "[\"",
        "[1,",
        "<think>",
        "<think>{\"a\":\"",
        "<think>[",
        "<think>{\"a\":x</think>",
        "<think><think></think>",
        "<think></think>",
        "<think></think>```x`",
        "<think></think>~~~x",
        "</think>",
        "<",
        "<think ",
        "<baton_patch>",
        "<baton_patch",
        "<baton_patch ",
        "</baton_patch>",
        "</baton_patch",
        "<baton_patch></",
        "<baton_patch>```\n",
        "<baton_patch>{\"a\":",
        "<baton_patch>x",
        "<baton_patch>~~~x</baton_patch>",
        "<baton_patch>```x</baton_patch>",
        "<baton_patch>\n```\n{}\n```\n</baton_patch>\n",
        "<baton_patch>~~~\n</baton_patch>",
        "</think>~~~ ",
        "<think></think>~~~\n",
        "`",
        "```",
        "```\n",
        "```x\n",
        "``` `\n",
        "```` ```\n",
        "~",
        "~~~\n",
        "~~~x",
        "   ```",
        "~~~\n```\n",
        "```baton_patch\n",
        "```baton_patch\n```\n",
        "baton_patch",
        "\"baton_patch\":",
        "{\"baton_patch\":{}}",
        "{baton_patch ",
        "{\"a\":x} \"baton_patch\":",
        "{/*",
        "{\"a\":/*",
        "{\"a\"://",
        "{/**/\"a",
        "/*",
        "<![CDATA[",
        "\n",
        " ",
        "\u{e9}",
        "{\"a\":\"<think>\"}",
        "{\"a\":\"\n",
        "{\"a\":\"x\\",
        "{\"a\":x",
        "{\"a\":{\"b\":x}",
        "{\"a\":x}",
        "[{\"a\":x",
        "{\"baton\\u005fpatch",
        "```\n<think>\n",
    ];

    fn steps(text: &str) -> usize {
        let name = Name::new(None);
        Scan::of(text, &name).steps()
    }

    #[test]
    fn grows_with_the_length() {
        for piece in PIECES {
            for (before, after) in [
                ("", ""),
                ("x ", "\n{\"baton_patch\":{}}\n"),
                ("```\n", "</think>*/\"</baton_patch>\n```\n~~~"),
                ("{\"a\":x ", " \"baton_patch\":"),
                ("<think>", "</think>{\"baton_patch\":{}}"),
                ("/*", "*/{\"a\":1}//"),
                ("//x\n{\"a\":1}", "//"),
            ] {
                let text = format!("{before}{}{after}", piece.repeat(6_000 / piece.len()));
                let steps = steps(&text);
                assert!(
                    steps < 24 * text.len() + 1000,
                    "{piece} {before} {after}: {steps} steps for {} bytes",
                    text.len()
                );
            }
        }
    }

    #[test]
    fn no_nesting_overflows() {
        for text in
            ["{\"a\":".repeat(200_000), "[".repeat(1_000_000), format!("{{\"baton_patch\":{}", "[".repeat(1_000_000))]
        {
            assert!(extract(&text, &plain()).is_err());
        }
    }

    #[test]
    fn a_million_braces_hide_nothing() {
        let braces = "{".repeat(1_000_000);
        holds(&format!("{braces}\n<baton_patch>§</baton_patch>"));
    }
}
