//! `schema`: the shapes of documents.

use relay_baton::schema::{Dialect, Kind, schema_text};

use crate::args::SchemaArgs;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::Target;

/// Prints one schema.
pub(super) fn run(args: &SchemaArgs) -> Result<Done, Failure> {
    let kind = Kind::named(&args.kind).unwrap_or(Kind::Patch);
    let dialect = Dialect::named(&args.dialect).unwrap_or_default();
    let text = schema_text(kind, dialect).map_err(|none| Failure::Usage(none.to_string()))?;
    Ok(Done::with(Document::json(text.into_owned()), Target::Stdout))
}
