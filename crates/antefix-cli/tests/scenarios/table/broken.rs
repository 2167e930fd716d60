//! What breaks or goes away before a conversation opens, and while it stands.
//!
//! A standing conversation never fails because of what happened around it since it opened.

use super::{HOLDING, scenarios};
use crate::expect::{begins, fails, names, opens, stands};
use crate::front_end::FrontEnd;
use crate::scenario::{project, project_with};
use crate::step::nothing;

/// The same layout as [`HOLDING`] with other words.
const EDITED: &str = r#"
[instructions]
global = "none"
[[section]]
id = "base"
stability = "fixed"
dialect = "plain"
text = "You are quick."
"#;

/// The number is no name for a section.
const BROKEN: &str = "[[section]]\nid = 1\n";

/// A memory without which nothing is said.
const REFUSING: &str = r#"
[[section]]
id = "memory"
stability = "frozen"
text = "{{ memory.core }}"
when_unavailable = "refuse"
"#;

const MEMORY_FAILS: &str = "[memory.core]\ncommand = ['false']\n";
/// It takes longer than anybody waits.
const MEMORY_HANGS: &str = "[memory.core]\ncommand = ['sleep', '600']\n";

/// Both parts lie in files of their own.
const IN_FILES: &str = r#"
[[section]]
id = "base"
stability = "frozen"
file = "base.md"
[[section]]
id = "now"
stability = "live"
joint = "paragraph"
file = "now.md"
"#;

const MEMORY_SPEAKS: &str = "[memory.core]\ncommand = ['echo', 'Remember the milk.']\n";

