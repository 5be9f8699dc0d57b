//! Renderings read back, strictly: anything that the format does not define is a failure.

use crate::baton::{Baton, Field};
use crate::json::{self, Limits, Value};

/// An item as pairs of a member's name and its text, head first.
pub(crate) type Item = Vec<(String, String)>;
/// Sections with their items.
pub(crate) type Sections = Vec<(String, Vec<Item>)>;

/// What a rendering of `baton` has to give back.
pub(crate) fn expected(baton: &Baton<'_>) -> Sections {
    let list = |field| baton.strings(field).map(|text| vec![pair("", text)]).collect();
    let sections = vec![
        ("goal", vec![vec![pair("", baton.goal())]]),
        ("constraints", list(Field::Constraints)),
        ("acceptance", baton.checks().map(|check| check_item(check.as_object())).collect()),
        ("work_scope", list(Field::WorkScope)),
        ("decision_log", decisions(baton)),
        ("artifacts", baton.artifacts().map(|artifact| artifact_item(artifact.as_object())).collect()),
        ("open_questions", list(Field::OpenQuestions)),
        ("other_keys", baton.others().map(|(name, value)| vec![json_pair(name, value)]).collect()),
        ("current_state", list(Field::CurrentState)),
    ];
    let full = sections.into_iter().filter(|(_, items)| !items.is_empty());
    full.map(|(name, items)| (name.to_owned(), items)).collect()
}

fn pair(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

/// A member that is shown as JSON: its name and value in one comparable spelling.
fn json_pair(name: &str, value: &Value<'_>) -> (String, String) {
    (format!("json {name}"), plain(value).to_string())
}

fn plain(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => serde_json::from_str(number.as_str()).unwrap(),
        Value::String(text) => text.as_ref().into(),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(object) => {
            object.iter().map(|(name, value)| (name.to_owned(), plain(value))).collect::<serde_json::Map<_, _>>().into()
        }
    }
}

fn members(item: &mut Item, object: &json::Object<'_>, texts: &[&str], heads: &[&str]) {
    for name in texts {
        object.get(name).and_then(Value::as_str).into_iter().for_each(|text| item.push(pair(name, text)));
    }
    let unknown = object.iter().filter(|(name, _)| !texts.contains(name) && !heads.contains(name));
    item.extend(unknown.map(|(name, value)| json_pair(name, value)));
}

fn check_item(object: &json::Object<'_>) -> Item {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap();
    let mut item = vec![pair("status", text("status")), pair("", text("check"))];
    members(&mut item, object, &["evidence"], &["check", "status"]);
    item
}

fn artifact_item(object: &json::Object<'_>) -> Item {
    let mut item = vec![pair("", object.get("name").and_then(Value::as_str).unwrap())];
    members(&mut item, object, &["uri", "digest", "media_type", "summary"], &["name"]);
    item
}

fn decisions(baton: &Baton<'_>) -> Vec<Item> {
    let item = |decision: crate::baton::Decision<'_>| {
        let mut item = vec![pair("id", decision.id())];
        item.extend(decision.step().map(|step| pair("step", step)));
        let taker = baton.decisions().find(|taker| taker.supersedes().any(|taken| taken == decision.id()));
        item.extend(taker.map(|taker| pair("superseded by", taker.id())));
        item.extend(decision.supersedes().map(|taken| pair("supersedes", taken)));
        item.push(pair("", decision.text()));
        members(&mut item, decision.as_object(), &["rationale"], &["id", "decision", "supersedes", "step", "at", "by"]);
        item
    };
    baton.decisions().map(item).collect()
}

/// Reads an unshed Markdown rendering back.
pub(crate) fn markdown(text: &str) -> Result<Sections, String> {
    let mut lines = text.strip_suffix('\n').ok_or("no line feed at the end")?.split('\n').peekable();
    (lines.next() == Some("# Baton")).then_some(()).ok_or("no title")?;
    let mut sections = Sections::new();
    while let Some(heading) = lines.next_if(|line| line.starts_with("## ")) {
        let title = heading.trim_start_matches("## ");
        let section = crate::outline::Section::ALL.into_iter().find(|section| title == section.title()).ok_or(title)?;
        (lines.next() == Some("```")).then_some(()).ok_or("no fence")?;
        let data: Vec<&str> = std::iter::from_fn(|| lines.next_if(|line| *line != "```")).collect();
        (lines.next() == Some("```")).then_some(()).ok_or("the fence is not closed")?;
        sections.push((section.name().to_owned(), items(section.name(), &data)?));
    }
    let stamp = lines.next().unwrap_or_default();
    (stamp.starts_with("(revision ") && lines.next().is_none())
        .then_some(sections)
        .ok_or(format!("at the end: {stamp}"))
}

