//! The members of an object by name, so that looking up many names takes no longer than reading them.

use crate::json::{Object, Value};

/// Up to so many names, or in so few members, each name is looked for one by one; an order of them would cost more.
const FEW: usize = 32;

/// The members of an object, in an order that finds a name fast where that pays.
pub(crate) struct Members<'v, 'a> {
    object: &'v Object<'a>,
    sorted: Option<Vec<(&'v str, &'v Value<'a>)>>,
}

impl<'v, 'a> Members<'v, 'a> {
    /// Of `object`, of which about so many names will be asked.
    pub(crate) fn of(object: &'v Object<'a>, lookups: usize) -> Self {
        let sorted = (object.len() > FEW && lookups > FEW).then(|| {
            let mut members: Vec<(&str, &Value<'a>)> = object.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            members
        });
        Self { object, sorted }
    }

    /// The value of the member `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&'v Value<'a>> {
        let Some(sorted) = &self.sorted else { return self.object.get(name) };
        let place = sorted.binary_search_by_key(&name, |(known, _)| *known).ok()?;
        sorted.get(place).map(|(_, value)| *value)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_among_few_and_among_many() {
        for count in [0, 1, FEW, FEW + 1, 500] {
            let mut object = Object::new();
            for number in 0..count {
                object.push_distinct(format!("n{number}").into(), Value::integer(number as u64));
            }
            for lookups in [1, 1000] {
                let members = Members::of(&object, lookups);
                assert!((0..count).all(|number| {
                    members.get(&format!("n{number}")).and_then(Value::as_u64) == Some(number as u64)
                }));
                assert_eq!(members.get("other"), None);
            }
        }
    }
}
