//! The properties by name, and all of them in one call.

use std::thread;

use crate::Place;

pub use crate::appends::{
    a_batch_goes_in_whole, a_head_of_another_digest_is_another_head, a_refused_batch_leaves_nothing,
    a_stale_head_is_told_the_head, an_append_moves_the_head, an_empty_board_has_nothing, moved_comes_before_taken,
    what_is_expected_is_what_must_be,
};
pub use crate::boards::{boards_are_as_if_alone, ids_are_nothing_but_bytes};
pub use crate::handles::{a_handle_that_lost_goes_on, what_one_handle_wrote_another_sees};
pub use crate::history::histories_are_in_order;
pub use crate::pages::{a_page_ends_at_its_bytes, a_page_is_in_order_and_as_long_as_asked, a_page_is_resumed_anywhere};
pub use crate::race::writers_at_once_all_get_in;
pub use crate::reads::{
    a_record_is_found_by_its_number, a_record_is_found_by_its_reference, an_idempotency_key_is_its_authors,
    records_come_back_byte_for_byte, the_newest_of_a_kind_and_key_is_found,
};
pub use crate::slots::{
    a_document_goes_in_with_its_record, a_document_is_dropped, a_document_is_replaced,
    documents_are_saved_without_records, the_newest_document_is_loaded,
};

/// A property: it panics where the store in the place does not have it. The place is empty at first.
pub type Property = fn(&dyn Place);

macro_rules! properties {
    ($($name:ident)*) => {
        /// Every property with its name.
        pub const ALL: &[(&str, Property)] = &[$((stringify!($name), $name),)*];
    };
}

properties! {
    an_empty_board_has_nothing
    an_append_moves_the_head
    a_batch_goes_in_whole
    a_refused_batch_leaves_nothing
    what_is_expected_is_what_must_be
    a_stale_head_is_told_the_head
    a_head_of_another_digest_is_another_head
    moved_comes_before_taken
    records_come_back_byte_for_byte
    a_record_is_found_by_its_number
    a_record_is_found_by_its_reference
    the_newest_of_a_kind_and_key_is_found
    an_idempotency_key_is_its_authors
    a_page_is_in_order_and_as_long_as_asked
    a_page_is_resumed_anywhere
    a_page_ends_at_its_bytes
    boards_are_as_if_alone
    ids_are_nothing_but_bytes
    the_newest_document_is_loaded
    a_document_is_replaced
    a_document_is_dropped
    documents_are_saved_without_records
    a_document_goes_in_with_its_record
    what_one_handle_wrote_another_sees
    a_handle_that_lost_goes_on
    writers_at_once_all_get_in
    histories_are_in_order
}

/// Holds stores to every property, each with a `fresh` one. The name of a property that fails is written to stderr.
///
/// # Panics
/// Where a store does not have a property.
pub fn run(fresh: &dyn Fn() -> Box<dyn Place>) {
    for (name, property) in ALL {
        let _running = Running(name);
        property(&*fresh());
    }
}

/// Tells which property it was when it panicked.
struct Running(&'static str);

impl Drop for Running {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the store does not have the property `{}`", self.0);
        }
    }
}
