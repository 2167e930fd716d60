"""What providers refuse, for the stand-in: one function a provider.

The rules are those of `crates/antefix/src/deliver/rules`, written a second time and from the other side. `rules.json` has a request for
each rule that breaks it and one that keeps it; a test sends both here and holds both against the tables.
"""

import re


class Refused(Exception):
    """What the provider would answer with status 400."""


# Beginnings of the names of models that take a system message in the midst of a conversation.
MID_SYSTEM = ("claude-opus-4-8", "claude-opus-5", "claude-fable-5", "claude-mythos-5", "claude-sonnet-5-5", "claude-haiku-5-5")

# What Bedrock caches for five minutes at most.
SHORT_LIVED = ("claude-3", "claude-opus-4-2", "claude-sonnet-4-2", "claude-opus-4-1", "amazon.nova")


def refuse(condition, why):
    if condition:
        raise Refused(why)


def blocks(content, text="text"):
    """The content of a message as blocks."""
    return [{"type": text, "text": content}] if isinstance(content, str) else content or []


def is_blank(block):
    return isinstance(block.get("text"), str) and not block["text"].strip()


def lifetimes(marks):
    """At most four, and none for longer than one before it."""
    refuse(len(marks) > 4, f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    seconds = [3600 if mark.get("ttl") == "1h" else 300 for mark in marks]
    refuse(seconds != sorted(seconds, reverse=True), "a ttl='1h' cache_control block must not come after a ttl='5m' one")
    return seconds


def answered(messages, call, answer):
    """Every call has its answer in what is said next, and every answer its call in what was said before."""
    turns = []
    for message in messages:
        if turns and turns[-1][0]["role"] == message["role"]:
            turns[-1].append(message)
        else:
            turns.append([message])
    found = [{key: {of(block) for one in turn for block in blocks(one["content"])} - {None}
              for key, of in (("calls", call), ("answers", answer))} for turn in turns]
    nothing = {"calls": set(), "answers": set()}
    for at, turn in enumerate(found):
        before = found[at - 1] if at else nothing
        behind = found[at + 1] if at + 1 < len(found) else nothing
        refuse(turn["calls"] - behind["answers"], "`tool_use` ids were found without `tool_result` blocks immediately after")
        refuse(turn["answers"] - before["calls"], "unexpected `tool_use_id` found in `tool_result` blocks")


def anthropic(body, model):
    messages = body["messages"]
    refuse(not messages, "messages: at least one message is required")
    roles = [message["role"] for message in messages]
    refuse(set(roles) - {"user", "assistant", "system"}, "messages: Input should be 'user', 'assistant' or 'system'")
    refuse(roles[0] not in ("user", "system"), "messages: first message must use the user role")
    for at, role in enumerate(roles):
        if role != "system":
            continue
        refuse(not model.startswith(MID_SYSTEM), "messages: the model takes no system message")
        refuse(at == 0 or roles[at - 1] != "user", f"messages.{at}: a system message must follow a user turn")
        refuse(roles[at + 1 : at + 2] not in ([], ["assistant"]), f"messages.{at}: it must be last or precede an assistant turn")
    said = [block for message in messages for block in blocks(message["content"])]
    refuse(any(not blocks(message["content"]) for message in messages), "messages: content must not be empty")
    refuse(any(is_blank(block) for block in said), "messages: text content blocks must be non-empty")
    marked = body.get("tools", []) + blocks(body.get("system")) + said
    marked = [block for block in marked if block.get("cache_control")]
    for block in marked:
        refuse(is_blank(block), "cache_control cannot be set for empty text blocks")
        refuse(block.get("type", "").endswith("thinking"), "cache_control cannot be set for thinking blocks")
    lifetimes([block["cache_control"] for block in marked])
    answered(
        messages,
        lambda block: block["id"] if block["type"] == "tool_use" else None,
        lambda block: block["tool_use_id"] if block["type"] == "tool_result" else None,
    )


def openai(body, key):
    """What Chat Completions and Responses refuse alike."""
    messages = body[key]
    refuse(messages == [], f"Invalid '{key}': empty array. Expected an array with minimum length 1.")
    refuse(body.get("tools") == [], "Invalid 'tools': empty array. Expected an array with minimum length 1.")
    if isinstance(messages, str):
        return
    if re.match(r"gpt-(?!5\.[6-9]|[6-9])", body["model"]):
        parts = [part for message in messages for part in blocks(message.get("content"))]
        refuse(any("prompt_cache_breakpoint" in part for part in parts), "prompt_cache_breakpoint is not supported with this model")
    known = {"user", "assistant", "system", "developer"} | ({"tool", "function"} if key == "messages" else set())
    refuse({message["role"] for message in messages if "role" in message} - known, "Invalid value: 'role'")


def openai_chat(body):
    openai(body, "messages")
    messages = body["messages"]
    roles = [message["role"] for message in messages]
    open_calls = set()
    for message, before in zip(messages, [None, *messages]):
        if message["role"] == "tool":
            follows = before and (before["role"] == "tool" or before.get("tool_calls"))
            refuse(not follows, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
            open_calls.discard(message["tool_call_id"])
            continue
        refuse(open_calls, "An assistant message with 'tool_calls' must be followed by tool messages")
        open_calls = {call["id"] for call in message.get("tool_calls") or []}
    refuse(open_calls, "An assistant message with 'tool_calls' must be followed by tool messages")
    if body["model"].startswith(("mistral", "codestral", "devstral", "magistral")):
        order = list(zip(roles, roles[1:]))
        refuse(any(one != "system" and other == "system" for one, other in order), "Unexpected role 'system' after role 'user'")
        refuse(("tool", "user") in order, "Unexpected role 'user' after role 'tool'")
        refuse(roles[-1] == "system", "Expected last role User or Tool")


def openai_responses(body):
    openai(body, "input")
    items = [item for item in body["input"] if isinstance(item, dict)]
    calls = {item["call_id"] for item in items if item.get("type") in ("function_call", "custom_tool_call")}
    outputs = {item["call_id"] for item in items if item.get("type", "").endswith("_call_output")}
    refuse(calls - outputs, "No tool output found for function call")
    refuse("previous_response_id" not in body and outputs - calls, "No tool call found for function call output")


def gemini(body):
    contents = body["contents"]
    refuse(not contents, "contents is not specified")
    beside = {"systemInstruction", "tools", "toolConfig"} & body.keys()
    refuse("cachedContent" in body and beside, "CachedContent can not be used with system_instruction, tools or tool_config")
    refuse({content.get("role", "user") for content in contents} - {"user", "model", "function"}, "Please use a valid role: user, model.")
    for content in contents:
        refuse(not content["parts"] or any(is_blank(part) for part in content["parts"]), "contents.parts must not be empty.")
    refuse(any(tool.get("functionDeclarations") == [] for tool in body.get("tools", [])), "function_declarations: should be non-empty")
    count = lambda content, key: sum(key in part for part in content["parts"])
    for before, content in zip([{"parts": []}, *contents], contents):
        answers = count(content, "functionResponse")
        refuse(answers and answers != count(before, "functionCall"), "function response parts must be equal to function call parts")


def bedrock(body, model):
    messages = body["messages"]
    refuse(not messages, "A conversation must start with a user message.")
    refuse(body.get("toolConfig", {}).get("tools") == [], "toolConfig.tools: length must be at least 1")
    roles = [message["role"] for message in messages]
    refuse(set(roles) - {"user", "assistant"}, "messages.role: must satisfy enum value set: [user, assistant]")
    refuse(roles[0] != "user", "A conversation must start with a user message.")
    refuse(any(one == other for one, other in zip(roles, roles[1:])), "roles must alternate between user and assistant")
    lists = [body.get("toolConfig", {}).get("tools", []), body.get("system", []), *(message["content"] for message in messages)]
    for one in lists:
        refuse(one and "cachePoint" in one[0], "a cachePoint must follow a block")
        refuse(any(is_blank(block) for block in one), "The text field in the ContentBlock object is blank")
    seconds = lifetimes([block["cachePoint"] for one in lists for block in one if "cachePoint" in block])
    short = model.removeprefix("us.").removeprefix("anthropic.").startswith(SHORT_LIVED)
    refuse(short and 3600 in seconds, "ttl: the model caches for five minutes")
    answered(
        messages,
        lambda block: block.get("toolUse", {}).get("toolUseId"),
        lambda block: block.get("toolResult", {}).get("toolUseId"),
    )
