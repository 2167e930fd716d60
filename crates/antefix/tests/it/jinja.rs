//! The jinja dialect: what it offers, what it refuses, and how it says so.

use antefix::ErrorKind;
use antefix::compose::template::TemplateRef;
use antefix::compose::{Dialect, Layout, Wording, compose};
use antefix::discover::{Facts, ReasonCode};

use crate::given::{self, MemoryTemplates};

fn facts() -> Facts {
    let facts = Facts::default()
        .with("file:X", "v")
        .with("file:E", "")
        .with("file:docs/a b.md", "spaced")
        .with("file:F", "{{ cwd }}{% raw %}{# x #}[file:X]")
        .with("system:date", "2026-04-15")
        .with("system:clock", "09:30:00")
        .with("system:datetime", "2026-04-15T09:30:00Z")
        .with("system:time", "2026-04-15T09:30:00.000Z")
        .with("system:os", "linux")
        .with("prompt:cwd", "/p")
        .with("git:branch", "main")
        .with("git:status", "")
        .with("env:SHELL", "/bin/sh");
    let facts = given::list(facts, "tools:names", &["alpha", "beta"]);
    let facts = given::absent(facts, "prompt:model");
    let facts = given::absent(facts, "file:N");
    given::unavailable(facts, "git:diff", ReasonCode::TimedOut)
}

fn print(template: &str) -> String {
    match given::print(template, Dialect::Jinja, &facts()) {
        Ok(prompt) => prompt.text().to_owned(),
        Err(error) => format!("{:?} at {}", error.kind(), error.place().map_or("-".to_owned(), ToString::to_string)),
    }
}

