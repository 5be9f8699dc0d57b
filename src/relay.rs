//! The whole way of one answer: extract, parse, lower, rebase, guard, merge, fit.
//!
//! Each step is a module of its own and can be called by itself; this is the usual order of them.

use std::collections::BTreeSet;

use crate::attribution::Attribution;
use crate::baton::{Baton, Budget, DEFAULT_BUDGET, Field, INTEGER_MAX, locate};
use crate::count::TokenCounter;
use crate::extract::{Extracted, Extraction, extract};
use crate::fit::{Rendering, accept};
use crate::guard::{Admitted, Guards, guard};
use crate::json::{self, Object, Value};
use crate::lower::{Lowered, lower_what_is_sound};
use crate::merge::{Merged, merge, plain_patch};
use crate::parse::{Dialect, Proposal};
use crate::rebase::{Blame, rebase_what_is_sound};
use crate::refusal::{Code, Notice, Position, Refusal, Refused};
use crate::text::quote;

/// So many names beside a patch are shown.
const BESIDE_SHOWN_MAX: usize = 8;

/// What an answer was made from.
#[derive(Clone, Copy, Debug, Default)]
pub enum Base<'b, 'a> {
    /// The baton as it stands.
    #[default]
    Head,
    /// The baton's revision of this number; older ones are not at hand.
    Revision(u64),
    /// This older baton of the same chain.
    Baton(&'b Baton<'a>),
}

/// How an answer is applied.
#[derive(Clone, Debug)]
pub struct Relay<'b, 'a> {
    /// Who answered, at which step, when.
    pub attribution: Attribution,
    /// What the answer was made from.
    pub base: Base<'b, 'a>,
    /// How the patch is found in the answer.
    pub extraction: Extraction<'b>,
    /// How the patch says that a field stays as it is.
    pub dialect: Dialect,
    /// The guards of this step.
    pub guards: Guards,
    /// Fields that are let by their guard this once. The decision log is let by nothing.
    pub allowed: Vec<String>,
    /// The budget of the rendering; that of the stamp, or 1,000 tokens of `o200k_base`, where there is none.
    pub budget: Option<Budget<'b>>,
    /// Whether the answer is a new one, though this step has given the same before.
    pub again: bool,
    /// Whether [`Applied::patch`] is wanted.
    pub wants_patch: bool,
    /// Whether [`Applied::parts`] are wanted.
    pub wants_parts: bool,
}

/// What a patch was and became, as it is recorded.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// The patch as it was submitted.
    pub submitted: Object<'a>,
    /// The plain RFC 7396 patch that was merged, without the decision log and the stamp.
    pub sets: Object<'a>,
    /// The decisions that were added.
    pub decisions: Vec<Value<'a>>,
    /// Whether comments or trailing commas were taken out.
    pub repaired: bool,
}

/// What came of an answer that was accepted.
#[derive(Clone, Debug)]
pub struct Applied<'a> {
    /// The baton at its new revision; the old one where the answer was a replay.
    pub baton: Baton<'a>,
    /// It as indented JSON with a final newline, as it is kept in a file.
    pub document: String,
    /// The members that changed, as JSON Pointers.
    pub changed: Vec<String>,
    /// What is worth knowing.
    pub notices: Vec<Notice>,
    /// The plain RFC 7396 patch that makes the new baton of the old one, where it was asked for.
    pub patch: Option<Object<'a>>,
    /// What the patch was and became, where it was asked for; none of a replay.
    pub parts: Option<Parts<'a>>,
    /// The Markdown rendering within its budget, counted.
    pub rendering: Rendering,
}

impl<'b, 'a> Relay<'b, 'a> {
    /// The usual way: from the baton as it stands, the plain dialect, the default guards.
    #[must_use]
    pub fn new(attribution: Attribution) -> Self {
        Self {
            attribution,
            base: Base::Head,
            extraction: Extraction::default(),
            dialect: Dialect::Plain,
            guards: Guards::default(),
            allowed: Vec::new(),
            budget: None,
            again: false,
            wants_patch: false,
            wants_parts: false,
        }
    }

