//! Opening the document that a verb works on, and the place where its successor goes.

use std::path::Path;

use relay_baton::baton::Baton;
use relay_baton::json::Limits;

use crate::args::PlaceArgs;
use crate::failure::Failure;
use crate::place::{Hold, Input, Source, Target, is_same_file};

/// Reads the document, and locks its file first when it is to be replaced.
pub(super) fn open(source: &Source, place: &PlaceArgs, limits: &Limits) -> Result<(Input, Target), Failure> {
    let output = place.output.as_deref().filter(|output| output.as_os_str() != "-");
    if place.in_place && *source == Source::Stdin {
        return Err(Failure::Usage("-i needs a file to replace, not standard input".to_owned()));
    }
    let own = *source != Source::Stdin && output.is_some_and(|output| is_same_file(output, source.path()));
    if place.in_place || own {
        let mut hold = Hold::take(source.path())?;
        let input = hold.read(limits)?;
        return Ok((input, Target::InPlace(Box::new(hold))));
    }
    Ok((source.read(limits)?, Target::named(output, true)))
}

/// Reads a baton from what was read.
pub(super) fn baton(input: &Input, limits: &Limits) -> Result<Baton<'static>, Failure> {
    Baton::read(input.text, limits).map_err(|refused| input.refuse(refused).into())
}

/// Reads the baton in the file at `path`.
pub(super) fn baton_at(path: &Path, limits: &Limits) -> Result<(Input, Baton<'static>), Failure> {
    let input = Source::from(path).read(limits)?;
    let baton = baton(&input, limits)?;
    Ok((input, baton))
}