/// Checks rows of a template and what it prints, or the kind and place of its error.
fn check(rows: &[(&str, &str)]) {
    let failures: Vec<String> = rows
        .iter()
        .map(|(template, expected)| (template, expected, print(template)))
        .filter(|(_, expected, got)| got != **expected)
        .map(|(template, expected, got)| format!("{template:?}\n  gives {got:?}\n  not   {expected:?}"))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn facts_have_the_spellings_of_the_catalog() {
    check(&[
        ("{{ date }} {{ time }} {{ datetime }}", "2026-04-15 09:30:00 2026-04-15T09:30:00Z"),
        ("{{ system.date }} {{ system.clock }} {{ system.datetime }}", "2026-04-15 09:30:00 2026-04-15T09:30:00Z"),
        ("{{ system.time }}", "2026-04-15T09:30:00.000Z"),
        ("{{ cwd }} {{ prompt.cwd }}", "/p /p"),
        ("{{ git.branch }}|{{ git.status }}|", "main||"),
        ("{{ git[\"branch\"] }}", "main"),
        ("{{ file(\"X\") }}{{ file('docs/a b.md') }}", "vspaced"),
        ("{{ env.SHELL }}", "/bin/sh"),
        ("{{ tools | join(',') }}", "alpha,beta"),
        ("{{ tools.names | join(',') }}", "alpha,beta"),
        ("{{ tools | length }} {{ tools[1] }} {{ tools | first }}", "2 beta alpha"),
        ("{% for tool in tools %}{{ loop.index }}:{{ tool }};{% endfor %}", "1:alpha;2:beta;"),
    ]);
}

#[test]
fn values_are_data() {
    check(&[
        ("{{ file('F') }}", "{{ cwd }}{% raw %}{# x #}[file:X]"),
        ("{% set a = file('F') %}{{ a }}", "{{ cwd }}{% raw %}{# x #}[file:X]"),
        ("[file:X] stays", "[file:X] stays"),
    ]);
}

#[test]
fn undefined_names_are_errors_and_can_be_asked_for() {
    check(&[
        // A name that nobody knows is found when the template is rendered.
        ("{{ ghost }}", "Render at t:1:4"),
        ("a\n  {{ ghost.x }}", "Render at t:2:6"),
        ("{{ ghost | upper }}", "Render at t:1:12"),
        ("{% for x in ghost %}{% endfor %}", "Render at t:1:13"),
        ("{{ scope_summary }}", "Render at t:1:4"),
        // A fact that nobody knows is found when the template is loaded.
        ("{{ git.brunch }}", "Parse at t:1:4"),
        ("{{ system.colour }}", "Parse at t:1:4"),
        // A fact that is not there is an error too, but one that can be asked for.
        ("{{ prompt.model }}", "Render at t:1:4"),
        ("{{ file('N') }}", "Render at t:1:4"),
        ("{{ prompt.model | default('none') }}", "none"),
        ("{{ prompt.model is defined and 1 or 2 }}", "2"),
        ("{{ ghost | default('none') }}", "none"),
        ("{{ 'y' if ghost is defined else 'n' }}", "n"),
        ("{{ 'y' if ghost is undefined else 'n' }}", "y"),
        ("{% if git.branch is defined %}{{ git.branch }}{% endif %}", "main"),
        ("{% if file('N') is defined %}{{ file('N') }}{% else %}no{% endif %}", "no"),
        ("{% if env.NOPE is defined %}y{% else %}n{% endif %}", "n"),
        ("{% if git.diff is defined %}y{% else %}n{% endif %}", "n"),
        ("{% if git.status is defined %}y{% endif %}{% if git.status %}y{% else %}n{% endif %}", "yn"),
    ]);
}

#[test]
fn an_if_without_an_else_is_nothing_to_a_filter_and_an_absent_fact_is_an_error() {
    check(&[
        ("a{{ (date if '') | replace('a', cwd) }}b", "ab"),
        ("a{{ (date if '') | upper }}b", "ab"),
        ("{{ prompt.model | replace('a', 'b') }}", "Render at t:1:19"),
        ("{{ date | replace('-', prompt.model) }}", "Render at t:1:11"),
        ("{{ prompt.model | split(',') | join }}", "Render at t:1:19"),
    ]);
}

#[test]
fn facts_that_are_absent_can_be_asked_for_by_every_spelling() {
    let nothing = Facts::default();
    for spelling in
        ["date", "cwd", "tools", "tools.names", "git.branch", "system.date", "env.X", "file('X')", "scope.summary"]
    {
        let template =
            format!("{{% if {spelling} is defined %}}y{{% else %}}n{{% endif %}}{{{{ {spelling} | default('d') }}}}");
        let printed = given::print(template.as_str(), Dialect::Jinja, &nothing);
        assert_eq!(
            printed.map(|prompt| prompt.text().to_owned()).map_err(|error| format!("{error:#}")),
            Ok("nd".to_owned()),
            "{spelling}"
        );
    }
}

#[test]
fn an_error_names_the_fact_that_is_missing_and_why() {
    let error = given::print("x {{ prompt.model }}", Dialect::Jinja, &facts()).unwrap_err();
    assert_eq!(error.message(), "`prompt:model` is absent");
    assert_eq!(error.fact(), Some(&given::name("prompt:model")));
    assert_eq!(
        format!("{error:#}"),
        "t:1:6: `prompt:model` is absent\n  | x {{ prompt.model }}\n  |      ^^^^^^^^^^^^\n  = say what to do without it: \
         `{% if … is defined %}…{% endif %}` or `… | default(\"…\")`"
    );
}

#[test]
fn nothing_is_escaped_whatever_the_template_is_called() {
    for name in ["a.html", "a.htm", "a.xml", "a.json", "a.yaml", "a.js", "$user/x.html"] {
        let source = antefix::text::Source::new(antefix::text::SourceKind::Template, name, "{{ file('X') }}<&\"'>");
        let layout = Layout::of_template(
            &source.into(),
            None,
            Dialect::Jinja,
            &Wording::built_in(),
            &MemoryTemplates::default(),
        )
        .unwrap();
        let prompt = compose(&layout, &Facts::default().with("file:X", "<b>&amp;\"'/")).unwrap();
        assert_eq!(prompt.text(), "<b>&amp;\"'/<&\"'>", "{name}");
    }
}

#[test]
fn one_line_break_at_the_end_of_a_source_is_dropped() {
    check(&[
        ("a\n", "a"),
        ("a\n\n", "a\n"),
        ("a\r\n", "a"),
        ("a\r\n\r\n", "a\r\n"),
        ("a  \n", "a  "),
        ("\n", ""),
        ("", ""),
        ("{{ file('X') }}\n", "v"),
        ("{% set a = 1 %}\n\n", "\n"),
        ("{% if 1 %}\na\n{% endif %}\n", "\na\n"),
    ]);
}

#[test]
fn white_space_control_is_the_engines() {
    check(&[
        ("a {{- file('X') -}} b", "avb"),
        ("a {{ file('X') -}} b", "a vb"),
        ("a {{- file('X') }} b", "av b"),
        ("a\n{%- if 1 -%}\nb\n{%- endif -%}\nc", "abc"),
        ("a {% if 1 -%} b {%- endif %} c", "a b c"),
        ("a {#- x -#} b", "ab"),
        ("{% for t in tools -%} {{ t }} {%- endfor %}", "alphabeta"),
        ("{%- for t in tools %} {{ t }}{% endfor -%} x", " alpha betax"),
        ("a {%- set b = 1 -%} c", "ac"),
        ("a {%- raw -%} {{ x }} {%- endraw -%} b", "a{{ x }}b"),
        ("a {%- filter upper -%} b {%- endfilter -%} c", "aBc"),
        ("a {%- with b = 1 -%} {{ b }} {%- endwith -%} c", "a1c"),
        ("  {{- file('X') }}", "v"),
        ("{{ file('X') -}}  ", "v"),
    ]);
}

#[test]
fn statements_and_filters_do_what_they_are_for() {
    check(&[
        ("{% if git.branch == 'main' %}m{% elif date %}d{% else %}e{% endif %}", "m"),
        ("{% for t in tools if t != 'alpha' %}{{ t }}{% else %}none{% endfor %}", "beta"),
        ("{% for t in [] %}{{ t }}{% else %}none{% endfor %}", "none"),
        ("{% set a = 'x' %}{% set a = a ~ 'y' %}{{ a }}", "xy"),
        ("{% set a, b = 'x', 'y' %}{{ b }}{{ a }}", "yx"),
        ("{% set a %}<{{ cwd }}>{% endset %}{{ a }}", "</p>"),
        ("{% set a | upper %}<{{ cwd }}>{% endset %}{{ a }}", "</P>"),
        ("{% with a = 'x', b = 'y' %}{{ a }}{{ b }}{% endwith %}", "xy"),
        ("{% filter upper | replace('A', 'b') %}a{{ cwd }}{% endfilter %}", "b/P"),
        ("{% raw %}{{ x }}{% if %}{% endraw %}", "{{ x }}{% if %}"),
        ("a{# {{ ghost }} #}b", "ab"),
        ("{{ 'a\\nb' | indent(2) }}", "a\n  b"),
        ("{{ 'a\\nb' | indent(2, true) }}", "  a\n  b"),
        ("{{ 'a\\nb' | indent(width=1, first=true) }}", " a\n b"),
        ("{{ ' a ' | trim }}{{ 'xax' | trim('x') }}", "aa"),
        ("{{ 'a,b' | split(',') | reverse | join('-') }}", "b-a"),
        ("{{ 'a\\nb\\n' | lines | join('|') }}", "a|b"),
        ("{{ tools | map('upper') | join(' ') }}", "ALPHA BETA"),
        ("{{ tools | select('startingwith', 'b') | list | length }}", "1"),
        ("{{ 'abc' | replace('b', 'x') | capitalize }}", "Axc"),
        ("{{ ['b', 'a', 'b'] | unique | sort | join }}", "ab"),
        ("{{ 'abc'[1:] }}{{ 'abc'[0] }}", "bca"),
        ("{% for a in range(3) %}{{ a }}{% if not loop.last %},{% endif %}{% endfor %}", "0,1,2"),
        ("{% for k, v in {'a': 'x'} | items %}{{ k }}={{ v }}{% endfor %}", "a=x"),
        ("{{ 'b' in tools | join }}{{ 'beta' in tools }}", "TrueTrue"),
    ]);
}

/// A loop's condition is evaluated for each item; what it looks into is not made anew each time.
#[test]
fn a_loop_may_look_each_item_up_in_a_long_list() {
    let tools: Vec<String> = (0..1000).map(|number| format!("mcp__server__tool_{number}")).collect();
    let facts = given::list(Facts::default(), "tools:names", &tools);
    let template = "{% for t in tools if t in tools %}x{% endfor %}";
    let printed = given::print(template, Dialect::Jinja, &facts).map(|prompt| prompt.text().len());
    assert_eq!(printed.map_err(|error| error.to_string()), Ok(1000));
}

/// The largest file that is read has 262,144 bytes: what a layout does with files must work on it.
#[test]
fn a_file_of_the_largest_size_can_be_filtered_line_by_line() {
    let facts = Facts::default().with("file:X", &format!("{}\n", "x".repeat(63)).repeat(4096));
    for (template, expected) in [
        ("{{ file('X') | trim | length }}", "262143"),
        ("{{ file('X') | lines | length }}", "4096"),
        // 4,095 lines get two spaces each, and the engine drops the last line feed.
        ("{{ file('X') | indent(2) | length }}", "270333"),
        ("{{ file('X') | replace('x', 'y') | length }}", "262144"),
    ] {
        let printed = given::print(template, Dialect::Jinja, &facts).map(|prompt| prompt.text().to_owned());
        assert_eq!(printed.map_err(|error| error.to_string()), Ok(expected.to_owned()), "{template}");
    }
}

#[test]
fn what_the_dialect_does_not_offer_is_refused_at_its_place() {
    check(&[
        ("{% extends cwd %}", "Parse at t:1:12"),
        ("{% import cwd as x %}", "Parse at t:1:11"),
        ("{% from cwd import y %}", "Parse at t:1:9"),
        ("{% call x() %}{% endcall %}", "Parse at t:1:9"),
        ("{{ x() }}", "Parse at t:1:4"),
        ("{{ x.y() }}", "Parse at t:1:4"),
        ("{% block a %}{{ self.a() }}{% endblock %}", "Parse at t:1:17"),
        ("{% for x in tools %}{{ loop(x) }}{% endfor %}", "Parse at t:1:24"),
        ("{% macro m(cwd) %}{% endmacro %}", "Parse at t:1:12"),
        ("{% import '$user/x' as git %}", "Parse at t:1:24"),
        ("{% do x() %}", "Parse at t:1:4"),
        ("{% autoescape true %}{% endautoescape %}", "Parse at t:1:4"),
        ("{% break %}", "Parse at t:1:4"),
        ("{% frobnicate %}", "Parse at t:1:4"),
        ("{{ 2 ** 3 }}", "Parse at t:1:6"),
        ("{{ cwd | pprint }}", "Parse at t:1:10"),
        ("{{ cwd | frobnicate }}", "Parse at t:1:10"),
        ("{{ cwd is frobnicated }}", "Parse at t:1:11"),
        ("{{ cwd.upper() }}", "Parse at t:1:4"),
        ("{{ dict() }}", "Parse at t:1:4"),
        ("{{ file(cwd) }}", "Parse at t:1:4"),
        ("{{ file('a', 'b') }}", "Parse at t:1:4"),
        ("{{ file() }}", "Parse at t:1:4"),
        ("{{ git }}", "Parse at t:1:4"),
        ("{{ system }}", "Parse at t:1:4"),
        ("{% set git = 1 %}", "Parse at t:1:8"),
        ("{% set date = 1 %}", "Parse at t:1:8"),
        ("{% for file in tools %}{% endfor %}", "Parse at t:1:8"),
        ("{% with cwd = 1 %}{% endwith %}", "Parse at t:1:9"),
        ("{% include cwd %}", "Parse at t:1:12"),
        ("{% include ['a', 'b'] %}", "Parse at t:1:12"),
        ("{% for x in tools recursive %}{% endfor %}", "Parse at t:1:1"),
        ("{{ __antefix_mark(0) }}", "Parse at t:1:4"),
        ("{% set __antefix_keep = 1 %}", "Parse at t:1:8"),
    ]);
}

#[test]
fn syntax_errors_are_found_when_the_template_is_loaded() {
    for template in [
        "{{ unclosed",
        "{% if 1 %}",
        "{% endif %}",
        "{{ }}",
        "{% %}",
        "{{ 'x }}",
        "{# x",
        "{% raw %}",
        "{{ 1 | }}",
        "{{ a b }}",
    ] {
        let error = given::layout(template, Dialect::Jinja).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Parse, "{template}: {error:#}");
        assert!(error.place().is_some(), "{template}: {error}");
    }
}

