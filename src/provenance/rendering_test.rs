#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]
//! Graphs of hostile entries, read back by parsers that know nothing of how they were written.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use regex::Regex;
use serde_json::Value as Json;

use super::tests::{board, post};
use super::{Graph, walk};
use crate::render::hostile::{cases, hostile};
use crate::text::is_hidden;

const IDS: [&str; 10] =
    ["builder", "\"];n1-->n2", "a%b", "</script>", "x\"->y", "a:b", "\\N\\", "#quot;", "&lt;b&gt;", "end\u{7e}`"];

fn graphs() -> impl Strategy<Value = Graph> {
    let icon = prop_oneof![3 => Just(""), 1 => Just("fa:fa-car $$$x$$$ \\n")];
    let text = (hostile(), icon).prop_map(|(text, icon)| text + icon);
    let entry = (text, select(IDS.to_vec()), proptest::option::of(select(IDS.to_vec())), vec(any::<u64>(), 0..3));
    (vec(entry, 1..8), 1_usize..9).prop_map(|(entries, most)| {
        let mut board = board();
        let count = entries.len() as u64;
        for (place, (says, author, step, picks)) in entries.iter().enumerate() {
            let older = place as u64;
            let sources: Vec<u64> = picks.iter().filter(|_| older > 0).map(|pick| pick % older + 1).collect();
            post(&mut board, older + 1, (says, author, *step, &sources));
        }
        walk(&mut board, &[count], most).unwrap()
    })
}

fn edges(graph: &Graph) -> BTreeSet<(u64, u64)> {
    graph.edges().map(|(node, source)| (node.seq, source.seq)).collect()
}

/// What a node of `graph` has to show.
fn shown(graph: &Graph, seq: u64) -> Vec<String> {
    let node = graph.node(seq).unwrap();
    vec![node.name(), node.origin(), node.says.clone()]
}

fn all_seen(text: &str) -> bool {
    !text.chars().any(|character| character != '\n' && is_hidden(character))
}

#[test]
fn every_line_of_a_flowchart_is_of_the_template() {
    let label = r"(?:[A-Za-z0-9 .,:_-]|[^\x00-\x7f]|#\d+;|<br/>)*";
    let node = Regex::new(&format!(r#"^    n(\d+)(?:\["({label})"\]|\(\["({label})"\]\))$"#)).unwrap();
    let edge = Regex::new(r"^    n(\d+) --> n(\d+)$").unwrap();
    let more = Regex::new(r#"^    n(\d+) -\.-> m(\d+)\["\d+ more"\]$"#).unwrap();
    let code = Regex::new(r"#(\d+);").unwrap();
    proptest!(cases(300), |(graph in graphs())| {
        let text = graph.to_mermaid();
        prop_assert!(all_seen(&text));
        let mut found = BTreeSet::new();
        let mut nodes = 0;
        for line in text.lines().skip(1) {
            if let Some(parts) = node.captures(line) {
                let label = parts.get(2).or(parts.get(3)).unwrap().as_str();
                let plain = |part: &str| code.replace_all(part, |code: &regex::Captures<'_>| {
                    char::from_u32(code[1].parse().unwrap()).unwrap().to_string()
                }).into_owned();
                let told: Vec<String> = label.split("<br/>").map(plain).collect();
                // What Mermaid would take for a formula, an icon or an escape.
                let live = |line: &String| line.contains("$$") || line.contains(":fa-") || line.contains('\\');
                prop_assert!(!told.iter().any(live), "{:?}", told);
                let expected: Vec<String> = shown(&graph, parts[1].parse().unwrap());
                let bare = |line: &str| line.replace([' ', '\\', '\u{2216}'], "");
                let bared = expected.iter().map(|line| bare(line));
                prop_assert_eq!(told.iter().map(|line| bare(line)).collect::<Vec<_>>(), bared.collect::<Vec<_>>());
                nodes += 1;
            } else if let Some(parts) = edge.captures(line) {
                found.insert((parts[1].parse().unwrap(), parts[2].parse().unwrap()));
            } else {
                prop_assert!(more.is_match(line) && graph.beyond() > 0, "{}", line);
            }
        }
        prop_assert_eq!((nodes, found), (graph.nodes().len(), edges(&graph)));
        prop_assert!(text.starts_with("flowchart TD\n"));
    });
}

/// The tokens of a DOT text (the grammar of Graphviz): quoted strings, names, numbers, arrows and signs.
fn tokens(text: &str) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        match first {
            ' ' | '\n' => {}
            '"' => {
                let mut token = String::from('"');
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' => token.extend(['\\', rest.next()?]),
                        '\n' => return None,
                        other => token.push(other),
                    }
                }
                tokens.push(token);
            }
            '-' => {
                (rest.next()? == '>').then_some(())?;
                tokens.push("->".to_owned());
            }
            '{' | '}' | '[' | ']' | ';' | '=' | ',' => tokens.push(first.to_string()),
            word if word.is_ascii_alphanumeric() => {
                let mut token = String::from(word);
                while let Some(next) = rest.next_if(|next| next.is_ascii_alphanumeric() || matches!(next, '.' | '_')) {
                    token.push(next);
                }
                tokens.push(token);
            }
            _ => return None,
        }
    }
    Some(tokens)
}

