//! Writers at once.

use std::collections::BTreeSet;
use std::thread;

use relay_baton::entry::{Entry, Record};
use relay_baton::store::{AppendError, Expected};

use crate::Place;
use crate::entries::{all, batch, chain, draft, login};

const WRITERS: u64 = 8;
const APPENDS: u64 = 25;

/// Writers that each try again when the board moved all get everything in, once, without gaps; and nobody fails.
pub fn writers_at_once_all_get_in(place: &dyn Place) {
    let wrote: Vec<Vec<Record>> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(place, writer))).collect();
        writers.into_iter().map(|writer| writer.join().expect("no writer fails")).collect()
    });
    let records = all(&mut place.open(), &login());
    assert_eq!(records.len() as u64, WRITERS * APPENDS, "every append is there, once");
    let mut prev = None;
    for (record, seq) in records.iter().zip(1..) {
        let entry = Entry::read(record).expect("an entry");
        assert_eq!((entry.seq, &entry.prev), (seq, &prev), "the board is one chain without gaps");
        prev = Some(record.digest.clone());
    }
    let kept: BTreeSet<&str> = records.iter().map(|record| record.digest.as_str()).collect();
    for record in wrote.iter().flatten() {
        assert!(kept.contains(record.digest.as_str()), "entry {} was acknowledged and is not there", record.seq);
    }
}

/// One writer's appends, each tried until it is in.
fn write(place: &dyn Place, writer: u64) -> Vec<Record> {
    let mut store = place.open();
    let board = login();
    let mut wrote = Vec::new();
    for round in 0..APPENDS {
        let mut head = store.head(&board).expect("the head can be read");
        loop {
            let records = chain(&board, head.clone(), [draft(writer * APPENDS + round)]);
            match store.append(&board, &Expected::of(head), &batch(records.clone())) {
                Ok(()) => break wrote.extend(records),
                Err(AppendError::Moved(now)) => head = now,
                Err(other) => panic!("writer {writer}: {other:?}"),
            }
        }
    }
    wrote
}
