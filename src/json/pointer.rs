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
    let token = escape(token);
    let mut pointer = String::with_capacity(parent.len() + 1 + token.len());
    pointer.extend([parent, "/", &token]);
    pointer
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

/// A pointer on the way down a document, written out only where somebody wants to read it.
#[derive(Clone, Copy, Debug)]
pub enum Place<'p> {
    /// The whole document.
    Root,
    /// A member of what is at another place.
    Member(&'p Place<'p>, &'p str),
    /// An array's item at another place.
    Item(&'p Place<'p>, usize),
}

impl<'p> Place<'p> {
    /// The place of the member `name`.
    #[must_use]
    pub fn member(&'p self, name: &'p str) -> Self {
        Self::Member(self, name)
    }

    /// The place of the item `index`.
    #[must_use]
    pub fn item(&'p self, index: usize) -> Self {
        Self::Item(self, index)
    }

    /// It as a pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(parent, name) => child(&parent.pointer(), name),
            Self::Item(parent, index) => item(&parent.pointer(), *index),
        }
    }
}
