//! From a body to blocks, one function a shape.

use super::{BlockKind, Breakpoint, Json, Part, SentBlock, SentRequest, parameter};
use crate::deliver::Target;
use crate::observe::simulator::seconds;

/// What marks the end of what is to be cached.
const MARKERS: [&str; 2] = ["cache_control", "prompt_cache_breakpoint"];

/// What agents write beside an item and no provider shows to a model: an assumption for `id` and `status`.
const BESIDE: [&str; 6] = [
    "id",
    "status",
    "internal_chat_message_metadata_passthrough",
    "output_config",
    "cache_control",
    "prompt_cache_breakpoint",
];

/// How a block begins that says who pays. Anthropic leaves it out if it is the first.
const BILLING: &str = "x-anthropic-billing-header:";

pub(super) fn read(body: &Json, request: &mut SentRequest) {
    parameter::read(body, request);
    match request.target {
        Target::Anthropic => anthropic(body, request),
        Target::Bedrock => bedrock(body, request),
        Target::Gemini => gemini(body, request),
        Target::OpenAiResponses => openai(body, "input", request),
        Target::OpenAiChat | Target::Ollama | Target::Acp | Target::Plain => openai(body, "messages", request),
    }
    facts(body, request);
}

/// A place in the body, and who speaks there.
struct Place<'p> {
    part: Part,
    message: Option<usize>,
    role: &'p str,
    pointer: String,
}

impl<'p> Place<'p> {
    fn before(part: Part, pointer: impl Into<String>) -> Place<'p> {
        let role = if part == Part::System { "system" } else { "" };
        Place { part, message: None, role, pointer: pointer.into() }
    }

    fn message(number: usize, role: &'p str, pointer: String) -> Place<'p> {
        Place { part: Part::Messages, message: Some(number), role, pointer }
    }
}

fn anthropic(body: &Json, request: &mut SentRequest) {
    request.automatic = breakpoint(body);
    tools(body.get("tools"), "/tools", request);
    let system = body.get("system");
    contents(system, &Place::before(Part::System, "/system"), request);
    bill(request);
    for (number, message) in body.get("messages").list().iter().enumerate() {
        let role = message.get("role").text().unwrap_or_default();
        contents(message.get("content"), &Place::message(number, role, format!("/messages/{number}/content")), request);
    }
}

fn bedrock(body: &Json, request: &mut SentRequest) {
    tools(body.get("toolConfig").get("tools"), "/toolConfig/tools", request);
    contents(body.get("system"), &Place::before(Part::System, "/system"), request);
    for (number, message) in body.get("messages").list().iter().enumerate() {
        let role = message.get("role").text().unwrap_or_default();
        contents(message.get("content"), &Place::message(number, role, format!("/messages/{number}/content")), request);
    }
}

fn gemini(body: &Json, request: &mut SentRequest) {
    for (number, list) in body.get("tools").list().iter().enumerate() {
        let declared = list.get("functionDeclarations");
        tools(declared, &format!("/tools/{number}/functionDeclarations"), request);
        if list.members().iter().any(|(key, _)| key != "functionDeclarations") {
            let place = Place::before(Part::Tools, format!("/tools/{number}"));
            let mut text = String::new();
            list.write_without(&["functionDeclarations"], &mut text);
            push(&place, String::new(), (BlockKind::Tool, text), None, request);
        }
    }
    let system =
        ["systemInstruction", "system_instruction"].iter().find(|key| body.has(key)).unwrap_or(&"systemInstruction");
    contents(body.get(system).get("parts"), &Place::before(Part::System, format!("/{system}/parts")), request);
    for (number, message) in body.get("contents").list().iter().enumerate() {
        let role = message.get("role").text().unwrap_or("user");
        contents(message.get("parts"), &Place::message(number, role, format!("/contents/{number}/parts")), request);
    }
}

