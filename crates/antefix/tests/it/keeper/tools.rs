//! Tools that come and go in the midst of a conversation.

use antefix::deliver::{Delivery, Target};
use antefix::discover::tools::Tool;
use antefix::freeze::Cause;
use antefix::keeper::Began;
use serde_json::{Value, json};

use super::turns::agents;
use super::{Talk, reported};

fn tool(name: &str, description: &str) -> Tool {
    Tool { description: Some(description.to_owned()), ..Tool::named(name) }
}

fn defined(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "input_schema": {"type": "object"}})
}

fn added(name: &str, description: &str) -> Value {
    json!({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": defined(name, description)}})
}

fn removed(name: &str) -> Value {
    json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": name}})
}

/// A conversation whose layout amends.
fn talk(model: &str) -> Talk {
    let layout = "on_tools = \"amend\"\n[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n";
    let mut talk = Talk::new(layout);
    talk.model = Some(model.to_owned());
    talk.tools = Some(vec![tool("read", "Reads."), tool("bash", "Runs.")]);
    talk
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

/// A turn with these messages, delivered.
fn sent(talk: &Talk, messages: &[Value], target: Target) -> (Began, Vec<String>, Delivery) {
    let ask = talk.ask().messages(messages.to_vec());
    let turn = talk.at(&agents("one"), |conversation| conversation.turn(ask).unwrap());
    (turn.began, reported(&turn.changes), turn.deliver(target).unwrap())
}

fn messages(delivery: &Delivery) -> Vec<Value> {
    crate::deliver::unmarked(&delivery.fragment.to_value()["messages"])
}

#[test]
fn a_tool_that_comes_or_goes_is_told_at_its_place_and_the_prefix_stays() {
    let mut talk = talk("claude-opus-5");
    let mut history = vec![user("one")];
    let (_, _, first) = sent(&talk, &history, Target::Anthropic);
    let tools = json!([defined("bash", "Runs."), defined("read", "Reads.")]);
    assert_eq!((&first.fragment.to_value()["tools"], first.headers.len()), (&tools, 0));

    talk.tools = Some(vec![tool("read", "Reads."), tool("bash", "Runs."), tool("grep", "Searches.")]);
    history.extend([assistant("a"), user("two")]);
    let (began, _, second) = sent(&talk, &history, Target::Anthropic);
    assert_eq!(began, Began::Before);
    assert_eq!(second.fragment.to_value()["tools"], tools);
    assert_eq!(second.receipt.prefix_form, first.receipt.prefix_form);
    let told = json!({"role": "system", "content": [added("grep", "Searches.")]});
    assert_eq!(messages(&second), [user("one"), assistant("a"), user("two"), told.clone()]);
    assert_eq!(second.headers["anthropic-beta"], "inline-tools-2026-09-15");

    talk.tools = Some(vec![tool("read", "Reads better."), tool("grep", "Searches.")]);
    history.extend([assistant("b"), user("three")]);
    let (began, _, third) = sent(&talk, &history, Target::Anthropic);
    assert_eq!(began, Began::Before);
    // What is new or changed comes first, then what is gone.
    let other =
        json!({"role": "system", "content": [removed("read"), added("read", "Reads better."), removed("bash")]});
    let found = messages(&third);
    assert_eq!(found[..4], messages(&second)[..]);
    assert_eq!(found[4..], [assistant("b"), user("three"), other]);
    assert_eq!(third.headers["anthropic-beta"], "inline-tools-2026-09-15,mid-conversation-tool-changes-2026-07-01");

    // Nothing new, said or not: the same bytes.
    talk.tools = None;
    let (began, _, again) = sent(&talk, &history, Target::Anthropic);
    assert_eq!((began, again.bytes()), (Began::Before, third.bytes()));
    assert_eq!(talk.ledger(), [(1, "opened")]);

    // The next epoch has them as its own.
    talk.renew(&agents("one"), Cause::Requested);
    let (_, _, renewed) = sent(&talk, &history, Target::Anthropic);
    let fragment = renewed.fragment.to_value();
    assert_eq!(fragment["tools"], json!([defined("grep", "Searches."), defined("read", "Reads better.")]));
    assert_eq!((messages(&renewed).len(), renewed.headers.len()), (5, 0));
}

#[test]
fn a_model_that_takes_no_changes_gets_a_new_epoch() {
    for model in ["claude-haiku-4-5", "us.anthropic.claude-opus-5", "gemini-2.5-pro", "nobody-knows-it"] {
        let mut talk = talk(model);
        sent(&talk, &[user("one")], Target::Plain);
        talk.tools = Some(vec![tool("read", "Reads."), tool("bash", "Runs."), tool("grep", "Searches.")]);
        let (began, changes, _) = sent(&talk, &[user("one")], Target::Plain);
        assert_eq!((began, changes), (Began::Now, vec!["tool-added grep".to_owned()]), "{model}");
        assert_eq!(talk.ledger(), [(1, "opened"), (2, "tools-changed")], "{model}");
    }
}

#[test]
fn responses_takes_additions_and_chat_has_all_tools_as_they_are() {
    let mut talk = talk("gpt-5.6-sol");
    sent(&talk, &[user("one")], Target::OpenAiResponses);
    talk.tools = Some(vec![tool("read", "Reads."), tool("bash", "Runs."), tool("grep", "Searches.")]);
    let (began, _, responses) = sent(&talk, &[user("one")], Target::OpenAiResponses);
    assert_eq!(began, Began::Before);
    let fragment = responses.fragment.to_value();
    let names = |tools: &Value| {
        let name = |tool: &Value| tool.pointer("/function/name").unwrap_or(&tool["name"]).as_str().unwrap().to_owned();
        tools.as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&fragment["tools"]), ["bash", "read"]);
    let told = fragment["input"].as_array().unwrap().last().unwrap();
    assert_eq!((&told["type"], &told["role"]), (&json!("additional_tools"), &json!("developer")));
    assert_eq!(names(&told["tools"]), ["grep"]);
    let (_, _, chat) = sent(&talk, &[user("one")], Target::OpenAiChat);
    assert_eq!(names(&chat.fragment.to_value()["tools"]), ["bash", "grep", "read"]);
    assert!(chat.receipt.substitutions.iter().any(|one| one.what == "changes of tools"), "{:?}", chat.receipt);

    talk.tools = Some(vec![tool("read", "Reads.")]);
    let (began, changes, _) = sent(&talk, &[user("one")], Target::OpenAiResponses);
    assert_eq!((began, changes), (Began::Now, vec!["tool-removed bash".to_owned(), "tool-removed grep".to_owned()]));
}

#[test]
fn openai_is_told_what_goes_by_the_tools_that_it_allows_and_the_list_stays() {
    let (chat, responses) = (Target::OpenAiChat, Target::OpenAiResponses);
    for (model, target) in
        [("gpt-5.4", responses), ("gpt-5.6-sol", responses), ("gpt-5.4", chat), ("gpt-5.6-sol", chat)]
    {
        let allowed = |names: &[&str]| match target {
            Target::OpenAiChat => {
                let tools: Vec<Value> =
                    names.iter().map(|name| json!({"type": "function", "function": {"name": name}})).collect();
                json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}})
            }
            _ => {
                let tools: Vec<Value> = names.iter().map(|name| json!({"type": "function", "name": name})).collect();
                json!({"type": "allowed_tools", "mode": "auto", "tools": tools})
            }
        };
        let mut talk = talk(model);
        let (_, _, first) = sent(&talk, &[user("one")], target);
        let both = first.fragment.to_value()["tools"].clone();
        assert!(first.fragment.to_value().get("tool_choice").is_none());
        let steps: [(&[&str], Value); 3] =
            [(&["read"], allowed(&["read"])), (&["read", "bash"], allowed(&["bash", "read"])), (&[], json!("none"))];
        for (names, expected) in steps {
            let of = |name: &&str| if *name == "read" { tool("read", "Reads.") } else { tool("bash", "Runs.") };
            talk.tools = Some(names.iter().map(of).collect());
            let (began, _, now) = sent(&talk, &[user("one")], target);
            let fragment = now.fragment.to_value();
            assert_eq!((began, &fragment["tools"]), (Began::Before, &both), "{model} {target:?} {names:?}");
            assert_eq!(now.receipt.prefix_form, first.receipt.prefix_form, "{model} {target:?} {names:?}");
            assert_eq!(fragment["tool_choice"], expected, "{model} {target:?} {names:?}");
            let instead = now.receipt.substitutions.iter().find(|one| one.what == "tools that were taken away");
            assert!(instead.is_some(), "{:?}", now.receipt.substitutions);
        }
        // Whether it takes both ways in one request is not known.
        talk.tools = Some(vec![tool("read", "Reads."), tool("grep", "Searches.")]);
        let (began, _, renewed) = sent(&talk, &[user("one")], target);
        assert_eq!((began, renewed.fragment.to_value().get("tool_choice")), (Began::Now, None), "{model} {target:?}");
    }
}

