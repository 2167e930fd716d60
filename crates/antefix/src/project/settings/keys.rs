//! Every key of a user's settings: see [`reference`](crate::reference).

use crate::reference::{Key, KeyTable, page};

/// The tables of a `settings.toml`, in the order of the page.
pub const SETTINGS_TABLES: &[KeyTable] = &[TOP, REMOTE, COMMANDS, DOCUMENTATION, ACP, CHECK];

/// The reference page, `docs/reference/settings.md`.
pub fn settings_page() -> String {
    page(include_str!("keys_head.md"), SETTINGS_TABLES, include_str!("keys_tail.md"))
}

const TOP: KeyTable = KeyTable {
    name: "",
    title: "At the top",
    about: "What antefix may read, and what becomes of texts that nobody vouches for.",
    keys: &[
        Key::new(
            "env_allow",
            "list of names",
            "none",
            "the variables of the environment that `env:` may name",
            "env_allow = [\"EDITOR\"]",
        ),
        Key::new(
            "file_roots",
            "list of directories",
            "none",
            "directories besides the project that `file:` may read",
            "file_roots = [\"/srv/prompts\"]",
        ),
        Key::new(
            "hidden_text",
            "`block`, `escape`, `allow`",
            "`block`",
            "what becomes of characters that nobody sees: a single one is left out and more keep the file out; they are written out; or they stay",
            "hidden_text = \"escape\"",
        ),
        Key::new(
            "secrets",
            "`redact`, `keep`",
            "`redact`",
            "what becomes of what looks like a secret",
            "secrets = \"keep\"",
        ),
        Key::new(
            "untrusted_text",
            "`use`, `withhold`",
            "`use`",
            "what becomes of the text of projects that you do not trust",
            "untrusted_text = \"withhold\"",
        ),
        Key::new(
            "trusted",
            "list of directories",
            "none",
            "directories whose projects are trusted; `antefix trust` does it one by one",
            "trusted = [\"/home/ada/work\"]",
        ),
        Key::new(
            "exclude",
            "list of patterns",
            "none",
            "instruction files and rules that are not used, by their paths from a project's root or from `~/`",
            "exclude = [\"vendor/**\"]",
        ),
        Key::new(
            "include",
            "list of patterns",
            "none",
            "files that are used besides, by the same paths; they come before those of the project's directories",
            "include = [\"~/notes.md\"]",
        ),
        Key::new(
            "time_zone",
            "name of a time zone",
            "the machine's",
            "of times for people",
            "time_zone = \"Europe/Berlin\"",
        ),
        Key::new(
            "identity",
            "table",
            "none",
            "where the operator's prompt is kept: `[identity.operator]`, [below](#identityoperator-and-memorycore)",
            "identity = { operator = { file = \"operator.md\" } }",
        ),
        Key::new(
            "memory",
            "table",
            "none",
            "where the core memory is kept: `[memory.core]`, [below](#identityoperator-and-memorycore)",
            "memory = { core = { file = \"memory.md\" } }",
        ),
        Key::new(
            "commands",
            "table of tables",
            "none",
            "programs whose output templates may name: [below](#commandsname)",
            "commands = { cluster = { command = [\"kubectl\", \"config\", \"current-context\"] } }",
        ),
        Key::new(
            "documentation",
            "table",
            "none",
            "where the documentation of your agent is: [below](#documentation)",
            "documentation = { main = \"~/agent/README.md\" }",
        ),
        Key::new(
            "acp",
            "table",
            "none",
            "what `antefix acp` does: [below](#acp)",
            "acp = { client_key = \"antefix\" }",
        ),
        Key::new(
            "check",
            "table",
            "none",
            "how much findings matter: [below](#check)",
            "check = { deny = [\"warnings\"] }",
        ),
    ],
};

