//! Budgets in all units, of sections and of the whole prompt.

use std::path::Path;

use antefix::compose::{Layout, Prompt, Wording, builtin, compose, compose_suffix};
use antefix::diagnostic::Code;
use antefix::discover::{Facts, Workspace, discover};
use antefix::project::TemplateDirectories;
use antefix::text::{Source, SourceKind, Unit};
use antefix::worlds::MemoryWorld;
use antefix::{ErrorKind, Result};
use proptest::prelude::*;

use crate::given::{self, MemoryTemplates};
use crate::parts::Parts;

fn layout(text: &str) -> Result<Layout> {
    let source = Source::new(SourceKind::Layout, "l", text);
    Layout::parse(&source.into(), &Wording::built_in(), &MemoryTemplates::default())
}

fn section(id: &str, stability: &str, text: &str) -> String {
    format!(
        "[[section]]\nid = '{id}'\nstability = '{stability}'\ntext = '{text}'\ndialect = 'bracket'\njoint = 'paragraph'\n"
    )
}

/// Sections by what they name, in an order that is not the one of cutting.
fn everything(budget: usize) -> Layout {
    let sections = [
        ("identity", "fixed", "I am."),
        ("rules", "frozen", "[instructions:files]"),
        ("skills", "frozen", "[skills:listing]"),
        ("place", "frozen", "[prompt:cwd]"),
        ("readme", "frozen", "[file:README.md]"),
        ("changes", "live", "[git:status]"),
        ("branch", "live", "[git:branch]"),
    ];
    let text: String = sections.iter().map(|(id, stability, text)| section(id, stability, text)).collect();
    layout(&format!("budget = {budget}\n{text}")).unwrap()
}

fn facts() -> Facts {
    let names = ["instructions:files", "skills:listing", "prompt:cwd", "file:README.md", "git:status", "git:branch"];
    names.iter().fold(Facts::default(), |facts, name| facts.with(name, &"x".repeat(500)))
}

fn left(prompt: &Prompt) -> Vec<&str> {
    prompt.sections().iter().map(|section| section.id.as_str()).collect()
}

