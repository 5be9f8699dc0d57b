//! The suite itself: the store in memory passes it, and every property is failed by some broken store.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod loose;
mod memory;
mod twins;
