//! Skills: which are found, what is forgiven and told, and how a listing is fitted into its budget.

use std::path::Path;

use antefix::diagnostic::Code;
use antefix::discover::hygiene::{HiddenText, Hygiene};
use antefix::discover::skills::SkillRules;
use antefix::discover::tools::Tool;
use antefix::discover::{Answer, Discovery, Value, Workspace, discover};
use antefix::worlds::MemoryWorld;
use proptest::prelude::*;

use crate::given;
use crate::instructions::{reported, world};
use crate::parts::Parts;

fn ask(world: &MemoryWorld, fact: &str, rules: &str, tools: Option<&[&str]>) -> Discovery {
    let mut situation = Parts::new(Workspace::find(world, Path::new("/p")));
    situation.rules.skills = toml::from_str::<SkillRules>(rules).unwrap();
    situation.caller.tools = tools.map(|tools| tools.iter().map(|tool| Tool::named(*tool)).collect());
    discover(world, &situation.situation(), [&given::name(fact)])
}

/// The text of a fact, or that there is none.
fn text(discovery: &Discovery, fact: &str) -> String {
    match discovery.facts.get(&given::name(fact)) {
        Some(Answer::Present(value)) => value.text(&given::name(fact)).as_str().to_owned(),
        Some(Answer::Absent) => String::new(),
        other => panic!("{other:?}"),
    }
}

fn listing(world: &MemoryWorld) -> Discovery {
    ask(world, "skills:listing", "", None)
}

/// The block for skills of a name, a description and a place.
fn block(skills: &[(&str, Option<&str>, &str)]) -> String {
    let skills: String = skills
        .iter()
        .map(|(name, description, place)| {
            let description =
                description.map(|text| format!("    <description>{text}</description>\n")).unwrap_or_default();
            format!("  <skill>\n    <name>{name}</name>\n{description}    <location>{place}</location>\n  </skill>\n")
        })
        .collect();
    format!("<available_skills>\n{skills}</available_skills>")
}

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

/// What a reader of YAML says about its trouble is its own business.
fn without_details(reported: &str) -> String {
    match (reported.find("not YAML ("), reported.find(") and was read")) {
        (Some(start), Some(end)) => format!("{}not YAML (…{}", &reported[..start], &reported[end..]),
        _ => reported.to_owned(),
    }
}

/// Name and description in the listing, if the skill is there.
type Listed<'l> = Option<(&'l str, String)>;

const PLACE: &str = ".agents/skills/x/SKILL.md";

