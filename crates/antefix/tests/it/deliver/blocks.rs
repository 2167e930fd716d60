//! Layouts that say who says what, in which message: the bytes of every target, and what stays the same.

use antefix::deliver::{Delivery, Target};
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, ErrorKind};
use serde_json::{Value, json};

/// The shape of an agent that speaks as a developer four times, and once as the user, before the user's words.
const LAYOUT: &str = r##"
[[section]]
id = "permissions"
stability = "fixed"
role = "developer"
block = "own"
text = "Ask before you write."

[[section]]
id = "guidance"
stability = "fixed"
role = "developer"
block = "own"
joint = "paragraph"
text = "Be brief."

[[section]]
id = "skills"
stability = "frozen"
role = "developer"
block = "own"
joint = "paragraph"
text = "There are no skills."

[[section]]
id = "operator"
stability = "frozen"
role = "developer"
block = "own"
joint = "paragraph"
text = "You help Ada."

[[section]]
id = "instructions"
stability = "frozen"
role = "user"
joint = "paragraph"
text = "# AGENTS.md\n\n{{ file['AGENTS.md'] }}"

[[section]]
id = "environment"
stability = "frozen"
role = "user"
joint = "paragraph"
text = "<environment/>"

[[section]]
id = "clock"
stability = "live"
joint = "paragraph"
text = "It is noon."
"##;

fn conversation(store: &MemoryStore, layout: &str) -> antefix::Conversation {
    let world = MemoryWorld::new()
        .file("/p/.git/HEAD", "")
        .file("/p/AGENTS.md", "Use tabs.")
        .file("/p/.antefix/layout.toml", layout);
    let antefix = Antefix::builder().world(world).open_store(store.clone()).build().unwrap();
    antefix.project("/p").unwrap().conversation("c1").unwrap()
}

fn delivered(layout: &str, target: Target, model: &str, messages: Value) -> Delivery {
    let ask = Ask::new().model(model).messages(messages.as_array().unwrap().clone());
    conversation(&MemoryStore::new(), layout).turn(ask).unwrap().deliver(target).unwrap()
}

/// The parts of the prefix: who says each, and where it is.
fn places(delivery: &Delivery) -> Vec<String> {
    let parts = delivery.receipt.parts.iter().filter(|part| part.is_prefix());
    parts.map(|part| format!("{} {} {}", part.what, part.role, part.pointer)).collect()
}

fn instead(delivery: &Delivery) -> Vec<String> {
    delivery.receipt.substitutions.iter().map(|one| format!("{}: {}", one.what, one.instead)).collect()
}

const USER: &str = "# AGENTS.md\n\nUse tabs.\n\n<environment/>";
const FRAMED: &str =
    "<setting>\nThe program that you run in says this, not the person you talk with.\n\nIt is noon.\n</setting>";

fn hello() -> Value {
    json!([{"role": "user", "content": "Hello."}])
}

#[test]
fn responses_has_each_message_with_its_own_role_and_breakpoints_where_the_stability_changes() {
    let mark = |ttl: &str| json!({"mode": "explicit", "ttl": ttl});
    let says = |role: &str, text: &str| json!({"role": role, "content": [{"type": "input_text", "text": text}]});
    let mut guidance = says("developer", "Be brief.");
    guidance["content"][0]["prompt_cache_breakpoint"] = mark("30m");
    let mut user = says("user", USER);
    user["content"][0]["prompt_cache_breakpoint"] = mark("30m");
    let mut own = says("user", "Hello.");
    own["content"][0]["prompt_cache_breakpoint"] = mark("30m");
    let delivery = delivered(LAYOUT, Target::OpenAiResponses, "gpt-5.6-sol", hello());
    let fragment = delivery.fragment.to_value();
    assert_eq!(
        fragment["input"],
        json!([
            says("developer", "Ask before you write."),
            guidance,
            says("developer", "There are no skills."),
            says("developer", "You help Ada."),
            user,
            own,
            {"role": "developer", "content": "It is noon."},
        ])
    );
    assert_eq!(
        places(&delivery),
        [
            "block permissions developer /input/0/content/0",
            "block guidance developer /input/1/content/0",
            "block skills developer /input/2/content/0",
            "block operator developer /input/3/content/0",
            "block instructions user /input/4/content/0",
        ]
    );
    assert_eq!((instead(&delivery), delivery.receipt.rolling), (vec![], vec!["/input/5".to_owned()]));
}

