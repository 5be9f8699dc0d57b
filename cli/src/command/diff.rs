//! `diff`: the patch between two documents.

mod revisions;

use relay_baton::json::{self, Limits, Numbers, Value};
use relay_baton::refusal::{Code, Notice, Refusal, Refused};

use crate::args::DiffArgs;
use crate::command::merge::limits;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Input, Target};
use crate::settings;

/// Prints the merge patch (RFC 7396) or the JSON Patch (RFC 6902) that makes the second document of the first.
pub(super) fn run(args: &DiffArgs) -> Result<Done, Failure> {
    if let Some(revisions) = revisions::typed(args) {
        return revisions::run(args, revisions);
    }
    if args.board.is_typed() {
        return Err(Failure::Usage("a board goes with two numbers of revisions that are no files".to_owned()));
    }
    if args.rendering {
        return Err(Failure::Usage("--rendering compares two revisions of the baton on its board".to_owned()));
    }
    let mut limits = limits(args.max_depth, args.max_size);
    if args.rfc6902 {
        // What is compared there are IEEE doubles.
        limits = limits.with_numbers(Numbers::IJson);
    }
    let [before, after] = settings::sources([&args.before, &args.after])?;
    let (before, after) = (before.read(&limits)?, after.read(&limits)?);
    let (from, to) = (read(&before, &limits)?, read(&after, &limits)?);
    if args.rfc6902 {
        let target = Target::named(args.output.as_deref(), true);
        return Ok(Done::with(Document::json(json_patch(&before, &after)?), target));
    }
    merge_patch(args, &from, &to, &after)
}

/// The merge patch between two values. `after` is what the second one was read from.
fn merge_patch(args: &DiffArgs, from: &Value<'_>, to: &Value<'_>, after: &Input) -> Result<Done, Failure> {
    let target = Target::named(args.output.as_deref(), true);
    let (patch, lost) = json::difference(from, to);
    let mut notices = Vec::new();
    if args.lossy {
        notices = lost.into_iter().map(left_out).collect();
    } else {
        let refusals = lost.into_iter().map(|at| Refusal::new(Code::PatchType, at, UNSAYABLE)).collect();
        Refused::unless_empty(refusals, ()).map_err(|refused| after.refuse(refused))?;
    }
    let mut text = json::pretty(&patch);
    text.push('\n');
    let mut done = Done::with(Document::json(text), target);
    done.report.notices = notices;
    done.report.file = Some(after.name.clone());
    Ok(done)
}

/// The JSON Patch between the two texts, which were read once and are sound.
fn json_patch(before: &Input, after: &Input) -> Result<String, Failure> {
    let parse = |input: &Input| {
        let too_deep = |_| {
            let detail = "a JSON Patch is made of at most 127 levels: use a merge patch instead";
            Failure::from(input.refuse(Refusal::new(Code::JsonDepth, "", detail)))
        };
        serde_json::from_str::<serde_json::Value>(input.text).map_err(too_deep)
    };
    let patch = json_patch::diff(&parse(before)?, &parse(after)?);
    let lines: Vec<String> = patch.0.iter().map(|operation| format!("  {}", line(operation))).collect();
    Ok(if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) })
}

fn line(operation: &json_patch::PatchOperation) -> String {
    serde_json::to_string(operation).unwrap_or_default()
}

fn left_out(at: String) -> Notice {
    let detail = format!("left out: {at}, which a merge patch cannot set to null");
    Notice::new("diff.lossy", at, detail)
}

const UNSAYABLE: &str = "a merge patch cannot set this to null: use --rfc6902, or --lossy to leave it out";

fn read(input: &Input, limits: &Limits) -> Result<Value<'static>, Failure> {
    json::read(input.text, limits).map_err(|refusal| input.refuse(refusal).into())
}