/// What a caller wishes, and what is sent where `read` alone is allowed.
#[test]
fn a_wish_for_tools_is_one_among_those_that_are_allowed() {
    let mut talk = talk("gpt-5.4");
    for target in [Target::OpenAiResponses, Target::OpenAiChat] {
        talk.tools = Some(vec![tool("read", "Reads."), tool("bash", "Runs.")]);
        sent(&talk, &[user("one")], target);
        talk.tools = Some(vec![tool("read", "Reads.")]);
        let (_, _, delivery) = sent(&talk, &[user("one")], target);
        let ours = delivery.fragment.to_value()["tool_choice"].clone();
        let mut required = ours.clone();
        let mode = if target == Target::OpenAiChat { "/allowed_tools/mode" } else { "/mode" };
        *required.pointer_mut(mode).unwrap() = json!("required");
        let certain = json!({"type": "function", "name": "read"});
        let table = [
            (json!("auto"), ours.clone()),
            (Value::Null, ours.clone()),
            (json!("required"), required),
            (json!("none"), json!("none")),
            (certain.clone(), certain),
        ];
        for (wish, expected) in table {
            let request: Value = serde_json::from_str(&delivery.request([("tool_choice", wish.clone())])).unwrap();
            assert_eq!(request["tool_choice"], expected, "{target:?} {wish}");
        }
        let request: Value = serde_json::from_str(&delivery.request([("model", json!("gpt-5.4"))])).unwrap();
        assert_eq!(request["tool_choice"], ours, "{target:?}");
    }
}

