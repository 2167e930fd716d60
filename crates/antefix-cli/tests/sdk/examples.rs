//! The examples run, and show what they say.

use std::path::PathBuf;

use crate::provider::Provider;
use crate::{Project, Sdk, clients, repository, run_well, sdk};

/// Four turns with one prefix: written once and read from then on, with a notice from the third on.
pub(crate) fn shown(said: &str, provider: &Provider) {
    let requests = provider.requests();
    assert_eq!(requests.len(), 4, "{said}");
    for request in &requests {
        assert_eq!(request.prefix(), requests[0].prefix(), "{said}");
    }
    assert!(requests[1].read > 4000, "{said}");
    let rows: Vec<Vec<&str>> = said.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 4, "{said}");
    for (row, request) in rows.iter().zip(&requests) {
        assert_eq!((row[1], row[3]), ("1", rows[0][3]), "one epoch, one prefix:\n{said}");
        assert_eq!((row[4], row[5]), (&*request.read.to_string(), &*request.written.to_string()), "{said}");
    }
    let notices: Vec<&str> = rows.iter().map(|row| row[2]).collect();
    assert_eq!(notices, ["0", "0", "1", "1"], "{said}");
}

#[test]
fn the_agent_in_rust() {
    let Some(sdk) = sdk() else { return };
    let (provider, project) = (Provider::start(&sdk), Project::new());
    // `cargo test` builds the examples of the workspace, beside its tests.
    let program = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/agent");
    assert!(program.exists(), "it is not built: `cargo build --package antefix --example agent`");
    let mut command = crate::quiet(program);
    command.arg(&provider.url).arg(project.path());
    project.environment(&mut command);
    shown(&run_well(command, ""), &provider);
}

#[test]
fn the_agent_in_python() {
    let Some(sdk) = sdk() else { return };
    for (target, model) in [
        ("anthropic", "claude-opus-5"),
        ("openai-chat", "gpt-5.6"),
        ("openai-responses", "gpt-5.6"),
        ("gemini", "gemini-3.5-flash"),
        ("bedrock", "anthropic.claude-opus-5"),
    ] {
        let (provider, project) = (Provider::start(&sdk), Project::new());
        let mut command = sdk.python(&repository("examples/python/agent.py"));
        command.args(["--target", target, "--model", model, "--base", &provider.url, "--project"]).arg(project.path());
        project.environment(&mut command);
        shown(&run_well(command, ""), &provider);
    }
}

#[test]
fn the_agent_in_typescript() {
    let Some(sdk) = sdk() else { return };
    let place = typescript(&sdk);
    let mut compiler = sdk.tsc();
    compiler.arg("--project").arg(&place);
    run_well(compiler, "");
    for (target, model) in [("anthropic", "claude-opus-5"), ("openai-chat", "gpt-5.6"), ("openai-responses", "gpt-5.6")]
    {
        let (provider, project) = (Provider::start(&sdk), Project::new());
        let mut command = sdk.node(&place.join("agent.ts"));
        command.args([target, model]).env("BASE_URL", &provider.url).env("PROJECT", project.path());
        project.environment(&mut command);
        shown(&run_well(command, ""), &provider);
    }
}

/// The examples in TypeScript and the client that one of them uses, where Node finds the SDKs.
pub(crate) fn typescript(sdk: &Sdk) -> PathBuf {
    clients::typescript(sdk);
    clients::copied(sdk, "examples/typescript")
}
