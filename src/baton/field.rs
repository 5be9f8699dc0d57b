//! The known fields of a baton: their names, their shapes, and the names that are nearly theirs.

/// A known field, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// One sentence: what the whole chain is for.
    Goal,
    /// What is true now.
    CurrentState,
    /// Every decision, oldest first; it only grows.
    DecisionLog,
    /// Hard rules.
    Constraints,
    /// What nobody has answered yet.
    OpenQuestions,
    /// Files and modules that the work may touch.
    WorkScope,
    /// What the work has made, by name.
    Artifacts,
    /// The checks by which the work is judged, by text.
    Acceptance,
    /// What the merge writes about itself.
    Stamp,
}

/// How the value of a field is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One string.
    Text,
    /// A list of strings.
    Strings,
    /// A list of decisions, keyed by `id`.
    Decisions,
    /// A list of objects, each named by the member given here.
    Keyed(&'static str),
    /// An object that only the merge writes.
    Managed,
}

impl Field {
    /// Every known field, in the order in which a new baton has them.
    pub const ALL: [Self; 9] = [
        Self::Goal,
        Self::CurrentState,
        Self::DecisionLog,
        Self::Constraints,
        Self::OpenQuestions,
        Self::WorkScope,
        Self::Artifacts,
        Self::Acceptance,
        Self::Stamp,
    ];

    /// The member name in the document.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::CurrentState => "current_state",
            Self::DecisionLog => "decision_log",
            Self::Constraints => "constraints",
            Self::OpenQuestions => "open_questions",
            Self::WorkScope => "work_scope",
            Self::Artifacts => "artifacts",
            Self::Acceptance => "acceptance",
            Self::Stamp => "stamp",
        }
    }

    /// The field of that exact name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// How its value is built.
    #[must_use]
    pub fn shape(self) -> Shape {
        match self {
            Self::Goal => Shape::Text,
            Self::CurrentState | Self::Constraints | Self::OpenQuestions | Self::WorkScope => Shape::Strings,
            Self::DecisionLog => Shape::Decisions,
            Self::Artifacts => Shape::Keyed("name"),
            Self::Acceptance => Shape::Keyed("check"),
            Self::Stamp => Shape::Managed,
        }
    }

    /// The field that `name` nearly names: another case, separator, number or spelling, or one of its words alone.
    ///
    /// `None` for the exact name and for a name that is far from every field.
    #[must_use]
    pub fn nearly_named(name: &str) -> Option<Self> {
        if Self::named(name).is_some() || name.len() > 64 {
            return None;
        }
        let plain = plain(name);
        let shorter = ["s", "list"].into_iter().filter_map(|ending| plain.strip_suffix(ending));
        let spellings: Vec<&str> = std::iter::once(plain.as_str()).chain(shorter).collect();
        Self::ALL.into_iter().find(|field| spellings.iter().any(|spelling| field.resembles(spelling)))
    }

    fn resembles(self, plain: &str) -> bool {
        let own = self.name().replace('_', "");
        let slack = if own.len() > 6 { 2 } else { 1 };
        self.aliases().contains(&plain)
            || (plain.len() > 2 && plain.chars().count().abs_diff(own.len()) <= slack && distance(plain, &own) <= slack)
    }

    /// Other names that agents use, in the form that `plain` gives. Common words that a pipeline may well use for
    /// something of its own (`log`, `state`, `checks`) are not among them, unless they can mean nothing else.
    fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Goal => &["goals", "objective"],
            Self::CurrentState => &["currentstatus", "state"],
            Self::DecisionLog => &["decision", "decisions", "decisionslog", "decisionlogs", "newdecisions"],
            Self::Constraints => &["constraint", "hardconstraints"],
            Self::OpenQuestions => &["question", "questions", "openquestion"],
            Self::WorkScope => &["scope", "workscopes"],
            Self::Artifacts => &["artifact", "artefact", "artefacts"],
            Self::Acceptance => &["acceptancecriteria", "acceptancecriterion", "acceptancecheck"],
            Self::Stamp => &["stamps"],
        }
    }
}

/// Letters and digits only, lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many characters have to be inserted, removed, replaced or swapped with their neighbour
/// (optimal string alignment distance).
pub(crate) fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=two.len()).collect();
    let mut letter_before = None;
    for (row, letter) in one.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in two.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX / 2);
            let replaced = at(&last, column) + usize::from(letter != *other);
            let mut least = replaced.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            let swapped = column > 0 && letter_before == Some(*other) && two.get(column - 1) == Some(&letter);
            if swapped {
                least = least.min(at(&before_last, column - 1) + 1);
            }
            current.push(least);
        }
        before_last = std::mem::replace(&mut last, current);
        letter_before = Some(letter);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_fields() {
        for field in Field::ALL {
            assert_eq!(Field::named(field.name()), Some(field));
            assert_eq!(Field::nearly_named(field.name()), None);
        }
    }

    #[test]
    fn a_near_miss_names_the_field_that_was_meant() {
        for (name, field) in [
            ("decisions", Field::DecisionLog),
            ("open_question", Field::OpenQuestions),
            ("Goal", Field::Goal),
            ("decision-log", Field::DecisionLog),
            ("currentState", Field::CurrentState),
            ("contraints", Field::Constraints),
            ("artefacts", Field::Artifacts),
            ("acceptance_criteria", Field::Acceptance),
            ("gaol", Field::Goal),
            ("g\u{43e}al", Field::Goal),
            ("STAMP", Field::Stamp),
            ("states", Field::CurrentState),
            ("objectives", Field::Goal),
            ("scopes", Field::WorkScope),
            ("constraint_list", Field::Constraints),
            ("acceptance_checks", Field::Acceptance),
            ("artifacts_list", Field::Artifacts),
        ] {
            assert_eq!(Field::nearly_named(name), Some(field), "{name}");
        }
    }

    #[test]
    fn another_name_is_free() {
        for name in ["notes", "quality_signals", "budget", "owner", "tests", "metrics", "scopes_of_work_items", ""] {
            assert_eq!(Field::nearly_named(name), None, "{name}");
        }
    }

    #[test]
    fn distance_counts_edits() {
        for (one, two, edits) in
            [("", "", 0), ("abc", "", 3), ("goal", "gaol", 1), ("kitten", "sitting", 3), ("a", "b", 1)]
        {
            assert_eq!(distance(one, two), edits, "{one} {two}");
        }
    }
}
