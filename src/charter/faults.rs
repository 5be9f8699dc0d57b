//! What is wrong with a charter, all of it, each fault with the file that it stands in.

use std::fmt;

use super::source::Source;
use crate::baton::distance;
use crate::json::pointer;
use crate::refusal::{Code, Refusal, Refused};
use crate::text::quote;

/// One fault of a charter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file that it stands in, as its [`Source`] was named.
    pub file: String,
    /// What is wrong, with its pointer and position in that file.
    pub refusal: Refusal,
}

/// All that is wrong with a charter: at least one fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsound {
    faults: Vec<Fault>,
}

impl Unsound {
    /// The same refusals for one file.
    #[must_use]
    pub fn of(file: &str, refusals: Vec<Refusal>) -> Self {
        Self { faults: refusals.into_iter().map(|refusal| Fault { file: file.to_owned(), refusal }).collect() }
    }

    /// The faults, in the order found.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl From<Unsound> for Refused {
    fn from(unsound: Unsound) -> Self {
        let refusals: Vec<Refusal> = unsound.faults.into_iter().map(|fault| fault.refusal).collect();
        let none = || Self::from(Refusal::new(Code::CharterRule, "", "the charter was refused"));
        Self::unless_empty(refusals, ()).err().unwrap_or_else(none)
    }
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, fault) in self.faults.iter().enumerate() {
            if number > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{}: {}", fault.file, fault.refusal)?;
        }
        Ok(())
    }
}

impl std::error::Error for Unsound {}

/// A place in one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The file's number.
    pub(super) file: usize,
    /// A JSON Pointer into it.
    pub(super) at: String,
}

impl Place {
    pub(super) fn child(&self, token: &str) -> Self {
        Self { file: self.file, at: pointer::child(&self.at, token) }
    }

    pub(super) fn item(&self, index: usize) -> Self {
        Self { file: self.file, at: pointer::item(&self.at, index) }
    }
}

/// The faults that were found so far.
#[derive(Default)]
pub(super) struct Faults {
    found: Vec<(usize, Refusal)>,
    /// How many more there are.
    untold: usize,
    /// Faults that come with their file and position already.
    foreign: Vec<Fault>,
}

/// With so many faults nobody reads on, and to find where they stand would take long.
pub(super) const FAULTS_MAX: usize = 100;

impl Faults {
    pub(super) fn add(&mut self, code: Code, place: &Place, detail: impl Into<String>) {
        if self.found.len() < FAULTS_MAX {
            self.found.push((place.file, Refusal::new(code, place.at.clone(), detail)));
        } else {
            self.untold += 1;
        }
    }

    pub(super) fn member(&mut self, place: &Place, detail: impl Into<String>) {
        self.add(Code::CharterMember, place, detail);
    }

    pub(super) fn name(&mut self, place: &Place, detail: impl Into<String>) {
        self.add(Code::CharterName, place, detail);
    }

    pub(super) fn rule(&mut self, place: &Place, detail: impl Into<String>) {
        self.add(Code::CharterRule, place, detail);
    }

    /// What came in place of a file that `file` names at `place`: what is about the naming itself stands there.
    pub(super) fn foreign(&mut self, unsound: Unsound, file: &str, place: &Place) {
        for fault in unsound.faults {
            if fault.file == file && fault.refusal.position.is_none() {
                self.add(fault.refusal.code, place, fault.refusal.detail);
            } else {
                self.foreign.push(fault);
            }
        }
    }

    /// `: did you mean …?` for a name that is nearly one of `known`; else nothing.
    pub(super) fn meant<N: AsRef<str>>(&self, name: &str, known: impl Iterator<Item = N>) -> String {
        if self.found.len() >= FAULTS_MAX {
            return String::new();
        }
        nearest(name, known).map_or(String::new(), |near| format!(": did you mean {}?", quote(near.as_ref())))
    }

    /// What was found, at its positions.
    pub(super) fn into_unsound(mut self, sources: &[Source]) -> Option<Unsound> {
        if let (1.., Some((_, last))) = (self.untold, self.found.last_mut()) {
            last.detail = format!("{}; and {} more faults", last.detail, self.untold);
        }
        let told = self.found.into_iter().map(|(file, mut refusal)| {
            let source = sources.get(file);
            refusal.position = source.and_then(|source| source.position(&refusal.at));
            Fault { file: source.map_or(String::new(), |source| source.file().to_owned()), refusal }
        });
        let faults: Vec<Fault> = told.chain(self.foreign).collect();
        (!faults.is_empty()).then_some(Unsound { faults })
    }
}

/// Which of `known` is meant by `name`: another case or separator, or one or two letters off.
pub(super) fn nearest<N: AsRef<str>>(name: &str, known: impl Iterator<Item = N>) -> Option<N> {
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let wanted = plain(name);
    if wanted.len() > 128 {
        return None;
    }
    let length = wanted.chars().count();
    let slack = match length {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, N)> = None;
    for known in known {
        let other = plain(known.as_ref());
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let steps = distance(&wanted, &other).min(distance(&last(&wanted), &last(&other)));
        if steps <= slack && steps < length && best.as_ref().is_none_or(|(least, _)| steps < *least) {
            best = Some((steps, known));
        }
    }
    best.map(|(_, known)| known)
}