/// The lines that a label shows: its escapes and entities read.
fn lines_of(label: &str) -> Option<Vec<String>> {
    let mut lines = vec![String::new()];
    let mut rest = label.strip_prefix('"')?.chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' => match rest.next()? {
                'n' => lines.push(String::new()),
                sign @ ('\\' | '"') => lines.last_mut()?.push(sign),
                _ => return None,
            },
            other => lines.last_mut()?.push(other),
        }
    }
    let plain = |line: String| {
        let bare = line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "\u{0}");
        (!bare.contains('&')).then(|| bare.replace('\u{0}', "&"))
    };
    lines.into_iter().map(plain).collect()
}

#[test]
fn a_dot_text_has_the_nodes_and_edges_and_nothing_else() {
    let number = |word: &str| word.strip_prefix('n').and_then(|digits| digits.parse::<u64>().ok());
    proptest!(cases(300), |(graph in graphs())| {
        let text = graph.to_dot();
        prop_assert!(all_seen(&text));
        let tokens = tokens(&text).unwrap();
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let body = words.strip_prefix(&["digraph", "provenance", "{"]).and_then(|rest| rest.strip_suffix(&["}"]));
        let (mut found, mut nodes) = (BTreeSet::new(), 0);
        for statement in body.unwrap().split(|word| *word == ";") {
            match statement {
                [] | ["node" | "edge", ..] => {}
                [one, "->", two] => {
                    found.insert((number(one).unwrap(), number(two).unwrap()));
                }
                [one, "->", two, "[", "style", "=", "dashed", "]"] => {
                    prop_assert_eq!(one.strip_prefix('n'), two.strip_prefix('m'));
                }
                [one, "[", "label", "=", label, rest @ .., "]"] if number(one).is_some() => {
                    prop_assert_eq!(lines_of(label).unwrap(), shown(&graph, number(one).unwrap()));
                    prop_assert!(rest.is_empty() || rest == [",", "shape", "=", "ellipse"]);
                    nodes += 1;
                }
                [one, "[", "label", "=", _, ",", "shape", "=", "plaintext", "]"] => {
                    prop_assert!(one.starts_with('m') && graph.beyond() > 0);
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert_eq!((nodes, found), (graph.nodes().len(), edges(&graph)));
    });
}

#[test]
fn the_dot_reader_refuses_what_is_none() {
    assert!(tokens("n1 [label=\"a\"b\"];").is_none());
    assert!(tokens("n1 [label=<b>];").is_none());
    assert!(lines_of("\"\\N").is_none() && lines_of("\"a & b").is_none());
}

#[test]
fn a_prov_document_refers_to_nothing_that_it_does_not_hold() {
    let name = Regex::new(r"^baton:[a-z]+-(?:[A-Za-z0-9_-]|%[0-9A-F]{2})+$").unwrap();
    proptest!(cases(300), |(graph in graphs())| {
        let text = graph.to_prov();
        prop_assert!(all_seen(&text));
        let document: Json = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&document["prefix"], &serde_json::json!({"baton": "urn:relay-baton:prov:"}));
        let ids = |kind: &str| -> BTreeSet<String> {
            document[kind].as_object().map(|records| records.keys().cloned().collect()).unwrap_or_default()
        };
        for kind in ["entity", "activity", "agent"] {
            prop_assert!(ids(kind).iter().all(|id| name.is_match(id)), "{:?}", ids(kind));
        }
        let mut derived = BTreeSet::new();
        for (relation, ends) in [
            ("wasGeneratedBy", [("prov:entity", "entity"), ("prov:activity", "activity")]),
            ("wasAttributedTo", [("prov:entity", "entity"), ("prov:agent", "agent")]),
            ("wasAssociatedWith", [("prov:activity", "activity"), ("prov:agent", "agent")]),
            ("used", [("prov:activity", "activity"), ("prov:entity", "entity")]),
            ("wasDerivedFrom", [("prov:generatedEntity", "entity"), ("prov:usedEntity", "entity")]),
        ] {
            for one in document[relation].as_object().into_iter().flat_map(|records| records.values()) {
                for (end, kind) in ends {
                    prop_assert!(ids(kind).contains(one[end].as_str().unwrap()), "{} {}", relation, one);
                }
                if relation == "wasDerivedFrom" {
                    let seq = |end: &str| one[end].as_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
                    derived.insert((seq("prov:generatedEntity"), seq("prov:usedEntity")));
                }
            }
        }
        prop_assert_eq!(derived, edges(&graph));
        prop_assert_eq!(ids("entity").len(), graph.nodes().len());
        let authors: BTreeSet<&str> = graph.nodes().iter().map(|node| node.author.as_str()).collect();
        prop_assert_eq!(ids("agent").len(), authors.len());
    });
}
