//! The one table of exit codes. `exit.txt` says the same to people.

use relay_baton::refusal::Class;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    Done = 0,
    Refused = 1,
    Usage = 2,
    Unacceptable = 3,
    Conflict = 4,
    Access = 5,
    Waiting = 6,
    Bug = 101,
    Stopped = 130,
}

impl Exit {
    /// The same, or that something could not be written, where all else was done.
    pub(crate) fn max_access(self) -> Self {
        if self == Self::Done { Self::Access } else { self }
    }
}

impl From<Class> for Exit {
    fn from(class: Class) -> Self {
        match class {
            Class::Refused => Self::Refused,
            Class::Unacceptable => Self::Unacceptable,
            Class::Conflict => Self::Conflict,
            Class::Access => Self::Access,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
