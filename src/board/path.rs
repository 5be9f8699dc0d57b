//! A place in a baton that stays the same place while lists grow: items of keyed lists are named by their key.

use crate::baton::{Baton, Field, Shape};
use crate::json::Value;
use crate::lower::key_of;

/// One step of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A member of an object, or an item of a list without keys.
    Name(String),
    /// An item of a keyed list.
    Key(Field, String),
}

/// The way of the JSON Pointer `at` (RFC 6901) in `baton`.
pub(super) fn path_in(baton: &Baton<'_>, at: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut parts = at.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
    let Some(name) = parts.next() else { return tokens };
    let keyed = Field::named(&name).filter(|field| matches!(field.shape(), Shape::Keyed(_) | Shape::Decisions));
    tokens.push(Token::Name(name));
    if let Some(field) = keyed
        && let Some(index) = parts.next()
    {
        let item = index.parse::<usize>().ok().and_then(|index| baton.items(field).get(index));
        tokens.push(item.map_or(Token::Name(index), |item| Token::Key(field, key_of(field, item).to_owned())));
    }
    tokens.extend(parts.map(Token::Name));
    tokens
}

/// What stands there in `baton`.
pub(super) fn value_at<'b, 'a>(baton: &'b Baton<'a>, path: &[Token]) -> Option<&'b Value<'a>> {
    let (first, rest) = path.split_first()?;
    let Token::Name(name) = first else { return None };
    rest.iter().try_fold(baton.member(name)?, |value, token| match (token, value) {
        (Token::Name(name), Value::Object(object)) => object.get(name),
        (Token::Name(index), Value::Array(items)) => items.get(index.parse::<usize>().ok()?),
        (Token::Key(field, key), Value::Array(items)) => items.iter().find(|item| key_of(*field, item) == key),
        _ => None,
    })
}
