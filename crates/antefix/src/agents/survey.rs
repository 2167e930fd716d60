//! Files of a project that look as if they were meant for an agent, wherever they are.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::discover::world::{Answer, Kind, Link, World};
use crate::discover::{Paths, Workspace};

/// A file that looks like instructions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Where it is.
    pub path: PathBuf,
    /// The same, as it is shown.
    pub shown: String,
}

/// How many directories are searched.
const DIRECTORIES: usize = 5_000;
/// How many names are looked at.
const NAMES: usize = 50_000;
/// Directories that hold what programs made, or what others wrote.
const MADE: [&str; 10] =
    ["node_modules", "target", "dist", "build", "out", "venv", "__pycache__", "vendor", "bower_components", "coverage"];
/// Hidden directories in which agents look.
const AGENTS: [&str; 26] = [
    ".agent",
    ".agents",
    ".claude",
    ".cline",
    ".clinerules",
    ".codex",
    ".crush",
    ".cursor",
    ".devin",
    ".factory",
    ".gemini",
    ".github",
    ".goose",
    ".grok",
    ".junie",
    ".kilo",
    ".kiro",
    ".opencode",
    ".openhands",
    ".pi",
    ".qwen",
    ".roo",
    ".trae",
    ".warp",
    ".windsurf",
    ".zencoder",
];
/// Names that agents have for instruction files, in small letters.
const FILES: [&str; 22] = [
    "agents.md",
    "agents.override.md",
    "agents.local.md",
    "agent.md",
    "claude.md",
    "claude.local.md",
    "gemini.md",
    "qwen.md",
    "qwen.local.md",
    "warp.md",
    "crush.md",
    "crush.local.md",
    "copilot-instructions.md",
    "guidelines.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".roorules",
    ".goosehints",
    ".rules",
    "system.md",
    "append_system.md",
];

/// Looks for such files beneath the project root, within bounds; and whether that was all.
pub fn survey(world: &dyn World, workspace: &Workspace) -> (Vec<Candidate>, bool) {
    let root = &workspace.root;
    let mut found = Vec::new();
    let mut waiting: VecDeque<PathBuf> = [PathBuf::new()].into();
    let (mut directories, mut names) = (0, 0);
    while let Some(directory) = waiting.pop_front() {
        if directories == DIRECTORIES || names >= NAMES {
            return (found, false);
        }
        let Answer::Present(listing) = world.list(root, &directory, NAMES - names) else { continue };
        directories += 1;
        names += listing.entries.len();
        for entry in listing.entries {
            let inside = directory.join(&entry.name);
            match entry.kind {
                Some(Kind::Directory) if entry.link == Link::Symbolic => {}
                Some(Kind::Directory) if is_searched(&entry.name) => waiting.push_back(inside),
                Some(Kind::File) | None if is_usual(&inside) || looks_like_one(&inside) => {
                    let path = root.join(&inside);
                    let shown = workspace.show(&path, Paths::Portable);
                    found.push(Candidate { path, shown });
                }
                _ => {}
            }
        }
    }
    found.sort();
    (found, true)
}

fn is_searched(name: &str) -> bool {
    if name.starts_with('.') { AGENTS.contains(&name) } else { !MADE.contains(&name) }
}

/// Whether agents have this name for an instruction file or a rule.
pub(super) fn is_usual(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_lowercase()) else { return false };
    let inside = path.parent().map(|parent| parent.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    let within = |directory: &str| {
        inside == directory
            || inside.starts_with(&format!("{directory}/"))
            || inside.ends_with(&format!("/{directory}"))
            || inside.contains(&format!("/{directory}/"))
    };
    let is_text = [".md", ".mdc", ".markdown", ".txt"].iter().any(|ending| name.ends_with(ending));
    let own = |name: &str| match name {
        // Names that also mean something else count where agents look.
        "guidelines.md" => within(".junie"),
        "system.md" | "append_system.md" => within(".pi"),
        _ => true,
    };
    (FILES.contains(&name.as_str()) && own(&name))
        || name.ends_with(".instructions.md")
        || (is_text && RULES.iter().any(|directory| within(directory)))
}

/// Whether a name is like those that agents have: people try such names, and nobody reads them.
fn looks_like_one(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_lowercase()) else { return false };
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    // Deeper down they are documents about something else.
    let at_the_root = path.components().count() == 1;
    let begins = |start: &&str| stem.strip_prefix(*start).is_some_and(|rest| rest.starts_with(['-', '_', '.', ' ']));
    at_the_root
        && ["md", "mdc", "txt", "markdown"].contains(&ending)
        && (LIKE.contains(&stem) || BEGINNINGS.iter().any(begins))
}

/// What people call files for agents, without their endings.
const LIKE: [&str; 16] = [
    "ai",
    "ai-instructions",
    "ai_instructions",
    "cline",
    "codex",
    "context",
    "conventions",
    "copilot",
    "cursor",
    "cursorrules",
    "instructions",
    "llm",
    "llms",
    "prompt",
    "system-prompt",
    "windsurf",
];
/// What copies of such files begin with.
const BEGINNINGS: [&str; 6] = ["agents", "claude", "gemini", "codex", "copilot", "cursor"];

/// Directories in which every text is a rule.
const RULES: [&str; 14] = [
    ".claude/rules",
    ".cursor/rules",
    ".github/instructions",
    ".windsurf/rules",
    ".devin/rules",
    ".clinerules",
    ".cline/rules",
    ".roo/rules",
    ".qwen/rules",
    ".kiro/steering",
    ".kilo/rules",
    ".grok/rules",
    ".agents/rules",
    ".agent/rules",
];
