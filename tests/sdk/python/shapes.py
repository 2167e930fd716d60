"""Checks fragments against the types of the providers' SDKs: `shapes.py < requests`.

A line of stdin is `{"target": …, "model": …, "fragment": …}`; a line of stdout is `well`, or what is wrong with it.

The SDKs of Anthropic and OpenAI do not look at what they send, and their types are made for type checkers. So they are
walked here, strictly: a key that no type names, one that is missing, or a word that is not in a list is an error. Google's
and Ollama's types are pydantic models, and botocore knows the shapes of Bedrock.
"""

import collections.abc
import functools
import json
import sys
import types
import typing

import typing_extensions


class Wrong(Exception):
    """A value that its type does not allow, and where it stands."""


def check(value, kind, place=""):
    """Walks a value along a type."""
    origin, args = typing_extensions.get_origin(kind), typing_extensions.get_args(kind)
    if kind in (typing.Any, object):
        return
    if origin in (typing_extensions.Annotated, typing_extensions.Required, typing_extensions.NotRequired):
        return check(value, args[0], place)
    if origin in (typing.Union, types.UnionType):
        return check_union(value, args, place)
    if origin is typing_extensions.Literal:
        if not any(value == one and type(value) is type(one) for one in args):
            raise Wrong(f"{place}: {value!r} is not one of {args}")
    elif typing_extensions.is_typeddict(kind):
        check_keys(value, kind, place)
    elif origin in (list, collections.abc.Iterable, collections.abc.Sequence):
        expect(isinstance(value, list), f"{place}: a list is wanted")
        for number, item in enumerate(value):
            check(item, args[0], f"{place}/{number}")
    elif origin in (dict, collections.abc.Mapping):
        expect(isinstance(value, dict), f"{place}: an object is wanted")
        for key, item in value.items():
            check(item, args[1], f"{place}/{key}")
    elif kind in (float, int):
        expect(isinstance(value, (int, kind)) and not isinstance(value, bool), f"{place}: a number is wanted")
    elif isinstance(kind, type):
        expect(isinstance(value, kind), f"{place}: {kind.__name__} is wanted, not {value!r:.60}")
    else:
        raise Wrong(f"{place}: what the type {kind} allows is not known here")


def check_union(value, kinds, place):
    """One of them must allow it. The complaint that got furthest is the one that helps."""
    wrongs = []
    for kind in kinds:
        try:
            return check(value, kind, place)
        except Wrong as wrong:
            wrongs.append(wrong)
    raise max(wrongs, key=lambda wrong: str(wrong).split(":")[0].count("/"))


def check_keys(value, kind, place):
    """The keys of an object are those of its type."""
    expect(isinstance(value, dict), f"{place}: an object is wanted")
    hints = typing_extensions.get_type_hints(kind, include_extras=True)
    for key, item in value.items():
        expect(key in hints, f"{place}/{key}: {kind.__name__} has no such key")
        check(item, hints[key], f"{place}/{key}")
    for key, hint in hints.items():
        required = typing_extensions.get_origin(hint) is typing_extensions.Required
        expect(not required or key in value, f"{place}/{key}: {kind.__name__} needs this key")


def expect(holds, complaint):
    if not holds:
        raise Wrong(complaint)


def anthropic(model, fragment):
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    check({"model": model, "max_tokens": 16} | fragment, MessageCreateParamsNonStreaming)


def openai_chat(model, fragment):
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    check({"model": model} | fragment, CompletionCreateParamsNonStreaming)


def openai_responses(model, fragment):
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    check({"model": model} | fragment, ResponseCreateParamsNonStreaming)


def gemini(_, fragment):
    from google.genai.types import Content, GenerateContentConfig

    fragment = dict(fragment)
    for content in fragment.pop("contents"):
        Content.model_validate(content)
    GenerateContentConfig.model_validate(fragment)


def bedrock(model, fragment):
    from botocore.validate import ParamValidator

    report = ParamValidator().validate({"modelId": model} | fragment, converse())
    expect(not report.has_errors(), report.generate_report())


@functools.cache
def converse():
    """The shape of a request to Converse; to read it takes a while."""
    import botocore.session

    return botocore.session.get_session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def ollama(_, fragment):
    from ollama._types import ChatRequest

    request = ChatRequest.model_validate({"model": "any"} | fragment)
    # These models let unknown keys pass, and drop them.
    sent = request.model_dump(exclude_none=True)
    for key, value in fragment.items():
        expect(sent.get(key) == value, f"/{key}: {sent.get(key)} is what the SDK makes of {value}")


CHECKS = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
    "bedrock": bedrock,
    "ollama": ollama,
}

def verdict(request):
    try:
        CHECKS[request["target"]](request["model"], request["fragment"])
    except (Wrong, ValueError) as wrong:
        # What pydantic finds wrong is a ValueError.
        return str(wrong).replace("\n", "; ")
    return "well"


if __name__ == "__main__":
    for line in sys.stdin:
        print(verdict(json.loads(line)))
