//! JSON Pointers (RFC 6901), as text.

use std::borrow::Cow;

/// `token` as it stands in a pointer: `~` is `~0`, `/` is `~1` (RFC 6901, section 3).
#[must_use]
pub fn escape(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(token)
    }
}

/// The pointer `parent` with one more token.
#[must_use]
pub fn child(parent: &str, token: &str) -> String {
    format!("{parent}/{}", escape(token))
}

/// The pointer `parent` with an array index.
#[must_use]
pub fn item(parent: &str, index: usize) -> String {
    format!("{parent}/{index}")
}

/// The tokens of a pointer, unescaped.
pub fn tokens(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
}
