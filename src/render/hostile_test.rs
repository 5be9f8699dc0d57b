//! Batons whose strings try to pose as structure, and the same batons with harmless strings.

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::baton::Baton;
use crate::json::{Object, Value};

/// How many cases a law is tried on: the variable `PROPTEST_CASES`, or `usual`.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let told = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: told.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "plain words", "docs/plan.md", "snake_case_name", "p95 < 200 ms", " ", "  ", "\n", "\n", "\n\n", "\r", "\r\n",
    "\t", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "# SYSTEM", "## Constraints", "```", "````", "~~~",
    "```text", "===", "---", "- ", "* ", "1. ", "+ ", "+ rationale: x", "| ", "- [passed] y", "- [D1 plan] z",
    "(revision 9 by `me`; budget 9 tokens of `x`)", "(3 decisions left out: /decision_log in the baton)", "> ",
    "<!--", "-->", "<script>", "</constraints>", "<item>", "<baton>", "<shed>", "</baton>", "&lt;", "&amp;", "&#10;",
    "]]>", "<![CDATA[", "<?xml", "[a]: http://evil.example", "![x](http://evil.example/?q=1)", "[a](b)", "[a]", "](",
    "[[w]]", "| a | b |\n|---|---|", "<|im_end|>", "Human:", "\nAssistant:", "{{x}}", "${x}", "`", "``", "$x$", "$$",
    "^x^", "~x~", "**b**", "_i_", "\\", "\\\\", "\\n", "\\u{", "\\u{5c}", "\\u{200b}", "\\u", "u{41}", "\\u0041",
    "\"", "'", ",", ";", "; superseded by D3", "\u{a0}", "\u{200b}", "\u{200d}", "\u{feff}", "\u{202e}", "\u{2066}",
    "\u{e0041}", "\u{e007f}", "\u{fe0f}", "\u{3164}", "\u{3000}", "\u{ad}", "\u{9b}31m", "\u{1b}[31m", "\u{7f}",
    "\u{0}", "\u{8}", "\u{ffff}", "\u{1fffe}", "Ü", "計画", "🧪", "\u{ff1c}", "e\u{301}", "/", "//", ":::", ": d",
    "[^1]", "[^1]: x", "- [ ] t", "+++", "%%", "http://evil.example", "<http://a.b>", "</s>", "{\"baton_patch\":{}}",
];

/// A string of hostile fragments.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    vec(select(FRAGMENTS), 0..5).prop_map(|parts| parts.concat())
}

fn hostile_id() -> impl Strategy<Value = String> {
    let parts = [
        "D", "x", "[", "]", ";", ",", "`", "\\", "\\u{5d}", "<b>", "&", "_", "*", "#", "|", "$", "~", "!", "(", ")",
        "^", "\"", "/", "{", "}",
    ];
    vec(select(parts.to_vec()), 1..5).prop_map(|parts| parts.concat())
}

/// A member that nobody knows: its name, and a string for its value.
type Unknown = Option<(String, String)>;

/// What a baton is built of; every string is replaced when it is built.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    goal: String,
    lists: Vec<Vec<String>>,
    decisions: Vec<DecisionSpec>,
    artifacts: Vec<(String, Vec<Option<String>>, Unknown)>,
    checks: Vec<(String, usize, Option<String>, Unknown)>,
    others: Vec<(String, String)>,
    stamp: Option<(u64, String, String)>,
}

#[derive(Clone, Debug)]
struct DecisionSpec {
    id: String,
    step: Option<String>,
    text: String,
    rationale: Option<String>,
    supersedes: Vec<Result<usize, String>>,
    unknown: Unknown,
}

fn member() -> impl Strategy<Value = Unknown> {
    proptest::option::weighted(0.2, (hostile(), hostile()))
}

fn decision() -> impl Strategy<Value = DecisionSpec> {
    let supersedes = vec(prop_oneof![3 => (0_usize..3).prop_map(Ok), 1 => hostile().prop_map(Err)], 0..3);
    let texts = (hostile(), proptest::option::of(hostile()));
    (hostile_id(), proptest::option::of(hostile_id()), texts, supersedes, member()).prop_map(
        |(id, step, (text, rationale), supersedes, unknown)| DecisionSpec {
            id,
            step,
            text,
            rationale,
            supersedes,
            unknown,
        },
    )
}

/// Specifications of small batons of every shape.
pub(crate) fn specs() -> impl Strategy<Value = Spec> {
    let lists = vec(vec(hostile(), 0..3), 4);
    let artifacts = vec((hostile(), vec(proptest::option::weighted(0.4, hostile()), 4), member()), 0..3);
    let checks = vec((hostile(), 0_usize..4, proptest::option::of(hostile()), member()), 0..3);
    let stamp = proptest::option::of((0_u64..5000, hostile_id(), hostile_id()));
    let others = vec((hostile(), hostile()), 0..3);
    (hostile(), lists, vec(decision(), 0..4), artifacts, checks, others, stamp).prop_map(
        |(goal, lists, decisions, artifacts, checks, others, stamp)| Spec {
            goal,
            lists,
            decisions,
            artifacts,
            checks,
            others,
            stamp,
        },
    )
}

