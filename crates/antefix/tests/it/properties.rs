//! What holds for every template and every fact, tried on random and hostile ones.

use std::cell::Cell;
use std::sync::Arc;

use antefix::compose::{Dialect, Layout, Prompt, Wording, compose};
use antefix::discover::{Answer, Facts, Value};
use antefix::text::{Origin, Source, SourceKind, Transform};
use minijinja::value::{Rest, ValueOrKwargs};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::given::{self, MemoryTemplates};

mod nested;
mod reference;

/// A failing input is printed; nothing is written into the source tree.
fn tries(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4000, ..ProptestConfig::default() }
}

/// Pieces that look like tags of both dialects, or nearly, and the bytes in between that trip parsers.
fn hostile_text(pieces: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[",
        "]",
        "[[",
        "]]",
        ":",
        "!",
        "\\",
        "\\[",
        "if",
        "[if ",
        "[if !",
        "[if file:X]",
        "[if file:N]",
        "[ if  file:N ]",
        "[else]",
        "[ else ]",
        "[endif]",
        "[ endif\n]",
        "[file:X]",
        "[file:N]",
        "[ file:X\u{feff}]",
        "[a:b]",
        "[a:\\]",
        "file:X",
        "a",
        "x:",
        "else",
        "endif",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{feff}",
        "é",
        "日本",
        "🏴",
        "\u{0}",
        "{{ x }}",
        "{%",
        "#}",
    ]);
    prop::collection::vec(piece, pieces).prop_map(|pieces| pieces.concat())
}

/// Values that would be templates, tags or boundaries if anything read them.
fn hostile_value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        prop::sample::select(vec![
            "[if x:y]",
            "[endif]",
            "[else]",
            "\\[file:X]",
            "[file:X]",
            "{{ x }}",
            "{% include '$user/a' %}",
            "{% endif %}",
            "{# c #}",
            "{% raw %}",
            "{% endraw %}",
            "\n--- from here on, new with every turn ---\n\n",
            "\u{feff}",
            "\r\n",
            "  ",
            "\n",
            "</a>&amp;",
            "$user/a",
            "__antefix_mark(0)",
            "🏴\u{200d}",
            "a\u{0}b",
        ])
        .prop_map(str::to_owned),
        hostile_text(1..6),
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(tries(700))]

    /// The linear parser prints what a naive one prints that follows the rules word by word.
    #[test]
    fn bracket_templates_print_what_the_rules_say(template in hostile_text(0..24), value in hostile_value()) {
        let facts = given::absent(Facts::default().with("file:X", &value), "file:N");
        let layout = given::layout(template.as_str(), Dialect::Bracket).unwrap();
        let prompt = compose(&layout, &facts).unwrap();
        let exists = |key: &str| (key == "file:X").then(|| value.clone());
        prop_assert_eq!(prompt.text(), reference::print(&template, &exists));
        let named: Vec<String> = layout.facts().iter().map(ToString::to_string).collect();
        prop_assert_eq!(named, reference::names(&template));
        spans_are_right(&prompt, &facts)?;
    }

    #[test]
    fn bracket_templates_of_any_text_print(template in any::<String>()) {
        let prompt = given::print(template.as_str(), Dialect::Bracket, &Facts::default()).unwrap();
        prop_assert_eq!(prompt.text(), reference::print(&template, &|_| None));
    }

    #[test]
    fn plain_templates_print_themselves(template in hostile_text(0..24)) {
        let facts = Facts::default().with("file:X", "v");
        let prompt = given::print(template.as_str(), Dialect::Plain, &facts).unwrap();
        prop_assert_eq!(prompt.text(), &template);
        spans_are_right(&prompt, &facts)?;
    }

    /// Whatever a fact contains is data: it is in the prompt byte for byte, by every way in.
    #[test]
    fn values_appear_verbatim_in_both_dialects(value in hostile_value()) {
        let facts = given::list(Facts::default().with("file:X", &value), "tools:names", &[value.as_str()]);
        for (dialect, template) in [
            (Dialect::Bracket, "<[file:X]>"),
            (Dialect::Bracket, "[if file:X]<[file:X]>[else]gone[endif]"),
            (Dialect::Bracket, "<[tools:names]>"),
            (Dialect::Jinja, "<{{ file('X') }}>"),
            (Dialect::Jinja, "<{%- if file('X') is defined -%} {{- file('X') -}} {%- endif -%}>"),
            (Dialect::Jinja, "{% for t in tools %}<{{ t }}>{% endfor %}"),
            (Dialect::Jinja, "{% set a = file('X') %}<{{ a }}>"),
            (Dialect::Jinja, "{% set a %}<{{ file('X') }}>{% endset %}{{ a }}"),
            (Dialect::Jinja, "{% with a = file('X') %}<{{ a }}>{% endwith %}"),
            (Dialect::Jinja, "{% filter replace('ZZZ', '') %}<{{ file('X') | replace('ZZZ', '') }}>{% endfilter %}"),
            (Dialect::Jinja, "<{{ tools | join('') }}>"),
        ] {
            prop_assume!(!value.contains("ZZZ"));
            let prompt = given::print(template, dialect, &facts).unwrap();
            prop_assert_eq!(prompt.text(), format!("<{value}>"), "{}", template);
            spans_are_right(&prompt, &facts)?;
        }
    }

    /// Through a wrap, a budget, a trim and a boundary wording, too: and the boundary stays a position.
    #[test]
    fn values_appear_verbatim_in_a_frame(value in hostile_value()) {
        let facts = Facts::default().with("file:X", &value);
        let layout = framed("", "[[section]]\nid = 'now'\nstability = 'live'\ntext = 'live'\n");
        let prompt = compose(&layout, &facts).unwrap();
        let boundary = "\n--- from here on, new with every turn ---\n";
        prop_assert_eq!(prompt.prefix(), format!("---\n## Working boundaries\n\n{value}{boundary}"));
        prop_assert_eq!(prompt.suffix(), "live");
        spans_are_right(&prompt, &facts)?;
    }
}

