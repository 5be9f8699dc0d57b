//! From a baton to its outline.

use crate::baton::{Artifact, Baton, Budget, Check, Decision, Field, Status};
use crate::json::{Object, Value};
use crate::outline::{Entry, Outline, Part, Section, Stage};

/// Members of a decision that are shown in its head, or, being the merge's own record of it, in the document only.
const DECISION_MEMBERS: &[&str] = &["id", "decision", "rationale", "supersedes", "step", "at", "by"];
const ARTIFACT_MEMBERS: &[&str] = &["name", "uri", "digest", "media_type", "summary"];
const CHECK_MEMBERS: &[&str] = &["check", "status", "evidence"];

impl<'b> Outline<'b> {
    /// The outline of `baton`, to be rendered under `budget`. Takes time in the number of members and items.
    pub(crate) fn of(baton: &'b Baton<'_>, budget: Budget<'b>) -> Self {
        let mut outline = Self { stamp: baton.stamp(), budget, entries: Vec::with_capacity(48) };
        outline.push(Section::Goal, Part::Text(baton.goal()), None);
        outline.strings(baton, Section::Constraints, Field::Constraints, None);
        baton.checks().for_each(|check| outline.check(check));
        outline.strings(baton, Section::WorkScope, Field::WorkScope, Some(Stage::WorkScope));
        outline.decisions(baton);
        baton.artifacts().for_each(|artifact| outline.artifact(artifact));
        outline.strings(baton, Section::OpenQuestions, Field::OpenQuestions, None);
        for (name, value) in baton.others() {
            outline.push(Section::Others, Part::Other(name, value), Some(Stage::Others));
        }
        outline.strings(baton, Section::CurrentState, Field::CurrentState, None);
        outline
    }

    fn push(&mut self, section: Section, part: Part<'b>, stage: Option<Stage>) {
        self.entries.push(Entry { section, part, stage });
    }

    fn strings(&mut self, baton: &'b Baton<'_>, section: Section, field: Field, stage: Option<Stage>) {
        self.entries.extend(baton.strings(field).map(|text| Entry { section, part: Part::Text(text), stage }));
    }

    fn check(&mut self, check: Check<'b>) {
        let passed = check.status() == Status::Passed;
        let stage = passed.then_some(Stage::Passed);
        self.push(Section::Acceptance, Part::Check(check.status(), check.text()), stage);
        if let Some(evidence) = check.evidence() {
            let stage = passed.then_some(Stage::Evidence);
            self.push(Section::Acceptance, Part::Member("evidence", evidence), stage);
        }
        self.unknown(Section::Acceptance, check.as_object(), CHECK_MEMBERS, stage);
    }

    fn decisions(&mut self, baton: &'b Baton<'_>) {
        let takers = takers(baton);
        for decision in baton.decisions() {
            self.decision(decision, taker_of(&takers, decision.id()));
        }
    }

    fn decision(&mut self, decision: Decision<'b>, superseded_by: Option<&'b str>) {
        let (id, step, text) = (decision.id(), decision.step(), decision.text());
        let supersedes = supersedes(decision);
        let stage = if superseded_by.is_some() { Stage::Superseded } else { Stage::Decisions };
        let head = Part::Decision { id, step, superseded_by, supersedes, text };
        self.push(Section::Decisions, head, Some(stage));
        if let Some(rationale) = decision.rationale() {
            let stage = if superseded_by.is_some() { Stage::Superseded } else { Stage::Rationales };
            self.push(Section::Decisions, Part::Member("rationale", rationale), Some(stage));
        }
        self.unknown(Section::Decisions, decision.as_object(), DECISION_MEMBERS, Some(stage));
    }

    fn artifact(&mut self, artifact: Artifact<'b>) {
        self.push(Section::Artifacts, Part::Text(artifact.name()), Some(Stage::Artifacts));
        let members = [
            ("uri", artifact.uri(), Stage::Artifacts),
            ("digest", artifact.digest(), Stage::Artifacts),
            ("media_type", artifact.media_type(), Stage::Artifacts),
            ("summary", artifact.summary(), Stage::Summaries),
        ];
        for (name, text, stage) in members {
            if let Some(text) = text {
                self.push(Section::Artifacts, Part::Member(name, text), Some(stage));
            }
        }
        self.unknown(Section::Artifacts, artifact.as_object(), ARTIFACT_MEMBERS, Some(Stage::Artifacts));
    }

    fn unknown(&mut self, section: Section, object: &'b Object<'b>, known: &[&str], stage: Option<Stage>) {
        for (name, value) in object.iter().filter(|(name, _)| !known.contains(name)) {
            self.push(section, Part::Unknown(name, value), stage);
        }
    }
}

/// The ids of the decisions that `decision` takes back, as they stand in it.
fn supersedes<'b>(decision: Decision<'b>) -> &'b [Value<'b>] {
    decision.as_object().get("supersedes").and_then(Value::as_array).unwrap_or_default()
}

/// Each id that a decision takes back with the id of that decision, in order of the former; the oldest first.
fn takers<'b>(baton: &'b Baton<'_>) -> Vec<(&'b str, &'b str)> {
    let taken_by =
        |taker: Decision<'b>| supersedes(taker).iter().filter_map(Value::as_str).map(move |taken| (taken, taker.id()));
    let mut takers: Vec<(&str, &str)> = baton.decisions().flat_map(taken_by).collect();
    takers.sort_by_key(|(taken, _)| *taken);
    takers
}

fn taker_of<'b>(takers: &[(&'b str, &'b str)], id: &str) -> Option<&'b str> {
    let at = takers.partition_point(|(taken, _)| *taken < id);
    takers.get(at).filter(|(taken, _)| *taken == id).map(|(_, taker)| *taker)
}