    /// Applies the `answer` of an agent to `baton`. All or nothing: on a refusal nothing has changed.
    ///
    /// # Errors
    /// The codes of [`extract`], [`Proposal::parse`], [`lower`](crate::lower::lower), [`rebase`](crate::rebase::rebase) and
    /// [`guard`], all that are found at once, `base.unknown` where the base
    /// is not at hand, and `fit.over_budget` where what is never shed does not fit the budget. Positions are in `answer`.
    pub fn apply(&self, baton: Baton<'a>, answer: &'a str, counter: &dyn TokenCounter) -> Result<Applied<'a>, Refused> {
        self.apply_blaming(baton, answer, counter, None)
    }

    /// The same, with `blame` to say who made what the answer conflicts with.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub fn apply_blaming(
        &self,
        baton: Baton<'a>,
        answer: &'a str,
        counter: &dyn TokenCounter,
        blame: Option<&Blame<'_>>,
    ) -> Result<Applied<'a>, Refused> {
        let digest = json::digest(answer.as_bytes());
        if !self.again && self.is_replay(&baton, &digest) {
            return self.replayed(baton, counter);
        }
        let extracted = extract(answer, &self.extraction)?;
        let mut notices = Vec::new();
        if extracted.repaired() {
            let detail = "comments or trailing commas were taken out of the patch";
            notices.push(Notice::new("patch.repaired", "", detail));
        }
        notices.extend(beside(extracted.beside()));
        let source = Source { answer, offset: extracted.offset(), json: extracted.json().to_owned() };
        let told = Told { digest: &digest, submitted: self.wants_parts.then(|| submitted(&extracted)), blame };
        self.admit(baton, extracted, told, counter).map_err(|refused| source.locate(refused)).map(|mut applied| {
            notices.append(&mut applied.notices);
            Applied { notices, ..applied }
        })
    }

    /// Every step looks at what the steps before it found sound, so that all violations are reported at once.
    fn admit(
        &self,
        baton: Baton<'a>,
        extracted: Extracted<'a>,
        told: Told<'_, 'a>,
        counter: &dyn TokenCounter,
    ) -> Result<Applied<'a>, Refused> {
        let (proposal, mut refusals) = Proposal::parse_what_is_sound(extracted.into_value(), self.dialect);
        let (lowered, unsound) = self.settle(&baton, proposal, told.blame)?;
        refusals.extend(unsound);
        let admitted = match guard(&baton, lowered.clone(), &self.guards, &self.allowed) {
            Ok(admitted) => admitted,
            Err(guarded) => {
                let member = |refusal: &Refusal| refusal.at.split('/').nth(1).map(str::to_owned);
                let known: BTreeSet<Option<String>> = refusals.iter().map(member).collect();
                refusals.extend(guarded.refusals().iter().filter(|found| !known.contains(&member(found))).cloned());
                Admitted { lowered, changed: Vec::new() }
            }
        };
        match self.finish(baton, admitted, told, counter) {
            Ok(applied) => Refused::unless_empty(refusals, applied),
            Err(unfit) => Err(unfit.after(refusals)),
        }
    }

    fn settle(
        &self,
        head: &Baton<'a>,
        proposal: Proposal<'a>,
        blame: Option<&Blame<'_>>,
    ) -> Result<(Lowered<'a>, Vec<Refusal>), Refused> {
        let revision = head.revision();
        match self.base {
            Base::Baton(base) if base.revision() > revision => Err(unknown(base.revision(), revision)),
            Base::Baton(base) if !is_of_one_chain(base, head) => Err(foreign(base.revision())),
            Base::Baton(base) if base.revision() < revision => {
                let (lowered, mut refusals) = lower_what_is_sound(base, proposal, &self.attribution);
                let blame = |at: &str| blame.and_then(|blame| blame(at)).or_else(|| last_writer(base, head));
                let (lowered, conflicts) = rebase_what_is_sound(base, head, lowered, &blame);
                refusals.extend(conflicts);
                Ok((lowered, refusals))
            }
            Base::Revision(base) if base != revision => Err(unknown(base, revision)),
            _ => Ok(lower_what_is_sound(head, proposal, &self.attribution)),
        }
    }

    fn finish(
        &self,
        baton: Baton<'a>,
        admitted: Admitted<'a>,
        told: Told<'_, 'a>,
        counter: &dyn TokenCounter,
    ) -> Result<Applied<'a>, Refused> {
        let digest = told.digest;
        let patch = self.wants_patch.then(|| plain_patch(&baton, &admitted, &self.attribution, digest));
        let parts = told.submitted.map(|parts| Parts {
            sets: admitted.lowered.sets.clone(),
            decisions: admitted.lowered.decisions.clone(),
            ..parts
        });
        let Merged { baton, changed, notices } = merge(baton, admitted, &self.attribution, digest);
        let document = baton.to_json();
        let refusals = self.unreadable(&baton, &document);
        match self.fitted(&baton, counter) {
            Ok(rendering) => {
                Refused::unless_empty(refusals, Applied { baton, document, changed, notices, patch, parts, rendering })
            }
            Err(unfit) => Err(unfit.after(refusals)),
        }
    }

    /// What would keep the next step from reading the new baton.
    fn unreadable(&self, baton: &Baton<'_>, document: &str) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        let (bytes, bytes_max) = (document.len(), self.extraction.limits.bytes());
        if bytes > bytes_max {
            let detail = format!("the new baton would have {bytes} bytes, more than {bytes_max}: put less into it");
            refusals.push(Refusal::new(Code::JsonSize, "", detail));
        }
        if baton.revision() > INTEGER_MAX {
            let detail = "the baton has taken as many patches as it can count: start a new one";
            refusals.push(Refusal::new(Code::BatonType, "/stamp/revision", detail));
        }
        refusals
    }

    /// The rendering of `baton` within this relay's budget.
    pub(crate) fn fitted(&self, baton: &Baton<'_>, counter: &dyn TokenCounter) -> Result<Rendering, Refused> {
        accept(baton, &self.budget_of(baton), counter)
    }

    fn budget_of<'s>(&'s self, baton: &'s Baton<'_>) -> Budget<'s> {
        self.budget.or_else(|| baton.stamp().budget).unwrap_or(DEFAULT_BUDGET)
    }

    fn is_replay(&self, baton: &Baton<'_>, digest: &str) -> bool {
        let stamp = baton.stamp();
        let same = |told: Option<&str>, own: &str| told == Some(own);
        same(stamp.patch, digest)
            && same(stamp.step, self.attribution.step.as_str())
            && same(stamp.by, self.attribution.by.as_str())
    }

    fn replayed(&self, baton: Baton<'a>, counter: &dyn TokenCounter) -> Result<Applied<'a>, Refused> {
        let rendering = self.fitted(&baton, counter)?;
        let detail =
            "this step has given this answer already: nothing is applied twice (`again` takes it as a new one)";
        let notices = vec![Notice::new("replayed", "/stamp/revision", detail)];
        let document = baton.to_json();
        Ok(Applied { baton, document, changed: Vec::new(), notices, patch: None, parts: None, rendering })
    }
}

