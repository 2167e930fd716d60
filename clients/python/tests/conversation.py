"""A whole conversation with a real server, by every method that the client has.

    ANTEFIX_URL=… ANTEFIX_TOKEN_FILE=… python3 conversation.py PROJECT

The server works in PROJECT, a directory with an AGENTS.md that says "Use tabs.", and has nothing in its store.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from antefix_client import (
    AntefixError,
    BadRequest,
    Client,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    PreconditionFailed,
    Problem,
    Unauthorized,
    Unavailable,
    Unreachable,
    request,
)

PROJECT = Path(sys.argv.pop())
URL = os.environ["ANTEFIX_URL"]
TEMPLATE = "You help Ada.\n[file:AGENTS.md]"


class Conversation(unittest.TestCase):
    def test_from_the_first_turn_to_the_last(self) -> None:
        client = Client()
        self.assertTrue(client.alive() and client.ready())
        self.assertIn("cwd", [variable["name"] for variable in client.variables()])

        # A template is saved by whoever saw the last one.
        own = client.template()
        self.assertEqual(own["from"], "layout")
        saved = client.save_template(TEMPLATE, if_match=own["digest"], author="José Ørsted 明")
        self.assertEqual((saved.get("number"), saved.get("author")), (1, "José Ørsted 明"))
        with self.assertRaises(PreconditionFailed) as late:
            client.save_template("Mine.", if_match=own["digest"])
        self.assertEqual((late.exception.status, late.exception.type), (412, "urn:antefix:conflict"))
        self.assertEqual(late.exception.error, "Somebody else saved the template meanwhile")
        self.assertIn("save again with its ETag", late.exception.hint or "")

        # Open it, and get the same bytes again.
        id = "chat 7/ä?#%"
        first = client.turn(id, model="claude-opus-5", target="anthropic", tools=["read", {"name": "edit"}])
        prefix = "You help Ada.\nUse tabs.\n"
        said = [block["text"] for block in (first["fragment"] or {})["system"]]
        # The fragment has the prefix, so that nothing else of the answer has it.
        self.assertEqual((first["began"], "prefix" in first, "suffix" in first, said), (True, False, False, [prefix]))
        again = client.turn(id, model="claude-opus-5")
        self.assertEqual((again["began"], again.get("prefix"), again.get("suffix")), (False, prefix, ""))
        self.assertEqual(client.prefix(id), prefix.encode())
        self.assertEqual(client.standing(id)["prefix"], prefix)

        # The instructions change: the bytes stay, and the change is pending until the conversation is renewed.
        (PROJECT / "AGENTS.md").write_text("Use spaces.\n")
        after = client.turn(id)
        self.assertEqual(after.get("prefix"), prefix)
        self.assertEqual([change["kind"] for change in after["pending"]], ["file-changed"])
        drift = client.drift(id, model="claude-opus-5")
        self.assertEqual([change["kind"] for change in drift["changes"]], ["file-changed"])
        shown = client.preview(conversation=id)
        self.assertEqual(shown["prefix"]["text"], "You help Ada.\nUse spaces.\n")
        change = shown.get("change")
        assert change is not None
        self.assertEqual(change["conversation"], id)
        begun = client.renew(id, cause="reloaded")
        self.assertEqual((begun.get("began"), begun["epoch"]["number"]), (True, 2))
        self.assertIs(client.renew(id).get("began"), False)
        self.assertEqual(client.turn(id).get("prefix"), "You help Ada.\nUse spaces.\n")

        # A message waits for one turn, and comes again if the turn is asked for again.
        self.assertEqual(client.send(id, "The build is red.")["number"], 1)
        self.assertEqual([one["text"] for one in client.conversation(id)["waiting"]], ["The build is red."])
        for _ in range(2):
            self.assertEqual([one["text"] for one in client.turn(id, turn="t-9")["messages"]], ["The build is red."])
        self.assertEqual(client.turn(id)["messages"], [])

        # What applies to a path is answered once; this layout has no files that wait for one.
        self.assertEqual(client.touch(id, ["sub/x"])["notice"], None)
        self.assertEqual(client.turn(id, touch=["sub/x"])["messages"], [])

        # It is in every request at its place, whoever keeps the messages.
        history: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
        queued = {"role": "user", "content": "The build is red."}
        kept = request(client.turn(id, target="ollama"), model="m", messages=history)
        self.assertEqual((kept["model"], kept["messages"][1:]), ("m", [*history, queued]))
        handed = request(client.turn(id, target="ollama", messages=history), model="m")
        self.assertEqual(handed, kept)
        longer = [*history, {"role": "assistant", "content": "Done."}]
        later = request(client.turn(id, target="ollama", messages=longer), messages="not these")
        self.assertEqual(later["messages"][1:], [*history, queued, longer[1]])
        history = [{"role": "user", "content": [{"text": "Go on."}]}]
        joined = request(client.turn(id, target="bedrock"), messages=history)["messages"]
        self.assertEqual(joined, [{"role": "user", "content": [{"text": "Go on."}, {"text": "The build is red."}]}])
        self.assertEqual(history, [{"role": "user", "content": [{"text": "Go on."}]}])
        with self.assertRaises(ValueError):
            request(client.turn(id))

        # Compaction in two steps: one that fails, one that succeeds, and asking again gets what it made.
        failing = client.begin_compaction(id, target="ollama", messages=longer)
        asked = request(failing)["messages"]
        self.assertEqual((failing["form"], asked[1:]), ("system", [longer[0], queued, longer[1]]))
        self.assertIn("You shorten a conversation", asked[0]["content"])
        client.abort_compaction(id, failing["token"])
        (PROJECT / "AGENTS.md").write_text("Use both.\n")
        token = client.begin_compaction(id)["token"]
        self.assertEqual(client.commit_compaction(id, token)["epoch"]["cause"], "compacted")
        self.assertEqual(client.commit_compaction(id, token)["epoch"]["number"], 3)
        with self.assertRaises(Conflict):
            client.commit_compaction(id, "another")

        # The ledger, in pages of one.
        self.assertEqual([epoch["cause"] for epoch in client.epochs(id, page=1)], ["opened", "reloaded", "compacted"])
        self.assertEqual(client.epoch(id, 1)["prefix"], prefix)
        difference = client.diff(id, 1, 2, model="claude-opus-5")
        assert difference is not None
        self.assertEqual(difference["kept_bytes"], len("You help Ada.\nUse "))
        self.assertIsNone(client.diff(id, 1, 1))
        client.turn("a")
        client.turn("z")
        self.assertEqual([row["conversation"] for row in client.conversations(page=1)], ["a", id, "z"])
        self.assertEqual([row["conversation"] for row in client.conversations(after="a")], [id, "z"])

        # What came back is explained, by receipts or by the ledger.
        usage = {"input_tokens": 5, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9}
        verdict = client.why(usage=usage, receipt=first["receipt"])
        self.assertEqual(verdict["expected"]["parting"]["code"], "first")
        verdict = client.why(usage=usage, conversation=id, target="anthropic", epochs=[1, 2])
        self.assertEqual(verdict["expected"]["parting"]["code"], "system_changed")

        # Requests of any agent are compared without receipts.
        body = {"model": "claude-opus-5", "messages": [], "system": "Use tabs."}
        observed = client.why_requests(before=body, now={**body, "system": "Use spaces."})
        self.assertEqual(observed["requests"][1]["judgment"]["outcome"], "not-told")

        # The provider is asked to compare a turn with the response before it.
        self.assertIsNone(client.answered(id, {"id": 7}))
        self.assertEqual(client.answered(id, {"id": "msg_1", "type": "message"}), "msg_1")
        compared = client.turn(id, target="anthropic", model="claude-opus-5")
        self.assertEqual((compared["fragment"] or {})["diagnostics"], {"previous_message_id": "msg_1"})
        self.assertEqual((compared["receipt"] or {})["compared_with"], "msg_1")
        with self.assertRaises(BadRequest):
            client.turn(id, target="anthropic", previous_response="made up")

        # What a provider would refuse is found before it is sent.
        agents = client.agents(cwd=str(PROJECT), tokens=False)
        self.assertIn("AGENTS.md", [file["path"] for agent in agents["agents"] for file in agent["files"]])
        self.assertEqual([agent["name"] for agent in client.agents("codex")["agents"]], ["codex"])
        git(PROJECT)
        (PROJECT / "AGENTS.md").write_text("Use neither.\n")
        self.assertTrue(client.compare("HEAD", model="gpt-5.6")["changed"])
        with self.assertRaises(NotFound):
            client.compare("nowhere")
        self.assertEqual(client.check(target="anthropic", messages=[{"role": "user", "content": "Hello."}]), [])
        refused = client.check_request(target="anthropic", request={"messages": []})
        rules = [one["refused"]["rule"] for one in refused if one["refused"] is not None]
        self.assertEqual(rules, ["messages-not-empty"])

        # A ledger is carried to where its name is free, and only there.
        lines = client.export(id)
        self.assertEqual(client.import_ledgers(lines)[0]["known"], 3)
        self.assertEqual(client.delete(id)["epochs"], 3)
        with self.assertRaises(NotFound):
            client.delete(id)
        self.assertEqual([(one["conversation"], one["epochs"]) for one in client.import_ledgers(lines)], [(id, 3)])
        self.assertEqual(client.export(id), lines)

        # Nobody has been away for long.
        found = client.gc(older_than="90d", delete=True)
        self.assertEqual((found.get("conversations"), found["deleted"]), (0, True))
        self.assertEqual(client.gc()["texts"], 0)

        # The history leads back.
        client.save_template("You help Bob.\n")
        self.assertEqual([template["number"] for template in client.history(page=1)], [2, 1])
        self.assertEqual(client.label(1, "known good").get("label"), "known good")
        self.assertEqual(client.saved(saved["digest"])["template"], TEMPLATE)
        self.assertEqual(client.roll_back(1, author="Ada")["template"], TEMPLATE)
        self.assertIsNone(client.label(1, None).get("label"))
        self.assertEqual(client.delete_template(author="Ada")["from"], "layout")

    def test_every_error_has_a_type(self) -> None:
        client = Client()
        with self.assertRaises(NotFound):
            client.conversation("nobody")
        with self.assertRaises(BadRequest):
            client.conversation(" ")
        with self.assertRaises(Forbidden):
            client.turn("c", cwd="/")
        with self.assertRaises(Invalid) as invalid:
            client.preview(template="{{ 1 +", dialect="jinja")
        self.assertEqual(len(invalid.exception.diagnostics), 1)
        with self.assertRaises(Unauthorized):
            Client(token="another").template()
        with self.assertRaises(AntefixError):
            Client("ftp://example.org")


class Retries(unittest.TestCase):
    """What a server that does not do well is asked again."""

    def asked(self, answers: list[bytes], call: str, expected: type[AntefixError] | None) -> int:
        """How often a server that gives these answers is asked."""
        listener = socket.create_server(("127.0.0.1", 0))
        count = 0

        def serve() -> None:
            nonlocal count
            for answer in answers:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)
                count += 1

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        client = Client(f"http://127.0.0.1:{listener.getsockname()[1]}", "token", timeout=5, retries=2)
        calls: dict[str, Callable[[], object]] = {"turn": lambda: client.turn("c"), "send": lambda: client.send("c", "x")}
        try:
            calls[call]()
            self.assertIsNone(expected)
        except AntefixError as error:
            self.assertIs(type(error), expected)
        thread.join(timeout=5)
        listener.close()
        return count

    def test_requests_are_sent_again_only_where_that_is_safe(self) -> None:
        well = answer(200, "{}")
        lost = b""
        busy = answer(503, problem("busy"), "Retry-After: 0\r\n")
        away = answer(503, problem("unreachable"), "Retry-After: 0\r\n")
        never = answer(503, problem("busy"), "Retry-After: 3600\r\n")
        silent = answer(503, problem("refused"))
        for call, answers, expected in [
            ("turn", [lost, well], None),
            ("turn", [away, lost, well], None),
            ("turn", [busy, busy, busy], Unavailable),
            ("turn", [lost, lost, lost], Unreachable),
            ("turn", [never], Unavailable),
            ("turn", [silent], Unavailable),
            ("turn", [answer(500, "<html>")], Problem),
            ("turn", [answer(200, "<html>")], Unreachable),
            ("send", [busy, well], None),
            ("send", [lost], Unreachable),
            ("send", [away], Unavailable),
        ]:
            with self.subTest(call=call, answers=answers):
                self.assertEqual(self.asked(answers, call, expected), len(answers))

    def test_the_token_of_this_machine_is_for_this_machine(self) -> None:
        from antefix_client.connection import is_loopback

        hosts = ["localhost", "127.0.0.1", "127.9.9.9", "::1", "example.org", "10.0.0.1", "localhost.example.org"]
        self.assertEqual([is_loopback(host) for host in hosts], [True] * 4 + [False] * 3)

    def test_no_server_is_not_alive(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.assertFalse(Client(f"http://127.0.0.1:{port}", "token").alive())
        self.assertFalse(Client(f"http://127.0.0.1:{port}", "token").ready())


def git(directory: Path) -> None:
    """Makes a repository of a directory, with one commit."""
    for words in [["init", "-q"], ["add", "AGENTS.md"], ["commit", "-qm", "one"]]:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words]
        subprocess.run(command, cwd=directory, check=True)


def answer(status: int, body: str, headers: str = "") -> bytes:
    return f"HTTP/1.1 {status} Words\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def problem(word: str) -> str:
    return json.dumps({"type": f"urn:antefix:{word}", "title": "Words", "status": 503, "error": "No."})


if __name__ == "__main__":
    unittest.main()
