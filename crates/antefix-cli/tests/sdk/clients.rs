//! The clients of `clients/` hold a whole conversation with a real server, take every route that they have, and say what their
//! types say.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::provider::Provider;
use crate::served::Served;
use crate::{Project, Sdk, examples, repository, run_well, sdk};

/// A project for the conversation of the clients' tests.
fn project() -> Project {
    let project = Project::new();
    project.write("AGENTS.md", "Use tabs.\n");
    project
}

/// Every route that a client names was taken, and answered well.
fn took_every_route(client: &str, served: Served) {
    let text = std::fs::read_to_string(repository(client)).unwrap();
    let is_route = |text: &&str| ["GET /", "PUT /", "POST /", "DELETE /"].iter().any(|method| text.starts_with(method));
    let named: BTreeSet<String> = text.split('"').filter(is_route).map(str::to_owned).collect();
    assert!(named.len() >= 20, "{named:?}");
    let requests = served.requests();
    let well = requests.iter().filter(|line| line["status"].as_u64().is_some_and(|status| status < 300));
    let took: BTreeSet<String> =
        well.map(|line| format!("{} {}", line["method"].as_str().unwrap(), line["route"].as_str().unwrap())).collect();
    assert_eq!(took, named);
}

#[test]
fn a_whole_conversation_in_python() {
    let Some(sdk) = sdk() else { return };
    let project = project();
    let served = Served::start(&project, &[]);
    let mut command = sdk.python(&repository("clients/python/tests/conversation.py"));
    command.arg(project.path()).env("PYTHONPATH", repository("clients/python"));
    served.environment(&mut command);
    run_well(command, "");
    took_every_route("clients/python/antefix_client/client.py", served);
}

#[test]
fn a_whole_conversation_in_typescript() {
    let Some(sdk) = sdk() else { return };
    let project = project();
    let served = Served::start(&project, &[]);
    let mut command = sdk.node(&typescript(&sdk).join("tests/conversation.test.ts"));
    command.env("PROJECT", project.path());
    served.environment(&mut command);
    run_well(command, "");
    took_every_route("clients/typescript/src/client.ts", served);
}

#[test]
fn the_types_in_python_hold() {
    let Some(sdk) = sdk() else { return };
    let cache = tempfile::tempdir().unwrap();
    let check = |files: &[PathBuf]| {
        let mut command = sdk.python("-m".as_ref());
        command.args(["mypy", "--config-file", "pyproject.toml", "--cache-dir"]).arg(cache.path()).args(files);
        command.current_dir(repository("clients/python"));
        command
    };
    run_well(check(&["antefix_client".into(), "tests/conversation.py".into()]), "");
    let wrong = cache.path().join("wrong.py");
    let text =
        "from antefix_client import Client\n\nClient().turn(\"c\", modle=\"x\")\nClient().turn(\"c\")[\"prefxi\"]\n";
    std::fs::write(&wrong, text).unwrap();
    let (well, said) = crate::run(check(&[wrong]), "");
    assert!(!well && said.contains("wrong.py:3: error") && said.contains("wrong.py:4: error"), "{said}");
}

#[test]
fn the_types_in_typescript_hold_and_it_can_be_built() {
    let Some(sdk) = sdk() else { return };
    let place = typescript(&sdk);
    let mut compiler = sdk.tsc();
    compiler.arg("--project").arg(place.join("tests"));
    run_well(compiler, "");
    let built = tempfile::tempdir().unwrap();
    let mut compiler = sdk.tsc();
    compiler.arg("--project").arg(&place).arg("--outDir").arg(built.path());
    run_well(compiler, "");
    std::fs::write(built.path().join("package.json"), r#"{"type": "module"}"#).unwrap();
    let program =
        "import { Client } from './index.js'; console.log(await new Client({ base: 'http://127.0.0.1:9' }).alive())";
    std::fs::write(built.path().join("ask.js"), program).unwrap();
    let mut command = sdk.node(&built.path().join("ask.js"));
    command.env("HOME", built.path());
    assert_eq!(run_well(command, ""), "false\n");
}

#[test]
fn the_agent_over_http_in_python() {
    let Some(sdk) = sdk() else { return };
    let (provider, project) = (Provider::start(&sdk), Project::new());
    let served = Served::start(&project, &["--layout", "coding-agent"]);
    let mut command = sdk.python(&repository("examples/python/http_agent.py"));
    command.args(["--base", &provider.url, "--project"]).arg(project.path());
    command.env("PYTHONPATH", repository("clients/python"));
    served.environment(&mut command);
    examples::shown(&run_well(command, ""), &provider);
}

#[test]
fn the_agent_over_http_in_typescript() {
    let Some(sdk) = sdk() else { return };
    let (provider, project) = (Provider::start(&sdk), Project::new());
    let served = Served::start(&project, &["--layout", "coding-agent"]);
    let mut command = sdk.node(&examples::typescript(&sdk).join("http_agent.ts"));
    command.env("BASE_URL", &provider.url).env("PROJECT", project.path());
    served.environment(&mut command);
    examples::shown(&run_well(command, ""), &provider);
}

/// The client where Node finds its types, at the place that it has in the repository.
pub(crate) fn typescript(sdk: &Sdk) -> PathBuf {
    for directory in ["src", "tests"] {
        copied(sdk, &format!("clients/typescript/{directory}"));
    }
    copied(sdk, "clients/typescript")
}

/// The files of a directory of the repository, at the same place among Node's modules.
pub(crate) fn copied(sdk: &Sdk, directory: &str) -> PathBuf {
    let entries = std::fs::read_dir(repository(directory)).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let files: Vec<(String, String)> = files
        .map(|file| (file.file_name().into_string().unwrap(), std::fs::read_to_string(file.path()).unwrap()))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    sdk.beside_modules(directory, &files)
}