/// The file of a skill in the directory `x`, what is listed of it, and what is reported.
#[test]
fn loading_is_lenient_and_the_report_is_strict() {
    let breaks = |rule: &str| format!("warning[skill]: {PLACE} breaks a rule: {rule}\n");
    let letters =
        |name: &str| breaks(&format!("the name `{name}` should have lower-case letters, digits and single hyphens"));
    let called = |name: &str| breaks(&format!("the skill is called `{name}` and its directory `x`"));
    let invalid = |detail: &str| {
        format!(
            "- {PLACE}: invalid: {detail}\n- -: absent: there is none\nwarning[skill]: {PLACE} is not loaded: {detail}\n"
        )
    };
    let no_description = format!(
        "- {PLACE}: invalid: it has no description\n- -: absent: there is none\n\
         warning[skill]: {PLACE} is not loaded: it has no description, so no agent could know when to use it\n"
    );
    let long = |length: usize| "d".repeat(length);
    let emoji = |length: usize| "🦀".repeat(length);
    let rows: Vec<(String, Listed<'_>, String)> = vec![
        (skill("x", "foo --- bar"), Some(("x", "foo --- bar".into())), String::new()),
        (
            skill("x", "Use when: y"),
            Some(("x", "Use when: y".into())),
            breaks("its front matter is not YAML (…) and was read line by line"),
        ),
        ("---\nname: x\nname: y\ndescription: d\n---\n".into(), None, invalid("duplicate key `name`")),
        (
            "---\nname: x\ndescription: d\nallowed-tools:\n  - a\n  - b\n---\n".into(),
            Some(("x", "d".into())),
            String::new(),
        ),
        // Values stay text, plain or among YAML of other kinds.
        (skill("123", "true"), Some(("123", "true".into())), called("123")),
        (skill("x", "no"), Some(("x", "no".into())), String::new()),
        ("---\nname: x\ndescription: 1.0\nmetadata:\n  a: b\n---\n".into(), Some(("x", "1.0".into())), String::new()),
        ("---\nname: x\ndescription: null\nmetadata:\n  a: b\n---\n".into(), Some(("x", "null".into())), String::new()),
        // Where it begins and ends.
        (
            format!("\u{feff}{}", skill("x", "d")),
            Some(("x", "d".into())),
            format!("warning[skill]: {PLACE} begins with a byte-order mark, which skills must not have\n"),
        ),
        (skill("x", "d").replace('\n', "\r\n"), Some(("x", "d".into())), String::new()),
        (format!("\n{}", skill("x", "d")), None, invalid("it has no front matter")),
        ("----\nname: x\ndescription: d\n----\n".into(), None, invalid("it has no front matter")),
        ("---\nname: x\ndescription: d\n".into(), None, invalid("its front matter is never closed")),
        ("---\nname: x\ndescription: d\n----\n".into(), None, invalid("its front matter is never closed")),
        ("---\nname: x\ndescription: d\n---".into(), Some(("x", "d".into())), String::new()),
        ("---\n---\nBODY".into(), None, no_description.clone()),
        ("---\nname: x\ndescription: '   '\n---\n".into(), None, no_description.clone()),
        (
            "---\nname: x\ndescription: d\nmetadata:\n  a: '---'\n  b: x --- y\n---\n".into(),
            Some(("x", "d".into())),
            String::new(),
        ),
        (
            format!("---\nname: x\ndescription: d\nlicense: {}\n---\n", long(65536)),
            None,
            invalid("its front matter has more than 65536 bytes"),
        ),
        // Descriptions.
        ("---\nname: x\ndescription: >\n  one\n  two\n---\n".into(), Some(("x", "one two".into())), String::new()),
        ("---\nname: x\ndescription: |\n  one\n  two\n---\n".into(), Some(("x", "one\ntwo".into())), String::new()),
        (skill("x", "<b>&'\""), Some(("x", "&lt;b&gt;&amp;&apos;&quot;".into())), String::new()),
        (skill("x", &long(1024)), Some(("x", long(1024))), String::new()),
        (skill("x", &long(1068)), Some(("x", long(1068))), breaks("the description has more than 1,024 characters")),
        (skill("x", &emoji(1024)), Some(("x", emoji(1024))), String::new()),
        (skill("x", &emoji(1025)), Some(("x", emoji(1025))), breaks("the description has more than 1,024 characters")),
        // Names.
        (
            "---\ndescription: d\n---\n".into(),
            Some(("x", "d".into())),
            breaks("it has no `name`, and is called `x` after its path"),
        ),
        (skill("other", "d"), Some(("other", "d".into())), called("other")),
        (skill("a_b", "d"), Some(("a_b", "d".into())), letters("a_b") + &called("a_b")),
        (skill("навык", "d"), Some(("навык", "d".into())), letters("навык") + &called("навык")),
        (skill("ｘ", "d"), Some(("ｘ", "d".into())), letters("ｘ") + &called("ｘ")),
        (skill("a--b", "d"), Some(("a--b", "d".into())), letters("a--b") + &called("a--b")),
        (skill("a-", "d"), Some(("a-", "d".into())), letters("a-") + &called("a-")),
        (skill("X", "d"), Some(("X", "d".into())), letters("X") + &called("X")),
        // Keys: those of the specification and of other agents, in any of their spellings, and those that nobody knows.
        (
            "---\nname: x\ndescription: d\nlicense: MIT\nallowedTools: Read\nwhen_to_use: often\nmodel: m\nrunAs: inline\n---\n".into(),
            Some(("x", "d".into())),
            String::new(),
        ),
        (
            "---\nname: x\ndescription: d\ntriger: y\n---\n".into(),
            Some(("x", "d".into())),
            breaks("unknown key `triger`; keys of one's own belong under `metadata`"),
        ),
        (
            "---\nname: x\ndescription: d\na: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\n---\n".into(),
            Some(("x", "d".into())),
            breaks("unknown keys `a`, `b`, `c`, `d`, `e` and 2 more; keys of one's own belong under `metadata`"),
        ),
    ];
    for (file, listed, findings) in rows {
        let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", &file)]));
        let shown = &file[..file.floor_char_boundary(80)];
        let expected = listed.as_ref().map_or_else(String::new, |(name, text)| block(&[(name, Some(text), PLACE)]));
        assert_eq!(text(&discovery, "skills:listing"), expected, "{shown}");
        let reported = without_details(&reported(&discovery));
        let reported: String = reported.split_inclusive('\n').filter(|line| !line.starts_with("+ ")).collect();
        assert_eq!(reported, findings, "{shown}");
    }
}

