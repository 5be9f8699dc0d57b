//! Which rule guards which field, and the file that says otherwise.

use std::borrow::Cow;

use crate::baton::{Field, Shape};
use crate::json::pointer;
use crate::json::{self, Limits, Object, Value};
use crate::lower::key_of;
use crate::refusal::{Code, Refusal, Refused};
use crate::text::quote;

/// What may happen to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// What is there stays as it is and in its order; more may follow.
    AppendOnly,
    /// Each item that is there survives.
    Kept,
    /// It does not change.
    Frozen,
    /// Anything.
    Free,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 4] = [Self::AppendOnly, Self::Kept, Self::Frozen, Self::Free];

    /// The word in a guard file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AppendOnly => "append_only",
            Self::Kept => "kept",
            Self::Frozen => "frozen",
            Self::Free => "free",
        }
    }

    /// The rule of that exact word.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// The rule of a field where nobody says otherwise.
    #[must_use]
    pub fn default_of(name: &str) -> Self {
        match Field::named(name) {
            Some(Field::Goal) => Self::Frozen,
            Some(Field::DecisionLog) => Self::AppendOnly,
            Some(Field::Constraints | Field::Acceptance) => Self::Kept,
            _ => Self::Free,
        }
    }
}

/// The guards of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    rules: Vec<(String, Rule)>,
    writes: Option<Vec<String>>,
}

impl Guards {
    /// Reads a guard file: `{"rules": {FIELD: RULE, …}, "writes": [FIELD, …]}`, both optional. With `writes`, the step
    /// may change those fields and no other.
    ///
    /// # Errors
    /// `json.*`, and `guard.rule` for anything else than that, for a name that is nearly that of a known field, and for any rule on `decision_log` but `append_only`.
    pub fn read(text: &str, limits: &Limits) -> Result<Self, Refused> {
        let value = json::read(text, limits)?;
        let mut guards = Self::default();
        let mut refusals = Vec::new();
        match &value {
            Value::Object(object) => guards.take(object, &mut refusals),
            other => refusals.push(wrong("", format!("a guard file is a JSON object, found {}", other.kind()))),
        }
        Refused::unless_empty(refusals, guards).map_err(|mut refused| {
            crate::baton::locate(&mut refused, text);
            refused
        })
    }

    /// The usual rules, with these fields the only ones that the step may change.
    #[must_use]
    pub fn writing(fields: Vec<String>) -> Self {
        Self { rules: Vec::new(), writes: Some(fields) }
    }

    /// The rule that guards the member `name`.
    #[must_use]
    pub fn rule(&self, name: &str) -> Rule {
        let set = self.rules.iter().rev().find(|(field, _)| field == name);
        set.map_or_else(|| Rule::default_of(name), |(_, rule)| *rule)
    }

    /// The only fields that the step may change, where that is limited.
    #[must_use]
    pub fn writes(&self) -> Option<&[String]> {
        self.writes.as_deref()
    }

    /// The members that a guard file has a rule for.
    pub(crate) fn ruled(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(name, _)| name.as_str())
    }

    /// Checks the names of fields that are to be let by: a near miss of a known name lets nothing by.
    ///
    /// # Errors
    /// `guard.rule` for each name that is nearly that of a known field, with the right one.
    pub fn check_allowed(allowed: &[String]) -> Result<(), Refused> {
        Refused::unless_empty(allowed.iter().filter_map(|name| misnamed(name, "")).collect(), ())
    }

    pub(super) fn refuse_writing(&self, name: &str) -> Option<Refusal> {
        let writes = self.writes.as_ref()?;
        if writes.iter().any(|field| field == name) {
            return None;
        }
        let may = if writes.is_empty() { "no field".to_owned() } else { format!("{} and nothing else", names(writes)) };
        let detail = format!("this step may write {may}: leave {} out", quote(name));
        Some(Refusal::new(Code::GuardRights, pointer::child("", name), detail))
    }

    fn take(&mut self, object: &Object<'_>, refusals: &mut Vec<Refusal>) {
        for (name, value) in object.iter() {
            match (name, value) {
                ("rules", Value::Object(rules)) => self.take_rules(rules, refusals),
                ("writes", Value::Array(fields)) if fields.iter().all(|field| field.as_str().is_some()) => {
                    for (index, field) in fields.iter().enumerate() {
                        let at = pointer::item("/writes", index);
                        refusals.extend(field.as_str().and_then(|field| misnamed(field, &at)));
                    }
                    self.writes = Some(fields.iter().filter_map(Value::as_str).map(str::to_owned).collect());
                }
                _ => {
                    let detail = "a guard file has `rules`, an object, and `writes`, a list of field names";
                    refusals.push(wrong(&pointer::child("", name), detail.to_owned()));
                }
            }
        }
    }

    fn take_rules(&mut self, rules: &Object<'_>, refusals: &mut Vec<Refusal>) {
        for (name, value) in rules.iter() {
            let at = pointer::child("/rules", name);
            if let Some(refusal) = misnamed(name, &at) {
                refusals.push(refusal);
                continue;
            }
            match (name, value.as_str().and_then(Rule::named)) {
                (_, None) => {
                    let detail = "a rule is `append_only`, `kept`, `frozen` or `free`";
                    refusals.push(wrong(&at, detail.to_owned()));
                }
                ("decision_log", Some(rule)) if rule != Rule::AppendOnly => {
                    refusals.push(wrong(&at, "the decision log is append-only: no rule turns that off".to_owned()));
                }
                (_, Some(rule)) => self.rules.push((name.to_owned(), rule)),
            }
        }
    }
}

/// The refusal of a name that is nearly that of a known field, and so guards nothing.
fn misnamed(name: &str, at: &str) -> Option<Refusal> {
    let field = Field::nearly_named(name)?;
    Some(wrong(at, format!("{} is no field of a baton: did you mean `{}`?", quote(name), field.name())))
}

fn wrong(at: &str, detail: String) -> Refusal {
    Refusal::new(Code::GuardRule, at, detail)
}

fn names(fields: &[String]) -> String {
    fields.iter().map(|field| quote(field)).collect::<Vec<_>>().join(", ")
}

/// What the items of a value are known by.
pub(super) fn items_of<'v>(name: &str, value: &'v Value<'_>) -> Vec<Cow<'v, str>> {
    match (Field::named(name), value) {
        (Some(field), Value::Array(items)) if matches!(field.shape(), Shape::Keyed(_) | Shape::Strings) => {
            items.iter().map(|item| Cow::Borrowed(key_of(field, item))).collect()
        }
        (_, Value::Array(items)) => items.iter().map(canonical).collect(),
        (_, Value::Object(object)) => object.iter().map(|(name, _)| Cow::Borrowed(name)).collect(),
        (_, Value::Null) => Vec::new(),
        (_, other) => vec![canonical(other)],
    }
}

fn canonical<'v>(value: &Value<'_>) -> Cow<'v, str> {
    Cow::Owned(String::from_utf8_lossy(&json::canonical(value)).into_owned())
}
