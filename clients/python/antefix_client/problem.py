"""What goes wrong.

A `Problem` is an answer: the server says why it did not do what it was asked for. `Unreachable` is none: whether the request
was done is not known, unless it is one that may be repeated.
"""

import json
from typing import Any


class AntefixError(Exception):
    """Everything that this package raises by itself."""


class Unreachable(AntefixError):
    """No answer came, or none that is antefix's."""


class Problem(AntefixError):
    """A problem document of RFC 9457. The classes below stand for one status each."""

    status: int
    type: str
    """What to branch on: `urn:antefix:` and a word."""
    title: str
    error: str
    """What is wrong, for people."""
    detail: str | None
    hint: str | None
    """What to do."""
    diagnostics: list[dict[str, Any]]
    """Places in a template, as `antefix check --json` prints them."""
    retry_after: float | None
    """When to come again, in seconds, if that may help."""

    def __init__(self, status: int, document: dict[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.type = str(document.get("type", "about:blank"))
        self.title = str(document.get("title", ""))
        self.error = str(document.get("error", self.title))
        self.detail = document.get("detail")
        self.hint = document.get("hint")
        self.diagnostics = document.get("diagnostics", [])
        self.retry_after = retry_after
        more = "; ".join(part for part in (self.detail, self.hint) if part)
        super().__init__(f"{status}: {self.error}" + (f" ({more})" if more else ""))

    @staticmethod
    def of(status: int, body: bytes, retry_after: str | None) -> "Problem":
        """The problem that an answer tells. One from a proxy in between has no document, and its status still counts."""
        try:
            document = json.loads(body)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            document = {"error": f"an answer without a problem document: {body[:200].decode(errors='replace')}"}
        # The other form of Retry-After is a date. The server writes seconds.
        seconds = float(retry_after) if retry_after and retry_after.isdecimal() else None
        return _BY_STATUS.get(status, Problem)(status, document, seconds)


class BadRequest(Problem):
    """400: the request makes no sense; `error` names the field."""


class Unauthorized(Problem):
    """401: no token, or another one than the server's."""


class Forbidden(Problem):
    """403: a name or a directory that is not served."""


class NotFound(Problem):
    """404: no such conversation, epoch or template."""


class Conflict(Problem):
    """409: somebody was faster. Ask again."""


class PreconditionFailed(Problem):
    """412: somebody else saved the template meanwhile."""


class TooLarge(Problem):
    """413: larger than the server takes."""


class Invalid(Problem):
    """422: a template that cannot be parsed or rendered; `diagnostics` has the places."""


class Unavailable(Problem):
    """503: the store cannot be reached, or too much is going on."""


class StoreFull(Problem):
    """507: nothing more can be stored; what is stored can be read."""


_BY_STATUS: dict[int, type[Problem]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: PreconditionFailed,
    413: TooLarge,
    422: Invalid,
    503: Unavailable,
    507: StoreFull,
}
