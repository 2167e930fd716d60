//! Repositories that are made from a number: what people have in theirs, and what attackers would.
//!
//! Names, places, sizes, encodings, links, letters, imports, rules and skills are drawn by chance. The same number makes the same files.

use std::fs;
use std::path::Path;

/// Makes a repository; where an agent is started in it is the answer.
pub(crate) fn make(root: &Path, seed: u64) -> &'static str {
    let mut draw = Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    if !draw.one_in(10) {
        write(root, ".git/HEAD", b"ref: refs/heads/main\n");
    }
    for directory in DIRECTORIES {
        fs::create_dir_all(root.join(directory)).expect("a directory can be made");
        for name in NAMES {
            // Most files are at the root.
            if draw.one_in(if directory.is_empty() { 4 } else { 12 }) {
                put(root, &format!("{directory}{name}"), &mut draw);
            }
        }
        for (rules, ending) in RULES {
            for number in 0..if draw.one_in(8) { draw.below(6) } else { 0 } {
                let text = [*draw.of(&HEADS), &draw.text()].concat();
                write(root, &format!("{directory}{rules}/r{number}{ending}"), text.as_bytes());
            }
        }
        for skills in SKILLS {
            for number in 0..if draw.one_in(10) { draw.below(8) } else { 0 } {
                let text = [*draw.of(&SKILL_HEADS), &draw.text()].concat();
                write(root, &format!("{directory}{skills}/s{number}/SKILL.md"), text.as_bytes());
            }
        }
    }
    for number in 0..draw.below(200) {
        write(root, &format!("src/part{}/file{number}.rs", number % 17), b"fn main() {}\n");
    }
    DIRECTORIES[draw.below(DIRECTORIES.len())]
}

const DIRECTORIES: [&str; 6] = ["", "packages/", "packages/app/", "packages/app/src/", "docs/", "crates/core/"];
const NAMES: [&str; 30] = [
    "AGENTS.md",
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    "WARP.md",
    "CRUSH.md",
    "AGENT.md",
    "CONTEXT.md",
    "AGENTS.override.md",
    "AGENTS.local.md",
    "CLAUDE.local.md",
    "agents.md",
    "Claude.md",
    "AGENTS.MD",
    "README.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".rules",
    ".goosehints",
    ".roorules",
    ".claude/CLAUDE.md",
    ".claude/AGENTS.md",
    ".agents/AGENTS.md",
    ".factory/AGENTS.md",
    ".github/copilot-instructions.md",
    ".junie/guidelines.md",
    ".pi/APPEND_SYSTEM.md",
];
const RULES: [(&str, &str); 9] = [
    (".claude/rules", ".md"),
    (".claude/rules/deep/er", ".md"),
    (".cursor/rules", ".mdc"),
    (".github/instructions", ".instructions.md"),
    (".windsurf/rules", ".md"),
    (".qwen/rules", ".md"),
    (".roo/rules", ".txt"),
    (".kiro/steering", ".md"),
    (".cline/rules", ".md"),
];
const SKILLS: [&str; 6] =
    [".claude/skills", ".agents/skills", ".codex/skills", ".github/skills", ".opencode/skill", ".gemini/skills"];
const HEADS: [&str; 10] = [
    "",
    "---\npaths: \"src/**/*.py\"\n---\n",
    "---\npaths: [a/*.ts, b/**]\n---\n",
    "---\npaths: [unclosed\n---\n",
    "---\nglobs: **/*.ts, **/*.tsx\nalwaysApply: false\n---\n",
    "---\ndescription: \"a: b\"\nalwaysApply: true\n---\n",
    "---\napplyTo: \"**\"\n---\n",
    "---\ntrigger: glob\nglobs: x/**\n---\n",
    "---\ninclusion: fileMatch\nfileMatchPattern: [\"*.rs\"]\n---\n",
    "---\nnever closed\n",
];
const SKILL_HEADS: [&str; 6] = [
    "---\nname: one\ndescription: does a thing\n---\n",
    "---\nname: one\ndescription: does it: with a colon\n---\n",
    "---\ndescription: has no name\ndisable-model-invocation: true\n---\n",
    "---\nname: two\n---\n",
    "\u{feff}---\nname: three\ndescription: d\n---\n",
    "no head\n",
];
const LINES: [&str; 9] = [
    "Run the tests before every commit, and say what you changed and why.\n",
    "See @AGENTS.md and @docs/guide.md for more.\n",
    "@./CLAUDE.md\n@../AGENTS.md @~/.ssh/id_rsa @/etc/passwd\n",
    "<!-- a comment\nof two lines -->\n",
    "```sh\ncargo test # @not/imported.md\n```\n",
    "\u{202e}backwards\u{202c} and \u{e0041} hidden\n",
    "你好，世界 🌍 é\n",
    "- item\n  - item within\r\n",
    "| a | b |\n|---|---|\n",
];

/// A file of a name, in one of the ways in which files are there.
fn put(root: &Path, path: &str, draw: &mut Draw) {
    let at = root.join(path);
    fs::create_dir_all(at.parent().expect("it is in the repository")).expect("a directory can be made");
    let text = draw.text();
    let bytes = match draw.below(16) {
        0 => Vec::new(),
        1 => b" \n\t\n".to_vec(),
        2 => ["\u{feff}", &text].concat().into_bytes(),
        3 => text.replace('\n', "\r\n").into_bytes(),
        4 => [text.as_bytes(), b"\xff\xfe\0caf\xe9"].concat(),
        5 => b"@AGENTS.md\n".to_vec(),
        #[cfg(unix)]
        6 => {
            let to = draw.of(&["AGENTS.md", "../AGENTS.md", "missing.md", "/etc/hostname", "."]);
            // A name that was drawn twice is there already.
            let _ = std::os::unix::fs::symlink(to, &at);
            return;
        }
        7 => {
            let _ = fs::create_dir(&at);
            return;
        }
        _ => text.into_bytes(),
    };
    if !at.is_dir() && at.symlink_metadata().is_err() {
        fs::write(at, bytes).expect("a file can be written");
    }
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    // What was drawn before may be a file where a directory should be.
    if fs::create_dir_all(path.parent().expect("it is in the repository")).is_ok() {
        let _ = fs::write(path, bytes);
    }
}

/// Chance that can be repeated.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).unwrap_or(0)
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn of<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }

    /// A text, mostly short, sometimes of 60 KB.
    fn text(&mut self) -> String {
        let lines = match self.below(20) {
            0 => 1_000,
            1..=4 => 150,
            _ => 12,
        };
        (0..self.below(lines) + 1).map(|_| *self.of(&LINES)).collect()
    }
}
