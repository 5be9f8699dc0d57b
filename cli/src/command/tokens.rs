//! `tokens`: where the tokens of a rendering go.

use std::fmt::Write as _;

use relay_baton::fit::{SectionTokens, TokenTable, section_tokens};
use relay_baton::json::{Object, Value};
use relay_baton::render::Format;

use crate::args::TokensArgs;
use crate::command::budget::{budget, tokens};
use crate::command::{open, revised};
use crate::done::Done;
use crate::failure::Failure;
use crate::settings;

/// Prints a table of sections.
pub(super) fn run(args: &TokensArgs) -> Result<Done, Failure> {
    let limits = settings::limits(&args.limits);
    let (input, baton) = open::baton_at(&args.baton, &limits)?;
    let (budget, counter) = budget(&args.budget, &baton, &input)?;
    let counted = section_tokens(&baton, Format::Markdown, &budget, &counter);
    let mut done = Done::shown(table(&counted));
    done.report.facts = revised(&baton, &[]);
    done.report.facts.push(("sections", Value::Array(counted.rows.iter().map(section).collect())));
    done.report.counts = vec![("tokens", tokens(counted.tokens, &budget, Vec::new()))];
    done.report.file = Some(input.name);
    Ok(done)
}

fn table(counted: &TokenTable) -> String {
    let mut out = format!("{:<16}{:>8}{:>8}{:>10}\n", "section", "tokens", "whole", "left out");
    for row in &counted.rows {
        let shed = if row.shed == 0 { String::new() } else { row.shed.to_string() };
        line(&mut out, row.name, row.tokens, row.whole, &shed);
    }
    line(&mut out, "total", counted.tokens, counted.whole, "");
    let fits = if counted.fits { "fits" } else { "does not fit" };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{fits} the budget of {} tokens ({})", counted.budget, counted.encoding);
    out
}

fn line(out: &mut String, name: &str, tokens: usize, whole: usize, shed: &str) {
    let text = format!("{name:<16}{tokens:>8}{whole:>8}{shed:>10}");
    out.push_str(text.trim_end());
    out.push('\n');
}

fn section(row: &SectionTokens) -> Value<'static> {
    let mut object = Object::new();
    object.set("name", Value::string(row.name));
    for (name, number) in [("tokens", row.tokens), ("whole", row.whole), ("shed", row.shed)] {
        object.set(name, Value::integer(number as u64));
    }
    Value::Object(object)
}