/// The excerpt is for people: a line of a template may have 64 KiB, the caret must still be found.
#[test]
fn the_excerpt_of_a_long_line_is_short() {
    let template = format!("{}{{{{ ghost }}}}{}", "x".repeat(30_000), "y".repeat(30_000));
    let error = given::print(template, Dialect::Jinja, &facts()).unwrap_err();
    let shown = format!("{error:#}");
    assert!(shown.len() < 1000, "{} bytes", shown.len());
}

fn included(stand: &MemoryTemplates, root: &str) -> Result<String, String> {
    let reference = TemplateRef::parse("$user/root", None).unwrap();
    let source = antefix::text::Source::new(antefix::text::SourceKind::Template, "$user/root", root).at("root.md");
    let layout = Layout::of_template(&source.into(), Some(&reference), Dialect::Jinja, &Wording::built_in(), stand);
    let prompt = layout.and_then(|layout| compose(&layout, &facts()));
    prompt.map(|prompt| prompt.text().to_owned()).map_err(|error| format!("{:?} {error}", error.kind()))
}

#[test]
fn includes_resolve_beside_the_including_file_and_by_prefix() {
    let stand = MemoryTemplates::default()
        .with("$user/a", "A{{ cwd }}\n")
        .with("$user/dir/b", "B{% include 'c' %}{% include '$user/a' %}")
        .with("$user/dir/c", "C")
        .with("$workspace/a", "W")
        .with("$builtin/a", "I");
    let rows = [
        ("{% include 'a' %}|", "A/p|"),
        ("{% include '$user/a' %}|", "A/p|"),
        ("{% include '$workspace/a' %}{% include '$builtin/a' %}", "WI"),
        ("{% include 'dir/b' %}", "BCA/p"),
        ("{%- include '/a/' -%}  x", "A/px"),
        ("{% include 'a' %}{% include 'a' %}", "A/pA/p"),
        ("{% for t in tools %}{% include 'a' %}{% endfor %}", "A/pA/p"),
        ("{% include 'nope' ignore missing %}x", "x"),
        ("{% include '$layout/nope' ignore missing %}x", "x"),
        ("{% if 0 %}{% include 'a' %}{% endif %}x", "x"),
    ];
    for (template, expected) in rows {
        assert_eq!(included(&stand, template), Ok(expected.to_owned()), "{template}");
    }
}

