//! Pages: in order, bounded, resumed anywhere.

use relay_baton::entry::Record;
use relay_baton::store::PAGE_BYTES_MAX;

use crate::Place;
use crate::entries::{board, draft, login, post, saying};

/// A page is the records after a number, in order, as many as asked for.
pub fn a_page_is_in_order_and_as_long_as_asked(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let mut records = Vec::new();
    for first in [1, 41, 81] {
        records.extend(post(&mut store, &board, (first..first + 40).map(draft)));
    }
    for count in [0, 1, 2, 119, 120, 121, 1 << 40, usize::MAX] {
        let expected = &records[..count.min(records.len())];
        assert_eq!(store.page(&board, 0, count).as_deref(), Ok(expected), "{count} records");
    }
}

/// A page can start after any number, also after the last, where it is empty.
pub fn a_page_is_resumed_anywhere(place: &dyn Place) {
    let mut store = place.open();
    let (one, two) = (login(), board("acme", "logout"));
    let records = post(&mut store, &one, (1..=30).map(draft));
    post(&mut store, &two, (1..=30).map(draft));
    for after in 0..=31 {
        let rest = records.get(after..).unwrap_or_default();
        for count in [1, 7, 100] {
            let expected = &rest[..count.min(rest.len())];
            assert_eq!(store.page(&one, after as u64, count).as_deref(), Ok(expected), "{count} after {after}");
        }
    }
    for after in [1 << 32, 1 << 40, (1 << 53) - 1, i64::MAX as u64, u64::MAX] {
        assert_eq!(store.page(&one, after, 10), Ok(Vec::new()), "after {after}");
    }
}

/// No record of a page starts after [`PAGE_BYTES_MAX`] bytes of others, and there is always at least one.
pub fn a_page_ends_at_its_bytes(place: &dyn Place) {
    let mut store = place.open();
    let board = login();
    let sizes = [PAGE_BYTES_MAX, 10, PAGE_BYTES_MAX / 2, PAGE_BYTES_MAX / 2, 10, 10, PAGE_BYTES_MAX - 10, 10];
    let mut records: Vec<Record> = Vec::new();
    for (size, number) in sizes.iter().zip(1..) {
        records.extend(post(&mut store, &board, [saying(number, "x".repeat(*size))]));
    }
    let mut after = 0;
    let mut lengths = Vec::new();
    while after < records.len() {
        let page = store.page(&board, after as u64, usize::MAX).unwrap();
        let end = after + fitting(&records[after..]);
        assert_eq!(page, records[after..end], "after {after}");
        lengths.push(page.len());
        after = end;
    }
    assert!(lengths.len() > 2 && lengths.contains(&1) && lengths.iter().any(|length| *length > 1), "{lengths:?}");
}

/// How many of `records` make one page.
fn fitting(records: &[Record]) -> usize {
    let mut bytes = 0;
    let start = |record: &Record| {
        let fits = bytes < PAGE_BYTES_MAX;
        bytes += record.bytes.len();
        fits
    };
    records.iter().map(start).take_while(|fits| *fits).count()
}