#[test]
fn chat_without_breakpoints_has_one_text_a_message_and_a_model_without_developers_hears_the_system() {
    let says = |role: &str, text: &str| json!({"role": role, "content": text});
    let messages = |role: &str| {
        json!([
            says(role, "Ask before you write."),
            says(role, "Be brief."),
            says(role, "There are no skills."),
            says(role, "You help Ada."),
            says("user", USER),
            says("user", "Hello."),
            says(role, "It is noon."),
        ])
    };
    let delivery = delivered(LAYOUT, Target::OpenAiChat, "gpt-5", hello());
    assert_eq!(delivery.fragment.to_value()["messages"], messages("developer"));
    assert_eq!(instead(&delivery), [""; 0]);
    let delivery = delivered(LAYOUT, Target::OpenAiChat, "deepseek-chat", hello());
    assert_eq!(delivery.fragment.to_value()["messages"], messages("system"));
    let because = "the system says it: the model knows no role for a developer";
    let what = ["permissions", "guidance", "skills", "operator"];
    assert_eq!(instead(&delivery), what.map(|id| format!("the role `developer` of block {id}: {because}")));
}

#[test]
fn anthropic_has_a_block_of_the_systems_for_each_and_a_message_of_the_users() {
    let mark = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let text = |text: &str| json!({"type": "text", "text": text});
    let marked = |words: &str, ttl: &str| json!({"type": "text", "text": words, "cache_control": mark(ttl)});
    let delivery = delivered(LAYOUT, Target::Anthropic, "claude-opus-5", hello());
    let fragment = delivery.fragment.to_value();
    let system = json!([
        text("Ask before you write."),
        marked("Be brief.", "5m"),
        text("There are no skills."),
        text("You help Ada."),
    ]);
    assert_eq!(fragment["system"], system);
    assert_eq!(
        fragment["messages"],
        json!([
            {"role": "user", "content": [marked(USER, "5m")]},
            {"role": "user", "content": [marked("Hello.", "5m")]},
            {"role": "system", "content": "It is noon."},
        ])
    );
    assert_eq!(
        places(&delivery),
        [
            "block permissions system /system/0",
            "block guidance system /system/1",
            "block skills system /system/2",
            "block operator system /system/3",
            "block instructions user /messages/0/content/0",
        ]
    );
    assert_eq!(delivery.receipt.rolling, ["/messages/1"]);
    let because = "the system says it: Anthropic has no role for a developer";
    assert_eq!(instead(&delivery)[0], format!("the role `developer` of block permissions: {because}"));
}

#[test]
fn gemini_and_bedrock_say_what_the_user_says_in_their_own_shapes() {
    let part = |text: &str| json!({"text": text});
    let says = ["Ask before you write.", "Be brief.", "There are no skills.", "You help Ada."];
    let talk = json!([{"role": "user", "parts": [{"text": "Hello."}]}]);
    let delivery = delivered(LAYOUT, Target::Gemini, "gemini-2.5-pro", talk);
    let fragment = delivery.fragment.to_value();
    assert_eq!(fragment["systemInstruction"], json!({"parts": says.map(part)}));
    let user = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    assert_eq!(fragment["contents"], json!([user(USER), user("Hello."), user(FRAMED)]));
    assert_eq!(places(&delivery)[4], "block instructions user /contents/0/parts/0");

    let talk = json!([{"role": "user", "content": [{"text": "Hello."}]}]);
    let delivery = delivered(LAYOUT, Target::Bedrock, "us.anthropic.claude-opus-5", talk);
    let fragment = delivery.fragment.to_value();
    let point = |ttl: &str| json!({"cachePoint": {"type": "default", "ttl": ttl}});
    assert_eq!(fragment["system"], json!([part(says[0]), part(says[1]), point("5m"), part(says[2]), part(says[3])]));
    // Users and assistants take turns, so that all of it is one message.
    let content = json!([
        part(USER),
        point("5m"),
        part("Hello."),
        {"cachePoint": {"type": "default"}},
        part(FRAMED),
    ]);
    assert_eq!(fragment["messages"], json!([{"role": "user", "content": content}]));
    let suffix = delivery.receipt.parts.iter().find(|part| part.what == "suffix").unwrap();
    assert_eq!(
        (places(&delivery)[4].as_str(), suffix.pointer.as_str()),
        ("block instructions user /messages/0/content/0", "/messages/0/content/4",)
    );
}