const REMOTE: KeyTable = KeyTable {
    name: "[memory.core]",
    title: "`[identity.operator]` and `[memory.core]`",
    about: "Who the agent is, and what it remembers, may be kept outside of the repository: in a file, by a program, or on a server. \
            Each of the two tables names exactly one of `file`, `command` and `http`.",
    keys: &[
        Key::new("file", "path", "one of three", "beside the settings, or from `/` or `~/`", "file = \"memory.md\""),
        Key::new(
            "command",
            "list of words",
            "one of three",
            "a program that prints it",
            "command = [\"/usr/local/bin/memory\", \"core\"]",
        ),
        Key::new(
            "http",
            "address",
            "one of three",
            "a server that answers with it",
            "http = \"https://memory.example/core\"",
        ),
        Key::new(
            "bearer_env",
            "name of a variable",
            "none",
            "the variable with the token for the server",
            "bearer_env = \"MEMORY_TOKEN\"",
        ),
        Key::new(
            "timeout_ms",
            "number",
            "3000",
            "how long it may take when an epoch begins, up to 60000",
            "timeout_ms = 1000",
        ),
        Key::new(
            "turn_timeout_ms",
            "number",
            "500",
            "the same in a turn of a conversation that is open",
            "turn_timeout_ms = 200",
        ),
        Key::new("max_bytes", "number", "65536", "how long the text may be, up to 1 MiB", "max_bytes = 20000"),
        Key::new("enabled", "`true`, `false`", "`true`", "whether it is asked for at all", "enabled = false"),
    ],
};

const COMMANDS: KeyTable = KeyTable {
    name: "[commands.cluster]",
    title: "`[commands.NAME]`",
    about: "Programs whose output templates may name, here as `[command:cluster]` or `{{ command.cluster }}`. A command runs in projects that you trust \
            (`antefix trust`, or `trusted` above) and in no other, in your home directory. A template names it and can add nothing to it; what it prints is \
            looked through like a file. Elsewhere the fact is not asked for, and a finding says so.",
    keys: &[
        Key::new(
            "command",
            "list of words",
            "needed",
            "a program and its arguments; no shell sees them",
            "command = [\"kubectl\", \"config\", \"current-context\"]",
        ),
        Key::new(
            "timeout_ms",
            "number",
            "3000",
            "how long it may take when an epoch begins, up to 60000",
            "timeout_ms = 1000",
        ),
        Key::new(
            "turn_timeout_ms",
            "number",
            "500",
            "the same in a turn of a conversation that is open",
            "turn_timeout_ms = 200",
        ),
        Key::new("max_bytes", "number", "65536", "how long its output may be, up to 1 MiB", "max_bytes = 20000"),
        Key::new("enabled", "`true`, `false`", "`true`", "whether it is run at all", "enabled = false"),
    ],
};

const DOCUMENTATION: KeyTable = KeyTable {
    name: "[documentation]",
    title: "`[documentation]`",
    about: "Where the documentation of your agent itself is; the layout `pi` points to it.",
    keys: &[
        Key::new("main", "path or address", "none", "where to begin", "main = \"~/agent/README.md\""),
        Key::new("additional", "path or address", "none", "what there is besides", "additional = \"~/agent/docs\""),
        Key::new("examples", "path or address", "none", "examples", "examples = \"~/agent/examples\""),
    ],
};

const ACP: KeyTable = KeyTable {
    name: "[acp]",
    title: "`[acp]`",
    about: "What [`antefix acp`](../howto/acp.md) does.",
    keys: &[
        Key::new(
            "client_key",
            "text",
            "`antefix.systemPrompt`",
            "the key in `_meta` under which an editor brings a prompt of its own",
            "client_key = \"antefix\"",
        ),
        Key::new(
            "agents",
            "table of texts",
            "none",
            "how agents take a prompt, by the names that they give themselves",
            "agents = { my-agent = \"meta\" }",
        ),
    ],
};

const CHECK: KeyTable = KeyTable {
    name: "[check]",
    title: "`[check]`",
    about: "How much findings matter to [`antefix check`](../howto/ci.md). A project may have the same keys in `.antefix/check.toml`.",
    keys: &[
        Key::new("deny", "list of codes, or `warnings`", "none", "findings that are errors", "deny = [\"warnings\"]"),
        Key::new(
            "levels",
            "table: `off`, `note`, `warning`, `error`",
            "none",
            "how much a finding matters, [by its code](findings.md)",
            "levels = { blank = \"off\" }",
        ),
        Key::new("max_tokens", "number", "none", "a prompt with more tokens is an error", "max_tokens = 20000"),
    ],
};
