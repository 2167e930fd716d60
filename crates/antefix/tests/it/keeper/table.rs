//! Before → now → what is said, for every kind of source, every outcome and every policy.

use std::fmt::Write as _;

use antefix::compose::policy::OnDrift;
use antefix::discover::ReasonCode;
use antefix::discover::tools::Tool;
use antefix::freeze::Watch;
use antefix::keeper::{Began, Turn};
use antefix::worlds::MemoryWorld;

use super::{Talk, project, reported};

/// One section of each kind; all of them do the same about a change.
const LAYOUT: &str = r#"
dialect = "jinja"
on_tools = "hold"
[instructions]
global = "none"
[skills]
needs_tool = []
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "POLICY"
text = "{% for one in instructions.files %}({{ one.path }}) {{ one.body }}\n{% endfor %}"
[[section]]
id = "note"
stability = "frozen"
only_if = ["file:NOTE.txt"]
on_drift = "POLICY"
text = "{{ file('NOTE.txt') }}"
[[section]]
id = "skills"
stability = "frozen"
only_if = ["skills:index"]
on_drift = "POLICY"
text = "{{ skills.index }}"
[[section]]
id = "tools"
stability = "frozen"
only_if = ["tools:names"]
on_drift = "POLICY"
text = "{{ tools.list }}"
"#;

const EXPECTED: &str = "\
source | before → now | hold | amend | renew
AGENTS.md | present → other text | pending file-changed AGENTS.md | says changed AGENTS.md | epoch 2 resources-changed
AGENTS.md | present → gone | pending file-removed AGENTS.md | says removed AGENTS.md | epoch 2 resources-changed
AGENTS.md | none → present | pending file-added AGENTS.md | says added AGENTS.md | epoch 2 resources-changed
AGENTS.md | present → unreadable | pending unavailable instructions:files | pending unavailable instructions:files | pending unavailable instructions:files
AGENTS.md | none → unreadable | pending unavailable instructions:files | pending unavailable instructions:files | pending unavailable instructions:files
AGENTS.md | unreadable → present | pending recovered instructions:files | says added AGENTS.md | epoch 2 recovered
AGENTS.md | unreadable → none | pending recovered instructions:files | nothing | nothing
AGENTS.md | unreadable → unreadable | nothing | nothing | nothing
two files | one changes | pending file-changed sub/AGENTS.md | says changed sub/AGENTS.md | epoch 2 resources-changed
two files | one gone, one changes | pending file-changed AGENTS.md, file-removed sub/AGENTS.md | says changed AGENTS.md, removed sub/AGENTS.md | epoch 2 resources-changed
two files | one unreadable | pending unavailable sub/AGENTS.md | pending unavailable sub/AGENTS.md | pending unavailable sub/AGENTS.md
two files | one unreadable, one changes | pending unavailable sub/AGENTS.md, file-changed AGENTS.md | says changed AGENTS.md; pending unavailable sub/AGENTS.md | epoch 2 resources-changed
file: | present → other text | pending file-changed sub/NOTE.txt | says changed note | epoch 2 resources-changed
file: | present → gone | pending file-removed sub/NOTE.txt | says removed note | epoch 2 resources-changed
file: | none → present | pending file-added sub/NOTE.txt | says added note | epoch 2 resources-changed
file: | present → unreadable | pending unavailable file:NOTE.txt | pending unavailable file:NOTE.txt | pending unavailable file:NOTE.txt
file: | unreadable → present | pending recovered file:NOTE.txt | says added note | epoch 2 recovered
skill | body changes | pending skill-changed .agents/skills/a/SKILL.md | says changed skills | epoch 2 resources-changed
skill | another one | pending skill-added .agents/skills/b/SKILL.md | says changed skills | epoch 2 resources-changed
skill | gone | pending skill-removed .agents/skills/a/SKILL.md | says removed skills | epoch 2 resources-changed
tool | another one | pending tool-added write | pending tool-added write | pending tool-added write
tool | other advice | pending fact-changed tools:list | says changed tools | epoch 2 tools-changed
nothing | nothing | nothing | nothing | nothing
";

#[test]
fn what_a_change_leads_to_is_the_sections_own_choice() {
    let mut printed = String::from("source | before → now | hold | amend | renew\n");
    for (source, change, before, now) in rows() {
        let _ = write!(printed, "{source} | {change}");
        for policy in [OnDrift::Hold, OnDrift::Amend, OnDrift::Renew] {
            let name = match policy {
                OnDrift::Hold => "hold",
                OnDrift::Amend => "amend",
                OnDrift::Renew => "renew",
            };
            let mut talk = Talk::new(&LAYOUT.replace("POLICY", name));
            talk.cwd = "/p/sub";
            talk.watch = if policy == OnDrift::Hold { Watch::All } else { Watch::Acting };
            talk.tools = before.tools.clone();
            let first = talk.turn(&before.world);
            talk.tools = now.tools.clone();
            let second = talk.turn(&now.world);
            if second.began == Began::Before {
                assert_eq!(first.prefix(), second.prefix(), "{source}: {change}: {name}: the epoch stands");
            }
            let _ = write!(printed, " | {}", summary(&second));
            // What was said once is not said again.
            let third = talk.turn(&now.world);
            assert_eq!((third.began, third.fresh), (Began::Before, 0), "{source}: {change}: {name}");
            assert_eq!(third.amendments, second.amendments);
            assert_eq!(third.prefix(), second.prefix());
        }
        printed.push('\n');
    }
    assert_eq!(printed, EXPECTED);
}

