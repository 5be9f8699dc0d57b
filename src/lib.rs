//! A small JSON document that travels with the work through a chain of LLM agents.

pub mod refusal;

pub mod json;
