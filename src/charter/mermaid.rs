//! A charter as a Mermaid flowchart: who may call whom, and what each may use.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Caller, Charter};
use crate::provenance::mermaid_label;

impl Charter {
    /// A Mermaid flowchart: an arrow leads from each caller to an agent that it may call and that it has work for, dotted
    /// where it has none, and from each agent to its tools; tools with side effects are hexagons.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("flowchart LR\n");
        // Writing to a string cannot fail.
        let mut nodes = BTreeMap::new();
        let strategies = self.strategies.keys().map(|name| (Caller::Strategy(name.clone()), ("([\"", "\"])")));
        let agents = self.agents.keys().map(|name| (Caller::Agent(name.clone()), ("[\"", "\"]")));
        for (number, (caller, (open, close))) in strategies.chain(agents).enumerate() {
            let _ = writeln!(out, "    c{number}{open}{}{close}", mermaid_label(&caller.to_string()));
            nodes.insert(caller, number);
        }
        let tools: BTreeMap<_, _> =
            self.tools.values().enumerate().map(|(number, tool)| (&tool.name, number)).collect();
        for (tool, number) in self.tools.values().zip(0..) {
            let (open, close) = if tool.side_effects { ("{{\"", "\"}}") } else { ("[/\"", "\"/]") };
            let _ = writeln!(out, "    t{number}{open}{}{close}", mermaid_label(&format!("tool {}", tool.name)));
        }
        for agent in self.agents.values() {
            let Some(own) = nodes.get(&Caller::Agent(agent.name.clone())) else { continue };
            for caller in &agent.callable_by {
                let arrow = if self.has_work_for(caller, &agent.name) { "-->" } else { "-.->" };
                let _ = nodes.get(caller).map(|caller| writeln!(out, "    c{caller} {arrow} c{own}"));
            }
            for tool in agent.tools.iter().filter_map(|tool| tools.get(tool)) {
                let _ = writeln!(out, "    c{own} --> t{tool}");
            }
        }
        out
    }
}