#[test]
fn a_name_has_at_most_64_characters() {
    for (length, findings) in [
        (64, String::new()),
        (
            65,
            format!(
                "warning[skill]: .agents/skills/{}/SKILL.md breaks a rule: the name has more than 64 characters",
                "n".repeat(65)
            ),
        ),
    ] {
        let name = "n".repeat(length);
        let discovery = listing(&world(&[(&format!("/p/.agents/skills/{name}/SKILL.md"), &skill(&name, "d"))]));
        let found: Vec<String> = discovery.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(found.join("\n"), findings);
        assert_eq!(discovery.report.loaded.len(), 1);
    }
}

#[test]
fn what_is_not_text_is_reported_and_not_loaded() {
    for (bytes, why, reason) in [
        (&b"---\nname: \xff\n---\n"[..], "not-utf8", "not UTF-8: byte 0xff at offset 10"),
        (&b"---\nname: \0\n---\n"[..], "binary", "binary: a NUL byte at offset 10"),
    ] {
        let discovery = listing(&MemoryWorld::new().file("/p/.agents/skills/x/SKILL.md", bytes));
        assert_eq!(
            reported(&discovery),
            format!(
                "- {PLACE}: {why}: {reason}\n- -: absent: there is none\n\
                 warning[skill]: {PLACE} is not loaded: {reason}\n"
            )
        );
    }
}

#[test]
fn a_directory_called_like_a_skill_is_reported() {
    let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md/y", "")]));
    let reason = "not a regular file: a directory";
    assert_eq!(
        reported(&discovery),
        format!(
            "- {PLACE}: not-a-regular-file: {reason}\n- -: absent: there is none\n\
             warning[skill]: {PLACE} is not loaded: {reason}\n"
        )
    );
}

/// YAML can write a character without having it in the file; what it means is what counts.
#[test]
fn hidden_characters_cannot_be_written_as_escapes() {
    for escape in ["\\U000E0068", "\\u202e", "\\e[31m", "\\u2066"] {
        for file in [
            format!("---\nname: x\ndescription: \"a{escape}\"\n---\n"),
            format!("---\nname: \"x{escape}\"\ndescription: a\n---\n"),
        ] {
            let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", &file)]));
            assert_eq!(text(&discovery, "skills:listing"), "", "{file}");
            let why: Vec<&str> = discovery.report.not_loaded.iter().map(|not| not.why.name()).collect();
            assert_eq!(why, ["hidden-text", "absent"], "{file}");
            // The column would be that of the value.
            let line = if file.contains("name: x\n") { 3 } else { 2 };
            let reported = discovery.diagnostics[0].message.as_str();
            assert!(reported.starts_with(&format!("{PLACE}:{line} has 1 hidden character U+")), "{reported}");
        }
    }
}

/// What is in the place of a secret is not YAML, and not read as such.
#[test]
fn secrets_in_front_matter_are_taken_out_of_its_values() {
    let token = "ghp_7Kq2Zx9LmN4pR8sT1vW3yB6cD5fG0hJkL2mQ";
    let escaped = token.replace("ghp_", "\\x67hp_");
    let rows = [
        (format!("name: {token}\ndescription: d"), "[redacted:github-pat]", "d", "2:7"),
        (format!("name: x\ndescription: {token} is it"), "x", "[redacted:github-pat] is it", "3:14"),
        (format!("name: x\ndescription: \"{escaped} is it\""), "x", "[redacted:github-pat] is it", "3"),
    ];
    for (front, name, description, place) in rows {
        let discovery = listing(&world(&[(&format!("/p/{PLACE}"), &format!("---\n{front}\n---\n"))]));
        assert_eq!(text(&discovery, "skills:listing"), block(&[(name, Some(description), PLACE)]));
        let secrets: Vec<&str> = discovery
            .diagnostics
            .iter()
            .filter(|reported| reported.code == Code::Secret)
            .map(|reported| reported.message.as_str())
            .collect();
        assert_eq!(secrets, [format!("{PLACE}:{place} looks like a secret (github-pat) and was removed")]);
        assert!(!format!("{:?}", discovery.diagnostics).contains("not YAML"), "{:?}", discovery.diagnostics);
    }
}

#[test]
fn a_hidden_skill_is_reported_and_not_listed() {
    let hidden = "---\nname: x\ndescription: d\ndisable-model-invocation: true\n---\n";
    let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", hidden)]));
    assert_eq!(
        reported(&discovery),
        format!("- {PLACE}: disabled: its author hides it from the model\n- -: absent: there is none\n")
    );
    // However YAML has ever let one say it, also where YAML gives up on another line.
    for said in ["True", "TRUE", "yes", "on", "\"true\"", "true # for now"] {
        for description in ["d", "Use: d"] {
            let file = hidden.replace("true", said).replace("description: d", &format!("description: {description}"));
            let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", &file)]));
            assert_eq!(text(&discovery, "skills:listing"), "", "{file}");
        }
    }
    for key in ["disableModelInvocation", "disable_model_invocation", "Disable-Model-Invocation"] {
        let file = hidden.replace("disable-model-invocation", key);
        let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", &file)]));
        assert_eq!(text(&discovery, "skills:listing"), "", "{file}");
        assert_eq!(discovery.diagnostics, [], "{file}");
    }
    for said in ["false", "no", "\"\""] {
        let seen = hidden.replace("true", said);
        let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", &seen)]));
        assert_eq!(text(&discovery, "skills:listing"), block(&[("x", Some("d"), PLACE)]), "{said}");
    }
}