/// Reads an unshed XML rendering back.
pub(crate) fn xml(text: &str) -> Result<Sections, String> {
    let inner =
        text.strip_prefix("<baton>\n").and_then(|text| text.strip_suffix("</baton>\n")).ok_or("no root element")?;
    let mut lines = inner.strip_suffix('\n').ok_or("no line feed")?.split('\n').peekable();
    let mut sections = Sections::new();
    while let Some(tag) = lines.next_if(|line| line.starts_with('<') && !line.starts_with("<stamp>")) {
        let name = tag.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')).ok_or(tag)?;
        let data: Vec<&str> = std::iter::from_fn(|| lines.next_if(|line| !line.starts_with('<'))).collect();
        (lines.next() == Some(&format!("</{name}>"))).then_some(()).ok_or("another end tag")?;
        let data: Vec<String> = data.iter().map(|line| unmarked(line)).collect::<Result<_, _>>()?;
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        sections.push((name.to_owned(), items(name, &data)?));
    }
    let stamp = lines.next().unwrap_or_default();
    let whole = stamp.starts_with("<stamp>revision ") && stamp.ends_with("</stamp>") && lines.next().is_none();
    whole.then_some(sections).ok_or(format!("at the end: {stamp}"))
}

fn unmarked(line: &str) -> Result<String, String> {
    let bare = line.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "");
    if bare.contains(['<', '>', '&']) {
        return Err(format!("markup in {line}"));
    }
    Ok(line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

fn items(section: &str, lines: &[&str]) -> Result<Vec<Item>, String> {
    let mut items: Vec<Item> = Vec::new();
    let mut at = 0;
    while let Some(first) = lines.get(at) {
        let more = lines[at + 1..].iter().take_while(|line| line.starts_with("| ")).count();
        let rest: String = lines[at + 1..=at + more].iter().map(|line| line.replacen("| ", "\n", 1)).collect();
        at += 1 + more;
        let raw = format!("{}{rest}", first.get(2..).ok_or("a line without prefix")?);
        match first.get(..2) {
            Some("- ") => items.push(head(section, &raw)?),
            Some("+ ") => items.last_mut().ok_or("a member without item")?.push(further(&raw)?),
            _ => return Err(format!("a line without prefix: {first:?}")),
        }
    }
    Ok(items)
}

fn head(section: &str, raw: &str) -> Result<Item, String> {
    match section {
        "decision_log" => decision_head(raw),
        "acceptance" => {
            let (status, text) = raw.strip_prefix('[').and_then(|raw| raw.split_once("] ")).ok_or(raw)?;
            Ok(vec![pair("status", status), pair("", &unescaped(text)?)])
        }
        "other_keys" => Ok(vec![json_member(raw)?]),
        _ => Ok(vec![pair("", &unescaped(raw)?)]),
    }
}

fn decision_head(raw: &str) -> Result<Item, String> {
    let (bracket, text) = raw.strip_prefix('[').and_then(|raw| raw.split_once("] ")).ok_or(raw)?;
    let mut parts = bracket.split("; ").peekable();
    let (id, step) = parts
        .next()
        .map(|names| names.split_once(' ').map_or((names, None), |(id, step)| (id, Some(step))))
        .ok_or(raw)?;
    let mut item = vec![pair("id", &unescaped(id)?)];
    item.extend(step.map(unescaped).transpose()?.map(|step| pair("step", &step)));
    if let Some(taker) = parts.peek().and_then(|part| part.strip_prefix("superseded by ")) {
        item.push(pair("superseded by", &unescaped(taker)?));
        parts.next();
    }
    if let Some(taken) = parts.next() {
        for id in taken.strip_prefix("supersedes ").ok_or(raw)?.split(", ") {
            item.push(pair("supersedes", &unescaped(id)?));
        }
    }
    parts.next().is_none().then_some(()).ok_or(raw)?;
    item.push(pair("", &unescaped(text)?));
    Ok(item)
}

fn further(raw: &str) -> Result<(String, String), String> {
    if raw.starts_with('"') {
        return json_member(raw);
    }
    let (name, text) = raw.split_once(": ").ok_or(raw)?;
    let known = ["rationale", "evidence", "uri", "digest", "media_type", "summary"].contains(&name);
    if known { Ok(pair(name, &unescaped(text)?)) } else { Err(format!("a member {name}")) }
}

/// `"name": value`
fn json_member(raw: &str) -> Result<(String, String), String> {
    let whole = json::read(&format!("{{{raw}}}"), &Limits::default())
        .map(Value::into_owned)
        .map_err(|refusal| refusal.to_string())?;
    let object = whole.as_object().filter(|object| object.len() == 1).ok_or("several members")?;
    let (name, value) = object.iter().next().ok_or("no member")?;
    Ok(json_pair(name, value))
}

/// The text of which these are the escapes.
pub(crate) fn unescaped(raw: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut parts = raw.split("\\u{");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (number, rest) = part.split_once('}').ok_or(format!("an open escape in {raw:?}"))?;
        let character = u32::from_str_radix(number, 16).ok().and_then(char::from_u32);
        text.push(character.ok_or(format!("no character {number}"))?);
        text.push_str(rest);
    }
    Ok(text)
}

/// Reads an unshed JSON rendering back.
pub(crate) fn document(text: &str) -> Result<Sections, String> {
    let whole = json::read(text.trim_end(), &Limits::default()).map_err(|refusal| refusal.to_string())?;
    let whole = whole.as_object().ok_or("no object")?;
    let known = ["baton", "shed", "revision", "step", "by", "budget"];
    if let Some((name, _)) = whole.iter().find(|(name, _)| !known.contains(name)) {
        return Err(format!("an unknown member {name}"));
    }
    let baton = whole.get("baton").cloned().ok_or("no baton")?;
    Ok(expected(&Baton::from_value(baton).map_err(|refused| refused.to_string())?))
}
