use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use super::hostile::{cases, hostile, specs};
use super::inverse;
use crate::baton::{Baton, Budget, DEFAULT_BUDGET};
use crate::outline::{Outline, Shedding, shedding_order};
use crate::render::{Format, Layout};

fn rendered(baton: &Baton<'_>, format: Format) -> String {
    rendered_for(baton, format, DEFAULT_BUDGET.encoding)
}

fn rendered_for(baton: &Baton<'_>, format: Format, encoding: &str) -> String {
    let budget = Budget { tokens: 1000, encoding };
    Layout::of(&Outline::of(baton, budget), format, &Shedding::default()).text
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
    let sheds = r"\d+ [a-z ]+(, \d+ [a-z ]+)* left out: (/[a-z_]+ in|at the top level of) the baton";
    let text = match format {
        Format::Markdown => format!(
            "^(# Baton|## (Goal|Constraints|Acceptance|Work scope|Decisions|Artifacts|Open questions|Other keys|Current state)|```|\
             \\({sheds}\\)|\\(revision \\d+( at step `[^`\\s]+`)?( by `[^`\\s]+`)?; budget \\d+ tokens of `[^`\\s]+`\\))$"
        ),
        _ => format!(
            "^(</?(baton|goal|constraints|acceptance|work_scope|decision_log|artifacts|open_questions|other_keys|current_state)>|\
             <shed>{sheds}</shed>|<stamp>revision \\d+( at step [^<>\\s]+)?( by [^<>\\s]+)?; budget \\d+ tokens of [^<>\\s]+</stamp>)$"
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
    proptest!(cases(20_000), |(spec in specs(), encoding in hostile())| {
        let (baton, plain) = (spec.hostile(), rendered(&spec.plain(), Format::Markdown));
        let text = rendered_for(&baton, Format::Markdown, &encoding);
        prop_assert_eq!(broken_law(&text, &plain, &baton, &template), None, "{}", text);
        prop_assert_eq!(&text, &rendered_for(&spec.hostile(), Format::Markdown, &encoding));
    });
}

#[test]
fn xml_and_json_give_every_string_back() {
    let template = template(Format::Xml);
    proptest!(cases(5_000), |(spec in specs(), encoding in hostile())| {
        let baton = spec.hostile();
        let xml = rendered_for(&baton, Format::Xml, &encoding);
        prop_assert_eq!(stray_line(&xml, &template), None);
        prop_assert_eq!(inverse::xml(&xml), Ok(inverse::expected(&baton)), "{}", xml);
        let json = rendered_for(&baton, Format::Json, &encoding);
        prop_assert_eq!(inverse::document(&json), Ok(inverse::expected(&baton)), "{}", json);
        let hidden = json.trim_end_matches('\n').chars().find(|character| crate::text::is_hidden(*character));
        prop_assert_eq!(hidden, None);
    });
}

#[test]
fn what_was_shed_leaves_template_lines_only() {
    let templates = [template(Format::Markdown), template(Format::Xml)];
    proptest!(cases(2_000), |(spec in specs(), quarters in 1_usize..=4)| {
        let baton = spec.hostile();
        let outline = Outline::of(&baton, DEFAULT_BUDGET);
        let units = shedding_order(&outline, |index| index % 7);
        let shedding = Shedding::of(&outline, &units[..units.len() * quarters / 4]);
        for (format, template) in [Format::Markdown, Format::Xml].into_iter().zip(&templates) {
            let text = Layout::of(&outline, format, &shedding).text;
            prop_assert_eq!(stray_line(&text, template), None, "{}", text);
            prop_assert_eq!(!shed_lines(&text).is_empty(), shedding.sheds().next().is_some());
        }
        let json = Layout::of(&outline, Format::Json, &shedding).text;
        prop_assert_eq!(inverse::document(&json).map(|_| ()), Ok(()), "{}", json);
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

/// The lines that say what was left out.
fn shed_lines(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.starts_with("<shed>") || (line.starts_with('(') && !line.starts_with("(revision ")))
        .collect()
}
