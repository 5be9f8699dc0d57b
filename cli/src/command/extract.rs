//! `extract`: the one patch in a text.

use relay_baton::extract::{Extraction, extract};
use relay_baton::json::{self, Value};
use relay_baton::refusal::Notice;

use crate::args::ExtractArgs;
use crate::command::message;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Source, Target};
use crate::settings;

/// Prints the patch as JSON.
pub(super) fn run(args: &ExtractArgs) -> Result<Done, Failure> {
    let limits = settings::limits(&args.limits);
    let input = Source::from(args.text.as_path()).read(&limits)?;
    let extraction = Extraction { nonce: settings::nonce(args.nonce.as_deref())?, repair: args.repair, limits };
    let found = extract(input.text, &extraction)
        .map_err(|refused| message::with_nonce_help(input.refuse(refused), args.nonce.as_deref()))?;
    let repaired = found.repaired();
    let mut text = json::pretty(&Value::Object(found.into_value()));
    text.push('\n');
    let mut done = Done::with(Document::json(text), Target::Stdout);
    if repaired {
        let detail = "comments or trailing commas were taken out of the patch";
        done.report.notices.push(Notice::new("patch.repaired", "", detail));
    }
    done.report.file = Some(input.name);
    Ok(done)
}