#[test]
fn a_conversation_without_tools_gets_a_new_epoch_for_its_first() {
    let mut talk = talk("claude-opus-5");
    talk.tools = None;
    sent(&talk, &[user("one")], Target::Anthropic);
    talk.tools = Some(vec![tool("read", "Reads.")]);
    assert_eq!(sent(&talk, &[user("one")], Target::Anthropic).0, Began::Now);
}

#[test]
fn another_model_begins_an_epoch_where_the_layout_says_so_and_the_text_is_another() {
    let section = |id: &str, condition: &str| {
        format!("[[section]]\nid = \"{id}\"\nstability = \"frozen\"\ntext = \"{id}\"\nonly_if = [\"{condition}\"]\n")
    };
    let layout = format!("on_model = \"renew\"\n{}{}", section("gpt", "model:gpt-*"), section("other", "!model:gpt-*"));
    let mut talk = Talk::new(&layout);
    for (model, prefix, epoch) in [
        ("claude-opus-5", "other", 1),
        ("claude-haiku-4-5", "other", 1),
        ("gpt-5", "gpt", 2),
        ("gpt-5.6-sol", "gpt", 2),
    ] {
        talk.model = Some(model.to_owned());
        let turn = talk.turn(&agents("one"));
        assert_eq!((turn.prefix(), turn.epoch.as_ref().unwrap().number()), (prefix, epoch), "{model}");
    }
}

#[test]
fn conditions_and_advice_know_what_agents_call_their_tools() {
    let layout = "[tools.spellings]\nread = [\"Read\", \"read_file\"]\n[[section]]\nid = \"a\"\nstability = \"frozen\"\n\
                  text = \"reads\"\nonly_if = [\"tool:read\"]\n";
    for (name, text) in [("read", "reads"), ("Read", "reads"), ("read_file", "reads"), ("readme", "")] {
        let mut talk = Talk::new(layout);
        talk.conversation = name.to_owned();
        talk.tools = Some(vec![tool(name, "Reads.")]);
        assert_eq!(talk.turn(&agents("one")).prefix(), text, "{name}");
    }
}

fn by_name(name: &str) -> Value {
    json!({"type": "tool_addition", "tool": {"type": "tool_reference", "name": name}})
}

fn system(blocks: &[Value]) -> Value {
    json!({"role": "system", "content": blocks})
}

/// A conversation whose layout defers what this says.
fn deferring(model: &str, defer: &str) -> Talk {
    let layout = format!(
        "on_tools = \"amend\"\n[tools]\ndefer = {defer}\n[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n"
    );
    let mut talk = Talk::new(&layout);
    talk.model = Some(model.to_owned());
    talk.tools = Some(vec![tool("read", "Reads."), tool("mcp__github__search", "Searches."), tool("bash", "Runs.")]);
    talk
}

