//! What each fuzz target does with its bytes, and what must hold. Ordinary tests run the same over `tests/corpus`.

use std::collections::BTreeMap;

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, DEFAULT_BUDGET, Field, Id, Timestamp};
use relay_baton::charter::Charter;
#[cfg(feature = "toml")]
use relay_baton::charter::{Source, Unsound, Wanted};
use relay_baton::count::TokenCounter;
use relay_baton::engine::{Engine, Input, Saves, World};
use relay_baton::extract::{self, Extraction};
use relay_baton::fit::{fit, render_whole};
use relay_baton::json::{self, Limits, Numbers, Value};
use relay_baton::outline::Section;
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::relay::{Applied, Relay};
use relay_baton::render::Format;
use relay_baton::reply::{Expected, Reply};
use relay_baton::text::is_hidden;

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

/// The whole way of one answer: the unit separator (U+001F) stands between the baton and the answer.
///
/// What is accepted keeps the laws of the merge; what is refused says why.
pub(crate) fn apply(data: &[u8]) {
    let Some((document, answer)) = std::str::from_utf8(data).ok().and_then(|text| text.split_once('\u{1f}')) else {
        return;
    };
    let Ok(baton) = Baton::read(document, &Limits::default()) else { return };
    let id = |text| Id::new(text).expect("an id");
    let at = Timestamp::parse("2026-01-02T03:04:05Z").expect("a time");
    let mut relay = Relay::new(Attribution { step: id("build"), by: id("builder"), at });
    relay.wants_patch = true;
    let before = baton.clone();
    match relay.apply(baton, answer, &Bytes) {
        Ok(applied) => accepted(&before, &applied),
        Err(refused) => {
            assert!(!refused.refusals().is_empty());
            assert!(refused.refusals().iter().all(|refusal| !refusal.detail.contains('\n')), "{refused}");
        }
    }
}

fn accepted(before: &Baton<'_>, applied: &Applied<'_>) {
    let after = &applied.baton;
    assert_eq!(after.goal(), before.goal());
    let (old, new) = (before.items(Field::DecisionLog), after.items(Field::DecisionLog));
    assert_eq!(Some(old), new.get(..old.len()), "the log only grows");
    assert!(before.strings(Field::Constraints).all(|kept| after.strings(Field::Constraints).any(|one| one == kept)));
    assert!(before.checks().all(|kept| after.checks().any(|one| one.text() == kept.text())));
    let text = after.to_json();
    assert_eq!(Baton::read(&text, &Limits::default().with_bytes(usize::MAX)).as_ref(), Ok(after), "{text}");
    if let Some(patch) = &applied.patch {
        assert_eq!(after.revision(), before.revision() + 1);
        let serde = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        let (Some(mut theirs), Some(ours)) = (serde(&before.to_json()), serde(&text)) else { return };
        let Ok(patch) = Value::Object(patch.clone()).to_serde() else { return };
        json_patch::merge(&mut theirs, &patch);
        assert!(alike(&ours, &theirs), "another implementation comes to {theirs}, this one to {ours}");
    }
    let budget = after.stamp().budget.unwrap_or(DEFAULT_BUDGET);
    for format in Format::ALL {
        let rendering = fit(after, format, &budget, &Bytes);
        if format == Format::Markdown {
            let rendering = rendering.expect("what was accepted under a budget is rendered under it");
            assert!(Bytes.count(rendering.text()) as u64 <= budget.tokens);
        }
    }
}

/// A counter that is as dear as it may be: a token is four bytes, of which the last may be fewer.
struct Bytes;

impl TokenCounter for Bytes {
    fn encoding(&self) -> &str {
        "o200k_base"
    }

    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn adds_up_by_line(&self) -> bool {
        false
    }
}

/// What a rendering shows is what the baton holds, read back from its lines alone. Unit separators (U+001F) stand between
/// the goal and the strings of the lists.
pub(crate) fn render_inverse(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut parts = text.split('\u{1f}');
    let Some(goal) = parts.next().filter(|goal| !goal.trim().is_empty()) else { return };
    let texts: Vec<&str> = parts.collect();
    let document = serde_json::json!({
        "goal": goal, "constraints": texts, "current_state": texts, "open_questions": texts, "notes": texts,
        "stamp": {"revision": 1, "step": "a`b", "by": "x"},
    })
    .to_string();
    let limits = Limits::default().with_bytes(usize::MAX);
    let Ok(baton) = Baton::read(&document, &limits) else { return };
    for format in Format::ALL {
        let rendering = render_whole(&baton, format, &DEFAULT_BUDGET);
        let hidden = |letter: char| is_hidden(letter) && letter != '\n' && letter != '\t';
        assert!(!rendering.text().contains(hidden), "a hidden character in {:?}", rendering.text());
    }
    let rendering = render_whole(&baton, Format::Markdown, &DEFAULT_BUDGET).into_text();
    let sections = sections(&rendering);
    let shown = |section: Section| -> Vec<String> {
        sections.get(section.title()).into_iter().flatten().map(|item| unescaped(item)).collect()
    };
    assert_eq!(shown(Section::Goal), [goal]);
    for section in [Section::Constraints, Section::CurrentState, Section::OpenQuestions] {
        assert_eq!(shown(section), texts, "{} of {rendering}", section.title());
    }
}

