//! The proxy between a client and agents that are made with the protocol's own SDK, and its messages against the published
//! schema.
//!
//! `tee` is on both sides of the proxy and keeps what goes by.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{Asked, Project, Sdk, repository, run, run_well, sdk};

/// A sentence of the prompt, and one that the client adds to the instructions on the way.
const PROMPT: &str = "You are a coding agent.";
const NOTICE: &str = "Indent with spaces from now on.";

#[test]
fn the_sdks_example_agent_hears_the_prompt_once_and_the_client_hears_the_agent() {
    let Some(sdk) = sdk() else { return };
    let agent = sdk.place.join("node/node_modules/@agentclientprotocol/sdk/dist/examples/agent.js");
    let session = Session::had(&sdk, "acp-example", &agent);
    assert_eq!(session.said, ["prompt end_turn", "prompt end_turn", "updates 14", "ended 0"]);
    session.is_valid(&sdk);
    // It announces nothing, so the user's first message carries the prompt, and the second the notice.
    let prompts = session.received("session/prompt");
    assert_eq!(prompts.len(), 2);
    assert_eq!(counts(&prompts), [(1, 0), (0, 1)]);
    assert!(session.received("session/new")[0]["params"].get("systemPrompt").is_none());
}

#[test]
fn an_agent_with_the_field_gets_the_prompt_there_and_the_same_again() {
    let Some(sdk) = sdk() else { return };
    let script = std::fs::read_to_string(repository("tests/sdk/node/agent.js")).unwrap();
    let agent = sdk.beside_modules("acp-field", &[("agent.js", &script)]).join("agent.js");
    let session = Session::had(&sdk, "acp-field", &agent);
    let said = ["end_turn", "end_turn", "end_turn"].map(|reason| format!("prompt {reason}"));
    assert_eq!(session.said[..3], said);
    assert_eq!(session.said[3..], ["loaded", "resumed", "prompt end_turn", "forked", "updates 4", "ended 0"]);
    session.is_valid(&sdk);
    let reported: Vec<Value> = ["session/new", "session/load", "session/resume", "session/fork"]
        .map(|method| session.received(method)[0]["params"]["systemPrompt"].clone())
        .into();
    assert_eq!(reported[0]["mode"], "append");
    assert_eq!(counts(&reported[..1]), [(1, 0)]);
    assert!(reported.iter().all(|one| *one == reported[0]));
    // No prompt says it a second time; the notice goes with the one behind the edit.
    assert_eq!(counts(&session.received("session/prompt")[..3]), [(0, 0), (0, 1), (0, 0)]);
}

#[test]
fn the_fragment_for_acp_is_what_the_schema_says() {
    let Some(sdk) = sdk() else { return };
    let asked = Asked { target: "acp", model: "any", said: crate::text };
    let turns = Project::new().turns(&asked);
    let fragment = &turns[2]["fragment"];
    let mut begin = json!({"cwd": "/p", "mcpServers": []});
    begin["systemPrompt"] = fragment["systemPrompt"].clone();
    // The notice, and the live part: they go with the next prompt.
    let prompt = json!({"sessionId": "s", "prompt": turns[2]["append"]});
    assert_eq!(prompt["prompt"].as_array().unwrap().len(), 2);
    let client = [request(1, "session/new", &begin), request(2, "session/prompt", &prompt)].concat();
    let agent = [answer(1, &json!({"sessionId": "s"})), answer(2, &json!({"stopReason": "end_turn"}))].concat();
    assert_eq!(checked(&sdk, &client, &agent), Ok("4 checked\n".to_owned()));
}

#[test]
fn the_schema_refuses_what_the_protocol_does_not_allow() {
    let Some(sdk) = sdk() else { return };
    let well = json!({
        "cwd": "/p",
        "mcpServers": [],
        "systemPrompt": {"mode": "append", "content": [{"type": "text", "text": "x"}]},
    });
    let began = json!({"sessionId": "s"});
    let check = |method: &str, params: &Value, result: &Value| {
        checked(&sdk, &request(1, method, params), &answer(1, result)).is_ok()
    };
    assert!(check("session/new", &well, &began));
    let with = |key: &str, value: Value| {
        let mut broken = well.clone();
        broken[key] = value;
        broken
    };
    for broken in [
        with("systemPrompt", json!("a bare text")),
        with("systemPrompt", json!({"content": [{"type": "text", "text": "no mode"}]})),
        with("systemPrompt", json!({"mode": "append", "content": [{"type": "text"}]})),
        with("prompt", json!("a key of our own at the root")),
        with("cwd", json!(null)),
    ] {
        assert!(!check("session/new", &broken, &began), "{broken}");
    }
    assert!(!check("session/new", &well, &json!({})), "an answer without a session");
    assert!(!check("session/now", &well, &began), "an unknown method");
    assert!(checked(&sdk, &request(1, "session/new", &well), &answer(2, &began)).is_err(), "no answer");
}

