//! The server is killed while many append: what was acknowledged is there when it is back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use postgres::{Client, NoTls};
use relay_baton::entry::{BoardId, Record};
use relay_baton::store::{AppendError, Expected, Store as _};
use relay_baton_postgres::Postgres;
use relay_baton_postgres_server::{Server, is_skipped};

use crate::entries::{all, batch, board, record};
use crate::place::Database;

/// A server that by itself would lose what was acknowledged in the last seconds.
const CARELESS: [(&str, &str); 3] =
    [("synchronous_commit", "off"), ("wal_writer_delay", "10s"), ("wal_writer_flush_after", "0")];

/// Appends until the server is gone; what was acknowledged.
fn write(url: &str, board: &BoardId, done: &AtomicBool) -> Vec<Record> {
    let mut store = Postgres::connect(url).unwrap();
    let mut wrote: Vec<Record> = Vec::new();
    while !done.load(Ordering::Relaxed) {
        let head = wrote.last().map(Record::head);
        let next = record(board, head.as_ref(), wrote.len() as u64);
        match store.append(board, &Expected::of(head), &batch(vec![next.clone()])) {
            Ok(()) => wrote.push(next),
            Err(AppendError::Fault(_)) => break,
            Err(other) => panic!("{other:?}"),
        }
    }
    wrote
}

#[test]
fn what_was_acknowledged_survives_a_crash_of_the_server() {
    if is_skipped() {
        return;
    }
    let mut server = Server::start_with(&CARELESS, &[]).unwrap();
    for round in 0..3 {
        let url = server.url();
        Postgres::connect(&url).unwrap();
        let boards: Vec<BoardId> = (0..4).map(|writer| board("acme", &format!("task-{round}-{writer}"))).collect();
        let done = AtomicBool::new(false);
        let wrote: Vec<Vec<Record>> = thread::scope(|scope| {
            let writers: Vec<_> = boards.iter().map(|board| scope.spawn(|| write(&url, board, &done))).collect();
            thread::sleep(Duration::from_millis(400));
            server.crash(&CARELESS).unwrap();
            done.store(true, Ordering::Relaxed);
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        let mut store = Postgres::connect(&server.url()).unwrap();
        for (board, wrote) in boards.iter().zip(&wrote) {
            let stands = all(&mut store, board);
            assert!(wrote.len() > 5, "{} appends in the time", wrote.len());
            // One more may stand than was acknowledged: the one under way.
            assert!(stands.starts_with(wrote) && stands.len() <= wrote.len() + 1, "round {round}");
        }
    }
}

#[test]
fn such_a_crash_loses_what_did_not_wait_for_the_disk() {
    if is_skipped() {
        return;
    }
    let mut server = Server::start_with(&CARELESS, &[]).unwrap();
    let mut client = Client::connect(&server.url(), NoTls).unwrap();
    client.batch_execute("create table careless (number int); checkpoint").unwrap();
    for number in 0..20 {
        client.execute("insert into careless values ($1)", &[&number]).unwrap();
    }
    server.crash(&CARELESS).unwrap();
    let mut client = Client::connect(&server.url(), NoTls).unwrap();
    let kept: i64 = client.query_one("select count(*) from careless", &[]).unwrap().get(0);
    assert!(kept < 20, "the crash loses nothing, so it shows nothing");
}

#[test]
fn an_append_waits_for_the_disk_whatever_the_default() {
    let Some(database) = Database::empty() else { return };
    let name = database.url().rsplit('/').next().unwrap().to_owned();
    Postgres::connect(&database.url()).unwrap();
    let mut client = database.client();
    // Deferred to the commit, where the setting counts.
    client
        .batch_execute(
            "create table seen (setting text); create function look() returns trigger language plpgsql as $$ begin \
             insert into public.seen values (current_setting('synchronous_commit')); return null; end $$; \
             create constraint trigger look after insert on relay_baton.entry deferrable initially deferred \
             for each row execute function look()",
        )
        .unwrap();
    let board = board("acme", "login");
    let mut stands: Vec<Record> = Vec::new();
    for (default, expected) in
        [("off", "on"), ("local", "on"), ("remote_write", "on"), ("on", "on"), ("remote_apply", "remote_apply")]
    {
        client
            .batch_execute(&format!("delete from seen; alter database {name} set synchronous_commit = {default}"))
            .unwrap();
        let mut store = Postgres::connect(&database.url()).unwrap();
        for turn in [false, true] {
            for _ in 0..if turn { 2 } else { 0 } {
                let late = batch(vec![record(&board, None, 99)]);
                assert!(matches!(store.append(&board, &Expected::Empty, &late), Err(AppendError::Moved(_))));
            }
            let head = stands.last().map(Record::head);
            let next = record(&board, head.as_ref(), stands.len() as u64);
            store.append(&board, &Expected::of(head), &batch(vec![next.clone()])).unwrap();
            stands.push(next);
        }
        let seen = client.query("select setting from seen", &[]).unwrap();
        let seen: Vec<&str> = seen.iter().map(|row| row.get(0)).collect();
        assert_eq!(seen, [expected; 2], "{default}");
    }
}
