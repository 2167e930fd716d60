//! The tables of keys are what is read: no key more, no key less, and every example works.

use std::collections::BTreeSet;

use antefix::compose::LAYOUT_TABLES;
use antefix::project::{SETTINGS_TABLES, Settings};
use antefix::reference::{Key, KeyTable};
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};

/// A key that nobody knows.
const UNKNOWN: &str = "zzzzzzzzzzzz";

const SECTION: &str = "[[section]]\nid = \"rules\"\nstability = \"fixed\"\ntext = \"Hello.\"\n";

/// A layout around the keys of a table, at `{}`.
fn layout_around(table: &str) -> String {
    match table {
        "" => format!("{{}}\n{SECTION}"),
        "[[section]]" => "[[section]]\n{}\n".to_owned(),
        "budget = { … }" => format!("{SECTION}budget = {{ {{}} }}\n"),
        "text = { … }" => format!("{SECTION}[instructions]\ntext = {{ {{}} }}\n"),
        "imports = { … }" => format!("{SECTION}[instructions]\nimports = {{ {{}} }}\n"),
        "rules = [{ … }]" => format!("{SECTION}[instructions]\nrules = [{{ {{}} }}]\n"),
        "patterns = { … }" => {
            format!("{SECTION}[instructions]\nrules = [{{ path = \".cursor/rules\", patterns = {{ {{}} }} }}]\n")
        }
        "roots = [{ … }]" => format!("{SECTION}[skills]\nroots = [{{ {{}} }}]\n"),
        "descriptions_limit = { … }" => format!("{SECTION}[skills]\ndescriptions_limit = {{ {{}} }}\n"),
        "defer = { … }" => format!("{SECTION}[tools]\ndefer = {{ {{}} }}\n"),
        "allow = [{ … }]" => format!("{SECTION}[scope]\nallow = [{{ {{}} }}]\n"),
        table => format!("{SECTION}{table}\n{{}}\n"),
    }
}

/// Settings around the keys of a table.
fn settings_around(table: &str) -> String {
    match table {
        "" => "{}".to_owned(),
        table => format!("{table}\n{{}}\n"),
    }
}

/// What a key needs beside it.
fn with_others(table: &KeyTable, key: &Key) -> Vec<&'static str> {
    let mut lines = vec![key.example];
    let mut add = |other: &'static str| {
        if other.split(' ').next() != Some(key.name) {
            lines.push(other);
        }
    };
    match table.name {
        "[[section]]" => {
            add("id = \"rules\"");
            add(match key.name {
                "frozen_facts" => "stability = \"live\"",
                _ => "stability = \"frozen\"",
            });
            match key.name {
                "file" | "wording" => {}
                // A fixed section names no facts.
                "stability" => add("text = \"Hello.\""),
                "place" => {
                    add("role = \"user\"");
                    add("text = \"Hello.\"");
                }
                _ => add("text = \"On {{ git.branch }}.\""),
            }
        }
        "" if key.name == "cut" => add("budget = 1000"),
        "budget = { … }" if key.name.starts_with("notice") => add("bytes = 1000"),
        "imports = { … }" => add("how = \"follow\""),
        "rules = [{ … }]" => {
            add("path = \".cursor/rules\"");
            add("endings = [\".md\"]");
        }
        "roots = [{ … }]" => add("path = \".agents/skills\""),
        "descriptions_limit = { … }" => {
            add("characters = 10");
            add("over = \"cut\"");
        }
        "defer = { … }" => add("over = 10"),
        "allow = [{ … }]" => {
            add("target = \"src\"");
            add("permission = \"read\"");
        }
        "[scope]" => add("allow = [{ target = \".\", permission = \"write\" }]"),
        "[[hook]]" => {
            add("on = \"opened\"");
            add("command = [\"./hook\"]");
        }
        "[memory.core]" if key.name == "bearer_env" => add("http = \"https://memory.example/core\""),
        "[memory.core]" if !["file", "command", "http"].contains(&key.name) => add("file = \"memory.md\""),
        "[commands.cluster]" => add("command = [\"kubectl\"]"),
        _ => {}
    }
    lines
}

fn filled(frame: &str, lines: &[&str]) -> String {
    // A table in braces has its keys in one line.
    frame.replace("{}", &lines.join(if frame.contains("{ {} }") { ", " } else { "\n" }))
}

