//! Members of items whose names are nearly those of known ones: what they say would stand there and mean nothing.

use std::borrow::Cow;

use crate::baton::{Field, distance};
use crate::json::pointer;
use crate::json::{Object, Value};
use crate::lower::Lowering;
use crate::refusal::Code;
use crate::text::quote;

impl<'a> Lowering<'_, 'a> {
    /// Refuses the members of `item` that nearly bear a known name, but for those that the item has as it stands.
    pub(super) fn refuse_misnamed(&mut self, field: Field, item: &Object<'a>, standing: Option<&Object<'a>>, at: &str) {
        for (name, _) in item.iter() {
            let Some(right) = nearly_named(field, name) else { continue };
            if standing.is_some_and(|standing| standing.get(name).is_some()) {
                continue;
            }
            let detail = format!("{} is no member of {}: did you mean `{right}`?", quote(name), item_of(field));
            self.refuse(Code::PatchUnknownField, pointer::child(at, name), detail);
        }
    }

    /// The same for every item of a list, which stands at `at`.
    pub(super) fn refuse_misnamed_in<'v>(
        &mut self,
        field: Field,
        items: &[Value<'a>],
        at: &str,
        standing: impl Fn(&Value<'a>) -> Option<&'v Value<'a>>,
    ) where
        'a: 'v,
    {
        for (index, item) in items.iter().enumerate() {
            if let Value::Object(object) = item
                && object.iter().any(|(name, _)| nearly_named(field, name).is_some())
            {
                let known = standing(item).and_then(Value::as_object);
                self.refuse_misnamed(field, object, known, &pointer::item(at, index));
            }
        }
    }
}

fn item_of(field: Field) -> &'static str {
    match field {
        Field::DecisionLog => "a decision",
        Field::Artifacts => "an artifact",
        _ => "a check",
    }
}

/// The members that items of `field` have.
fn members(field: Field) -> &'static [&'static str] {
    match field {
        Field::DecisionLog => &["id", "decision", "rationale", "supersedes", "step", "at", "by"],
        Field::Artifacts => &["name", "uri", "digest", "media_type", "summary"],
        Field::Acceptance => &["check", "status", "evidence"],
        _ => &[],
    }
}

/// The known member that `name` nearly names: another case or separator, or, where it is long enough to tell, one or two
/// letters off.
fn nearly_named(field: Field, name: &str) -> Option<&'static str> {
    let known = members(field);
    if known.contains(&name) || name.len() > 32 {
        return None;
    }
    let plain = plain(name);
    known.iter().copied().find(|own| {
        let own = plain_known(own);
        let slack = match own.len() {
            0..=4 => 0,
            5..=6 => 1,
            _ => 2,
        };
        plain.chars().count().abs_diff(own.len()) <= slack && distance(&plain, &own) <= slack
    })
}

fn plain_known(own: &'static str) -> Cow<'static, str> {
    if own.contains('_') { Cow::Owned(plain(own)) } else { Cow::Borrowed(own) }
}

/// Letters and digits only, lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_names_the_member_that_was_meant() {
        for (field, name, right) in [
            (Field::DecisionLog, "supercedes", "supersedes"),
            (Field::DecisionLog, "Decision", "decision"),
            (Field::DecisionLog, "rational", "rationale"),
            (Field::DecisionLog, "ID", "id"),
            (Field::Artifacts, "mediaType", "media_type"),
            (Field::Artifacts, "sumary", "summary"),
            (Field::Acceptance, "Status", "status"),
            (Field::Acceptance, "evidance", "evidence"),
        ] {
            assert_eq!(nearly_named(field, name), Some(right), "{name}");
        }
    }

    #[test]
    fn other_members_are_free() {
        for field in [Field::DecisionLog, Field::Artifacts, Field::Acceptance] {
            for name in members(field).iter().chain(&["owner", "extra", "url", "path", "notes", "date", "reason", ""]) {
                assert_eq!(nearly_named(field, name), None, "{name}");
            }
        }
        assert_eq!(nearly_named(Field::DecisionLog, "steps"), None);
        assert_eq!(nearly_named(Field::Constraints, "Status"), None);
    }
}