/// What is known of an answer beside its patch.
struct Told<'t, 'a> {
    digest: &'t str,
    submitted: Option<Parts<'a>>,
    blame: Option<&'t Blame<'t>>,
}

/// The parts of a patch before it was settled.
fn submitted<'a>(extracted: &Extracted<'a>) -> Parts<'a> {
    let (submitted, repaired) = (extracted.value().clone(), extracted.repaired());
    Parts { submitted, sets: Object::new(), decisions: Vec::new(), repaired }
}

/// The notice of what stands beside the patch.
fn beside(names: &[String]) -> Option<Notice> {
    let shown: Vec<String> = names.iter().take(BESIDE_SHOWN_MAX).map(|name| quote(name)).collect();
    let more = names.len().saturating_sub(shown.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let detail = format!("what stands beside the patch is not taken over: {}{more}", shown.join(", "));
    (!names.is_empty()).then(|| Notice::new("patch.beside", "", detail))
}

fn unknown(base: u64, head: u64) -> Refused {
    let detail = if base > head {
        format!("the patch was made from revision {base}, the baton is at {head}: apply it to that baton")
    } else {
        format!(
            "the patch was made from revision {base}, the baton is at {head}: give the baton of revision {base} as the base"
        )
    };
    Refusal::new(Code::BaseUnknown, "/stamp/revision", detail).into()
}

/// Whether `head` can have come of `base`: the log only grows, and neither tenant nor task ever changes.
fn is_of_one_chain(base: &Baton<'_>, head: &Baton<'_>) -> bool {
    let word = |baton: &Baton<'_>, name: &str| {
        let stamp = baton.member(Field::Stamp.name()).and_then(Value::as_object);
        stamp.and_then(|stamp| stamp.get(name)).and_then(Value::as_str).map(str::to_owned)
    };
    let same = |name: &str| word(base, name) == word(head, name);
    same("tenant") && same("task") && head.items(Field::DecisionLog).starts_with(base.items(Field::DecisionLog))
}

fn foreign(base: u64) -> Refused {
    let detail =
        format!("the base at revision {base} is no earlier revision of this baton: its log, task or tenant is another");
    Refusal::new(Code::BaseUnknown, "/stamp/revision", detail).into()
}

/// Who wrote the head, where it is one revision after the base: then every difference is theirs.
fn last_writer(base: &Baton<'_>, head: &Baton<'_>) -> Option<String> {
    let stamp = head.stamp();
    let sole = stamp.revision == base.revision().saturating_add(1);
    let (step, by) = (stamp.step?, stamp.by?);
    if sole {
        Some(format!("step `{step}` by `{by}`"))
    } else {
        Some(format!("a step since (last `{step}` by `{by}`)"))
    }
}

/// The text that refusals are about.
struct Source<'a> {
    answer: &'a str,
    offset: usize,
    json: String,
}

impl Source<'_> {
    /// Gives refusals their position in the answer.
    fn locate(&self, mut refused: Refused) -> Refused {
        locate(&mut refused, &self.json);
        for refusal in refused.refusals_mut() {
            if let Some(inner) = refusal.position {
                refusal.position = Some(Position::of(self.answer, self.offset.saturating_add(inner.offset)));
            }
        }
        refused
    }
}
