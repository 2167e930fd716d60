//! What completes a name while it is written: paths of files, and references to templates.

use std::path::Path;

use crate::parts::Parts;
use antefix::discover::file::{Completed, complete};
use antefix::discover::{Answer, Workspace, World};
use antefix::project::TemplateDirectories;
use antefix::worlds::MemoryWorld;

fn offered(world: &dyn World, cwd: &str, within: &str, typed: &str) -> String {
    let situation = Parts::new(Workspace::find_within(world, Path::new(cwd), Some(Path::new(within))));
    match complete(world, &situation.situation(), typed, 4) {
        Answer::Present(Completed { paths, more }) => format!("{}{}", paths.join(" "), if more { " …" } else { "" }),
        Answer::Absent => "absent".to_owned(),
        Answer::Unavailable(reason) => reason.code.name().to_owned(),
    }
}

fn project() -> MemoryWorld {
    ["AGENTS.md", "README.md", "docs/a.md", "docs/deep/b.md", "many/1", "many/2", "many/3", "many/4", "many/5"]
        .into_iter()
        .fold(MemoryWorld::new().file("/p/.git/HEAD", ""), |world, path| world.file(format!("/p/{path}"), ""))
}

#[test]
fn a_path_goes_on_with_names_of_the_directory_that_it_leads_to() {
    let world = project();
    let rows = [
        ("/p", "", "AGENTS.md README.md docs/ many/"),
        ("/p", "d", "docs/"),
        ("/p", "READ", "README.md"),
        // Whoever writes in small letters means the file all the same.
        ("/p", "read", "README.md"),
        ("/p", "docs/", "docs/a.md docs/deep/"),
        ("/p", "docs/deep/", "docs/deep/b.md"),
        ("/p", "./docs/a", "./docs/a.md"),
        ("/p", "many/", "many/1 many/2 many/3 many/4 …"),
        ("/p", "many/5", "many/5"),
        ("/p", "nothing", ""),
        ("/p", "nothing/", "absent"),
        ("/p", "AGENTS.md/", "not-a-regular-file"),
        ("/p/docs", "", "a.md deep/"),
        ("/p/docs", "../A", "../AGENTS.md"),
        ("/p/docs", "/p/docs/a", "/p/docs/a.md"),
    ];
    for (cwd, typed, expected) in rows {
        assert_eq!(offered(&world, cwd, "/p", typed), expected, "{cwd}: {typed}");
    }
}

#[test]
fn nothing_is_offered_that_lies_outside_or_is_withheld() {
    let world = [".env", ".gitignore", ".hidden/x", "credentials.json", "server.key", "notes.md", ".ssh/config"]
        .into_iter()
        .fold(MemoryWorld::new().file("/p/.git/HEAD", ""), |world, path| world.file(format!("/p/{path}"), ""))
        .file("/etc/passwd", "")
        .file("/q/other", "")
        .link("/p/out", "/etc")
        .link("/p/passwd", "/etc/passwd")
        .link("/p/harmless.md", "/p/.env")
        .link("/p/keys", "/p/.ssh")
        .link("/p/gone", "/p/nowhere")
        .link("/p/same.md", "/p/notes.md");
    let rows = [
        ("", ".gitignore notes.md same.md"),
        ("../", "outside-root"),
        ("/etc/", "outside-root"),
        ("/", "outside-root"),
        ("../q/", "outside-root"),
        ("out/", "outside-root"),
        (".git/", "secret"),
        (".ssh/", "secret"),
        ("keys/", "secret"),
        ("x\0/", "absent"),
    ];
    for (typed, expected) in rows {
        assert_eq!(offered(&world, "/p", "/p", typed), expected, "{typed:?}");
    }
    // A server's root that is narrower than the project is where paths end, and a wider one lets none out of the project.
    let world = project().file("/q/other", "").link("/p/docs/up.md", "/p/README.md");
    assert_eq!(offered(&world, "/p/docs", "/p/docs", ""), "a.md deep/");
    assert_eq!(offered(&world, "/p/docs", "/p/docs", "../"), "outside-root");
    assert_eq!(offered(&world, "/p/docs", "/", "../../q/"), "outside-root");
}

#[test]
fn names_that_no_template_can_spell_are_left_out() {
    let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/a\nb.md", "").file("/p/<b>.md", "");
    assert_eq!(offered(&world, "/p", "/p", ""), "<b>.md");
}

fn templates(world: &dyn World, limit: usize) -> Vec<String> {
    let workspace = Workspace::find(world, Path::new("/p"));
    let listed = TemplateDirectories::new(world, &workspace, None).list(limit);
    let line = |list: &antefix::project::TemplateList| {
        let more = if list.more { " …" } else { "" };
        format!("{} {:?} {}{more}", list.prefix.name(), list.directory, list.templates.join(" "))
    };
    listed.iter().map(line).collect()
}

#[test]
fn lists_have_what_references_lead_to() {
    let world = MemoryWorld::new()
        .var("HOME", "/home/ada")
        .file("/p/.git/HEAD", "")
        .file("/p/.antefix/prompts/greet.md", "")
        .file("/p/.antefix/prompts/common/header.md", "")
        .file("/p/.antefix/prompts/.draft.md", "")
        .file("/p/.antefix/prompts/notes.txt", "")
        .file("/p/.antefix/prompts/ spaced .md", "")
        .file("/p/.antefix/prompts/a\nb.md", "")
        .file("/outside/x.md", "")
        .link("/p/.antefix/prompts/out.md", "/outside/x.md")
        .link("/p/.antefix/prompts/loop", "/p/.antefix/prompts");
    let listed = templates(&world, 100);
    assert_eq!(listed[0], r#"$workspace Some(".antefix/prompts") common/header greet"#);
    assert_eq!(listed[1], r#"$user Some("~/.config/antefix/prompts") "#);
    assert!(listed[2].starts_with("$builtin None coding-agent/here coding-agent/identity"), "{}", listed[2]);
    assert_eq!(templates(&world, 1)[0], r#"$workspace Some(".antefix/prompts") common/header …"#);
}

#[test]
fn a_list_without_end_is_cut_short() {
    let deep: String = "d/".repeat(200);
    let world = MemoryWorld::new().file("/p/.git/HEAD", "").file(format!("/p/.antefix/prompts/{deep}x.md"), "");
    assert_eq!(templates(&world, 100)[0], r#"$workspace Some(".antefix/prompts")  …"#);
}
