//! What a user chooses: files by path, files for everybody on a machine, sections to do without, and programs whose output is a fact.

use antefix::discover::Answer;
use antefix::discover::tools::Tool;
use antefix::discover::world::Output;
use antefix::project::{LayoutChoice, Look, Preview};
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};

fn preview(world: MemoryWorld, ask: Ask) -> Preview {
    let antefix = Antefix::builder().world(world.var("HOME", "/home/u")).store("memory").build().unwrap();
    antefix.project("/r").unwrap().preview(ask, Look::Closely).unwrap()
}

/// A template with the texts of all instruction files.
fn files() -> Ask {
    let text = "{% for one in instructions.files %}{{ one.path }}={{ one.text }};{% endfor %}".into();
    let dialect = antefix::compose::Dialect::Jinja;
    Ask::new().layout(LayoutChoice::TemplateText { label: "t".to_owned(), text, dialect })
}

fn codes(preview: &Preview) -> Vec<String> {
    preview.diagnostics.iter().map(|finding| format!("{}: {}", finding.code, finding.message)).collect()
}

#[test]
fn files_are_included_by_path_and_by_pattern_and_exclude_wins() {
    let settings = "include = ['docs/*.md', 'notes/one.md', '~/mine.md']\nexclude = ['docs/no.md']\n";
    let world = MemoryWorld::new()
        .file("/r/.git/HEAD", "")
        .file("/r/AGENTS.md", "root")
        .file("/r/docs/b.md", "b")
        .file("/r/docs/a.md", "a")
        .file("/r/docs/no.md", "no")
        .file("/r/docs/deep/c.md", "c")
        .file("/r/notes/one.md", "one")
        .file("/home/u/mine.md", "mine")
        .file("/home/u/.config/antefix/settings.toml", settings);
    let shown = preview(world, files());
    assert_eq!(shown.prompt.text(), "docs/a.md=a;docs/b.md=b;notes/one.md=one;~/mine.md=mine;AGENTS.md=root;");
    assert_eq!(codes(&shown), Vec::<String>::new());
}

#[test]
fn an_included_file_that_is_not_there_is_reported() {
    let world = MemoryWorld::new()
        .file("/r/.git/HEAD", "")
        .file("/r/AGENTS.md", "root")
        .file("/home/u/.config/antefix/settings.toml", "include = ['docs/gone.md', 'none/*.md']");
    let shown = preview(world, files());
    assert_eq!(shown.prompt.text(), "AGENTS.md=root;");
    assert_eq!(codes(&shown), ["file-unavailable: docs/gone.md is not there, and `include` in your settings names it"]);
}

#[test]
fn a_layout_includes_files_of_the_project_alone() {
    let layout = "[instructions]\nnames = ['AGENTS.md']\ninclude = ['docs/a.md', '~/secret.md']\n\
                  [[section]]\nid = 'one'\nstability = 'frozen'\ndialect = 'jinja'\n\
                  text = '{% for one in instructions.files %}{{ one.path }}={{ one.text }};{% endfor %}'\n";
    let world = MemoryWorld::new()
        .file("/r/.git/HEAD", "")
        .file("/r/.antefix/layout.toml", layout)
        .file("/r/AGENTS.md", "root")
        .file("/r/docs/a.md", "a")
        .file("/home/u/secret.md", "secret");
    let shown = preview(world, Ask::new());
    assert_eq!(shown.prompt.text(), "docs/a.md=a;AGENTS.md=root;");
    assert!(
        codes(&shown).iter().any(|code| code
            == "file-unavailable: `~/secret.md` is not included: a layout includes files of the project alone"),
        "{:?}",
        codes(&shown)
    );
}

#[test]
fn the_machines_instructions_come_first_and_nobody_leaves_them_out() {
    let world = MemoryWorld::new()
        .file("/r/.git/HEAD", "")
        .file("/r/AGENTS.md", "root")
        .file("/etc/antefix/AGENTS.md", "machine")
        .file("/etc/antefix/rules/all.md", "rule")
        .file("/home/u/.config/antefix/AGENTS.md", "user")
        .file("/home/u/.config/antefix/settings.toml", "exclude = ['/etc/antefix/**', '**/AGENTS.override.md']");
    let shown = preview(world, files());
    assert_eq!(
        shown.prompt.text(),
        "/etc/antefix/AGENTS.md=machine;/etc/antefix/rules/all.md=rule;~/.config/antefix/AGENTS.md=user;AGENTS.md=root;"
    );
}