#[test]
fn a_secret_in_a_path_is_neither_listed_nor_reported() {
    let token = format!("ghp_{}", "7Kq2Zx9LmN4pR8sT1vW3yB6cD5fG0hJkL2mQ");
    let path = format!("/p/.agents/skills/{token}/SKILL.md");
    let discovery = listing(&world(&[(&path, "---\ndescription: d\n---\n")]));
    let listed = text(&discovery, "skills:listing");
    assert!(listed.contains("<location>.agents/skills/[redacted:github-pat]/SKILL.md</location>"), "{listed}");
    let all = format!("{listed}{}{:?}", reported(&discovery), discovery.diagnostics);
    assert!(!all.contains(&token), "{all}");
}

#[test]
fn without_a_tool_that_reads_nothing_is_listed() {
    let world = world(&[("/p/.agents/skills/x/SKILL.md", &skill("x", "d"))]);
    let told_without = "- .agents/skills: tool-missing: the agent has none of the tools read, bash\n- -: absent: there is none\nnote[no-reading-tool]: skills are not listed: none of the tools read, bash is active\n";
    let rows: [(&str, Option<&[&str]>, &str); 5] = [
        ("", Some(&["edit"]), told_without),
        ("", Some(&[]), told_without),
        ("", Some(&["bash"]), "+ .agents/skills/x/SKILL.md 31\n"),
        // A caller that does not tell its tools is taken to have them.
        ("", None, "+ .agents/skills/x/SKILL.md 31\n"),
        ("needs_tool = []", Some(&[]), "+ .agents/skills/x/SKILL.md 31\n"),
    ];
    for (rules, tools, expected) in rows {
        assert_eq!(reported(&ask(&world, "skills:listing", rules, tools)), expected, "{rules} {tools:?}");
    }
}

/// The names that are listed, in order, for a layout's rules; the working directory is `/p/sub`.
#[test]
fn a_root_says_where_it_is_looked_for_and_the_layout_in_which_order() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/p/.b/skills/up/SKILL.md", &skill("up", "d")),
        ("/p/.b/skills/loose-up.md", &skill("loose-up", "d")),
        ("/p/sub/.b/skills/here/SKILL.md", &skill("here", "d")),
        ("/p/sub/.b/skills/loose.md", &skill("loose", "d")),
        ("/p/sub/.a/skills/zeta/SKILL.md", &skill("zeta", "d")),
        ("/p/sub/.a/skills/deep/alpha/SKILL.md", &skill("alpha", "d")),
        ("/p/sub/.a/skills/other.md", &skill("other", "d")),
        ("/home/u/.b/skills/mine/SKILL.md", &skill("mine", "d")),
    ]);
    let rows = [
        ("roots = ['.b/skills']", "here, up"),
        ("roots = ['.b/skills']\norder = 'roots'", "here, up"),
        ("roots = [{ path = '.b/skills', walk = 'cwd' }]", "here"),
        ("roots = [{ path = '.b/skills', walk = 'up' }]", "here, up"),
        ("roots = [{ path = '.b/skills', walk = 'cwd', loose = 'skills' }]", "here, loose"),
        ("roots = ['.b/skills']\nloose = 'skills'", "here, loose, loose-up, up"),
        // Loose files are skills in one root and not in the other.
        ("roots = ['.a/skills', { path = '.b/skills', loose = 'skills' }]", "alpha, here, loose, loose-up, up, zeta"),
        ("loose = 'skills'\nroots = [{ path = '.a/skills', loose = 'ignored' }]", "alpha, zeta"),
        // Root by root, the nearest directory of each first, and within one by path.
        ("order = 'roots'\nroots = ['~/.b/skills', '.b/skills', '.a/skills']", "mine, here, up, alpha, zeta"),
        ("order = 'roots'\nroots = ['.a/skills', '~/.b/skills', '.b/skills']", "alpha, zeta, mine, here, up"),
        ("order = 'name'\nroots = ['.a/skills', '~/.b/skills', '.b/skills']", "alpha, here, mine, up, zeta"),
    ];
    for (rules, expected) in rows {
        let mut situation = Parts::new(Workspace::find(&world, Path::new("/p/sub")));
        situation.rules.skills = toml::from_str::<SkillRules>(rules).unwrap();
        for fact in ["skills:listing", "skills:index", "skills:entries"] {
            let name = given::name(fact);
            let discovery = discover(&world, &situation.situation(), [&name]);
            let names: Vec<String> = match discovery.facts.get(&name) {
                Some(Answer::Present(Value::Maps(maps))) => {
                    maps.iter().map(|map| map["name"].as_str().to_owned()).collect()
                }
                Some(Answer::Present(value)) => {
                    let text = value.text(&name);
                    let between = |line: &str| {
                        let xml = line.trim().strip_prefix("<name>").and_then(|rest| rest.strip_suffix("</name>"));
                        xml.or_else(|| line.split_once(" | ").map(|(name, _)| name)).map(str::to_owned)
                    };
                    text.as_str().lines().filter_map(between).collect()
                }
                other => panic!("{other:?}"),
            };
            assert_eq!(names.join(", "), expected, "{rules} {fact}");
        }
    }
    let wrong = toml::from_str::<SkillRules>("roots = [{ path = 'x', walks = 'cwd' }]").unwrap_err();
    assert_eq!(wrong.message(), "unknown field `walks`, expected one of `path`, `walk`, `loose`");
    let wrong = toml::from_str::<SkillRules>("roots = [3]").unwrap_err();
    assert!(wrong.message().contains("expected a directory, or a table with `path`"), "{wrong}");
}

