//! A task whose agents work at the same time, on tokio: it pauses for a person, its process ends in the middle of a call
//! that cannot be taken back, and another process goes on with it.
//!
//! `session` is the loop, and all that there is to learn here; `world` is what a real program has anyway.
#![allow(clippy::print_stdout, reason = "an example tells what it does")]

mod session;
mod world;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use relay_baton::board::Board;
use relay_baton::charter::Charter;
use relay_baton::engine::{Input, Start, Status};
use relay_baton::entry::BoardId;
use relay_baton::memory::Memory;
use relay_baton::refusal::Refused;

use crate::session::Session;
use crate::world::{World, id};

const CHARTER: &str = include_str!("../charter.json");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Refused> {
    let world = Arc::new(World::default());
    let status = two_processes(&world).await?;
    println!("the task: {status:?}");
    println!("announcements: {}", world.announced.load(Ordering::SeqCst));
    println!("models asked at the same time: {}", world.asked_at_once_max.load(Ordering::SeqCst));
    Ok(())
}

/// Carries the task out in two processes, which have only the store and the world in common.
async fn two_processes(world: &Arc<World>) -> Result<Status, Refused> {
    let board = BoardId { tenant: id("acme"), task: id("release-7") };
    let start = Start {
        board: board.clone(),
        person: id("kim"),
        strategy: Some("release".to_owned()),
        home: None,
        // From a source of randomness, in earnest.
        seed: "d41f8a".to_owned(),
        after: None,
    };
    // Any store will do; see the contract of `relay_baton::store`.
    let store = Memory::new();

    let mut first = Session::start(Board::new(store, board.clone()), Charter::from_json(CHARTER)?, start, world)?;
    // The announcement is made, and the process ends before it hears so.
    let status = first.run_until(|input| matches!(input, Input::Returned { .. })).await?;
    println!("the first process ends: {status:?}");
    let store = first.into_store();

    let mut second = Session::resume(Board::new(store, board), world)?;
    second.run_until(|_| false).await
}

#[cfg(test)]
mod tests {
    use relay_baton::engine::Ending;

    use super::*;

    #[tokio::test]
    async fn models_are_asked_at_once_and_the_effect_happens_once() {
        let world = Arc::new(World::default());
        let status = two_processes(&world).await;
        assert_eq!(status, Ok(Status::Over(Ending::Done)));
        assert_eq!(world.announced.load(Ordering::SeqCst), 1);
        assert_eq!(world.asked_at_once_max.load(Ordering::SeqCst), 2);
        assert_eq!(world.decided.load(Ordering::SeqCst), 1, "the pause was decided by a person, once");
        assert_eq!(world.resolved.load(Ordering::SeqCst), 1, "the call in doubt was put to a person, once");
    }
}
