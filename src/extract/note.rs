//! What was seen on the way, to say why a text holds no patch.

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
}

impl Notes {
    /// The refusal of `text`, which holds no patch under `name`.
    pub(super) fn refusal(&self, text: &str, has_nonce: bool) -> Refusal {
        let (offset, seen) = self.seen(text, has_nonce);
        let how = if has_nonce {
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

    fn seen(&self, text: &str, has_nonce: bool) -> (Option<usize>, String) {
        if text.trim().is_empty() {
            return (None, "the text is empty".to_owned());
        }
        let told = |at: usize, before: &str, after: &str| (Some(at), format!("{before} at {}{after}", place(text, at)));
        if let Some(at) = self.other_nonce {
            let why = if has_nonce { " does not bear the nonce" } else { " bears a nonce, and none is expected" };
            return told(at, "the `baton_patch`", why);
        }
        if let Some(at) = self.open_think {
            return told(
                at,
                "the block of thinking that starts",
                " is not closed, and what stands in it does not count",
            );
        }
        if let Some(at) = self.think {
            return told(at, "the only `baton_patch` stands in the block of thinking", ", where it does not count");
        }
        if let Some((at, outer)) = self.fence_inside {
            let after =
                format!(" stands inside the block that starts at {}, where it does not count", place(text, outer));
            return told(at, "the fence labelled `baton_patch`", &after);
        }
        if let Some(at) = self.cut {
            return told(at, "the JSON object", " is cut off before any member `baton_patch`");
        }
        if let Some(at) = self.key {
            return told(at, "the member `baton_patch`", " stands in no JSON object");
        }
        if let Some(at) = self.nested {
            return told(at, "the JSON value", " holds `baton_patch` only further inside, where it does not count");
        }
        if let Some(at) = self.bare {
            return told(at, "the JSON object", " has no member `baton_patch`");
        }
        if let Some(at) = self.tag {
            return told(at, "the tag `<baton_patch>`", " has no JSON after it");
        }
        (None, "the text holds no patch".to_owned())
    }
}

/// A place in words.
pub(super) fn place(text: &str, offset: usize) -> String {
    let Position { line, column, .. } = Position::of(text, offset);
    format!("line {line}, column {column}")
}