fn openai(body: &Json, key: &str, request: &mut SentRequest) {
    let options = body.get("prompt_cache_options");
    request.explicit = options.get("mode").text() == Some("explicit");
    request.lifetime = options.get("ttl").text().and_then(seconds);
    tools(body.get("tools"), "/tools", request);
    contents(body.get("instructions"), &Place::before(Part::System, "/instructions"), request);
    if let Json::Text(_) = body.get(key) {
        contents(body.get(key), &Place::message(0, "user", format!("/{key}")), request);
    }
    // What operators say before anybody else does is the system's.
    let is_head = |item: &Json| {
        item.get("type").text() == Some("additional_tools")
            || matches!(item.get("role").text(), Some("system" | "developer"))
    };
    let head = body.get(key).list().iter().take_while(|item| is_head(item)).count();
    for (number, item) in body.get(key).list().iter().enumerate() {
        let pointer = format!("/{key}/{number}");
        let of_type = item.get("type").text().unwrap_or_default();
        if of_type == "additional_tools" {
            tools(item.get("tools"), &format!("{pointer}/tools"), request);
            continue;
        }
        let role = item.get("role").text().unwrap_or_default();
        let first = request.blocks.len();
        let mut place = Place::message(number, role, format!("{pointer}/content"));
        if number < head {
            place.part = Part::System;
        }
        contents(item.get("content"), &place, request);
        label(item, first, request);
        contents(item.get("output"), &Place::message(number, "output", format!("{pointer}/output")), request);
        let said = ["content", "output", "role"];
        let is_rest =
            |key: &str| !said.contains(&key) && !BESIDE.contains(&key) && (key != "type" || of_type != "message");
        if item.members().iter().any(|(key, value)| is_rest(key) && *value != Json::Null) {
            let mut text = String::new();
            item.write_without(&[&said[..], &BESIDE[..]].concat(), &mut text);
            let kind = if item.has("tool_calls") { BlockKind::Call } else { BlockKind::of_word(of_type) };
            let name = item.get("name").text().unwrap_or_default().to_owned();
            push(&Place::message(number, role, pointer), name, (kind, text), breakpoint(item), request);
        }
    }
}

/// Definitions of tools, one by one; those of a namespace behind its own.
fn tools(list: &Json, pointer: &str, request: &mut SentRequest) {
    for (number, tool) in list.list().iter().enumerate() {
        // What is deferred is no part of what is cached.
        if tool.get("defer_loading").is_true() {
            request.deferred += 1;
            continue;
        }
        let place = Place::before(Part::Tools, format!("{pointer}/{number}"));
        if is_point(tool, request) {
            continue;
        }
        let inner = tool.get("tools").list();
        let mut text = String::new();
        let kept = if inner.is_empty() { MARKERS.to_vec() } else { [&MARKERS[..], &["tools"]].concat() };
        tool.write_without(&kept, &mut text);
        let named = [tool, tool.get("function"), tool.get("toolSpec")];
        let name = named.iter().find_map(|one| one.get("name").text()).or(tool.get("type").text()).unwrap_or_default();
        push(&place, name.to_owned(), (BlockKind::Tool, text), breakpoint(tool), request);
        let of_server = ["server_label", "mcp_server_name"].iter().find_map(|key| tool.get(key).text());
        let server = of_server.map(str::to_owned).or_else(|| server_of(name));
        if let Some(block) = request.blocks.last_mut() {
            block.server = if inner.is_empty() { server } else { Some(name.to_owned()) };
        }
        if !inner.is_empty() {
            let first = request.blocks.len();
            tools(tool.get("tools"), &format!("{}/tools", place.pointer), request);
            request.blocks[first..].iter_mut().for_each(|block| block.server = Some(name.to_owned()));
        }
    }
}

/// The server in a name like `mcp__git__log`.
fn server_of(name: &str) -> Option<String> {
    let (server, _) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(server.to_owned())
}

/// A text, or a list of blocks.
fn contents(contents: &Json, place: &Place<'_>, request: &mut SentRequest) {
    match contents {
        Json::Text(text) => push(place, String::new(), (BlockKind::Text, text.clone()), None, request),
        Json::List(blocks) => {
            for (number, block) in blocks.iter().enumerate() {
                let place = Place {
                    part: place.part,
                    message: place.message,
                    role: place.role,
                    pointer: format!("{}/{number}", place.pointer),
                };
                one(block, &place, request);
            }
        }
        _ => {}
    }
}

fn one(block: &Json, place: &Place<'_>, request: &mut SentRequest) {
    if is_point(block, request) {
        return;
    }
    if let Json::Text(text) = block {
        return push(place, String::new(), (BlockKind::Text, text.clone()), None, request);
    }
    let is_plain = |key: &str| key == "type" || key == "text" || MARKERS.contains(&key);
    let is_text = block.members().iter().all(|(key, _)| is_plain(key));
    let name = block.get("name").text().unwrap_or_default().to_owned();
    match block.get("text").text() {
        Some(text) if is_text => {
            push(place, String::new(), (BlockKind::Text, text.to_owned()), breakpoint(block), request)
        }
        _ => {
            let mut text = String::new();
            block.write_without(&MARKERS, &mut text);
            push(place, name, (kind(block), text), breakpoint(block), request);
        }
    }
}

