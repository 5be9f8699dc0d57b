//! What was seen on the way, to say why a text holds no patch.

use super::name::Name;
use crate::refusal::{Code, Position, Refusal};

/// Where things stand that are no candidates, the first of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// The name with another nonce, or without the nonce.
    pub(super) other_nonce: Option<usize>,
    /// A block of thinking that is not closed.
    pub(super) open_think: Option<usize>,
    /// A block of thinking in which the name stands.
    pub(super) think: Option<usize>,
    /// A labelled fence in another block, and that block.
    pub(super) fence_inside: Option<(usize, usize)>,
    /// A JSON object that is cut off.
    pub(super) cut: Option<usize>,
    /// The name as a member's, outside all objects.
    pub(super) key: Option<usize>,
    /// A JSON value that holds the name, but not as its own member.
    pub(super) nested: Option<usize>,
    /// A JSON object without the member.
    pub(super) bare: Option<usize>,
    /// A tag that nothing follows.
    pub(super) tag: Option<usize>,
    /// A JSON array of objects.
    pub(super) array: Option<usize>,
    /// A brace that starts no object.
    pub(super) brace: Option<usize>,
}

impl Notes {
    /// Whether more was seen than objects and arrays that are no patch.
    pub(super) fn say_more(&self) -> bool {
        let places = [self.other_nonce, self.open_think, self.think, self.key, self.nested, self.tag];
        self.fence_inside.is_some() || places.iter().any(Option::is_some)
    }

    /// The refusal of `text`, which holds no patch under `name`.
    pub(super) fn refusal(&self, text: &str, name: &Name) -> Refusal {
        let (offset, seen) = self.seen(text, name);
        let how = if name.has_nonce() {
            "answer with {\"baton_patch:NONCE\": {...}}, with the nonce of the instructions"
        } else {
            "answer with {\"baton_patch\": {...}}"
        };
        let refusal = Refusal::new(Code::PatchNone, "", format!("{seen}; {how}"));
        match offset {
            Some(offset) => refusal.in_text(Position::of(text, offset)),
            None => refusal,
        }
    }

    fn seen(&self, text: &str, name: &Name) -> (Option<usize>, String) {
        let shown = name.shown();
        let told = |at: usize, what: &str| (Some(at), what.to_owned());
        if text.trim().is_empty() {
            return (None, "the text is empty".to_owned());
        }
        if let Some(at) = self.other_nonce {
            let why = if name.has_nonce() { "does not bear the nonce" } else { "bears a nonce, and none is expected" };
            return told(at, &format!("this `baton_patch` {why}"));
        }
        if let Some(at) = self.open_think {
            return told(at, "the block of thinking is not closed, and what stands in it does not count");
        }
        if let Some(at) = self.think {
            return told(at, "the only `baton_patch` stands in the block of thinking, where it does not count");
        }
        if let Some((at, outer)) = self.fence_inside {
            let outer = place(text, outer);
            let block = format!("the block that starts at {outer}, where it does not count");
            return told(at, &format!("the fence labelled `{shown}` stands inside {block}"));
        }
        if let Some(at) = self.cut {
            return told(at, &format!("the JSON object is cut off before any member `{shown}`"));
        }
        if let Some(at) = self.key {
            return told(at, &format!("the member `{shown}` stands in no JSON object"));
        }
        if let Some(at) = self.nested {
            return told(at, "the JSON value holds `baton_patch` only further inside, where it does not count");
        }
        if let Some(at) = self.bare {
            return told(at, &format!("the JSON object has no member `{shown}`"));
        }
        if let Some(at) = self.tag {
            return told(at, &format!("the tag `<{shown}>` has no JSON after it"));
        }
        if let Some(at) = self.array {
            return told(at, "the JSON array is no patch");
        }
        if let Some(at) = self.brace {
            return told(at, "the text holds no patch: the brace starts no JSON object");
        }
        (None, "the text holds no patch".to_owned())
    }
}

/// A place in words.
pub(crate) fn place(text: &str, offset: usize) -> String {
    let Position { line, column, .. } = Position::of(text, offset);
    format!("line {line}, column {column}")
}
