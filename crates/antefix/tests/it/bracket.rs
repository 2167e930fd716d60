//! The bracket dialect, rule by rule.
//!
//! The rows are what the dialect promises: the numbers are those of its acceptance cases. What a template prints and
//! which facts it names were written down from the rules before anything was run.

use std::time::Duration;

use antefix::compose::{Dialect, compose};
use antefix::discover::{Facts, ReasonCode};
use antefix::project::{LayoutChoice, Look};
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};

use crate::given;

/// The world of all rows: `file:X` is `v`, `file:E` is empty, `file:N` does not exist, `file:F` looks like a template.
fn facts() -> Facts {
    let facts = Facts::default()
        .with("file:X", "v")
        .with("file:E", "")
        .with("file:F", "[if file:N]z[endif][prompt:cwd]")
        .with("system:os", "linux")
        .with("prompt:cwd", "/proj")
        .with("git:status", "");
    given::absent(facts, "file:N")
}

/// Case, template, what it prints, the facts that it names.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    ("D1 a tag prints its fact", "[file:X]", "v", &["file:X"]),
    ("D1 spaces around are trimmed", "[ file:X ]", "v", &["file:X"]),
    ("D1 line breaks around are trimmed", "[\nfile:X\n]", "v", &["file:X"]),
    (
        "D1 every kind of break is trimmed",
        "[\r\n\t\u{b}\u{c}\u{2028}\u{2029}file:X\u{2029}\u{2028}\u{c}\u{b}\t\r\n]",
        "v",
        &["file:X"],
    ),
    ("D2 text stays around it", "cwd is [prompt:cwd]!", "cwd is /proj!", &["prompt:cwd"]),
    ("D3 an unknown type is blank", "[unknown:foo]", "", &["unknown:foo"]),
    ("D3 a missing file is blank", "[file:N]", "", &["file:N"]),
    ("D4 an inner space belongs to the key", "[file: X]", "", &["file: X"]),
    ("D4 also behind the name", "[file:X y]", "", &["file:X y"]),
    ("D4 keys are case-sensitive", "[FILE:X]", "", &["FILE:X"]),
    ("D4 the rest may be empty", "[a:]", "", &["a:"]),
    ("D4 a word may be a digit", "[1:2]", "", &["1:2"]),
    ("D4 a word may be an underscore", "[_:x]", "", &["_:x"]),
    ("the rest may hold more colons", "[a:b:c]", "", &["a:b:c"]),
    ("the rest may begin with a colon", "[a::]", "", &["a::"]),
    ("D5 `if:` is a type", "[if:X]", "", &["if:X"]),
    ("D5 `else:` is a type", "[else:X]", "", &["else:X"]),
    ("D5 `endif:` is a type", "[endif:X]", "", &["endif:X"]),
    ("D6 words are text", "[not a tag] done", "[not a tag] done", &[]),
    ("D6 a dash is in no word", "[a-b:c]", "[a-b:c]", &[]),
    ("D6 nor a space", "[a b:c]", "[a b:c]", &[]),
    ("D6 a word is needed", "[:a]", "[:a]", &[]),
    ("D6 a word is ASCII", "[é:x]", "[é:x]", &[]),
    ("a word ends before a letter that is not ASCII", "[aé:x]", "[aé:x]", &[]),
    ("a space before the colon makes it text", "[file :X]", "[file :X]", &[]),
    ("D6 nothing is text", "[]", "[]", &[]),
    ("D6 a space is text", "[ ]", "[ ]", &[]),
    ("D6 a lone bracket is text", "x]y", "x]y", &[]),
    ("a word alone is text", "[file]", "[file]", &[]),
    ("an exclamation mark is only for conditions", "[!file:X]", "[!file:X]", &[]),
    ("D7 no closing bracket", "[file:X", "[file:X", &[]),
    ("D7 nor behind a line break", "[file:X\n", "[file:X\n", &[]),
    ("a lone opening bracket", "[", "[", &[]),
    ("D8 a tag inside literal brackets", "[[file:X]]", "[v]", &["file:X"]),
    ("three brackets", "[[[file:X]]]", "[[v]]", &["file:X"]),
    ("D9 a tag inside a bracketed sentence", "[see [file:X] now]", "[see v now]", &["file:X"]),
    ("D10 a tag swallows up to the first closing bracket", "[a:b [file:X] c]", " c]", &["a:b [file:X"]),
    ("a condition swallows too", "[if a:b [file:X] c]", "[if a:b [file:X] c]", &["a:b [file:X"]),
    ("an empty tag is no obstacle", "[][file:X]", "[]v", &["file:X"]),
    ("D11 a note vanishes", "[TODO: fix]", "", &["TODO: fix"]),
    ("D11 so does a link's text", "[https://a.b](c)", "(c)", &["https://a.b"]),
    ("D11 a plain link stays", "[link](u)", "[link](u)", &[]),
    ("D12 no line break inside a key", "[file:a\nb]", "[file:a\nb]", &[]),
    ("D12 nor inside a condition's", "[if file:a\nb]A[endif]", "[if file:a\nb]A[endif]", &[]),
    ("D12 nor a line separator", "[file:a\u{2028}b]", "[file:a\u{2028}b]", &[]),
    ("D12 nor a paragraph separator", "[file:a\u{2029}b]", "[file:a\u{2029}b]", &[]),
    ("D12 nor a carriage return", "[file:a\rb]", "[file:a\rb]", &[]),
    ("a vertical tab is no line break", "[file:a\u{b}b]", "", &["file:a\u{b}b"]),
    ("a next-line character is no line break", "[file:a\u{85}b]", "", &["file:a\u{85}b"]),
    ("D13 a no-break space is trimmed", "[file:X\u{a0}]", "v", &["file:X"]),
    ("D13 a byte order mark is trimmed", "[file:X\u{feff}]", "v", &["file:X"]),
    (
        "all white space of the language is trimmed",
        "[\u{1680}\u{2000}\u{200a}\u{202f}\u{205f}\u{3000}file:X]",
        "v",
        &["file:X"],
    ),
    ("a zero-width space is not", "[\u{200b}file:X]", "[\u{200b}file:X]", &[]),
    ("a Mongolian vowel separator is not", "[file:X\u{180e}]", "", &["file:X\u{180e}"]),
    ("D14 a next-line character is not", "[file:X\u{85}]", "", &["file:X\u{85}"]),
    ("D14 nor before the key", "[\u{85}file:X]", "[\u{85}file:X]", &[]),
    ("D16 values are not parsed", "[file:F]", "[if file:N]z[endif][prompt:cwd]", &["file:F"]),
    ("D17 a condition", "[if file:X]A[endif]", "A", &["file:X"]),
    ("D17 with spaces", "[ if   file:X ]A[ endif ]", "A", &["file:X"]),
    ("D17 with a line break", "[if\nfile:X]A[endif]", "A", &["file:X"]),
    ("with a no-break space", "[if\u{a0}file:X]A[endif]", "A", &["file:X"]),
    ("with line breaks everywhere", "[\nif\n\nfile:X\n]A[\nendif\n]", "A", &["file:X"]),
    ("a condition's key keeps its spaces", "[if file: X]A[else]B[endif]", "B", &["file: X"]),
    ("D18 a missing fact is false", "[if file:N]A[endif]", "", &["file:N"]),
    ("D18 so is an unknown one", "[if unknown:x]A[endif]", "", &["unknown:x"]),
    ("D19 the first branch", "[if file:X]A[else]B[endif]", "A", &["file:X"]),
    ("D19 the second branch", "[if file:N]A[else]B[endif]", "B", &["file:N"]),
    ("D20 not missing", "[if !file:N]A[endif]", "A", &["file:N"]),
    ("D20 not there", "[if !file:X]A[endif]", "", &["file:X"]),
    ("D20 not unknown", "[if !unknown:x]A[endif]", "A", &["unknown:x"]),
    ("not, with an else", "[if !file:X]A[else]B[endif]", "B", &["file:X"]),
    ("D21 the empty text exists", "[if file:E]A[else]B[endif]", "A", &["file:E"]),
    ("D21 so does the status of a clean repository", "[if git:status]dirty?[endif]", "dirty?", &["git:status"]),
    ("D22 nested, the inner one false", "[if system:os][if file:N]A[endif][endif]", "", &["system:os", "file:N"]),
    ("D22 nested, both true", "[if system:os][if file:X]A[endif][endif]", "A", &["system:os", "file:X"]),
    ("nested, the outer one false", "[if file:N][if file:X]A[else]B[endif][else]C[endif]", "C", &["file:N", "file:X"]),
    ("D23 nested with an else", "[if system:os]os[if file:N]A[else]B[endif][endif]", "osB", &["system:os", "file:N"]),
    ("D24 a second else, first branch", "[if file:X]A[else]B[else]C[endif]", "A", &["file:X"]),
    ("D24 a second else, second branch", "[if file:N]A[else]B[else]C[endif]", "B[else]C", &["file:N"]),
    ("a second else keeps its spaces", "[if file:N]A[else]B[ else ]C[endif]", "B[ else ]C", &["file:N"]),
    (
        "D25 a second else does not move outwards",
        "[if file:X][if file:N]A[else]B[else]C[endif]D[endif]",
        "B[else]CD",
        &["file:X", "file:N"],
    ),
    ("D26 there is no `else if`", "[if file:X]A[else if file:N]B[endif]", "A[else if file:N]B", &["file:X"]),
    ("D26 nor `elseif`", "[if file:X]A[elseif]B[endif]", "A[elseif]B", &["file:X"]),
    ("D27 never closed, true", "[if file:X]text", "[if file:X]text", &["file:X"]),
    ("D27 never closed, false", "[if file:N]text", "[if file:N]text", &["file:N"]),
    (
        "D28 the tag stays as it is, the else is normalized",
        "[ if  file:N ]a[ else ]b",
        "[ if  file:N ]a[else]b",
        &["file:N"],
    ),
    ("D29 closed inside of unclosed", "[if file:N]a[if file:X]b[endif]c", "[if file:N]abc", &["file:N", "file:X"]),
    (
        "D30 closed with else inside of unclosed with else",
        "[if file:N]a[if file:X]b[else]c[endif]d[else]e",
        "[if file:N]abd[else]e",
        &["file:N", "file:X"],
    ),
    ("D31 two unclosed", "[if file:N]a[if file:N]b", "[if file:N]a[if file:N]b", &["file:N"]),
    ("unclosed prints its facts", "[if file:N][file:X]", "[if file:N]v", &["file:N", "file:X"]),
    ("D32 a stray endif", "a[endif]b", "a[endif]b", &[]),
    ("D32 a stray else", "a[ else ]b", "a[ else ]b", &[]),
    ("D32 one endif too many", "[if file:X]a[endif][endif]", "a[endif]", &["file:X"]),
    ("a stray endif with spaces", "a[ endif ]b", "a[ endif ]b", &[]),
    ("a stray else, then a condition", "[else][if file:X]A[endif]", "[else]A", &["file:X"]),
    ("D33 `IF` is text", "[IF file:X]A[endif]", "[IF file:X]A[endif]", &[]),
    ("D33 `ENDIF` is text", "[if file:X]A[ENDIF]", "[if file:X]A[ENDIF]", &["file:X"]),
    ("`ELSE` is text", "[if file:X]A[ELSE]B[endif]", "A[ELSE]B", &["file:X"]),
    ("D33 no space behind the mark", "[if ! file:X]A[endif]", "[if ! file:X]A[endif]", &[]),
    ("D33 no two marks", "[if !!file:X]A[endif]", "[if !!file:X]A[endif]", &[]),
    ("D33 a space before the mark", "[if!file:X]A[endif]", "[if!file:X]A[endif]", &[]),
    ("D33 a type is needed", "[if X]A[endif]", "[if X]A[endif]", &[]),
    ("a key is needed", "[if ]A[endif]", "[if ]A[endif]", &[]),
    ("a condition that is text leaves its tags", "[if [file:X]]", "[if v]", &["file:X"]),
    ("D34 line breaks stay", "[if file:N]\nA\n[else]\nB\n[endif]", "\nB\n", &["file:N"]),
    ("D35 a branch of three lines", "[if file:X]line1\nline2\nline3[endif]", "line1\nline2\nline3", &["file:X"]),
    ("D36 spaces stay", "[if file:X] [file:X] [endif]", " v ", &["file:X"]),
    (
        "D38 only the tags go",
        "[if file:N]\n[file:N]\n[endif]\nThe cwd is [prompt:cwd].",
        "\nThe cwd is /proj.",
        &["file:N", "prompt:cwd"],
    ),
    ("D39 the empty template", "", "", &[]),
    ("D41 each name once", "[file:X][if file:X][file:X]", "v[if file:X]v", &["file:X"]),
    ("D41 no names", "no variables", "no variables", &[]),
    ("D41 the name of an unclosed condition", "[if file:X]no endif", "[if file:X]no endif", &["file:X"]),
    (
        "D51 a name in a branch not taken",
        "[if file:N][file:E][else][file:X][endif]",
        "v",
        &["file:N", "file:E", "file:X"],
    ),
    ("a byte order mark at the start is text", "\u{feff}[file:X]", "\u{feff}v", &["file:X"]),
    ("line endings are never changed", "a\r\n[file:X]\r\n\r", "a\r\nv\r\n\r", &["file:X"]),
    ("two tags side by side", "[file:X][file:X]", "vv", &["file:X"]),
    ("jinja is text", "{{ cwd }}{% if x %}", "{{ cwd }}{% if x %}", &[]),
];

