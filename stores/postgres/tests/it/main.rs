//! The store against a real server: the one in `RELAY_BATON_POSTGRES`, or one started for this process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod entries;
mod place;
mod proxy;
mod blind;
mod conformance;
mod crashes;
mod cuts;
#[cfg(feature = "tls")]
mod encryption;
mod faults;
mod refusals;
mod tables;
mod tenants;
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
mod tasks;
mod writers;
