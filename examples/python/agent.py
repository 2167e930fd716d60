"""An agent loop in Python: antefix says what to send, the provider's official SDK sends it.

    pip install anthropic openai google-genai boto3
    python3 agent.py                                    # Anthropic, with the key in ANTHROPIC_API_KEY
    python3 agent.py --target gemini --model gemini-3.5-flash

`antefix` must be on the path, or its place in ANTEFIX_BIN. `--base URL` sends to another server than the provider's: the
tests of this repository name one that runs here.

Watch the last two columns: the prefix is written to the provider's cache once and read from then on, although AGENTS.md
changes on the way. The change is told as a notice behind the conversation, where it re-bills nothing.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

TOOLS = [
    {
        "name": "read",
        "description": "Reads a file of the project.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
]


def turn(project, conversation, target, model, messages):
    """What to send in this turn. antefix remembers the conversation, so this process may end at any time."""
    (project / "tools.json").write_text(json.dumps(TOOLS))
    command = [os.environ.get("ANTEFIX_BIN", "antefix"), "turn", conversation, "--for", target, "--model", model]
    command += ["--cwd", project, "--tools", project / "tools.json", "--messages", "-", "--json"]
    done = subprocess.run(command, input=json.dumps(messages), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


# One function a provider: sends the fragment, and answers with the message to keep, and the tokens read and written.
# `**fragment` is all there is to it; a request's own settings go beside it.


def anthropic(base, model, fragment):
    from anthropic import Anthropic

    answer = Anthropic(base_url=base).messages.create(model=model, max_tokens=1024, **fragment)
    content = [block.to_dict() for block in answer.content]
    usage = answer.usage
    return {"role": "assistant", "content": content}, usage.cache_read_input_tokens, usage.cache_creation_input_tokens


def openai_chat(base, model, fragment):
    from openai import OpenAI

    answer = OpenAI(base_url=base and f"{base}/v1").chat.completions.create(model=model, **fragment)
    usage = answer.usage.prompt_tokens_details
    message = {"role": "assistant", "content": answer.choices[0].message.content}
    return message, usage.cached_tokens, usage.cache_write_tokens


def openai_responses(base, model, fragment):
    from openai import OpenAI

    answer = OpenAI(base_url=base and f"{base}/v1").responses.create(model=model, **fragment)
    usage = answer.usage.input_tokens_details
    return {"role": "assistant", "content": answer.output_text}, usage.cached_tokens, usage.cache_write_tokens


def gemini(base, model, fragment):
    from google import genai

    client = genai.Client(http_options=genai.types.HttpOptions(base_url=base))
    # This SDK takes the messages apart from all else. What it caches it does by itself, and tells no writes.
    contents = fragment.pop("contents")
    config = genai.types.GenerateContentConfig.model_validate(fragment)
    answer = client.models.generate_content(model=model, contents=contents, config=config)
    message = {"role": "model", "parts": [{"text": answer.text}]}
    return message, answer.usage_metadata.cached_content_token_count or 0, 0


def bedrock(base, model, fragment):
    import boto3

    client = boto3.client("bedrock-runtime", endpoint_url=base)
    answer = client.converse(modelId=model, **fragment)
    usage = answer["usage"]
    return answer["output"]["message"], usage["cacheReadInputTokens"], usage["cacheWriteInputTokens"]


PROVIDERS = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
    "bedrock": bedrock,
}


def said(target, text):
    """A message of the user's, as the provider takes it: antefix passes messages on as they are."""
    shapes = {"gemini": {"parts": [{"text": text}]}, "bedrock": {"content": [{"text": text}]}}
    return {"role": "user"} | shapes.get(target, {"content": text})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=PROVIDERS, default="anthropic")
    parser.add_argument("--model", default="claude-opus-5")
    parser.add_argument("--base", help="the address of the provider, if it is another one")
    parser.add_argument("--project", type=Path, help="a directory with an AGENTS.md, which is changed on the way")
    args = parser.parse_args()
    project = args.project or Path(tempfile.mkdtemp())
    instructions = project / "AGENTS.md"
    if not instructions.exists():
        # Providers cache from a few thousand bytes on, so this file is longer than is wise.
        instructions.write_text("Indent with tabs.\n" * 1000)

    messages = []
    conversation = f"example-{os.getpid()}"
    questions = ["Where is the parser?", "Who calls it?", "Rename it, please.", "Is there a test for it?"]
    print("turn  epoch  notices  prefix        read  written")
    for number, question in enumerate(questions, 1):
        if number == 3:
            # Somebody edits the instructions while the conversation goes on.
            instructions.write_text(instructions.read_text() + "Indent with spaces from now on.\n")
        messages.append(said(args.target, question))
        now = turn(project, conversation, args.target, args.model, messages)
        answer, read, written = PROVIDERS[args.target](args.base, args.model, now["fragment"])
        messages.append(answer)
        epoch, notices, prefix = now["epoch"]["number"], len(now["amendments"]), now["receipt"]["prefix_form"]
        print(f"{number:4}  {epoch:5}  {notices:7}  {prefix[-8:]:8}  {read:8}  {written:7}")


if __name__ == "__main__":
    main()
