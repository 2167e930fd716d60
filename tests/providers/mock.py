"""A stand-in for model providers on this machine: `python3 tests/providers/mock.py DIRECTORY [PORT]`.

1. It answers Anthropic's Messages, OpenAI's Chat Completions and Responses, Gemini's generateContent and cachedContents,
   Bedrock's Converse and Ollama's chat in their own shapes.
2. Every request is kept in DIRECTORY: `0001.body` has its bytes, `0001.json` its path and the usage that was answered.
3. Usage is not made up: the provider's prompt cache is simulated from the bytes that came, with the rules that the provider
   documents (what is cached, from how many tokens on, how far back it is looked for). A token is four bytes here.
4. What the provider would refuse is refused, see `refusals.py`: each rule of antefix's tables of them, and nothing else.

It needs nothing but Python. The first line on stdout says where it listens.
"""

import hashlib
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from urllib.parse import unquote

import refusals
from refusals import Refused

# The fewest tokens that are cached, for the beginning of a model's name; the longest that fits counts.
MINIMUM = {"claude-": 4096, "claude-opus-5": 512, "anthropic.claude-opus-5": 512, "gpt-": 1024, "gemini-": 4096}


def tokens(size):
    return size // 4


def minimum(model):
    names = [name for name in MINIMUM if model.startswith(name)]
    return MINIMUM[max(names, key=len)] if names else 1024


def compact(value):
    """The value as it came, in the order in which its keys came, without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Block:
    """A piece of a request that the provider reads as one, and the lifetime that its breakpoint asks for."""

    def __init__(self, value, lifetime=None):
        self.bytes = compact(value) + b"\n"
        self.lifetime = lifetime


class Cache:
    """What a provider remembers, apart for every model and cache key."""

    def __init__(self):
        self.prefixes = set()
        self.texts = {}
        self.responses = []

    def explicit(self, scope, blocks, look_back):
        """Prefixes are written at breakpoints, and found from a breakpoint backwards: what was read, what was written."""
        digest, size, ends = hashlib.sha256(repr(scope).encode()), 0, []
        for block in blocks:
            digest.update(block.bytes)
            size += len(block.bytes)
            ends.append((digest.hexdigest(), tokens(size)))
        marked = [at for at, block in enumerate(blocks) if block.lifetime]
        read = 0
        for at in marked:
            for digest, size in ends[max(0, at + 1 - look_back) : at + 1]:
                if digest in self.prefixes:
                    read = max(read, size)
        written, done = {}, read
        for at in marked:
            digest, size = ends[at]
            if size < minimum(scope[0]):
                continue
            self.prefixes.add(digest)
            if size > done:
                written[blocks[at].lifetime] = written.get(blocks[at].lifetime, 0) + size - done
                done = size
        return read, written, ends[-1][1] if ends else 0

    def automatic(self, scope, blocks, step):
        """Everything is remembered, and the longest common beginning is found, in steps of so many tokens."""
        text = b"".join(block.bytes for block in blocks)
        known = self.texts.setdefault(scope, [])
        read = max((tokens(common(text, other)) // step * step for other in known), default=0)
        known.append(text)
        return read if read >= minimum(scope[0]) else 0, tokens(len(text))


def common(one, other):
    """How many bytes two texts have in common from their beginning on."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def parts(content):
    """The content of a message as a list: a text is a list of one."""
    return [content] if isinstance(content, str) else content


def without(value, key):
    return {name: inner for name, inner in value.items() if name != key} if isinstance(value, dict) else value