fn summary(turn: &Turn) -> String {
    let mut parts = Vec::new();
    if turn.began == Began::Now {
        let epoch = turn.epoch.as_ref().unwrap();
        parts.push(format!("epoch {} {}", epoch.number(), epoch.cause().name()));
    }
    if turn.fresh > 0 {
        let fresh = &turn.amendments[turn.amendments.len() - turn.fresh..];
        let said = fresh.iter().map(|amendment| {
            let subject = amendment.body.file.as_ref().unwrap_or(&amendment.body.section);
            format!("{} {subject}", amendment.body.kind.name())
        });
        parts.push(format!("says {}", said.collect::<Vec<_>>().join(", ")));
    }
    if !turn.pending.is_empty() {
        parts.push(format!("pending {}", reported(&turn.pending).join(", ")));
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
}

#[derive(Clone)]
struct Scene {
    world: MemoryWorld,
    tools: Option<Vec<Tool>>,
}

fn rows() -> Vec<(&'static str, &'static str, Scene, Scene)> {
    let scene = |world: MemoryWorld| Scene { world: world.file("/p/sub/.keep", ""), tools: None };
    let nothing = || scene(project());
    let agents = |text: &str| scene(project().file("/p/AGENTS.md", text));
    let no_agents = || scene(project().unreadable("/p/AGENTS.md", ReasonCode::NotPermitted));
    let both = |root: &str, sub: &str| scene(project().file("/p/AGENTS.md", root).file("/p/sub/AGENTS.md", sub));
    let half = |root: &str| {
        scene(project().file("/p/AGENTS.md", root).unreadable("/p/sub/AGENTS.md", ReasonCode::NotPermitted))
    };
    let note = |text: &str| scene(project().file("/p/sub/NOTE.txt", text));
    let no_note = || scene(project().unreadable("/p/sub/NOTE.txt", ReasonCode::NotPermitted));
    let skill = |name: &str, body: &str| format!("---\nname: {name}\ndescription: d\n---\n{body}\n");
    let one = |body: &str| project().file("/p/.agents/skills/a/SKILL.md", skill("a", body));
    let two = || one("x").file("/p/.agents/skills/b/SKILL.md", skill("b", "y"));
    let advised = |snippet: &str| {
        let tool = Tool { prompt_snippet: Some(snippet.to_owned()), ..Tool::named("read") };
        Scene { tools: Some(vec![tool]), ..nothing() }
    };
    let more = || {
        let mut scene = advised("Reads.");
        scene.tools.as_mut().unwrap().push(Tool::named("write"));
        scene
    };
    vec![
        ("AGENTS.md", "present → other text", agents("one"), agents("two")),
        ("AGENTS.md", "present → gone", agents("one"), nothing()),
        ("AGENTS.md", "none → present", nothing(), agents("one")),
        ("AGENTS.md", "present → unreadable", agents("one"), no_agents()),
        ("AGENTS.md", "none → unreadable", nothing(), no_agents()),
        ("AGENTS.md", "unreadable → present", no_agents(), agents("one")),
        ("AGENTS.md", "unreadable → none", no_agents(), nothing()),
        ("AGENTS.md", "unreadable → unreadable", no_agents(), no_agents()),
        ("two files", "one changes", both("r", "s"), both("r", "t")),
        ("two files", "one gone, one changes", both("r", "s"), agents("q")),
        ("two files", "one unreadable", both("r", "s"), half("r")),
        ("two files", "one unreadable, one changes", both("r", "s"), half("q")),
        ("file:", "present → other text", note("one"), note("two")),
        ("file:", "present → gone", note("one"), nothing()),
        ("file:", "none → present", nothing(), note("one")),
        ("file:", "present → unreadable", note("one"), no_note()),
        ("file:", "unreadable → present", no_note(), note("one")),
        ("skill", "body changes", scene(one("x")), scene(one("y"))),
        ("skill", "another one", scene(one("x")), scene(two())),
        ("skill", "gone", scene(one("x")), nothing()),
        ("tool", "another one", advised("Reads."), more()),
        ("tool", "other advice", advised("Reads."), advised("Reads a file.")),
        ("nothing", "nothing", agents("one"), agents("one")),
    ]
}