/// `\[` prints `[`; a backslash elsewhere is a backslash.
const ESCAPES: &[Row] = &[
    ("D15 an escaped tag is text", r"\[file:X]", "[file:X]", &[]),
    ("an escaped condition is text", r"\[if file:N]A\[endif]", "[if file:N]A[endif]", &[]),
    ("an escaped else is text", r"[if file:X]A\[else]B[endif]", "A[else]B", &["file:X"]),
    ("an escaped endif closes nothing", r"[if file:X]A\[endif]B[endif]", "A[endif]B", &["file:X"]),
    ("an escaped note stays", r"\[TODO: fix]", "[TODO: fix]", &[]),
    ("an escaped link stays", r"\[https://a.b](c)", "[https://a.b](c)", &[]),
    ("an escape before plain text", r"\[not a tag]", "[not a tag]", &[]),
    ("an escape without a closing bracket", r"\[file:X", "[file:X", &[]),
    ("an escape at the end", r"a\[", "a[", &[]),
    ("an escape alone", r"\[", "[", &[]),
    ("two backslashes: the second one escapes", r"\\[file:X]", r"\[file:X]", &[]),
    ("three backslashes", r"\\\[file:X]", r"\\[file:X]", &[]),
    ("an escape, then a tag", r"\[[file:X]]", "[v]", &["file:X"]),
    ("a literal bracket, then an escape", r"[\[file:X]]", "[[file:X]]", &[]),
    ("two escapes", r"\[\[file:X]]", "[[file:X]]", &[]),
    ("an escape behind a tag", r"[file:X]\[file:X]", "v[file:X]", &["file:X"]),
    ("a tag behind an escape", r"\[x][file:X]", "[x]v", &["file:X"]),
    ("an escape behind a stray tag", r"[else]\[file:X]", "[else][file:X]", &[]),
    ("a stray tag behind an escape", r"\[x][else]", "[x][else]", &[]),
    ("an escape inside a bracketed sentence", r"[see \[file:X] now]", "[see [file:X] now]", &[]),
    ("an escape in an unclosed condition", r"[if file:N]\[else]", "[if file:N][else]", &["file:N"]),
    ("an escape in a branch not taken", r"[if file:N]\[x[else]y[endif]", "y", &["file:N"]),
    ("a tag takes the text up to the first bracket as it is", r"[a:\[b]", "", &[r"a:\[b"]),
    ("a backslash before a closing bracket is text", r"[file:X\]", "", &[r"file:X\"]),
    ("a tag may end in a backslash", r"[a:\][file:X]", "v", &[r"a:\", "file:X"]),
    ("a backslash elsewhere is text", r"a\b\n\]\\", r"a\b\n\]\\", &[]),
    ("a backslash and a space escape nothing", r"\ [file:X]", r"\ v", &["file:X"]),
    ("an escape between line breaks", "\n\\[\n", "\n[\n", &[]),
];

#[test]
fn every_template_prints_and_names_what_the_rules_say() {
    let mut failures = Vec::new();
    for (case, template, prints, names) in ROWS.iter().chain(ESCAPES) {
        let layout = given::layout(*template, Dialect::Bracket).unwrap();
        let named: Vec<String> = layout.facts().iter().map(ToString::to_string).collect();
        let prompt = compose(&layout, &facts()).unwrap();
        if prompt.text() != *prints || named != *names {
            let got = prompt.text();
            failures.push(format!(
                "{case}\n  {template:?}\n  prints {got:?}, not {prints:?}\n  names {named:?}, not {names:?}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn names_come_in_order_of_appearance_from_tags_and_conditions() {
    let layout = given::layout("[system:time] [if file:A][file:A][endif] [if !git:branch]", Dialect::Bracket).unwrap();
    let named: Vec<String> = layout.facts().iter().map(ToString::to_string).collect();
    assert_eq!(named, ["system:time", "file:A", "git:branch"]);
}

/// Nothing vanishes and nothing stays literally without a word. The code and the place, from 1, of each finding.
#[test]
fn what_prints_nothing_or_looks_wrong_is_reported() {
    let cases: &[(&str, &[&str])] = &[
        ("[file:X] [not a tag] \\[TODO: x]", &[]),
        ("[if unknown:x][endif]", &["unknown-variable 1:1"]),
        ("a\n [TODO: fix] [https://a.b](c)", &["unknown-variable 2:2", "unknown-variable 2:14"]),
        ("[unknown:foo]", &["unknown-variable 1:1"]),
        ("[git:brunch]", &["unknown-variable 1:1"]),
        ("[FILE:X]", &["unknown-variable 1:1"]),
        ("[file:N]", &["blank 1:1"]),
        ("[file:U]", &["blank 1:1"]),
        // A condition asks on purpose: that the fact is missing is its answer.
        ("[if file:N][file:N][endif]", &[]),
        ("a[endif]b[ else ]", &["stray-tag 1:2", "stray-tag 1:10"]),
        ("[if file:X]A[else]B[else]C[endif]", &["stray-tag 1:20"]),
        ("é[if file:X]\n[if file:N]", &["unclosed-if 1:2", "unclosed-if 2:1"]),
    ];
    let facts = given::unavailable(facts(), "file:U", ReasonCode::NotPermitted);
    for (template, expected) in cases {
        let prompt = given::print(*template, Dialect::Bracket, &facts).unwrap();
        let found: Vec<String> = prompt
            .diagnostics()
            .iter()
            .map(|found| {
                let (line, column) = found.place.as_ref().unwrap().line_column();
                format!("{} {line}:{column}", found.code)
            })
            .collect();
        assert_eq!(found, *expected, "{template:?}");
    }
}

#[test]
fn a_fact_that_could_not_be_asked_for_prints_nothing_and_does_not_exist() {
    let facts = given::unavailable(facts(), "file:U", ReasonCode::NotPermitted);
    let prompt = given::print("a[file:U]b[if file:U]c[else]d[endif]", Dialect::Bracket, &facts).unwrap();
    assert_eq!(prompt.text(), "abd");
}

/// A finding quotes the template, and a template may be a megabyte: what a person is shown must stay readable.
#[test]
fn findings_about_a_huge_tag_stay_short() {
    let long = "x".repeat(1 << 20);
    let spaces = " ".repeat(1 << 20);
    for template in
        [format!("[nope:{long}]"), format!("[FILE:{long}]"), format!("[git:{long}]"), format!("[{spaces}else]")]
    {
        let prompt = given::print(template.as_str(), Dialect::Bracket, &facts()).unwrap();
        for finding in prompt.diagnostics() {
            let shown = finding.to_string();
            assert!(shown.len() < 1000, "a finding of {} bytes: {}…", shown.len(), &shown[..100]);
        }
        assert_eq!(prompt.diagnostics().len(), 1, "{}…", &template[..20]);
    }
}

/// A shape of template that grows with `n`, and what it prints.
struct Shape {
    name: &'static str,
    n: usize,
    template: fn(usize) -> String,
    prints: fn(usize) -> String,
}

/// Where there are tags, twice as many are within what a template may have.
const SHAPES: &[Shape] = &[
    Shape { name: "brackets", n: 1 << 20, template: |n| "[".repeat(n), prints: |n| "[".repeat(n) },
    Shape {
        name: "brackets, then one that closes",
        n: 1 << 20,
        template: |n| "[".repeat(n) + "]",
        prints: |n| "[".repeat(n) + "]",
    },
    Shape {
        name: "nested conditions, closed",
        n: 4_900,
        template: |n| "[if file:X]".repeat(n) + "x" + &"[endif]".repeat(n),
        prints: |_| "x".to_owned(),
    },
    Shape {
        name: "nested conditions with both branches",
        n: 3_300,
        template: |n| "[if file:N]a[else]".repeat(n) + "x" + &"[endif]".repeat(n),
        prints: |_| "x".to_owned(),
    },
    Shape {
        name: "nested conditions, never closed",
        n: 8_000,
        template: |n| "[if file:N]".repeat(n) + "x",
        prints: |n| "[if file:N]".repeat(n) + "x",
    },
    Shape {
        name: "conditions with an else, never closed",
        n: 4_900,
        template: |n| "[if file:N][else]".repeat(n),
        prints: |n| "[if file:N][else]".repeat(n),
    },
    Shape {
        name: "a long name",
        n: 1 << 20,
        template: |n| format!("a[file:{}]b", "x".repeat(n)),
        prints: |_| "ab".to_owned(),
    },
    Shape {
        name: "a long word that is no name",
        n: 1 << 20,
        template: |n| format!("[{}]", "x".repeat(n)),
        prints: |n| format!("[{}]", "x".repeat(n)),
    },
    Shape {
        name: "beginnings of tags before a line break at the edge, which is trimmed",
        n: 300_000,
        template: |n| "[a:".repeat(n) + "\n]",
        prints: |_| String::new(),
    },
    Shape {
        name: "beginnings of tags before a line break inside",
        n: 300_000,
        template: |n| "[a:".repeat(n) + "\nb]",
        prints: |n| "[a:".repeat(n) + "\nb]",
    },
    Shape { name: "beginnings of tags", n: 300_000, template: |n| "[a:".repeat(n) + "]", prints: |_| String::new() },
    Shape {
        name: "beginnings of conditions",
        n: 300_000,
        template: |n| "[if ".repeat(n),
        prints: |n| "[if ".repeat(n),
    },
    Shape {
        name: "beginnings of conditions that close once",
        n: 300_000,
        template: |n| "[if ".repeat(n) + "]",
        prints: |n| "[if ".repeat(n) + "]",
    },
    Shape {
        name: "brackets with spaces",
        n: 300_000,
        template: |n| "[ ".repeat(n) + "]",
        prints: |n| "[ ".repeat(n) + "]",
    },
    Shape {
        name: "words before one colon",
        n: 300_000,
        template: |n| "[a".repeat(n) + ":b]",
        prints: |n| "[a".repeat(n - 1),
    },
    Shape {
        name: "one tag of white space",
        n: 1 << 20,
        template: |n| format!("[{}]", " \u{feff}".repeat(n / 4)),
        prints: |n| format!("[{}]", " \u{feff}".repeat(n / 4)),
    },
    Shape {
        name: "white space before many brackets that close",
        n: 1 << 20,
        template: |n| format!("[{}{}", " ".repeat(n / 2), "]".repeat(n / 2)),
        prints: |n| format!("[{}{}", " ".repeat(n / 2), "]".repeat(n / 2)),
    },
    Shape {
        name: "many names, each once",
        n: 9_900,
        template: |n| (0..n).map(|i| format!("[file:{i}]")).collect(),
        prints: |_| String::new(),
    },
    Shape { name: "one name, often", n: 9_900, template: |n| "[file:X]".repeat(n), prints: |n| "v".repeat(n) },
    Shape { name: "escapes", n: 9_900, template: |n| "\\[".repeat(n), prints: |n| "[".repeat(n) },
    Shape { name: "strays", n: 150_000, template: |n| "[else]".repeat(n), prints: |n| "[else]".repeat(n) },
    Shape { name: "unknown names", n: 9_900, template: |n| "[a:b]".repeat(n), prints: |_| String::new() },
    Shape { name: "empty brackets", n: 500_000, template: |n| "[]".repeat(n), prints: |n| "[]".repeat(n) },
];

/// What parsing and printing a megabyte may take in an unoptimized build beside other work. An optimized one takes a
/// tenth of it; a quadratic parser would take minutes in either.
const SOON: Duration = Duration::from_millis(600);

/// Twice the template takes at most three times as long, which a quadratic parser never does at this size; and it needs
/// no stack, so that a caller's small thread is enough.
#[test]
fn hostile_templates_take_linear_time_and_no_stack() {
    let _alone = given::alone();
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let failures = small.spawn(|| SHAPES.iter().filter_map(|shape| check(shape).err()).collect::<Vec<_>>()).unwrap();
    let failures = failures.join().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(shape: &Shape) -> Result<(), String> {
    let mut best: Option<(Duration, Duration)> = None;
    // Memory is shared with whatever else runs, so the best of a few tries counts.
    for _ in 0..5 {
        let once = time(shape, shape.n)?;
        // A quadratic shape would take minutes at twice the size: the first answer is enough.
        if once > 4 * SOON {
            return Err(format!("{}: {once:?} for {} of them", shape.name, shape.n));
        }
        let twice = time(shape, 2 * shape.n)?;
        let (least, least_twice) = best.map_or((once, twice), |(a, b)| (a.min(once), b.min(twice)));
        best = Some((least, least_twice));
        if least < SOON && least_twice < 3 * least + Duration::from_millis(20) {
            return Ok(());
        }
    }
    Err(format!("{}: {best:?} for {} and twice as many", shape.name, shape.n))
}

fn time(shape: &Shape, n: usize) -> Result<Duration, String> {
    let (template, expected, facts) = ((shape.template)(n), (shape.prints)(n), facts());
    let start = given::worked();
    let layout = given::layout(template, Dialect::Bracket).map_err(|error| format!("{}: {error}", shape.name))?;
    let named = layout.facts().len();
    let prompt = compose(&layout, &facts).map_err(|error| format!("{}: {error}", shape.name))?;
    let took = given::worked() - start;
    if prompt.text() != expected {
        return Err(format!(
            "{}: prints {} bytes, not the {} expected ({named} names)",
            shape.name,
            prompt.text().len(),
            expected.len()
        ));
    }
    Ok(took)
}

/// Not the parser alone: whatever a template names very often, all of a preview takes time in proportion to it.
#[test]
fn previews_of_hostile_templates_take_linear_time() {
    let _alone = given::alone();
    type Template = fn(usize) -> String;
    let shapes: [(&str, Template, usize); 4] = [
        ("unknown names", |n| (0..n).map(|i| format!("[a:{i}]")).collect(), 4_000),
        ("files", |n| (0..n).map(|i| format!("[file:x{i}]")).collect(), 2_000),
        ("variables", |n| (0..n).map(|i| format!("[if env:A{i}]x[endif]")).collect(), 2_000),
        ("escapes", |n| "\\[".repeat(n), 4_900),
    ];
    for (name, template, n) in shapes {
        let time = |n: usize| {
            let text = LayoutChoice::TemplateText {
                label: "template".to_owned(),
                text: template(n).into(),
                dialect: Dialect::Bracket,
            };
            let world = MemoryWorld::new().file("/p/.git/HEAD", "");
            let antefix = Antefix::builder().world(world).store("memory").build().unwrap();
            let project = antefix.project("/p").unwrap();
            let start = given::worked();
            project.preview(Ask::new().layout(text), Look::Closely).unwrap();
            given::worked() - start
        };
        let least = |n: usize| (0..3).map(|_| time(n)).min().unwrap_or_default();
        let (once, four_times) = (least(n), least(4 * n));
        assert!(four_times < 8 * once + Duration::from_millis(50), "{name}: {once:?} and {four_times:?}");
    }
}