#[test]
fn a_section_that_one_does_without_is_neither_said_nor_asked_for() {
    let skill = "---\nname: s\ndescription: d\n---\n";
    let world = || {
        MemoryWorld::new()
            .file("/r/.git/HEAD", "")
            .file("/r/AGENTS.md", "Use tabs.")
            .file("/r/.agents/skills/s/SKILL.md", skill)
    };
    let ask = || Ask::new().tools([Tool::named("read")]);
    let with = preview(world(), ask());
    assert!(with.prompt.sections().iter().any(|section| section.id == "skills"));
    let mut without = ask();
    without.without = Some(vec!["skills".to_owned()]);
    let shown = preview(world(), without);
    assert!(!shown.prompt.sections().iter().any(|section| section.id == "skills"));
    assert!(!shown.report.loaded.iter().any(|loaded| loaded.fact.namespace() == "skills"));
    let left: Vec<&str> =
        shown.prompt.left_out().iter().filter(|one| one.id == "skills").map(|one| one.why.as_str()).collect();
    assert_eq!(left, ["you do without it"]);
    assert_ne!(with.layout().digest(), shown.layout().digest());
    let mut wrong = ask();
    wrong.without = Some(vec!["skils".to_owned()]);
    let shown = preview(world(), wrong);
    assert!(shown.prompt.sections().iter().any(|section| section.id == "skills"));
    assert!(
        codes(&shown)
            .contains(&"unknown-section: the layout coding-agent has no section `skils` to do without".to_owned()),
        "{:?}",
        codes(&shown)
    );
}

#[test]
fn a_conversation_remembers_what_it_does_without() {
    let world = MemoryWorld::new().var("HOME", "/home/u").file("/r/.git/HEAD", "").file("/r/AGENTS.md", "Use tabs.");
    let antefix = Antefix::builder().world(world).store("memory").build().unwrap();
    let conversation = antefix.project("/r").unwrap().conversation("c").unwrap();
    let mut ask = Ask::new();
    ask.without = Some(vec!["instructions".to_owned()]);
    let first = conversation.turn(ask).unwrap();
    assert!(!first.prefix().contains("Use tabs."));
    conversation.renew(antefix::freeze::Cause::Requested, Ask::new()).unwrap();
    let again = conversation.turn(Ask::new()).unwrap();
    assert!(!again.prefix().contains("Use tabs."));
}

fn with_command(trusted: &str) -> MemoryWorld {
    let settings = format!("trusted = [{trusted}]\n[commands.cluster]\ncommand = ['kubectl', 'current']\n");
    MemoryWorld::new()
        .file("/r/.git/HEAD", "")
        .file("/home/u/.config/antefix/settings.toml", settings)
        .program(&["kubectl", "current"], Answer::Present(printed(b"staging\n")))
}

/// A program that printed this and ended well.
fn printed(stdout: &[u8]) -> Output {
    Output { code: Some(0), stdout: stdout.to_vec(), more: false, stderr: Vec::new() }
}

fn cluster() -> Ask {
    let dialect = antefix::compose::Dialect::Bracket;
    let text = "on [command:cluster]".into();
    Ask::new().layout(LayoutChoice::TemplateText { label: "t".to_owned(), text, dialect })
}

#[test]
fn a_program_of_the_users_runs_in_projects_that_are_trusted_by_name() {
    assert_eq!(preview(with_command("'/r'"), cluster()).prompt.text(), "on staging");
    let elsewhere = preview(with_command(""), cluster());
    assert_eq!(elsewhere.prompt.text(), "on ");
    let expected =
        "remote-unavailable: command:cluster is not asked for: your programs run only in projects that you trust";
    assert!(codes(&elsewhere).iter().any(|code| code == expected), "{:?}", codes(&elsewhere));
}

#[test]
fn a_template_cannot_name_a_program_that_is_not_declared() {
    let dialect = antefix::compose::Dialect::Jinja;
    let text = "on {{ command.rm }}".into();
    let ask = Ask::new().layout(LayoutChoice::TemplateText { label: "t".to_owned(), text, dialect });
    let shown = preview(with_command("'/r'"), ask);
    let expected = "remote-unavailable: command:rm is not asked for: your settings do not declare it";
    assert!(codes(&shown).iter().any(|code| code == expected), "{:?}", codes(&shown));
}
