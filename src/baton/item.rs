//! Views of the items of the decision log, the artifacts and the acceptance checks.

use std::fmt;

use crate::json::{Object, Value};

fn text<'b>(object: &'b Object<'_>, name: &str) -> Option<&'b str> {
    object.get(name).and_then(Value::as_str)
}

macro_rules! views {
    ($($(#[$doc:meta])* $view:ident { $($(#[$member_doc:meta])* $member:ident: $name:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $view<'b> {
                object: &'b Object<'b>,
            }

            impl<'b> $view<'b> {
                pub(crate) fn of(object: &'b Object<'b>) -> Self {
                    Self { object }
                }

                /// Every member, known or not, in order.
                #[must_use]
                pub fn as_object(&self) -> &'b Object<'b> {
                    self.object
                }

                $(
                    $(#[$member_doc])*
                    #[must_use]
                    pub fn $member(&self) -> Option<&'b str> {
                        text(self.object, $name)
                    }
                )*
            }
        )*
    };
}

views! {
    /// A decision on the log.
    Decision {
        /// Why it was taken.
        rationale: "rationale",
        /// The step that took it.
        step: "step",
        /// When it was recorded (RFC 3339, UTC).
        at: "at",
        /// Who took it.
        by: "by",
    }
    /// Something that the work has made.
    Artifact {
        /// Where it is.
        uri: "uri",
        /// Its digest, such as `sha256:…`.
        digest: "digest",
        /// Its media type (RFC 6838).
        media_type: "media_type",
        /// What it holds, in short.
        summary: "summary",
    }
    /// A check by which the work is judged.
    Check {
        /// What shows that the status is true.
        evidence: "evidence",
    }
}

impl<'b> Decision<'b> {
    /// Its id, such as `D3`.
    #[must_use]
    pub fn id(&self) -> &'b str {
        text(self.object, "id").unwrap_or_default()
    }

    /// What was decided.
    #[must_use]
    pub fn text(&self) -> &'b str {
        text(self.object, "decision").unwrap_or_default()
    }

    /// The ids of the decisions that it takes back.
    pub fn supersedes(&self) -> impl Iterator<Item = &'b str> {
        let ids = self.object.get("supersedes").and_then(Value::as_array).unwrap_or_default();
        ids.iter().filter_map(Value::as_str)
    }
}

impl<'b> Artifact<'b> {
    /// Its name, which is its key.
    #[must_use]
    pub fn name(&self) -> &'b str {
        text(self.object, "name").unwrap_or_default()
    }
}

impl<'b> Check<'b> {
    /// What has to hold, which is its key.
    #[must_use]
    pub fn text(&self) -> &'b str {
        text(self.object, "check").unwrap_or_default()
    }

    /// How it stands.
    #[must_use]
    pub fn status(&self) -> Status {
        text(self.object, "status").and_then(Status::named).unwrap_or(Status::Pending)
    }
}

/// How a check stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Not tried yet.
    Pending,
    /// It holds.
    Passed,
    /// It does not hold.
    Failed,
    /// Somebody decided that it need not hold.
    Waived,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Passed, Self::Failed, Self::Waived];

    /// The word in the document.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Waived => "waived",
        }
    }

    /// The status of that exact word.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
