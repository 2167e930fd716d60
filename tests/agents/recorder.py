"""Runs an agent with a model that writes down what it is asked:
`python3 tests/agents/recorder.py DIRECTORY [TOOL ARGUMENTS] -- PROGRAM …`.

1. It speaks Anthropic's Messages, OpenAI's Responses and Chat Completions and Gemini's generateContent, streamed or not, as
   far as agents need it to go on.
2. Every request is kept in DIRECTORY: `0001.json` has its method, its path and its body.
3. It says "Done." With TOOL, it first calls that tool once with ARGUMENTS, a JSON object, in each conversation that has the
   tool, so that the agent touches a file.

4. `{url}` in the words and variables of PROGRAM is where it listens. The exit status is the program's, or 124 if it does not end.

It needs nothing but Python.
"""

import gzip
import json
import os
import subprocess
import sys
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread

WORDS = "Done."


def names_of_tools(body):
    """The tools of a request, whatever its shape."""
    for tool in body.get("tools") or []:
        for inner in tool.get("functionDeclarations") or [tool]:
            yield inner.get("name") or inner.get("function", {}).get("name")


def wants_tool(server, body):
    """Whether this is the moment to call the tool: it is there, and was not called yet."""
    if not server.tool or server.tool not in names_of_tools(body):
        return False
    return "call_antefix" not in json.dumps(body) and "antefix-was-here" not in json.dumps(body)


def anthropic(server, body):
    call = wants_tool(server, body)
    if call:
        block = {"type": "tool_use", "id": "call_antefix", "name": server.tool, "input": server.arguments}
    else:
        block = {"type": "text", "text": WORDS}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"), "content": [block],
        "stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None, "usage": usage,
    }
    if not body.get("stream"):
        return message
    if call:
        start = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(server.arguments)}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": WORDS}
    events = [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def responses(server, body):
    if wants_tool(server, body):
        item = {
            "type": "function_call", "id": "fc_1", "call_id": "call_antefix", "name": server.tool, "status": "completed",
            "arguments": json.dumps(server.arguments),
        }
    else:
        text = {"type": "output_text", "text": WORDS, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    response = {
        "id": "resp_1", "object": "response", "created_at": 1, "model": body.get("model"), "status": "completed",
        "output": [item], "usage": usage,
    }
    if not body.get("stream"):
        return response
    events = [
        {"type": "response.created", "response": response | {"status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    if item["type"] == "message":
        part = {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": WORDS}
        events.insert(2, part)
    return [(event["type"], event | {"sequence_number": at}) for at, event in enumerate(events)]


def chat(server, body):
    call = wants_tool(server, body)
    message = {"role": "assistant", "content": None if call else WORDS}
    if call:
        function = {"name": server.tool, "arguments": json.dumps(server.arguments)}
        message["tool_calls"] = [{"index": 0, "id": "call_antefix", "type": "function", "function": function}]
    reason = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    common = {"id": "chat_1", "created": 1, "model": body.get("model")}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return common | {"object": "chat.completion", "choices": [choice], "usage": usage}
    chunks = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]
    return [(None, common | {"object": "chat.completion.chunk"} | chunk) for chunk in chunks] + [(None, "[DONE]")]


def gemini(server, body):
    call = wants_tool(server, body)
    # Nothing of the call but its name comes back: the words beside it say that it was made.
    parts = [{"text": "antefix-was-here"}, {"functionCall": {"name": server.tool, "args": server.arguments}}]
    answer = {
        "candidates": [{
            "index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts if call else [{"text": WORDS}]},
        }],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    }
    return [(None, answer)]


def answer(server, path, body):
    """What is answered, by the end of the path; a list is a stream."""
    path = path.split("?")[0]
    if path.endswith("/messages"):
        return anthropic(server, body)
    if path.endswith("/count_tokens"):
        return {"input_tokens": 1}
    if path.endswith("/responses"):
        return responses(server, body)
    if path.endswith("/chat/completions"):
        return chat(server, body)
    if path.endswith(":streamGenerateContent"):
        return gemini(server, body)
    if path.endswith(":generateContent"):
        return gemini(server, body)[0][1]
    if path.endswith(":countTokens"):
        return {"totalTokens": 1}
    if path.endswith("/models"):
        return {"object": "list", "data": []}
    return None


def inflated(data, encoding):
    if encoding == "gzip":
        return gzip.decompress(data)
    return zlib.decompress(data) if encoding == "deflate" else data


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        data = inflated(data, self.headers.get("content-encoding"))
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = {"not JSON": data.decode(errors="replace")}
        self.server.keep({"method": self.command, "path": self.path, "body": body})
        found = answer(self.server, self.path, body)
        if found is None:
            return self.reply(404, "application/json", b'{"error": {"message": "the recorder does not know this path"}}')
        if not isinstance(found, list):
            return self.reply(200, "application/json", json.dumps(found).encode())
        lines = []
        for name, event in found:
            lines.append(f"event: {name}\n" if name else "")
            lines.append(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
        return self.reply(200, "text/event-stream", "".join(lines).encode())

    # A WebSocket is refused by its status: agents that would like one go on without.
    def do_GET(self):
        self.server.keep({"method": self.command, "path": self.path, "body": None})
        if self.headers.get("upgrade"):
            return self.reply(426, "text/plain", b"")
        if self.path.split("?")[0].endswith("/models"):
            return self.reply(200, "application/json", b'{"object": "list", "data": []}')
        return self.reply(404, "text/plain", b"")

    do_HEAD = do_GET

    def reply(self, status, kind, data):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_):
        pass


class Recorder(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, directory, tool, arguments):
        super().__init__(("127.0.0.1", 0), Handler)
        self.directory, self.tool, self.arguments = Path(directory), tool, arguments
        self.count, self.lock = 0, Lock()

    def keep(self, request):
        with self.lock:
            self.count += 1
            path = self.directory / f"{self.count:04}.json"
        path.write_text(json.dumps(request, ensure_ascii=False), encoding="utf-8", errors="surrogatepass")


def run(server, command):
    """Runs the program until it ends, or for two minutes."""
    url = f"http://127.0.0.1:{server.server_address[1]}"
    environment = {name: value.replace("{url}", url) for name, value in os.environ.items()}
    words = [word.replace("{url}", url) for word in command]
    try:
        return subprocess.run(words, env=environment, timeout=120).returncode
    except subprocess.TimeoutExpired:
        return 124


if __name__ == "__main__":
    end = sys.argv.index("--")
    directory, *call = sys.argv[1:end]
    server = Recorder(directory, call[0] if call else None, json.loads(call[1]) if call else None)
    Thread(target=server.serve_forever, daemon=True).start()
    sys.exit(run(server, sys.argv[end + 1 :]))
