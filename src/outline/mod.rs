//! What a rendering is made of: the content of a baton in rendering order, and what of it may be left out.
//!
//! Every format, the fitting and the table of tokens start here, so that they cannot disagree on what there is.

mod build;
mod section;
mod shedding;

use crate::baton::{Budget, Stamp, Status};
use crate::json::Value;

pub use section::{Section, Shed, Stage};
pub(crate) use shedding::{Shedding, Unit, shedding_order};

/// The content of a baton in rendering order.
#[derive(Debug)]
pub(crate) struct Outline<'b> {
    /// What the merge wrote about itself.
    pub(crate) stamp: Stamp<'b>,
    /// The budget of the rendering.
    pub(crate) budget: Budget<'b>,
    /// The entries, section by section.
    pub(crate) entries: Vec<Entry<'b>>,
}

/// The head of an item, or one further member of the item whose head stands before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'b> {
    pub(crate) section: Section,
    pub(crate) part: Part<'b>,
    /// The stage at which it may be left out; never, where there is none.
    pub(crate) stage: Option<Stage>,
}

/// The content of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'b> {
    /// A string, or the name of an artifact.
    Text(&'b str),
    /// A decision, with the id of the one that takes it back.
    Decision {
        id: &'b str,
        step: Option<&'b str>,
        superseded_by: Option<&'b str>,
        supersedes: &'b [Value<'b>],
        text: &'b str,
    },
    /// A check.
    Check(Status, &'b str),
    /// A member of the document that is no known field.
    Other(&'b str, &'b Value<'b>),
    /// A known text member of an item.
    Member(&'static str, &'b str),
    /// A member of an item that nobody knows.
    Unknown(&'b str, &'b Value<'b>),
}

impl Part<'_> {
    /// Whether it starts an item.
    pub(crate) fn is_head(&self) -> bool {
        !matches!(self, Self::Member(..) | Self::Unknown(..))
    }
}
