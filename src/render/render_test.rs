use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use super::hostile::{cases, specs};
use super::inverse;
use crate::baton::{Baton, Budget, DEFAULT_BUDGET};
use crate::outline::Outline;
use crate::render::{Format, Layout};

const BUDGET: Budget<'static> = DEFAULT_BUDGET;

fn rendered(baton: &Baton<'_>, format: Format) -> String {
    Layout::of(&Outline::of(baton, BUDGET), format, &crate::outline::Shedding::default()).text
}

/// Everything that a CommonMark parser sees besides the content of fenced blocks and code spans.
fn events(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut seen = Vec::new();
    for event in Parser::new_ext(text, Options::all()) {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => fenced = true,
            Event::End(TagEnd::CodeBlock) => fenced = false,
            Event::Text(_) if fenced => continue,
            Event::Code(_) => {
                seen.push("Code".to_owned());
                continue;
            }
            _ => {}
        }
        seen.push(format!("{event:?}"));
    }
    seen
}

/// The first line of `text` that is no template line and bears no prefix, whatever is taken for the end of a line.
fn stray_line(text: &str, template: &Regex) -> Option<String> {
    let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let mut lines: Vec<&str> = text.split(breaks).collect();
    assert_eq!(lines.pop(), Some(""), "the last line ends too");
    let prefixed = |line: &str| ["- ", "| ", "+ "].iter().any(|prefix| line.starts_with(prefix));
    lines.into_iter().find(|line| !prefixed(line) && !template.is_match(line)).map(str::to_owned)
}

fn template(format: Format) -> Regex {
    let sheds = r"\d+ [a-z ]+(, \d+ [a-z ]+)* left out: (/[a-z_]+ in|the top level of) the baton";
    let text = match format {
        Format::Markdown => format!(
            "^(# Baton|## (Goal|Constraints|Acceptance|Work scope|Decisions|Artifacts|Open questions|Other keys|Current state)|```|\
             \\({sheds}\\)|\\(revision \\d+( at step `[!-_a-~]+`)?( by `[!-_a-~]+`)?; budget \\d+ tokens of `[!-_a-~]+`\\))$"
        ),
        _ => format!(
            "^(</?(baton|goal|constraints|acceptance|work_scope|decision_log|artifacts|open_questions|other_keys|current_state)>|\
             <shed>{sheds}</shed>|<stamp>revision \\d+( at step [!-;=?-~]+)?( by [!-;=?-~]+)?; budget \\d+ tokens of [!-;=?-~]+</stamp>)$"
        ),
    };
    Regex::new(&text).unwrap()
}

/// The first law that `text` breaks as a rendering in Markdown.
fn broken_law(text: &str, plain: &str, baton: &Baton<'_>, template: &Regex) -> Option<&'static str> {
    if stray_line(text, template).is_some() {
        return Some("lines");
    }
    if events(text) != events(plain) {
        return Some("events");
    }
    (inverse::markdown(text).as_ref() != Ok(&inverse::expected(baton))).then_some("inverse")
}

#[test]
fn markdown_shows_strings_as_data_only() {
    let template = template(Format::Markdown);
    proptest!(cases(20_000), |(spec in specs())| {
        let (baton, plain) = (spec.hostile(), rendered(&spec.plain(), Format::Markdown));
        let text = rendered(&baton, Format::Markdown);
        prop_assert_eq!(broken_law(&text, &plain, &baton, &template), None, "{}", text);
        prop_assert_eq!(&text, &rendered(&baton, Format::Markdown));
    });
}

#[test]
fn xml_and_json_give_every_string_back() {
    let template = template(Format::Xml);
    proptest!(cases(5_000), |(spec in specs())| {
        let baton = spec.hostile();
        let xml = rendered(&baton, Format::Xml);
        prop_assert_eq!(stray_line(&xml, &template), None);
        prop_assert_eq!(inverse::xml(&xml), Ok(inverse::expected(&baton)), "{}", xml);
        let json = rendered(&baton, Format::Json);
        prop_assert_eq!(inverse::document(&json), Ok(inverse::expected(&baton)), "{}", json);
        let hidden = json.trim_end_matches('\n').chars().find(|character| crate::text::is_hidden(*character));
        prop_assert_eq!(hidden, None);
    });
}

/// What a broken renderer leaves out, and its text made from the sound one.
type Twin = (&'static str, fn(&str) -> String);

/// Renderers that leave out one of the measures, each of which must be caught by the oracles.
#[test]
fn a_renderer_without_prefix_or_escapes_is_caught() {
    let template = template(Format::Markdown);
    let twins: [Twin; 4] = [
        ("no prefix", |text| text.replace("\n- ", "\n").replace("\n| ", "\n").replace("\n+ ", "\n")),
        ("no prefix on continued lines", |text| text.replace("\n| ", "\n")),
        ("no escapes", |text| inverse::unescaped(text).unwrap_or_else(|_| text.replace("\\u{d}", "\r"))),
        ("no fence", |text| text.replace("\n```\n", "\n")),
    ];
    let mut runner = TestRunner::deterministic();
    let mut caught = [0; 4];
    for _ in 0..300 {
        let spec = specs().new_tree(&mut runner).unwrap().current();
        let (baton, plain) = (spec.hostile(), rendered(&spec.plain(), Format::Markdown));
        for (number, (_, twin)) in twins.iter().enumerate() {
            let (text, plain) = (twin(&rendered(&baton, Format::Markdown)), twin(&plain));
            caught[number] += usize::from(broken_law(&text, &plain, &baton, &template).is_some());
        }
    }
    for (count, (name, _)) in caught.iter().zip(&twins) {
        assert!(*count > 100, "{name}: caught in {count} of 300 cases");
    }
}
