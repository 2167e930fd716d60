//! Templates that somebody saves for the layout's editable section.

use super::scenarios;
use crate::expect::{begins, fails, opens, stands};
use crate::front_end::FrontEnd;
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

    a_template_that_can_no_longer_be_composed_gives_way_to_the_one_before => project()
        .save_template("jinja", "Be brief.")
        .write(INCLUDED, "Be kind.")
        .save_template("jinja", INCLUDES)
        .write(INCLUDED, "{{ nope.x }}")
        .turn(nothing(), opens().says("Be brief.").keeps_quiet_about("Be careful.").codes(&["earlier-template"]))
        .except(FrontEnd::Acp, &["findings"], "the prompt that follows is a turn of a session that is open, and says what a turn says")
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).codes(&["unrenderable"]).says("Be brief."))
        .write(INCLUDED, "Be kind.")
        .turn(nothing(), stands(1, "opened").pending(&["layout-changed"]).says("Be brief."))
        .renew("requested", begins(2, "requested"))
        .turn(nothing(), stands(2, "requested").says("Be careful.").says("Be kind."));

    without_one_before_that_can_be_composed_nothing_opens => project()
        .write(INCLUDED, "Be kind.")
        .save_template("jinja", INCLUDES)
        .write(INCLUDED, "{{ nope.x }}")
        .turn(nothing(), fails("more.md:1:4"));

    a_template_that_was_deleted_is_not_used_again => project()
        .save_template("jinja", "Be brief.")
        .delete_template()
        .write(INCLUDED, "Be kind.")
        .save_template("jinja", INCLUDES)
        .write(INCLUDED, "{{ nope.x }}")
        .turn(nothing(), fails("more.md:1:4"));
}

/// A file that a saved template includes, and that template.
const INCLUDED: &str = "p/.antefix/prompts/more.md";
const INCLUDES: &str = "Be careful.\n{% include '$workspace/more' %}";
