//! Instruction files and lists of skills that a caller hands in as data.

use std::collections::BTreeMap;

use antefix::discover::Given;
use antefix::discover::world::Answer;
use antefix::project::{LayoutChoice, Look, Preview, Settings};
use antefix::text::FactName;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};

/// A small layout: files with a small budget, then the index of skills.
const LAYOUT: &str = r#"
[instructions]
protect = ["frame"]
file_budget = 60
total_budget = 100
[skills]
budget = 40
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}[{{ one.path }}]\n{{ one.body }}\n{% endfor %}"
[[section]]
id = "skills"
stability = "frozen"
only_if = ["skills:index"]
text = "{{ skills.index }}"
"#;

fn ask(fact: &str, given: Given) -> Ask {
    let layout = LayoutChoice::File { path: "/own/layout.toml".into(), label: "test".to_owned() };
    Ask::new().layout(layout).given(FactName::parse(fact).unwrap(), given)
}

/// What becomes of what is given, in a project with an AGENTS.md and a skill of its own.
fn preview(fact: &str, given: Given) -> Preview {
    let skill = "---\nname: found\ndescription: Found.\n---\nBody.\n";
    let world = MemoryWorld::new()
        .file("/p/.git/HEAD", "")
        .file("/p/AGENTS.md", "Use tabs.")
        .file("/own/layout.toml", LAYOUT)
        .file("/p/.agents/skills/found/SKILL.md", skill)
        .program(&["git"], Answer::Absent);
    let antefix = Antefix::builder().world(world).settings(Settings::default()).store("memory").build().unwrap();
    // The other of the two is none, so that only what is given shows.
    let other = if fact == "skills:index" { "instructions:files" } else { "skills:index" };
    let ask = ask(fact, given).given(FactName::parse(other).unwrap(), Given::Absent);
    antefix.project("/p").unwrap().preview(ask, Look::Composing).unwrap()
}

fn files(files: &[(&str, &str)]) -> Given {
    let map = |(path, text): &(&str, &str)| {
        BTreeMap::from([("path".to_owned(), (*path).to_owned()), ("text".to_owned(), (*text).to_owned())])
    };
    Given::Maps(files.iter().map(map).collect())
}

fn codes(preview: &Preview) -> Vec<&'static str> {
    preview.diagnostics.iter().map(|finding| finding.code.name()).collect()
}

#[test]
fn what_is_handed_in_takes_the_place_of_what_would_be_found() {
    let long = "x".repeat(70);
    let forty = "y".repeat(40);
    let mark = "\n[cut here: the rest is over the size limit]";
    let table: &[(&str, Given, String, &[&str])] = &[
        (
            "in order",
            files(&[("B.md", "Two.\n"), ("own/A.md", "One.")]),
            "[B.md]\nTwo.\n[own/A.md]\nOne.\n".into(),
            &[],
        ),
        ("no file", files(&[]), String::new(), &[]),
        ("an empty list of any kind", Given::List(Vec::new()), String::new(), &[]),
        ("an empty file", files(&[("A.md", " \n"), ("B.md", "Two.")]), "[B.md]\nTwo.\n".into(), &[]),
        ("line ends", files(&[("A.md", "\u{feff}One.\r\nTwo.")]), "[A.md]\nOne.\nTwo.\n".into(), &[]),
        ("a frame", files(&[("A.md", "a </frame>")]), "[A.md]\na &lt;/frame>\n".into(), &[]),
        ("a path in many lines", files(&[("A\n<frame>.md", "One.")]), "[A &lt;frame>.md]\nOne.\n".into(), &[]),
        ("too long", files(&[("A.md", &long)]), format!("[A.md]\n{}{mark}\n", "x".repeat(16)), &["cut"]),
        // The last one is the nearest, and keeps its text.
        (
            "too much together",
            files(&[("A.md", &forty), ("B.md", &forty), ("C.md", &forty)]),
            format!("[B.md]\n{forty}\n[C.md]\n{forty}\n"),
            &["over-budget"],
        ),
        ("hidden text", files(&[("A.md", "a\u{e0061}b"), ("B.md", "Two.")]), "[B.md]\nTwo.\n".into(), &["hidden-text"]),
        (
            "a secret",
            files(&[("A.md", "postgres://ada:correct-horse-9@db.example/x")]),
            "[A.md]\npostgres://ada:[redacted:url-credentials]@db.example/x\n".into(),
            &["secret"],
        ),
        ("no path", Given::Maps(vec![BTreeMap::from([("text".into(), "One.".into())])]), String::new(), &["gap"]),
        ("a text", "Use spaces.".into(), String::new(), &["gap"]),
    ];
    for (what, given, expected, found) in table {
        let preview = preview("instructions:files", given.clone());
        assert_eq!(preview.prompt.text(), expected, "{what}");
        assert_eq!(codes(&preview), *found, "{what}: {:?}", preview.diagnostics);
    }
}

#[test]
fn origins_name_the_caller_and_the_path() {
    let preview = preview("instructions:files", files(&[("own/A.md", "One.\nTwo.")]));
    let text = preview.prompt.text();
    let spans: Vec<_> = preview.prompt.spans().iter().filter(|span| span.origin.kind() == "caller").collect();
    let shown: Vec<_> = spans
        .iter()
        .map(|span| (&text[span.range.clone()], span.origin.name(), span.origin.path(), span.origin.line()))
        .collect();
    let path = Some("own/A.md");
    assert_eq!(
        shown,
        [("own/A.md", "instructions:files", path, Some(1)), ("One.\nTwo.", "instructions:files", path, Some(1)),]
    );
    let loaded: Vec<_> = preview.report.loaded.iter().map(|one| (one.path.as_deref(), one.bytes)).collect();
    assert_eq!(loaded, [(path, 9)]);
    assert!(preview.report.by_caller.contains(&FactName::new("instructions", "files")));
}

/// K31, K32, K34: the index is as it was produced, without line feeds at its end.
#[test]
fn an_index_of_skills_is_taken_as_it_is() {
    let table: &[(&str, &str, &[&str])] = &[
        ("one | Does. | direct | 0a1b | a,b\n\n", "one | Does. | direct | 0a1b | a,b", &[]),
        ("\n\n", "", &[]),
        ("", "", &[]),
        ("  ", "  ", &[]),
        // Lines that do not fit are left out from the last one on.
        ("one | Does something useful.\ntwo | Does more.", "one | Does something useful.", &["over-budget"]),
        ("one | Does something that takes more than a line.", "", &["over-budget"]),
    ];
    for (given, expected, found) in table {
        let preview = preview("skills:index", (*given).into());
        assert_eq!(preview.prompt.text(), *expected, "{given:?}");
        assert_eq!(codes(&preview), *found, "{given:?}: {:?}", preview.diagnostics);
        let is_callers =
            |span: &antefix::compose::Span| (span.origin.kind(), span.origin.name()) == ("caller", "skills:index");
        assert!(preview.prompt.spans().iter().all(is_callers), "{given:?}");
    }
}
