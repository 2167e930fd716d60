//! What `drift` predicts, held against the simulated caches that `docs/explain/economics.md` rests on.
//!
//! Each row is a conversation, a change of the world, and a renewal: the request before it and the one after it are sent to the
//! simulator, and what that bills must be what was predicted before anything was sent.

use antefix::deliver::{Content, Target, deliver};
use antefix::discover::tools::Tool;
use antefix::document;
use antefix::freeze::EpochBody;
use antefix::observe::Simulator;
use antefix::project::LayoutChoice;
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};
use serde_json::Value;

use super::model;

const MODELS: [(Target, &str); 7] = [
    (Target::Anthropic, "claude-opus-5"),
    (Target::Bedrock, "anthropic.claude-opus-5"),
    (Target::OpenAiChat, "gpt-5"),
    (Target::OpenAiResponses, "gpt-5.6-sol"),
    (Target::Gemini, "gemini-2.5-pro"),
    (Target::OpenAiChat, "deepseek-flash"),
    (Target::OpenAiChat, "mistral-large-latest"),
];

/// What there is in the world: the operator's text is early in the prefix, the instructions are late in it. Nothing is near a
/// minimum: where an estimate leaves open whether it is reached, a prediction hopes and the simulator takes the likeliest count.
#[derive(Clone)]
struct Around {
    layout: &'static str,
    operator: String,
    instructions: String,
    tools: Vec<Tool>,
}

impl Around {
    fn new() -> Around {
        let sentence = |what: &str| format!("Look at the {what} before you change what depends on it.\n");
        let description = Some("Reads a file of the project, with the numbers of its lines.".to_owned());
        Around {
            layout: "coding-agent",
            operator: sentence("operator").repeat(400),
            instructions: sentence("parser").repeat(400),
            tools: (0..80).map(|number| Tool { description: description.clone(), ..tool(number) }).collect(),
        }
    }

    fn conversation(&self, store: &MemoryStore) -> antefix::Conversation {
        let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", self.instructions.as_str());
        let antefix = Antefix::builder().world(world).open_store(store.clone()).build().unwrap();
        antefix.project("/p").unwrap().conversation("c1").unwrap()
    }

    fn ask(&self) -> Ask {
        let operator = antefix::text::FactName::new("identity", "operator");
        let layout = LayoutChoice::built_in(self.layout).unwrap();
        Ask::new().layout(layout).tools(self.tools.clone()).given(operator, self.operator.as_str())
    }
}

fn tool(number: usize) -> Tool {
    Tool::named(format!("tool_{number:02}"))
}

/// The request that has nothing but an epoch.
fn request(body: &EpochBody, target: Target, name: &str) -> Value {
    let content = Content::of_epoch(body, body.parsed_tools().unwrap());
    deliver(&content, target, Some(&model(name))).unwrap().fragment.to_value()
}

#[test]
fn a_prediction_is_what_the_simulator_bills() {
    let now = Around::new();
    let early = Around { operator: now.operator.replacen("operator", "owner", 1), ..now.clone() };
    let late = Around { instructions: now.instructions.clone() + "Use tabs.\n", ..now.clone() };
    // The first by its name. A prediction takes tools as one part; where a cache compares tokens, as Gemini's, those before a new
    // one at the end of the list would be read, and the simulator reads them.
    let more = Around { tools: now.tools.iter().cloned().chain([Tool::named("a")]).collect(), ..now.clone() };
    let (operator, instructions) = (String::new(), "Use tabs.".to_owned());
    let short = Around { layout: "dispatch", operator, instructions, tools: Vec::new() };
    let shorter = Around { instructions: "Use spaces.".to_owned(), ..short.clone() };
    let rows = [
        ("nothing", &now, &now),
        ("the operator's text", &now, &early),
        ("the end of the instructions", &now, &late),
        ("a tool more", &now, &more),
        ("a prefix that is too short", &short, &shorter),
    ];
    for (what, before, after) in rows {
        let store = MemoryStore::new();
        before.conversation(&store).turn(before.ask()).unwrap();
        let drift = after.conversation(&store).drift(after.ask()).unwrap();
        for (target, name) in MODELS {
            let model = model(name);
            let expectation = document::prediction(drift.epoch.body(), &drift.next, target, Some(&model)).unwrap();
            let mut simulator = Simulator::new(&model);
            simulator.send(0, target, &request(drift.epoch.body(), target, name)).unwrap();
            let billed = simulator.send(60, target, &request(&drift.next, target, name)).unwrap();
            let kept = expectation.kept.as_ref().map_or(0, |entry| entry.stretch.tokens.count);
            // Tools are counted as one text there and one by one here, OpenAI reads in steps of 128, and the place of a
            // difference within a text is known to 64 tokens.
            let near = |one: usize, other: usize| one.abs_diff(other) <= 128 + one / 50;
            assert!(near(kept, billed.read), "{what}, {name}: kept {kept}, simulated {billed:?}");
            let lost = expectation.lost.tokens.count;
            assert!(near(lost, billed.anew()), "{what}, {name}: lost {lost}, simulated {billed:?}");
            let cost = |cost: Option<antefix::models::Cost>| cost.map_or(0, |cost| cost.micro_dollars() as usize);
            let (one, other) = (cost(expectation.cost), cost(billed.more_than_reading(&model)));
            let slack = cost(model.cost_of_a_miss(128)) + one / 50;
            assert!(
                one.abs_diff(other) <= slack,
                "{what}, {name}: ${one} predicted, ${other} simulated, in millionths"
            );
        }
    }
}