/// I19: the nearest root wins, and the collision is reported.
#[test]
fn the_projects_skill_wins_over_the_users() {
    let world = world(&[
        ("/p/.git/HEAD", ""),
        ("/home/u/.agents/skills/x/SKILL.md", &skill("x", "the user's")),
        ("/p/.claude/skills/x/SKILL.md", &skill("x", "of another client")),
        ("/p/.agents/skills/x/SKILL.md", &skill("x", "the project's")),
        ("/home/u/.agents/skills/y/SKILL.md", &skill("y", "only the user's")),
    ]);
    let discovery = listing(&world);
    assert_eq!(
        text(&discovery, "skills:listing"),
        block(&[
            ("x", Some("the project&apos;s"), ".agents/skills/x/SKILL.md"),
            ("y", Some("only the user&apos;s"), "~/.agents/skills/y/SKILL.md")
        ])
    );
    let findings: Vec<String> = discovery.diagnostics.iter().map(ToString::to_string).collect();
    let taken = ".agents/skills/x/SKILL.md has the name `x` already";
    assert_eq!(
        findings,
        [
            format!("warning[skill]: .claude/skills/x/SKILL.md is not loaded: {taken}"),
            format!("warning[skill]: ~/.agents/skills/x/SKILL.md is not loaded: {taken}"),
        ]
    );
    let shadowed: Vec<&str> = discovery.report.not_loaded.iter().map(|not| not.why.name()).collect();
    assert_eq!(shadowed, ["shadowed", "shadowed"]);
}

#[test]
fn a_scan_passes_over_what_is_no_place_for_skills() {
    let d = skill("d", "d");
    let world = world(&[
        // A skill is not searched, and a root is not a skill itself.
        ("/p/.agents/skills/SKILL.md", &d),
        ("/p/.agents/skills/a/SKILL.md", &skill("a", "found")),
        ("/p/.agents/skills/a/inner/SKILL.md", &d),
        ("/p/.agents/skills/.hidden/SKILL.md", &d),
        ("/p/.agents/skills/node_modules/n/SKILL.md", &d),
        ("/p/.agents/skills/lower/skill.md", &d),
        ("/p/.agents/skills/loose.md", &d),
        // Six levels down is found, seven is not.
        ("/p/.agents/skills/1/2/3/4/5/six/SKILL.md", &skill("six", "found")),
        ("/p/.agents/skills/1/2/3/4/5/6/seven/SKILL.md", &skill("seven", "too deep")),
    ]);
    assert_eq!(
        text(&listing(&world), "skills:listing"),
        block(&[
            ("a", Some("found"), ".agents/skills/a/SKILL.md"),
            ("six", Some("found"), ".agents/skills/1/2/3/4/5/six/SKILL.md")
        ])
    );
}

/// Two thousand directories of a root are searched, itself included; what would be one more is not, and that is reported.
#[test]
fn a_scan_ends_and_says_so() {
    let with = |others: usize| {
        let world = MemoryWorld::new().file("/p/.agents/skills/z/SKILL.md", skill("z", "last"));
        (0..others).fold(world, |world, number| world.file(format!("/p/.agents/skills/d{number:04}/x"), ""))
    };
    assert_eq!(reported(&listing(&with(1998))), "+ .agents/skills/z/SKILL.md 34\n");
    assert_eq!(
        reported(&listing(&with(1999))),
        "- -: absent: there is none\n\
         warning[scan-limit]: .agents/skills has more than 2000 directories: the rest is not searched\n"
    );
}

