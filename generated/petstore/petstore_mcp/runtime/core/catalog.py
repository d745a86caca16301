# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The compiled table: what the tools are (tools.json) and what each of them sends (bindings.json). Beside them
resources.json and prompts.json may stand, which are parsed when they are first asked for.

The first two hold one tool a line, each line beginning `{"name":"<tool>",`, so that finding a tool is a matter of
bytes: the tools array is served as it lies on the disk, and a call parses the two lines about its tool and no other.
The files are opened at the start and stay open, so a server whose table is replaced under its own feet, as a new
generate does, goes on with the table it began with; one that is to notice it (`reload`) holds the table in memory. That
is true of the table alone: modules of the runtime are loaded when they are first needed, so after a newer mcpgen has
written others a server has to be started again. Not here: what any of it means.

Any thread may ask: the main one does whether a tool exists, the engine's what it is.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from binascii import crc32
from stat import S_ISREG

from .jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .table import Binding, Feature, Features, Header, Scheme, SchemeKind

#: The format of the table. It grows by keys that may be left out; another number is another format.
FORMAT = 1

#: The kinds of security schemes that there are (table.SchemeKind).
SCHEMES: tuple[SchemeKind, ...] = ("apiKey", "bearer", "basic", "oauth2", "header", "setting", "login")

_AGAIN = "Generate the server again"
#: Without waiting for whoever writes to a pipe that was put in its place. As in safe_open, which no start imports.
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_NAMED = b'{"name":"'
#: What is read at a time of the tools. With what an answer has around them, it fits into an empty pipe (stdio.Room).
_PIECE = 60 * 1024

#: The argument of a tool whose answers are files.
_SAVES = {
    "type": "string",
    "description": "Name of a file to write the answer to, in the folder that is open for downloads. Its path, size and"
    " media type come back instead of the content.",
}

#: The tables that may stand beside the two, by what they are called in MCP.
FEATURES: tuple[Feature, ...] = ("resources", "prompts")


class CatalogError(Exception):
    """The table cannot be used; its message is one sentence for whoever started the server."""


