//! `diff` of two revisions of the baton on its board.

use std::path::Path;

use relay_baton::baton::{Baton, Budget, DEFAULT_BUDGET, Field};
use relay_baton::fit::{fit, render_whole};
use relay_baton::json::{self, Value};
use relay_baton::render::Format;
use relay_baton_tokens::Encoding;

use crate::args::DiffArgs;
use crate::command::board;
use crate::command::checkout::revision;
use crate::command::show::Wanted;
use crate::command::unified::unified;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Access, Input, Target};

/// The two revisions that were typed; none where files are meant.
pub(super) fn typed(args: &DiffArgs) -> Option<[u64; 2]> {
    Some([number(&args.before)?, number(&args.after)?])
}

/// A number that is no file.
fn number(path: &Path) -> Option<u64> {
    let text = path.to_str()?;
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !path.exists();
    digits.then(|| text.parse().ok()).flatten()
}

/// The merge patch between them, or what changes in the rendering.
pub(super) fn run(args: &DiffArgs, [before, after]: [u64; 2]) -> Result<Done, Failure> {
    let mut opened = board::open(&args.board, Access::Read)?;
    let old = revision(&mut opened, Wanted::Number(before))?.baton;
    let new = revision(&mut opened, Wanted::Number(after))?.baton;
    if args.rendering {
        let text =
            unified(&rendering(&old), &rendering(&new), &format!("revision {before}"), &format!("revision {after}"));
        let target = Target::named(args.output.as_deref(), true);
        return Ok(Done::with(Document::plain(text), target));
    }
    let (old, new) = (without_stamp(old), without_stamp(new));
    let input = |value: &Value<'_>| Input { name: opened.name.clone(), text: json::compact(value).leak() };
    if args.rfc6902 {
        let patch = super::json_patch(&input(&old), &input(&new))?;
        return Ok(Done::with(Document::json(patch), Target::named(args.output.as_deref(), true)));
    }
    super::merge_patch(args, &old, &new, &input(&new))
}

fn without_stamp(baton: Baton<'static>) -> Value<'static> {
    let mut members = baton.into_object();
    members.remove(Field::Stamp.name());
    Value::Object(members)
}

/// The rendering within the baton's own budget; that of a baton over it is whole.
fn rendering(baton: &Baton<'_>) -> String {
    let budget = baton.stamp().budget.unwrap_or(DEFAULT_BUDGET);
    let encoding = Encoding::named(budget.encoding).unwrap_or(Encoding::O200kBase);
    let budget = Budget { tokens: budget.tokens, encoding: encoding.name() };
    let fitted = fit(baton, Format::Markdown, &budget, &encoding);
    fitted.unwrap_or_else(|_| render_whole(baton, Format::Markdown, &budget)).into_text()
}