/// First descriptions become shorter, all alike; then they go, all of them; then skills go, from the end.
#[test]
fn a_listing_is_fitted_into_its_budget_in_three_steps() {
    let (a, b, c) = ("a".repeat(100), "b".repeat(60), "c".repeat(10));
    let world = world(&[
        ("/p/.agents/skills/a/SKILL.md", &skill("a", &a)),
        ("/p/.agents/skills/b/SKILL.md", &skill("b", &b)),
        ("/p/.agents/skills/c/SKILL.md", &skill("c", &c)),
    ]);
    let places = [".agents/skills/a/SKILL.md", ".agents/skills/b/SKILL.md", ".agents/skills/c/SKILL.md"];
    let at = |length: usize| {
        let short = |text: &str| {
            if text.len() <= length { text.to_owned() } else { format!("{}…", &text[..length - 1]) }
        };
        let (a, b, c) = (short(&a), short(&b), short(&c));
        block(&[("a", Some(&a), places[0]), ("b", Some(&b), places[1]), ("c", Some(&c), places[2])])
    };
    let names =
        |count: usize| block(&[("a", None, places[0]), ("b", None, places[1]), ("c", None, places[2])][..count]);
    let whole = at(100).len();
    let over = |budget: usize, what: &str| {
        vec![format!(
            "warning[over-budget]: the skills listing has {whole} bytes and a budget of {budget}: {what} \
             (shorten the descriptions, or raise `budget` in the layout's `[skills]`)"
        )]
    };
    let shortened = |length: usize| format!("descriptions are shortened to {length} characters");
    let rows = [
        (whole, at(100), vec![]),
        (at(40).len(), at(40), over(at(40).len(), &shortened(40))),
        (at(40).len() - 1, at(39), over(at(40).len() - 1, &shortened(39))),
        (at(24).len(), at(24), over(at(24).len(), &shortened(24))),
        (at(23).len(), names(3), over(at(23).len(), "all descriptions are left out")),
        (names(3).len(), names(3), over(names(3).len(), "all descriptions are left out")),
        (names(3).len() - 1, names(2), over(names(3).len() - 1, "all descriptions and the last 1 skills are left out")),
        (names(1).len(), names(1), over(names(1).len(), "all descriptions and the last 2 skills are left out")),
        (
            names(1).len() - 1,
            String::new(),
            over(names(1).len() - 1, "all descriptions and the last 3 skills are left out"),
        ),
    ];
    for (budget, expected, findings) in rows {
        let discovery = ask(&world, "skills:listing", &format!("budget = {budget}"), None);
        assert_eq!(text(&discovery, "skills:listing"), expected, "{budget}");
        let reported: Vec<String> = discovery.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(reported, findings, "{budget}");
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "</name>",
        "</description>",
        "</location>",
        "</skill>",
        "</available_skills>",
        "<skill>",
        "<",
        ">",
        "&",
        "&lt;",
        "\"",
        "'",
        "]]>",
        "<!--",
        "|",
        "\\|",
        "\n",
        "\n\n",
        " ",
        "é",
        "日",
        "#",
        ": ",
        "---",
        "x",
    ]);
    prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

/// A text in YAML's double quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a skill says of itself, the tags are the listing's alone, and the budget holds.
    #[test]
    fn no_skill_closes_a_tag(skills in prop::collection::vec((hostile(), hostile()), 1..4), budget in 0_usize..2000) {
        let files = skills.iter().enumerate().map(|(number, (name, description))| {
            let text = format!("---\nname: {}\ndescription: {}\n---\n", quoted(name), quoted(description));
            (format!("/p/.agents/skills/s{number}/SKILL.md"), text)
        });
        let world = files.fold(MemoryWorld::new(), |world, (path, text)| world.file(path, text));
        let listed = text(&listing(&world), "skills:listing");
        let opened = listed.matches("\n  <skill>\n    <name>").count();
        let tags = if opened == 0 { 0 } else { 2 + 8 * opened };
        prop_assert_eq!((listed.matches('<').count(), listed.matches('>').count()), (tags, tags), "{}", listed);
        let fitted = ask(&world, "skills:listing", &format!("budget = {budget}"), None);
        let fitted_text = text(&fitted, "skills:listing");
        prop_assert!(fitted_text.len() <= budget);
        let again = ask(&world, "skills:listing", &format!("budget = {budget}"), None);
        prop_assert_eq!(text(&again, "skills:listing"), fitted_text);
        // In the index a skill is a line of five columns.
        let index = ask(&world, "skills:index", "", None);
        let lines = text(&index, "skills:index");
        prop_assert_eq!(lines.split('\n').filter(|line| !line.is_empty()).count(), index.report.loaded.len(), "{}", lines);
        prop_assert_eq!(opened, index.report.loaded.len());
    }
}