#[test]
fn a_tool_that_is_back_is_told_by_its_name() {
    let mut talk = talk("claude-opus-5");
    let mut history = vec![user("one")];
    sent(&talk, &history, Target::Anthropic);
    talk.tools = Some(vec![tool("read", "Reads.")]);
    history.extend([assistant("a"), user("two")]);
    sent(&talk, &history, Target::Anthropic);
    talk.tools = Some(vec![tool("read", "Reads."), tool("bash", "Runs.")]);
    history.extend([assistant("b"), user("three")]);
    let (began, _, back) = sent(&talk, &history, Target::Anthropic);
    assert_eq!(began, Began::Before);
    let told = [system(&[removed("bash")]), system(&[by_name("bash")])];
    let [gone, again] = told;
    let expected = [user("one"), assistant("a"), user("two"), gone, assistant("b"), user("three"), again];
    assert_eq!(messages(&back), expected);
    assert_eq!(back.headers["anthropic-beta"], "mid-conversation-tool-changes-2026-07-01");
    // Nothing new: the same bytes.
    assert_eq!(sent(&talk, &history, Target::Anthropic).2.bytes(), back.bytes());
}

#[test]
fn deferred_tools_come_last_behind_the_search_for_them_and_stay_so() {
    let mut talk = deferring("claude-opus-5", r#"["mcp__github__*", "bash"]"#);
    let (_, _, first) = sent(&talk, &[user("one")], Target::Anthropic);
    let deferred = |name: &str, text: &str| {
        let mut tool = defined(name, text);
        tool["defer_loading"] = json!(true);
        tool
    };
    let search = json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"});
    let tools = json!([
        defined("read", "Reads."),
        search,
        deferred("bash", "Runs."),
        deferred("mcp__github__search", "Searches.")
    ]);
    let fragment = first.fragment.to_value();
    assert_eq!((&fragment["tools"], first.headers.len()), (&tools, 0));
    assert_eq!(first.receipt.deferred, ["bash", "mcp__github__search"]);
    let shown = format!("[{},{}", defined("read", "Reads."), search);
    let parts: Vec<(&str, usize, bool)> =
        first.receipt.parts.iter().map(|part| (part.what.as_str(), part.bytes, part.is_prefix())).collect();
    let all = tools.to_string().len();
    assert_eq!(parts[..2], [("tools", shown.len(), true), ("deferred", all - shown.len(), false)]);

    // The caller wants one of them now: its name is told, and the list is as it was.
    let now: Tool = serde_json::from_value::<antefix::discover::tools::Tools>(
        json!([{"name": "bash", "description": "Runs.", "defer_loading": false}]),
    )
    .unwrap()[0]
        .clone();
    talk.tools = Some(vec![tool("read", "Reads."), tool("mcp__github__search", "Searches."), now]);
    let history = [user("one"), assistant("a"), user("two")];
    let (began, _, second) = sent(&talk, &history, Target::Anthropic);
    assert_eq!(began, Began::Before);
    assert_eq!(second.receipt.prefix_form, first.receipt.prefix_form);
    assert_eq!(second.fragment.to_value()["tools"], tools);
    assert_eq!(messages(&second).last(), Some(&system(&[by_name("bash")])));
    assert_eq!(second.headers["anthropic-beta"], "mid-conversation-tool-changes-2026-07-01");
    assert_eq!(sent(&talk, &history, Target::Anthropic).2.bytes(), second.bytes());
}

#[test]
fn responses_defers_functions_and_others_are_sent_all_tools() {
    let (_, _, responses) = sent(&deferring("gpt-5.6-sol", r#"["mcp__*"]"#), &[user("one")], Target::OpenAiResponses);
    let tools = responses.fragment.to_value()["tools"].clone();
    let said: Vec<(Value, Value, Value)> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["type"].clone(), tool["name"].clone(), tool["defer_loading"].clone()))
        .collect();
    let function = json!("function");
    assert_eq!(
        said,
        [
            (function.clone(), json!("bash"), Value::Null),
            (function.clone(), json!("read"), Value::Null),
            (json!("tool_search"), Value::Null, Value::Null),
            (function, json!("mcp__github__search"), json!(true)),
        ]
    );
    let rows = [
        ("gpt-5.6-sol", Target::OpenAiChat, "the target loads no tools later"),
        ("gpt-5", Target::OpenAiResponses, "the model loads no tools later"),
        ("claude-sonnet-4", Target::Anthropic, "the model loads no tools later"),
        ("nobody-knows-it", Target::Anthropic, "whether the model loads tools later is not known"),
        ("us.anthropic.claude-opus-5", Target::Bedrock, "the target loads no tools later"),
        ("gemini-2.5-pro", Target::Gemini, "the target loads no tools later"),
    ];
    for (model, target, why) in rows {
        let mut talk = deferring(model, r#"["mcp__*"]"#);
        let (_, _, delivery) = sent(&talk, &[user("one")], target);
        let said = delivery.receipt.substitutions.iter().find(|one| one.what == "deferred tools");
        assert_eq!(said.map(|one| one.instead.clone()), Some(format!("sent as all others: {why}")), "{model}");
        assert!(delivery.receipt.deferred.is_empty() && !delivery.bytes().contains("defer_loading"), "{model}");
        talk.tools = Some(vec![tool("read", "Reads.")]);
        let (_, _, without) = sent(&deferring(model, r#"["none"]"#), &[user("one")], target);
        assert!(without.receipt.substitutions.iter().all(|one| one.what != "deferred tools"), "{model}");
    }
}

/// Tools → what is deferred, by a list or by a budget.
#[test]
fn a_budget_defers_the_largest_tools_of_servers_and_nothing_that_its_caller_marks() {
    let tools = |value: Value| serde_json::from_value::<antefix::discover::tools::Tools>(value).unwrap().to_vec();
    let large = |name: &str, words: usize| json!({"name": name, "description": "word ".repeat(words)});
    let many = json!([
        large("own", 300),
        large("mcp__a__small", 20),
        large("mcp__a__large", 200),
        large("mcp__b__middle", 100)
    ]);
    let rows: Vec<(&str, Value, Vec<&str>)> = vec![
        ("{ over = 10000 }", many.clone(), vec![]),
        ("{ over = 500 }", many.clone(), vec!["mcp__a__large"]),
        ("{ over = 400 }", many.clone(), vec!["mcp__a__large", "mcp__b__middle"]),
        ("{ over = 10 }", many.clone(), vec!["mcp__a__large", "mcp__a__small", "mcp__b__middle"]),
        ("{ over = 10, keep = [\"mcp__a__*\"] }", many, vec!["mcp__b__middle"]),
        ("[\"x\"]", json!([{"name": "x", "input_schema": {}, "defer_loading": false}, "y"]), vec![]),
        ("[\"x\"]", json!([{"name": "x", "input_schema": {}, "cache_control": {"type": "ephemeral"}}, "y"]), vec![]),
        ("[\"*\"]", json!([{"type": "web_search_20250305", "name": "web_search"}, "y"]), vec!["y"]),
        (
            "[\"*\"]",
            json!(["x", {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}]),
            vec!["x"],
        ),
    ];
    for (defer, given, expected) in rows {
        let mut talk = deferring("claude-opus-5", defer);
        talk.tools = Some(tools(given.clone()));
        let (_, _, delivery) = sent(&talk, &[user("one")], Target::Anthropic);
        assert_eq!(delivery.receipt.deferred, expected, "{defer} {given}");
        // One search is enough, and without anything to find there is none.
        let sent = delivery.fragment.to_value()["tools"].to_string();
        let searches = sent.matches("\"tool_search_tool").count() / 2;
        assert_eq!(searches, usize::from(!expected.is_empty()), "{sent}");
    }
}

#[test]
fn another_line_of_a_tool_is_noticed_after_tools_were_told() {
    let layout = "on_tools = \"amend\"\n[[section]]\nid = \"tools\"\nstability = \"frozen\"\non_drift = \"renew\"\ndialect = \"bracket\"\ntext = \"[tools:list]\"\n";
    let mut talk = Talk::new(layout);
    talk.model = Some("claude-opus-5".to_owned());
    talk.tools = Some(vec![tool("read", "Reads.")]);
    let mut history = vec![user("one")];
    sent(&talk, &history, Target::Anthropic);
    talk.tools = Some(vec![tool("read", "Reads."), tool("bash", "Runs.")]);
    history.extend([assistant("a"), user("two")]);
    for _ in 0..2 {
        assert_eq!(sent(&talk, &history, Target::Anthropic).0, Began::Before);
    }
    let line = Tool { prompt_snippet: Some("Runs a command".to_owned()), ..tool("bash", "Runs.") };
    talk.tools = Some(vec![tool("read", "Reads."), line]);
    let (began, changes, _) = sent(&talk, &history, Target::Anthropic);
    assert_eq!((began, changes), (Began::Now, vec!["fact-changed tools:list".to_owned()]));
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "tools-changed")]);
}