def anthropic(cache, body, model):
    refusals.anthropic(body, model)

    def lifetime(block):
        control = block.get("cache_control") if isinstance(block, dict) else None
        return control.get("ttl", "5m") if control else None

    blocks = [Block(without(tool, "cache_control"), lifetime(tool)) for tool in body.get("tools", [])]
    blocks += [Block(without(block, "cache_control"), lifetime(block)) for block in parts(body.get("system", []))]
    for message in body["messages"]:
        for block in parts(message["content"]):
            value = {"type": "text", "text": block} if isinstance(block, str) else without(block, "cache_control")
            # A text is the same in whichever form and order it comes.
            blocks.append(Block([message["role"], dict(sorted(value.items()))], lifetime(block)))
    read, written, total = cache.explicit((model,), blocks, 20)
    usage = {
        "input_tokens": total - read - sum(written.values()),
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": sum(written.values()),
        "cache_creation": {f"ephemeral_{ttl}_input_tokens": written.get(ttl, 0) for ttl in ("5m", "1h")},
        "output_tokens": 2,
    }
    content = [{"type": "text", "text": "Well understood."}]
    cache.responses.append(f"msg_{len(cache.responses) + 1}")
    answer = {"id": cache.responses[-1], "type": "message", "role": "assistant", "model": model, "content": content}
    if "diagnostics" in body:
        known = body["diagnostics"]["previous_message_id"] in cache.responses[:-1]
        answer["diagnostics"] = {"cache_miss_reason": None if known else {"type": "previous_message_not_found"}}
    return answer | {"stop_reason": "end_turn", "stop_sequence": None, "usage": usage}, (read, sum(written.values()))


def openai_cache(cache, body, messages):
    """From GPT-5.6 on breakpoints count, and the end of the last message; before, whatever is the same in front."""
    model = body["model"]
    scope = (model, body.get("prompt_cache_key"))
    blocks = [Block(tool) for tool in body.get("tools", [])]
    for message in messages:
        for part in parts(message.get("content") or [message]):
            marker = part.get("prompt_cache_breakpoint") if isinstance(part, dict) else None
            value = [message.get("role"), without(part, "prompt_cache_breakpoint")]
            blocks.append(Block(value, marker.get("ttl", "30m") if marker else None))
    if not re.match(r"gpt-(5\.[6-9]|[6-9])", model):
        read, total = cache.automatic(scope, blocks, 128)
        return read, 0, total
    if body.get("prompt_cache_options", {}).get("mode", "implicit") == "implicit" and blocks:
        blocks[-1].lifetime = blocks[-1].lifetime or "30m"
    for block in [block for block in blocks if block.lifetime][:-4]:
        block.lifetime = None
    read, written, total = cache.explicit(scope, blocks, 80)
    return read, sum(written.values()), total


