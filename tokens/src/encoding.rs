use crate::search::count_piece;
use crate::split::{next_cl100k, next_o200k};
use crate::trie::{CL100K, O200K, Trie};

/// A tokenizer's vocabulary, together with its way to split a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `o200k_base`: GPT-4o, GPT-4.1, GPT-5 and the o series.
    O200kBase,
    /// `cl100k_base`: GPT-3.5, GPT-4 and the embedding models of their time.
    Cl100kBase,
}

impl Encoding {
    /// Every encoding.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The name that OpenAI gives to the encoding, such as `o200k_base`.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// The encoding that has exactly this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.name() == name)
    }
}

/// Number of tokens of `text`. The text of a special token, such as `<|endoftext|>`, is counted as plain text.
///
/// A count is never above the length of `text` in bytes. Counts add up across lines: cutting a text after a `\n` whose next
/// character is neither white space nor `/` never changes the sum of the counts.
pub fn count(encoding: Encoding, text: &str) -> usize {
    match encoding {
        Encoding::O200kBase => count_with(&O200K, next_o200k, text),
        Encoding::Cl100kBase => count_with(&CL100K, next_cl100k, text),
    }
}

#[inline(always)]
fn count_with(trie: &Trie, next: impl Fn(&str, usize) -> usize, text: &str) -> usize {
    let mut tokens = 0;
    let mut start = 0;
    while start < text.len() {
        let end = next(text, start);
        tokens += count_piece(trie, text.as_bytes().get(start..).unwrap_or_default(), end - start);
        start = end;
    }
    tokens
}
