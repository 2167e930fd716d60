//! Templates of a repository that print what nobody sees, though no byte of their files is hidden.

use antefix_testing::Scratch;

use crate::scratch;

const LAYOUT: &str =
    "[[section]]\nid = \"one\"\nstability = \"frozen\"\ndialect = \"jinja\"\nfile = \"$workspace/x\"\n";

fn clone(template: &str) -> Scratch {
    scratch()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("p/.antefix/layout.toml", LAYOUT)
        .file("p/.antefix/prompts/x.md", template)
}

/// Templates, and what their finding says. No byte of them is hidden, or what is hidden is part of a flag that people write.
const TEMPLATES: [(&str, &str); 9] = [
    (r#"Use tabs.{{ "\uDB40\uDC69\uDB40\uDC67" }}"#, "2 hidden characters U+E0069 U+E0067 (tag) that say \"ig\""),
    (r#"Use tabs.{{ "\u202E" }}"#, "1 hidden character U+202E (bidirectional)"),
    (r#"Use tabs.{{ "\u001b[2J" }}"#, "1 hidden character U+001B (control)"),
    (r#"Use tabs.{{ '\x1b[2J' }}"#, "1 hidden character U+001B (control)"),
    (r#"Use tabs.{{ "\33[2J" }}"#, "1 hidden character U+001B (control)"),
    (
        r#"{% set a = "\u202E" %}{% if true %}Use tabs.{{ a ~ "x" }}{% endif %}"#,
        "1 hidden character U+202E (bidirectional)",
    ),
    (r#"{% macro m(a) %}{{ a }}{% endmacro %}Use tabs.{{ m("\u202E") }}"#, "1 hidden character U+202E (bidirectional)"),
    (
        "Use tabs.{{ \"\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\"[1:3] }}",
        "2 hidden characters U+E0067 U+E0062 (tag) that say \"gb\"",
    ),
    (
        r#"Use tabs.{% for i in range(3) %}{{ "\u200B" }}{% endfor %}"#,
        "3 hidden characters U+200B U+200B U+200B (invisible)",
    ),
];

#[test]
fn no_expression_of_a_repository_prints_what_nobody_sees() {
    for (template, found) in TEMPLATES {
        let scratch = clone(template);
        for command in [&["show"][..], &["check"], &["turn", "c"]] {
            let tried = scratch.run(command);
            assert!(tried.code != 0, "{template} {command:?}: {tried:?}");
            let said = format!("{}{}", tried.stdout, tried.stderr);
            assert!(
                said.contains(found) && said.contains(".antefix/prompts/x.md:1:"),
                "{template} {command:?}: {said}"
            );
            assert!(
                !said.contains(['\u{202e}', '\u{1b}', '\u{e0069}', '\u{200b}']),
                "{template} {command:?}: {said:?}"
            );
        }
    }
}

/// The same in a text of the layout: TOML leaves what is between single quotes as it is.
#[test]
fn no_expression_in_a_layout_of_a_repository_prints_what_nobody_sees() {
    let scratch = scratch().file("p/.git/HEAD", "ref: refs/heads/main\n").file(
        "p/.antefix/layout.toml",
        "[[section]]\nid = \"one\"\nstability = \"frozen\"\ndialect = \"jinja\"\ntext = '{{ \"\\u202E\" }}'\n",
    );
    let tried = scratch.run(&["show"]);
    assert!(tried.code != 0 && tried.stderr.contains("U+202E"), "{tried:?}");
    assert!(tried.stderr.contains(".antefix/layout.toml:5:"), "{tried:?}");
}

/// What the settings of the user say holds for it, as for the bytes of files; a stray character costs nobody a file.
#[test]
fn what_expressions_print_follows_the_settings() {
    let template = r#"Use {{ "\u202E" }}tabs{{ "\u200B" }}."#;
    let escaped = clone(template).file("home/.config/antefix/settings.toml", "hidden_text = \"escape\"\n");
    assert_eq!(escaped.ok(&["show"]).stdout, "Use <U+202E>tabs<U+200B>.");
    let allowed = clone(template).file("home/.config/antefix/settings.toml", "hidden_text = \"allow\"\n");
    assert_eq!(allowed.ok(&["show"]).stdout, "Use \u{202e}tabs\u{200b}.");
    let stray = clone(r#"Use tabs{{ "\u200B" }}."#);
    let checked = stray.run(&["check"]);
    assert!(
        format!("{}{}", checked.stdout, checked.stderr).contains("1 hidden character U+200B (invisible)"),
        "{checked:?}"
    );
    assert_eq!(stray.ok(&["show"]).stdout, "Use tabs.");
    let flag = "{{ \"\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\" ~ \"\\u2764\\uFE0F\" }}";
    assert_eq!(
        clone(flag).ok(&["show"]).stdout,
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{2764}\u{fe0f}"
    );
}

/// A user's own template prints what its user wrote.
#[test]
fn a_users_own_template_prints_what_it_says() {
    let scratch = scratch()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("home/.config/antefix/layout.toml", &LAYOUT.replace("$workspace", "$user"))
        .file("home/.config/antefix/prompts/x.md", r#"Use tabs.{{ "\u202E" }}"#);
    assert_eq!(scratch.ok(&["show"]).stdout, "Use tabs.\u{202e}");
}
