//! The store in an SQLite file, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod conformance;
mod damage;
#[cfg(target_os = "linux")]
mod faults;
mod folder;
#[cfg(target_os = "linux")]
mod power;
mod processes;
#[cfg(unix)]
mod rights;
#[path = "../../../../tests/it/governance/campaign.rs"]
mod campaign;
#[path = "../../../../tests/it/governance/fixture.rs"]
mod fixture;
#[path = "../../../../tests/it/governance/race.rs"]
mod race;
#[path = "../../../../tests/it/scenario.rs"]
mod scenario;
#[path = "../../../../tests/it/scenario_store.rs"]
mod scenario_store;
mod scenarios;
#[cfg(target_os = "linux")]
mod strace;
mod tasks;
mod writer;
