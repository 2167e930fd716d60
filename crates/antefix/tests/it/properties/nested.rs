//! Programs with macros, blocks, imports, namespaces, products and JSON, against the bare engine.

use std::cell::Cell;

use antefix::compose::{Dialect, Layout, Wording, compose};
use antefix::text::Origin;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::{bare, expression, hostile_value, jinja, jinja_facts, spans_are_right, tag, templates, text, tries, word};
use crate::given;

/// A program: what it extends, what it defines, and what it does with that.
fn program() -> impl Strategy<Value = String> {
    let head = prop::sample::select(vec!["", "", "{% extends '$user/base' %}", "{%- extends '$user/grown' -%}"]);
    let parts = prop::collection::vec(part(2), 1..6).prop_map(|parts| parts.concat());
    let blocks = prop::collection::vec(block(), 0..2).prop_map(|blocks| {
        // A block of one name is there once.
        let mut names = Vec::new();
        let kept = blocks.into_iter().filter(|(name, _)| {
            !names.contains(name) && {
                names.push(*name);
                true
            }
        });
        kept.map(|(_, text)| text).collect::<String>()
    });
    (head, macros(), parts, blocks).prop_map(|(head, macros, parts, blocks)| [head, &macros, &parts, &blocks].concat())
}

/// `p` prints what it is given, `q` calls what it is called with; both have more in them.
fn macros() -> impl Strategy<Value = String> {
    // Some names have values from the start, so that most programs print something.
    let imports = "{% set l = 'L' %}{% set m = [cwd, 'M'] %}{% import '$user/macros' as mac %}{% from '$user/macros' import shout as s2, word %}";
    (tag(expression(1).prop_map(|value| format!("macro p(a='x', b={value})"))), jinja(1), word("endmacro"), jinja(0))
        .prop_map(move |(open, body, close, more)| {
            format!("{imports}{open}{{{{ a }}}} {body}{{{{ b }}}}{close}{{% macro q() %}}({{{{ caller() }}}}{more}){{% endmacro %}}")
        })
}

fn block() -> impl Strategy<Value = (&'static str, String)> {
    let name = prop::sample::select(vec!["one", "two", "three"]);
    (name, part(1), prop::sample::select(vec!["", "{{ super() }}", "{{- super() | upper -}}"]))
        .prop_map(|(name, body, more)| (name, format!("{{% block {name} %}}{body}{more}{{% endblock %}}")))
}

fn part(depth: u32) -> BoxedStrategy<String> {
    let output = (super::control(), called(), super::control())
        .prop_map(|(left, inner, right)| format!("{{{{{left} {inner} {right}}}}}"));
    let field = (expression(1), expression(1)).prop_map(|(one, two)| {
        format!(
            "{{% set ns = namespace(a={one}) %}}{{% set ns.a = {two} %}}{{{{ ns.a }}}}{{{{ ns.b | default('n') }}}}"
        )
    });
    let plain = prop_oneof![2 => text(), 4 => output, 1 => field, 1 => jinja(1)].boxed();
    if depth == 0 {
        return plain;
    }
    let inner = || part(depth - 1);
    let calling = (prop::sample::select(vec!["call q()", "call mac.wrap()", "call(z) mac.each(tools)"]), inner())
        .prop_map(|(open, body)| format!("{{% {open} %}}{body}{{% endcall %}}"));
    let looping = inner().prop_map(|body| format!("{{% for t in tools %}}{body}{{{{ p(t) }}}}{{% endfor %}}"));
    let captured = inner().prop_map(|body| format!("{{% set l %}}{body}{{% endset %}}{{{{ l }}}}{{{{ s2(l) }}}}"));
    let filtered = inner().prop_map(|body| format!("{{% filter upper %}}{body}{{% endfilter %}}"));
    prop_oneof![4 => plain, 2 => calling, 1 => looping, 1 => captured, 1 => filtered].boxed()
}

