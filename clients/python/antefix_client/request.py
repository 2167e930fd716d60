"""The request for a provider, made of a turn, or of a compaction that was begun, and of what the caller has of its own."""

from typing import Any

from .documents import CompactionDocument, TurnDocument

# The name under which a target has the messages of a conversation, where it is another one than `messages`.
_KEYS = {"openai-responses": "input", "gemini": "contents", "acp": "prompt"}


def request(turn: TurnDocument | CompactionDocument, **own: Any) -> dict[str, Any]:
    """What to send: the caller's members, and those of the fragment, which count where both have one; of two `tool_choice` the narrower.

    Only messages that the caller did not hand over to the turn are its own: then those of the fragment come first, the caller's
    behind them, and what the turn hands over to append comes last. What is appended is for this request alone.
    """
    fragment, receipt = turn.get("fragment"), turn.get("receipt")
    if fragment is None or receipt is None:
        raise ValueError("the turn has no fragment: name its `target`")
    merged = {**own, **fragment}
    if "tool_choice" in own and "tool_choice" in fragment:
        merged["tool_choice"] = _narrower(fragment["tool_choice"], own["tool_choice"])
    append = turn.get("append")
    if append is None:
        return merged
    target = receipt["target"]
    key = _KEYS.get(target, "messages")
    messages = [*fragment.get(key, [])]
    for message in [*own.get(key, []), *append]:
        if target == "bedrock" and messages and messages[-1]["role"] == message["role"]:
            # Converse wants users and assistants to take turns.
            messages[-1] = {**messages[-1], "content": [*messages[-1]["content"], *message["content"]]}
        else:
            messages.append(message)
    return {**merged, key: messages} if messages else merged


def _narrower(allowed: Any, wish: Any) -> Any:
    """Which tools may be called, where both say it: a wish for any tool is one among those that the fragment allows."""
    if isinstance(allowed, str) or wish in (None, "auto"):
        return allowed
    if wish != "required":
        return wish
    if "mode" in allowed:
        return {**allowed, "mode": wish}
    return {**allowed, "allowed_tools": {**allowed["allowed_tools"], "mode": wish}}