/// A layout of one wrapped section around `file:X`, with more keys for it and more sections behind it.
fn framed(keys: &str, behind: &str) -> Layout {
    let text = format!(
        "boundary = 'boundary'\n[[section]]\nid = 'x'\nstability = 'frozen'\ndialect = 'bracket'\ntext = '[file:X]'\n\
         wrap = 'working_boundaries_section'\n{keys}\n{behind}"
    );
    let source = Source::new(SourceKind::Layout, "framed", text);
    Layout::parse(&source.into(), &Wording::built_in(), &MemoryTemplates::default()).unwrap()
}

/// Spans cover the prompt without gap or overlap, and each one's origin holds the bytes that it claims.
fn spans_are_right(prompt: &Prompt, facts: &Facts) -> Result<(), TestCaseError> {
    let mut at = 0;
    let mut together = String::new();
    for span in prompt.spans() {
        prop_assert_eq!(span.range.start, at, "gap or overlap at {:?}", span);
        prop_assert!(span.range.end > at, "an empty span: {:?}", span);
        at = span.range.end;
        let text = &prompt.text()[span.range.clone()];
        together.push_str(text);
        let section = &prompt.sections()[span.section];
        prop_assert!(section.range.start <= span.range.start && span.range.end <= section.range.end, "{:?}", span);
        prop_assert_eq!(prompt.span_at(span.range.start), Some(span));
        prop_assert_eq!(prompt.span_at(span.range.end - 1), Some(span));
        match &span.origin {
            Origin::Source { .. } if span.transform == Some(Transform::Joined) => {}
            // The `[else]` of an unclosed condition loses its inner spaces: see the test of its own below.
            Origin::Source { source, offset } if text == "[else]" && is_else(&source.text[*offset..]) => {}
            Origin::Source { source, offset } => {
                prop_assert_eq!(source.text.get(*offset..*offset + text.len()), Some(text), "{:?}", span);
            }
            Origin::Fact { fact, .. } => {
                let name = &fact.name;
                let Some(Answer::Present(value)) = facts.get(name) else {
                    return Err(TestCaseError::fail(format!("{span:?} names a fact that is not present")));
                };
                let texts: Vec<&str> = match value {
                    Value::Text(text) => vec![text.as_str()],
                    Value::List(items) => items.iter().map(|item| item.as_str()).chain([", "]).collect(),
                    Value::Maps(maps) => maps.iter().flat_map(|map| map.values()).map(|text| text.as_str()).collect(),
                };
                let shortened = matches!(span.transform, Some(Transform::Cut | Transform::Trimmed));
                let fits = |whole: &&str| if shortened { whole.starts_with(text) } else { *whole == text };
                prop_assert!(texts.iter().any(fits), "{:?} is {:?}, not {:?}", span, text, texts);
            }
            Origin::Expression { source, range } => {
                let tag = source.text.get(range.clone()).unwrap_or_default();
                prop_assert!(
                    (tag.starts_with("{{") && tag.ends_with("}}")) || (tag.starts_with("{%") && tag.ends_with("%}")),
                    "{:?} claims the tag {:?}",
                    span,
                    tag
                );
                prop_assert_eq!(span.transform.is_some(), true);
            }
            Origin::Hook { name } => prop_assert!(false, "no hook {} was asked", name),
        }
    }
    prop_assert_eq!(at, prompt.text().len());
    prop_assert_eq!(&together, prompt.text());
    let sections = prompt.sections();
    prop_assert_eq!(sections.first().map_or(0, |section| section.range.start), 0);
    for pair in sections.windows(2) {
        prop_assert_eq!(pair[0].range.end, pair[1].range.start);
    }
    Ok(())
}