/// What can be done with macros, products and JSON in an expression.
fn called() -> impl Strategy<Value = String> {
    let one = || expression(1);
    prop_oneof![
        one().prop_map(|a| format!("p({a})")),
        one().prop_map(|a| format!("p(b={a})")),
        one().prop_map(|a| format!("p(*[{a}])")),
        (one(), one()).prop_map(|(a, b)| format!("p({a}, {b})")),
        (one(), one()).prop_map(|(a, b)| format!("p(p({a}), mac.shout({b}))")),
        one().prop_map(|a| format!("mac.shout({a})")),
        one().prop_map(|a| format!("s2({a}, y=word)")),
        one().prop_map(|a| format!("p({a}) | upper")),
        one().prop_map(|a| format!("p({a}) ~ mac.shout('z')")),
        one().prop_map(|a| format!("p({a}) if p({a}) == p('v') else mac.word")),
        Just("mac".to_owned()),
        Just("p".to_owned()),
        Just("mac.shout('a')[1:]".to_owned()),
        one().prop_map(|a| format!("({a}) | tojson")),
        one().prop_map(|a| format!("[{a}, {{'k': cwd}}] | tojson(indent=2)")),
        one().prop_map(|a| format!("({a}) * 3")),
        one().prop_map(|a| format!("2 * ({a})")),
        (one(), one()).prop_map(|(a, b)| format!("({a}) * ({b})")),
        Just("'ab' * 2 ~ cwd * 2 + 'x' * 0".to_owned()),
        Just("-2 * -3 - 4 // 3 * 2 % 5".to_owned()),
        Just("[1, cwd] * 2 | length * 2".to_owned()),
    ]
}

#[test]
fn nested_programs_print_what_the_bare_engine_prints() {
    let (printed, failed) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(tries(900));
    let outcome = runner.run(&(program(), hostile_value()), |(template, value)| {
        let facts = jinja_facts(&value);
        let source = given::template(template.as_str());
        let layout = Layout::of_template(&source, None, Dialect::Jinja, &Wording::built_in(), &templates());
        let tracked = layout.and_then(|layout| compose(&layout, &facts));
        match (bare(&template.replace("tools.names", "tools"), &value), tracked) {
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
    assert!(printed.get() > 200 && failed.get() > 100, "{} printed, {} failed", printed.get(), failed.get());
}

/// The origin of every byte in a program that goes through each door once.
#[test]
fn every_nested_door_has_its_origin() {
    let template = "{% extends '$user/base' %}{% import '$user/macros' as mac %}\
                    {% macro p(a) %}m{{ a }}{{ a | upper }}{{ mac.shout(a) }}{% endmacro %}\
                    {% block one %}b{{ p(file('X')) }}{{ p('c') | upper }}{{ super() }}{% endblock %}\
                    {% block two %}{% call mac.wrap() %}i{{ cwd }}{% endcall %}{{ 'x' * 2 }}{% endblock %}";
    let source = given::template(template);
    let layout = Layout::of_template(&source, None, Dialect::Jinja, &Wording::built_in(), &templates()).unwrap();
    let prompt = compose(&layout, &jinja_facts("v")).unwrap();
    let origin = |origin: &Origin| match origin {
        Origin::Source { source, .. } => source.name.clone(),
        Origin::Expression { .. } => origin.name().to_owned(),
        Origin::Fact { fact, .. } => fact.name.to_string(),
        Origin::Hook { name } => name.to_string(),
    };
    let table: Vec<String> = prompt
        .spans()
        .iter()
        .map(|span| format!("{:?} {}", &prompt.text()[span.range.clone()], origin(&span.origin)))
        .collect();
    let two = ["\"[\" $user/macros", "\"i\" t", "\"/p/q\" prompt:cwd", "\"]\" $user/macros", "\"xx\" {{ 'x' * 2 }}"];
    let first = [
        "\"head \" $user/base",
        "\"/p/q\" prompt:cwd",
        "\"\\n\" $user/base",
        "\"b\" t",
        "\"m\" t",
        "\"v\" file:X",
        "\"V\" {{ a | upper }}",
        "\"<\" $user/macros",
        "\"v\" file:X",
        "\"!\" {{ y }}",
        "\">\" $user/macros",
        "\"MCC<C!>\" {{ p('c') | upper }}",
        "\"one \" $user/base",
        "\"x\" {{ l | default('x') }}",
    ];
    let last = ["\"\\ntail\" $user/base"];
    let expected: Vec<&str> = first.into_iter().chain(two).chain(two).chain(two).chain(last).collect();
    assert_eq!(table, expected);
}
