"""A client of `antefix serve`.

    from antefix_client import Client, request

    client = Client("http://127.0.0.1:7777")
    turn = client.turn("chat-7", model="claude-opus-5", target="anthropic")
    print(turn["prefix"])
    request(turn, model="claude-opus-5", max_tokens=1024, messages=messages)  # what to send

`Client` has a method for each thing that a program asks a server for; `request` makes a provider's request of a turn; `documents` has the types of what goes in and comes
out; what goes wrong is a `Problem`, which the server explains, or `Unreachable`, if no server answered.
"""

from .client import Client
from .problem import (
    AntefixError,
    BadRequest,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    PreconditionFailed,
    Problem,
    StoreFull,
    TooLarge,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from .request import request

__all__ = [
    "AntefixError",
    "BadRequest",
    "Client",
    "Conflict",
    "Forbidden",
    "Invalid",
    "NotFound",
    "PreconditionFailed",
    "Problem",
    "StoreFull",
    "TooLarge",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
    "request",
]
