"""Everything that a program asks a server for. Each method names its route, as the server's OpenAPI document spells it."""

import json
import os
import re
import uuid
from collections.abc import Iterator
from typing import Any, TypedDict, Unpack

from .connection import Connection
from .documents import (
    AgentsDocument,
    BegunDocument,
    Changes,
    CheckBody,
    CheckRequestBody,
    CompactionBody,
    CompactionDocument,
    ConversationDocument,
    Conversations,
    DeletedDocument,
    DialectName,
    DifferenceOf,
    DriftDocument,
    EndBody,
    EpochDocument,
    Epochs,
    Finding,
    Findings,
    GcBody,
    GcDocument,
    History,
    ImportDocument,
    ImportedOf,
    ListedEpoch,
    ListedTemplate,
    ObservedDocument,
    Preview,
    PreviewBody,
    Queued,
    RenewalBody,
    RowOf,
    SavedDocument,
    StandingDocument,
    TemplateBody,
    TemplateDocument,
    TouchDocument,
    TurnBody,
    TurnDocument,
    Variable,
    Variables,
    VerdictDocument,
    WhyBody,
    WhyRequestsBody,
)
from .problem import Unavailable, Unreachable


# Of how many conversations the last response is remembered.
_REMEMBERED = 1000


class CommitBody(TypedDict, total=False):
    """What may be said to a compaction that has succeeded."""

    cwd: str | None
    layout: str | None
    machine: str | None
    model: str | None
    now: str | None
    set: dict[str, Any] | None
    tools: list[Any] | None
    without: list[str] | None


