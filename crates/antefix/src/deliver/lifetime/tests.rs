use super::{decided, long_pays};
use crate::compose::policy::Lifetime;
use crate::deliver::Content;
use crate::models::{Model, Models};

fn model(name: &str) -> Model {
    Models::built_in().find(name).unwrap().0
}

/// Pauses in minutes, and whether an hour pays for the rows whose reads cost 0.1, 0.05 and 0.025 of the input.
#[test]
fn an_hour_pays_once_pauses_are_seen_that_it_outlives() {
    let table: [(&[u64], bool); 10] = [
        (&[], false),
        // Five minutes outlive it.
        (&[5], false),
        (&[6], true),
        (&[60], true),
        // Nothing outlives it.
        (&[61], false),
        (&[6, 70], true),
        (&[70, 6], true),
        (&[6, 70, 150], false),
        (&[6, 70, 150, 6], true),
        (&[70, 150, 600], false),
    ];
    for (minutes, expected) in table {
        let pauses: Vec<u64> = minutes.iter().map(|minutes| minutes * 60).collect();
        for name in ["claude-opus-5", "claude-opus-5-5", "claude-fable-5-1"] {
            assert_eq!(long_pays(&pauses, &model(name)), expected, "{name} after {minutes:?}");
        }
    }
}

/// What is not published cannot be weighed: the price of twelve hours, and a model that is known by its family alone.
#[test]
fn without_a_price_nothing_is_written_for_longer() {
    for name in ["gpt-5.6-sol", "gpt-5.4", "gemini-3.8-flash", "deepseek-v4-pro", "claude-of-tomorrow"] {
        assert!(!long_pays(&[1_900, 1_900, 1_900], &model(name)), "{name}");
    }
}

#[test]
fn a_layout_may_decide_it() {
    let opus = model("claude-opus-5");
    let table = [
        (Lifetime::Auto, &[][..], 300),
        (Lifetime::Auto, &[360], 3600),
        (Lifetime::Short, &[360], 300),
        (Lifetime::Long, &[], 3600),
    ];
    for (lifetime, pauses, expected) in table {
        let content = Content { lifetime, pauses, ..Content::new("", 0, "") };
        assert_eq!(decided(&content, &opus), expected, "{lifetime:?} after {pauses:?}");
    }
}
