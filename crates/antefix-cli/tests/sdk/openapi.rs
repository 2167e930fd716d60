//! schemathesis asks a server whatever its OpenAPI document allows, and what it does not allow: no answer is a failure of the
//! server's, none is other than the document says, and what the document allows is not refused.

use serde_json::Value;

use crate::served::Served;
use crate::{Project, Sdk, repository, run_well, sdk};

/// How many examples for each route, if more are wanted than in the default run.
const EXAMPLES: &str = "ANTEFIX_TEST_OPENAPI_EXAMPLES";

#[test]
fn the_server_does_what_its_document_says() {
    let Some(sdk) = sdk() else { return };
    let project = Project::new();
    project.write("AGENTS.md", "Use tabs.\n");
    // What changed since a commit is asked for, too.
    for words in [&["init", "-q"][..], &["add", "AGENTS.md"], &["commit", "-qm", "one"]] {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(words).current_dir(project.path());
        run_well(git, "");
    }
    let served = Served::start(&project, &[]);
    begin(&sdk, &served);
    let examples = std::env::var(EXAMPLES).unwrap_or_else(|_| "15".to_owned());
    let mut command = sdk.python("-m".as_ref());
    command.args(["schemathesis.cli", "--config-file"]).arg(repository("tests/openapi/schemathesis.toml"));
    command.args(["run", &format!("{}/openapi.json", served.url)]);
    command.args(["--header", &format!("Authorization: Bearer {}", served.token())]);
    command.args(["--seed", "1", "--max-examples", &examples, "--no-color"]).current_dir(project.path());
    let said = run_well(command, "");
    let requests = served.requests();
    assert!(requests.len() > 1000, "{said}");
    for request in requests.iter().filter(|line| line["route"] != "/links") {
        assert!(request["status"].as_u64().is_some_and(|status| status < 500), "{request}");
    }
    // Not all of it was refused: every route that is described was once answered well.
    let document: Value =
        serde_json::from_str(&std::fs::read_to_string(repository("docs/openapi.json")).unwrap()).unwrap();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let well =
                |line: &&Value| line["route"] == **path && line["status"].as_u64().is_some_and(|status| status < 300);
            let count = requests.iter().filter(well).filter(|line| line["method"] == method.to_uppercase()).count();
            assert!(count > 0, "{method} {path}");
        }
    }
}

/// A template and a conversation, which the examples in the document name.
fn begin(sdk: &Sdk, served: &Served) {
    // A ledger and a receipt cannot be made up: what is generated would always be refused.
    let text = "\
from antefix_client import Client
client = Client()
client.save_template('Hi.')
turn = client.turn('chat-7', target='anthropic')
client.why(usage={'input_tokens': 5, 'cache_read_input_tokens': 0}, receipt=turn['receipt'])
client.import_ledgers(client.export('chat-7'))
client.commit_compaction('chat-7', client.begin_compaction('chat-7')['token'])

# Only a page has a session: it sends its origin, and the code of a link.
import json, sys
from urllib.request import Request, urlopen
_, url, token = sys.argv
def ask(method, path, proof, body=None):
    headers = {'Origin': url, 'Content-Type': 'application/json', **({'Authorization': 'Bearer ' + proof} if proof else {})}
    data = None if body is None else json.dumps(body).encode()
    return urlopen(Request(url + path, data, headers, method=method)).read()
code = json.loads(ask('POST', '/links', token))['path'].split('code=')[1]
session = json.loads(ask('POST', '/sessions', None, {'code': code}))['session']
session = json.loads(ask('POST', '/sessions/renewal', session))['session']
ask('DELETE', '/sessions', session)
";
    let mut command = sdk.python("-c".as_ref());
    command.arg(text).args([&served.url, &served.token().to_string()]).env("PYTHONPATH", repository("clients/python"));
    served.environment(&mut command);
    run_well(command, "");
}
