//! What the reader accepts at most.

use crate::refusal::{Code, Position, Refusal};

/// Which numbers are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Only numbers that every reader keeps exactly (RFC 7493, section 2.2): integers up to ±(2^53−1), and decimals
    /// whose digits an IEEE double keeps.
    #[default]
    IJson,
    /// Every JSON number (RFC 8259, section 6), kept as text.
    AsWritten,
}

/// What the reader accepts at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    depth: usize,
    bytes: usize,
    numbers: Numbers,
}

impl Limits {
    /// The deepest nesting that can be allowed: whatever walks a value by recursion then fits a 2 MiB stack.
    pub const DEPTH_MAX: usize = 1024;

    /// The same limits with `depth` levels of arrays and objects, brought into 1 to [`Self::DEPTH_MAX`].
    #[must_use]
    pub fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth.clamp(1, Self::DEPTH_MAX);
        self
    }

    /// The same limits with texts of up to `bytes` bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// The same limits with these numbers.
    #[must_use]
    pub fn with_numbers(mut self, numbers: Numbers) -> Self {
        self.numbers = numbers;
        self
    }

    /// Levels of arrays and objects; a scalar has none.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Bytes of a text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Which numbers are accepted.
    #[must_use]
    pub fn numbers(&self) -> Numbers {
        self.numbers
    }
}

impl Default for Limits {
    /// 128 levels, 1 MiB, I-JSON numbers.
    fn default() -> Self {
        Self { depth: 128, bytes: 1 << 20, numbers: Numbers::IJson }
    }
}

/// The refusal of a text of `bytes` bytes.
pub(super) fn size_refusal(bytes: usize, limits: &Limits) -> Refusal {
    let detail = format!("the text has {bytes} bytes, the limit is {}; shorten it or raise the limit", limits.bytes());
    Refusal::new(Code::JsonSize, "", detail).in_text(Position { offset: 0, line: 1, column: 1 })
}
