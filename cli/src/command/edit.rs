//! `apply --edited`: what was changed in a file by hand becomes the answer of a step, exactly or not at all.

use relay_baton::baton::{Baton, Field};
use relay_baton::board::{told_head, without_head};
use relay_baton::count::TokenCounter;
use relay_baton::json::pointer;
use relay_baton::json::{self, Object, Value};
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::relay::{Base, Relay};

use crate::command::recorded::about_file;
use crate::failure::{Answer, Failure, named};
use crate::place::{Input, Opened, Source};

/// An edit, as the merge patch from the board's baton to the file.
pub(super) struct Edit {
    pub(super) input: Input,
    /// The baton that was edited, as the board has it.
    base: Baton<'static>,
    /// What the file says, without its stamp.
    wanted: Object<'static>,
}

impl Edit {
    /// The edit of `file`: since the entry that its stamp names, whatever patches it took off the board.
    pub(super) fn of(opened: &mut Opened, file: &Baton<'static>, source: &Source) -> Result<Self, Failure> {
        let told = told_head(file).map(|head| opened.board.revision_of(&head)).transpose();
        let told = told.map_err(|refused| opened.refuse(refused))?.flatten();
        let base = opened.board.checkout(told.unwrap_or(file.revision()));
        let base = base.map_err(|refused| about_file(refused, source, opened))?.baton;
        let wanted = without_head(file.clone());
        if wanted.revision() == base.revision() && wanted.member(STAMP) != base.member(STAMP) {
            let detail = "the stamp was edited, which only the merge writes: put it back as it was";
            return Err(about(source, Refusal::new(Code::PatchReserved, "/stamp", detail)));
        }
        let (before, wanted) = (plain(&base), plain(&wanted));
        let (patch, unsayable) = json::difference(&Value::Object(before), &Value::Object(wanted.clone()));
        if let Some(at) = unsayable.first() {
            let detail =
                "a `null` was put in, which no merge patch can say: leave the member out, or write another value";
            return Err(about(source, Refusal::new(Code::PatchType, at.clone(), detail)));
        }
        if patch.as_object().is_none_or(Object::is_empty) {
            let detail = "the file says what the board has: there is no edit to record";
            return Err(about(source, Refusal::new(Code::PatchNone, "", detail)));
        }
        let name = format!("the edit of {}", named(source.path()));
        Ok(Self { input: Input { name, text: json::pretty(&patch).leak() }, base, wanted })
    }

    /// The revision that was edited.
    pub(super) fn revision(&self) -> u64 {
        self.base.revision()
    }

    /// Refuses an edit of which a patch would make something else than the file says: lists and items in a patch are
    /// settled with those that stand, and a person who edits a file means what it says.
    pub(super) fn check_exact(
        &self,
        relay: &Relay<'_, 'static>,
        counter: &dyn TokenCounter,
        source: &Source,
    ) -> Result<(), Failure> {
        let relay = Relay { base: Base::Head, ..relay.clone() };
        // What is refused is refused when it is recorded, with all that there is to say.
        let Ok(made) = relay.apply(self.base.clone(), self.input.text, counter) else { return Ok(()) };
        let standing = self.base.items(Field::DecisionLog).len();
        let (made, wanted) = (unstamped(plain(&made.baton), standing), unstamped(self.wanted.clone(), standing));
        let names = wanted.iter().chain(made.iter()).map(|(name, _)| name);
        let other = names.into_iter().find(|name| wanted.get(name) != made.get(name));
        let Some(name) = other else { return Ok(()) };
        let detail = format!(
            "a patch cannot make `{name}` what the file says: what stands on the log stays as it is, and members of items are \
             changed, not taken out; nothing was recorded"
        );
        Err(about(source, Refusal::new(Code::BoardEdited, pointer::child("", name), detail)))
    }
}

const STAMP: &str = Field::Stamp.name();

/// The members without the stamp.
fn plain(baton: &Baton<'static>) -> Object<'static> {
    let mut members = baton.as_object().clone();
    members.remove(STAMP);
    members
}

/// The same, without what the merge writes beside decisions that are new.
fn unstamped(mut members: Object<'static>, standing: usize) -> Object<'static> {
    if let Some(Value::Array(log)) = members.get_mut(Field::DecisionLog.name()) {
        for decision in log.iter_mut().skip(standing) {
            if let Value::Object(decision) = decision {
                ["id", "step", "at", "by"].into_iter().for_each(|name| drop(decision.remove(name)));
            }
        }
    }
    members
}

fn about(source: &Source, refusal: Refusal) -> Failure {
    let path = source.path();
    let mut answer = Answer::new(Refused::from(refusal));
    answer.file = Some(named(path));
    answer.with_help(format!("`checkout newest -i --baton {}` drops the edit", named(path))).into()
}