#[test]
fn an_included_file_sees_the_names_around_it() {
    let stand = MemoryTemplates::default().with("$user/a", "<{{ x }}>").with("$user/b", "{% set y = 1 %}");
    assert_eq!(included(&stand, "{% set x = 'in' %}{% include 'a' %}"), Ok("<in>".to_owned()));
    assert_eq!(included(&stand, "{% for x in tools %}{% include 'a' %}{% endfor %}"), Ok("<alpha><beta>".to_owned()));
}

#[test]
fn facts_named_by_an_included_file_are_asked_for() {
    let stand = MemoryTemplates::default()
        .with("$user/a", "{{ git.branch }}{% include 'b' %}")
        .with("$user/b", "{% if file('B') is defined %}{% endif %}");
    let reference = TemplateRef::parse("$user/root", None).unwrap();
    let source = given::template("{{ cwd }}{% include 'a' %}{{ date }}");
    let layout = Layout::of_template(&source, Some(&reference), Dialect::Jinja, &Wording::built_in(), &stand).unwrap();
    let named: Vec<String> = layout.facts().iter().map(ToString::to_string).collect();
    assert_eq!(named, ["prompt:cwd", "system:date", "git:branch", "file:B"]);
}

#[test]
fn includes_fail_with_their_chain() {
    let stand = MemoryTemplates::default()
        .with("$user/a", "{% include 'b' %}")
        .with("$user/b", "x\n{% include 'c' %}")
        .with("$user/c", "{% include 'a' %}")
        .with("$user/broken", "\n{{ unclosed")
        .with("$user/to-missing", "{% include 'missing' %}")
        .with("$user/undefined", "\n {{ ghost }}");
    let rows = [
        (
            "{% include 'a' %}",
            "Load $user/c.md:1:12: templates include each other: $user/root → $user/a → $user/b → $user/c → $user/a",
        ),
        ("{% include 'root' %}", "Load root.md:1:12: templates include each other: $user/root → $user/root"),
        (
            "{% include 'to-missing' %}",
            "Load $user/to-missing.md:1:12: template `$user/missing` does not exist (included by $user/root → $user/to-missing → $user/missing)",
        ),
        (
            "{% include '$workspace/a' %}",
            "Load root.md:1:12: `$workspace` is not configured, so `$workspace/a` cannot be loaded (included by $user/root → $workspace/a)",
        ),
        (
            "{% include '../a' %}",
            "Load root.md:1:12: invalid template reference `../a`: `.` and `..` are not allowed in it (included by $user/root → ../a)",
        ),
        (
            "{% include '$nope/a' %}",
            "Load root.md:1:12: unknown prefix `$nope` in the reference `$nope/a` (included by $user/root → $nope/a)",
        ),
        ("{% include 'undefined' %}", "Render $user/undefined.md:2:5: undefined value: `ghost` is undefined"),
    ];
    for (template, expected) in rows {
        assert_eq!(included(&stand, template), Err(expected.to_owned()), "{template}");
    }
    let broken = included(&stand, "{% include 'broken' %}").unwrap_err();
    assert!(broken.starts_with("Parse $user/broken.md:2:"), "{broken}");
}

