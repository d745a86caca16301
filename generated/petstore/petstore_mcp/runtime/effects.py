# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What the protocol wants done about a message. It says so with these and does none of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .jsonrpc import Id, Members

    Effect: TypeAlias = "Send | Call | Read | Cancel | Expect | Note"


class Send:
    """Write this line now."""

    __slots__ = ("line",)

    def __init__(self, line: bytes) -> None:
        self.line = line


class Call:
    """Run this tool and report under this key; progress is wanted where there is a token."""

    __slots__ = ("arguments", "key", "name", "progress_token", "revision")

    def __init__(self, key: int, name: str, arguments: Members, progress_token: Id | None, revision: str) -> None:
        self.key = key
        self.name = name
        self.arguments = arguments
        self.progress_token = progress_token
        self.revision = revision


class Read:
    """Look up this resource and report its `shapes.Contents` under this key."""

    __slots__ = ("key", "uri")

    def __init__(self, key: int, uri: str) -> None:
        self.key = key
        self.uri = uri


class Cancel:
    """Stop the call of this key; nothing that it comes to will be sent."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key


class Expect:
    """A call may come soon: the client knows the tools now."""

    __slots__ = ()


class Note:
    """Something that cannot be answered, for the log."""

    __slots__ = ("sentence",)

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