class Tool:
    """One tool: its name, the schema of its arguments, and its binding (how they become a request). `paged` is what
    `paging` found out about it, None until it was asked, and `plan` what `request` did. `credentials` (place to names)
    are what the server itself may write into its requests.
    """

    __slots__ = ("binding", "credentials", "name", "output_schema", "paged", "plan", "schema", "title")

    def __init__(
        self,
        name: str,
        schema: dict[str, Any],
        binding: Binding,
        title: str = "",
        output_schema: dict[str, Any] | None = None,
        credentials: dict[str, list[str]] | None = None,
    ) -> None:
        self.name = name
        self.credentials = credentials or {}
        self.schema = schema
        self.binding = binding
        self.title = title
        self.output_schema = output_schema
        self.paged: bool | None = None
        self.plan: Any = None  # a type of its own (request.Plan), of which the table knows nothing

    def given(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call, with what is sent for those that it leaves out."""
        return {**self.binding.get("defaults", {}), **arguments}


class _File:
    """One file of the table, open or held. Where the line of each tool lies is found out when it is first asked."""

    __slots__ = ("_changed", "_descriptor", "_held", "_lock", "_places")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held: bytes | None = None
        self._lock = allocate_lock()
        self._places: dict[str, tuple[int, int]] | None = None
        self._changed: dict[str, bytes] = {}

    def __del__(self) -> None:
        if self._held is None:
            os.close(self._descriptor)

    def hold(self) -> None:
        """Read it for good: whatever is written to the file is another one's."""
        content = self.read()
        os.close(self._descriptor)
        self._held = content

    def size(self) -> int:
        """In bytes."""
        return os.fstat(self._descriptor).st_size if self._held is None else len(self._held)

    def first_line(self) -> bytes:
        """Up to the line feed; all of it where there is none."""
        line = b""
        while b"\n" not in line and (piece := self.read(len(line), _PIECE)):
            line += piece
        return line.partition(b"\n")[0]

    def read(self, offset: int = 0, length: int = -1) -> bytes:
        """So many bytes from there, or all."""
        if self._held is not None:
            return self._held[offset : None if length < 0 else offset + length]
        with self._lock, open(self._descriptor, "rb", buffering=0, closefd=False) as file:
            file.seek(offset)
            return file.read(length) or b""

    def places(self) -> dict[str, tuple[int, int]]:
        """The offset and length of each tool's line, in order."""
        if self._places is None:
            self._places = _places(self.read())
        return self._places

    def keep(self, names: list[str]) -> bytes:
        """The lines of these tools as one array, on one line; the others are no longer found."""
        self._places = {name: place for name, place in self.places().items() if name in names}
        return b"[" + b",".join(map(self.text, self._places)) + b"]"

    def text(self, name: str) -> bytes:
        """Return the line of that tool, as it is in the file or as it was changed; b"" where there is none."""
        return self._changed.get(name) or self.read(*self.places().get(name, (0, 0))).rstrip(b",")

    def change(self, name: str, line: bytes) -> None:
        """Let that be the line of a tool, of a new one too; the file stays."""
        self._changed[name] = line
        self.places().setdefault(name, (0, 0))

    def array(self) -> tuple[list[bytes], str]:
        """All of it on one line, in pieces, and its digest. In pieces since memory that is new is what costs most."""
        pieces, found, offset = [], 0, 0
        while piece := self.read(offset, _PIECE):
            found = crc32(piece, found)
            pieces.append(piece.replace(b"\n", b""))
            offset += len(piece)
        return pieces, _digest(found)

    def line(self, name: str) -> Any:
        """The object on the line of that tool. Raises CatalogError."""
        return _object(self.text(name))


# Decision 0088: Read-only goes by the hints of the tools.
class Catalog:
    """The tools of this server. `header` is the first line of bindings.json, `tools` the array on one line, in pieces
    (one at least) that can each be written as they are.
    """

    def __init__(
        self,
        header: Header,
        tools: list[bytes],
        described: _File,
        bound: _File,
        features: dict[Feature, _File] | None = None,
    ) -> None:
        self.header = header
        self.tools = tools
        self.server = header["server"]
        self.name = self.server["name"]
        self.title = self.server.get("title", self.name)
        self.version = self.server["version"]
        self.instructions = self.server.get("instructions")
        self.prefix = header["environment"]
        self.servers = header["servers"]
        self.security = header["security"]
        self.origins = header["origins"]
        self.roles = header.get("roles", {})
        self.hidden: list[str] = []
        self.reader = ""
        self.withheld: dict[str, str] = {}
        self._described = described
        self._bound = bound
        self._parsed: dict[str, Tool] = {}
        self._features = features or {}
        self.completes = header.get("completes") is True

    @classmethod
    def load(cls, directory: str, held: bool = False) -> Catalog:
        """The table in that directory, `held` in memory or open. Raises CatalogError where it is missing, torn, or of
        another format.
        """
        try:
            described = _opened(directory, "tools", held)
            bound = _opened(directory, "bindings", held)
            header = _header(bound)
            tools, found = described.array()
            wanted: Features = header.get("features", {})
            features = {name: _opened(directory, name, held) for name in FEATURES if name in wanted}
        except OSError as problem:
            raise CatalogError(f"{_AGAIN}: {problem.filename} cannot be read.") from None
        if header.get("mcpgen") != FORMAT:
            raise CatalogError(f"{_AGAIN}: its table is not of format {FORMAT}.")
        if header.get("digest") != found:
            raise CatalogError(f"{_AGAIN}: tools.json and bindings.json do not belong together.")
        for name, file in features.items():
            if _digest(crc32(file.read())) != wanted[name]:
                raise CatalogError(f"{_AGAIN}: {name}.json and bindings.json do not belong together.")
        try:
            _check_kinds(header["security"])
            return cls(header, tools, described, bound, features)
        except (KeyError, TypeError, AttributeError):
            raise CatalogError(f"{_AGAIN}: the first line of bindings.json is incomplete.") from None

    def offer_saving(self) -> None:
        """List, at the tools whose answers are files, the argument that names the file to write."""
        bound = [(name, self._bound.text(name)) for name in self.names()]
        saving = [(name, _object(line)["saves"]) for name, line in bound if b'"saves":' in line]
        for name, argument in saving:
            tool = self._described.line(name)
            if "outputSchema" in tool:
                continue  # which no file keeps
            tool["inputSchema"].setdefault("properties", {}).setdefault(argument, _SAVES)
            self._described.change(name, dumps(tool))
        if saving:
            self.tools = [self._described.keep(self.names())]

    def offer_reading(self) -> None:
        """List the tool that reads on in cut results, behind the others."""
        from .read_tool import described  # few operators ask for it

        tool = described((*self.names(), *self.hidden), f"{self.name}://result/")
        self.reader = str(tool["name"])
        self._described.change(self.reader, dumps(tool))
        self._bound.change(self.reader, dumps({"name": self.reader, "reads": True}))
        self.tools = [self._described.keep(self.names())]

    def hide_changing(self) -> None:
        """Leave only the tools that change nothing, by their hint; the `hidden` ones are then unknown in every way."""
        names = self.names()
        kept = [name for name in names if self._described.line(name)["annotations"].get("readOnlyHint") is True]
        self._leave(kept)

    def hide_restricted(self, roles: frozenset[str]) -> None:
        """Leave out the tools that need a role, where none of theirs is among these; calls hear which setting it is."""
        names = self.names()
        kept = [name for name in names if name not in self.roles or not roles.isdisjoint(self.roles[name])]
        reason = f"{self.prefix}_ROLES of this server has no role that it is for"
        self.withheld |= {name: reason for name in names if name not in kept}
        self._leave(kept)

    def _leave(self, kept: list[str]) -> None:
        self.hidden += [name for name in self.names() if name not in kept]
        self.tools = [self._described.keep(kept)]

    def is_same(self, other: Catalog) -> bool:
        """Whether both are of the same files, whatever is hidden of either."""
        return self._bound.read() == other._bound.read()  # which hold the digests of the others

    def changed(self, before: Catalog) -> list[str]:
        """What is listed otherwise than in the one before: of `tools`, `resources` and `prompts`."""
        now, then = self.header.get("features", {}), before.header.get("features", {})
        beside: list[str] = [name for name in FEATURES if now.get(name) != then.get(name)]
        return beside if self.tools == before.tools else ["tools", *beside]

    def describes(self, key: bytes) -> bool:
        """Return whether that key stands in the description of any tool."""
        return any(key in piece for piece in self.tools)

    def binds(self, *keys: bytes) -> list[bytes]:
        """Return those of the keys that stand in the binding of any tool."""
        content = self._bound.read()
        return [key for key in keys if key in content]

    def offers(self, feature: str) -> bool:
        """Whether there is any of `resources` or `prompts`, or (`completions`) any value to offer for one of them."""
        return self.completes if feature == "completions" else feature in self._features

    def entries(self, feature: Feature) -> list[Any]:
        """The `resources` or `prompts` of their table. Raises CatalogError where it is no JSON."""
        file = self._features.get(feature)
        found: list[Any] = _object(b'{"all":%b}' % file.read())["all"] if file else []
        return found

    def names(self) -> list[str]:
        """All tools, in the order of the listing."""
        return list(self._described.places())

    def has(self, name: str) -> bool:
        """Whether there is such a tool."""
        return name in self._described.places()

    def nearest(self, name: str) -> list[str]:
        """Up to three tools whose names come near, best first."""
        import difflib  # a mistaken name is rare, and this is not for free

        known = {each.lower(): each for each in self.names()}
        return [known[each] for each in difflib.get_close_matches(name[:64].lower(), known)]

    def request_of(self, name: str) -> str:
        """Method and path of that tool's request, as the API's description writes them; "" where the table is torn."""
        try:
            binding = self.tool(name).binding
            return f"{binding['method']} {binding['operation']['path']}"
        except (CatalogError, KeyError, TypeError):
            return ""

    def described(self, name: str) -> dict[str, Any]:
        """Return the tool as the list shows it. Raises CatalogError."""
        found: dict[str, Any] = self._described.line(name)
        return found

    def tool(self, name: str) -> Tool:
        """That tool, which must exist. Raises CatalogError where one of its lines is missing or no JSON."""
        if name not in self._parsed:
            tool: dict[str, Any] = self._described.line(name)
            binding: Binding = self._bound.line(name)
            title, promised = tool.get("title", ""), tool.get("outputSchema")
            credentials = _credentials(binding, self.security)
            self._parsed[name] = Tool(name, tool["inputSchema"], binding, title, promised, credentials)
        return self._parsed[name]


def _credentials(binding: Binding, security: dict[str, Scheme]) -> dict[str, list[str]]:
    """Return the names under which requests of a binding may carry API keys, by their places."""
    found: dict[str, list[str]] = {}
    for name in (name for names in binding.get("security") or () for name in names):
        if name in security and (place := security[name].get("in")):
            found.setdefault(place, []).append(security[name]["name"])
    return found


def _opened(directory: str, name: str, held: bool) -> _File:
    """That file of a table, open or `held` in memory. Raises OSError."""
    path = f"{directory}/{name}.json"
    descriptor = os.open(path, _READ)
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "is no regular file", path)
    file = _File(descriptor)
    if held:
        file.hold()
    return file


