//! The built program, run as people run it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout
)]

mod answers;
#[cfg(unix)]
mod apply_faults;
mod at_board;
#[cfg(unix)]
mod board_faults;
mod boards;
#[cfg(unix)]
mod browser;
#[cfg(unix)]
mod browser_page;
mod charters;
mod conformance;
mod corrections;
mod documents;
mod edits;
mod entries;
mod exports;
mod facts;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod hostile_boards;
mod lost;
#[cfg(unix)]
mod places;
mod program;
#[cfg(unix)]
mod race;
mod readme;
mod reports;
mod scenarios;
#[cfg(unix)]
mod task_agents;
#[cfg(unix)]
mod task_faults;
#[cfg(unix)]
mod task_steps;
#[cfg(unix)]
mod tasks;
mod usage;
mod vectors;
mod why;
