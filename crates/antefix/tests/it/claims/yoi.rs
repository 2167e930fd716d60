//! The layout `yoi`: when the text is made, what a template may be and see, and how the trailing part stands behind it. Its bytes are in
//! `tests/cases/yoi`.

use antefix::discover::tools::Tool;
use antefix::keeper::Began;
use antefix::project::{LayoutChoice, Look, TemplateChoice};
use antefix::stores::MemoryStore;
use antefix::text::Origin;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, ErrorKind, Project};

/// A copy of the layout whose instruction is another one, in a project with prompts of a user and of its own.
fn world(instruction: &str, files: &[(&str, &str)]) -> MemoryWorld {
    let layout = antefix::compose::builtin::layout("yoi").unwrap().text;
    let layout = layout.replace("file = \"$builtin/yoi/default\"", instruction);
    let world =
        MemoryWorld::new().var("HOME", "/home/u").file("/p/.git/HEAD", "").file("/p/.antefix/layout.toml", layout);
    files.iter().fold(world, |world, (path, text)| world.file(*path, *text))
}

const GREET: &str = "file = \"$user/greet\"";
const GREET_FILE: &str = "/home/u/.config/antefix/prompts/greet.md";
const BOUNDS: &str = "---\n## Working boundaries\n\nReadable:\n  - /p\nWritable:\n  - /p";

fn project(world: MemoryWorld) -> Project {
    Antefix::builder().world(world).open_store(MemoryStore::new()).build().unwrap().project("/p").unwrap()
}

fn conversation(store: &MemoryStore, world: MemoryWorld) -> Conversation {
    Antefix::builder().world(world).open_store(store.clone()).build().unwrap().conversation("c", "/p").unwrap()
}

fn shown(world: MemoryWorld) -> String {
    project(world).preview(Ask::new(), Look::Composing).unwrap().prompt.text().to_owned()
}

fn failed(world: MemoryWorld) -> (ErrorKind, String) {
    let error = project(world).preview(Ask::new(), Look::Composing).err().unwrap();
    (error.kind(), error.message().to_owned())
}

/// Y2: a reference is resolved and its syntax checked before any turn, and nothing is stored by then.
#[test]
fn a_broken_instruction_is_found_before_any_turn() {
    for (text, kind) in [("{{ unclosed", ErrorKind::Parse), ("{% include 'gone' %}", ErrorKind::Load)] {
        let store = MemoryStore::new();
        let conversation = conversation(&store, world(GREET, &[(GREET_FILE, text)]));
        assert_eq!(conversation.project().preview(Ask::new(), Look::Composing).err().unwrap().kind(), kind, "{text}");
        assert_eq!(conversation.turn(Ask::new()).err().unwrap().kind(), kind, "{text}");
        assert!(!conversation.is_open().unwrap(), "{text}");
    }
}

/// Y3, Y4: the text is made once, right before the first turn, and later turns use it as it is.
/// Y5: so do compactions.
#[test]
fn the_text_is_made_once_and_used_verbatim() {
    let store = MemoryStore::new();
    let before = world(GREET, &[(GREET_FILE, "At {{ datetime }}."), ("/p/AGENTS.md", "OLD")]);
    let first = conversation(&store, before.at("2026-04-15T09:30:00Z")).turn(Ask::new()).unwrap();
    let text = format!("At 2026-04-15T09:30:00Z.\n\n{BOUNDS}\n\n---\n## Project instructions (AGENTS.md)\n\nOLD");
    assert_eq!((first.began, first.prefix()), (Began::Now, text.as_str()));
    let after = || {
        let world = world(GREET, &[(GREET_FILE, "Another."), ("/p/AGENTS.md", "NEW")]);
        world.at("2026-04-16T10:00:00Z")
    };
    let second = conversation(&store, after()).turn(Ask::new().tools([Tool::named("read")])).unwrap();
    assert_eq!((second.began, second.prefix()), (Began::Before, text.as_str()));
    let compacting = conversation(&store, after());
    let begun = compacting.begin_compaction(Ask::new()).unwrap();
    compacting.commit_compaction(&begun.token, Ask::new()).unwrap();
    assert_eq!(conversation(&store, after()).turn(Ask::new()).unwrap().prefix(), text);
}

/// Y9: a wording of the trailing part that cannot be rendered is an error of its own kind, which names the wording.
#[test]
fn a_broken_wording_of_the_trailing_part_names_the_wording() {
    let wording = "[wording]\nworking_boundaries_section = \"{{ ghost }}\"\n";
    let (kind, message) = failed(world("text = \"B\"", &[("/p/.antefix/wording.toml", wording)]));
    assert_eq!(
        (kind, message.as_str()),
        (ErrorKind::Wording, "wording `working_boundaries_section`: unknown name `ghost`")
    );
}

