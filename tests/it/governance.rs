//! Whole tasks under a charter, with ports in memory.

mod adopted;
mod campaign;
mod chaos;
mod crashes;
mod decided;
mod fixture;
mod flows;
mod people;
mod race;
mod saved;
mod secrets;
