use proptest::prelude::*;

use super::{lined, patch};

/// What a reader makes of a patch: the text that it was made for.
fn applied(before: &str, patch: &str) -> String {
    let before = lined(before);
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let (mut next, mut text) = (0, String::new());
    for line in patch.split('\n') {
        if let Some(numbers) = line.strip_prefix("@@ -") {
            let number: usize = numbers.split([',', ' ']).next().unwrap().parse().unwrap();
            // A hunk without old lines names the line before it.
            let is_empty = numbers.split(' ').next().unwrap().ends_with(",0");
            let at = if is_empty { number } else { number - 1 };
            text.extend(old[next..at].iter().copied());
            next = at;
        } else {
            let (mark, words) = line.split_at(1);
            match mark {
                "+" => text.push_str(&format!("{words}\n")),
                "-" | " " => {
                    assert_eq!(old[next], format!("{words}\n"));
                    if mark == " " {
                        text.push_str(old[next]);
                    }
                    next += 1;
                }
                other => panic!("what is {other:?}?"),
            }
        }
    }
    text.extend(old[next..].iter().copied());
    text
}

#[test]
fn a_patch_has_the_changed_lines_and_no_others() {
    let before = "one\ntwo\nthree\nfour\nfive\nsix";
    let table = [
        (before.replace("three", "3"), "@@ -3 +3 @@\n-three\n+3"),
        (format!("{before}\nseven"), "@@ -6,0 +7 @@\n+seven"),
        (before.replace("one\n", ""), "@@ -1 +0,0 @@\n-one"),
        (before.replace("two", "2").replace("five", "5"), "@@ -2 +2 @@\n-two\n+2\n@@ -5 +5 @@\n-five\n+5"),
    ];
    for (after, expected) in table {
        assert_eq!(patch(before, &after, 1_000).as_deref(), Some(expected));
        assert_eq!(applied(before, expected), lined(&after));
    }
    assert_eq!(patch(before, before, 1_000), None);
    assert_eq!(patch(before, "seven", 10), None, "it is longer than all of it");
    assert_eq!(patch(&"x\n".repeat(5_000), "x", 100_000), None, "there are too many lines");
}

#[test]
fn a_hunk_names_the_heading_that_it_is_under() {
    let before = "# Rules\n\n- one\n\n## Tests\n\n#hashtag\n- two\n#\n- three";
    let table = [
        (before.replace("- one", "- 1"), "@@ -3 +3 @@ # Rules\n-- one\n+- 1"),
        (format!("{before}\n- four"), "@@ -10,0 +11 @@ ## Tests\n+- four"),
        // A heading that changes is under the one before it.
        (before.replace("## Tests", "## Checks"), "@@ -5 +5 @@ # Rules\n-## Tests\n+## Checks"),
        (before.replace("# Rules", "# Habits"), "@@ -1 +1 @@\n-# Rules\n+# Habits"),
    ];
    for (after, expected) in table {
        assert_eq!(patch(before, &after, 1_000).as_deref(), Some(expected));
        assert_eq!(applied(before, expected), lined(&after));
    }
    let long = format!("# {}\none", "é".repeat(100));
    let cut = format!("@@ -2 +2 @@ # {}\n-one\n+two", "é".repeat(39));
    assert_eq!(patch(&long, &long.replace("one", "two"), 1_000), Some(cut));
}

proptest! {
    /// After any number of changes a reader has the text of now.
    #[test]
    fn whoever_applies_all_patches_has_the_text(
        texts in prop::collection::vec(prop::collection::vec("[ab #+@-]{0,3}", 1..12), 2..6),
    ) {
        let texts: Vec<String> = texts.iter().map(|lines| lines.join("\n")).collect();
        let mut known = lined(&texts[0]);
        for pair in texts.windows(2) {
            if let Some(patch) = patch(&pair[0], &pair[1], usize::MAX / 2) {
                known = applied(&known, &patch);
            }
            prop_assert_eq!(&known, &lined(&pair[1]));
        }
    }
}
