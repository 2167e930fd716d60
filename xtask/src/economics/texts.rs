//! The texts of a workload: made up here, in the sizes that real agents have.
//!
//! Sizes are those of first requests of coding agents as of autumn 2026: 20 to 80 KB of tools, 10 to 20 KB of system text.

use antefix::discover::tools::Tool;
use serde_json::{Map, json};

use super::random::Random;

const NOUNS: [&str; 28] = [
    "parser",
    "ledger",
    "request",
    "test",
    "schema",
    "migration",
    "handler",
    "queue",
    "index",
    "layout",
    "fixture",
    "module",
    "invoice",
    "customer",
    "scheduler",
    "report",
    "build",
    "release",
    "branch",
    "configuration",
    "endpoint",
    "table",
    "snapshot",
    "worker",
    "cursor",
    "import",
    "currency",
    "balance",
];
const VERBS: [&str; 18] = [
    "change", "read", "rename", "measure", "check", "extend", "remove", "document", "replace", "split", "move",
    "review", "restore", "simplify", "trace", "compare", "close", "open",
];
const WHEN: [&str; 8] = [
    "before you",
    "whenever you",
    "only after you",
    "as soon as you",
    "unless you",
    "each time you",
    "while you",
    "until you",
];
const ADVICE: [&str; 10] = [
    "say so in one sentence",
    "keep the smallest change that works",
    "leave the public names alone",
    "run its tests",
    "look at who else uses it",
    "write down the reason",
    "ask if two readings are possible",
    "keep the order of its fields",
    "add a case that fails without it",
    "prefer what the neighbors do",
];

/// A sentence of about twenty tokens.
pub(super) fn sentence(random: &mut Random) -> String {
    format!(
        "{} {} the {} of a {}, {}, and {} the {}.",
        capital(random.one_of(&WHEN)),
        random.one_of(&VERBS),
        random.one_of(&NOUNS),
        random.one_of(&NOUNS),
        random.one_of(&ADVICE),
        random.one_of(&VERBS),
        random.one_of(&NOUNS),
    )
}

/// Sentences of at least so many bytes together, in paragraphs.
pub(super) fn prose(random: &mut Random, bytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&sentence(random));
        number += 1;
        text.push_str(if number % 5 == 0 { "\n\n" } else { " " });
    }
    text.trim_end().to_owned()
}

/// The agent's own words, 14 KB: the same for every strategy.
pub(super) fn base() -> String {
    let mut random = Random::new(1);
    let mut text = "You are a coding agent. You work through tools in somebody's repository.\n".to_owned();
    for heading in ["How you work", "Changing code", "Using tools", "Tests", "Talking to people", "Safety"] {
        text.push_str(&format!("\n# {heading}\n\n{}\n", prose(&mut random, 2_300)));
    }
    text
}

/// The project's instructions, 6 KB.
pub(super) fn instructions() -> String {
    let mut random = Random::new(2);
    let mut text = "# Ledger\n".to_owned();
    for heading in ["Layout", "Habits", "Tests", "Releases"] {
        text.push_str(&format!("\n## {heading}\n\n{}\n", prose(&mut random, 1_450)));
    }
    text
}

/// What somebody adds to the instructions; no two of them are alike.
pub(super) fn rule(number: usize) -> String {
    let mut random = Random::new(100 + number as u64);
    format!("\n## Rule {}\n\n{}\n", canary("rule", number), prose(&mut random, 300))
}

/// A word that is nowhere else, to find out whether a request has what it belongs to.
pub(super) fn canary(what: &str, number: usize) -> String {
    format!("{what}-{number:03}-{}", ["amber", "basalt", "cobalt", "dune", "ember", "flint", "garnet"][number % 7])
}

/// The agent's own tools, 24 of them with 36 KB together.
pub(super) fn tools() -> Vec<Tool> {
    let names = [
        "read",
        "write",
        "edit",
        "bash",
        "grep",
        "find",
        "ls",
        "fetch",
        "search_web",
        "plan",
        "ask_user",
        "run_tests",
        "open_diff",
        "apply_patch",
        "list_symbols",
        "rename_symbol",
        "notebook",
        "memory_read",
        "memory_write",
        "spawn_agent",
        "wait_agent",
        "git_log",
        "git_show",
        "screenshot",
    ];
    (0..).zip(names).map(|(number, name)| tool(name, 10 + number, 1_100)).collect()
}

/// The tools of a server that comes and goes.
pub(super) fn server_tools(server: usize, count: usize) -> Vec<Tool> {
    (0..count)
        .map(|number| {
            let name = format!("{}_{number}", canary("server", server).replace('-', "_"));
            tool(&name, 200 + (server * 10 + number) as u64, 1_300)
        })
        .collect()
}

fn tool(name: &str, seed: u64, bytes: usize) -> Tool {
    let mut random = Random::new(seed);
    let mut properties = Map::new();
    for field in ["path", "query", "limit"] {
        let description = sentence(&mut random);
        properties.insert(field.to_owned(), json!({"type": "string", "description": description}));
    }
    Tool {
        description: Some(prose(&mut random, bytes)),
        prompt_snippet: Some(sentence(&mut random)),
        parameters: Some(json!({"type": "object", "properties": properties, "required": ["path"]})),
        ..Tool::named(name)
    }
}

/// A skill: its name, and what it is for.
pub(super) fn skill(number: usize) -> (String, String) {
    let mut random = Random::new(300 + number as u64);
    (canary("skill", number), prose(&mut random, 180).replace(['\n', ':'], " "))
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
