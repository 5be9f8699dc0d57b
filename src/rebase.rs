//! Rebase: a patch that was made from an older revision is settled against the newest one.
//!
//! A pure function of base, head and patch. A field that nobody changed since the base takes the patch as it is; where
//! both changed it, lists merge three-way by item, keyed lists by item and member, the decision log takes both, and
//! any other two values that differ are a conflict.

mod three_way;

use crate::baton::{Baton, Field, Shape};
use crate::json::Value;
use crate::json::pointer::Place;
use crate::lower::{Lowered, Members, after, decide_again};
use crate::refusal::{Notice, Refusal, Refused};

/// Says who last changed what is at a JSON Pointer since the base, as `step (author)`; `None` where it is not known.
pub type Blame<'b> = dyn Fn(&str) -> Option<String> + 'b;

/// Settles `lowered`, which was made against `base`, against `head`.
///
/// # Errors
/// `base.conflict` for each value that both sides changed to something else, with the value at the base, theirs with
/// who wrote it, and the patch's own.
pub fn rebase<'a>(
    base: &Baton<'a>,
    head: &Baton<'a>,
    lowered: Lowered<'a>,
    blame: &Blame<'_>,
) -> Result<Lowered<'a>, Refused> {
    let (lowered, refusals) = rebase_what_is_sound(base, head, lowered, blame);
    Refused::unless_empty(refusals, lowered)
}

/// What can be settled, and the conflicts: so that the guards can still find what they would refuse.
pub(crate) fn rebase_what_is_sound<'a>(
    base: &Baton<'a>,
    head: &Baton<'a>,
    mut lowered: Lowered<'a>,
    blame: &Blame<'_>,
) -> (Lowered<'a>, Vec<Refusal>) {
    let mut rebase = Rebase { blame, refusals: Vec::new(), notices: std::mem::take(&mut lowered.notices) };
    let asked = std::mem::take(&mut lowered.sets);
    let sides = [base, head].map(|side| Members::of(side.as_object(), asked.len()));
    let mut sets = crate::json::Object::new();
    for (name, patch) in asked.into_members() {
        let [before, theirs] = [&sides[0], &sides[1]].map(|side| side.get(&name));
        if let Some(value) = rebase.member(before, theirs, patch, &name) {
            sets.push_distinct(name, value);
        }
    }
    lowered.sets = sets;
    let standing = head.items(Field::DecisionLog);
    if base.items(Field::DecisionLog) != standing {
        decide_again(standing, &mut lowered, &mut rebase.notices);
    }
    lowered.notices = rebase.notices;
    (lowered, rebase.refusals)
}

struct Rebase<'b> {
    blame: &'b Blame<'b>,
    refusals: Vec<Refusal>,
    notices: Vec<Notice>,
}

impl Rebase<'_> {
    /// What `patch` asks of the member `name` against the head; `None` where nothing is left to ask.
    fn member<'a>(
        &mut self,
        before: Option<&Value<'a>>,
        theirs: Option<&Value<'a>>,
        patch: Value<'a>,
        name: &str,
    ) -> Option<Value<'a>> {
        if before == theirs {
            return Some(patch);
        }
        let ours = after(before, &patch);
        let root = Place::Root;
        let at = root.member(name);
        let field = Field::named(name);
        let merged = match (field.map(Field::shape), ours.as_deref()) {
            (Some(Shape::Strings), Some(ours)) => {
                Some(Value::Array(three_way::strings(list(before), list(theirs), list(Some(ours)))))
            }
            (Some(Shape::Keyed(_)), Some(ours)) => {
                let field = field.unwrap_or(Field::Artifacts);
                Some(self.keyed(field, [list(before), list(theirs), list(Some(ours))], at))
            }
            (_, ours) => self.value([before, theirs, ours], at),
        };
        match (merged, theirs) {
            (None, None) => None,
            (None, Some(_)) => Some(Value::Null),
            (Some(merged), Some(theirs)) if merged == *theirs => None,
            (Some(merged), theirs) => Some(against(theirs, merged)),
        }
    }
}

fn list<'v, 'a>(value: Option<&'v Value<'a>>) -> &'v [Value<'a>] {
    value.and_then(Value::as_array).unwrap_or_default()
}

/// The RFC 7396 patch that makes `target` of `standing`: members of an object that are gone are removed by name.
fn against<'a>(standing: Option<&Value<'a>>, target: Value<'a>) -> Value<'a> {
    match (standing, target) {
        (Some(standing @ Value::Object(_)), target @ Value::Object(_)) => crate::json::difference(standing, &target).0,
        (_, target) => target,
    }
}
