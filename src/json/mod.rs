//! JSON in and out: one strict reader, one writer, canonical bytes, merge patches.

pub mod pointer;

#[cfg(test)]
pub(crate) mod arbitrary;
mod canonical;
mod check;
mod decode;
mod fault;
mod interop;
mod layout;
mod limits;
mod merge_patch;
mod names;
mod number;
mod pieces;
mod read;
mod scan;
mod spans;
mod splice;
mod trace;
mod tree;
mod value;
mod write;

pub use canonical::{canonical, digest};
pub use decode::decode;
pub(crate) use interop::present;
pub use limits::{Limits, Numbers};
pub use merge_patch::{difference, merge};
pub use pieces::Pieces;
pub use read::read;
pub use spans::spans;
pub use splice::splice;
pub use trace::locate;
pub use value::{Number, Object, Value};
pub use write::{compact, compact_into, pretty, pretty_object_into};
