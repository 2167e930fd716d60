//! The rules that every store must keep, as code: whoever writes a store runs [`check`] in a test.
//!
//! 1. Each rule gets an empty medium of its own and a thread of its own. All rules run, and all that are broken are reported.
//! 2. A medium may be opened several times, and whoever opens it sees the same ledgers. Rules about what lasts and about
//!    races open it more than once.
//! 3. Nothing here depends on time: rules about races count winners, and do not sleep.
//!
//! ```
//! use std::sync::Arc;
//! use antefix::contract::{self, Medium};
//! use antefix::freeze::store::{Store, StoreResult};
//! use antefix::stores::MemoryStore;
//!
//! /// Memory is its own medium.
//! struct Memory(Arc<MemoryStore>);
//!
//! impl Medium for Memory {
//!     fn open(&self) -> StoreResult<Arc<dyn Store>> {
//!         Ok(self.0.clone())
//!     }
//! }
//!
//! contract::check(&|| Box::new(Memory(Arc::default())));
//! ```

#![allow(clippy::unwrap_used, clippy::panic, reason = "a rule that is broken panics, as a test does")]

mod compactions;
mod copies;
mod deletions;
mod insertions;
mod ledgers;
mod memories;
mod races;
mod sample;
mod stamps;
mod sweeps;
mod templates;
mod texts;
mod uses;

use std::sync::Arc;

use crate::freeze::store::{Store, StoreResult};

pub use sample::{amendment, compaction, epoch, id, memory, moment};

/// What a store keeps its ledgers in: a file, a database, memory.
pub trait Medium: Send + Sync {
    /// Opens it, as another process would.
    fn open(&self) -> StoreResult<Arc<dyn Store>>;
}

