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

/// The counters of the static tables: exact, and ready without loading anything.
#[cfg(feature = "tokens")]
pub use relay_baton_tokens::Encoding;

#[cfg(feature = "tokens")]
impl TokenCounter for Encoding {
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

/// The counter of `o200k_base`, loaded once for all tests.
#[cfg(test)]
pub(crate) fn o200k() -> &'static Tiktoken {
    static COUNTER: std::sync::OnceLock<Tiktoken> = std::sync::OnceLock::new();
    COUNTER.get_or_init(|| Tiktoken::named("o200k_base").unwrap())
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "a test may fail loudly")]
mod tests {
    use proptest::prelude::*;

    use super::{Tiktoken, TokenCounter, o200k};
    use crate::render::hostile::{cases, hostile};

    #[test]
    fn special_tokens_are_ordinary_text() {
        assert_eq!(o200k().count("Hand the baton over."), 5);
        assert!(o200k().count("<|endoftext|>") > 1);
        assert!(Tiktoken::named("p50k_base").is_none());
    }

    #[test]
    fn counts_add_up_by_line() {
        proptest!(cases(1_000), |(strings in proptest::collection::vec(hostile(), 0..8))| {
            let text = strings.join("\n- ");
            let cut = |(at, _): (usize, &str)| !text[at + 1..].starts_with(|next: char| next.is_whitespace() || next == '/');
            let mut cuts: Vec<usize> = text.match_indices('\n').filter(|found| cut(*found)).map(|(at, _)| at + 1).collect();
            cuts.insert(0, 0);
            cuts.push(text.len());
            let sum: usize = cuts.windows(2).map(|pair| o200k().count(&text[pair[0]..pair[1]])).sum();
            prop_assert_eq!(sum, o200k().count(&text));
            prop_assert!(sum <= text.len());
        });
    }
}