fn kind(block: &Json) -> BlockKind {
    if let Some(word) = block.get("type").text() {
        return BlockKind::of_word(word);
    }
    // Gemini and Converse have a key for each kind.
    let keyed = [
        ("functionCall", BlockKind::Call),
        ("toolUse", BlockKind::Call),
        ("functionResponse", BlockKind::Result),
        ("toolResult", BlockKind::Result),
        ("reasoningContent", BlockKind::Thinking),
        ("inlineData", BlockKind::Media),
        ("fileData", BlockKind::Media),
        ("image", BlockKind::Media),
        ("text", BlockKind::Text),
    ];
    keyed.iter().find(|(key, _)| block.has(key)).map_or(BlockKind::Other, |(_, kind)| *kind)
}

/// Converse has blocks of their own for what others put at the block before.
fn is_point(block: &Json, request: &mut SentRequest) -> bool {
    let point = block.get("cachePoint");
    if *point == Json::Null {
        return false;
    }
    if let Some(before) = request.blocks.last_mut() {
        before.breakpoint = Some(Breakpoint { lifetime: point.get("ttl").text().and_then(seconds) });
    }
    true
}

fn push(
    place: &Place<'_>,
    name: String,
    (kind, text): (BlockKind, String),
    breakpoint: Option<Breakpoint>,
    request: &mut SentRequest,
) {
    request.blocks.push(SentBlock {
        part: place.part,
        message: place.message,
        role: place.role.to_owned(),
        kind,
        name: (!name.is_empty()).then_some(name),
        server: None,
        pointer: place.pointer.clone(),
        text,
        breakpoint,
        label: None,
    });
}

fn breakpoint(block: &Json) -> Option<Breakpoint> {
    let marker = MARKERS.iter().map(|key| block.get(key)).find(|marker| **marker != Json::Null)?;
    Some(Breakpoint { lifetime: marker.get("ttl").text().and_then(seconds) })
}

/// Codex says of each of its blocks where it comes from.
fn label(item: &Json, first: usize, request: &mut SentRequest) {
    let said = item.get("internal_chat_message_metadata_passthrough").get("content_item_metadata").list();
    for (block, said) in request.blocks[first..].iter_mut().zip(said) {
        block.label = said.get("provenance").get("type").text().map(str::to_owned);
    }
}

/// The block that says who pays is no part of the prompt if it is the first. What it says is kept.
fn bill(request: &mut SentRequest) {
    let first = request.blocks.iter().position(|block| block.part == Part::System);
    let Some(first) = first.filter(|first| request.blocks[*first].text.starts_with(BILLING)) else { return };
    if request.blocks[first].breakpoint.is_some() {
        return;
    }
    let block = request.blocks.remove(first);
    let fields = block.text[BILLING.len()..].split(';').filter_map(|field| field.trim().split_once('='));
    request.facts.extend(fields.take(32).map(|(name, value)| (name.to_owned(), value.to_owned())));
}

/// What the body says about itself and is not compared.
fn facts(body: &Json, request: &mut SentRequest) {
    let mut say = |name: &str, value: Option<&str>| {
        request.facts.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    };
    say("user_id", body.get("metadata").get("user_id").text());
    say("previous_message_id", body.get("diagnostics").get("previous_message_id").text());
    say("previous_response_id", body.get("previous_response_id").text());
    // Codex has a document of its own about the turn, as a text.
    let client = body.get("client_metadata");
    let turn = client.get("x-codex-turn-metadata").text().and_then(|text| Json::parse(text.as_bytes()).ok());
    for key in ["thread_id", "turn_id", "request_kind", "thread_source"] {
        say(key, turn.as_ref().and_then(|turn| turn.get(key).text()));
    }
    if *body.get("generate") == Json::Bool(false) {
        say("generate", Some("false"));
    }
    if let Some(most) = ["max_tokens", "max_output_tokens"].iter().find_map(|key| body.get(key).count()) {
        say("max_tokens", Some(&most.to_string()));
    }
    if body.get("output_config").get("format").has("schema") || body.has("output_format") || body.has("response_format")
    {
        say("format", Some("schema"));
    }
}