/// A rule: its name is a sentence.
type Rule = (&'static str, fn(&dyn Medium));

/// Names functions as rules.
macro_rules! rules {
    ($($module:ident::{$($name:ident),* $(,)?}),* $(,)?) => {
        const RULES: &[Rule] = &[$($((stringify!($name), $module::$name)),*),*];
    };
}

rules! {
    ledgers::{
        a_conversation_that_nobody_opened_has_nothing,
        an_epoch_is_kept_as_it_was_given,
        every_cause_is_kept,
        times_are_kept_to_the_microsecond,
        what_is_not_known_stays_unknown,
        the_last_epoch_is_the_standing_one,
        whoever_comes_second_gets_the_first_one,
        whoever_comes_late_gets_the_standing_one,
        a_gap_in_the_numbers_is_refused,
        conversations_do_not_mix,
        epochs_are_paged_by_number,
        conversations_are_paged_in_the_order_of_bytes,
        ids_are_compared_byte_by_byte,
        ids_may_be_long_and_in_any_script,
        amendments_are_in_their_order,
        an_amendment_that_comes_second_gets_the_last_one,
        an_amendment_to_an_epoch_that_has_passed_is_lost,
        an_old_epoch_keeps_its_amendments,
        what_was_acknowledged_is_there_for_others,
    },
    texts::{
        texts_come_in_the_order_asked_for,
        a_text_of_several_conversations_is_kept_once,
        the_empty_text_is_a_text,
        texts_keep_every_byte,
        large_texts_are_kept,
        many_texts_are_answered_at_once,
        a_loser_leaves_no_text_behind,
    },
    memories::{
        a_conversation_remembers_what_was_said_last,
        a_conversation_remembers_across_epochs,
        what_a_conversation_remembers_keeps_every_byte,
        a_conversation_that_nobody_opened_remembers_nothing,
        what_one_conversation_remembers_is_unknown_to_another,
        an_old_epoch_does_not_say_what_is_remembered,
        a_sweep_keeps_what_is_remembered,
        a_sweep_deletes_what_is_remembered_no_more,
        a_sweep_beside_memories_takes_no_text_away,
        of_many_memories_at_once_one_stays_whole,
    },
    insertions::{
        messages_wait_in_their_order,
        a_message_is_taken_once,
        a_turn_that_names_itself_may_ask_again,
        a_message_may_come_before_the_first_turn,
        messages_keep_every_byte,
        a_place_is_given_once,
        insertions_stay_across_epochs,
        a_committed_compaction_ends_what_was_taken,
        a_compaction_that_is_not_committed_ends_nothing,
        an_insertion_is_kept_as_it_was_given,
        an_insertion_that_comes_second_gets_the_last_number,
        what_has_ended_is_given_to_no_turn,
    },
    compactions::{
        beginning_changes_nothing_that_a_turn_sees,
        a_commit_appends_the_epoch,
        a_commit_without_a_next_epoch_keeps_the_standing_one,
        only_the_last_compaction_can_be_committed,
        an_aborted_compaction_cannot_be_committed,
        aborting_one_leaves_another_alone,
        a_conversation_that_moved_on_is_not_compacted,
        a_compaction_is_committed_by_whoever_has_its_token,
        a_commit_that_comes_again_gets_the_epoch_that_it_made,
    },
    sweeps::{
        a_sweep_deletes_nothing_that_a_row_names,
        a_sweep_spares_what_a_compaction_will_need,
        a_dry_run_deletes_nothing,
        a_text_that_was_swept_can_come_back,
    },
    templates::{
        where_nobody_saved_there_is_no_template,
        a_template_is_kept_as_it_was_given,
        a_template_belongs_to_its_layout,
        layouts_are_compared_byte_by_byte,
        numbers_are_one_series_over_all_layouts,
        a_deleted_template_stays_in_the_history,
        a_template_can_be_saved_again_after_it_was_deleted,
        whoever_deletes_second_gets_the_last_entry,
        a_deletion_has_no_label,
        whoever_saves_second_gets_the_last_template,
        a_gap_between_templates_is_refused,
        templates_are_paged_from_the_last_one,
        of_two_templates_with_one_digest_the_last_is_found,
        a_label_may_come_change_and_go,
        a_sweep_leaves_templates_alone,
        of_many_who_save_one_wins_each_number,
        of_those_who_save_and_delete_at_once_one_wins,
    },
    copies::{
        an_import_takes_in_all_ledgers,
        an_import_can_be_run_again,
        two_messages_of_one_time_are_two,
        an_import_keeps_numbers_and_places,
        an_import_leaves_room_behind_the_highest_number,
        an_import_appends_what_is_lacking,
        an_import_is_the_last_to_say_what_is_remembered,
        where_a_ledger_parts_from_its_copy_nothing_is_written,
        of_many_imports_at_once_one_writes,
    },
    deletions::{
        a_deleted_conversation_leaves_nothing,
        a_conversation_that_nobody_has_cannot_be_deleted,
        a_deleted_conversation_can_be_opened_again,
        a_deletion_beside_appends_takes_no_text_away,
        of_many_deletions_at_once_one_deletes,
    },
    uses::{
        every_row_is_a_use,
        a_use_is_noted_and_never_becomes_earlier,
        pauses_are_noted_with_the_use_behind_them,
        uses_are_paged_in_the_order_of_bytes,
        what_was_used_since_is_not_deleted,
        a_conversation_in_use_is_not_deleted_by_its_age,
    },
    stamps::{
        a_stamp_stays_while_nobody_writes,
        whatever_anybody_writes_changes_the_stamp,
    },
    races::{
        of_many_first_epochs_one_wins,
        of_many_second_epochs_one_wins,
        of_many_amendments_one_wins,
        of_many_commits_one_appends,
        each_message_goes_with_one_turn,
        no_number_is_given_to_two_messages,
        of_many_who_insert_one_wins_each_number,
        a_sweep_beside_appends_takes_no_text_away,
    },
}

/// Runs all rules, each with an empty medium.
///
/// # Panics
///
/// If a rule is broken; the message names all that are.
pub fn check(fresh: &(dyn Fn() -> Box<dyn Medium> + Sync)) {
    let mut broken = Vec::new();
    for (name, rule) in RULES {
        let medium = fresh();
        let ended = std::thread::scope(|scope| scope.spawn(|| rule(medium.as_ref())).join());
        if ended.is_err() {
            broken.push(name.replace('_', " "));
        }
    }
    let count = broken.len();
    assert!(broken.is_empty(), "{count} of {} rules are broken:\n- {}", RULES.len(), broken.join("\n- "));
}

/// Opens the medium for a rule.
#[track_caller]
fn open(medium: &dyn Medium) -> Arc<dyn Store> {
    medium.open().unwrap()
}
