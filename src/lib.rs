//! A small JSON document that travels with the work through a chain of LLM agents.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod refusal;
pub mod text;
pub mod json;
pub mod extract;
pub mod baton;
pub mod count;
pub mod attribution;
pub mod parse;
pub mod lower;
pub mod rebase;
pub mod guard;
pub mod merge;
pub mod outline;
pub mod render;
pub mod fit;
pub mod instructions;
pub mod correction;

#[cfg(feature = "schema")]
pub mod schema;