#[test]
fn what_has_no_messages_is_one_text_and_the_receipt_says_so() {
    let whole = "Ask before you write.\n\nBe brief.\n\nThere are no skills.\n\nYou help Ada.\n\n".to_owned() + USER;
    let acp = delivered(LAYOUT, Target::Acp, "claude-opus-5", json!([]));
    assert_eq!(acp.fragment.to_value()["systemPrompt"]["content"][0]["text"], whole.as_str());
    let said = "the messages of the prefix: one text: an ACP agent takes one system prompt";
    assert_eq!(instead(&acp), [said]);
    let ollama = delivered(LAYOUT, Target::Ollama, "llama3.3", hello());
    let system = whole.strip_suffix(&format!("\n\n{USER}")).unwrap();
    assert_eq!(
        ollama.fragment.to_value()["messages"],
        json!([
            {"role": "system", "content": system},
            {"role": "user", "content": USER},
            {"role": "user", "content": "Hello."},
            {"role": "user", "content": FRAMED},
        ])
    );
    let refusing = format!("undeliverable = \"refuse\"\n{LAYOUT}");
    let turn = conversation(&MemoryStore::new(), &refusing).turn(Ask::new().model("claude-opus-5")).unwrap();
    let error = turn.deliver(Target::Anthropic).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Undeliverable);
    assert_eq!(
        error.message(),
        "the role `developer` of block permissions cannot be delivered: Anthropic has no role for a developer"
    );
}

#[test]
fn the_prefix_is_the_same_bytes_in_every_turn_whatever_becomes_of_the_layout() {
    let store = MemoryStore::new();
    let talk: Vec<Value> = (0..6)
        .map(|at| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": format!("words {at}")}))
        .collect();
    let other = LAYOUT.replace("role = \"user\"", "").replace("block = \"own\"", "");
    let mut forms = Vec::new();
    for (layout, count) in [(LAYOUT, 1), (LAYOUT, 3), (other.as_str(), 5)] {
        let ask = Ask::new().model("claude-opus-5").messages(talk[..count].to_vec());
        let turn = conversation(&store, layout).turn(ask).unwrap();
        let delivery = turn.deliver(Target::Anthropic).unwrap();
        let fragment = delivery.fragment.to_value();
        forms.push((delivery.receipt.prefix_form, fragment["system"].clone(), fragment["messages"][0].clone()));
    }
    assert_eq!(forms[0], forms[1]);
    assert_eq!(forms[0], forms[2], "what is open has its bytes, and its messages");
    // A renewal with the same text in other messages is another epoch.
    let renewed = conversation(&store, &other).renew(antefix::freeze::Cause::Requested, Ask::new()).unwrap();
    assert_eq!(renewed.epoch.number(), 2);
}

#[test]
fn what_the_user_says_behind_the_first_message_stays_there() {
    let layout = "[[section]]\nid = \"base\"\nstability = \"fixed\"\ntext = \"Be brief.\"\n\n\
        [[section]]\nid = \"reminder\"\nstability = \"frozen\"\nrole = \"user\"\nplace = \"behind\"\njoint = \"paragraph\"\n\
        text = \"Mind the tests.\"\n";
    let says = |role: &str, text: &str| json!({"role": role, "content": text});
    let (one, two, three) = (says("user", "one"), says("assistant", "two"), says("user", "three"));
    for (talk, expected) in [
        (json!([one]), json!([one, says("user", "Mind the tests.")])),
        (json!([one, two, three]), json!([one, says("user", "Mind the tests."), two, three])),
    ] {
        let delivery = delivered(layout, Target::OpenAiChat, "gpt-5", talk);
        let messages = delivery.fragment.to_value()["messages"].clone();
        assert_eq!(messages.as_array().unwrap()[1..], expected.as_array().unwrap()[..]);
        let part = delivery.receipt.parts.iter().find(|part| part.what == "block reminder").unwrap();
        assert_eq!((part.role.as_str(), part.pointer.as_str()), ("user", "/messages/2"));
    }
}

#[test]
fn a_layout_that_cannot_be_said_is_refused_with_its_place() {
    let section = |id: &str, rest: &str| format!("[[section]]\nid = \"{id}\"\n{rest}\ntext = \"x\"\n");
    let frozen = |id: &str, rest: &str| section(id, &format!("stability = \"frozen\"\n{rest}"));
    for (layout, expected) in [
        (
            section("a", "stability = \"live\"\nrole = \"user\""),
            "section `a` is live, and a live section has no `role`, `block` or `place`",
        ),
        (frozen("a", "place = \"behind\""), "section `a` is behind the user's words and is not the user's"),
        (
            frozen("a", "role = \"user\"") + &frozen("b", "role = \"developer\""),
            "section `b` comes after `a`, which is said after it",
        ),
        (
            frozen("a", "role = \"user\"\nplace = \"behind\"") + &frozen("b", "role = \"user\""),
            "section `b` comes after `a`, which is said after it",
        ),
    ] {
        let error = conversation(&MemoryStore::new(), &layout).turn(Ask::new()).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Layout, expected));
        assert!(error.place().is_some() && error.hint().is_some());
    }
}