fn is_else(source: &str) -> bool {
    source.strip_prefix('[').and_then(|rest| rest.split_once(']')).is_some_and(|(content, _)| {
        content.trim_matches(['\u{feff}', ' ', '\n', '\r', '\t', '\u{a0}', '\u{2028}']) == "else"
    })
}

/// Bytes that are not in the source as they are printed were changed, and a span says so.
#[test]
fn a_normalized_else_is_marked_as_changed() {
    let prompt = given::print("[if file:N]a[ else ]b", Dialect::Bracket, &Facts::default()).unwrap();
    assert_eq!(prompt.text(), "[if file:N]a[else]b");
    let span = prompt.span_at(12).unwrap();
    assert_eq!(span.range, 12..18);
    assert_ne!(span.transform, None);
}

// ---------------------------------------------------------------------------------------------------------------------
// The jinja dialect against the bare engine.

/// A random template from a grammar. `depth` bounds how deep blocks nest.
fn jinja(depth: u32) -> BoxedStrategy<String> {
    let part = prop_oneof![4 => text(), 4 => output(), 1 => comment(), 1 => raw(), 1 => set(), 1 => include()].boxed();
    let part = if depth == 0 { part } else { prop_oneof![3 => part, 2 => block(depth - 1)].boxed() };
    prop::collection::vec(part, 0..5).prop_map(|parts| parts.concat()).boxed()
}

/// Text without anything that begins a tag, with much white space, so that its control shows.
fn text() -> impl Strategy<Value = String> {
    let chunk = prop::sample::select(vec![
        "a", "B", " ", "  ", "\n", "\n\n", "\r\n", "\t", "é", "日本", "[file:X]", "{ ", "} ", "% ", "}}", "%}", "#}",
        "-", "\u{a0}",
    ]);
    prop::collection::vec(chunk, 1..5).prop_map(|chunks| chunks.concat() + "")
}

/// White-space control at one end of a tag.
fn control() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", "", "-", "+"])
}

fn tag(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (control(), inner, control()).prop_map(|(left, inner, right)| format!("{{%{left} {inner} {right}%}}"))
}

fn word(inner: &'static str) -> impl Strategy<Value = String> {
    tag(Just(inner.to_owned()))
}

fn output() -> impl Strategy<Value = String> {
    (control(), expression(2), control()).prop_map(|(left, inner, right)| format!("{{{{{left} {inner} {right}}}}}"))
}

fn comment() -> impl Strategy<Value = String> {
    (control(), text(), control()).prop_filter_map("a comment must not end early", |(left, inner, right)| {
        (!inner.contains("#}")).then(|| format!("{{#{left} {inner} {right}#}}"))
    })
}

fn raw() -> impl Strategy<Value = String> {
    (word("raw"), text(), prop::sample::select(vec!["", "{{ x }}", "{% if %}", "{# c #}"]), word("endraw"))
        .prop_map(|(open, text, tag, close)| format!("{open}{text}{tag}{close}"))
}

fn set() -> impl Strategy<Value = String> {
    let plain = (local(), expression(2)).prop_map(|(name, value)| format!("set {name} = {value}"));
    let two = (expression(1), expression(1)).prop_map(|(one, two)| format!("set l, m = {one}, {two}"));
    tag(prop_oneof![3 => plain, 1 => two])
}