#[test]
fn a_template_without_a_place_includes_by_prefix_alone() {
    let stand = MemoryTemplates::default().with("$user/a", "A");
    let layout =
        |text: &str| Layout::of_template(&given::template(text), None, Dialect::Jinja, &Wording::built_in(), &stand);
    let prompt = compose(&layout("{% include '$user/a' %}").unwrap(), &facts()).unwrap();
    assert_eq!(prompt.text(), "A");
    let error = layout("{% include 'a' %}").map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Load);
}

/// Sixteen files deep is what the dialect allows: that must print, in a loop and inside conditions too.
#[test]
fn a_chain_of_fifteen_includes_prints() {
    let stand = (1..15).fold(MemoryTemplates::default().with("$user/c15", "x"), |stand, n| {
        stand.with(&format!("$user/c{n}"), format!("{n}{{% if 1 %}}{{% include 'c{}' %}}{{% endif %}}", n + 1))
    });
    assert_eq!(included(&stand, "{% include 'c1' %}"), Ok("1234567891011121314x".to_owned()));
}

/// Sixty blocks deep is within what the guard allows.
#[test]
fn sixty_nested_blocks_print() {
    for (open, close) in [
        ("{% if 1 %}", "{% endif %}"),
        ("{% with %}", "{% endwith %}"),
        ("{% for a in [1] %}", "{% endfor %}"),
        ("{% filter trim %}", "{% endfilter %}"),
    ] {
        let template = open.repeat(60) + "x" + &close.repeat(60);
        let printed = given::print(template, Dialect::Jinja, &facts()).map(|prompt| prompt.text().to_owned());
        assert_eq!(printed.map_err(|error| error.to_string()), Ok("x".to_owned()), "{open}");
    }
}

