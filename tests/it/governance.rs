//! Whole tasks under a charter, with ports in memory.

mod chaos;
mod crashes;
mod fixture;
mod flows;
mod secrets;