/// The items under each heading, as they are shown. Every line is a line of the template, or has the prefix of data.
fn sections(rendering: &str) -> BTreeMap<&str, Vec<String>> {
    let mut sections: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut title, mut fenced) = ("", false);
    for line in rendering.lines() {
        let items = sections.entry(title).or_default();
        match (line, line.split_at_checked(2)) {
            ("```", _) => fenced = !fenced,
            (_, Some(("- ", text))) if fenced => items.push(text.to_owned()),
            (_, Some(("| ", text))) if fenced => {
                let item = items.last_mut().expect("a line goes on after an item");
                item.push('\n');
                item.push_str(text);
            }
            ("# Baton", _) if !fenced => {}
            _ if !fenced && line.starts_with("(revision ") => {}
            _ if !fenced => title = heading(line),
            _ => panic!("a line that is neither template nor data: {line:?}"),
        }
    }
    sections
}

fn heading(line: &str) -> &str {
    let title = line.strip_prefix("## ").unwrap_or_default();
    assert!(Section::ALL.iter().any(|section| section.title() == title), "a line of no template: {line:?}");
    title
}

/// `\u{…}` is a character by its number; nothing else is an escape.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('}').expect("an escape ends");
        plain.extend(u32::from_str_radix(number, 16).ok().and_then(char::from_u32));
        plain.push_str(rest);
    }
    plain
}

/// An answer of an agent is read the same again from what was kept of it, and says where it is wrong otherwise.
pub(crate) fn read_reply(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(agent) = Id::new("planner") else { return };
    match Reply::read(text, &Limits::default(), &Expected { agent: &agent, request: "k" }) {
        Ok(reply) => {
            assert!(reply.output.is_none() || reply.calls.is_empty() && reply.delegations.is_empty());
            let kept = serde_json::to_string(&reply).expect("an answer can be kept");
            // What is nested deeper than serde_json reads is refused before it is kept.
            match serde_json::from_str::<Reply>(&kept) {
                Ok(again) => assert_eq!(again, reply),
                Err(error) => assert!(error.to_string().starts_with("recursion limit"), "{error}"),
            }
        }
        Err(refusal) => told(&refusal.into()),
    }
}

/// A charter that is read is the same charter when it is read from its document.
pub(crate) fn read_charter(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(charter) = Charter::from_json(text) {
        same_charter(&charter);
    }
    #[cfg(feature = "toml")]
    {
        let mut none = |_: &Wanted<'_>| {
            Err(Unsound::of("charter.toml", vec![Refusal::new(Code::IoRead, "", "there are no files")]))
        };
        let read = Source::toml("charter.toml", text).map_err(|found| Unsound::of("charter.toml", found));
        match read.and_then(|source| Charter::read(source, &mut none)) {
            Ok(charter) => same_charter(&charter),
            Err(unsound) => told(&unsound.into()),
        }
    }
}

fn same_charter(charter: &Charter) {
    let again = Charter::of_document(&charter.document).expect("the document of a charter is one");
    assert_eq!(again.digest, charter.digest);
    assert_eq!(&again, charter);
    let _ = charter.to_mermaid();
}

/// Refusals are told on one line.
fn told(refused: &Refused) {
    assert!(!refused.refusals().is_empty());
    for refusal in refused.refusals() {
        assert!(!refusal.detail.contains(['\n', '\r', '\u{1b}']), "{refusal}");
    }
}

/// What was saved of a task, damaged: it is refused, or goes on without a panic. The first line is the charter, the second
/// the state, and all others are the log. Whether it was read.
pub(crate) fn load_engine(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Some((charter, saved)) = text.split_once('\n') else { return false };
    let (state, log) = saved.split_once('\n').unwrap_or((saved, ""));
    let Ok(charter) = Charter::from_json(charter) else { return false };
    let saves = Saves { state: state.to_owned(), log: vec![(1, log.to_owned())] };
    let mut engine = match Engine::load(charter, saves) {
        Ok(engine) => engine,
        Err(refusal) => {
            told(&refusal.into());
            return false;
        }
    };
    let Some(now) = Timestamp::parse("2026-01-02T04:00:00Z") else { return false };
    let world = World { counter: &Bytes, validator: None };
    let (_, _, _) = (engine.status(), engine.pending(), engine.doubts());
    for input in [Input::Resumed, Input::Tick] {
        if engine.handle(input, &now, world).is_err() {
            return true;
        }
        let _ = engine.outstanding();
        for run in 0..4 {
            let _ = engine.request_of(run);
        }
    }
    true
}
