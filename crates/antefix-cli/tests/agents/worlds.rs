//! Homes with a project in them: every file has a canary, its own path from the home.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::request::CANARY;

/// What a world is made of.
pub(crate) struct World {
    pub(crate) name: &'static str,
    /// The agents that it is for; none for all.
    pub(crate) agents: &'static [&'static str],
    pub(crate) make: fn(&Place),
    /// Where the agent is started, from the home.
    pub(crate) cwd: &'static str,
    /// What the project's root is, from the home.
    pub(crate) root: &'static str,
    /// The file that the agent reads, from where it is started.
    pub(crate) touch: Option<&'static str>,
    /// Whether each canary is in one file: links lead to the same.
    pub(crate) distinct: bool,
}

/// A world on the disk.
pub(crate) struct Place {
    /// Goes away with the world.
    _scratch: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) cwd: PathBuf,
}

impl World {
    pub(crate) fn place(&self) -> Place {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().canonicalize().unwrap().join("home");
        let place = Place { _scratch: scratch, cwd: home.join(self.cwd), home };
        std::fs::create_dir_all(&place.cwd).unwrap();
        // With a way to sign in that was chosen before.
        place.write(".gemini/settings.json", settings("{}"));
        (self.make)(&place);
        place
    }
}

/// Settings of Gemini CLI: what it needs to start, with more.
fn settings(more: &str) -> String {
    let mut settings: serde_json::Value = serde_json::from_str(more).unwrap();
    settings["security"] = serde_json::json!({"auth": {"selectedType": "gemini-api-key"}});
    settings["privacy"] = serde_json::json!({"usageStatisticsEnabled": false});
    settings.to_string()
}

/// The canary of a file.
pub(crate) fn canary(path: &str) -> String {
    format!("{}{path}{}", CANARY[0], CANARY[1])
}

impl Place {
    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Files with nothing but their canaries.
    fn put(&self, paths: &[&str]) {
        for path in paths {
            self.write(path, canary(path) + "\n");
        }
    }

    /// A file that has its canary in the place of `{}`.
    fn with(&self, path: &str, text: &str) {
        self.write(path, text.replace("{}", &canary(path)));
    }

    fn link(&self, path: &str, to: &str) {
        let path = self.home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, path).unwrap();
    }

    fn repository(&self, path: &str) {
        self.write(&format!("{path}/.git/HEAD"), "ref: refs/heads/main\n");
        self.write(&format!("{path}/.git/config"), "[core]\n\trepositoryformatversion = 0\n");
        for directory in ["objects", "refs/heads"] {
            std::fs::create_dir_all(self.home.join(path).join(".git").join(directory)).unwrap();
        }
    }

    /// The user's own files of all agents.
    fn own(&self) {
        self.put(&[
            ".claude/CLAUDE.md",
            ".codex/AGENTS.md",
            ".codex/instructions.md",
            ".gemini/GEMINI.md",
            ".gemini/AGENTS.md",
            ".qwen/QWEN.md",
            ".qwen/AGENTS.md",
            ".config/opencode/AGENTS.md",
            ".copilot/copilot-instructions.md",
            ".agents/AGENTS.md",
        ]);
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.home.join(Path::new(path))
    }
}

const REPOSITORY: &str = "ws/repo";
const BELOW: &str = "ws/repo/mid/cwd";

/// Names that one agent or another reads in a directory.
const NAMES: [&str; 14] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    "AGENTS.override.md",
    "AGENTS.local.md",
    "AGENT.md",
    "CLAUDE.local.md",
    "CONTEXT.md",
    ".cursorrules",
    ".claude/CLAUDE.md",
    ".claude/AGENTS.md",
    ".agents/AGENTS.md",
    ".codex/AGENTS.md",
];

fn in_each(place: &Place, names: &[&str], directories: &[&str]) {
    for directory in directories {
        for name in names {
            place.put(&[&format!("{directory}/{name}")]);
        }
    }
}

/// What antefix tells, or the agent reads, in [`told_once`].
pub(crate) const TOLD: [&str; 5] = [
    "ws/repo/.agents/skills/shared/SKILL.md",
    "ws/repo/.claude/rules/rule.md",
    "ws/repo/.claude/skills/own/SKILL.md",
    "ws/repo/AGENTS.md",
    "ws/repo/mid/cwd/AGENTS.md",
];

