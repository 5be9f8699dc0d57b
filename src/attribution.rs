//! Who does something, at which step, and when: told to the library, never looked up by it.

use crate::baton::{Id, Timestamp};

/// What the merge writes beside each new decision and into the stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// The step of the pipeline.
    pub step: Id,
    /// The author.
    pub by: Id,
    /// The moment.
    pub at: Timestamp,
}
