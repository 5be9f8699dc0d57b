//! Counting tokens: the port through which a tokenizer is asked.

/// A tokenizer, as far as the budget has to know it.
pub trait TokenCounter {
    /// The encoding's name, such as `o200k_base`. It is named wherever a count appears.
    fn encoding(&self) -> &str;

    /// How many tokens `text` has. Special tokens have no meaning: their text counts as any other text.
    ///
    /// Never more than `text` has bytes.
    fn count(&self, text: &str) -> usize;

    /// Whether counts add up by line: the counts of the pieces of any text that is cut after line feeds, wherever the
    /// next character is neither white space nor `/`, sum to the count of that text.
    ///
    /// Where they do, a rendering is counted piece by piece and only what changed is counted again. Answer `false` in
    /// doubt: the result is the same, only slower.
    fn adds_up_by_line(&self) -> bool;
}

impl<T: TokenCounter + ?Sized> TokenCounter for &T {
    fn encoding(&self) -> &str {
        (**self).encoding()
    }

    fn count(&self, text: &str) -> usize {
        (**self).count(text)
    }

    fn adds_up_by_line(&self) -> bool {
        (**self).adds_up_by_line()
    }
}

/// A counter on top of the crate `tiktoken-rs`. Making one loads the ranks of its encoding, which takes a while.
#[cfg(any(test, feature = "tiktoken"))]
pub struct Tiktoken {
    encoding: &'static str,
    ranks: tiktoken_rs::CoreBPE,
}

#[cfg(any(test, feature = "tiktoken"))]
impl Tiktoken {
    /// The counter of `o200k_base` or `cl100k_base`; `None` for another name.
    #[must_use]
    pub fn named(encoding: &str) -> Option<Self> {
        let (encoding, ranks) = match encoding {
            "o200k_base" => ("o200k_base", tiktoken_rs::o200k_base()),
            "cl100k_base" => ("cl100k_base", tiktoken_rs::cl100k_base()),
            _ => return None,
        };
        Some(Self { encoding, ranks: ranks.ok()? })
    }
}

#[cfg(any(test, feature = "tiktoken"))]
impl TokenCounter for Tiktoken {
    fn encoding(&self) -> &str {
        self.encoding
    }

    fn count(&self, text: &str) -> usize {
        self.ranks.encode_ordinary(text).len()
    }

    fn adds_up_by_line(&self) -> bool {
        true
    }
}

#[cfg(feature = "tokens")]
impl TokenCounter for relay_baton_tokens::Encoding {
    fn encoding(&self) -> &str {
        self.name()
    }

    fn count(&self, text: &str) -> usize {
        relay_baton_tokens::count(*self, text)
    }

    fn adds_up_by_line(&self) -> bool {
        true
    }
}