/// Files that antefix reads, some of which one agent or another reads by itself.
pub(crate) fn told_once() -> World {
    World {
        name: "files that antefix reads and agents too",
        agents: &[],
        make: |place| {
            place.repository(REPOSITORY);
            place.put(&["ws/repo/AGENTS.md", "ws/repo/mid/cwd/AGENTS.md", "ws/repo/.claude/rules/rule.md"]);
            place.with("ws/repo/.claude/skills/own/SKILL.md", "---\nname: own\ndescription: {}\n---\nx\n");
            place.with("ws/repo/.agents/skills/shared/SKILL.md", "---\nname: shared\ndescription: {}\n---\nx\n");
        },
        cwd: BELOW,
        root: REPOSITORY,
        touch: None,
        distinct: true,
    }
}

/// All worlds.
pub(crate) fn worlds() -> Vec<World> {
    let world =
        |name, make| World { name, agents: &[], make, cwd: BELOW, root: REPOSITORY, touch: None, distinct: true };
    vec![
        world("every name in every directory", |place| {
            place.repository(REPOSITORY);
            place.own();
            in_each(
                place,
                &NAMES,
                &["ws", REPOSITORY, "ws/repo/mid", BELOW, "ws/repo/mid/cwd/deep", "ws/repo/mid/side"],
            );
            in_each(
                place,
                &[".github/copilot-instructions.md", ".opencode/AGENTS.md", ".qwen/QWEN.local.md"],
                &[REPOSITORY, BELOW],
            );
        }),
        world("AGENTS.md without any CLAUDE.md", |place| {
            place.repository(REPOSITORY);
            place.own();
            in_each(place, &["AGENTS.md", ".claude/AGENTS.md"], &["ws", REPOSITORY, "ws/repo/mid", BELOW]);
        }),
        World {
            root: BELOW,
            ..world("no repository", |place| {
                place.own();
                in_each(place, &NAMES, &["ws", REPOSITORY, "ws/repo/mid", BELOW]);
            })
        },
        World {
            cwd: REPOSITORY,
            ..world("empty files, marks, line ends, comments and bytes that are not text", |place| {
                place.repository(REPOSITORY);
                let odd = "\u{feff}---\nkey: value\n---\r\n{}\r\n\r\n<!-- block\ncomment -->\nText <!-- inline --> goes on.\n\n```\n<!-- fenced -->\n```\n\n\n";
                for name in ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", ".github/copilot-instructions.md"] {
                    place.with(&format!("ws/repo/{name}"), odd);
                }
                place.write("ws/repo/CLAUDE.local.md", b"CANARY[ws/repo/CLAUDE.local.md] \xff\xfe and more\n");
                place.write(".codex/AGENTS.md", b"CANARY[.codex/AGENTS.md] \xff\xfe and more\n\n");
                place.write(".gemini/GEMINI.md", b"CANARY[.gemini/GEMINI.md] \xff\xfe and more\n\n");
                place.write(".qwen/QWEN.md", b"CANARY[.qwen/QWEN.md] \xff\xfe and more\n\n");
                place.write(".config/opencode/AGENTS.md", b"CANARY[.config/opencode/AGENTS.md] \xff\xfe and more\n\n");
            })
        },
        world("empty files of preferred names", |place| {
            place.repository(REPOSITORY);
            place.put(&["ws/repo/AGENTS.md", "ws/repo/mid/AGENTS.md", "ws/repo/mid/cwd/AGENTS.md"]);
            place.write("ws/repo/mid/AGENTS.override.md", "");
            place.write("ws/repo/mid/cwd/AGENTS.override.md", " \n");
            place.write("ws/repo/CLAUDE.md", "");
            place.write("ws/repo/mid/CLAUDE.md", " \n\n");
            place.write("ws/repo/GEMINI.md", "");
            place.put(&["ws/repo/mid/GEMINI.md"]);
            place.write("ws/repo/mid/QWEN.md", "  ");
        }),
        world("long files", |place| {
            place.repository(REPOSITORY);
            let long = |path: &str, bytes: usize| {
                let filler = "é and so on, line after line, for a long time.\n".repeat(bytes / 48 + 1);
                format!("{}\n{filler}{}\n", canary(path), canary(&format!("{path}#end")))
            };
            for (path, bytes) in [
                ("ws/repo/AGENTS.md", 20_000),
                ("ws/repo/mid/AGENTS.md", 20_001),
                ("ws/repo/mid/cwd/AGENTS.md", 20_002),
                ("ws/repo/GEMINI.md", 150_000),
                ("ws/repo/mid/cwd/CLAUDE.md", 150_000),
                ("ws/repo/QWEN.md", 90_000),
                (".codex/AGENTS.md", 40_000),
            ] {
                place.write(path, long(path, bytes));
            }
        }),
        world("names in other letters", |place| {
            place.repository(REPOSITORY);
            place.put(&[
                "ws/repo/agents.md",
                "ws/repo/claude.md",
                "ws/repo/gemini.md",
                "ws/repo/qwen.md",
                "ws/repo/mid/Agents.md",
                "ws/repo/mid/Claude.md",
                "ws/repo/mid/Gemini.md",
                "ws/repo/mid/cwd/AGENTS.MD",
                "ws/repo/mid/cwd/CLAUDE.MD",
                "ws/repo/.github/Copilot-Instructions.md",
            ]);
        }),
        World {
            cwd: REPOSITORY,
            ..world("imports at the root", |place| {
                place.repository(REPOSITORY);
                let text = "{}\nSee @docs/one.md and @./docs/two.md, not `@docs/span.md` or a@docs/mail.md or (@docs/bracket.md).\n\
                    \n@docs/missing.md @docs\n\n```\n@docs/fence.md\n```\n\n<!-- @docs/comment.md -->\n\n    @docs/indented.md\n\n\
                    @../outside.md @~/home.md @docs/one.md end\n";
                for name in ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"] {
                    place.with(&format!("ws/repo/{name}"), text);
                }
                place.put(&["ws/outside.md", "home.md"]);
                for name in ["span", "mail", "bracket", "fence", "comment", "indented"] {
                    place.put(&[&format!("ws/repo/docs/{name}.md")]);
                }
                // A chain that goes deeper than anybody follows, and a cycle.
                place.with("ws/repo/docs/one.md", "{}\n@deep/a.md\n");
                for (name, next) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "g"), ("g", "h")]
                {
                    place.with(&format!("ws/repo/docs/deep/{name}.md"), &format!("{{}}\n@{next}.md\n"));
                }
                place.put(&["ws/repo/docs/deep/h.md"]);
                place.with("ws/repo/docs/two.md", "{}\n@two.md\n@three.txt\n");
                place.with("ws/repo/docs/three.txt", "{}\n@two.md\n");
            })
        },
        world("a bridge, below the root", |place| {
            place.repository(REPOSITORY);
            place.own();
            place.with(".claude/CLAUDE.md", "{}\n@more.md\n");
            place.put(&[".claude/more.md"]);
            place.with("ws/repo/CLAUDE.md", "@AGENTS.md\n{}\n");
            place.put(&["ws/repo/AGENTS.md"]);
            place.with("ws/repo/mid/cwd/CLAUDE.md", "@AGENTS.md\n@../AGENTS.md\n{}\n");
            place.put(&["ws/repo/mid/cwd/AGENTS.md", "ws/repo/mid/AGENTS.md"]);
        }),
        World {
            distinct: false,
            ..world("links", |place| {
                place.repository(REPOSITORY);
                place.put(&["ws/repo/AGENTS.md", "ws/repo/mid/text.md", "ws/elsewhere.md"]);
                place.link("ws/repo/CLAUDE.md", "AGENTS.md");
                place.link("ws/repo/GEMINI.md", "AGENTS.md");
                place.link("ws/repo/QWEN.md", "AGENTS.md");
                for name in ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
                    place.link(&format!("ws/repo/mid/{name}"), "text.md");
                    place.link(&format!("ws/repo/mid/cwd/{name}"), "../text.md");
                }
            })
        },
        World {
            distinct: false,
            ..world("the same text in three directories", |place| {
                place.repository(REPOSITORY);
                for name in ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
                    for directory in [REPOSITORY, "ws/repo/mid", BELOW] {
                        place.write(&format!("{directory}/{name}"), canary(name) + "\n");
                    }
                }
            })
        },
        World {
            agents: &["claude-code", "qwen-code", "copilot-cli", "cline"],
            cwd: REPOSITORY,
            touch: Some("src/x.py"),
            ..world("rules at the root", |place| {
                place.repository(REPOSITORY);
                place.own();
                place.put(&[
                    "ws/repo/CLAUDE.md",
                    "ws/repo/AGENTS.md",
                    "ws/repo/QWEN.md",
                    "ws/repo/CLAUDE.local.md",
                    "ws/repo/src/x.py",
                ]);
                for directory in [".claude/rules", ".qwen/rules", ".clinerules", ".cline/rules", ".github/instructions"]
                {
                    let ending = if directory.ends_with("instructions") { ".instructions.md" } else { ".md" };
                    let key = if directory.ends_with("instructions") { "applyTo" } else { "paths" };
                    let path = |name: &str| format!("ws/repo/{directory}/{name}{ending}");
                    place.with(&path("always"), "{}\n");
                    place.with(&path("matching"), &format!("---\n{key}: \"src/**/*.py\"\n---\n{{}}\n"));
                    place.with(&path("other"), &format!("---\n{key}: \"doc/**\"\n---\n{{}}\n"));
                }
                place.put(&[".claude/rules/own.md", ".qwen/rules/own.md", ".cline/rules/own.md"]);
            })
        },
        World {
            touch: Some("deep/er/x.py"),
            ..world("files below, and one of them is read", |place| {
                place.repository(REPOSITORY);
                place.put(&[
                    "ws/repo/mid/cwd/deep/er/x.py",
                    "ws/repo/AGENTS.md",
                    "ws/repo/CLAUDE.md",
                    "ws/repo/GEMINI.md",
                ]);
                in_each(
                    place,
                    &["AGENTS.md", "CLAUDE.md", "GEMINI.md"],
                    &["ws/repo/mid/cwd/deep", "ws/repo/mid/cwd/deep/er"],
                );
                place.put(&["ws/repo/mid/side/AGENTS.md", "ws/repo/mid/side/CLAUDE.md", "ws/repo/mid/side/GEMINI.md"]);
            })
        },
        world("skills", |place| {
            place.repository(REPOSITORY);
            let skill = |path: String, name: &str| {
                place.with(&path, &format!("---\nname: {name}\ndescription: {{}}\n---\nDo it.\n"));
            };
            let roots = [
                ".claude/skills",
                ".agents/skills",
                ".codex/skills",
                ".gemini/skills",
                ".qwen/skills",
                ".opencode/skill",
                ".opencode/skills",
                ".github/skills",
                ".cline/skills",
                ".copilot/skills",
                ".config/opencode/skills",
            ];
            for root in roots {
                // Each has a name of its own.
                let word = root.replace(['.', '/'], "");
                skill(format!("{root}/home-{word}/SKILL.md"), &format!("home-{word}"));
                skill(format!("ws/repo/{root}/root-{word}/SKILL.md"), &format!("root-{word}"));
                skill(format!("ws/repo/mid/cwd/{root}/near-{word}/SKILL.md"), &format!("near-{word}"));
            }
        }),
        world("settings of the agents' own", |place| {
            place.repository(REPOSITORY);
            in_each(
                place,
                &["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "TEAM.md", "AGENTS.local.md"],
                &[REPOSITORY, "ws/repo/mid", BELOW],
            );
            std::fs::remove_file(place.path("ws/repo/mid/AGENTS.md")).unwrap();
            place.write(
                ".codex/config.toml",
                "project_doc_fallback_filenames = [\"TEAM.md\", \"CLAUDE.md\"]\nproject_doc_max_bytes = 70\n",
            );
            place.write(".gemini/settings.json", settings(r#"{"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}"#));
            place.write(".qwen/settings.json", r#"{"context": {"fileName": ["TEAM.md", "AGENTS.md"]}}"#);
            place.write("ws/repo/opencode.json", r#"{"instructions": ["TEAM.md", "docs/guide.md"]}"#);
            place.put(&["ws/repo/docs/guide.md"]);
            place.write(
                ".claude/settings.json",
                r#"{"pluginConfigs": {"agents-md@builtin": {"options": {"instructionFiles": "claude-md-and-agents-md"}}},
                    "claudeMdExcludes": ["**/mid/CLAUDE.md"]}"#,
            );
        }),
    ]
}
