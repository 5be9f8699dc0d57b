//! Whole tasks under a charter, with ports in memory.

mod crashes;
mod fixture;
mod flows;
mod secrets;