class Client:
    """A server, and who asks it. It holds no connection, so that threads may share it."""

    def __init__(
        self, base: str | None = None, token: str | None = None, *, timeout: float = 60.0, retries: int = 3
    ) -> None:
        """`base` is ANTEFIX_URL if not said, else http://127.0.0.1:7777. `token` is ANTEFIX_TOKEN if not said, else what
        is in the file that ANTEFIX_TOKEN_FILE names, else, for a server on this machine, in the file that it made."""
        base = base or os.environ.get("ANTEFIX_URL") or "http://127.0.0.1:7777"
        self._connection = Connection(base, token, timeout, retries)
        self._answered: dict[str, str] = {}

    # Conversations. An id is any text of 1 to 200 bytes.

    def turn(self, id: str, **body: Unpack[TurnBody]) -> TurnDocument:
        """Opens a conversation, or goes on with it. The prefix is the same bytes until an epoch begins.

        Messages that wait are in the request of this turn, and of every later one at the same place. `messages` names those that are
        new; a turn has a name, so that it names the same ones if it is asked for again. If the caller has none, this client makes one.

        With a `target`, `prefix` and `suffix` are left out: the fragment has both.
        """
        named: TurnBody = {"turn": str(uuid.uuid4()), **body}
        last = self._answered.get(id)
        if last is not None and body.get("target"):
            named.setdefault("previous_response", last)
        headers = {"Prefer": "return=minimal" if body.get("target") else None}
        return _read(
            self._connection.ask("POST /conversations/{id}/turns", {"id": id}, body=named, headers=headers, repeat=True)
        )

    def answered(self, id: str, response: Any) -> str | None:
        """Remembers the provider's response to a turn: the next turn asks the provider why its cache was missed, if it was, and `why`
        reports it. `response` is what the provider's SDK gave, or its JSON. Nothing is asked of the server; the answer is the id that is
        remembered, None if the provider compares no requests."""
        found = response.get("id") if isinstance(response, dict) else getattr(response, "id", None)
        self._answered.pop(id, None)
        if not isinstance(found, str) or re.fullmatch(r"(?:msg|resp)_[A-Za-z0-9_-]{1,190}", found) is None:
            return None
        # The newest come last, and only so many are kept.
        self._answered[id] = found
        for oldest in list(self._answered)[:-_REMEMBERED]:
            self._answered.pop(oldest, None)
        return found

    def send(self, id: str, message: str) -> Queued:
        """Queues a message for the next turn. It is in that request and in every later one, until a compaction is committed."""
        body = {"message": message}
        return _read(self._connection.ask("POST /conversations/{id}/messages", {"id": id}, body=body, repeat=False))

    def touch(self, id: str, paths: list[str], *, cwd: str | None = None) -> TouchDocument:
        """Names paths that the agent reads or changes. `notice` is what applies to them and is not in the conversation yet; it is in
        the request of the next turn and of every later one, until a compaction is committed. `touch` of `turn` does the same."""
        body = {"paths": paths, "cwd": cwd}
        return _read(self._connection.ask("POST /conversations/{id}/touch", {"id": id}, body=body, repeat=False))

    def conversations(self, *, after: str | None = None, page: int | None = None) -> Iterator[RowOf]:
        """All conversations in the order of their ids, each with its standing epoch; asked for page by page."""
        while True:
            query = {"after": after, "limit": page}
            found: Conversations = _read(self._connection.ask("GET /conversations", query=query, repeat=True))
            yield from found["conversations"]
            after = found.get("next")
            if after is None:
                return

    def conversation(self, id: str) -> ConversationDocument:
        """A conversation as it stands, with the messages that wait."""
        return _read(self._connection.ask("GET /conversations/{id}", {"id": id}, repeat=True))

    def standing(self, id: str) -> StandingDocument:
        """The standing prefix of a conversation, and the notices that amend it."""
        return _read(self._connection.ask("GET /conversations/{id}/system-prompt", {"id": id}, repeat=True))

    def prefix(self, id: str) -> bytes:
        """The standing prefix alone, byte for byte."""
        accept = {"Accept": "text/plain"}
        return self._connection.ask(
            "GET /conversations/{id}/system-prompt", {"id": id}, headers=accept, repeat=True
        )

    def delete(self, id: str) -> DeletedDocument:
        """Ends a conversation: its ledger goes. A turn with the same id opens a new one."""
        return _read(self._connection.ask("DELETE /conversations/{id}", {"id": id}, repeat=False))

    def export(self, id: str) -> bytes:
        """A conversation's ledger, one JSON value a line."""
        return self._connection.ask("GET /conversations/{id}/export", {"id": id}, repeat=True)

    def import_ledgers(self, lines: bytes) -> list[ImportedOf]:
        """Takes in what `export` answered, of one conversation or of many behind one another: all of it, or nothing. Once or
        twice is the same."""
        found: ImportDocument = _read(self._connection.ask("POST /import", lines=lines, repeat=True))
        return found["conversations"]

    def gc(self, *, older_than: str | None = None, delete: bool = False) -> GcDocument:
        """Counts the conversations that have not been used for so long, such as `90d`, and the texts that no conversation has, or
        deletes them."""
        body: GcBody = {"older_than": older_than, "delete": delete}
        return _read(self._connection.ask("POST /gc", body=body, repeat=True))

    def why(self, **body: Unpack[WhyBody]) -> VerdictDocument:
        """Whether a provider's cache was hit as expected, and if not, why. Nothing is stored."""
        return _read(self._connection.ask("POST /why", body=body, repeat=True))

    def why_requests(self, **body: Unpack[WhyRequestsBody]) -> ObservedDocument:
        """What differs between two requests of any agent, what that cost, and who said it. Nothing is stored."""
        return _read(self._connection.ask("POST /why/requests", body=body, repeat=True))

    def check(self, **body: Unpack[CheckBody]) -> list[Finding]:
        """What is wrong with a prompt, and what the provider would refuse of its request. Nothing is stored."""
        found: Findings = _read(self._connection.ask("POST /check", body=body, repeat=True))
        return found["diagnostics"]

    def check_request(self, **body: Unpack[CheckRequestBody]) -> list[Finding]:
        """What the provider would refuse of a request, whoever made it. Nothing is stored."""
        found: Findings = _read(self._connection.ask("POST /check/request", body=body, repeat=True))
        return found["diagnostics"]

    # Other agents.

    def agents(self, name: str | None = None, *, cwd: str | None = None, tokens: bool | None = None) -> AgentsDocument:
        """Which agent reads which file in a directory, what each is given, and what is wrong with that; with a name, that agent alone."""
        query = {"cwd": cwd, "tokens": None if tokens is None else str(tokens).lower()}
        if name is None:
            return _read(self._connection.ask("GET /agents", query=query, repeat=True))
        return _read(self._connection.ask("GET /agents/{name}", {"name": name}, query=query, repeat=True))

    def compare(
        self,
        range: str | None = None,
        *,
        cwd: str | None = None,
        layout: str | None = None,
        agent: str | None = None,
        model: str | None = None,
    ) -> Changes:
        """What a change in git does to what agents are told: `REV`, `A..B` or `A...B`; the last commit and the work tree without it."""
        query = {"range": range, "cwd": cwd, "layout": layout, "agent": agent, "model": model}
        return _read(self._connection.ask("GET /diff", query=query, repeat=True))

    # Epochs.

    def epochs(self, id: str, *, after: int | None = None, page: int | None = None) -> Iterator[ListedEpoch]:
        """The epochs of a conversation by number; asked for page by page."""
        while True:
            query = {"after": after, "limit": page}
            answer = self._connection.ask("GET /conversations/{id}/epochs", {"id": id}, query=query, repeat=True)
            found: Epochs = _read(answer)
            yield from found["epochs"]
            after = found.get("next")
            if after is None:
                return

    def epoch(self, id: str, number: int) -> EpochDocument:
        """One epoch, with the origin of every byte."""
        names = {"id": id, "number": str(number)}
        return _read(self._connection.ask("GET /conversations/{id}/epochs/{number}", names, repeat=True))

    def diff(self, id: str, a: int, b: int, *, model: str | None = None) -> DifferenceOf | None:
        """Where the bytes of two epochs part, and what that costs; None if they are the same."""
        names = {"id": id, "a": str(a), "b": str(b)}
        query = {"model": model}
        return _read(
            self._connection.ask("GET /conversations/{id}/epochs/{a}/diff/{b}", names, query=query, repeat=True)
        )

    def drift(self, id: str, *, cwd: str | None = None, model: str | None = None) -> DriftDocument:
        """What composing now would change, and what that would cost. Nothing is stored."""
        query = {"cwd": cwd, "model": model}
        return _read(self._connection.ask("GET /conversations/{id}/drift", {"id": id}, query=query, repeat=True))

    def renew(self, id: str, **body: Unpack[RenewalBody]) -> BegunDocument:
        """Begins a new epoch, unless the bytes are the same."""
        return _read(self._connection.ask("POST /conversations/{id}/renewals", {"id": id}, body=body, repeat=True))

    def begin_compaction(self, id: str, **body: Unpack[CompactionBody]) -> CompactionDocument:
        """Begins a compaction. With `target` and `messages`, `request` makes the provider's request for the summary of it, which reads what
        is cached of the conversation; `prompt` is for a request of one's own. A conversation that nobody opened is opened; the ledger of
        any other stays as it is."""
        return _read(self._connection.ask("POST /conversations/{id}/compaction", {"id": id}, body=body, repeat=True))

    def commit_compaction(self, id: str, token: str, **body: Unpack[CommitBody]) -> BegunDocument:
        """Ends a compaction that has succeeded, with the epoch that holds from now on. Once or twice is the same."""
        return self._end_compaction(id, token, {**body, "outcome": "succeeded"})

    def abort_compaction(self, id: str, token: str) -> BegunDocument:
        """Ends a compaction that has failed; all is as it was. Once or twice is the same."""
        return self._end_compaction(id, token, {"outcome": "failed"})

    def _end_compaction(self, id: str, token: str, body: EndBody) -> BegunDocument:
        names = {"id": id, "token": token}
        return _read(
            self._connection.ask("PUT /conversations/{id}/compaction/{token}", names, body=body, repeat=True)
        )

    # The template that everybody shares.

    def template(self) -> TemplateDocument:
        """The template that applies: what was saved last, else the layout's own text."""
        return _read(self._connection.ask("GET /system-prompt", repeat=True))

    def save_template(
        self,
        template: str,
        *,
        dialect: DialectName | None = None,
        if_match: str | None = None,
        author: str | None = None,
    ) -> TemplateDocument:
        """Saves a template. `if_match` is the digest of the one that was edited: if it does not apply any more, somebody else
        has saved meanwhile, and that is a `PreconditionFailed`."""
        body: TemplateBody = {"template": template, "dialect": dialect}
        headers = _conditions(if_match, author)
        return _read(self._connection.ask("PUT /system-prompt", body=body, headers=headers, repeat=False))

    def delete_template(self, *, if_match: str | None = None, author: str | None = None) -> TemplateDocument:
        """Deletes the saved template, under the same condition as `save_template`. The answer is the layout's own text, which
        applies then; what was saved stays in the history."""
        headers = _conditions(if_match, author)
        return _read(self._connection.ask("DELETE /system-prompt", headers=headers, repeat=False))

    def variables(self) -> list[Variable]:
        """The facts that a template may name."""
        found: Variables = _read(self._connection.ask("GET /system-prompt/variables", repeat=True))
        return found["variables"]

    def preview(self, **body: Unpack[PreviewBody]) -> Preview:
        """Composes a draft. Nothing is stored."""
        return _read(self._connection.ask("POST /system-prompt/preview", body=body, repeat=True))

    def history(self, *, before: int | None = None, page: int | None = None) -> Iterator[ListedTemplate]:
        """Every saved template, the last one first; asked for page by page."""
        while True:
            query = {"before": before, "limit": page}
            found: History = _read(self._connection.ask("GET /system-prompt/history", query=query, repeat=True))
            yield from found["templates"]
            before = found.get("next")
            if before is None:
                return

    def saved(self, which: int | str) -> SavedDocument:
        """One saved template, by its number or its digest."""
        return _read(self._connection.ask("GET /system-prompt/history/{which}", {"which": str(which)}, repeat=True))

    def label(self, which: int | str, label: str | None) -> ListedTemplate:
        """Gives a saved template a label, or takes it away. Once or twice is the same."""
        names = {"which": str(which)}
        body = {"label": label}
        return _read(
            self._connection.ask("POST /system-prompt/history/{which}/labels", names, body=body, repeat=True)
        )

    def roll_back(
        self, which: int | str, *, if_match: str | None = None, author: str | None = None
    ) -> TemplateDocument:
        """Saves an old template anew, under the same condition as `save_template`."""
        names = {"which": str(which)}
        headers = _conditions(if_match, author)
        return _read(
            self._connection.ask("POST /system-prompt/history/{which}/rollback", names, headers=headers, repeat=False)
        )

    # The server.

    def alive(self) -> bool:
        """Whether a server answers."""
        try:
            self._connection.ask("GET /healthz", repeat=False)
        except Unreachable:
            return False
        return True

    def ready(self) -> bool:
        """Whether a server answers, and its store does, too."""
        try:
            self._connection.ask("GET /readyz", repeat=False)
        except (Unavailable, Unreachable):
            return False
        return True


def _read(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except ValueError as error:
        raise Unreachable(f"an answer that is no JSON, and so not of antefix: {answer[:200]!r}") from error


def _conditions(if_match: str | None, author: str | None) -> dict[str, str | None]:
    # Headers are bytes. The server reads this one as UTF-8, Python writes it as Latin-1.
    name = author.encode().decode("latin-1") if author is not None else None
    return {"If-Match": f'"{if_match}"' if if_match is not None else None, "Antefix-Author": name}
