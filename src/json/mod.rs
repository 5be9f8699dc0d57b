//! JSON in and out: one strict reader, one writer, canonical bytes, merge patches.

pub mod pointer;
mod value;

pub use value::{Number, Object, Value};