fn include() -> impl Strategy<Value = String> {
    tag(prop::sample::select(vec![
        "include '$user/plain'",
        "include '$user/deep'",
        "include \"$user/local\"",
        "include '$user/none' ignore missing",
    ])
    .prop_map(str::to_owned))
}

fn block(depth: u32) -> BoxedStrategy<String> {
    let body = || jinja(depth);
    let branch = |word: &'static str| tag(expression(1).prop_map(move |value| format!("{word} {value}")));
    prop_oneof![
        (branch("if"), body(), word("endif")).prop_map(|(a, b, c)| a + &b + &c),
        (branch("if"), body(), branch("elif"), body(), word("else"), body(), word("endif"))
            .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g].concat()),
        (tag(iteration()), body(), word("endfor")).prop_map(|(a, b, c)| a + &b + &c),
        (tag(iteration()), body(), word("else"), body(), word("endfor"))
            .prop_map(|(a, b, c, d, e)| [a, b, c, d, e].concat()),
        (
            tag((local(), prop::sample::select(vec!["", " | upper", " | trim", " | indent(width=2)"]))
                .prop_map(|(name, filter)| format!("set {name}{filter}"))),
            body(),
            word("endset")
        )
            .prop_map(|(a, b, c)| a + &b + &c),
        (
            tag((expression(1), expression(1)).prop_map(|(one, two)| format!("with l = {one}, m = {two}"))),
            body(),
            word("endwith")
        )
            .prop_map(|(a, b, c)| a + &b + &c),
        (
            tag(prop::sample::select(vec![
                "filter upper",
                "filter trim",
                "filter replace('a', 'bb') | trim",
                "filter indent(2)"
            ])
            .prop_map(str::to_owned)),
            body(),
            word("endfilter")
        )
            .prop_map(|(a, b, c)| a + &b + &c),
    ]
    .boxed()
}

fn iteration() -> impl Strategy<Value = String> {
    let over = prop::sample::select(vec![
        "tools",
        "[]",
        "['q', cwd]",
        "range(3)",
        "tools | reverse",
        "cwd | split('/')",
        "ghost",
        "tools + ['r']",
    ]);
    let when = prop_oneof![3 => Just(String::new()), 1 => expression(1).prop_map(|value| format!(" if {value}")), 1 => Just(" if l in tools".to_owned())];
    (local(), over, when).prop_map(|(name, over, when)| format!("for {name} in {over}{when}"))
}

/// Names that a template gives values itself. Not every one has a value everywhere, so that strictness is tried too.
fn local() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["l", "m"]).prop_map(str::to_owned)
}

fn expression(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(vec![
        "date",
        "cwd",
        "git.branch",
        "git.status",
        "file('X')",
        "file('F')",
        "file('N')",
        "env.A",
        "tools",
        "tools[0]",
        "tools.names",
        "'lit'",
        "''",
        "\"a\\nb\"",
        "l",
        "m",
        "ghost",
        "loop.index",
        "loop.first",
        "7",
        "none",
        "['x', cwd]",
        "{'k': cwd}",
    ])
    .prop_map(str::to_owned);
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || expression(depth - 1);
    prop_oneof![
        6 => leaf,
        1 => (inner(), inner()).prop_map(|(a, b)| format!("{a} ~ {b}")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} == {b})")),
        1 => (inner(), inner(), inner()).prop_map(|(a, b, c)| format!("({a} if {b} else {c})")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} if {b})")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} or {b})")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} in {b})")),
        1 => inner().prop_map(|a| format!("({a} is defined)")),
        1 => inner().prop_map(|a| format!("(not {a})")),
        1 => inner().prop_map(|a| format!("({a})[1:]")),
        4 => (inner(), prop::sample::select(vec![
            "upper", "trim", "default('d')", "d", "join('+')", "join", "length", "first", "last", "replace('a', cwd)", "indent(3)", "lines", "list",
            "map('upper')", "sort", "unique", "string", "title", "reverse", "select('defined')",
        ])).prop_map(|(a, filter)| format!("({a}) | {filter}")),
    ]
    .boxed()
}