/// What the budget leaves out was not loaded.
#[test]
fn a_skill_that_the_budget_leaves_out_is_reported_so() {
    let world = world(&[
        ("/p/.agents/skills/a/SKILL.md", &skill("a", "d")),
        ("/p/.agents/skills/b/SKILL.md", &skill("b", "d")),
    ]);
    let discovery = ask(&world, "skills:listing", "budget = 130", None);
    let loaded: Vec<Option<&str>> = discovery.report.loaded.iter().map(|loaded| loaded.path.as_deref()).collect();
    assert_eq!(loaded, [Some(".agents/skills/a/SKILL.md")]);
    let why: Vec<&str> = discovery.report.not_loaded.iter().map(|not| not.why.name()).collect();
    assert_eq!(why, ["over-budget"]);
}

/// 1.6: strict report.
#[test]
fn what_the_specification_forbids_is_reported() {
    for field in [
        "compatibility: ''",
        "metadata: scalar",
        "metadata:\n  a:\n    b: c",
        "allowed-tools: [x, y]",
        "metadata: {a: b}",
        "license: &a MIT",
    ] {
        let file = format!("---\nname: x\ndescription: d\n{field}\n---\n");
        let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", &file)]));
        assert_eq!(discovery.diagnostics.len(), 1, "{field}");
    }
}

/// What is in a text that goes on below its key is not a key.
#[test]
fn texts_that_go_on_break_no_rule() {
    for description in [
        ">\n    Use it: always.\n    Or: never.",
        "|\n  Usage: [foo]\n  Also: {bar}",
        "\"d\"\n# tags: [a, b]",
        "\"d\"\nallowed-tools:\n- \"Bash(echo: [x])\"",
    ] {
        let file =
            format!("---\nname: x\ndescription: {description}\nmetadata:\n  a: >\n    Use this: it is good\n---\n");
        let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", &file)]));
        assert_eq!(discovery.diagnostics, [], "{description}");
    }
}

/// A comment is not part of a value, whatever YAML takes the value for.
#[test]
fn a_comment_behind_a_number_is_no_part_of_it() {
    let file = "---\nname: x\ndescription: 1.0 # soon\n---\n";
    let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", file)]));
    assert_eq!(text(&discovery, "skills:listing"), block(&[("x", Some("1.0"), PLACE)]));
}

/// The scan's module: "a scan ends at 6 levels and 2,000 directories, and says so".
#[test]
fn a_scan_that_ends_at_its_depth_says_so() {
    let discovery = listing(&world(&[("/p/.agents/skills/1/2/3/4/5/6/seven/SKILL.md", &skill("seven", "too deep"))]));
    let codes: Vec<&str> = discovery.diagnostics.iter().map(|finding| finding.code.name()).collect();
    assert_eq!(codes, ["scan-limit"]);
}

/// S1: no finding carries a raw control character.
#[test]
fn findings_about_a_name_can_be_printed() {
    let world = world(&[("/p/.agents/skills/x/SKILL.md", "---\nname: \"a\\e[31m\\rb\"\ndescription: d\n---\n")]);
    // Two findings are about the name itself, where the file is used.
    for (hidden, codes) in [
        (HiddenText::Block, vec!["hidden-text"]),
        (HiddenText::Escape, vec!["hidden-text", "skill", "skill"]),
        (HiddenText::Allow, vec!["skill", "skill"]),
    ] {
        let mut situation = Parts::new(Workspace::find(&world, Path::new("/p")));
        situation.permissions.hygiene = Hygiene { hidden, ..Hygiene::default() };
        let discovery = discover(&world, &situation.situation(), [&given::name("skills:listing")]);
        let found: Vec<&str> = discovery.diagnostics.iter().map(|finding| finding.code.name()).collect();
        assert_eq!(found, codes);
        for finding in &discovery.diagnostics {
            assert!(!finding.to_string().contains(char::is_control), "{finding:?}");
        }
    }
}

/// Each finding is reported with file, line and column.
#[test]
fn a_finding_in_a_description_names_its_line() {
    let file = "---\nname: x\ndescription: a\u{202e}b\n---\n";
    let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", file)]));
    let message = &discovery.diagnostics[0].message;
    assert_eq!(*message, format!("{PLACE}:3:15 has 1 hidden character U+202E (bidirectional): the file is not used"));
}

