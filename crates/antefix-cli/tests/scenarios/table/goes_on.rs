//! A conversation that goes on while the world around it moves.

use super::{HOLDING, scenarios};
use crate::expect::{begins, done, fails, names, opens, stands};
use crate::scenario::{project, project_with};
use crate::step::nothing;

/// Nothing is said before there is an operator.
const SILENT: &str = r#"
[[section]]
id = "operator"
stability = "frozen"
text = "{{ identity.operator }}"
only_if = ["identity:operator"]
"#;

/// Its words lie in a file.
const BESIDE: &str = "[[section]]\nid = 'base'\nstability = 'fixed'\nfile = 'base.md'\ndialect = 'plain'\n";

scenarios! {
    a_second_turn_has_the_bytes_of_the_first => project()
        .turn(nothing(), opens().says("Use tabs."))
        .turn(nothing(), stands(1, "opened").says("Use tabs."));

    a_file_that_changes_is_told_once_by_a_notice => project()
        .turn(nothing(), opens())
        .write("p/AGENTS.md", "Use spaces.\n")
        .turn(nothing(), stands(1, "opened").amendments(1).says("Use tabs."))
        .turn(nothing(), stands(1, "opened").amendments(1).says("Use tabs."));

    a_file_that_goes_and_comes_back_is_told_twice => project()
        .turn(nothing(), opens())
        .remove("p/AGENTS.md")
        .turn(nothing(), stands(1, "opened").amendments(1))
        .write("p/AGENTS.md", "Use tabs.\n")
        .turn(nothing(), stands(1, "opened").amendments(2));

    a_change_that_is_held_back_is_pending_until_somebody_renews => project_with(HOLDING)
        .turn(nothing(), opens().says("Use tabs."))
        .write("p/AGENTS.md", "Use spaces.\n")
        .turn(nothing(), stands(1, "opened").pending(&["file-changed"]).says("Use tabs."))
        .drift(names(1, "opened").changes(&["file-changed"]))
        .renew("reloaded", begins(2, "reloaded"))
        .turn(nothing(), stands(2, "reloaded").says("Use spaces."))
        .drift(names(2, "reloaded"));

    the_live_part_follows_git_and_the_prefix_stays => project()
        .write("p/.git/HEAD", "ref: refs/heads/main\n")
        .write("p/.git/config", "")
        .write("p/.git/objects/keep", "")
        .write("p/.git/refs/keep", "")
        .turn(nothing(), opens().says("?? AGENTS.md").keeps_quiet_about("?? parser.rs"))
        .write("p/parser.rs", "")
        .turn(nothing(), stands(1, "opened").says("?? parser.rs"));

    a_template_beside_the_layout_counts_from_the_next_renewal_on => project_with(BESIDE)
        .write("p/.antefix/base.md", "You are careful.\n")
        .turn(nothing(), opens().says("You are careful."))
        .write("p/.antefix/base.md", "You are quick.\n")
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).says("You are careful."))
        .renew("reloaded", begins(2, "reloaded"))
        .turn(nothing(), stands(2, "reloaded").says("You are quick."));

    a_wording_that_changes_is_held_back => project()
        .turn(nothing(), opens())
        .write("p/.antefix/wording.toml", "[wording]\namend_changed = \"News: {{ text }}\"\n")
        .turn(nothing(), stands(1, "opened").pending(&["wording-changed"]))
        .remove("p/.antefix/wording.toml")
        .turn(nothing(), stands(1, "opened"));

    an_operator_who_says_something_else_begins_an_epoch => project()
        .settings("[identity.operator]\nfile = 'operator.md'\n")
        .write("home/.config/antefix/operator.md", "You are Ada.\n")
        .turn(nothing(), opens().says("You are Ada."))
        .write("home/.config/antefix/operator.md", "You are Bob.\n")
        .turn(nothing(), begins(2, "resources-changed").changes(&["file-changed"]).says("You are Bob."))
        .turn(nothing(), stands(2, "resources-changed").says("You are Bob."));

    a_prompt_without_a_word_is_a_prompt => project_with(SILENT)
        .turn(nothing(), opens().keeps_quiet_about("Use tabs."))
        .turn(nothing(), stands(1, "opened"))
        .settings("[identity.operator]\nfile = 'operator.md'\n")
        .write("home/.config/antefix/operator.md", "You are Ada.\n")
        .turn(nothing(), stands(1, "opened").pending(&["file-added"]))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("You are Ada."));

    a_renewal_that_gives_the_same_bytes_begins_nothing => project()
        .turn(nothing(), opens())
        .renew("requested", stands(1, "opened"))
        .turn(nothing(), stands(1, "opened"));

    a_renewal_takes_up_what_notices_have_said => project()
        .turn(nothing(), opens())
        .write("p/AGENTS.md", "Use spaces.\n")
        .turn(nothing(), stands(1, "opened").amendments(1))
        .renew("resources-changed", begins(2, "resources-changed"))
        .turn(nothing(), stands(2, "resources-changed").says("Use spaces.").keeps_quiet_about("Use tabs."));

    a_turn_that_watches_what_acts_lists_nothing_that_is_held_back => project_with(HOLDING)
        .turn(nothing(), opens())
        .write("p/AGENTS.md", "Use spaces.\n")
        .turn(nothing().watch("acting"), stands(1, "opened"))
        .turn(nothing(), stands(1, "opened").pending(&["file-changed"]));

    a_compaction_that_succeeds_begins_an_epoch_once => project()
        .turn(nothing(), opens())
        .write("p/AGENTS.md", "Use spaces.\n")
        .begin_compaction(done().says("Use spaces."))
        .commit_compaction(names(2, "compacted"))
        .turn(nothing(), stands(2, "compacted").says("Use spaces."))
        // Whoever did not hear the answer asks again, also when the conversation has gone on.
        .commit_compaction(names(2, "compacted"))
        .write("p/AGENTS.md", "Use both.\n")
        .renew("reloaded", begins(3, "reloaded"))
        .commit_compaction(names(2, "compacted"))
        .turn(nothing(), stands(3, "reloaded").says("Use both."));

    a_compaction_that_fails_leaves_all_as_it_was => project()
        .turn(nothing(), opens())
        .write("p/AGENTS.md", "Use spaces.\n")
        .begin_compaction(done().says("Use spaces."))
        .abort_compaction()
        .commit_compaction(fails("has no compaction"))
        .turn(nothing(), stands(1, "opened").amendments(1).says("Use tabs."));

    a_compaction_is_refused_once_the_conversation_has_moved_on => project()
        .turn(nothing(), opens())
        .write("p/AGENTS.md", "Use spaces.\n")
        .begin_compaction(done().says("Use spaces."))
        .renew("reloaded", begins(2, "reloaded"))
        .commit_compaction(fails("has begun epoch 2 since"))
        .turn(nothing(), stands(2, "reloaded"));

    what_needs_a_conversation_says_that_there_is_none => project()
        .drift(fails("there is no conversation"))
        .renew("requested", fails("there is no conversation"))
        .turn(nothing(), opens());

    a_compaction_opens_what_nobody_opened => project()
        .begin_compaction(done().says("Use tabs.").says("You shorten a conversation"))
        .turn(nothing(), stands(1, "opened").says("Use tabs.").keeps_quiet_about("You shorten a conversation"))
        .commit_compaction(names(1, "opened"))
        .turn(nothing(), stands(1, "opened"));

    a_compaction_that_opened_a_conversation_and_failed_leaves_it_open => project()
        .send("hello")
        .begin_compaction(done().says("Use tabs."))
        .abort_compaction()
        // What waits goes with a turn, and a summary is none.
        .turn(nothing(), stands(1, "opened").queued(&["hello"]).says("Use tabs."));
}