def _header(bound: _File) -> Header:
    """Line 1, which is left open: so many bytes as it says follow, the bindings, one a line, and what closes it."""
    first = bound.first_line()
    header: Header = _object(first + b"]}" if first else b"{}")
    if header.get("mcpgen", FORMAT) == FORMAT and header.get("bytes") != bound.size() - len(first) - 1:
        raise CatalogError(f"{_AGAIN}: bindings.json is cut short, or was edited.")
    return header


def _check_kinds(security: dict[str, Scheme]) -> None:
    """Raises CatalogError for a security scheme of a kind that a later mcpgen may write."""
    for name, scheme in security.items():
        if scheme["type"] not in SCHEMES:
            kind = f"of the kind {scheme['type']!r}, which this server does not know"
            raise CatalogError(f"{_AGAIN}: the security scheme {name!r} of its table is {kind}.")


def _places(content: bytes) -> dict[str, tuple[int, int]]:
    places = {}
    offset = 0
    for line in content.split(b"\n"):
        if line.startswith(_NAMED):
            places[line[len(_NAMED) :].partition(b'"')[0].decode("latin-1")] = offset, len(line)
        offset += len(line) + 1
    return places


def _object(text: bytes) -> Any:
    """The JSON object of that text, whatever type its table has for it. Raises CatalogError."""
    try:
        value, _ = loads(text.decode())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise CatalogError(f"{_AGAIN}: a line of its table is no JSON object.")
    return value


def _digest(sum_: int) -> str:
    """A CRC-32 as it stands in a header. What it tells is an accident; what nobody could forge would take four times as
    long, at every start.
    """
    return f"{sum_:08x}"
