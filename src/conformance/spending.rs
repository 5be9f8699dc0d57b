//! Accounts.

use super::asked::{Asked, Wrong};
use super::told::{number, object, refused};
use crate::ceiling::{Account, Amount};
use crate::json::{Object, Value};

/// `account`: what comes of reservations, one after the other, and what is left.
pub(super) fn account(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let limits = asked.object("limits")?.ok_or("the member `limits` is missing")?;
    let mut account = Account::new(amount(limits)?);
    let mut steps = Vec::new();
    for action in asked.objects("actions")? {
        let id = action.text("id")?;
        let of = amount(action)?;
        let result = match action.text("do")? {
            "reserve" => account.reserve(id, of),
            "settle" => account.settle(id, of),
            "release" => account.release(id),
            other => return Err(format!("`{other}` is no action: reserve, settle or release")),
        };
        steps.push(result.err().map_or_else(|| Value::Object(Object::new()), |refusal| refused(&refusal)));
    }
    Ok(object([
        ("steps", Value::Array(steps)),
        ("spent", told(account.spent())),
        ("reserved", told(account.reserved())),
        ("free", told(account.free())),
    ]))
}

fn amount(asked: Asked<'_>) -> Result<Amount, Wrong> {
    let of = |name| asked.number(name).map(Option::unwrap_or_default);
    Ok(Amount { tokens: of("tokens")?, tool_calls: of("tool_calls")?, spawns: of("spawns")? })
}

/// An amount.
pub(super) fn told(amount: Amount) -> Value<'static> {
    let Amount { tokens, tool_calls, spawns } = amount;
    object([("tokens", number(tokens)), ("tool_calls", number(tool_calls)), ("spawns", number(spawns))])
}
