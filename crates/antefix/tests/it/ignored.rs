//! Ignore files in directories of skills: what their rules leave alone, and what hostile ones cost.

use std::path::Path;
use std::time::{Duration, Instant};

use antefix::discover::skills::SkillRules;
use antefix::discover::{Discovery, Workspace, discover};
use antefix::worlds::MemoryWorld;

use crate::given;
use crate::instructions::world;
use crate::parts::Parts;

fn ask(world: &MemoryWorld, rules: &str) -> Discovery {
    let mut situation = Parts::new(Workspace::find(world, Path::new("/p")));
    situation.rules.skills = toml::from_str::<SkillRules>(rules).unwrap();
    discover(world, &situation.situation(), [&given::name("skills:listing")])
}

fn loaded(discovery: &Discovery) -> Vec<&str> {
    discovery.report.loaded.iter().filter_map(|loaded| loaded.path.as_deref()).collect()
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: d\n---\n")
}

#[test]
fn a_layout_may_have_ignore_files_not_obeyed() {
    let (path, text) = ("/p/.agents/skills/.gitignore", "*");
    let world = world(&[(path, text), ("/p/.agents/skills/x/SKILL.md", &skill("x"))]);
    assert_eq!(loaded(&ask(&world, "ignore = \"none\"")), [".agents/skills/x/SKILL.md"]);
    assert_eq!(loaded(&ask(&world, "ignore = \"git\"")), [""; 0]);
    assert_eq!(loaded(&ask(&world, "")), [""; 0], "by default they are obeyed");
}

#[test]
fn neither_the_projects_ignore_file_nor_a_skills_own_takes_a_skill_away() {
    let world = world(&[
        ("/p/.gitignore", ".agents/\nx/\n"),
        ("/p/.agents/.gitignore", "*"),
        ("/p/.agents/skills/x/.gitignore", "*"),
        ("/p/.agents/skills/x/SKILL.md", &skill("x")),
    ]);
    let discovery = ask(&world, "");
    assert_eq!(loaded(&discovery), [".agents/skills/x/SKILL.md"]);
    assert_eq!(discovery.report.not_loaded, []);
}

#[test]
fn patterns_that_take_long_end_the_scan_and_are_reported() {
    let pattern = format!("{}b\n", "*a".repeat(100));
    let mut world = world(&[("/p/.agents/skills/.gitignore", &pattern.repeat(300))]);
    for number in 0..500 {
        let directory = format!("{}{number}", "a".repeat(200));
        world = world.file(format!("/p/.agents/skills/{directory}/SKILL.md"), skill("x").as_str());
    }
    let start = Instant::now();
    let discovery = ask(&world, "");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let reported: Vec<&str> = discovery.diagnostics.iter().map(|reported| reported.message.as_str()).collect();
    assert_eq!(reported, [".agents/skills has ignore files that take too long: the rest is not searched"]);
}
