"""A client of `antefix serve`.

    from antefix_client import Client

    client = Client("http://127.0.0.1:7777")
    turn = client.turn("chat-7", model="claude-opus-5", target="anthropic")
    print(turn["prefix"])

`Client` has a method for each thing that a program asks a server for; `documents` has the types of what goes in and comes
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
]
