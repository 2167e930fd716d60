//! The section that people edit.

use std::path::Path;
use std::sync::Arc;

use crate::parts::Parts;
use antefix::ErrorKind;
use antefix::compose::{Dialect, Layout, Wording, compose};
use antefix::discover::{Workspace, discover};
use antefix::project::TemplateDirectories;
use antefix::text::{Source, SourceKind};
use antefix::worlds::MemoryWorld;

const LAYOUT: &str = r#"
[[section]]
id = "who"
stability = "fixed"
text = "Be kind."
[[section]]
id = "where"
stability = "frozen"
joint = "paragraph"
text = "In {{ prompt.cwd }}."
"#;

fn world() -> (MemoryWorld, Workspace) {
    let world = MemoryWorld::new().file("/p/.git/HEAD", "");
    let workspace = Workspace::find(&world, Path::new("/p"));
    (world, workspace)
}

fn parse(text: &str) -> Result<Layout, antefix::Error> {
    let (world, workspace) = world();
    let source = Arc::new(Source::new(SourceKind::Layout, "test", text));
    Layout::parse(&source, &Wording::built_in(), &TemplateDirectories::new(&world, &workspace, None))
}

fn edited(layout: &Layout, dialect: Dialect, text: &str) -> Result<Layout, antefix::Error> {
    let (world, workspace) = world();
    let source = Arc::new(Source::new(SourceKind::Template, "template", text));
    layout.edited(&source, dialect, &TemplateDirectories::new(&world, &workspace, None))
}

fn composed(layout: &Layout) -> String {
    let (world, workspace) = world();
    let mut situation = Parts::new(workspace);
    situation.rules.paths = layout.rules().paths;
    let discovery = discover(&world, &situation.situation(), &layout.facts());
    compose(layout, &discovery.facts).unwrap().text().to_owned()
}

#[test]
fn the_first_section_is_edited_unless_the_layout_names_another() {
    let first = parse(LAYOUT).unwrap();
    let editable = first.editable();
    assert_eq!((editable.section, editable.dialect, editable.text), ("who", Dialect::Jinja, "Be kind."));
    let second = parse(&format!("editable = \"where\"\n{LAYOUT}")).unwrap();
    assert_eq!(second.editable().section, "where");
    let error = parse(&format!("editable = \"wher\"\n{LAYOUT}")).unwrap_err();
    assert_eq!(error.message(), "there is no section `wher` to edit");
    assert_eq!(error.hint(), Some("did you mean `where`?"));
}

#[test]
fn an_edited_section_keeps_its_place_and_the_layout_is_another_one() {
    let layout = parse(&format!("editable = \"where\"\n{LAYOUT}")).unwrap();
    assert_eq!(composed(&layout), "Be kind.\n\nIn ..");
    let other = edited(&layout, Dialect::Bracket, "Now in [prompt:cwd]!").unwrap();
    assert_eq!(composed(&other), "Be kind.\n\nNow in .!");
    assert_ne!(other.digest(), layout.digest());
    assert_eq!(other.editable().dialect, Dialect::Bracket);
    // Nothing is left of a section without a text, its joint neither.
    assert_eq!(composed(&edited(&layout, Dialect::Bracket, "").unwrap()), "Be kind.");
    let error = edited(&layout, Dialect::Jinja, "{{ prompt.cwd").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Parse);
}

#[test]
fn a_fixed_section_that_is_edited_is_frozen_and_may_name_facts() {
    let layout = parse(LAYOUT).unwrap();
    let other = edited(&layout, Dialect::Bracket, "From [prompt:cwd].").unwrap();
    assert_eq!(composed(&other), "From ..\n\nIn ..");
    // A cache breakpoint behind fixed text would promise that everybody shares it.
    let (world, workspace) = world();
    let discovery = discover(&world, &Parts::new(workspace).situation(), &other.facts());
    let prompt = compose(&other, &discovery.facts).unwrap();
    let stabilities: Vec<_> = prompt.sections().iter().map(|section| section.stability).collect();
    assert_eq!(stabilities, [antefix::compose::Stability::Frozen; 2]);
    assert_eq!(edited(&layout, Dialect::Bracket, &"x".repeat(1024 * 1024 + 1)).unwrap_err().kind(), ErrorKind::Limit);
}

const HIDING: &str = r#"
hidden = ["scope:*", "file:AGENTS.md"]
[aliases]
house = "$builtin/yoi"
[[section]]
id = "who"
stability = "frozen"
file = "$house/default"
[[section]]
id = "bounds"
stability = "frozen"
text = "{{ file('AGENTS.md') }}"
"#;

#[test]
fn an_edited_text_includes_what_lies_beside_the_layouts_own() {
    let layout = parse(HIDING).unwrap();
    for reference in ["common/tool-usage", "$house/common/tool-usage", "$builtin/yoi/common/tool-usage"] {
        let text = format!("{{% include \"{reference}\" %}}");
        let other = edited(&layout, Dialect::Jinja, &text).unwrap();
        let names: Vec<&str> = other.sources().map(|source| source.name.as_str()).skip(1).take(2).collect();
        assert_eq!(names, ["template", "$builtin/yoi/common/tool-usage"], "{reference}");
    }
    // It may include the text that it takes the place of.
    assert!(edited(&layout, Dialect::Jinja, "More.\n{% include \"default\" %}").is_ok());
    let error = edited(&layout, Dialect::Jinja, "{% include \"nope\" %}").unwrap_err();
    assert_eq!(
        error.message(),
        "template `$builtin/yoi/nope` does not exist (included by template → $builtin/yoi/nope)"
    );
}

#[test]
fn what_a_layout_hides_is_hidden_from_an_edited_text_and_not_from_the_layout() {
    let layout = parse(HIDING).unwrap();
    let facts = |layout: &Layout| layout.facts().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(facts(&layout), ["prompt:cwd", "tools:names", "file:AGENTS.md"]);
    for (dialect, text) in [
        (Dialect::Jinja, "{{ file('./AGENTS.md') | default('') }}{{ scope.summary is defined }}"),
        (Dialect::Bracket, "[file:./AGENTS.md][if scope:summary]x[endif]"),
    ] {
        let other = edited(&layout, dialect, text).unwrap();
        // What is hidden is not asked for; the section that may see it still asks.
        assert_eq!(facts(&other), ["file:AGENTS.md"], "{text}");
        let codes: Vec<&str> = other.findings().iter().map(|finding| finding.code.name()).collect();
        assert_eq!(codes, ["hidden-variable", "hidden-variable"], "{text}");
    }
    assert_eq!(layout.findings(), []);
}
