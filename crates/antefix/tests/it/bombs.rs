//! Templates that try to exhaust the process.
//!
//! Each one runs in a process of its own, because a stack overflow or a failed allocation aborts and cannot be caught.
//! The process composes on a thread with a stack of 128 KiB, says how that ended, and how much memory it ever had. What
//! is expected: an error that a person understands and finds in the template, or the right text; soon; and little memory.

mod nested;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use antefix::ErrorKind;
use antefix::compose::{Dialect, Layout, Wording, compose};
use antefix::discover::Facts;

use crate::given::{self, MemoryTemplates};

/// One second is promised; an unoptimized build on a busy machine gets three.
const SOON: Duration = Duration::from_secs(3);
/// How much more memory than a harmless template a hostile one may make resident.
const GROWTH: usize = 64 << 20;
/// A process that has more than this, or runs longer than `KILL_AFTER`, is ended, so that a failing test harms nobody.
const KILL_ABOVE: usize = 1 << 30;
const KILL_AFTER: Duration = Duration::from_secs(5);

/// How a template must end.
enum End {
    /// With an error of this kind that names a place.
    Refused(ErrorKind),
    /// It is harmless and prints this.
    Prints(String),
    /// It is harmless and prints this, or a limit stops it: which one depends on figures that nobody promises.
    PrintsOrLimit(String),
}

use End::{Prints, PrintsOrLimit, Refused};
use ErrorKind::{Limit, Load, Parse};

struct Bomb {
    name: &'static str,
    template: String,
    includes: MemoryTemplates,
    end: End,
}

fn bomb(name: &'static str, template: impl Into<String>, end: End) -> Bomb {
    Bomb { name, template: template.into(), includes: MemoryTemplates::default(), end }
}

/// `BIG` is a file of the largest size that is read; there are as many tools as an agent with many servers has.
fn facts() -> Facts {
    let facts =
        Facts::default().with("file:X", "v").with("file:BIG", &"x".repeat(256 * 1024)).with("system:os", "linux");
    let tools: Vec<String> = (0..500).map(|number| format!("tool{number}")).collect();
    given::list(facts, "tools:names", &tools)
}

/// `middle` nested `n` times in `open` and `close`.
fn nest(open: &str, n: usize, middle: &str, close: &str) -> String {
    open.repeat(n) + middle + &close.repeat(n)
}

