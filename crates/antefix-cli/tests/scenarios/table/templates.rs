//! Templates that somebody saves for the layout's editable section.

use super::scenarios;
use crate::expect::{begins, opens, stands};
use crate::scenario::project;
use crate::step::nothing;

scenarios! {
    a_template_that_is_saved_counts_from_the_next_renewal_on => project()
        .turn(nothing(), opens().keeps_quiet_about("Be brief."))
        .save_template("plain", "Be brief.")
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).keeps_quiet_about("Be brief."))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("Be brief.").says("Use tabs."));

    a_template_that_is_deleted_gives_way_to_the_layouts_own_text => project()
        .save_template("bracket", "Be brief in [prompt:cwd].")
        .turn(nothing(), opens().says("Be brief in ."))
        .delete_template()
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).says("Be brief in"))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").keeps_quiet_about("Be brief in").says("Use tabs."));

    a_template_that_was_saved_for_one_layout_is_never_applied_to_another => project()
        .save_template("bracket", "Be brief in [prompt:cwd].")
        .turn(nothing().layout("dispatch"), opens().keeps_quiet_about("Be brief").says("Use tabs."))
        .renew("requested", stands(1, "opened"));
}