fn request(id: u64, method: &str, params: &Value) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

fn answer(id: u64, result: &Value) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// What the schema says to the lines of a client and of an agent.
fn checked(sdk: &Sdk, client: &str, agent: &str) -> Result<String, String> {
    let script = std::fs::read_to_string(repository("tests/sdk/node/schema.js")).unwrap();
    let place = sdk.beside_modules("acp-schema", &[("schema.js", &script)]);
    let lines = tempfile::tempdir().unwrap();
    let (of_client, of_agent) = (lines.path().join("client"), lines.path().join("agent"));
    std::fs::write(&of_client, client).unwrap();
    std::fs::write(&of_agent, agent).unwrap();
    let mut command = sdk.node(&place.join("schema.js"));
    command.args([of_client, of_agent]);
    match run(command, "") {
        (true, said) => Ok(said),
        (false, said) => {
            assert!(said.contains("checked"), "it did not get so far as to check: {said}");
            Err(said)
        }
    }
}

/// How often each message says the prompt, and the notice.
fn counts(messages: &[Value]) -> Vec<(usize, usize)> {
    let text = messages.iter().map(Value::to_string);
    text.map(|text| (text.matches(PROMPT).count(), text.matches(NOTICE).count())).collect()
}

/// A session of the SDK's client with an agent, by way of the proxy.
struct Session {
    project: Project,
    said: Vec<String>,
    test: &'static str,
}

impl Session {
    fn had(sdk: &Sdk, test: &'static str, agent: &Path) -> Session {
        let project = Project::new();
        let script = |name: &str| std::fs::read_to_string(repository("tests/sdk/node").join(name)).unwrap();
        let files = [("client.js", script("client.js")), ("schema.js", script("schema.js"))];
        let place = sdk.beside_modules(test, &files.each_ref().map(|(name, text)| (*name, text.as_str())));
        let kept = |name: &str| project.path().join(name).display().to_string();
        let agent = format!(
            "tee {} | {} {} | tee {}",
            kept("to-agent"),
            sdk.node_program().display(),
            agent.display(),
            kept("from-agent")
        );
        let proxy = format!(
            "tee {} | \"$ANTEFIX_BIN\" acp --no-live -- sh -c '{agent}' | tee {}",
            kept("from-client"),
            kept("to-client")
        );
        let mut command = sdk.node(&place.join("client.js"));
        command.arg(project.path()).args(["sh", "-c", &proxy]);
        project.environment(&mut command);
        let mut said: Vec<String> = run_well(command, "").lines().map(str::to_owned).collect();
        // What antefix tells on stderr comes behind.
        let ended = said.iter().position(|line| line.starts_with("ended")).unwrap();
        said.truncate(ended + 1);
        Session { project, said, test }
    }

    fn kept(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }

    fn lines(&self, name: &str) -> Vec<String> {
        std::fs::read_to_string(self.kept(name)).unwrap().lines().map(str::to_owned).collect()
    }

    /// What the agent has heard of a method.
    fn received(&self, method: &str) -> Vec<Value> {
        let messages = self.lines("to-agent").into_iter().map(|line| serde_json::from_str::<Value>(&line).unwrap());
        messages.filter(|message| message["method"] == method).collect()
    }

    /// Both sides of the proxy speak as the schema says; and what the agent says goes on as it is.
    fn is_valid(&self, sdk: &Sdk) {
        for (client, agent) in [("from-client", "to-client"), ("to-agent", "from-agent")] {
            let mut command = sdk.node(&sdk.place.join("node").join(self.test).join("schema.js"));
            command.args([self.kept(client), self.kept(agent)]);
            run_well(command, "");
        }
        assert_eq!(self.lines("from-agent"), self.lines("to-client"));
        let changed = |line: &&String| line.contains("session/");
        let unchanged = |name: &str| self.lines(name).iter().filter(|line| !changed(line)).cloned().collect::<Vec<_>>();
        assert_eq!(unchanged("from-client"), unchanged("to-agent"));
    }
}
