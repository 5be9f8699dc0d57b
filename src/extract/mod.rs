//! From what an agent wrote to the one patch in it.
//!
//! Agents wrap their answers in prose, fences, tags and thoughts, and quote pages that hold patches of others. So a text
//! holds a patch only in the forms below, and exactly one: never the first, never the last, never a guess.
//!
//! 1. `<baton_patch>…</baton_patch>`: JSON, or one fenced block of it.
//! 2. A fenced block whose info string has the word `baton_patch`.
//! 3. A JSON object with the member `baton_patch`, fenced or bare, that stands in no other JSON value.
//! 4. A text that is one JSON value as a whole.
//!
//! In the first two and the last, the object may be the patch itself or hold it as the member `baton_patch`. What stands
//! in a block of `<think>` or `<thinking>`, or in a string of a JSON value, is not looked at.
//!
//! Time is linear in the length of the text, whatever it holds.

mod ahead;
mod answer;
mod broken;
mod fence;
mod garbled;
mod judge;
mod name;
mod note;
mod repair;
mod scan;
mod skip;
mod tag;
mod think;
mod wrapper;

use std::borrow::Cow;

use crate::json::{Limits, Object};
use crate::refusal::Refused;

pub(crate) use self::answer::{Survey, is_answer_key, survey};
use self::name::Name;
pub(crate) use self::note::place;
use self::scan::Scan;

/// How a patch is looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extraction<'o> {
    /// Only `baton_patch:NONCE` counts, so that a patch quoted from elsewhere cannot pose as the agent's.
    pub nonce: Option<&'o str>,
    /// Comments and trailing commas are taken out of the patch.
    pub repair: bool,
    /// What the strict reader accepts of the patch, or of the object that holds it.
    pub limits: Limits,
}

/// The one patch of a text. Made by [`extract`] only.
#[derive(Clone, Debug)]
pub struct Extracted<'a> {
    value: Object<'a>,
    json: Cow<'a, str>,
    offset: usize,
    repaired: bool,
    beside: Vec<String>,
}

impl<'a> Extracted<'a> {
    /// The patch.
    #[must_use]
    pub fn value(&self) -> &Object<'a> {
        &self.value
    }

    /// The patch, by value.
    #[must_use]
    pub fn into_value(self) -> Object<'a> {
        self.value
    }

    /// The JSON text of the patch: as it was written, or with repairs blanked out by spaces.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The byte of the agent's text at which [`Self::json`] starts.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether a comment or a trailing comma was taken out.
    #[must_use]
    pub fn repaired(&self) -> bool {
        self.repaired
    }

    /// The names of the members that stand beside the patch in the object that holds it, which are not looked at. None
    /// of them is a known field's: that is refused.
    #[must_use]
    pub fn beside(&self) -> &[String] {
        &self.beside
    }
}

/// Finds the one patch in `text`.
///
/// # Errors
/// `patch.none`, `patch.several` or `patch.not_object`; what the strict reader refuses, when what has to be the patch is
/// not JSON. Positions are places in `text`, pointers are places in the patch.
pub fn extract<'a>(text: &'a str, how: &Extraction<'_>) -> Result<Extracted<'a>, Refused> {
    let name = Name::new(how.nonce);
    let scan = Scan::of(text, &name);
    judge::judge(text, &scan, how)
}

#[cfg(test)]
#[path = "extract_test.rs"]
mod extract_test;

#[cfg(test)]
#[path = "property_test.rs"]
mod property_test;
