//! The budget of a rendering, and what counts it.

use relay_baton::baton::{Baton, Budget, DEFAULT_BUDGET};
use relay_baton::fit::Rendering;
use relay_baton::json::{Object, Value};
use relay_baton::outline::Shed;
use relay_baton::refusal::{Code, Refusal};
use relay_baton_tokens::Encoding;

use crate::args::BudgetArgs;
use crate::failure::Failure;
use crate::place::Input;

/// A budget with its counter.
pub(super) type Counted = (Budget<'static>, Encoding);

/// The budget that was typed, else that of the baton, else the usual one.
pub(super) fn budget(args: &BudgetArgs, baton: &Baton<'_>, input: &Input) -> Result<Counted, Failure> {
    let own = baton.stamp().budget.unwrap_or(DEFAULT_BUDGET);
    let name = args.encoding.as_deref().unwrap_or(own.encoding);
    let Some(encoding) = Encoding::named(name) else {
        let known: Vec<&str> = Encoding::ALL.into_iter().map(Encoding::name).collect();
        let detail = format!("the encoding is not known; these are: {}", known.join(", "));
        return Err(input.refuse(Refusal::new(Code::BatonType, "/stamp/budget/encoding", detail)).into());
    };
    Ok((Budget { tokens: args.budget.unwrap_or(own.tokens), encoding: encoding.name() }, encoding))
}

/// `tokens` for a report.
pub(super) fn counts(rendering: &Rendering, budget: &Budget<'_>) -> Vec<(&'static str, Value<'static>)> {
    let shed = rendering.shed().iter().map(|shed| Value::string(shed.to_string())).collect();
    vec![("tokens", tokens(rendering.tokens().unwrap_or_default(), budget, shed))]
}

/// `{"total", "budget", "encoding", "shed"}`
pub(super) fn tokens(total: usize, budget: &Budget<'_>, shed: Vec<Value<'static>>) -> Value<'static> {
    let mut object = Object::new();
    object.set("total", Value::integer(total as u64));
    object.set("budget", Value::integer(budget.tokens));
    object.set("encoding", Value::string(budget.encoding.to_owned()));
    object.set("shed", Value::Array(shed));
    Value::Object(object)
}

/// What was left out, for people: ` (left out: 3 rationales, 1 decision)`; nothing where all is there.
pub(super) fn left_out(shed: &[Shed]) -> String {
    let words: Vec<String> = shed.iter().map(Shed::to_string).collect();
    if words.is_empty() { String::new() } else { format!(" (left out: {})", words.join(", ")) }
}
