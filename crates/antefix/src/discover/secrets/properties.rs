//! What holds for every text, tried on random ones and on ones made of pieces of secrets.

use proptest::prelude::*;

use super::samples::{named, one_of_each, redacted};
use super::*;

/// A failing input is printed; nothing is written into the source tree.
fn tries() -> ProptestConfig {
    ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() }
}

/// Whole secrets, halves of them, beginnings, ends, markers, and what is between words.
fn hostile_text() -> impl Strategy<Value = String> {
    let tokens = one_of_each().into_iter().map(|(_, secret)| secret);
    let secrets: Vec<String> =
        tokens.chain(named().into_iter().map(|(before, secret, ..)| format!("{before}{secret}"))).collect();
    let halves = secrets.clone();
    let piece = prop_oneof![
        2 => prop::sample::select(secrets),
        2 => (prop::sample::select(halves), 0..120_usize, 0..120_usize).prop_map(|(secret, from, length)| {
            secret.chars().skip(from % 20).take(length).collect()
        }),
        4 => prop::sample::select(vec![
            "ghp_", "glpat-", "AKIA", "xoxb-1", "sk-", "sk-proj-", "AIza", "eyJ", ".eyJ", "SG.", "hf_", "sk_live_", "73019485:AA", "\\n",
            "https://", "u:", "@host", "://", ":", "@", "/", ".", "-", "--", "-----", "_", "[", "]", "[redacted:", "[redacted:jwt]",
            "secret_access_key", "AccountKey=", "=", "VAULT_TOKEN=s.", "Q~", "aB8Q~", ".atlasv1.", "[redacted:private-key]", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN ", "-----END ", "EXAMPLE",
            "abcdefghijklmnop", "xxxxxxxxxxxxxxxx", "tr0ub4dor", "A", "1", " ", "\n", "é", "\"", "K: v\n",
            "q3Zt0LbXf8NnWc5RkYh1SvGp", "q3Zt0LbXf8NnWc5RkYh1SvGpq3Zt0LbXf8N",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(tries())]

    #[test]
    fn findings_are_in_order_disjoint_and_on_character_boundaries(text in hostile_text()) {
        let mut end = 0;
        for secret in find(&text) {
            prop_assert!(secret.range.start >= end && !secret.range.is_empty());
            end = secret.range.end;
            prop_assert!(text.get(secret.range).is_some());
        }
    }

    #[test]
    fn no_text_is_passed_over_that_has_one(text in hostile_text()) {
        prop_assert_eq!(find(&text), find_everywhere(&text));
    }

    #[test]
    fn a_redacted_text_has_no_secrets(text in hostile_text()) {
        let once = redacted(&text);
        prop_assert_eq!(find(&once), [], "{}", once);
    }

    #[test]
    fn a_secret_in_a_line_of_its_own_is_found_in_any_text(
        before in "\\PC{0,80}",
        after in "\\PC{0,80}",
        (rule, secret) in prop::sample::select(one_of_each()),
    ) {
        let text = format!("{before}\n{secret}\n{after}");
        let expected = Secret { range: before.len() + 1..before.len() + 1 + secret.len(), rule };
        prop_assert!(find(&text).contains(&expected));
    }
}

/// Nothing is timed: a quadratic scan of these would not end within the hour.
#[test]
fn a_megabyte_of_beginnings_is_scanned_in_linear_time() {
    for piece in ["ghp_", "ghp_ ", "eyJ", "eyJ-", "sk-"] {
        assert_eq!(find(&piece.repeat(1_000_000 / piece.len())), [], "{piece}");
    }
}

/// A fifth of a megabyte is enough to see it, and leaves time for many of them.
#[test]
fn other_repetitions_are_scanned_in_linear_time() {
    for (piece, closing) in [
        ("eyJ-", ".eyJ"),
        ("eyJ.", ""),
        ("sk-Ab1-", ""),
        ("sk-proj-", "[redacted:jwt]"),
        ("sk-proj-EXAMPLE-", ""),
        ("sk_live_", ""),
        ("xoxb-1EXAMPLE-", "_"),
        ("glpat-example-", ""),
        ("-----BEGIN PRIVATE KEY-----", ""),
        ("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----"),
        ("-----END PRIVATE KEY-----", ""),
        ("-", ""),
        ("a://b:c", "@d"),
        ("://", ""),
        ("@:", ""),
        ("https://u:p@", ""),
        ("SG.", ""),
        ("1234567890:", ""),
        ("[redacted:", ""),
        ("\\n", ""),
        ("secret_key=", ""),
        ("secret_key", "=q3Zt0LbXf8NnWc5RkYh1"),
        ("secret_key = = = = = = = = ", ""),
        ("aB8Q~", ""),
        (".atlasv1.", ""),
        ("VAULT_TOKEN=s.", ""),
        ("SK", ""),
    ] {
        let text = piece.repeat(200_000 / piece.len()) + closing;
        assert_eq!(find(&text), [], "{piece}");
    }
    // What is a secret is walked through once.
    for (piece, secrets) in [("eyJhbGciOiJIUzI1NiJ9.", 3_174), ("xoxb-1Ab", 1), ("s://a:tr0ub4dor@b ", 11_111)] {
        let text = piece.repeat(200_000 / piece.len());
        assert_eq!(find(&text).len(), secrets, "{piece}");
    }
}