const INCLUDES: [(&str, &str); 6] = [
    ("$user/plain", "  plain {{ cwd }}\n"),
    ("$user/deep", "{% for t in tools -%}\n{% include '$user/plain' %}{{ t | upper }}\n{%- endfor %}\n\n"),
    ("$user/local", "{{ l | default('unset') }}"),
    (
        "$user/macros",
        "{% macro shout(x, y='!') %}<{{ x }}{{ y }}>{% endmacro %}{% macro wrap() %}[{{ caller() }}]{% endmacro %}\
         {% macro each(l) %}{% for i in l %}{{ caller(i) }};{% endfor %}{% endmacro %}{% set word = 'w' %}text {{ cwd }}\n",
    ),
    (
        "$user/base",
        "head {{ cwd }}\n{% block one %}one {{ l | default('x') }}{% endblock %}\
         {% for t in tools %}{% block two %} two{{ t }}{% endblock %}{% endfor %}\ntail\n",
    ),
    (
        "$user/grown",
        "{% extends '$user/base' %}{% block two %}grown {{ super() }}{% block three %}3{% endblock %}{% endblock %}",
    ),
];

fn jinja_facts(value: &str) -> Facts {
    let facts = Facts::default()
        .with("system:date", "2026-04-15")
        .with("prompt:cwd", "/p/q")
        .with("git:branch", "main")
        .with("git:status", "")
        .with("file:X", value)
        .with("file:F", "{{ cwd }}")
        .with("env:A", "é");
    given::list(facts, "tools:names", &["alpha", "", "a\nb"])
}

/// What the engine prints by itself, with the same settings and values.
fn bare(template: &str, value: &str) -> Option<String> {
    let mut env = minijinja::Environment::new();
    env.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    for (name, text) in INCLUDES {
        env.add_template(name, text).ok()?;
    }
    // The engine joins what is undefined to nothing; antefix is strict there too.
    env.add_filter("join", |state: &mut minijinja::State<'_, '_>, args: Rest<ValueOrKwargs>| {
        let args = args.into_values();
        if args.first().is_some_and(minijinja::Value::is_undefined) {
            return Err(minijinja::Error::from(minijinja::ErrorKind::UndefinedError));
        }
        minijinja::Value::from_function(minijinja::filters::join).call(state, &args)
    });
    let value = value.to_owned();
    env.add_function("file", move |path: &str| match path {
        "X" => minijinja::Value::from(value.clone()),
        "F" => minijinja::Value::from("{{ cwd }}"),
        _ => minijinja::Value::UNDEFINED,
    });
    env.add_template("t", template).ok()?;
    // `tools` is a list with one attribute, which the bare engine has no literal for.
    let context = minijinja::context! {
        date => "2026-04-15", cwd => "/p/q", git => minijinja::context! { branch => "main", status => "" },
        env => minijinja::context! { A => "é" }, tools => vec!["alpha", "", "a\nb"],
    };
    env.get_template("t").ok()?.render(context).ok()
}

fn templates() -> MemoryTemplates {
    INCLUDES.iter().fold(MemoryTemplates::default(), |stand, (name, text)| stand.with(name, *text))
}

/// Metering and tracking never change a byte: where the bare engine prints, antefix prints the same; where the bare
/// engine fails, antefix fails. And every byte's origin is right.
#[test]
fn tracked_templates_print_what_the_bare_engine_prints() {
    let (printed, failed) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(tries(1200));
    let outcome = runner.run(&(jinja(2), hostile_value()), |(template, value)| {
        let facts = jinja_facts(&value);
        let layout = Layout::of_template(
            &given::template(template.as_str()),
            None,
            Dialect::Jinja,
            &Wording::built_in(),
            &templates(),
        );
        let tracked = layout.and_then(|layout| compose(&layout, &facts));
        let bare = bare(&template.replace("tools.names", "tools"), &value);
        match (bare, tracked) {
            (Some(bare), Ok(prompt)) => {
                prop_assert_eq!(prompt.text(), bare);
                printed.set(printed.get() + 1);
                spans_are_right(&prompt, &facts)
            }
            (None, Err(_)) => {
                failed.set(failed.get() + 1);
                Ok(())
            }
            (Some(bare), Err(error)) => {
                Err(TestCaseError::fail(format!("the bare engine prints {bare:?}, antefix says {error:#}")))
            }
            (None, Ok(prompt)) => {
                Err(TestCaseError::fail(format!("the bare engine fails, antefix prints {:?}", prompt.text())))
            }
        }
    });
    outcome.unwrap();
    // A grammar that mostly fails, or never does, would try little.
    assert!(printed.get() > 400 && failed.get() > 100, "{} printed, {} failed", printed.get(), failed.get());
}

