//! Every path in a prompt can be opened by whoever has nothing but the prompt, wherever it was composed.

use std::path::PathBuf;

use antefix_testing::Scratch;

use super::project;

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: does {name}\n---\n")
}

/// Instruction files and skills above, in and below the project, and at home.
fn everywhere() -> Scratch {
    project()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("p/AGENTS.md", "ROOT\n")
        .file("p/sub/AGENTS.md", "SUB\n")
        .file("p/.agents/skills/a/SKILL.md", &skill("a"))
        .file("p/sub/.agents/skills/b/SKILL.md", &skill("b"))
        .file("p/.pi/skills/c/SKILL.md", &skill("c"))
        .file("p/sub/.pi/skills/d.md", &skill("d"))
        .file("home/.pi/agent/AGENTS.md", "AGENT\n")
        .file("home/.config/antefix/AGENTS.md", "USER\n")
        .file("home/.agents/skills/e/SKILL.md", &skill("e"))
}

/// What a prompt says about a directory: the words behind a label, up to a bracket.
fn said(prompt: &str, label: &str) -> Option<PathBuf> {
    let line = prompt.lines().find_map(|line| line.strip_prefix(label))?;
    Some(PathBuf::from(line.split(" (").next()?))
}

/// The paths of a prompt, as it writes them.
fn paths(prompt: &str) -> Vec<&str> {
    let within = |line: &'static str, end: &'static str| {
        move |text: &'_ str| -> Option<(usize, usize)> {
            let start = text.find(line)? + line.len();
            Some((start, start + text[start..].find(end)?))
        }
    };
    let forms = [within("<location>", "</location>"), within("<instructions from=\"", "\">")];
    let framed = |line| forms.iter().find_map(|form| form(line).map(|(start, end): (usize, usize)| &line[start..end]));
    let heading = |line: &'_ str| line.strip_prefix("## ").map(str::len).map(|length| line.len() - length);
    prompt.lines().filter_map(|line| framed(line).or_else(|| heading(line).map(|start| &line[start..]))).collect()
}

#[test]
fn every_path_in_a_prompt_can_be_opened() {
    let scratch = everywhere();
    let table = [("pi", "p", 5), ("pi", "p/sub", 7), ("coding-agent", "p", 4), ("coding-agent", "p/sub", 6)];
    for (layout, directory, count) in table {
        let mut command = scratch.command(&["show", "--layout", layout]);
        command.current_dir(scratch.path(directory));
        let output = command.output().unwrap();
        let prompt = String::from_utf8(output.stdout).unwrap();
        let found = paths(&prompt);
        assert_eq!(found.len(), count, "{layout} in {directory}: {prompt}");
        let cwd = said(&prompt, "Working directory: ").or_else(|| said(&prompt, "Current working directory: "));
        let root = said(&prompt, "Project root: ").or(cwd).unwrap();
        for path in found {
            let whole = match path.strip_prefix("~/") {
                Some(path) => said(&prompt, "Home directory: ").unwrap().join(path),
                None => root.join(path),
            };
            let text = std::fs::read_to_string(&whole).unwrap_or_else(|error| panic!("{}: {error}", whole.display()));
            // It is the file that the prompt speaks of: its text, or its description, is there.
            let says = text.lines().find_map(|line| line.strip_prefix("description: ")).unwrap_or(text.trim());
            assert!(prompt.contains(says), "{layout} in {directory}: {path}");
        }
    }
}

/// The user's zone is the machine's, and a setting comes before it.
#[test]
fn times_are_in_the_users_zone() {
    let scratch = project().env("TZ", "CST6CDT,M3.2.0,M11.1.0");
    let now = |scratch: &Scratch| {
        let ran = scratch.run(&["show", "--layout", "pi", "--part", "suffix", "--now", "2026-03-07T14:55:05Z"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let line = ran.stdout.lines().find_map(|line| line.strip_prefix("Current date and time: ")).unwrap().to_owned();
        (line, ran.stderr)
    };
    assert_eq!(now(&scratch).0, "Saturday, March 7, 2026 at 08:55:05 AM CST");
    scratch.write("home/.config/antefix/settings.toml", "time_zone = 'CET-1CEST,M3.5.0,M10.5.0/3'\n");
    assert_eq!(now(&scratch).0, "Saturday, March 7, 2026 at 03:55:05 PM CET");
    scratch.write("home/.config/antefix/settings.toml", "time_zone = 'UTC'\n");
    assert_eq!(now(&scratch).0, "Saturday, March 7, 2026 at 02:55:05 PM UTC");
    scratch.write("home/.config/antefix/settings.toml", "time_zone = 'Mars/Phobos'\n");
    let (line, findings) = now(&scratch);
    assert_eq!(line, "Saturday, March 7, 2026 at 02:55:05 PM UTC");
    assert!(
        findings.contains("warning[time-zone]: times are in UTC: there is no time zone `Mars/Phobos`"),
        "{findings}"
    );
}