scenarios! {
    a_layout_that_is_broken_opens_nothing => project_with(BROKEN)
        .turn(nothing(), fails(".antefix/layout.toml:2:6"))
        .write("p/.antefix/layout.toml", HOLDING)
        .turn(nothing(), opens().says("You are careful."));

    a_layout_that_nobody_has_is_refused_with_the_names_of_all => project()
        .turn(nothing().layout("nonsense"), fails("there is no layout `nonsense`"))
        .turn(nothing(), opens());

    a_layout_that_is_edited_counts_from_the_next_renewal_on => project_with(HOLDING)
        .turn(nothing(), opens().says("You are careful."))
        .write("p/.antefix/layout.toml", EDITED)
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).says("You are careful."))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("You are quick."));

    a_layout_that_appears_counts_from_the_next_renewal_on => project()
        .turn(nothing(), opens().keeps_quiet_about("You are quick."))
        .write("p/.antefix/layout.toml", EDITED)
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).keeps_quiet_about("You are quick."))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("You are quick."));

    a_layout_that_breaks_stops_no_turn => project_with(HOLDING)
        .turn(nothing(), opens())
        .write("p/.antefix/layout.toml", BROKEN)
        .turn(nothing(), stands(1, "opened").something_pending().something_found().says("You are careful."))
        .renew("requested", fails(".antefix/layout.toml:2:6"))
        .write("p/.antefix/layout.toml", HOLDING)
        .turn(nothing(), stands(1, "opened").says("You are careful."));

    a_layout_that_was_named_and_goes_stops_no_turn => project()
        .write("p/other.toml", HOLDING)
        .turn(nothing().layout("./other.toml"), opens().says("You are careful."))
        .remove("p/other.toml")
        .turn(nothing(), stands(1, "opened").something_pending().something_found().says("You are careful."))
        .renew("requested", fails("other.toml"));

    a_wording_that_breaks_stops_no_turn => project()
        .turn(nothing(), opens())
        .write("p/.antefix/wording.toml", "[wording\n")
        .turn(nothing(), stands(1, "opened").something_pending().something_found())
        .renew("requested", fails("wording.toml"));

    settings_that_are_broken_open_nothing => project()
        .settings("nonsense = 1\n")
        .turn(nothing(), fails("nonsense"))
        .settings("")
        .turn(nothing(), opens());

    settings_that_break_stop_no_turn => project()
        .turn(nothing(), opens())
        .settings("nonsense = 1\n")
        .turn(nothing(), stands(1, "opened").something_pending().something_found().says("Use tabs."))
        .settings("")
        .turn(nothing(), stands(1, "opened"));

    models_that_cannot_be_read_are_a_finding_and_stop_nothing => project()
        .write("home/.config/antefix/models.json", "{")
        .turn(nothing().model("deepseek-flash"), opens().codes(&["models-unreadable"]))
        .turn(nothing().target("anthropic"), stands(1, "opened").codes(&["models-unreadable"]))
        .remove("home/.config/antefix/models.json")
        .turn(nothing(), stands(1, "opened"));

    models_that_cannot_be_read_are_told_wherever_they_would_be_used => project()
        .turn(nothing().model("deepseek-flash"), opens())
        .write("home/.config/antefix/models.json", "{")
        .write("p/AGENTS.md", "Use spaces.\n")
        .drift(names(1, "opened").changes(&["file-changed"]).codes(&["models-unreadable"]))
        .renew("requested", begins(2, "requested").codes(&["models-unreadable"]));

    a_directory_that_goes_stops_no_turn => project()
        .write("q/.antefix/wording.toml", "")
        .write("q/AGENTS.md", "Use spaces.\n")
        .turn(nothing().cwd("q"), opens().says("Use spaces."))
        .remove_directory("q")
        .turn(nothing(), stands(1, "opened").something_pending().something_found().says("Use spaces."));

    a_directory_with_another_name_has_the_same_bytes => project()
        .write("q/.antefix/wording.toml", "")
        .write("q/AGENTS.md", "Use spaces.\n")
        .turn(nothing().cwd("q"), opens().says("Use spaces."))
        .move_directory("q", "r")
        .turn(nothing().cwd("r"), stands(1, "opened").says("Use spaces."))
        .turn(nothing(), stands(1, "opened"));

    a_directory_that_is_not_there_is_refused => project()
        .turn(nothing().cwd("nowhere"), fails("there is no such directory"))
        .except(
            FrontEnd::Program,
            &["hint"],
            "the program says which argument names the directory",
        )
        .except(
            FrontEnd::Http,
            &["error", "hint"],
            "whether there is something outside the roots is nobody's business: one answer for all such directories",
        )
        .turn(nothing(), opens());

    a_memory_that_is_down_is_a_gap_until_it_comes_back => project()
        .settings(MEMORY_FAILS)
        .turn(nothing(), opens().degraded().codes(&["remote-unavailable"]).says("Use tabs."))
        .settings(MEMORY_SPEAKS)
        .turn(nothing(), stands(1, "opened").degraded().amendments(1))
        .turn(nothing(), stands(1, "opened").degraded().amendments(1));

    a_memory_that_goes_down_is_not_taken_for_an_empty_one => project()
        .settings(MEMORY_SPEAKS)
        .turn(nothing(), opens().says("Remember the milk."))
        .settings(MEMORY_FAILS)
        .turn(nothing(), stands(1, "opened").pending(&["unavailable"]).codes(&["remote-unavailable"]))
        .settings(MEMORY_SPEAKS)
        .turn(nothing(), stands(1, "opened").says("Remember the milk."));

    a_memory_without_which_nothing_is_said_refuses_to_open => project_with(REFUSING)
        .settings(MEMORY_FAILS)
        .turn(nothing(), fails("memory:core"))
        .settings(MEMORY_SPEAKS)
        .turn(nothing(), opens().says("Remember the milk."))
        .settings(MEMORY_FAILS)
        .turn(nothing(), stands(1, "opened").says("Remember the milk."))
        .renew("requested", fails("memory:core"))
        .drift(fails("memory:core"))
        .turn(nothing(), stands(1, "opened").says("Remember the milk."));

    a_memory_that_hangs_holds_up_a_turn_for_a_moment_if_it_may_act => project()
        .settings(MEMORY_SPEAKS)
        .turn(nothing(), opens().says("Remember the milk."))
        .settings(MEMORY_HANGS)
        .turn(nothing(), stands(1, "opened").pending(&["unavailable"]).codes(&["remote-unavailable"]))
        .settings(MEMORY_SPEAKS)
        .turn(nothing(), stands(1, "opened"));

    a_memory_that_hangs_is_not_asked_by_a_turn_that_would_hold_its_change_back => project()
        .settings(MEMORY_SPEAKS)
        .turn(nothing().layout("buzz"), opens().says("Remember the milk."))
        .settings(MEMORY_HANGS)
        .turn(nothing(), stands(1, "opened").says("Remember the milk."))
        .settings(MEMORY_SPEAKS)
        .drift(names(1, "opened"));

    a_memory_that_says_something_else_is_found_by_drift_and_taken_up_by_a_renewal => project()
        .settings(MEMORY_SPEAKS)
        .turn(nothing().layout("buzz"), opens().says("Remember the milk."))
        .settings("[memory.core]\ncommand = ['echo', 'Remember the bread.']\n")
        .turn(nothing(), stands(1, "opened").says("Remember the milk."))
        .drift(names(1, "opened").changes(&["file-changed", "file-changed"]))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("Remember the bread."));

    a_template_that_cannot_be_rendered_any_more_stops_no_turn => project_with(IN_FILES)
        .write("p/.antefix/base.md", "You are careful.")
        .write("p/.antefix/now.md", "It is Monday.")
        .turn(nothing(), opens().says("You are careful.").says("It is Monday."))
        .write("p/.antefix/base.md", "{{ nope.x }}")
        .turn(nothing(), unrenderable().says("You are careful.").says("It is Monday."))
        .renew("requested", fails("base.md:1:4"))
        .drift(fails("base.md:1:4"))
        .write("p/.antefix/base.md", "You are careful.")
        .turn(nothing(), stands(1, "opened").says("You are careful."));

    a_live_part_that_cannot_be_rendered_any_more_is_left_out => project_with(IN_FILES)
        .write("p/.antefix/base.md", "You are careful.")
        .write("p/.antefix/now.md", "It is Monday.")
        .turn(nothing(), opens().says("It is Monday."))
        .write("p/.antefix/now.md", "{{ nope.x }}")
        .turn(nothing(), unrenderable().says("You are careful.").keeps_quiet_about("It is Monday."))
        .write("p/.antefix/now.md", "It is Tuesday.")
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).says("It is Tuesday."));
}

/// The conversation goes on, and says why it could not be renewed.
fn unrenderable() -> crate::expect::Expect {
    stands(1, "opened").pending(&["layout-changed"]).codes(&["unrenderable"])
}
