//! What holds for every text, tried on random ones and on ones made of what hides.

use proptest::prelude::*;

use super::*;

/// A failing input is printed; nothing is written into the source tree.
fn tries() -> ProptestConfig {
    ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() }
}

/// Every class, every excuse, and the visible neighbors that make the difference.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec![
            "\u{1f3f4}", "\u{e0067}", "\u{e0062}", "\u{e0065}\u{e006e}\u{e0067}", "\u{e007f}", "\u{e0001}", "\u{fe0f}", "\u{fe0e}",
            "\u{fe00}", "\u{e0158}", "\u{202e}", "\u{2069}", "\u{61c}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{feff}", "\u{ad}",
            "\u{180e}", "\0", "\u{1b}", "\u{85}", "\u{7f}", "\t", "\n", "\r", "\u{645}", "\u{94d}", "\u{93c}", "\u{915}", "\u{1820}",
            "\u{1f468}", "\u{1f3fd}", "\u{2764}", "\u{20e3}", "\u{a9}", "1", "#", "a", " ", "\u{e9}", "\u{65e5}", "\u{1f1ee}",
            "\u{180b}", "\u{e0101}", "\u{fe01}", "\u{2800}", "\u{2803}", "\u{17b4}", "\u{1780}", "\u{5d0}", "\u{200f}", "\u{e000}",
            "\u{13430}", "\u{13000}", "\u{ffff}", "\u{0e01}",
        ])
        .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The text with each finding replaced.
fn replaced(text: &str, mut by: impl FnMut(&str) -> String) -> String {
    let mut rest = 0;
    let mut result = String::new();
    for hidden in scan(text) {
        result += &text[rest..hidden.range.start];
        result += &by(&text[hidden.range.clone()]);
        rest = hidden.range.end;
    }
    result + &text[rest..]
}

proptest! {
    #![proptest_config(tries())]

    #[test]
    fn findings_are_in_order_disjoint_and_made_of_their_class(text in hostile_text()) {
        let mut end = 0;
        for hidden in scan(&text) {
            prop_assert!(hidden.range.start >= end && !hidden.range.is_empty());
            end = hidden.range.end;
            let run = text.get(hidden.range.clone());
            prop_assert!(run.is_some_and(|run| run.chars().all(|c| HiddenClass::of(c) == Some(hidden.class))));
            let printable = |text: &String| !text.is_empty() && text.chars().all(|c| matches!(c, ' '..='~'));
            prop_assert!(hidden.decoded.as_ref().is_none_or(printable));
        }
        prop_assert_eq!(find(&text), scan(&text).collect::<Vec<_>>());
    }

    #[test]
    fn plain_ascii_has_no_findings(text in "[ -~\\t\\r\\n]{0,200}") {
        prop_assert_eq!(find(&text), []);
    }

    #[test]
    fn a_text_without_its_findings_has_none(text in hostile_text()) {
        let clean = replaced(&text, |_| String::new());
        prop_assert_eq!(find(&clean), []);
        // The same by the characters themselves, so that the scan is not its own witness.
        let never = |c: char| c.is_control() && !"\t\r\n".contains(c) || "\u{202e}\u{2069}\u{ad}".contains(c);
        prop_assert!(!clean.contains(never));
        for (at, _) in clean.match_indices(|c| matches!(c, '\u{e0000}'..='\u{e007f}')) {
            let flag = clean[..at].trim_end_matches(|c| matches!(c, '\u{e0000}'..='\u{e007f}'));
            prop_assert!(flag.ends_with(neighbors::BLACK_FLAG));
        }
    }

    #[test]
    fn an_escaped_text_has_no_findings(text in hostile_text()) {
        prop_assert_eq!(find(&replaced(&text, |run| run.chars().map(escape).collect())), []);
    }

    /// A line end separates what precedes it from what follows. Only a byte order mark minds being moved.
    #[test]
    fn a_line_before_the_text_changes_nothing_in_it(text in hostile_text()) {
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        let line = "\u{1f3f4}\n";
        let moved = |hidden: Hidden| Hidden {
            range: hidden.range.start + line.len()..hidden.range.end + line.len(),
            ..hidden
        };
        let expected: Vec<_> = scan(text).map(moved).collect();
        prop_assert_eq!(scan(&format!("{line}{text}")).collect::<Vec<_>>(), expected);
    }
}
