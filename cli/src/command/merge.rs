//! `merge`: plain RFC 7396, with no baton in it.

use relay_baton::json::{self, Limits, Numbers, Pieces};

use crate::args::MergeArgs;
use crate::command::open;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Input, Source};
use crate::settings;

/// Bytes that a document may have.
pub(super) const BYTES_MAX: usize = 1 << 30;

/// What `merge` and `diff` read: every number as it was written.
pub(super) fn limits(depth: Option<u64>, bytes: Option<u64>) -> Limits {
    let plain = Limits::default().with_bytes(BYTES_MAX).with_numbers(Numbers::AsWritten);
    settings::limited(plain, depth, bytes)
}

/// Merges the patches into the document, one after the other.
pub(super) fn run(args: &MergeArgs) -> Result<Done, Failure> {
    let limits = limits(args.max_depth, args.max_size);
    let source = Source::from(args.document.as_path());
    let patches: Vec<Source> = args.patch.iter().map(|path| Source::from(path.as_path())).collect();
    let mut all = vec![source.clone()];
    all.extend(patches.iter().cloned());
    settings::one_stdin(&all)?;
    let (input, target) = open::open(&source, &args.place, &limits)?;
    let patches: Vec<Input> = patches.iter().map(|patch| patch.read(&limits)).collect::<Result<_, _>>()?;
    let Some((last, first)) = patches.split_last() else {
        return Ok(Done::with(Document::json(input.text.to_owned()), target));
    };
    let mut document = input;
    for patch in first {
        document.text = spliced(&document, patch, &limits)?.to_text().leak();
    }
    let pieces = spliced(&document, last, &limits)?;
    Ok(Done::with(Document::pieces(pieces), target))
}

fn spliced(document: &Input, patch: &Input, limits: &Limits) -> Result<Pieces<'static>, Failure> {
    let patch = json::read(patch.text, limits).map_err(|refusal| patch.refuse(refusal))?;
    json::splice(document.text, &patch, limits).map_err(|refusal| document.refuse(refusal).into())
}
