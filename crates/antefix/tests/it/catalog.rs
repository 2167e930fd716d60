//! The one table of names: what it promises is answered, spelled and written down.

use std::path::Path;

use antefix::compose::{Dialect, Layout, compose};
use antefix::discover::catalog::{CATALOG, Entry, Lookup, lookup, reference_page};
use antefix::discover::commands::{CommandSetting, Commands, Runs};
use antefix::discover::documentation::Documentation;
use antefix::discover::remote::{Address, Holder, Remote, RemoteLimits};
use antefix::discover::scope::{Permission, Reach, Scope, ScopeRule, ScopeRules};
use antefix::discover::tools::{Tool, Tools};
use antefix::discover::world::{Answer, Response, SystemText};
use antefix::discover::{Value, Workspace, discover};
use antefix::worlds::MemoryWorld;

use crate::given;
use crate::parts::Parts;
use crate::watched::Watched;

#[test]
fn the_reference_page_is_what_the_catalog_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/variables.md");
    if std::env::var_os("ANTEFIX_ACCEPT").is_some() {
        std::fs::write(&path, reference_page()).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == reference_page(),
        "docs/reference/variables.md is stale: ANTEFIX_ACCEPT=1 writes it from the catalog"
    );
}

#[test]
fn names_are_unique_and_find_their_own_row() {
    for (number, entry) in CATALOG.iter().enumerate() {
        assert!(CATALOG[..number].iter().all(|before| before.key() != entry.key()), "{} twice", entry.key());
        assert!(CATALOG[..number].iter().all(|before| before.jinja != entry.jinja), "{} twice", entry.jinja);
        assert_eq!(lookup(&given::name(&asked(entry))), Lookup::Known(entry));
    }
}

/// The name that a template would use for a row.
fn asked(entry: &Entry) -> String {
    entry.key().replace("<path>", "a.md").replace("<NAME>", "A").replace("<name>", "c")
}

fn jinja(entry: &Entry) -> String {
    entry.jinja.replace("<path>", "a.md").replace("<NAME>", "A").replace("<name>", "c")
}

