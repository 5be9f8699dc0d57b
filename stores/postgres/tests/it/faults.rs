//! Faults that take long, or need root: a server that hangs, and a disk that is full.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use relay_baton::entry::{Draft, Record};
use relay_baton::json::Value;
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Expected, Store as _};
use relay_baton_postgres::Postgres;
use relay_baton_postgres_server::{Account, Server, is_skipped};

use crate::entries::{all, batch, board, draft, post, record};

#[test]
#[ignore = "takes two minutes: `cargo xtask faults` runs it"]
fn a_server_that_hangs_is_given_up() {
    if is_skipped() {
        return;
    }
    let server = Server::start().unwrap();
    let mut store = Postgres::connect(&server.url()).unwrap();
    let board = board("acme", "login");
    let first = post(&mut store, &board, 1);
    server.signal("STOP").unwrap();
    let start = Instant::now();
    let next = batch(vec![record(&board, Some(&first.head()), 2)]);
    let answer = store.append(&board, &Expected::Head(first.head()), &next);
    assert!(matches!(&answer, Err(AppendError::Fault(fault)) if fault.code == Code::StoreUnsettled), "{answer:?}");
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
    let start = Instant::now();
    assert_eq!(store.head(&board).unwrap_err().code, Code::StoreUnavailable);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    server.signal("CONT").unwrap();
    let answer = store.append(&board, &Expected::Head(first.head()), &next);
    let stands = all(&mut store, &board);
    assert_eq!((stands.len(), &stands[1]), (2, &next.records[0]), "{answer:?}");
    // The same again is either done now, or told that the board ends with it.
    assert!(answer.is_ok() || answer == Err(AppendError::Moved(Some(stands[1].head()))), "{answer:?}");
}

/// A small disk, which goes with this.
struct Disk(PathBuf);

impl Disk {
    fn mount(size: &str) -> Self {
        let folder = env::temp_dir().join(format!("relay-baton-disk-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size},mode=0700"), "tmpfs"]).arg(&folder);
        assert!(mount.status().unwrap().success(), "only root mounts");
        Account::find().unwrap().own(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _status = Command::new("umount").arg(&self.0).status();
        let _gone = fs::remove_dir(&self.0);
    }
}

/// A record of some ten kilobytes that cannot be made small.
fn large(after: Option<&Record>, number: u64) -> Record {
    let board = board("acme", "login");
    let noise: String = (0..160).map(|part| relay_baton::json::digest(format!("{number} {part}").as_bytes())).collect();
    let draft = Draft { data: Value::string(noise), ..draft(number) };
    draft.place(&board, after.map(Record::head).as_ref()).seal()
}

#[test]
#[ignore = "mounts a disk, which needs root: `cargo xtask faults` runs it"]
fn a_full_disk_is_told_and_nothing_is_half_there() {
    if is_skipped() {
        return;
    }
    let disk = Disk::mount("3m");
    let server = Server::start().unwrap();
    let mut store = Postgres::connect(&server.url()).unwrap();
    let mut client = Client::connect(&server.url(), NoTls).unwrap();
    // The log of the server stays where there is room.
    client.batch_execute(&format!("create tablespace small location '{}'", disk.0.display())).unwrap();
    client.batch_execute("alter table relay_baton.entry set tablespace small").unwrap();
    let board = board("acme", "login");
    let mut stands: Vec<Record> = Vec::new();
    let fault = loop {
        let next = large(stands.last(), stands.len() as u64);
        let expected = Expected::of(stands.last().map(Record::head));
        match store.append(&board, &expected, &batch(vec![next.clone()])) {
            Ok(()) => stands.push(next),
            Err(AppendError::Fault(fault)) => break fault,
            Err(other) => panic!("{other:?}"),
        }
        assert!(stands.len() < 1000, "the disk does not fill");
    };
    assert_eq!(fault.code, Code::StoreFull, "{}", fault.detail);
    assert!(stands.len() > 50, "{} entries", stands.len());
    assert_eq!(all(&mut store, &board), stands);
    client.batch_execute("alter table relay_baton.entry set tablespace pg_default").unwrap();
    let next = large(stands.last(), stands.len() as u64);
    store.append(&board, &Expected::of(stands.last().map(Record::head)), &batch(vec![next])).unwrap();
    drop(server);
}