/// The reference lists what is offered; the messages about what is not do so as well.
#[test]
fn the_reference_page_lists_what_is_offered() {
    let page = include_str!("../../../../docs/reference/templates.md");
    let hint =
        |template: &str| given::layout(template, Dialect::Jinja).unwrap_err().hint().unwrap_or_default().to_owned();
    let filters = hint("{{ cwd | zzzzzzzzzz }}");
    let filters = filters.strip_prefix("there are ").unwrap().replace(", ", " ");
    assert!(page.contains(&format!("| filters | `{filters}` |")), "{filters}");
    let statements = hint("{% frobnicate %}");
    for statement in statements.strip_prefix("the statements are ").unwrap().split(", ") {
        let listed = [format!("`{statement}`"), format!("`{statement} …")];
        assert!(listed.iter().any(|listed| page.contains(listed.as_str())), "{statement}");
    }
}

/// What is written into a template must not make a macro see more than it would. The engine gives a macro that encloses a variable all
/// later ones of its scope as well.
#[test]
fn a_macro_that_encloses_nothing_sees_nothing_that_is_set_later() {
    let table = [
        "{% macro q() %}({{ caller() }}){% endmacro %}{% set l = 'a' %}{% call q() %}{% set l %}{{ l | upper }}{% endset %}{% endcall %}",
        "{% macro q() %}{% if l is defined %}seen{% endif %}{% endmacro %}",
        "{% macro q() %}x{{ 'a' | upper }}{{ 'b' ~ 'c' }}{{ 2 * 3 }}{{ 'abc'[1:] }}{% include '$user/local' %}{% endmacro %}{% set l = 'a' %}{{ q() }}",
    ];
    let mut env = minijinja::Environment::new();
    env.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    env.add_template("$user/local", "{{ l | default('unset') }}").unwrap();
    let templates = MemoryTemplates::default().with("$user/local", "{{ l | default('unset') }}");
    for template in table {
        let bare = env.render_str(template, ()).ok();
        let source = given::template(template);
        let layout = Layout::of_template(&source, None, Dialect::Jinja, &Wording::built_in(), &templates).unwrap();
        let ours = compose(&layout, &facts()).ok().map(|prompt| prompt.text().to_owned());
        assert_eq!(ours, bare, "{template}");
    }
}