/// A world and a situation in which nothing is missing.
fn everything() -> (Watched, Parts) {
    let memory = Response {
        status: 200,
        content_type: Some("text/plain".to_owned()),
        body: b"the memory".to_vec(),
        ..Response::default()
    };
    let world = MemoryWorld::new()
        .file("/p/.git/HEAD", "")
        .file("/p/a.md", "the file")
        .file("/p/AGENTS.md", "Use tabs.\n")
        .file("/p/.antefix/SYSTEM.md", "the replacement")
        .file("/p/.antefix/APPEND_SYSTEM.md", "the appendix")
        .file("/p/.agents/skills/x/SKILL.md", "---\nname: x\ndescription: does x\n---\n")
        .at("2026-04-15T09:30:00.123Z")
        .file("/own/operator.md", "the operator\n")
        .address("https://memory.example/core", Answer::Present(memory))
        .var("A", "the variable")
        .var("SHELL", "/bin/zsh")
        .var("HOME", "/home/u")
        .var("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        .text(SystemText::OsRelease, "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
        .text(SystemText::KernelRelease, "6.1.0-18-amd64");
    let workspace = Workspace::find(&world, Path::new("/p"));
    let rule = ScopeRule { target: "/p".into(), permission: Permission::Write, reach: Reach::Below };
    let mut situation = Parts::new(workspace);
    situation.caller.model = Some("the model".to_owned());
    situation.conversation_id = Some("the conversation".to_owned());
    situation.caller.workspace_id = Some("the workspace".to_owned());
    let tools: Tools = ["b", "a"].map(Tool::named).into_iter().collect();
    situation.caller.tools = Some(tools.with_instructions("s", "Use a first."));
    situation.rules.skills.needs_tool.clear();
    situation.permissions.env_allow = ["A".to_owned()].into();
    situation.permissions.documentation = Documentation {
        main: Some("~/agent/README.md".to_owned()),
        additional: Some("/opt/agent/docs".to_owned()),
        examples: Some("https://agent.example/examples".to_owned()),
    };
    let by = Holder::File("/own/operator.md".into());
    situation.permissions.identity = Remote::Configured { by, limits: RemoteLimits::default() };
    let command = toml::from_str::<CommandSetting>("command = ['c', 'the output']").unwrap();
    situation.permissions.commands = Commands::new([("c".to_owned(), command)].into(), Runs::Trusted);
    let by = Holder::Http { address: Address::parse("https://memory.example/core").unwrap(), bearer_env: None };
    situation.permissions.memory = Remote::Configured { by, limits: RemoteLimits::default() };
    situation.scope = Some(Scope::new(&ScopeRules { allow: vec![rule], deny: Vec::new() }, &world).unwrap());
    (Watched::new(world), situation)
}

/// Each row's answer in that world. A row that is added has to be added here.
#[test]
fn every_row_is_answered() {
    let expected = [
        ("system:time", "2026-04-15T09:30:00.123Z"),
        ("system:datetime", "2026-04-15T09:30:00Z"),
        ("system:long_time", "Wednesday, April 15, 2026 at 11:30:00 AM CEST"),
        ("system:clock", "09:30:00"),
        ("system:date", "2026-04-15"),
        ("system:local_date", "2026-04-15 CEST"),
        ("system:os", "linux"),
        ("system:os_name", "Debian GNU/Linux 12 (bookworm)"),
        ("system:os_version", "6.1.0-18-amd64"),
        ("system:hostname", "host"),
        ("system:shell", "/bin/zsh"),
        ("prompt:cwd", "."),
        ("prompt:cwd_absolute", "/p"),
        ("prompt:root", "/p"),
        ("prompt:home", "/home/u"),
        ("prompt:model", "the model"),
        ("prompt:conversation_id", "the conversation"),
        ("prompt:workspace_id", "the workspace"),
        ("git:branch", "rev-parse"),
        ("git:status", "status"),
        ("git:diff", "diff"),
        ("git:diff_staged", "diff"),
        ("git:diff_all", "diff\ndiff"),
        ("git:diffstat", "diff"),
        ("git:diffstat_staged", "diff"),
        ("git:diffstat_all", "diff\ndiff"),
        ("file:a.md", "the file"),
        ("instructions:files", "## AGENTS.md\n\nUse tabs."),
        ("instructions:system", "the replacement"),
        ("instructions:append", "the appendix"),
        (
            "skills:listing",
            "<available_skills>\n  <skill>\n    <name>x</name>\n    <description>does x</description>\n    <location>.agents/skills/x/SKILL.md</location>\n  </skill>\n</available_skills>",
        ),
        // The digest of an empty body.
        ("skills:index", "x | does x | direct | e3b0c44298fc |"),
        ("skills:entries", "- x: does x"),
        ("identity:operator", "the operator"),
        ("memory:core", "the memory"),
        ("documentation:main", "/home/u/agent/README.md"),
        ("documentation:additional", "/opt/agent/docs"),
        ("documentation:examples", "https://agent.example/examples"),
        ("command:c", "the output"),
        ("env:A", "the variable"),
        ("tools:names", "a, b"),
        ("tools:list", "- a: a\n- b: b"),
        ("tools:entries", "- a: a\n- b: b"),
        ("tools:guidelines", "- Keep your answers short.\n- Name files by their paths."),
        ("tools:instructions", "<mcp_server name=\"s\">\nUse a first.\n</mcp_server>"),
        ("scope:summary", "Readable:\n  - .\nWritable:\n  - ."),
    ];
    let (world, situation) = everything();
    let names: Vec<_> = CATALOG.iter().map(|entry| given::name(&asked(entry))).collect();
    let discovery = discover(&world, &situation.situation(), &names);
    let answers: Vec<(&str, String)> = names
        .iter()
        .map(|name| match discovery.facts.get(name) {
            Some(Answer::Present(value)) => (name.as_str(), value.text(name).as_str().to_owned()),
            other => (name.as_str(), format!("{other:?}")),
        })
        .collect();
    let answers: Vec<(&str, &str)> = answers.iter().map(|(name, text)| (*name, text.as_str())).collect();
    assert_eq!(answers, expected);
    assert_eq!(discovery.diagnostics, []);
    assert_eq!(discovery.report.not_loaded, []);
    let loaded: Vec<&str> = discovery.report.loaded.iter().map(|loaded| loaded.fact.as_str()).collect();
    assert_eq!(loaded, expected.map(|(name, _)| name));
}

/// Both dialects spell a row so that they name the same fact and print the same text.
#[test]
fn both_spellings_name_and_print_the_same_fact() {
    let (world, situation) = everything();
    for entry in CATALOG {
        let name = given::name(&asked(entry));
        let facts = discover(&world, &situation.situation(), [&name]).facts;
        // A list of maps has a text for the dialect without loops, and loops in the other.
        if matches!(facts.get(&name), Some(Answer::Present(Value::Maps(_)))) {
            continue;
        }
        let is_list = matches!(facts.get(&name), Some(Answer::Present(Value::List(_))));
        let joined = if is_list { " | join(\", \")" } else { "" };
        let spellings = [
            (Dialect::Bracket, format!("<[{}]>", asked(entry))),
            (Dialect::Jinja, format!("<{{{{ {}{joined} }}}}>", jinja(entry))),
            (
                Dialect::Jinja,
                format!("{{% if {} is defined %}}<{{{{ {}{joined} }}}}>{{% endif %}}", jinja(entry), jinja(entry)),
            ),
        ];
        let printed = spellings.map(|(dialect, template)| {
            let layout = given::layout(template.as_str(), dialect).unwrap();
            assert_eq!(layout.facts(), std::slice::from_ref(&name), "{template}");
            compose(&layout, &facts).unwrap().text().to_owned()
        });
        assert_ne!(printed[0], "<>", "{name}");
        assert_eq!(printed[0], printed[1], "{name}");
        assert_eq!(printed[0], printed[2], "{name}");
    }
}

/// Only what a template names is asked for, and each thing once.
#[test]
fn a_template_asks_for_what_it_names() {
    let rows: &[(&str, &[&str])] = &[
        ("no names", &[]),
        ("[prompt:cwd] [prompt:model] [tools:names] [scope:summary]", &[]),
        ("[unknown:x] [git:brunch] [FILE:a.md] [env:NOT_ALLOWED]", &[]),
        ("\\[git:branch] [[git branch]]", &[]),
        ("[system:date][system:date][if system:date][endif]", &["now"]),
        ("[file:a.md][file:a.md]", &["read /p/a.md"]),
        ("[if file:no.md][file:a.md][endif]", &["read /p/no.md", "read /p/a.md"]),
        ("[file:/etc/passwd][file:.env]", &[]),
        ("[env:A]", &["env A"]),
        ("[system:hostname]", &["hostname"]),
    ];
    let (world, situation) = everything();
    world.asked();
    for (template, expected) in rows {
        let layout = given::layout(*template, Dialect::Bracket).unwrap();
        discover(&world, &situation.situation(), &layout.facts());
        assert_eq!(world.asked(), *expected, "{template}");
    }
}

/// A template without git runs no git, in either dialect and in every built-in layout that names none.
#[test]
fn a_template_without_git_runs_no_program() {
    let (world, situation) = everything();
    let runs = |layout: &Layout| {
        discover(&world, &situation.situation(), &layout.facts());
        world.asked().iter().filter(|question| question.starts_with("run ")).count()
    };
    assert_eq!(runs(&given::layout("[file:a.md][prompt:cwd]", Dialect::Bracket).unwrap()), 0);
    assert_eq!(runs(&given::layout("{{ file('a.md') }}{{ cwd }}{# git.branch #}", Dialect::Jinja).unwrap()), 0);
    assert_eq!(runs(&given::layout("{{ git.branch }}[git:branch]", Dialect::Plain).unwrap()), 0);
    // And the count works: one that names git runs it.
    assert_ne!(runs(&given::layout("[git:branch]", Dialect::Bracket).unwrap()), 0);
}

/// A fact that the caller answers is not asked for.
#[test]
fn a_fact_given_by_hand_asks_nothing() {
    let (world, mut situation) = everything();
    situation.caller.given.insert(given::name("git:branch"), "by hand".into());
    situation.caller.given.insert(given::name("file:a.md"), "by hand".into());
    world.asked();
    discover(&world, &situation.situation(), [&given::name("git:branch"), &given::name("file:a.md")]);
    assert_eq!(world.asked(), [""; 0]);
}