type Members = Vec<(Cow<'static, str>, Value<'static>)>;

fn put(members: &mut Members, name: impl Into<Cow<'static, str>>, value: Value<'static>) {
    members.push((name.into(), value));
}

fn object(members: Members) -> Value<'static> {
    Value::Object(Object::from_members(members))
}

impl Spec {
    /// The baton with its hostile strings.
    pub(crate) fn hostile(&self) -> Baton<'static> {
        self.build(&|text| text.to_owned(), &|id| id.to_owned())
    }

    /// The same baton with every string `plain`.
    pub(crate) fn plain(&self) -> Baton<'static> {
        self.build(&|_| "plain".to_owned(), &|_| "plain".to_owned())
    }

    fn build(&self, text: &dyn Fn(&str) -> String, id: &dyn Fn(&str) -> String) -> Baton<'static> {
        let string = |original: &str| Value::string(text(original));
        let mut members = Members::new();
        put(&mut members, "goal", Value::string(format!("g{}", text(&self.goal))));
        for (name, list) in
            ["constraints", "current_state", "open_questions", "work_scope"].into_iter().zip(&self.lists)
        {
            put(&mut members, name, Value::Array(list.iter().map(|item| string(item)).collect()));
        }
        let decisions = self.decisions.iter().enumerate().map(|(at, decision)| self.decision(at, decision, text, id));
        put(&mut members, "decision_log", Value::Array(decisions.collect()));
        let artifacts = self.artifacts.iter().enumerate().map(|(at, (name, known, unknown))| {
            let mut members = vec![("name".into(), Value::string(format!("{at}{}", text(name))))];
            for (name, value) in ["uri", "digest", "media_type", "summary"].into_iter().zip(known) {
                value.iter().for_each(|value| put(&mut members, name, string(value)));
            }
            unknown.iter().for_each(|unknown| members.push(unknown_member(unknown, text)));
            object(members)
        });
        put(&mut members, "artifacts", Value::Array(artifacts.collect()));
        let checks = self.checks.iter().enumerate().map(|(at, (check, status, evidence, unknown))| {
            let mut members = vec![("check".into(), Value::string(format!("{at}{}", text(check))))];
            put(&mut members, "status", Value::string(crate::baton::Status::ALL[*status].name()));
            evidence.iter().for_each(|evidence| put(&mut members, "evidence", string(evidence)));
            unknown.iter().for_each(|unknown| members.push(unknown_member(unknown, text)));
            object(members)
        });
        put(&mut members, "acceptance", Value::Array(checks.collect()));
        for (at, (name, value)) in self.others.iter().enumerate() {
            put(&mut members, format!("o{at}{}", text(name)), nested(&text(value)));
        }
        if let Some((revision, step, by)) = &self.stamp {
            let stamp = vec![
                ("revision".into(), Value::integer(*revision)),
                ("step".into(), Value::string(id(step))),
                ("by".into(), Value::string(id(by))),
            ];
            put(&mut members, "stamp", object(stamp));
        }
        Baton::from_value(object(members)).expect("the specification makes a baton")
    }

    fn decision(
        &self,
        at: usize,
        spec: &DecisionSpec,
        text: &dyn Fn(&str) -> String,
        id: &dyn Fn(&str) -> String,
    ) -> Value<'static> {
        let full_id = |at: usize| {
            self.decisions.get(at).map_or_else(|| text("D9"), |decision| format!("{at}{}", id(&decision.id)))
        };
        let mut members = vec![("id".into(), Value::string(full_id(at)))];
        put(&mut members, "decision", Value::string(format!("d{}", text(&spec.text))));
        spec.rationale.iter().for_each(|rationale| put(&mut members, "rationale", Value::string(text(rationale))));
        spec.step.iter().for_each(|step| put(&mut members, "step", Value::string(id(step))));
        let supersedes = spec.supersedes.iter().map(|taken| {
            Value::string(match taken {
                Ok(at) => full_id(*at),
                Err(other) => text(other),
            })
        });
        put(&mut members, "supersedes", Value::Array(supersedes.collect()));
        spec.unknown.iter().for_each(|unknown| members.push(unknown_member(unknown, text)));
        object(members)
    }
}

fn unknown_member(
    (name, value): &(String, String),
    text: &dyn Fn(&str) -> String,
) -> (Cow<'static, str>, Value<'static>) {
    (format!("u{}", text(name)).into(), nested(&text(value)))
}

/// A value that has the string at several depths.
fn nested(text: &str) -> Value<'static> {
    let inner =
        Value::Array(vec![Value::string(text.to_owned()), Value::integer(7), Value::Null, Value::Array(Vec::new())]);
    object(vec![(text.to_owned().into(), inner), ("z\n".into(), object(Vec::new()))])
}
