# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What the protocol wants done about a message. It says so with these and does none of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .jsonrpc import Id, Members
    from .spans import Span

    Effect: TypeAlias = "Send | Call | Rejected | Read | Cancel | Answered | Expect | Note"
    from .table import Resource


class Send:
    """Write this line now, which is long in several pieces."""

    __slots__ = ("pieces",)

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces

    @property
    def line(self) -> bytes:
        return b"".join(self.pieces)


class Dialogue:
    """How the user can be asked about a call: by a `request` while it runs, by a `result` that the client answers with
    another call, or (`way` is empty) not at all. That other call brings `state` and `responses`.
    """

    __slots__ = ("responses", "revision", "state", "way")

    def __init__(self, way: str, revision: str, state: str | None = None, responses: Members | None = None) -> None:
        self.way = way
        self.revision = revision
        self.state = state
        self.responses = responses or {}


class Origin:
    """Who calls, and in which trace, as the client says it and nobody has checked."""

    __slots__ = ("client", "traceparent", "tracestate")

    def __init__(self, client: object = None, traceparent: object = None, tracestate: object = None) -> None:
        self.client = client
        self.traceparent = traceparent
        self.tracestate = tracestate


class Call:
    """Run this tool and report under this key; progress is wanted where there is a token. `span` is what is observed of
    it, from the moment that somebody takes it.
    """

    __slots__ = ("arguments", "dialogue", "key", "name", "origin", "progress_token", "span")

    def __init__(
        self,
        key: int,
        name: str,
        arguments: Members,
        progress_token: Id | None,
        dialogue: Dialogue,
        origin: Origin | None = None,
    ) -> None:
        self.key = key
        self.name = name
        self.arguments = arguments
        self.progress_token = progress_token
        self.dialogue = dialogue
        self.origin = origin
        self.span: Span | None = None


class Fetch(Call):
    """Read a resource that is fetched, of which the table has this `entry`: a call of the upstream like any other. Its
    name is the template of the URI, and its arguments are the variables in it. It reports `wire_formats.Contents`, or
    why there are none.
    """

    __slots__ = ("entry", "uri")

    def __init__(self, key: int, uri: str, entry: Resource, arguments: Members, revision: str, origin: Origin) -> None:
        listed = entry["listed"]
        name = str(listed.get("uriTemplate") or listed["uri"])
        super().__init__(key, name, arguments, None, Dialogue("", revision), origin)
        self.uri = uri
        self.entry = entry

    @property
    def request(self) -> str:
        """Method and path, as they were described."""
        binding = self.entry["binding"]
        return f"{binding['method']} {binding['operation']['path']}"


class Rejected:
    """A call of that tool was answered with an error of the protocol, and never begins: for the record."""

    __slots__ = ("name", "origin")

    def __init__(self, name: object, origin: Origin) -> None:
        self.name = name
        self.origin = origin


class Read:
    """Look up this resource and report its `wire_formats.Contents` under this key."""

    __slots__ = ("key", "uri")

    def __init__(self, key: int, uri: str) -> None:
        self.key = key
        self.uri = uri


class Cancel:
    """Stop the call of this key; nothing that it comes to will be sent."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key


class Answered:
    """The client answered what the call of this key asks; `reply` is None where no answer can be read, or will come."""

    __slots__ = ("key", "reply")

    def __init__(self, key: int, reply: object) -> None:
        self.key = key
        self.reply = reply


class Expect:
    """A call may come soon: the client knows the tools now."""

    __slots__ = ()


class Note:
    """Something that cannot be answered, for the log."""

    __slots__ = ("sentence",)

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
