//! Bombs of programs with macros, blocks, imports, namespaces, products and JSON.

use antefix::ErrorKind::{Limit, Load, Parse, Render};

use super::End::{Prints, PrintsOrLimit, Refused};
use super::{Bomb, bomb, nest};
use crate::given::MemoryTemplates;

fn with(name: &'static str, template: &str, includes: &[(&str, String)], end: super::End) -> Bomb {
    let includes =
        includes.iter().fold(MemoryTemplates::default(), |stand, (name, text)| stand.with(name, text.clone()));
    Bomb { includes, ..bomb(name, template, end) }
}

pub(super) fn bombs() -> Vec<Bomb> {
    [macros(), blocks(), imports(), namespaces(), products(), json()].into_iter().flatten().collect()
}

fn macros() -> Vec<Bomb> {
    let long = "x".repeat(60_000);
    // Each prints the one before twice.
    let doubling = (1..30).fold("{% macro m0() %}0123456789abcdef{% endmacro %}".to_owned(), |text, number| {
        let before = number - 1;
        format!("{text}{{% macro m{number}() %}}{{{{ m{before}() }}}}{{{{ m{before}() }}}}{{% endmacro %}}")
    });
    let many = (0..40).fold(String::new(), |text, number| {
        format!("{text}{{% macro m{number}() %}}{{{{ a }}}}{{{{ b }}}}{{{{ c }}}}{{% endmacro %}}")
    });
    vec![
        bomb("a recursive macro", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", Refused(Limit)),
        bomb("a macro that is given itself", "{% macro m(f) %}{{ f(f) }}{% endmacro %}{{ m(m) }}", Refused(Limit)),
        bomb(
            "a macro that is given itself and captures",
            "{% macro m(f) %}{% set a %}{{ f(f) }}{% endset %}{{ a }}{% endmacro %}{{ m(m) }}",
            Refused(Limit),
        ),
        bomb(
            "macros that call each other",
            "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
            Refused(Limit),
        ),
        bomb(
            "a macro that calls itself in a filter",
            "{% macro m() %}{% filter trim %}{{ m() | trim }}{% endfilter %}{% endmacro %}{{ m() | trim }}",
            Refused(Limit),
        ),
        bomb(
            "a macro that calls itself many times",
            "{% macro m() %}{{ m() }}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}",
            Refused(Limit),
        ),
        with(
            "a macro that includes what calls it",
            "{% macro m(f) %}{% include '$user/r' %}{% endmacro %}{{ m(m) }}",
            &[("$user/r", "{{ f(f) }}".to_owned())],
            Refused(Limit),
        ),
        bomb(
            "a caller that calls what calls it",
            "{% macro m() %}{{ caller() }}{% endmacro %}{% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}{{ n() }}",
            Refused(Limit),
        ),
        bomb(
            "doubling by an argument",
            "{% macro m(a) %}{{ m(a ~ a) }}{% endmacro %}{{ m('0123456789abcdef') }}",
            Refused(Limit),
        ),
        bomb(
            "doubling by a named argument",
            "{% macro m(a) %}{{ m(a=a + a) }}{% endmacro %}{{ m(a='0123456789abcdef') }}",
            Refused(Limit),
        ),
        bomb(
            "doubling a list by an argument",
            "{% macro m(a) %}{{ m(*[a + a]) }}{% endmacro %}{{ m(['x']) }}",
            Refused(Limit),
        ),
        bomb(
            "a large default, again and again",
            "{% macro m(a=file('BIG') ~ file('BIG')) %}{% endmacro %}{% for i in range(10000) %}{{ m() }}{% endfor %}",
            Refused(Limit),
        ),
        bomb(
            "doubling by a default",
            "{% set n = namespace(a='0123456789abcdef') %}{% macro m(b=n.a ~ n.a) %}{% set n.a = b %}{% endmacro %}{% for i in range(60) %}{{ m() }}{% endfor %}",
            Refused(Limit),
        ),
        bomb("doubling by macros", format!("{doubling}{{{{ m29() }}}}"), Refused(Limit)),
        bomb("doubling by macros into a name", format!("{doubling}{{% set a = m29() %}}"), Refused(Limit)),
        bomb("doubling by macros that are compared", format!("{doubling}{{{{ m29() == m29() }}}}"), Refused(Limit)),
        bomb(
            "doubling by call blocks",
            format!(
                "{{% macro m() %}}{{{{ caller() }}}}{{{{ caller() }}}}{{% endmacro %}}{}",
                nest("{% call m() %}", 30, "0123456789abcdef", "{% endcall %}")
            ),
            Refused(Limit),
        ),
        bomb(
            "a long macro in a loop",
            format!(
                "{{% macro m() %}}{long}{{% endmacro %}}{{% for i in range(10000) %}}{{% set a = m() %}}{{% endfor %}}"
            ),
            Refused(Limit),
        ),
        bomb(
            "a long macro whose result nobody wants",
            format!(
                "{{% macro m() %}}{long}{{% endmacro %}}{{% for i in range(10000) %}}{{{{ m() | length }}}}{{% endfor %}}"
            ),
            Refused(Limit),
        ),
        with(
            "a macro that includes much in a loop",
            "{% macro m() %}{% include '$user/long' %}{% endmacro %}{% for i in range(10000) %}{% set a = m() %}{% endfor %}",
            &[("$user/long", long.clone())],
            Refused(Limit),
        ),
        bomb(
            "a macro that prints a large fact in a loop",
            "{% macro m() %}{{ file('BIG') }}{% endmacro %}{% for i in range(10000) %}{{ m() }}{% endfor %}",
            Refused(Limit),
        ),
        bomb(
            "macros that are made in a loop",
            format!(
                "{{% set a = 1 %}}{{% set b = 2 %}}{{% set c = 3 %}}{{% for i in range(2000) %}}{many}{{% endfor %}}"
            ),
            PrintsOrLimit(String::new()),
        ),
        bomb("deeply nested macros", nest("{% macro a() %}", 2_000, "x", "{% endmacro %}"), Refused(Limit)),
        bomb("deeply nested call blocks", nest("{% call a() %}", 2_000, "x", "{% endcall %}"), Refused(Limit)),
        bomb("many parameters", format!("{{% macro m({}a) %}}{{% endmacro %}}", "a,".repeat(15_000)), Refused(Limit)),
        bomb(
            "many arguments of a macro",
            format!("{{% macro m() %}}{{% endmacro %}}{{{{ m({}1) }}}}", "1,".repeat(15_000)),
            Refused(Limit),
        ),
        bomb("starred maps", "{% macro m(a) %}{% endmacro %}{{ m(**{'a': 1}) }}", Refused(Parse)),
        bomb("a loop that is called", "{% for a in [1] %}{{ loop([1]) }}{% endfor %}", Refused(Parse)),
        bomb("a block that is called", "{% block a %}{{ self.a() }}{% endblock %}", Refused(Parse)),
        bomb(
            "a macro is harmless",
            "{% macro m(a, b='!') %}<{{ a }}{{ b }}>{% endmacro %}{{ m('x') }}",
            Prints("<x!>".to_owned()),
        ),
    ]
}

fn blocks() -> Vec<Bomb> {
    let long = "x".repeat(60_000);
    let chain: Vec<(String, String)> = (0..20)
        .map(|number| (format!("$user/c{number}"), format!("{{% extends '$user/c{}' %}}", number + 1)))
        .collect();
    let chain: Vec<(&str, String)> = chain.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    vec![
        with(
            "a block that is its own parent's",
            "{% extends '$user/p' %}{% block b %}{% block a %}{{ super() }}{% endblock %}{% endblock %}",
            &[("$user/p", "{% block a %}{% block b %}{% endblock %}{% endblock %}".to_owned())],
            Refused(Limit),
        ),
        with(
            "a block that doubles its parent's",
            "{% extends '$user/p' %}{% block b %}{% block a %}{{ super() }}{{ super() }}{% endblock %}{% endblock %}",
            &[("$user/p", "{% block a %}{% block b %}{% endblock %}{% endblock %}".to_owned())],
            Refused(Limit),
        ),
        with(
            "a long block in a captured loop",
            &format!("{{% extends '$user/p' %}}{{% block a %}}{long}{{% endblock %}}"),
            &[(
                "$user/p",
                "{% set x %}{% for i in range(10000) %}{% block a %}{% endblock %}{% endfor %}{% endset %}".to_owned(),
            )],
            Refused(Limit),
        ),
        with(
            "a long block that is asked for many times",
            "{% extends '$user/p' %}{% block a %}{% for i in range(10000) %}{{ super() | length }}{% endfor %}{% endblock %}",
            &[("$user/p", format!("{{% block a %}}{long}{{% endblock %}}"))],
            Refused(Limit),
        ),
        with(
            "a long block that is discarded",
            "{% from '$user/p' import x %}{{ x }}",
            &[(
                "$user/p",
                format!(
                    "{{% set x = 1 %}}{{% for i in range(10000) %}}{long}{{% block a %}}{long}{{% endblock %}}{{% endfor %}}"
                ),
            )],
            Refused(Limit),
        ),
        with(
            "a template that extends itself",
            "{% extends '$user/p' %}",
            &[("$user/p", "{% extends '$user/p' %}".to_owned())],
            Refused(Load),
        ),
        with("a long chain of extends", "{% extends '$user/c0' %}", &chain, Refused(Limit)),
        bomb(
            "deeply nested blocks",
            (0..2_000).map(|n| format!("{{% block b{n} %}}")).collect::<String>() + &"{% endblock %}".repeat(2_000),
            Refused(Limit),
        ),
    ]
}

fn imports() -> Vec<Bomb> {
    let long = "x".repeat(60_000);
    vec![
        with(
            "an import in a loop",
            "{% for i in range(10000) %}{% import '$user/a' as m %}{% endfor %}",
            &[("$user/a", long.clone())],
            Refused(Limit),
        ),
        with(
            "an import of names in a loop",
            "{% for i in range(10000) %}{% from '$user/a' import b %}{% endfor %}",
            &[("$user/a", format!("{{% set b = 1 %}}{long}"))],
            Refused(Limit),
        ),
        with(
            "an import that is printed in a loop",
            "{% import '$user/a' as m %}{% for i in range(10000) %}{{ m }}{% endfor %}",
            &[("$user/a", long)],
            Refused(Limit),
        ),
        with(
            "imports of each other",
            "{% import '$user/a' as m %}",
            &[
                ("$user/a", "{% import '$user/b' as m %}".to_owned()),
                ("$user/b", "{% import '$user/a' as m %}".to_owned()),
            ],
            Refused(Load),
        ),
        bomb("an import that is computed", "{% import cwd as m %}", Refused(Parse)),
        bomb("an import of names that is computed", "{% from cwd import m %}", Refused(Parse)),
        bomb("an extends that is computed", "{% extends cwd %}", Refused(Parse)),
    ]
}

fn namespaces() -> Vec<Bomb> {
    vec![
        bomb(
            "doubling a field",
            r#"{% set n = namespace(a="0123456789abcdef") %}"#.to_owned() + &"{% set n.a = n.a ~ n.a %}".repeat(26),
            Refused(Limit),
        ),
        bomb(
            "doubling a field in a loop",
            r#"{% set n = namespace(a="0123456789abcdef") %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}{% endfor %}"#,
            Refused(Limit),
        ),
        bomb(
            "doubling a field by a block",
            r#"{% set n = namespace(a="0123456789abcdef") %}{% for i in range(60) %}{% set n.a %}{{ n.a }}{{ n.a }}{% endset %}{% endfor %}"#,
            Refused(Limit),
        ),
        bomb("a namespace in itself", "{% set n = namespace() %}{% set n.a = n %}{{ n }}", Refused(Render)),
        bomb(
            "a namespace in a list in itself",
            "{% set n = namespace() %}{% set n.a = [{'b': n}] %}{{ n == n }}",
            Refused(Render),
        ),
        bomb("a namespace in a namespace", "{% set n = namespace() %}{% set m = namespace(a=n) %}", Refused(Render)),
        bomb(
            "a namespace of a map with a namespace",
            "{% set n = namespace() %}{% set m = namespace({'a': n}) %}",
            Refused(Render),
        ),
        bomb("a macro in a namespace", "{% macro f() %}{% endmacro %}{% set m = namespace(a=f) %}", Refused(Render)),
        bomb(
            "a namespace is harmless",
            "{% set n = namespace(a=0) %}{% for t in range(5) %}{% set n.a = n.a + t %}{% endfor %}{{ n.a }}",
            Prints("10".to_owned()),
        ),
    ]
}

fn products() -> Vec<Bomb> {
    vec![
        bomb("a text times a number", "{{ 'x' * 100000000 }}", Refused(Limit)),
        bomb("a number times a text", "{{ 100000000 * 'x' }}", Refused(Limit)),
        bomb("a text times a number whose result nobody wants", "{{ ('x' * 100000000) | length }}", Refused(Limit)),
        bomb("a list times a number", "{{ ([1] * 100000000) | length }}", Refused(Limit)),
        bomb("a number times a list", "{% set a = 100000000 * [1] %}", Refused(Limit)),
        bomb("a range times a number", "{% for a in range(10000) * 10000 %}{% endfor %}", Refused(Limit)),
        bomb("a text times many numbers", "{{ 'x' * 1000 * 1000 * 1000 }}", Refused(Limit)),
        bomb("a text times a product", "{{ 'x' * (1000 * (1000 * 1000)) }}", Refused(Limit)),
        bomb(
            "a text times the length of a list",
            "{{ 'xxxxxxxxxxxxxxxx' * (range(10000) | list | length * 1000) }}",
            Refused(Limit),
        ),
        bomb("a sum in brackets times a number", "{{ (file('BIG') ~ file('BIG')) * 100 }}", Refused(Limit)),
        bomb("a large fact times a number", "{{ file('BIG') * 100 }}", Refused(Limit)),
        bomb(
            "a text times a number in a loop",
            "{% for i in range(10000) %}{{ ('x' * 100000) | length }}{% endfor %}",
            Refused(Limit),
        ),
        bomb(
            "doubling by times",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned() + &"{% set a = a * 2 %}".repeat(26),
            Refused(Limit),
        ),
        bomb(
            "a list of lists times a number",
            r#"{% set a = ["x"] %}"#.to_owned() + &"{% set a = [a] * 8 %}".repeat(12),
            Refused(Limit),
        ),
        bomb(
            "numbers without end",
            "{{ 99999999999999999999 * 99999999999999999999 * 99999999999999999999 }}",
            Refused(Render),
        ),
        bomb("many products", format!("{{{{ {}1 }}}}", "1*".repeat(6_600)), Refused(Limit)),
        bomb(
            "a product is harmless",
            "{{ 2 * 3 }}{{ '-' * 3 }}{{ 1 + 2 * 2 }}{{ 2 * (1 + 2) }}",
            Prints("6---56".to_owned()),
        ),
    ]
}

fn json() -> Vec<Bomb> {
    vec![
        bomb(
            "JSON of a large fact in a loop",
            "{% for i in range(10000) %}{{ file('BIG') | tojson | length }}{% endfor %}",
            Refused(Limit),
        ),
        bomb(
            "JSON of JSON",
            r#"{% set a = "\"" %}"#.to_owned() + &"{% set a = a | tojson %}".repeat(40),
            Refused(Limit),
        ),
        bomb("JSON that is indented far", "{{ [1, [2]] | tojson(indent=1000000000) }}", Refused(Limit)),
        bomb("JSON that is indented far by position", "{{ [1, [2]] | tojson(1000000000) }}", Refused(Limit)),
        bomb(
            "JSON of a list of itself twice",
            r#"{% set l = ["x"] %}"#.to_owned() + &"{% set l = [l, l] %}".repeat(26) + "{{ l | tojson }}",
            Refused(Limit),
        ),
        bomb(
            "JSON is harmless",
            r#"{{ ["a\"b", {"k": "é"}] | tojson }}"#,
            Prints(r#"["a\"b", {"k": "é"}]"#.to_owned()),
        ),
    ]
}
