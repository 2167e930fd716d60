//! The live sections of an opening turn: cut out of the prompt that was composed, and the same as composed alone.

use std::path::Path;

use antefix::compose::compose_suffix;
use antefix::discover::{ReasonCode, Workspace, discover};
use antefix::worlds::MemoryWorld;
use proptest::prelude::*;

use super::{Talk, project};
use crate::parts::Parts;

fn world() -> MemoryWorld {
    project()
        .file("/p/AGENTS.md", "Outer instructions.\n".repeat(40))
        .file("/p/README", "Read me.\n")
        .unreadable("/p/SECRET", ReasonCode::NotPermitted)
}

/// What a section says: nothing, something, what is absent, what is unavailable, tags that print nothing, files.
fn text() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "Words.",
        "Words.\\n",
        "Å long line of words that a small budget has to cut somewhere.",
        "[file:README]",
        "[file:NONE]",
        "[file:SECRET]",
        "[unknown:name] and [file:README]",
        "[instructions:files]",
    ])
}

fn section() -> impl Strategy<Value = (String, bool)> {
    let joint = prop::sample::select(vec!["none", "paragraph", "blank-line"]);
    let more = prop::sample::select(vec![
        "",
        "only_if = ['file:NONE']\n",
        "only_if = ['file:SECRET']\n",
        "budget = 30\n",
        "trim = 'end'\n",
        "wrap = 'agents_md_section'\n",
    ]);
    (text(), joint, more, any::<bool>())
        .prop_map(|(text, joint, more, live)| (format!("text = \"{text}\"\njoint = '{joint}'\n{more}"), live))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_suffix_of_an_opening_turn_is_the_one_composed_alone(
        sections in prop::collection::vec(section(), 1..6),
        budget in prop::option::of(0_usize..1200),
        boundary in any::<bool>(),
    ) {
        let (live, standing): (Vec<_>, Vec<_>) = sections.into_iter().partition(|(_, live)| *live);
        let ids: Vec<String> = (0..live.len() + standing.len()).map(|number| format!("'s{number}'")).collect();
        let mut layout = String::from("dialect = 'bracket'\n");
        if boundary {
            layout += "boundary = 'boundary'\n";
        }
        if let Some(budget) = budget {
            layout += &format!("budget = {budget}\ncut = [{}]\n", ids.join(", "));
        }
        for (number, (section, live)) in standing.iter().chain(&live).enumerate() {
            let stability = if *live { "live" } else { "frozen" };
            layout += &format!("[[section]]\nid = 's{number}'\nstability = '{stability}'\n{section}");
        }
        let talk = Talk::new(&layout);
        // What cannot be cut, as the boundary, may be more than the budget.
        if let Ok(turn) = talk.try_turn(&world()) {
            let layout = turn.layout().unwrap();
            let mut parts = Parts::new(Workspace::find(&world(), Path::new("/p")));
            parts.rules = layout.rules().clone();
            let facts = discover(&world(), &parts.situation(), &layout.facts()).facts;
            let alone = compose_suffix(layout, &facts, turn.prefix()).unwrap();
            prop_assert_eq!(&turn.suffix, &alone);
            for finding in alone.diagnostics() {
                let reported = turn.diagnostics.iter().filter(|one| *one == finding).count();
                let own = alone.diagnostics().iter().filter(|one| *one == finding).count();
                prop_assert_eq!(reported, own, "{} more often than composed", finding);
            }
        }
    }
}