def openai_chat(cache, body, _):
    refusals.openai_chat(body)
    read, written, total = openai_cache(cache, body, body["messages"])
    details = {"cached_tokens": read, "cache_write_tokens": written, "audio_tokens": 0}
    usage = {"prompt_tokens": total, "completion_tokens": 2, "total_tokens": total + 2, "prompt_tokens_details": details}
    message = {"role": "assistant", "content": "Well understood.", "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
    return answer | {"usage": usage}, (read, written)


def openai_responses(cache, body, _):
    refusals.openai_responses(body)
    items = parts(body["input"])
    read, written, total = openai_cache(cache, body, [item if isinstance(item, dict) else {"role": "user", "content": item} for item in items])
    usage = {"input_tokens": total, "output_tokens": 2, "total_tokens": total + 2}
    usage["input_tokens_details"] = {"cached_tokens": read, "cache_write_tokens": written}
    usage["output_tokens_details"] = {"reasoning_tokens": 0}
    text = {"type": "output_text", "text": "Well understood.", "annotations": [], "logprobs": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    answer = {"id": "resp_1", "object": "response", "created_at": 1, "model": body["model"], "status": "completed"}
    answer |= {"output": [message], "tools": [], "tool_choice": "auto", "parallel_tool_calls": True, "error": None}
    return answer | {"usage": usage}, (read, written)


def gemini(cache, body, model):
    refusals.gemini(body)
    kept = {}
    if "cachedContent" in body:
        kept = cache.contents[body["cachedContent"]]
    front = [Block(kept.get(key, body.get(key))) for key in ("tools", "systemInstruction")]
    read, total = cache.automatic((model,), front + [Block(content) for content in body["contents"]], 1)
    if kept:
        read = tokens(sum(len(block.bytes) for block in front))
    usage = {"promptTokenCount": total, "candidatesTokenCount": 2, "totalTokenCount": total + 2}
    if read:
        usage["cachedContentTokenCount"] = read
    content = {"role": "model", "parts": [{"text": "Well understood."}]}
    answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "modelVersion": model}
    return answer | {"usageMetadata": usage}, (read, 0)


def gemini_contents(cache, body, _):
    size = tokens(len(compact(body.get("tools")) + compact(body.get("systemInstruction"))))
    if size < minimum(body["model"].removeprefix("models/")):
        raise Refused("Cached content is too small")
    name = f"cachedContents/{len(cache.contents) + 1}"
    cache.contents[name] = body
    answer = {"name": name, "model": body["model"], "usageMetadata": {"totalTokenCount": size}}
    return answer | {"createTime": "2026-01-01T00:00:00Z", "expireTime": "2026-01-01T01:00:00Z"}, (0, size)


def bedrock(cache, body, model):
    refusals.bedrock(body, model)
    blocks = []

    def read_blocks(values, role):
        for value in values:
            if "cachePoint" not in value:
                blocks.append(Block([role, value]))
            else:
                blocks[-1].lifetime = value["cachePoint"].get("ttl", "5m")

    read_blocks(body.get("toolConfig", {}).get("tools", []), "tools")
    read_blocks(body.get("system", []), "system")
    for message in body["messages"]:
        read_blocks(message["content"], message["role"])
    read, written, total = cache.explicit((model,), blocks, 20)
    written = sum(written.values())
    usage = {"inputTokens": total - read - written, "outputTokens": 2, "totalTokens": total + 2}
    usage |= {"cacheReadInputTokens": read, "cacheWriteInputTokens": written}
    message = {"role": "assistant", "content": [{"text": "Well understood."}]}
    return {"output": {"message": message}, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}, (read, written)


def ollama(cache, body, _):
    # Ollama tells how much it read, and not how much of it was still in its memory.
    total = tokens(sum(len(compact(message)) for message in body["messages"]))
    message = {"role": "assistant", "content": "Well understood."}
    answer = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
    return answer | {"done_reason": "stop", "prompt_eval_count": total, "eval_count": 2}, (0, 0)


# What answers which path. A group in the path is the model.
ROUTES = [
    (r"/v1/messages$", anthropic),
    (r"/v1/chat/completions$", openai_chat),
    (r"/v1/responses$", openai_responses),
    (r"/v1[a-z0-9]*/models/([^/]+):generateContent$", gemini),
    (r"/v1[a-z0-9]*/cachedContents$", gemini_contents),
    (r"/model/([^/]+)/converse$", bedrock),
    (r"/api/chat$", ollama),
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = unquote(self.path.split("?")[0])
        with self.server.lock:
            status, answer, usage = self.answer(path, raw)
            self.keep(path, raw, status, usage)
        sent = compact(answer)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def answer(self, path, raw):
        for pattern, provider in ROUTES:
            found = re.search(pattern, path)
            if not found:
                continue
            try:
                body = json.loads(raw)
                model = found[1] if found.groups() else body["model"]
                answer, usage = provider(self.server.cache, body, model)
                return 200, answer, usage
            except (Refused, KeyError, TypeError, ValueError) as why:
                message = f"{type(why).__name__}: {why}"
                return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": message}}, (0, 0)
        return 404, {"error": {"message": f"nothing answers {path}"}}, (0, 0)

    def keep(self, path, raw, status, usage):
        self.server.count += 1
        name = self.server.directory / f"{self.server.count:04}"
        name.with_suffix(".body").write_bytes(raw)
        note = {"path": path, "status": status, "read": usage[0], "written": usage[1]}
        # Whoever waits for this file finds the body complete.
        name.with_suffix(".json").write_text(json.dumps(note))

    def log_message(self, *_):
        """Nothing but the first line is printed."""


def main():
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
    server.daemon_threads = True
    server.directory, server.count, server.lock, server.cache = directory, 0, Lock(), Cache()
    server.cache.contents = {}
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
