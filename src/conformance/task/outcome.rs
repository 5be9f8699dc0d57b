//! What tools are scripted to come to.

use std::collections::BTreeMap;

use crate::conformance::asked::{Asked, Wrong};
use crate::engine::Outcome;
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
