use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};

use relay_baton_store_conformance::suite::{self, Property};

use crate::loose::{Loose, Wrong};

/// What is wrong with a store, and the properties that it does not have because of that.
const TWINS: &[(Wrong, &[&str])] = &[
    (Wrong::InventsAHead, &["an_empty_board_has_nothing"]),
    (Wrong::HeadLags, &["an_append_moves_the_head"]),
    (Wrong::ForgetsSaves, &["a_batch_goes_in_whole", "the_newest_document_is_loaded"]),
    (Wrong::ForgetsDrops, &["a_batch_goes_in_whole", "a_document_is_dropped"]),
    (Wrong::TakesHalfABatch, &["a_refused_batch_leaves_nothing"]),
    (Wrong::SavesBeforeItChecks, &["a_refused_batch_leaves_nothing", "documents_are_saved_without_records"]),
    (Wrong::ExpectsNothing, &["what_is_expected_is_what_must_be", "a_stale_head_is_told_the_head"]),
    (Wrong::ComparesNumbersOnly, &["a_head_of_another_digest_is_another_head"]),
    (Wrong::TakesOldHeads, &["a_stale_head_is_told_the_head"]),
    (Wrong::TellsNoHead, &["a_stale_head_is_told_the_head"]),
    (Wrong::LooksForTakenFirst, &["moved_comes_before_taken"]),
    (Wrong::ReplacesEmoji, &["records_come_back_byte_for_byte"]),
    (Wrong::CountsFromZero, &["a_record_is_found_by_its_number"]),
    (Wrong::FindsAnyReference, &["a_record_is_found_by_its_reference"]),
    (Wrong::FindsWhatCameLater, &["the_newest_of_a_kind_and_key_is_found"]),
    (Wrong::FindsTheOldest, &["the_newest_of_a_kind_and_key_is_found"]),
    (Wrong::SharesIdempotencyKeys, &["an_idempotency_key_is_its_authors"]),
    (Wrong::PagesBackwards, &["a_page_is_in_order_and_as_long_as_asked"]),
    (Wrong::PagesFromTheNumber, &["a_page_is_resumed_anywhere"]),
    (Wrong::IgnoresTheCount, &["a_page_is_in_order_and_as_long_as_asked"]),
    (Wrong::IgnoresTheBytes, &["a_page_ends_at_its_bytes"]),
    (Wrong::LeaksTenants, &["boards_are_as_if_alone"]),
    (Wrong::FoldsCase, &["ids_are_nothing_but_bytes"]),
    (Wrong::LoadsExactly, &["the_newest_document_is_loaded"]),
    (Wrong::KeepsTheFirst, &["a_document_is_replaced"]),
    (Wrong::DropsTheSlot, &["a_document_is_dropped"]),
    (Wrong::NeedsRecords, &["documents_are_saved_without_records"]),
    (Wrong::SavesLate, &["a_document_goes_in_with_its_record"]),
    (Wrong::RemembersTheHead, &["what_one_handle_wrote_another_sees"]),
    (Wrong::SulksAfterALoss, &["a_handle_that_lost_goes_on"]),
    (Wrong::ChecksOutsideTheLock, &["writers_at_once_all_get_in", "histories_are_in_order"]),
    (Wrong::LosesNowAndThen, &["writers_at_once_all_get_in", "histories_are_in_order"]),
    (Wrong::ReadsOldPages, &["histories_are_in_order"]),
];

fn property(name: &str) -> Property {
    suite::ALL.iter().find(|(other, _)| *other == name).unwrap().1
}

fn holds(property: Property, wrong: Wrong) -> bool {
    panic::catch_unwind(AssertUnwindSafe(|| property(&Loose::new(wrong)))).is_ok()
}

#[test]
fn a_store_that_checks_what_the_port_asks_for_has_every_property() {
    suite::run(&|| Box::new(Loose::new(Wrong::Nothing)));
}

#[test]
fn every_broken_store_is_caught_where_it_is_broken() {
    for (wrong, names) in TWINS {
        for name in *names {
            assert!(!holds(property(name), *wrong), "{wrong:?} was not caught by {name}");
        }
    }
}

#[test]
fn every_property_catches_some_broken_store() {
    let caught: BTreeSet<&str> = TWINS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let all: BTreeSet<&str> = suite::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(caught, all);
}
