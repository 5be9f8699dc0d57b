//! Lowering: a proposal becomes one plain RFC 7396 patch against the baton as it stands.
//!
//! RFC 7396 replaces arrays whole, which makes agents resend lists and lose items. Here additions, edits and resent
//! items are settled into whole lists, and decisions into additions to the log.

mod decisions;
mod lists;
mod members;
mod misnamed;

use std::borrow::Cow;

use crate::attribution::Attribution;
use crate::baton::{Baton, Field};
use crate::json;
use crate::json::pointer;
use crate::json::{Object, Value};
use crate::parse::{Change, Proposal};
use crate::refusal::{Code, Notice, Refusal, Refused};
use crate::text::quote;

pub(crate) use decisions::{Told, decide_again};
use lists::Nearest;
pub(crate) use lists::{Texts, key_of};
pub(crate) use members::Members;

/// A plain patch against one revision of a baton.
#[derive(Clone, Debug)]
pub struct Lowered<'a> {
    pub(crate) sets: Object<'a>,
    pub(crate) decisions: Vec<Value<'a>>,
    /// What the patch said of each of the decisions.
    pub(crate) told: Vec<Told>,
    pub(crate) notices: Vec<Notice>,
}

impl<'a> Lowered<'a> {
    /// The patch without the decision log and the stamp: plain RFC 7396, and only what differs from the baton.
    #[must_use]
    pub fn sets(&self) -> &Object<'a> {
        &self.sets
    }

    /// The decisions to add to the log, complete.
    #[must_use]
    pub fn decisions(&self) -> &[Value<'a>] {
        &self.decisions
    }

    /// What is worth knowing about what was asked.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The whole patch as plain RFC 7396, without the stamp: the log with its additions in full.
    #[must_use]
    pub fn to_patch(&self, baton: &Baton<'a>) -> Object<'a> {
        let mut patch = self.sets.clone();
        if !self.decisions.is_empty() {
            let log = baton.items(Field::DecisionLog).iter().chain(&self.decisions).cloned().collect();
            patch.set(Field::DecisionLog.name(), Value::Array(log));
        }
        patch
    }
}

/// What a member that is `before` will be once `patch` is merged into it (RFC 7396); `None` where it will not be there.
pub(crate) fn after<'v, 'a>(before: Option<&'v Value<'a>>, patch: &'v Value<'a>) -> Option<Cow<'v, Value<'a>>> {
    match patch {
        Value::Null => None,
        Value::Object(_) => {
            let target = before.cloned().unwrap_or(Value::Null);
            Some(Cow::Owned(json::merge(target, patch.clone())))
        }
        value => Some(Cow::Borrowed(value)),
    }
}

/// Lowers `proposal` against `baton`; new decisions bear `attribution`.
///
/// # Errors
/// `patch.unknown_field` for a name, of a member of the baton or of an item, that is nearly a known one; `patch.unknown_item` where an edit removes what is not
/// there; `patch.type` where one patch gives two items one key; `decision.rewritten`; `decision.supersedes`. All at once.
pub fn lower<'a>(baton: &Baton<'a>, proposal: Proposal<'a>, attribution: &Attribution) -> Result<Lowered<'a>, Refused> {
    let (lowered, refusals) = lower_what_is_sound(baton, proposal, attribution);
    Refused::unless_empty(refusals, lowered)
}

/// What can be lowered, and what cannot: so that the guards can still find what they would refuse.
pub(crate) fn lower_what_is_sound<'a>(
    baton: &Baton<'a>,
    proposal: Proposal<'a>,
    attribution: &Attribution,
) -> (Lowered<'a>, Vec<Refusal>) {
    let changes = proposal.into_changes();
    let mut lowering = Lowering::of(baton, attribution, changes.len());
    for (name, change) in changes {
        lowering.change(name, change);
    }
    if !lowering.state_given {
        let detail = "the patch says nothing about `current_state`: what it says now is taken as still true";
        lowering.notices.push(Notice::new("state.unchanged", "/current_state", detail));
    }
    let Lowering { sets, decisions, told, notices, refusals, .. } = lowering;
    (Lowered { sets, decisions, told, notices }, refusals)
}

struct Lowering<'b, 'a> {
    baton: &'b Baton<'a>,
    standing: Members<'b, 'a>,
    attribution: &'b Attribution,
    state_given: bool,
    sets: Object<'a>,
    decisions: Vec<Value<'a>>,
    told: Vec<Told>,
    notices: Vec<Notice>,
    refusals: Vec<Refusal>,
    nearest: Nearest,
}

impl<'b, 'a> Lowering<'b, 'a> {
    fn of(baton: &'b Baton<'a>, attribution: &'b Attribution, changes: usize) -> Self {
        Self {
            baton,
            standing: Members::of(baton.as_object(), changes),
            attribution,
            state_given: false,
            sets: Object::new(),
            decisions: Vec::new(),
            told: Vec::new(),
            notices: Vec::new(),
            refusals: Vec::new(),
            nearest: Nearest::default(),
        }
    }

    fn change(&mut self, name: Cow<'a, str>, change: Change<'a>) {
        self.state_given |= name == Field::CurrentState.name();
        match change {
            Change::List(Field::DecisionLog, items) => self.decide(items, "/decision_log"),
            Change::Edit(Field::DecisionLog, edit) => self.edit_log(edit),
            Change::List(field, items) => {
                if let Some(list) = self.replace(field, items) {
                    self.set(name, Value::Array(list));
                }
            }
            Change::Edit(field, edit) => {
                let list = self.edit(field, edit);
                self.set(name, Value::Array(list));
            }
            Change::Free(value) => self.free(name, value),
        }
    }

    fn free(&mut self, name: Cow<'a, str>, value: Value<'a>) {
        let near = if self.standing.get(&name).is_none() { Field::nearly_named(&name) } else { None };
        if let Some(field) = near {
            let detail = format!("{} is no field of a baton: did you mean `{}`?", quote(&name), field.name());
            self.refuse(Code::PatchUnknownField, pointer::child("", &name), detail);
            return;
        }
        self.set(name, value);
    }

    /// Asks for the member `name` to become `value`, unless it is so already.
    fn set(&mut self, name: Cow<'a, str>, value: Value<'a>) {
        let known = Field::named(&name).is_some();
        let same = match (self.standing.get(&name), &value) {
            (None, Value::Null) => true,
            // `null` empties a list; of those only the log gets this far.
            (Some(Value::Array(list)), Value::Null) if known => list.is_empty(),
            (None, Value::Array(list)) => known && list.is_empty(),
            (None, _) | (Some(_), Value::Null) => false,
            (Some(before), Value::Object(_)) => json::merge(before.clone(), value.clone()) == *before,
            (Some(before), _) => *before == value,
        };
        if !same {
            self.sets.push_distinct(name, value);
        }
    }

    fn refuse(&mut self, code: Code, at: impl Into<String>, detail: impl Into<String>) {
        self.refusals.push(Refusal::new(code, at, detail));
    }
}
