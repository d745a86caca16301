"""Talk to the runtime's protocol code without a process: give it bytes, and get its output lines.

The JSON files under `table/` describe three tools. `echo` and `show` answer at once; `wait` runs until the test says
what its upstream did. Two stored results can be read as resources: a text and two bytes. Every output line is checked
against its protocol revision (`revisions.py`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from package.runtime.core.catalog import Catalog
from package.runtime.core.effects import (
    Call,
    Cancel,
    Dialogue,
    Fetch,
    PollResources,
    Preload,
    ReadResource,
    RejectedCall,
    Send,
    UserAnswer,
)
from package.runtime.core.jsonrpc import parse
from package.runtime.core.protocol import Protocol
from package.runtime.core.stdio import Lines
from package.runtime.core.wire_formats import ABSENT, Contents, Failure, Question, Result
from package.runtime.result.result_store import KeptResults
from package.runtime.watching.subscriptions import Subscriptions

from tests.runtime.revisions import Checker

TABLE = Path(__file__).parent / "table"
#: JSON files with the same tools as TABLE, and with resources and prompts.
FEATURED = Path(__file__).parent / "featured"
#: JSON files of a later compile, in which the tool `shout` replaces `show`.
LATER = Path(__file__).parent / "later"

_BLOCKS: dict[str, dict[str, object]] = {
    "text": {"type": "text", "text": "plain"},
    "image": {"type": "image", "data": "AAEC", "mimeType": "image/png"},
    "audio": {"type": "audio", "data": "AAEC", "mimeType": "audio/wav"},
    "blob": {"type": "resource", "resource": {"uri": "mirror://blob", "mimeType": "application/zip", "blob": "AAEC"}},
    "link": {"type": "resource_link", "uri": "https://example.com/a", "name": "a"},
}


def shown(arguments: dict[str, Any]) -> Result:
    """Return the result of the tool `show`."""
    content = [_BLOCKS[kind] for kind in arguments.get("kinds", [])]
    return Result(content, arguments.get("structured", ABSENT), arguments.get("failed", False))


def kept() -> KeptResults:
    """Return the stored results that can be read as resources: a text of 1,500 letters, and two bytes."""
    resources = KeptResults(10_000)
    resources.begin("mirror://result/1", "text/csv", True)
    resources.add("mirror://result/1", b"a" * 1000 + b"b" * 500)
    resources.begin("mirror://result/2", "application/zip", False)
    resources.add("mirror://result/2", b"PK")
    return resources


class Conversation:
    """The conversation of one client.

    `written`: the output, as `< LINE` for a protocol line and `~ SENTENCE` for a log line or another event.

    `changes`: True if the server announces that its tools may change.
    """

    def __init__(self, limit: int | None = None, changes: bool = False, table: Path = TABLE) -> None:
        self._framing = Lines(limit) if limit else Lines()
        self._protocol = Protocol(Catalog.load(str(table)), Subscriptions() if changes else None)
        self._keys: dict[str | int, int] = {}  # request id → number by which `Protocol` knows the call, even if ended
        self._checker = Checker(changes, ("prompts", "completions") if table == FEATURED else ())
        self._fetched: dict[int, Fetch] = {}
        self._resources = kept()
        self.written: list[str] = []
        self.called: list[str] = []
        self.dialogues: list[Dialogue] = []
        self.cancelled: list[int] = []
        self.levels: list[int | None] = []
        self.rejected: list[object] = []
        self.expecting = False

    def offer_tasks(self) -> None:
        """Make the server support MCP tasks from now on, as if one of its tools started jobs."""
        self._protocol._catalog.header["tasks"] = True
        self._checker.offered += ("tasks",)

    def offer_logging(self) -> None:
        """Let the server offer log messages from now on."""
        self._protocol._catalog.header["logging"] = True
        self._checker.offered += ("logging",)

    def offer_skills(self) -> None:
        """Let the server offer skills from now on, of which it has none."""
        self._protocol._catalog.header["skills"] = True
        self._checker.offered += ("skills",)

    def offer_polls(self, *uris: str) -> None:
        """Let the server poll the resources with these URIs or URI templates, whose contents it fetches from
        the API.
        """
        self._protocol._catalog.header["polls"] = True
        self._checker.offered += ("subscriptions",)
        for entry in self._protocol._features()._resources:
            if {entry["listed"].get("uri"), entry["listed"].get("uriTemplate")} & set(uris):
                entry["poll"] = 30

    def say(self, data: bytes, end: bool = False) -> None:
        """Feed these bytes as the client's output. If `end` is given, close the client's side as well."""
        for line in self._framing.feed(data) + (self._framing.close() if end else []):
            if isinstance(line, bytes):
                self._checker.heard(line)
            for effect in self._protocol.receive(parse(line)):
                self._do(effect)
            self._keys.update(self._protocol._in_flight.ids)

    def ask(self, text: str) -> list[Any]:
        """Send one line, and return the parsed output lines."""
        self.say(text.encode() + b"\n")
        return self.take()

    def take(self) -> list[Any]:
        """Return the output lines since the last call of this method, parsed."""
        written, self.written = self.written, []
        return [json.loads(line[2:]) for line in written if line.startswith("<")]

    def unanswered(self) -> list[object]:
        """Return the ids of requests without a response."""
        return self._checker.unanswered()

    def updated(self, uri: str) -> None:
        """Report to the server that the resource at this URI has changed, and write the notifications that it sends."""
        self._write(self._protocol.updated(uri))

    def happen(self, event: str) -> None:
        """Make the event happen that this text describes. ID is the id of a request.

        Reports of a running call: `progress ID MESSAGE`, `log ID LEVEL TEXT`. Ends of a call: `done ID TEXT` (with a
        result), `broke ID` (with an internal error), `cut` (all calls end, because the server stops).

        Outcomes of `resources/read`: `holds ID TEXT` (the contents), `nothing ID REASON` (no such resource), `refused
        ID REASON` (an error).

        Questions to the user: `ask ID MESSAGE` sends one, and `withdraw ID` cancels it. In the stateless revision, the
        call ends: `question ID MESSAGE` (with a question), `unable ID` (with an error, as the client takes no
        questions).

        `leave`: the client closes its side. `renew FOLDER`: the server loads the tools of another compile, in the
        folder `table`, `later` or `featured`.
        """
        kind, _, rest = event.partition(" ")
        if kind == "renew":
            logs = ("logging",) if "logging" in self._checker.offered else ()
            self._checker.offered = (*(("prompts", "completions") if rest == "featured" else ()), *logs)
            renewed = Catalog.load(str(TABLE.with_name(rest)))
            if logs:
                renewed.header["logging"] = True
            self._write(self._protocol.renew(renewed))
            return
        if kind == "cut":
            for line in self._protocol.cut(lambda _: Result.error("The server was stopped.")):
                self._write(line)
            return
        if kind == "leave":
            for effect in self._protocol.closed():
                self._do(effect)
            return
        id_text, _, text = rest.partition(" ")
        key = self._keys[json.loads(id_text)]
        if kind == "progress":
            self._write(self._protocol.progress(key, len(text), None, text))
        elif kind == "ask":
            asked = self._protocol.ask(key, text)
            self._write(asked)
            if asked is None:
                self._note("cannot be asked")
        elif kind == "log":
            self._write(self._protocol.log(key, *text.split(" ", 1)))
        elif kind == "withdraw":
            self._write(self._protocol.withdraw(key))
        else:
            uri = self._fetched[key].uri if key in self._fetched else ""
            outcomes: dict[str, Result | Failure | Question | Contents] = {
                "holds": Contents(uri, [{"uri": uri, "mimeType": "text/plain", "text": text}]),
                "nothing": Contents(uri, None, text),
                "refused": Result.error(text),
                "done": Result.text(text),
                "broke": Failure("The server failed."),
                "question": Question(text, "a.state"),
                "unable": Failure("It cannot ask.", -32021, {"requiredCapabilities": {"elicitation": {}}}),
            }
            self._write(self._protocol.finished(key, outcomes[kind]))

    def _do(self, effect: object) -> None:
        if isinstance(effect, Send):
            self._write(effect.line)
        elif isinstance(effect, Call):
            self._call(effect)
        elif isinstance(effect, ReadResource):
            contents = self._resources.read(effect.uri)
            self._write(self._protocol.finished(effect.key, Contents(effect.uri, contents)))
        elif isinstance(effect, Cancel):
            self.cancelled.append(effect.key)
        elif isinstance(effect, UserAnswer):
            self._note(f"{effect.key} hears {json.dumps(effect.reply)}")
        elif isinstance(effect, RejectedCall):
            self.rejected.append(effect.name)
        else:
            assert isinstance(effect, (Preload, PollResources))
            self.expecting = True

    def _call(self, call: Call) -> None:
        self.called.append(call.name)
        if isinstance(call, Fetch):
            self._fetched[call.key] = call
            self._note(f"{call.request} {json.dumps(call.arguments)}")
        self.dialogues.append(call.dialogue)
        self.levels.append(call.log_level)
        if call.name in ("echo", "shout"):
            self._write(self._protocol.finished(call.key, Result.text(call.arguments.get("text", ""))))  # type: ignore[arg-type]
        elif call.name == "show":
            self._write(self._protocol.finished(call.key, shown(call.arguments)))

    def _note(self, sentence: str) -> None:
        self.written.append(f"~ {sentence}")

    def _write(self, lines: bytes | None) -> None:
        for line in (lines or b"").splitlines(keepends=True):
            self._checker.check(line)
            self.written.append("< " + line.decode("ascii").rstrip("\n"))
