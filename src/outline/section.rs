//! The sections of a rendering, and the stages in which their content may be left out.

use std::fmt;

use crate::baton::Field;

/// A section of a rendering, in order of how rarely it changes, so that the beginning of the text stays the same from
/// step to step and prompt caches hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// The goal.
    Goal,
    /// The hard rules.
    Constraints,
    /// The checks.
    Acceptance,
    /// The files and modules that the work may touch.
    WorkScope,
    /// The decision log.
    Decisions,
    /// What the work has made.
    Artifacts,
    /// The open questions.
    OpenQuestions,
    /// Members of the document that are no known field.
    Others,
    /// What is true now.
    CurrentState,
}

impl Section {
    /// Every section, in rendering order.
    pub const ALL: [Self; 9] = [
        Self::Goal,
        Self::Constraints,
        Self::Acceptance,
        Self::WorkScope,
        Self::Decisions,
        Self::Artifacts,
        Self::OpenQuestions,
        Self::Others,
        Self::CurrentState,
    ];

    /// The field that it shows; `None` for [`Section::Others`], which shows all that are none.
    #[must_use]
    pub fn field(self) -> Option<Field> {
        match self {
            Self::Goal => Some(Field::Goal),
            Self::Constraints => Some(Field::Constraints),
            Self::Acceptance => Some(Field::Acceptance),
            Self::WorkScope => Some(Field::WorkScope),
            Self::Decisions => Some(Field::DecisionLog),
            Self::Artifacts => Some(Field::Artifacts),
            Self::OpenQuestions => Some(Field::OpenQuestions),
            Self::Others => None,
            Self::CurrentState => Some(Field::CurrentState),
        }
    }

    /// Its name in reports: that of its field, or `other_keys`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.field().map_or("other_keys", Field::name)
    }

    /// The JSON Pointer of its field; that of the whole document for [`Section::Others`].
    #[must_use]
    pub fn pointer(self) -> &'static str {
        match self {
            Self::Goal => "/goal",
            Self::Constraints => "/constraints",
            Self::Acceptance => "/acceptance",
            Self::WorkScope => "/work_scope",
            Self::Decisions => "/decision_log",
            Self::Artifacts => "/artifacts",
            Self::OpenQuestions => "/open_questions",
            Self::Others => "",
            Self::CurrentState => "/current_state",
        }
    }

    /// Whether something of it is never left out, whatever the budget.
    #[must_use]
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Goal | Self::Constraints | Self::Acceptance | Self::OpenQuestions | Self::CurrentState)
    }

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Goal => "Goal",
            Self::Constraints => "Constraints",
            Self::Acceptance => "Acceptance",
            Self::WorkScope => "Work scope",
            Self::Decisions => "Decisions",
            Self::Artifacts => "Artifacts",
            Self::OpenQuestions => "Open questions",
            Self::Others => "Other keys",
            Self::CurrentState => "Current state",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What may be left out of a rendering, in the order in which it goes.
///
/// Goal, constraints, checks that are not passed, current state and open questions are at no stage: they always stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Decisions that a later one takes back.
    Superseded,
    /// Rationales, oldest first.
    Rationales,
    /// Summaries of artifacts.
    Summaries,
    /// Evidence of passed checks.
    Evidence,
    /// Members of the document that are no known field, largest first.
    Others,
    /// Passed checks.
    Passed,
    /// Decisions, oldest first.
    Decisions,
    /// Artifacts.
    Artifacts,
    /// Files and modules.
    WorkScope,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Self; 9] = [
        Self::Superseded,
        Self::Rationales,
        Self::Summaries,
        Self::Evidence,
        Self::Others,
        Self::Passed,
        Self::Decisions,
        Self::Artifacts,
        Self::WorkScope,
    ];

    /// The section whose content it takes.
    #[must_use]
    pub fn section(self) -> Section {
        match self {
            Self::Superseded | Self::Rationales | Self::Decisions => Section::Decisions,
            Self::Summaries | Self::Artifacts => Section::Artifacts,
            Self::Evidence | Self::Passed => Section::Acceptance,
            Self::Others => Section::Others,
            Self::WorkScope => Section::WorkScope,
        }
    }

    /// What it takes, one of it.
    #[must_use]
    pub fn singular(self) -> &'static str {
        match self {
            Self::Superseded => "superseded decision",
            Self::Rationales => "rationale",
            Self::Summaries => "summary",
            Self::Evidence => "piece of evidence",
            Self::Others => "other key",
            Self::Passed => "passed check",
            Self::Decisions => "decision",
            Self::Artifacts => "artifact",
            Self::WorkScope => "entry",
        }
    }

    /// What it takes, several of it.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Superseded => "superseded decisions",
            Self::Rationales => "rationales",
            Self::Summaries => "summaries",
            Self::Evidence => "pieces of evidence",
            Self::Others => "other keys",
            Self::Passed => "passed checks",
            Self::Decisions => "decisions",
            Self::Artifacts => "artifacts",
            Self::WorkScope => "entries",
        }
    }
}

/// How many of one kind were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shed {
    /// What.
    pub stage: Stage,
    /// How many, at least 1.
    pub count: usize,
}

impl fmt::Display for Shed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = if self.count == 1 { self.stage.singular() } else { self.stage.plural() };
        write!(f, "{} {words}", self.count)
    }
}
