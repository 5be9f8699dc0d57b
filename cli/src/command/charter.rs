//! `charter`: what a charter allows, and what is wrong with one.

mod text;

use std::path::Path;

use relay_baton::charter::Charter;
use relay_baton::json::{self, Value};

use crate::args::{CharterArgs, CharterCheckArgs, CharterFormat, CharterShowArgs, CharterVerb};
use crate::command::task::validator;
use crate::done::{Document, Done};
use crate::failure::{Failure, named, shown_name};
use crate::place::{Target, check_charter, read_charter};

/// Does what the verb after it says.
pub(super) fn run(args: &CharterArgs) -> Result<Done, Failure> {
    match &args.verb {
        CharterVerb::Check(args) => check(args),
        CharterVerb::Show(args) => show(args),
    }
}

fn check(args: &CharterCheckArgs) -> Result<Done, Failure> {
    let (charter, notices) = check_charter(&args.file, validator())?;
    let line = format!("{}: {}\n", shown_name(&named(&args.file)), text::counts(&charter));
    let mut done = Done::shown(line);
    done.report.facts = facts(&charter);
    done.report.notices = notices;
    done.report.file = Some(named(&args.file));
    Ok(done)
}

fn show(args: &CharterShowArgs) -> Result<Done, Failure> {
    let (charter, _) = read_charter(&args.file)?;
    let document = match args.format {
        CharterFormat::Text => Document::plain(text::shown(&charter)),
        CharterFormat::Mermaid => Document::plain(charter.to_mermaid()),
        CharterFormat::Json => Document::json(json::pretty(&charter.document) + "\n"),
    };
    let mut done = Done::with(document, Target::Stdout);
    done.report.facts = facts(&charter);
    done.report.file = Some(named(Path::new(&args.file)));
    Ok(done)
}

fn facts(charter: &Charter) -> Vec<(&'static str, Value<'static>)> {
    vec![
        ("digest", Value::string(charter.digest.clone())),
        ("strategies", Value::integer(charter.strategies.len() as u64)),
        ("agents", Value::integer(charter.agents.len() as u64)),
        ("tools", Value::integer(charter.tools.len() as u64)),
    ]
}