/// The origin of every byte in a template that goes through each door once.
#[test]
fn every_door_has_its_origin() {
    let template = "t{{ file('X') }}{{ file('X') | upper }}{% for t in tools %}{{ t }}{% endfor %}{% set a %}s{{ cwd }}{% endset %}\
                    {{ a }}{% filter upper %}f{{ cwd }}{% endfilter %}{% include '$user/plain' %}{% set b = cwd %}{{ b }}{{ 7 }}";
    let layout =
        Layout::of_template(&given::template(template), None, Dialect::Jinja, &Wording::built_in(), &templates())
            .unwrap();
    let prompt = compose(&layout, &jinja_facts("v")).unwrap();
    let table: Vec<String> = prompt
        .spans()
        .iter()
        .map(|span| {
            let origin = match &span.origin {
                Origin::Source { source, offset } => format!("{}@{offset}", source.name),
                Origin::Expression { .. } => span.origin.name().to_owned(),
                Origin::Fact { fact, .. } => fact.name.to_string(),
                Origin::Hook { name } => name.to_string(),
            };
            format!("{:?} {origin}", &prompt.text()[span.range.clone()])
        })
        .collect();
    assert_eq!(
        table,
        [
            "\"t\" t@0",
            "\"v\" file:X",
            "\"V\" {{ file('X') | upper }}",
            "\"alpha\" tools:names",
            "\"a\\nb\" tools:names",
            "\"s/p/q\" {{ a }}",
            "\"F/P/Q\" {% endfilter %}",
            "\"  plain \" $user/plain@0",
            "\"/p/q\" prompt:cwd",
            "\"/p/q\" prompt:cwd",
            "\"7\" {{ 7 }}",
        ]
    );
}

proptest! {
    #![proptest_config(tries(250))]

    /// Sections in frames, cut, trimmed and joined at random: the spans still account for every byte.
    #[test]
    fn spans_account_for_framed_cut_and_trimmed_sections(
        sections in prop::collection::vec((
            prop::sample::select(vec!["'[file:X]'\ndialect = 'bracket'", "'a {{ file(\"X\") }} b {{ date | upper }}  '", "'plain \\[ é '\ndialect = 'plain'", "''", "'{{ tools | join(\" \") }}{% for t in tools %}{{ t }} {% endfor %}'"]),
            prop::sample::select(vec!["none", "paragraph", "blank-line"]),
            prop::sample::select(vec!["none", "end"]),
            prop::option::of((0_usize..60, prop::sample::select(vec!["inside", "behind"]))),
            prop::option::of(prop::sample::select(vec!["working_boundaries_section", "instructions_section", "agents_md_section"])),
        ), 1..5),
        value in hostile_value(),
        live in 0_usize..5,
    ) {
        let mut text = String::from("boundary = 'boundary'\n");
        for (number, (template, joint, trim, budget, wrap)) in sections.iter().enumerate() {
            let stability = if number >= live { "live" } else { "frozen" };
            text += &format!("[[section]]\nid = 's{number}'\nstability = '{stability}'\ntext = {template}\njoint = '{joint}'\ntrim = '{trim}'\n");
            if let Some((bytes, stands)) = budget {
                text += &format!("budget = {{ bytes = {bytes}, notice_stands = '{stands}' }}\n");
            }
            if let Some(wrap) = wrap {
                text += &format!("wrap = '{wrap}'\n");
            }
        }
        let facts = jinja_facts(&value);
        let source = Arc::new(Source::new(SourceKind::Layout, "random", text));
        let layout = Layout::parse(&source, &Wording::built_in(), &MemoryTemplates::default()).unwrap();
        let prompt = compose(&layout, &facts).unwrap();
        spans_are_right(&prompt, &facts)?;
        prop_assert_eq!(format!("{}{}", prompt.prefix(), prompt.suffix()), prompt.text());
        // Composing is a function: the same again is the same again, spans and findings included.
        prop_assert_eq!(compose(&layout, &facts).unwrap(), prompt);
    }
}