fn read_layout(text: &str) -> antefix::Result<()> {
    // The text of the example stands for any digest.
    let text = text.replace("sha256:…", &format!("sha256:{}", "0".repeat(64)));
    // A section of the layout itself may be the key that is tried.
    let text = if text.contains("section = [") { text.replace(SECTION, "") } else { text };
    let world = MemoryWorld::new()
        .var("HOME", "/home/u")
        .file("/p/.git/HEAD", "")
        .file("/p/src/gen/a", "")
        .file("/p/.antefix/layout.toml", text);
    Antefix::builder().world(world).store("memory").build()?.project("/p")?.resolve(&Ask::new()).map(drop)
}

fn read_settings(text: &str) -> antefix::Result<()> {
    Settings::parse(text).map(drop)
}

/// The keys that the code says it knows.
fn known(error: &antefix::Error) -> BTreeSet<String> {
    let hint = error.hint().unwrap_or_default();
    let list = hint.strip_prefix("the keys are ").unwrap_or_else(|| panic!("{error}: {hint}"));
    list.split('`').skip(1).step_by(2).filter(|name| !name.starts_with("antefix ")).map(str::to_owned).collect()
}

/// The tables of a file, what is written around one of them, and how it is read.
type FileOfKeys = (&'static [KeyTable], fn(&str) -> String, fn(&str) -> antefix::Result<()>);

const FILES: [FileOfKeys; 2] =
    [(LAYOUT_TABLES, layout_around, read_layout), (SETTINGS_TABLES, settings_around, read_settings)];

#[test]
fn every_key_is_in_its_table_and_every_example_is_read() {
    for (tables, around, read) in FILES {
        check(tables, around, read);
    }
}

fn check(tables: &[KeyTable], around: fn(&str) -> String, read: fn(&str) -> antefix::Result<()>) {
    for table in tables {
        let frame = around(table.name);
        let unknown = format!("{UNKNOWN} = 1");
        let error = read(&filled(&frame, &[&unknown])).expect_err("nobody knows that key");
        assert_eq!(error.message(), format!("unknown key `{UNKNOWN}`"), "{}: {error:#}", table.title);
        let written: BTreeSet<String> = table.keys.iter().map(|key| key.name.to_owned()).collect();
        let mut read_there = known(&error);
        // A command of the user's is read as any text that is kept elsewhere, and is refused if it is anything but a program.
        if table.name == "[commands.cluster]" {
            read_there.retain(|key| !["file", "http", "bearer_env"].contains(&key.as_str()));
        }
        assert_eq!(read_there, written, "the table of `{}` and the code differ", table.title);
        for key in table.keys {
            assert!(key.example.starts_with(&format!("{} = ", key.name)), "{}", key.example);
            let text = filled(&frame, &with_others(table, key));
            if let Err(error) = read(&text) {
                panic!("the example of `{}` in `{}` cannot be read: {error:#}\n{text}", key.name, table.title);
            }
        }
    }
}

/// A key whose kind is a list of words takes each of them.
#[test]
fn every_word_that_a_table_offers_is_read() {
    let mut tried = 0;
    for (tables, around, read) in FILES {
        for table in tables {
            for key in table.keys.iter().filter(|key| key.kind.split(", ").all(|word| word.starts_with('`'))) {
                for word in key.kind.split(", ").map(|word| word.trim_matches('`')) {
                    let value = if matches!(word, "true" | "false") { word.to_owned() } else { format!("\"{word}\"") };
                    let line = format!("{} = {value}", key.name);
                    let lines: Vec<&str> = with_others(table, key)
                        .into_iter()
                        .map(|other| if other == key.example { line.as_str() } else { other })
                        .filter(|other| !(word == "live" && other.starts_with("on_drift")))
                        .collect();
                    let text = filled(&around(table.name), &lines);
                    if let Err(error) = read(&text) {
                        panic!("`{line}` in `{}` cannot be read: {error:#}\n{text}", table.title);
                    }
                    tried += 1;
                }
                // The default is one of the words, where it is a word.
                if key.default.starts_with('`') {
                    assert!(key.kind.contains(key.default), "{}: {}", key.name, key.default);
                }
            }
        }
    }
    assert!(tried > 80, "{tried} words were tried");
}