fn bombs() -> Vec<Bomb> {
    // A name bound to 2^18 bytes without any fact.
    let large = r#"{% set a = "xxxxxxxxxxxxxxxx" %}"#.to_owned() + &"{% set a = a ~ a %}".repeat(14);
    // A name bound to 2^13 items.
    let many = r#"{% set l = ["x", "y"] %}"#.to_owned() + &"{% set l = l + l %}".repeat(12);
    let mut bombs = vec![
        // Growth by feeding a result back.
        bomb(
            "doubling by set",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned() + &"{% set a = a ~ a %}".repeat(26) + "{{ a }}",
            Refused(Limit),
        ),
        bomb(
            "doubling by set with plus",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned() + &"{% set a = a + a %}".repeat(26),
            Refused(Limit),
        ),
        bomb(
            "doubling by with",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned()
                + &nest("{% with a = a ~ a %}", 26, "{{ a }}", "{% endwith %}"),
            Refused(Limit),
        ),
        bomb(
            "doubling by for over one item",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned()
                + &nest("{% for b in [a ~ a] %}{% for a in [b ~ b] %}", 13, "{{ a }}", "{% endfor %}{% endfor %}"),
            Refused(Limit),
        ),
        bomb(
            "doubling by set block",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned()
                + &"{% set a %}{{ a }}{{ a }}{% endset %}".repeat(26)
                + "{{ a }}",
            Refused(Limit),
        ),
        bomb(
            "doubling by set block with a filter",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned()
                + &"{% set a | upper %}{{ a }}{{ a }}{% endset %}".repeat(26),
            Refused(Limit),
        ),
        bomb(
            "doubling by filter blocks",
            nest(r#"{% filter replace("x", "xx") %}"#, 40, "x", "{% endfilter %}"),
            Refused(Limit),
        ),
        bomb(
            "doubling by a filter block in a set block",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned()
                + &r#"{% set a %}{% filter replace("0", "00") %}{{ a }}{{ a }}{% endfilter %}{% endset %}"#.repeat(26),
            Refused(Limit),
        ),
        bomb(
            "doubling by default",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned() + &"{% set a = ghost | default(a ~ a) %}".repeat(26),
            Refused(Limit),
        ),
        bomb(
            "doubling by a ternary",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned() + &"{% set a = a ~ a if a else a %}".repeat(26),
            Refused(Limit),
        ),
        bomb(
            "doubling by join",
            r#"{% set a = "0123456789abcdef" %}"#.to_owned() + &"{% set a = [a, a] | join %}".repeat(26),
            Refused(Limit),
        ),
        bomb(
            "doubling a list",
            r#"{% set l = ["x"] %}"#.to_owned() + &"{% set l = l + l %}".repeat(30) + "{{ l }}",
            Refused(Limit),
        ),
        bomb(
            "a list of itself twice",
            r#"{% set l = ["x"] %}"#.to_owned() + &"{% set l = [l, l] %}".repeat(26) + "{{ l }}",
            Refused(Limit),
        ),
        bomb(
            "a list of itself twice, joined",
            r#"{% set l = ["x"] %}"#.to_owned() + &"{% set l = [l, l] %}".repeat(26) + r#"{{ l | join(",") }}"#,
            Refused(Limit),
        ),
        bomb(
            "a map of itself twice",
            r#"{% set l = {"a": "x"} %}"#.to_owned() + &r#"{% set l = {"a": l, "b": l} %}"#.repeat(26) + "{{ l }}",
            Refused(Limit),
        ),
        bomb(
            "a list in a list in a list",
            r#"{% set l = ["x"] %}"#.to_owned() + &"{% set l = [l] %}".repeat(2000) + "{{ l }}",
            Refused(Limit),
        ),
        bomb(
            "a map in a map in a map",
            r#"{% set l = {} %}"#.to_owned() + &r#"{% set l = {"a": l} %}"#.repeat(2000) + "{{ l }}",
            Refused(Limit),
        ),
        bomb(
            "a list nested by with",
            nest("{% with l = [l | default(1)] %}", 60, "{{ l }}", "{% endwith %}"),
            Refused(Limit),
        ),
        // Growth inside a filter.
        bomb("indent by a billion", r#"{{ "x" | indent(1000000000, true) }}"#, Refused(Limit)),
        bomb("indent by a billion, by name", r#"{{ "x" | indent(width=1000000000, first=true) }}"#, Refused(Limit)),
        bomb(
            "indent many lines",
            large.clone() + r#"{{ a | replace("x", "\n") | indent(256, true, true) }}"#,
            Refused(Limit),
        ),
        bomb("format is not offered", "{{ '%1000000000d' | format(1) }}", Refused(Parse)),
        bomb(
            "replace by itself",
            r#"{% set a = "xxxxxxxxxxxxxxxx" %}"#.to_owned()
                + &r#"{% set a = a | replace("x", a) %}"#.repeat(4)
                + "{{ a }}",
            Refused(Limit),
        ),
        bomb("replace the empty text", large.clone() + r#"{{ a | replace("", a) }}"#, Refused(Limit)),
        bomb(
            "replace in a list",
            format!(r#"{{% set a = "{}" %}}{{{{ [a] | replace("x", a) }}}}"#, "x".repeat(16 << 10)),
            Refused(Limit),
        ),
        bomb(
            "replace by a list",
            format!(r#"{{% set a = "{}" %}}{{{{ a | replace("x", [a]) }}}}"#, "x".repeat(16 << 10)),
            Refused(Limit),
        ),
        bomb(
            "replace a number by a list",
            format!(r#"{{% set a = "{}" %}}{{{{ a | replace(1, [a]) }}}}"#, "1".repeat(16 << 10)),
            Refused(Limit),
        ),
        bomb("join with a large text", large.clone() + "{{ range(10000) | join(a) }}", Refused(Limit)),
        bomb(
            "join with a list",
            format!(r#"{{% set a = "{}" %}}{{{{ range(10000) | join([a]) }}}}"#, "x".repeat(32 << 10)),
            Refused(Limit),
        ),
        bomb("join a text with itself", large.clone() + "{{ a | join(a) }}", Refused(Limit)),
        bomb("split into characters", r#"{{ file("BIG") | list | length }}"#, PrintsOrLimit("262144".into())),
        bomb("map over indent", r#"{{ tools | map("indent", 1000000) | list | length }}"#, Refused(Limit)),
        bomb(
            "map over replace",
            large.clone() + r#"{{ tools | map("replace", "t", a) | list | length }}"#,
            Refused(Limit),
        ),
        bomb("map over join", large.clone() + r#"{{ tools | map("join", a) | list | length }}"#, Refused(Limit)),
        bomb(
            "upper of everything, often",
            "{% for t in tools %}{% set b = file(\"BIG\") | upper %}{% endfor %}",
            Refused(Limit),
        ),
        bomb(
            "letters that grow in upper case",
            r#"{% set a = "ΐΐΐΐΐΐΐΐ" %}"#.to_owned()
                + &"{% set a = a ~ a %}".repeat(12)
                + r#"{{ "y" if a | upper | length > 9 }}"#,
            PrintsOrLimit("y".into()),
        ),
        bomb(
            "a text of escapes in a list",
            r#"{% set a = "\u0001\u0001\u0001\u0001" %}"#.to_owned()
                + &"{% set a = a ~ a %}".repeat(16)
                + "{% set b %}{{ [[[a]]] }}{% endset %}",
            PrintsOrLimit(String::new()),
        ),
        // Work that is not bound to a name and makes no text.
        bomb(
            "long sums in a condition",
            large.clone()
                + "{% for i in range(16000) %}{% if "
                + &"a ~ ".repeat(32)
                + r#""" == "x" %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "long sums in a loop's condition",
            large.clone() + "{% for i in range(16000) if " + &"a ~ ".repeat(32) + r#""" == "x" %}y{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "long sums in an elif",
            large.clone()
                + "{% for i in range(16000) %}{% if false %}{% elif "
                + &"a ~ ".repeat(32)
                + r#""" == "x" %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "long sums in a ternary",
            large.clone()
                + r#"{% for i in range(16000) %}{{ "y" if "#
                + &"a ~ ".repeat(32)
                + r#""" == "x" }}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "long sums in a default",
            large.clone()
                + "{% for i in range(16000) %}{{ \"\" | default("
                + &"a ~ ".repeat(32)
                + r#""") }}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "long sums in a subscript",
            large.clone()
                + r#"{% for i in range(16000) %}{{ {"a": ""}["#
                + &"a ~ ".repeat(31)
                + r#""" and "a"] }}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "long sums of lists in a condition",
            many.clone()
                + "{% for i in range(16000) %}{% if ("
                + &"l + ".repeat(31)
                + r#"[]) == 1 %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "searching a large text",
            large.clone()
                + r#"{% for i in range(16000) %}{% if "xxxxxxxxxxxxxxxxxxxxxxxxy" in a %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "searching a large list",
            many.clone() + r#"{% for i in range(16000) %}{% if "z" in l %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "searching a long range",
            r#"{% for i in range(16000) %}{% if "z" in range(99999) %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "searching by a test",
            r#"{% for i in range(16000) %}{% if "z" is in range(99999) %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "comparing large texts",
            large.clone() + r#"{% set b = a ~ "" %}{% for i in range(16000) %}{% if a != b %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "comparing large lists",
            many.clone() + r#"{% set m = l + [] %}{% for i in range(16000) %}{% if l != m %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "comparing long ranges",
            r#"{% for i in range(16000) %}{% if range(99999) != range(99999) %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "measuring a large text",
            large.clone() + r#"{% for i in range(16000) %}{% if a | length == 1 %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "the last of a long range",
            r#"{% for i in range(16000) %}{% if range(99999) | last == 1 %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "an item of a long range",
            r#"{% for i in range(16000) %}{% if range(99999)[99998] == 1 %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "slices of a large text",
            large.clone() + r#"{% for i in range(16000) %}{% if a[1:] == "" %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "slices of slices",
            large.clone()
                + "{% for i in range(16000) %}{% if a"
                + &"[1:]".repeat(40)
                + r#" == "" %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "slices of slices in a shorter loop",
            large.clone()
                + "{% for i in range(200) %}{% if a"
                + &"[:]".repeat(70)
                + r#" == "" %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "slices of what was joined",
            large.clone()
                + &format!(r#"{{% if ({}){} == "" %}}y{{% endif %}}"#, ["a"; 17].join(" ~ "), "[:]".repeat(50)),
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "slices of a list, bound again and again",
            "{% set x = [1] %}".to_owned() + &"{% set x = x[:] %}".repeat(3000) + "{{ x[0] }}",
            PrintsOrLimit("1".to_owned()),
        ),
        bomb(
            "many slices, bound again and again",
            "{% set x = [1] %}".to_owned()
                + &format!("{{% set x = x{} %}}", "[:]".repeat(80)).repeat(200)
                + "{{ x[0] }}",
            PrintsOrLimit("1".to_owned()),
        ),
        bomb(
            "a long needle",
            large.clone() + r#"{% for i in range(9000) %}{{ "q" | replace(a, "") }}{% endfor %}"#,
            PrintsOrLimit("q".repeat(9000)),
        ),
        bomb(
            "a long separator",
            large.clone() + r#"{% for i in range(9000) %}{{ "q" | split(a) | length }}{% endfor %}"#,
            PrintsOrLimit("1".repeat(9000)),
        ),
        bomb(
            "a long needle by map",
            large.clone() + r#"{{ range(9000) | map("replace", a, "") | list | length }}"#,
            PrintsOrLimit("9000".to_owned()),
        ),
        bomb(
            "each of many among many",
            r#"{{ range(10000) | select("in", range(10000)) | list | length }}"#,
            PrintsOrLimit("10000".to_owned()),
        ),
        bomb(
            "each of many texts among many",
            r#"{% set l = range(10000) | map("string") | list %}{{ l | select("in", l) | list | length }}"#,
            PrintsOrLimit("10000".to_owned()),
        ),
        bomb(
            "words of a long text, many times",
            large.clone() + &format!("{{{{ [{}] | length }}}}", ["a | split(none)"; 12].join(", ")),
            PrintsOrLimit("12".to_owned()),
        ),
        bomb(
            "slices of a long range",
            r#"{% for i in range(16000) %}{% if range(99999)[::2] == 1 %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "trimming a large text",
            r#"{% for i in range(16000) %}{% if file("BIG") | trim == "" %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "many filters that cost nothing",
            large.clone()
                + "{% for i in range(16000) %}{% if a"
                + " | first | length | string"
                + r#" == "" %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        bomb(
            "a large text begins with itself",
            large.clone()
                + r#"{% for i in range(16000) %}{% if a is startingwith a %}{% else %}y{% endif %}{% endfor %}"#,
            PrintsOrLimit(String::new()),
        ),
        // Loops.
        bomb("nested loops", nest("{% for i in range(100) %}", 8, "x", "{% endfor %}"), Refused(Limit)),
        bomb("nested loops of nothing", nest("{% for i in range(100) %}", 8, "", "{% endfor %}"), Refused(Limit)),
        bomb("a range of a billion", "{% for i in range(1000000000) %}x{% endfor %}", Refused(Limit)),
        bomb("a range of a billion, printed", "{{ range(1000000000) }}", Refused(Limit)),
        bomb("two long ranges", nest("{% for i in range(100000) %}", 2, "x", "{% endfor %}"), Refused(Limit)),
        bomb("a long range, printed", "{{ range(100000) }}", Refused(Limit)),
        bomb("a long range, joined", r#"{{ range(100000) | join(",") }}"#, Refused(Limit)),
        bomb("a long range, sorted", "{{ range(100000) | sort | length }}", Refused(Limit)),
        bomb(
            "raw text in a loop in a set block",
            format!(
                "{{% set a %}}{{% for i in range(10000) %}}{{% raw %}}{}{{% endraw %}}{{% endfor %}}{{% endset %}}",
                "{".repeat(20_000)
            ),
            Refused(Limit),
        ),
        bomb(
            "text in a loop in a filter block",
            format!(
                "{{% filter upper %}}{{% for i in range(10000) %}}{}{{% endfor %}}{{% endfilter %}}",
                "x".repeat(20_000)
            ),
            Refused(Limit),
        ),
        bomb(
            "text in a loop",
            format!("{{% for i in range(10000) %}}{}{{% endfor %}}", "x".repeat(20_000)),
            Refused(Limit),
        ),
        bomb("a file in a loop", r#"{% for i in range(10000) %}{{ file("BIG") }}{% endfor %}"#, Refused(Limit)),
        bomb(
            "a file in a loop in a set block",
            r#"{% set a %}{% for i in range(10000) %}{{ file("BIG") }}{% endfor %}{% endset %}"#,
            Refused(Limit),
        ),
        bomb(
            "the loop itself, printed",
            "{% for i in range(3) %}{% set l = [loop, loop] %}{% endfor %}x",
            PrintsOrLimit("x".into()),
        ),
        bomb("a recursive loop", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}", Refused(Parse)),
        // What the dialect does not offer.
        bomb("a call block", "{% call x() %}{% endcall %}", Refused(Parse)),
        bomb("powers", "{{ 9 ** 9 ** 9 }}", Refused(Parse)),
        bomb("extends", "{% extends 't' %}", Refused(Load)),
        bomb("a block that calls itself", "{% block a %}{{ self.a() }}{% endblock %}", Refused(Parse)),
        bomb("import", "{% import 't' as t %}", Refused(Load)),
        bomb("do", "{% do x.append(1) %}", Refused(Parse)),
        bomb("the engine's own look inside", "{{ debug() }}", Refused(Parse)),
        bomb("the guard's own calls", "{{ __antefix_keep('x') }}", Refused(Parse)),
        // Sources.
        bomb("a source one byte too large", "x".repeat((64 << 10) + 1), Refused(Limit)),
        bomb("a source of the largest size", "x".repeat(64 << 10), Prints("x".repeat(64 << 10))),
        bomb("a huge string", format!(r#"{{{{ "{}" }}}}"#, "y".repeat(60_000)), Prints("y".repeat(60_000))),
        bomb("a huge number", format!("{{{{ {} }}}}", "9".repeat(60_000)), Refused(Parse)),
        bomb("a huge name", format!("{{{{ 'n' if {} is undefined }}}}", "y".repeat(60_000)), Prints("n".into())),
        bomb("a huge comment", format!("a{{#{}#}}b", "{#".repeat(30_000)), Prints("ab".into())),
        bomb("thousands of comments", "{#x#}".repeat(13_000), Prints(String::new())),
        bomb("comments that never end", "{#".repeat(30_000), Refused(Parse)),
        bomb("raw text that never ends", "{% raw %}".repeat(7_000), Refused(Parse)),
        bomb("thousands of outputs", "{{ 1 }}".repeat(9_000), Prints("1".repeat(9_000))),
        bomb("thousands of facts", r#"{{ file("X") }}"#.repeat(4_000), Prints("v".repeat(4_000))),
        bomb(
            "thousands of different facts",
            (0..3_600).map(|n| format!(r#"{{{{file("{n}")|d}}}}"#)).collect::<String>(),
            Prints(String::new()),
        ),
        bomb("thousands of settings", "{% set a=1 %}".repeat(5_000), Prints(String::new())),
        bomb("thousands of short loops", "{%for i in []%}{%endfor%}".repeat(2_500), Prints(String::new())),
        bomb("thousands of conditions", "{%if 0%}{%endif%}".repeat(3_000), Refused(Limit)),
        bomb("thousands of tags never closed", "{{".repeat(30_000), Refused(Limit)),
        bomb("thousands of braces", "{ ".repeat(30_000), Prints("{ ".repeat(30_000))),
        // Includes.
        Bomb {
            includes: MemoryTemplates::default().with("$user/self", r#"{% include "self" %}"#),
            ..bomb("a template that includes itself", r#"{% include "$user/self" %}"#, Refused(Load))
        },
        Bomb {
            includes: MemoryTemplates::default()
                .with("$user/a", r#"{% include "b" %}"#)
                .with("$user/b", r#"{% include "a" %}"#),
            ..bomb("two templates that include each other", r#"{% include "$user/a" %}"#, Refused(Load))
        },
        Bomb {
            includes: MemoryTemplates::default().with("$user/big", "x".repeat(60_000)),
            ..bomb(
                "a large include in a loop",
                r#"{% for i in range(10000) %}{% include "$user/big" %}{% endfor %}"#,
                Refused(Limit),
            )
        },
        Bomb {
            includes: MemoryTemplates::default().with("$user/big", "x".repeat(60_000)),
            ..bomb(
                "a large include in a loop in a set block",
                r#"{% set a %}{% for i in range(10000) %}{% include "$user/big" %}{% endfor %}{% endset %}"#,
                Refused(Limit),
            )
        },
        Bomb {
            includes: MemoryTemplates::default().with("$user/none", ""),
            ..bomb(
                "an empty include in nested loops",
                nest("{% for i in range(1000) %}", 3, r#"{% include "$user/none" %}"#, "{% endfor %}"),
                Refused(Limit),
            )
        },
    ];
    // Each template includes the next one twice: sixteen files would print 65,536 times.
    let fan = (0..14).fold(MemoryTemplates::default().with("$user/t14", "x"), |stand, n| {
        stand.with(
            &format!("$user/t{n}"),
            format!(r#"{{% include "t{0}" %}}{{% include "t{0}" %}}{{% include "t{0}" %}}"#, n + 1),
        )
    });
    bombs.push(Bomb { includes: fan, ..bomb("includes that multiply", r#"{% include "$user/t0" %}"#, Refused(Limit)) });
    let wide = (0..120).fold(MemoryTemplates::default(), |stand, n| stand.with(&format!("$user/w{n}"), "x"));
    let all: String = (0..120).map(|n| format!(r#"{{% include "$user/w{n}" %}}"#)).collect();
    bombs.push(Bomb { includes: wide, ..bomb("more than a hundred files", all, Refused(Limit)) });
    let long = (0..40).fold(MemoryTemplates::default().with("$user/c40", "x"), |stand, n| {
        stand.with(&format!("$user/c{n}"), format!(r#"{{% include "c{}" %}}"#, n + 1))
    });
    bombs.push(Bomb {
        includes: long,
        ..bomb("a chain of forty includes", r#"{% include "$user/c0" %}"#, Refused(Limit))
    });
    bombs.extend(chains());
    bombs.extend(nested::bombs());
    bombs
}

/// Runs of one operator and deep nesting: the engine's parser recurses along both.
fn chains() -> Vec<Bomb> {
    let run = |name, before: &str, link: &str, n: usize, after: &str| {
        bomb(name, format!("{{{{ {before}{}{after} }}}}", link.repeat(n)), Refused(Limit))
    };
    vec![
        run("dashes", "", "-", 4_900, "1"),
        run("dashes with spaces", "", "- ", 20_000, "1"),
        run("pluses before a number", "", "+", 4_900, "1"),
        run("nots", "", "not ", 6_600, "1"),
        run("sums", "", "1+", 6_600, "1"),
        run("differences", "", "1-", 6_600, "1"),
        run("quotients", "", "1/", 6_600, "1"),
        run("whole quotients", "", "1//", 6_600, "1"),
        run("remainders", "", "1%", 6_600, "1"),
        run("tildes", "", "1~", 6_600, "1"),
        run("ands", "", "1 and ", 6_600, "1"),
        run("ors", "", "1 or ", 6_600, "1"),
        run("comparisons", "", "1<", 6_600, "1"),
        run("equalities", "", "1==", 6_600, "1"),
        run("ins", "", "1 in ", 6_600, "[]"),
        run("not ins", "", "1 not in ", 6_600, "[]"),
        run("tests", "1", " is defined", 5_000, ""),
        run("negated tests", "1", " is not defined", 4_000, ""),
        run("filters", "1", "|trim", 6_600, ""),
        run("filters with arguments", "1", "|d(1)", 6_600, ""),
        run("attributes", "x", ".a", 6_600, ""),
        run("subscripts", "x", "[0]", 6_600, ""),
        run("slices", "x", "[0:1]", 6_600, ""),
        run("calls", "x", "()", 6_600, ""),
        run("ternaries", "", "1 if 1 else ", 5_000, "1"),
        run("conditions of ternaries", "1", " if 1", 5_000, ""),
        run("items of a list", "[", "1,", 20_000, "1]"),
        run("items of a map", "{", "1:1,", 15_000, "1:1}"),
        run("arguments", "range(", "1,", 20_000, "1)"),
        run("named arguments", "range(", "a=1,", 15_000, "a=1)"),
        bomb("starred arguments", format!("{{{{ range({}1) }}}}", "*[],".repeat(15_000)), Refused(Limit)),
        run("adjacent strings", "", "'x' ", 15_000, ""),
        bomb("open brackets", format!("{{{{ {} }}}}", nest("[", 10_000, "1", "]")), Refused(Limit)),
        bomb("open brackets that never close", format!("{{{{ {} }}}}", "[".repeat(10_000)), Refused(Limit)),
        bomb("open parentheses", format!("{{{{ {} }}}}", nest("(", 10_000, "1", ")")), Refused(Limit)),
        bomb("open braces", format!("{{{{ {} }}}}", nest("{1: ", 8_000, "1", "}")), Refused(Limit)),
        bomb("nested subscripts", format!("{{{{ {} }}}}", nest("x[", 10_000, "1", "]")), Refused(Limit)),
        bomb("nested calls", format!("{{{{ {} }}}}", nest("range(", 6_000, "1", ")")), Refused(Limit)),
        bomb("nested filter arguments", format!("{{{{ {} }}}}", nest("1|d(", 6_000, "1", ")")), Refused(Limit)),
        bomb("nested negated parentheses", format!("{{{{ {} }}}}", nest("not (", 6_000, "1", ")")), Refused(Limit)),
        bomb("a chain in a condition", format!("{{% if {}1 %}}x{{% endif %}}", "not ".repeat(6_600)), Refused(Limit)),
        bomb("a chain in a loop", format!("{{% for a in {}1 %}}x{{% endfor %}}", "-".repeat(6_600)), Refused(Limit)),
        bomb("a chain in a setting", format!("{{% set a = {}1 %}}", "1+".repeat(6_600)), Refused(Limit)),
        bomb(
            "a chain in a set block",
            format!("{{% set a {} %}}{{% endset %}}", "|trim".repeat(6_600)),
            Refused(Limit),
        ),
        bomb(
            "a chain in a filter block",
            format!("{{% filter trim{} %}}{{% endfilter %}}", "|trim".repeat(6_600)),
            Refused(Limit),
        ),
        bomb(
            "a chain of names in a loop",
            format!("{{% for {}a in x %}}{{% endfor %}}", "a,".repeat(15_000)),
            Refused(Limit),
        ),
        bomb(
            "a chain of names in with",
            format!("{{% with {}a=1 %}}{{% endwith %}}", "a=1,".repeat(10_000)),
            Refused(Limit),
        ),
        bomb(
            "nested names in a loop",
            format!("{{% for {} in x %}}{{% endfor %}}", nest("(", 6_000, "a", ",)")),
            Refused(Limit),
        ),
        bomb("elifs", format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(1_840)), Refused(Limit)),
        bomb("elses", format!("{{% if 0 %}}{}{{% endif %}}", "{% else %}".repeat(1_840)), Refused(Parse)),
        bomb("nested conditions", nest("{% if 1 %}", 2_500, "x", "{% endif %}"), Refused(Limit)),
        bomb("nested conditions in else", nest("{% if 0 %}{% else %}", 2_000, "x", "{% endif %}"), Refused(Limit)),
        bomb("nested conditions never closed", "{% if 1 %}".repeat(6_000), Refused(Limit)),
        bomb("deeply nested loops", nest("{% for a in [1] %}", 2_000, "x", "{% endfor %}"), Refused(Limit)),
        bomb("deeply nested withs", nest("{% with %}", 2_500, "x", "{% endwith %}"), Refused(Limit)),
        bomb("deeply nested set blocks", nest("{% set a %}", 2_500, "x", "{% endset %}"), Refused(Limit)),
        bomb(
            "deeply nested set blocks with a named argument",
            nest("{% set a | indent(width=1) %}", 1_000, "x", "{% endset %}"),
            Refused(Limit),
        ),
        bomb("deeply nested filter blocks", nest("{% filter trim %}", 2_000, "x", "{% endfilter %}"), Refused(Limit)),
    ]
}

#[test]
fn bombs_have_names_of_their_own() {
    let mut names: Vec<&str> = bombs().iter().map(|bomb| bomb.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// What the parent sets so that the process composes one bomb.
const CHOSEN: &str = "ANTEFIX_TEST_BOMB";
/// The first bytes of the line that the process answers with.
const ANSWER: &str = "bomb: ";

/// Not a test of its own: the process in which one bomb goes off. Without a choice there is nothing to do.
#[test]
fn worker() {
    let Ok(chosen) = std::env::var(CHOSEN) else { return };
    let bomb = bombs().into_iter().find(|bomb| bomb.name == chosen).unwrap();
    let facts = facts();
    let small = std::thread::Builder::new().stack_size(128 * 1024);
    let composed = small.spawn(move || {
        let layout = Layout::of_template(
            &given::template(bomb.template),
            None,
            Dialect::Jinja,
            &Wording::built_in(),
            &bomb.includes,
        );
        let composed = layout.and_then(|layout| compose(&layout, &facts));
        (composed, given::worked())
    });
    let (composed, took) = composed.unwrap().join().unwrap();
    let verdict = match (&composed, &bomb.end) {
        (Ok(prompt), Prints(text) | PrintsOrLimit(text)) if prompt.text() == text => "good".to_owned(),
        (Err(error), PrintsOrLimit(_)) if error.kind() != Limit => format!("{:?}: {error}", error.kind()),
        (Err(error), PrintsOrLimit(_)) => understandable(error),
        (Err(error), Refused(kind)) if error.kind() == *kind => understandable(error),
        (Err(error), _) => format!("{:?}: {error}", error.kind()),
        (Ok(prompt), _) => format!("prints {} bytes: {:.60}", prompt.text().len(), prompt.text()),
    };
    // Only Linux says how much memory it was; elsewhere the test is about the rest.
    let peak = antefix_testing::memory::peak(std::process::id()).unwrap_or_default();
    println!("\n{ANSWER}{}\t{peak}\t{}", took.as_millis(), verdict.replace('\n', " ⏎ "));
}

/// A message that a person can act on names a place and is one short sentence.
fn understandable(error: &antefix::Error) -> String {
    match error.place() {
        None => format!("no place: {error}"),
        Some(_) if error.message().len() > 300 => format!("a message of {} bytes", error.message().len()),
        Some(_) => "good".to_owned(),
    }
}

#[test]
fn no_template_exhausts_the_process() {
    let _alone = given::alone();
    let names: Vec<&str> = bombs().iter().map(|bomb| bomb.name).collect();
    let base = set_off("a huge comment").map(|went| went.peak).unwrap();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let mut failures: Vec<String> = std::thread::scope(|scope| {
        let check = || {
            let mut failures = Vec::new();
            while let Some(name) = names.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                match set_off(name) {
                    Err(why) => failures.push(format!("{name}: {why}")),
                    Ok(went) if went.verdict != "good" => failures.push(format!("{name}: {}", went.verdict)),
                    Ok(went) if went.took > SOON => failures.push(format!("{name}: takes {:?}", went.took)),
                    Ok(went) if went.peak > base + GROWTH => {
                        failures.push(format!("{name}: grows by {} MiB", (went.peak - base) >> 20));
                    }
                    Ok(_) => {}
                }
            }
            failures
        };
        let others = [scope.spawn(check), scope.spawn(check)];
        others.into_iter().flat_map(|other| other.join().unwrap()).collect()
    });
    failures.sort();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), names.len(), failures.join("\n"));
}

struct Went {
    took: Duration,
    peak: usize,
    verdict: String,
}

/// Composes a bomb in a process of its own.
fn set_off(name: &str) -> Result<Went, String> {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bombs::worker", "--nocapture", "--test-threads=1"])
        .env(CHOSEN, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    loop {
        let ended = process.try_wait().map_err(|error| error.to_string())?.is_some();
        let resident = resident(process.id());
        if !ended && (start.elapsed() > KILL_AFTER || resident > KILL_ABOVE) {
            process.kill().map_err(|error| error.to_string())?;
            process.wait().map_err(|error| error.to_string())?;
            return Err(format!("ended after {:?} with {} MiB", start.elapsed(), resident >> 20));
        }
        if ended {
            break;
        }
        std::thread::sleep(Duration::from_millis(4));
    }
    let output = process.wait_with_output().map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some(answer) = printed.lines().find_map(|line| line.strip_prefix(ANSWER)) else {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()));
    };
    let mut parts = answer.splitn(3, '\t');
    let mut part = || parts.next().unwrap_or_default().to_owned();
    let (took, peak, verdict) = (part(), part(), part());
    Ok(Went { took: Duration::from_millis(took.parse().unwrap()), peak: peak.parse().unwrap(), verdict })
}

/// How much memory a process has now, in bytes.
fn resident(process: u32) -> usize {
    let pages = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).map_or(0, |pages| pages * 4096)
}