/// Y10: a template is known by its whole name without an extension, by whatever alias it was called.
#[test]
fn a_template_is_known_by_its_whole_name() {
    for (instruction, name) in [(GREET, "$user/greet"), ("file = \"$insomnia/default\"", "$builtin/yoi/default")] {
        let preview =
            project(world(instruction, &[(GREET_FILE, "HELLO")])).preview(Ask::new(), Look::Composing).unwrap();
        let Origin::Source { source, .. } = &preview.prompt.spans()[0].origin else { panic!("{instruction}") };
        assert_eq!(source.name, name);
    }
}

/// Y15: a name without a prefix is a file beside the layout; where there is nothing beside, it is refused.
#[test]
fn a_name_without_a_prefix_needs_something_that_it_is_beside() {
    let beside = world("file = \"x\"", &[("/p/.antefix/x.md", "BESIDE")]);
    assert_eq!(shown(beside), format!("BESIDE\n\n{BOUNDS}"));
    let (kind, message) = failed(world("text = \"{% include 'x' %}\"", &[("/p/.antefix/x.md", "BESIDE")]));
    assert_eq!(kind, ErrorKind::Load);
    assert!(message.starts_with("invalid template reference `x`: without a prefix"), "{message}");
}

/// Y17: a parse error comes when the template is read, an undefined name only where it is rendered.
#[test]
fn an_undefined_name_is_an_error_only_where_it_is_rendered() {
    let text = "text = \"A{% if false %}{{ ghost }}{% endif %}\"";
    assert_eq!(shown(world(text, &[])), format!("A\n\n{BOUNDS}"));
    assert_eq!(failed(world("text = \"A{{ ghost }}\"", &[])).0, ErrorKind::Render);
    assert_eq!(failed(world("text = \"A{% if false %}{{ ghost %}{% endif %}\"", &[])).0, ErrorKind::Parse);
}

/// Y26: besides the five names there are those of the catalog; all others are undefined.
#[test]
fn a_name_that_nobody_knows_is_undefined() {
    assert_eq!(
        shown(world("text = \"{{ date }}|{{ system.date }}\"", &[])),
        format!("1970-01-01|1970-01-01\n\n{BOUNDS}")
    );
    assert_eq!(failed(world("text = \"{{ anything_else }}\"", &[])).0, ErrorKind::Render);
}

/// Y29, Y33: joints and trimming are the layout's: blanks that a wording ends in change nothing.
#[test]
fn blanks_at_the_end_of_a_wording_change_no_joint() {
    let wording = "[wording]\nworking_boundaries_section = \"[{{ scope_summary }}]\\n\\n  \"\n\
                   agents_md_section = \"<{{ agents_md }}>\\n \\n\"\n";
    let files = [("/p/.antefix/wording.toml", wording), ("/p/AGENTS.md", "RULES")];
    let expected = "B\n\n[Readable:\n  - /p\nWritable:\n  - /p]\n\n<RULES>";
    assert_eq!(shown(world("text = \"B\"", &files)), expected);
}

/// Y42: a scope that nothing may be written in has no `Writable:`.
#[test]
fn a_scope_to_read_says_nothing_of_writing() {
    let layout = antefix::compose::builtin::layout("yoi")
        .unwrap()
        .text
        .replace("permission = \"write\"", "permission = \"read\"");
    let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/.antefix/layout.toml", layout);
    let text = shown(world);
    assert!(text.ends_with("---\n## Working boundaries\n\nReadable:\n  - /p"), "{text}");
}

/// Y47: one template is rendered again for other directories.
#[test]
fn one_template_is_rendered_for_many_directories() {
    let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/q/.git/HEAD", "");
    let layout = LayoutChoice::BuiltIn("yoi".to_owned());
    let antefix = Antefix::builder().world(world).open_store(MemoryStore::new()).layout(layout).build().unwrap();
    for directory in ["/p", "/q", "/p"] {
        let draft = TemplateChoice::Draft { dialect: antefix::compose::Dialect::Jinja, text: "In {{ cwd }}".into() };
        let preview = antefix.project(directory).unwrap().preview(Ask::new().template(draft), Look::Composing).unwrap();
        assert!(preview.prompt.text().starts_with(&format!("In {directory}\n\n---\n")), "{}", preview.prompt.text());
    }
}

/// Y52: nothing is escaped, whatever a template is called.
#[test]
fn nothing_is_escaped() {
    let ask = Ask::new().tools([Tool::named("<b>&\"'")]);
    let world =
        world("file = \"$user/page.html\"", &[("/home/u/.config/antefix/prompts/page.html.md", "{{ tools | join }}")]);
    let preview = project(world).preview(ask, Look::Composing).unwrap();
    assert_eq!(preview.prompt.text(), format!("<b>&\"'\n\n{BOUNDS}"));
}
