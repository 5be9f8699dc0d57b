//! What every store of relay-baton has to hold to, as tests: one function for each property of the
//! [store port](relay_baton::store).
//!
//! An adapter's test file says how to make an empty store and how to open a handle on it:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use relay_baton::memory::Memory;
//! use relay_baton_store_conformance::{Handle, Place, Shared, suite};
//!
//! struct InMemory(Shared<Memory>);
//!
//! impl Place for InMemory {
//!     fn open(&self) -> Handle {
//!         Box::new(self.0.clone())
//!     }
//! }
//!
//! suite::run(&|| Box::new(InMemory(Shared::default())));
//! ```
//!
//! A store that is not configured has to fail its tests; only by name may it be skipped.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a property that does not hold panics"
)]

mod place;
mod random;
mod entries;
mod appends;
mod reads;
mod pages;
mod boards;
mod slots;
mod handles;
mod race;
pub mod history;
pub mod suite;

pub use place::{Handle, Place, Shared};
