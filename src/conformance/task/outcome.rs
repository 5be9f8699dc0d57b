//! What agents are scripted to say, and what tools come to.

use std::collections::BTreeMap;

use super::world::{Line, reply_text};
use crate::conformance::asked::{Asked, Wrong};
use crate::engine::{Outcome, Usage};
use crate::json::Value;

/// What each tool comes to, in its order.
pub(super) fn of_tools(asked: Asked<'_>) -> Result<BTreeMap<String, Vec<Outcome>>, Wrong> {
    let mut all = BTreeMap::new();
    let Some(tools) = asked.object("tools")? else { return Ok(all) };
    for (tool, _) in tools.members() {
        let outcomes = tools.objects(tool)?.into_iter().map(outcome).collect::<Result<Vec<_>, _>>()?;
        all.insert(tool.to_owned(), outcomes);
    }
    Ok(all)
}

fn outcome(asked: Asked<'_>) -> Result<Outcome, Wrong> {
    if let Some(why) = asked.text_if_there("failed")? {
        return Ok(Outcome::Failed(why.to_owned()));
    }
    if let Some(why) = asked.text_if_there("unknown")? {
        return Ok(Outcome::Unknown(why.to_owned()));
    }
    Ok(Outcome::Done(asked.value("done").unwrap_or(Value::Null)))
}

/// What each agent says, in its order.
pub(super) fn lines(asked: Asked<'_>) -> Result<BTreeMap<String, Vec<Line>>, Wrong> {
    let mut all = BTreeMap::new();
    let Some(replies) = asked.object("replies")? else { return Ok(all) };
    for (agent, _) in replies.members() {
        let lines = replies.list(agent)?.iter().map(line).collect::<Result<Vec<_>, _>>()?;
        all.insert(agent.to_owned(), lines);
    }
    Ok(all)
}

fn line(value: &Value<'_>) -> Result<Line, Wrong> {
    let usual = Usage { tokens_in: 10, tokens_out: 5 };
    let scripted = value.as_object().map(Asked::of).filter(|asked| asked.get("say").or(asked.get("fails")).is_some());
    let Some(asked) = scripted else { return Ok(Line { said: Ok(reply_text(value)), usage: usual }) };
    let said = match (asked.get("say"), asked.text_if_there("fails")?) {
        (Some(said), _) => Ok(reply_text(said)),
        (None, why) => Err(why.unwrap_or_default().to_owned()),
    };
    let tokens_in = asked.number("tokens_in")?.unwrap_or(usual.tokens_in);
    let tokens_out = asked.number("tokens_out")?.unwrap_or(usual.tokens_out);
    Ok(Line { said, usage: Usage { tokens_in, tokens_out } })
}
