"""Requests, one connection each, and when they are sent again.

1. A request that may be repeated is sent again if no answer comes, or a 503 with `Retry-After`.
2. Any other is sent again only if the server says that it was too busy to begin with it.
3. Both at most `retries` times. The server is not asked before it wants to be, and one that wants to be left alone for longer
   than `LONGEST_WAIT` is a `Problem` at once.

Proxies that the environment names are not used, and redirects are not followed: the token goes to the server alone.
"""

import http.client
import ipaddress
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from .problem import AntefixError, Problem, Unreachable

LONGEST_WAIT = 10.0
BUSY = "urn:antefix:busy"


class Connection:
    """Where the server is, and how it is asked."""

    def __init__(self, base: str, token: str | None, timeout: float, retries: int) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise AntefixError(f"{base!r} is no address of a server, such as http://127.0.0.1:7777")
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/")
        self._timeout = timeout
        self._retries = retries
        self._token = token or os.environ.get("ANTEFIX_TOKEN") or token_of_file(parts.hostname)

    def ask(
        self,
        route: str,
        names: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str | int | None] | None = None,
        body: Mapping[str, Any] | None = None,
        lines: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
        repeat: bool,
    ) -> bytes:
        """The body of the answer to a request such as `GET /conversations/{id}`, whose names are filled in. What it sends is a
        JSON object, or JSON lines."""
        method, path = route.split(" ")
        path = path.format_map({name: quote(value, safe="") for name, value in (names or {}).items()})
        asked = urlencode({key: value for key, value in (query or {}).items() if value is not None})
        path = self._path + path + ("?" + asked if asked else "")
        sent = {key: value for key, value in (headers or {}).items() if value is not None}
        sent.setdefault("Accept", "application/json")
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        elif lines is not None:
            content = lines
            sent["Content-Type"] = "application/jsonl"
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                return self._once(method, path, content, sent)
            except Unreachable:
                if last or not repeat:
                    raise
                wait = 0.1 * 2**attempt
            except Problem as problem:
                may = problem.status == 503 and (repeat or problem.type == BUSY)
                if last or not may or problem.retry_after is None or problem.retry_after > LONGEST_WAIT:
                    raise
                wait = problem.retry_after
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]) -> bytes:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        try:
            connection.request(method, path, content, dict(headers))
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self._host}:{connection.port} does not answer: {error!r}") from error
        finally:
            connection.close()
        if 200 <= response.status < 300:
            return answer
        raise Problem.of(response.status, answer, response.headers.get("Retry-After"))


def token_of_file(host: str) -> str | None:
    """The token in the file that ANTEFIX_TOKEN_FILE names, else in the one that a server of this user's makes.

    The latter is for this machine: no other server is told it.
    """
    named = os.environ.get("ANTEFIX_TOKEN_FILE")
    if named:
        return Path(named).read_text().strip()
    if not is_loopback(host):
        return None
    state = os.environ.get("XDG_STATE_HOME", "")
    place = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    try:
        return (place / "antefix" / "token").read_text().strip()
    except FileNotFoundError:
        return None


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
