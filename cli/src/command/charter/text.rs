//! A charter for people: who may call whom, and what each may use, read, write and spend.

use std::fmt::{Display, Write as _};

use relay_baton::charter::{Agent, Charter, Command, Data, Strategy, Tool};
use relay_baton::entry::Readers;
use relay_baton::text::escape_hidden;

/// `1 strategy, 3 agents, 2 tools`
pub(super) fn counts(charter: &Charter) -> String {
    let count = |count: usize, one: &str, several: &str| format!("{count} {}", if count == 1 { one } else { several });
    let parts = [
        count(charter.strategies.len(), "strategy", "strategies"),
        count(charter.agents.len(), "agent", "agents"),
        count(charter.tools.len(), "tool", "tools"),
    ];
    parts.join(", ")
}

/// All of it. Nothing that the charter says reaches a terminal unescaped.
pub(super) fn shown(charter: &Charter) -> String {
    let mut out = String::new();
    let ceilings = charter.ceilings;
    let module = charter.module.as_ref().map_or(String::new(), |module| format!(" {module}"));
    push(&mut out, 0, format_args!("charter{module} ({})", charter.digest));
    let numbers = format!(
        "{} tokens, {} tool calls, {} spawns, depth {}",
        ceilings.tokens, ceilings.tool_calls, ceilings.spawns, ceilings.depth
    );
    line(&mut out, "ceilings", &numbers);
    charter.strategies.values().for_each(|found| strategy(&mut out, found));
    charter.agents.values().for_each(|found| agent(&mut out, found));
    charter.tools.values().for_each(|found| tool(&mut out, found));
    charter.data.values().for_each(|found| data(&mut out, found));
    for person in charter.people.iter().flat_map(|people| people.values()) {
        push(&mut out, 0, format_args!("\nperson {}", person.name));
        line(&mut out, "may use", &listed(&person.tools));
    }
    out
}

fn strategy(out: &mut String, strategy: &Strategy) {
    push(out, 0, format_args!("\nstrategy {}", strategy.name));
    said(out, &strategy.description);
    if let Some(goal) = &strategy.goal {
        line(out, "goal", goal);
    }
    for subtask in &strategy.subtasks {
        let mut text = format!("by agent {}", subtask.agent);
        if !subtask.after.is_empty() {
            let _ = write!(text, ", after {}", listed(&subtask.after));
        }
        if !subtask.consumes.is_empty() {
            let _ = write!(text, ", from {}", listed(&subtask.consumes));
        }
        if let Some(key) = &subtask.produces {
            let _ = write!(text, ", makes {key}");
        }
        line(out, subtask.id.as_str(), &text);
        if !subtask.intent.is_empty() {
            push(out, 4, format_args!("{}", escape_hidden(&subtask.intent)));
        }
    }
}

fn agent(out: &mut String, agent: &Agent) {
    push(out, 0, format_args!("\nagent {}", agent.name));
    said(out, &agent.responsibility);
    line(out, "called by", &listed(&agent.callable_by));
    line(out, "tools", &listed(&agent.tools));
    line(out, "delegates to", &listed(&agent.agents));
    line(out, "given", &listed(&agent.needs));
    line(out, "reads", &agent.reads.as_ref().map_or_else(|| "the whole baton".to_owned(), listed));
    line(out, "writes", &listed(&agent.writes));
    let (limits, mut spends) = (agent.limits, Vec::new());
    spends.push(format!("{} model calls", limits.iterations));
    spends.extend(limits.tokens.map(|tokens| format!("{tokens} tokens")));
    spends.extend(limits.tool_calls.map(|calls| format!("{calls} tool calls")));
    spends.push(format!("{} tokens an answer", limits.answer_tokens));
    line(out, "limits", &spends.join(", "));
    if agent.contract.is_some() {
        line(out, "contract", &format!("its output meets a schema, {} corrections", agent.corrections));
    }
    if agent.declassify {
        line(out, "declassifies", "it may let others read what came of things that they may not read");
    }
    command(out, agent.command.as_ref());
}

fn tool(out: &mut String, tool: &Tool) {
    push(out, 0, format_args!("\ntool {}", tool.name));
    said(out, &tool.description);
    if tool.side_effects {
        let anyone = || "anyone who is no agent".to_owned();
        let mut approvers = tool.approvers.as_ref().map_or_else(anyone, listed);
        if let Some(seconds) = tool.approval_seconds {
            let _ = write!(approvers, ", within {} minutes", seconds / 60);
        }
        line(out, "approved by", &approvers);
    } else {
        line(out, "approved by", "nobody: it has no side effects");
    }
    line(out, "read by", &readers(&tool.readers));
    command(out, tool.command.as_ref());
}

fn data(out: &mut String, data: &Data) {
    push(out, 0, format_args!("\ndata {}", data.key));
    line(out, "read by", &readers(&data.readers));
    for (name, is_so) in [("recalled", data.recalled), ("kept", data.kept)] {
        if is_so {
            line(out, name, "yes");
        }
    }
}

fn command(out: &mut String, command: Option<&Command>) {
    let Some(command) = command else { return };
    let words: Vec<String> = command.words.iter().map(|word| format!("{word:?}")).collect();
    let limits = format!("{} s, {} bytes", command.time_limit_ms / 1000, command.output_limit_bytes);
    line(out, "command", &format!("{} (at most {limits})", words.join(" ")));
}

fn readers(readers: &Readers) -> String {
    match readers {
        Readers::Everyone => "everyone".to_owned(),
        Readers::Agents(agents) => listed(agents),
    }
}

/// `a, b`, or `nobody and nothing` in one word.
fn listed<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { "-".to_owned() } else { items.join(", ") }
}

fn said(out: &mut String, text: &str) {
    if !text.is_empty() {
        push(out, 2, format_args!("{}", escape_hidden(text)));
    }
}

fn line(out: &mut String, name: &str, text: &str) {
    push(out, 2, format_args!("{:<13} {}", format!("{name}:"), escape_hidden(text)));
}

fn push(out: &mut String, indent: usize, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:indent$}{text}", "");
}
