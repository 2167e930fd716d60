"""The agent loop of agent.py with a server: antefix's client says what to send, the provider's official SDK sends it.

    antefix serve --layout coding-agent                                    # in the project that the agent works in
    pip install anthropic && PYTHONPATH=clients/python python3 examples/python/http_agent.py

ANTEFIX_URL and ANTEFIX_TOKEN name another server than the one on this machine; ANTHROPIC_API_KEY has the key.

Watch the last two columns: the prefix is written to the provider's cache once and read from then on, although AGENTS.md
changes on the way. The change is told as a notice behind the conversation, where it re-bills nothing.
"""

import argparse
import os
from pathlib import Path
from typing import Any

from anthropic import Anthropic
from antefix_client import Client, request

TOOLS = [
    {
        "name": "read",
        "description": "Reads a file of the project.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="claude-opus-5")
    parser.add_argument("--base", help="the address of the provider, if it is another one")
    parser.add_argument("--project", type=Path, default=Path.cwd(), help="where the server runs; its AGENTS.md is changed")
    args = parser.parse_args()
    instructions = args.project / "AGENTS.md"
    antefix, provider = Client(), Anthropic(base_url=args.base)

    messages: list[Any] = []
    conversation = f"example-{os.getpid()}"
    questions = ["Where is the parser?", "Who calls it?", "Rename it, please.", "Is there a test for it?"]
    print("turn  epoch  notices  prefix        read  written")
    for number, question in enumerate(questions, 1):
        if number == 3:
            # Somebody edits the instructions while the conversation goes on.
            instructions.write_text(instructions.read_text() + "Indent with spaces from now on.\n")
        messages.append({"role": "user", "content": question})
        now = antefix.turn(
            conversation, cwd=str(args.project), model=args.model, target="anthropic", tools=list(TOOLS), messages=messages
        )
        sent = request(now, model=args.model, max_tokens=1024)
        # Some turns need a beta of the provider's: see `headers`.
        answer = provider.messages.create(**sent, extra_headers=now.get("headers") or {})
        # The next request asks the provider to compare itself with this one.
        antefix.answered(conversation, answer)
        messages.append({"role": "assistant", "content": [block.to_dict() for block in answer.content]})
        epoch, receipt = now.get("epoch"), now.get("receipt")
        assert epoch and receipt, "a turn that is not overridden has an epoch, and one with a target has a receipt"
        read, written = answer.usage.cache_read_input_tokens, answer.usage.cache_creation_input_tokens
        prefix, notices = receipt["prefix_form"][-8:], len(now["amendments"])
        print(f"{number:4}  {epoch['number']:5}  {notices:7}  {prefix:8}  {read:8}  {written:7}")


if __name__ == "__main__":
    main()
