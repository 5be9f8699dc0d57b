//! The agent that a step is done by, as a charter declares it.

use std::path::Path;

use relay_baton::baton::Id;
use relay_baton::charter::Agent;
use relay_baton::guard::Guards;
use relay_baton::json::Limits;
use relay_baton::refusal::{Code, Refusal};
use relay_baton::text::quote;

use crate::args::RoleArgs;
use crate::command::render::guards;
use crate::failure::{Answer, Failure};
use crate::place::read_charter;
use crate::settings;

/// The agent of `--charter FILE --as AGENT`; `None` where no charter is named.
pub(super) fn role(args: &RoleArgs) -> Result<Option<Agent>, Failure> {
    let (Some(path), Some(name)) = (&args.charter, &args.agent) else { return Ok(None) };
    let (charter, _) = read_charter(path)?;
    if let Some(agent) = charter.agent(name) {
        return Ok(Some(agent.clone()));
    }
    let near = charter.nearest_agent(name).map(|near| format!(": did you mean {}?", quote(near.as_str())));
    let help = near.unwrap_or_else(|| ": `charter show` lists them".to_owned());
    let detail = format!("there is no agent {} in the charter{help}", quote(name));
    Err(Answer::about(path, Code::AuthorityUnknown, detail).into())
}

/// Who the author is: the agent, which `--by` may only repeat.
pub(super) fn author(role: Option<&Agent>, by: Option<&str>) -> Result<Id, Failure> {
    let Some(agent) = role else { return settings::author(by) };
    match by {
        Some(by) if by != agent.name.as_str() => {
            Err(Failure::Usage(format!("--by {} is not the agent of --as, {}", quote(by), quote(agent.name.as_str()))))
        }
        _ => Ok(agent.name.clone()),
    }
}

/// The rules of the step: those of the agent, of a file, or the usual ones.
pub(super) fn rules(role: Option<&Agent>, file: Option<&Path>, limits: &Limits) -> Result<Guards, Failure> {
    match role {
        Some(agent) => Ok(Guards::writing(agent.writes.clone())),
        None => guards(file, limits),
    }
}

/// Refuses `--declassify` for an agent that the charter does not let.
pub(super) fn check_declassify(role: Option<&Agent>, declassify: bool) -> Result<(), Failure> {
    match role {
        Some(agent) if declassify && !agent.declassify => {
            let name = quote(agent.name.as_str());
            let detail = format!("the charter does not let {name} declassify: leave out --declassify");
            Err(Answer::new(Refusal::new(Code::BoardLaundering, "", detail)).into())
        }
        _ => Ok(()),
    }
}
