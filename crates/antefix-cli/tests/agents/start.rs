//! How each agent is started, so that it asks the recorder and nobody else.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use antefix_testing::{LEFT_OUT, Need};
use serde_json::json;

use crate::request::Request;
use crate::worlds::Place;

/// Where the agents are; `none` leaves them out.
const INSTALLED: &str = "ANTEFIX_TEST_AGENTS";
/// Whether those are run that are not run by default.
const ALL: &str = "ANTEFIX_TEST_ALL_AGENTS";
/// Those that could not be installed, with commas in between.
const WITHOUT: &str = "ANTEFIX_TEST_WITHOUT_AGENTS";

/// How an agent is started.
pub(crate) struct Start {
    /// The name of its file.
    pub(crate) agent: &'static str,
    /// The directory of `tests/agents` that it is installed from.
    packages: &'static str,
    /// Whether it is run by default.
    usual: bool,
    /// A script for `sh`; `$modules` is where its packages are, `$node` runs JavaScript.
    script: &'static str,
    /// Variables; `{url}` is where the recorder listens.
    pub(crate) variables: &'static [(&'static str, &'static str)],
    /// The tool that reads a file, and the argument that names it.
    reads: (&'static str, &'static str),
}

pub(crate) const CLAUDE_CODE: Start = Start {
    agent: "claude-code",
    packages: "claude-code",
    usual: true,
    script: "exec $modules/@anthropic-ai/claude-code-linux-*64/claude -p hello",
    variables: &[
        ("ANTHROPIC_BASE_URL", "{url}"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ],
    reads: ("Read", "file_path"),
};

pub(crate) const CODEX: Start = Start {
    agent: "codex",
    packages: "codex",
    usual: true,
    script: "exec $modules/@openai/codex-linux-*/vendor/*/bin/codex exec --skip-git-repo-check -c analytics.enabled=false -c features.plugins=false -c \"openai_base_url='$url/v1'\" hello",
    variables: &[("url", "{url}")],
    reads: ("", ""),
};

pub(crate) const GEMINI_CLI: Start = Start {
    agent: "gemini-cli",
    packages: "gemini-cli",
    usual: true,
    // A model that is named keeps it from asking another one which to take.
    script: "exec $node $modules/@google/gemini-cli/bundle/gemini.js --skip-trust -m gemini-3.1-pro-preview -p hello",
    variables: &[
        ("GOOGLE_GEMINI_BASE_URL", "{url}"),
        ("GEMINI_TELEMETRY_ENABLED", "false"),
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ],
    reads: ("read_file", "file_path"),
};

pub(crate) const OPENCODE: Start = Start {
    agent: "opencode",
    packages: "opencode",
    usual: false,
    script: "exec $modules/opencode-linux-*64/bin/opencode run -m anthropic/claude-sonnet-4-5 hello",
    variables: &[
        (
            "OPENCODE_CONFIG_CONTENT",
            r#"{"provider":{"anthropic":{"options":{"baseURL":"{url}/v1","apiKey":"none"}}},"autoupdate":false,"share":"disabled"}"#,
        ),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ],
    reads: ("read", "filePath"),
};

pub(crate) const QWEN_CODE: Start = Start {
    agent: "qwen-code",
    packages: "qwen-code",
    usual: false,
    script: "exec $node $modules/@qwen-code/qwen-code/cli.js --auth-type openai -p hello",
    variables: &[("OPENAI_BASE_URL", "{url}/v1"), ("OPENAI_MODEL", "gpt-5")],
    reads: ("read_file", "file_path"),
};

pub(crate) const COPILOT_CLI: Start = Start {
    agent: "copilot-cli",
    packages: "copilot-cli",
    usual: false,
    script: "exec $modules/@github/copilot-linux-*/copilot -p hello --allow-all-tools",
    variables: &[
        ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
        ("COPILOT_PROVIDER_TYPE", "openai"),
        ("COPILOT_PROVIDER_API_KEY", "none"),
        ("COPILOT_MODEL", "gpt-5"),
        ("COPILOT_AUTO_UPDATE", "false"),
    ],
    reads: ("view", "path"),
};

pub(crate) const CLINE: Start = Start {
    agent: "cline",
    packages: "cline",
    usual: false,
    script: "cline=$(echo $modules/@cline/cli-linux-*/bin/cline)
        $cline auth -p openai-compatible -k none -b $url/v1 -m gpt-5 >/dev/null && exec $cline 'say hello'",
    variables: &[("url", "{url}")],
    reads: ("", ""),
};

/// Agents that speak the Agent Client Protocol; `$proxy` is put before them.
pub(crate) const GEMINI_ACP: Start = Start {
    script: "exec $proxy $node $modules/@google/gemini-cli/bundle/gemini.js --skip-trust -m gemini-3.1-pro-preview --experimental-acp",
    ..GEMINI_CLI
};

pub(crate) const CLAUDE_ACP: Start = Start {
    packages: "claude-agent-acp",
    usual: false,
    script: "exec $proxy $node $modules/@agentclientprotocol/claude-agent-acp/dist/index.js",
    ..CLAUDE_CODE
};

pub(crate) const CODEX_ACP: Start = Start {
    packages: "codex-acp",
    usual: false,
    script: "mkdir -p ~/.codex
        printf \"openai_base_url = '%s/v1'\\n[analytics]\\nenabled = false\\n\" $url >~/.codex/config.toml
        exec $proxy $node $modules/@agentclientprotocol/codex-acp/dist/index.js",
    ..CODEX
};

impl Start {
    /// Whether its tests are left out, which is said on the output.
    pub(crate) fn is_left_out(&self) -> bool {
        if std::env::var(INSTALLED).is_ok_and(|place| place == "none") {
            println!("{LEFT_OUT}{}: {INSTALLED} is `none`", self.agent);
            return true;
        }
        if !self.usual && std::env::var_os(ALL).is_none() {
            println!("{LEFT_OUT}{}: run with --all-agents alone", self.agent);
            return true;
        }
        if std::env::var(WITHOUT).is_ok_and(|names| names.split(',').any(|name| name == self.packages)) {
            println!("{LEFT_OUT}{}: it could not be installed", self.agent);
            return true;
        }
        let place = place().join(self.packages);
        assert!(
            place.join("installed").exists(),
            "{} is not in {}: run `cargo xtask agents`, or set {INSTALLED}=none",
            self.agent,
            place.display()
        );
        Need::NAMESPACES.is_left_out()
    }

    /// Whether it can be made to read a file.
    pub(crate) fn can_touch(&self) -> bool {
        !self.reads.0.is_empty()
    }

    /// The script, with `more` before it.
    pub(crate) fn script(&self, more: &str) -> String {
        let modules = place().join(self.packages).join("node_modules");
        format!("modules={}\nnode={}\n{more}\n{}", modules.display(), place().join("node").display(), self.script)
    }

    /// Starts the agent in a world, and hands back what it asked its model.
    pub(crate) fn run(&self, world: &Place, touch: Option<&str>) -> Result<Vec<Request>, String> {
        let kept = tempfile::tempdir().unwrap();
        let call = touch.map(|path| {
            let (tool, argument) = self.reads;
            [tool.to_owned(), json!({argument: world.cwd.join(path)}).to_string()]
        });
        let script = self.script("");
        let mut command = recorded(world, kept.path(), call.iter().flatten(), &["sh", "-c", &script]);
        command.envs(self.variables.iter().copied());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let requests = Request::all(kept.path());
        if requests.is_empty() {
            let said = [output.stdout, output.stderr].concat();
            return Err(format!(
                "{} asked nothing ({}):\n{}",
                self.agent,
                output.status,
                String::from_utf8_lossy(&said)
            ));
        }
        Ok(requests)
    }
}

/// A program in a world, in a network and among processes of its own, with the recorder to ask.
pub(crate) fn recorded<S: AsRef<std::ffi::OsStr>>(
    world: &Place,
    kept: &Path,
    call: impl IntoIterator<Item = S>,
    program: &[&str],
) -> Command {
    let mut command = Command::new("unshare");
    command.args([
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
        "sh",
        "-c",
        "ip link set lo up && exec \"$@\"",
        "sh",
        "python3",
    ]);
    command.arg(repository("tests/agents/recorder.py")).arg(kept).args(call).arg("--").args(program);
    // Nothing of this machine's user, no proxy, and keys that open nothing.
    command.env_clear().current_dir(&world.cwd).env("HOME", &world.home).env("LANG", "C.UTF-8").env("TERM", "dumb");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("PYTHONDONTWRITEBYTECODE", "1");
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env(key, "none");
    }
    command
}

fn place() -> PathBuf {
    match std::env::var_os(INSTALLED) {
        Some(place) => PathBuf::from(place),
        // Test programs are in `target/debug/deps`.
        None => std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("agents"),
    }
}

/// A file of this repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap().join(path)
}