/// In the index a skill is one line, wherever a reader breaks lines.
#[test]
fn a_carriage_return_does_not_break_the_index() {
    let file = "---\nname: \"a\\rb\"\ndescription: d\n---\n";
    let discovery =
        ask(&world(&[("/p/.agents/skills/x/SKILL.md", file)]), "skills:index", "descriptions = 'optional'", None);
    assert_eq!(text(&discovery, "skills:index"), "a b | d | direct | e3b0c44298fc |");
}

/// 4.3: "keys in any case".
#[test]
fn keys_are_read_in_any_case() {
    let file = "---\nNAME: upper\ndESCRIPTION: d\n---\n";
    let discovery =
        ask(&world(&[("/p/.agents/skills/x/SKILL.md", file)]), "skills:index", "descriptions = 'optional'", None);
    assert_eq!(text(&discovery, "skills:index"), "upper | d | direct | e3b0c44298fc |");
}

/// A linked directory within the project is searched, once; what leads elsewhere or nowhere is reported.
#[test]
fn links_to_directories_are_followed_or_reported() {
    let linked = |target: &str| {
        world(&[
            ("/p/.git/HEAD", ""),
            ("/p/vendor/pack/a/SKILL.md", &skill("a", "d")),
            ("/p/vendor/pack/deep/b/SKILL.md", &skill("b", "d")),
            ("/q/c/SKILL.md", &skill("c", "d")),
            ("/p/.agents/skills/x/SKILL.md", &skill("x", "d")),
        ])
        .link("/p/.agents/skills/pack", target)
        .link("/p/.agents/skills/pack2", target)
        .link("/p/vendor/pack/up", "../..")
    };
    let discovery = listing(&linked("../../vendor/pack"));
    let places = [".agents/skills/pack/a/SKILL.md", ".agents/skills/pack/deep/b/SKILL.md", PLACE];
    let expected = [("a", Some("d"), places[0]), ("b", Some("d"), places[1]), ("x", Some("d"), places[2])];
    assert_eq!(text(&discovery, "skills:listing"), block(&expected));
    assert_eq!(discovery.diagnostics, []);
    // Also to what is passed over by itself.
    let stored = world(&[("/p/.git/HEAD", ""), ("/p/.agents/skills/.store/a/SKILL.md", &skill("a", "d"))])
        .link("/p/.agents/skills/a", ".store/a")
        .link("/p/.agents/skills/b", ".");
    let discovery = listing(&stored);
    assert_eq!(text(&discovery, "skills:listing"), block(&[("a", Some("d"), ".agents/skills/a/SKILL.md")]));
    assert_eq!(discovery.diagnostics, []);
    for (target, why) in [
        ("/q", "outside the directories that may be read: the link leads elsewhere"),
        ("../nowhere", "failed: the link is broken"),
    ] {
        let discovery = listing(&linked(target));
        assert_eq!(text(&discovery, "skills:listing"), block(&[("x", Some("d"), PLACE)]));
        let reported: Vec<&str> = discovery.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
        let of = |link: &str| format!(".agents/skills/{link} is not loaded: {why}");
        assert_eq!(reported, [of("pack"), of("pack2")]);
    }
    // A root itself.
    let discovery = listing(&world(&[("/p/.git/HEAD", ""), ("/p/.agents/skills", "a file")]));
    assert!(matches!(discovery.facts.get(&given::name("skills:listing")), Some(Answer::Unavailable(_))));
    let reported = ".agents/skills is not loaded: not a regular file: no directory";
    assert_eq!(discovery.diagnostics[0].message, reported);
}

/// A path cannot break a line, and keeps its letters.
#[test]
fn a_path_of_a_skill_stays_on_its_line() {
    let files = [("/p/.agents/skills/a\nb/SKILL.md", "a b"), ("/p/.agents/skills/größe/SKILL.md", "größe")];
    for (path, shown) in files {
        let discovery = listing(&world(&[(path, "---\nname: x\ndescription: d\n---\n")]));
        let place = format!(".agents/skills/{shown}/SKILL.md");
        assert_eq!(text(&discovery, "skills:listing"), block(&[("x", Some("d"), &place)]));
        assert!(!format!("{:?}{:?}", discovery.report, discovery.diagnostics).contains("a\\nb"), "{discovery:?}");
    }
}

/// A comment is not a value, and what is below it is.
#[test]
fn a_comment_behind_a_colon_hides_nothing() {
    let file = "---\nname: x\ndescription: d\ndisable-model-invocation: # why\n  true\n---\n";
    let discovery = listing(&world(&[("/p/.agents/skills/x/SKILL.md", file)]));
    assert_eq!(text(&discovery, "skills:listing"), "");
}
