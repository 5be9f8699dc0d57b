//! Several handles on one store, one after another.

use relay_baton::entry::Record;
use relay_baton::store::{AppendError, Expected, Which};

use crate::Place;
use crate::entries::{all, batch, board, chain, draft, id, keep, login, post, saved};

/// What one handle wrote, the others see at once, also those that had looked before; and it outlives the handle.
pub fn what_one_handle_wrote_another_sees(place: &dyn Place) {
    let (mut one, mut two) = (place.open(), place.open());
    let board = login();
    assert_eq!((one.head(&board), two.head(&board)), (Ok(None), Ok(None)));
    let mut records: Vec<Record> = Vec::new();
    for number in 1..=20 {
        let (writer, reader) = if number % 2 == 0 { (&mut one, &mut two) } else { (&mut two, &mut one) };
        let record = post(writer, &board, [draft(number)]).remove(0);
        keep(writer, &board, vec![saved("baton", number, "b")], Vec::new());
        assert_eq!(reader.head(&board), Ok(Some(record.head())));
        assert_eq!(reader.page(&board, number - 1, 9), Ok(vec![record.clone()]));
        assert_eq!(reader.read(&board, Which::Reference(&record.reference)), Ok(Some(record.clone())));
        assert_eq!(reader.load(&board, &id("baton"), u64::MAX), Ok(Some(saved("baton", number, "b"))));
        records.push(record);
    }
    drop((one, two));
    assert_eq!(all(&mut place.open(), &board), records);
}

/// Who lost against another handle is told, reads, and goes on; and a handle that lost and gave up is in nobody's way.
pub fn a_handle_that_lost_goes_on(place: &dyn Place) {
    let (mut one, mut two) = (place.open(), place.open());
    let board = login();
    let stale = one.head(&board).unwrap();
    let first = post(&mut two, &board, [draft(1)]);
    let batch = batch(chain(&board, stale.clone(), [draft(2)]));
    let moved = Err(AppendError::Moved(Some(first[0].head())));
    assert_eq!(one.append(&board, &Expected::of(stale.clone()), &batch), moved);
    post(&mut one, &board, [draft(2)]);
    assert!(one.append(&board, &Expected::of(stale), &batch).is_err());
    post(&mut two, &board, [draft(3)]);
    post(&mut one, &other(), [draft(1)]);
    assert_eq!(all(&mut two, &board).len(), 3);
}

fn other() -> relay_baton::entry::BoardId {
    board("acme", "logout")
}
