//! `conformance`: whether a program keeps the rules of governance.

mod program;
mod words;

use std::collections::BTreeMap;
use std::time::Duration;

use relay_baton::conformance::{Mismatch, PROTOCOL, Responder, Vector, check, vectors};
use relay_baton::json::{self, Limits, Object, Value};
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::text::{escape_message, quote};

use crate::args::ConformanceArgs;
use crate::contract::Contracts;
use crate::done::Done;
use crate::failure::{Answer, Failure};
use crate::output;

use program::Program;
use words::words;

/// After so many vectors in a row without an answer no more are asked.
const SILENT_MAX: usize = 3;

/// Asks, lists or answers.
pub(super) fn run(args: &ConformanceArgs) -> Result<Done, Failure> {
    if args.serve {
        return serve();
    }
    let wanted = wanted(&args.group)?;
    match &args.against {
        Some(command) => against(command, &wanted, Duration::from_secs(args.time_limit)),
        None => Ok(Done::shown(listed(&wanted))),
    }
}

fn serve() -> Result<Done, Failure> {
    let contracts = Contracts::default();
    let mut responder = Responder::new(Some(&contracts));
    output::answer_lines(&mut |line| responder.respond(line))?;
    Ok(Done::shown(String::new()))
}

fn wanted(groups: &[String]) -> Result<Vec<Vector>, Failure> {
    let all = vectors();
    for group in groups {
        if !all.iter().any(|vector| vector.group == *group) {
            let mut known: Vec<&str> = all.iter().map(|vector| vector.group.as_str()).collect();
            known.dedup();
            let text = format!("there is no group {}: the groups are {}", quote(group), known.join(", "));
            return Err(Failure::Usage(text));
        }
    }
    Ok(all.into_iter().filter(|vector| groups.is_empty() || groups.contains(&vector.group)).collect())
}

fn listed(vectors: &[Vector]) -> String {
    vectors.iter().map(|vector| format!("{}  {}\n", vector.id(), vector.rule)).collect()
}

/// Holds `command` to `vectors`.
fn against(command: &str, vectors: &[Vector], limit: Duration) -> Result<Done, Failure> {
    let words = words(command).map_err(Failure::Usage)?;
    let mut asking = Asking { words, limit, program: None };
    let name = asking.hello()?;
    let (mut refusals, mut held, mut silent, mut unasked) = (Vec::new(), BTreeMap::new(), 0, 0_u64);
    for vector in vectors {
        if silent == SILENT_MAX {
            unasked += 1;
            continue;
        }
        let mut is_silent = false;
        let found = check(vector, &mut |line| asking.ask(line).inspect_err(|_| is_silent = true));
        silent = if is_silent { silent + 1 } else { 0 };
        if found.is_empty() {
            *held.entry(vector.group.as_str()).or_insert(0_u64) += 1;
        }
        refusals.extend(found.iter().map(|found| refusal(vector, found)));
    }
    let (count, all) = (held.values().sum::<u64>(), vectors.len());
    match Refused::unless_empty(refusals, ()) {
        Ok(()) => Ok(kept(&held, count, &name)),
        Err(refused) => {
            let rest = if unasked == 0 { String::new() } else { format!("; {unasked} were not asked any more") };
            let mut answer = Answer::new(refused);
            answer.counts = counts(count, all as u64);
            Err(answer.with_help(format!("{count} of {all} vectors hold for {name}{rest}")).into())
        }
    }
}

fn kept(held: &BTreeMap<&str, u64>, count: u64, name: &str) -> Done {
    let mut text: String = held.iter().map(|(group, count)| format!("{group:<24}{count:>4}\n")).collect();
    text.push_str(&format!("all {count} vectors hold for {name}\n"));
    let mut done = Done::shown(text);
    done.report.counts = counts(count, count);
    done
}

fn counts(held: u64, all: u64) -> Vec<(&'static str, Value<'static>)> {
    vec![("held", Value::integer(held)), ("vectors", Value::integer(all))]
}

fn refusal(vector: &Vector, found: &Mismatch) -> Refusal {
    let detail = format!("{}: expected {}, got {} ({})", vector.id(), found.expected, found.got, vector.rule);
    Refusal::new(Code::ConformanceDiffers, found.at.clone(), detail)
}

/// A program that is asked, and begun again where it gave no answer.
struct Asking {
    words: Vec<String>,
    limit: Duration,
    program: Option<Program>,
}

impl Asking {
    fn ask(&mut self, line: &str) -> Result<String, String> {
        let mut program = match self.program.take() {
            Some(program) => program,
            None => Program::start(&self.words, self.limit)?,
        };
        let answer = program.ask(line)?;
        self.program = Some(program);
        Ok(answer)
    }

    /// What the program says that it is.
    fn hello(&mut self) -> Result<String, Failure> {
        let wrong = |detail: String| {
            let help = "a program that is held to the vectors answers each line with one: see `conformance --help`";
            Failure::from(Answer::new(Refusal::new(Code::ConformanceDiffers, "", detail)).with_help(help))
        };
        let line = self.ask(r#"{"id":"hello","op":"hello"}"#).map_err(|why| wrong(format!("`hello`: {why}")))?;
        let shown = || format!("`hello`: it answered {}", quote(&escape_message(&line)));
        let told = json::read(&line, &Limits::default()).map_err(|_| wrong(shown()))?;
        let answer = told.as_object().and_then(|told| told.get("answer")?.as_object());
        let text = |of: &Object<'_>, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
        let answer = answer.ok_or_else(|| wrong(shown()))?;
        match (text(answer, "protocol"), text(answer, "implementation")) {
            (Some(protocol), Some(name)) if protocol == PROTOCOL => Ok(escape_message(&name).into_owned()),
            (Some(_), Some(_)) => Err(wrong(format!("{}, and {PROTOCOL} is spoken here", shown()))),
            _ => Err(wrong(shown())),
        }
    }
}