/// By default what is live goes first (the last section before the others), then skills, then files, then instructions;
/// what names none of these stays.
#[test]
fn the_least_specific_is_cut_first() {
    // 5 + 6 × 502 = 3017 bytes; a section takes 502 with its joint.
    let rows: [(usize, &[&str]); 6] = [
        (3017, &["identity", "rules", "skills", "place", "readme", "changes", "branch"]),
        (2515, &["identity", "rules", "skills", "place", "readme", "changes"]),
        (2013, &["identity", "rules", "skills", "place", "readme"]),
        (1511, &["identity", "rules", "place", "readme"]),
        (1009, &["identity", "rules", "place"]),
        (507, &["identity", "place"]),
    ];
    for (budget, expected) in rows {
        let prompt = compose(&everything(budget), &facts()).unwrap();
        assert_eq!(left(&prompt), expected, "{budget}");
        assert_eq!(prompt.text().len(), budget);
        assert_eq!(prompt.left_out().len(), 7 - expected.len());
        assert_eq!(
            prompt.diagnostics().iter().filter(|found| found.code == Code::OverBudget).count(),
            7 - expected.len()
        );
    }
    let error = compose(&everything(506), &facts()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
}

/// A byte more than a section needs keeps all of it; a byte less cuts it.
#[test]
fn a_cut_takes_no_more_than_it_must() {
    let prompt = compose(&everything(3016), &facts()).unwrap();
    assert_eq!(prompt.text().len(), 3016);
    let branch = &prompt.sections()[6];
    assert_eq!(branch.range.len(), 501);
    assert!(prompt.text()[branch.range.clone()].ends_with("size limit]"));
}

/// A section that its own budget has cut is cut again from what its template said: with one notice.
#[test]
fn a_section_that_is_cut_twice_has_one_notice() {
    let text = format!(
        "budget = 700\ncut = ['a']\n{}budget = {{ characters = 500 }}\n{}",
        section("a", "frozen", &"é".repeat(600)),
        section("b", "frozen", &"b".repeat(200))
    );
    let prompt = compose(&layout(&text).unwrap(), &Facts::default()).unwrap();
    assert!(prompt.text().len() <= 700 && prompt.text().len() > 697, "{}", prompt.text().len());
    assert_eq!(prompt.text().matches("[cut here").count(), 1);
}

/// Frames stay whole: what is cut is inside.
#[test]
fn a_frame_is_not_cut() {
    let text =
        format!("budget = 600\ncut = ['a']\n{}wrap = 'agents_md_section'\n", section("a", "frozen", &"a".repeat(1000)));
    let prompt = compose(&layout(&text).unwrap(), &Facts::default()).unwrap();
    let whole = layout(&text.replace("budget = 600\ncut = ['a']\n", "")).unwrap();
    let whole = compose(&whole, &Facts::default()).unwrap();
    let (before, behind) = whole.text().split_once(&"a".repeat(1000)).unwrap();
    assert_eq!(prompt.text().len(), 600);
    assert!(prompt.text().starts_with(before) && prompt.text().ends_with(&format!("size limit]{behind}")));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z é日👩/.]{0,400}", "(word ){0,200}", "\\PC{0,200}"]
        .prop_map(|text| text.replace(['\'', '[', '\\', '\n', '\r'], ""))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever is cut: the prompt fits, every byte has an origin, every cut is reported, and the boundary is a position.
    #[test]
    fn a_prompt_never_exceeds_its_budget(
        texts in prop::collection::vec((text(), prop::option::of(0_usize..300)), 1..5),
        most in 0_usize..900,
        unit in prop::sample::select(vec![Unit::Bytes, Unit::Characters, Unit::Tokens]),
        live in 0_usize..5,
    ) {
        let mut sections = String::new();
        for (number, (text, own)) in texts.iter().enumerate() {
            sections += &section(&format!("s{number}"), if number >= live { "live" } else { "frozen" }, text);
            if let Some(own) = own {
                sections += &format!("budget = {{ {} = {own} }}\n", unit.name());
            }
        }
        let ids: Vec<String> = (0..texts.len()).map(|number| format!("'s{number}'")).collect();
        let free = compose(&layout(&sections).unwrap(), &Facts::default()).unwrap();
        let head = format!("budget = {{ {} = {most} }}\ncut = [{}]\n", unit.name(), ids.join(", "));
        let laid = layout(&format!("{head}{sections}")).unwrap();
        let prompt = compose(&laid, &Facts::default()).unwrap();
        prop_assert!(unit.measure(prompt.text()) <= most, "{} of {most} {}", unit.measure(prompt.text()), unit.name());
        let mut at = 0;
        for span in prompt.spans() {
            prop_assert!(span.range.start == at && span.range.end > at);
            at = span.range.end;
        }
        prop_assert_eq!(at, prompt.text().len());
        // A turn on the standing prefix gives the same bytes behind it.
        let suffix = compose_suffix(&laid, &Facts::default(), prompt.prefix()).unwrap();
        prop_assert_eq!(suffix.text(), prompt.suffix());
        if unit.measure(free.text()) <= most {
            prop_assert_eq!(prompt.text(), free.text());
        } else {
            let more = prompt.diagnostics().len() - free.diagnostics().len();
            prop_assert!(more > 0, "nothing is told");
            prop_assert!(prompt.left_out().len() <= more);
        }
    }
}

/// As many instructions as the budgets of a layout allow can be composed, by every built-in layout that has them.
#[test]
fn a_prompt_can_have_all_that_its_budgets_allow() {
    let file = "A line of instructions.\n".repeat(3_000);
    let world = ["/p", "/p/a", "/p/a/b", "/p/a/b/c", "/p/a/b/c/d"]
        .iter()
        .fold(MemoryWorld::new().file("/p/.git/HEAD", ""), |world, at| world.file(format!("{at}/AGENTS.md"), &*file));
    let workspace = Workspace::find(&world, Path::new("/p/a/b/c/d"));
    for built_in in builtin::LAYOUTS {
        let templates = TemplateDirectories::new(&world, &workspace, None);
        let source = Source::new(SourceKind::Layout, built_in.name, built_in.text).into();
        let layout = Layout::parse(&source, &Wording::built_in(), &templates).unwrap();
        let mut situation = Parts::new(workspace.clone());
        situation.rules.instructions = layout.rules().instructions.clone();
        situation.rules.paths = layout.rules().paths;
        // The layout `yoi` is not composed without it.
        situation.caller.given.insert(given::name("scope:summary"), "Readable:\n  - /p".into());
        let discovery = discover(&world, &situation.situation(), &layout.facts());
        let composed = compose(&layout, &discovery.facts);
        assert!(composed.is_ok(), "{}: {:?}", built_in.name, composed.err());
    }
}
