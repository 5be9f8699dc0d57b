//! The counter against tiktoken-rs, on text of every kind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may fail loudly"
)]

mod campaign;
mod long_pieces;
mod named_texts;
mod peer;
mod texts;
