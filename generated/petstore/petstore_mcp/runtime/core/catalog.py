# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Catalog of tools (tools.json), their requests (bindings.json), and optionally resources.json and prompts.json.

The first two files hold one tool per line, each line beginning `{"name":"<tool>",`. So a tool is found by searching
bytes: `tools/list` sends bytes of the file, and a call parses only the two lines of its own tool.

The files stay open: if they are replaced on disk, a running server goes on with the old files. With `reload`, the
server reads the files into memory instead. Restart the server after an upgrade of mcpgen, because Python modules are
still loaded from disk on first use.

Any thread may use a catalog. The module `request` defines how a binding becomes a request.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from binascii import crc32
from stat import S_ISREG

from .jsonrpc import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..search.listing import Listing
    from ..tables.table import Binding, Features, Header, Scheme
    from ..tables.words import CredentialWay, Feature

#: Format version of tools.json, bindings.json and the optional JSON files. Any change of the format needs a new number,
#: except a new optional key.
FORMAT = 2

#: Known ways to get a credential (words.CredentialWay).
WAYS: tuple[CredentialWay, ...] = ("given", "fetched", "user")

_AGAIN = "Generate the server again"
#: For tables of another version. An mcpgen that is newer than its own runtime would write the same tables again.
_BY_ANOTHER = f"{_AGAIN} with a matching version of mcpgen"
#: Non-blocking, so that opening cannot hang if the file was replaced by a named pipe.
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_NAMED = b'{"name":"'
_LISTED = b'{"listed":'
#: Bytes of tools.json read at once. A message with one such piece fits into an empty pipe (stdio.OutputRoom).
_PIECE = 60 * 1024

#: Schema of the additional argument of tools that can save their answer to a file.
_SAVES = {
    "type": "string",
    "description": "Name of a file to write the answer to, in the folder that is open for downloads. Its path, size and"
    " media type come back instead of the content.",
}

#: Names of the optional JSON files, without `.json`. They are the names of MCP's features.
FEATURES: tuple[Feature, ...] = ("resources", "prompts")


class CatalogError(Exception):
    """Raised if tools.json, bindings.json or an optional file of a `Catalog` cannot be used. The message is one
    sentence for the person who starts the server.
    """


class Tool:
    """One tool: name, input schema, and binding (how arguments become a request).

    `paged` and `plan` cache results of the modules `paging` and `request`, and are None until computed. `credentials`:
    for each place, such as `header`, the names of the API keys that the server may write there. `listed`: the input
    schema in `tools/list`, which lacks the arguments that the user fills in.
    """

    __slots__ = ("binding", "credentials", "listed", "name", "output_schema", "paged", "plan", "schema", "title")

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
        self.schema = self.listed = schema
        self.binding = binding
        self.title = title
        self.output_schema = output_schema
        self.paged: bool | None = None
        self.plan: Any = None  # a request.Plan; core cannot import this type

    def given(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call. Omitted arguments get their default from bindings.json, if there is one."""
        return {**self.binding.get("defaults", {}), **arguments}


class _File:
    """One JSON file of a catalog, open on disk or held in memory. The lines of its tools are located on first use."""

    __slots__ = ("_changed", "_descriptor", "_held", "_later", "_lock", "_places")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held: bytes | None = None
        self._lock = allocate_lock()
        self._places: dict[str, tuple[int, int]] | None = None
        self._changed: dict[str, bytes] = {}
        self._later: Callable[[], dict[str, bytes]] | None = None

    def __del__(self) -> None:
        if self._held is None:
            os.close(self._descriptor)

    def hold(self) -> None:
        """Read the whole file into memory, so that later changes on disk have no effect."""
        content = self.read()
        os.close(self._descriptor)
        self._held = content

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return os.fstat(self._descriptor).st_size if self._held is None else len(self._held)

    def first_line(self) -> bytes:
        """Return the bytes before the first line feed, or all bytes if there is none."""
        line = b""
        while b"\n" not in line and (piece := self.read(len(line), _PIECE)):
            line += piece
        return line.partition(b"\n")[0]

    def read(self, offset: int = 0, length: int = -1) -> bytes:
        """Return `length` bytes of the file from `offset` on, or all bytes from there if `length` is negative."""
        if self._held is not None:
            return self._held[offset : None if length < 0 else offset + length]
        with self._lock, open(self._descriptor, "rb", buffering=0, closefd=False) as file:
            file.seek(offset)
            return file.read(length) or b""

    def places(self) -> dict[str, tuple[int, int]]:
        """Return the offset and length of each tool's line in the JSON file, by tool name, in the file's order."""
        self._settle()
        if self._places is None:
            self._places = _places(self.read())
            for name in self._changed:
                self._places.setdefault(name, (0, 0))
        return self._places

    def keep(self, names: list[str]) -> bytes:
        """Drop all tools that are not in `names`. Return the entries of the kept tools as one JSON array."""
        self._places = {name: place for name, place in self.places().items() if name in names}
        return b"[" + b",".join(map(self.text, self._places)) + b"]"

    def text(self, name: str) -> bytes:
        """Return a tool's entry as JSON bytes: its line of this file, or the line that `change` has put in its place.

        Return b"" if there is no such tool.
        """
        self._settle()
        return self._changed.get(name) or self.read(*self.places().get(name, (0, 0))).rstrip(b",")

    def change(self, name: str, line: bytes) -> None:
        """Replace a tool's line of this JSON file, or add a line for a new tool: in memory, not on disk."""
        self._changed[name] = line
        if self._places is not None:
            self._places.setdefault(name, (0, 0))

    def add_later(self, lines: Callable[[], dict[str, bytes]]) -> None:
        """Register `lines`, which returns tools that this JSON file lacks: tool name -> JSON text of the tool's line.

        `lines` is called when any tool is first looked up.
        """
        self._later = lines

    def _settle(self) -> None:
        if self._later is not None:
            for name, line in self._later().items():
                self.change(name, line)
            self._later = None  # set last: another thread may add the same tools again, which does no harm

    def array(self) -> tuple[list[bytes], str]:
        """Return the content of this JSON file, an array, without line ends. It comes in pieces to save memory.

        Also return the CRC-32 of the whole file, line ends included, in hexadecimal.
        """
        pieces, found, offset = [], 0, 0
        while piece := self.read(offset, _PIECE):
            found = crc32(piece, found)
            pieces.append(piece.replace(b"\n", b""))
            offset += len(piece)
        return pieces, _digest(found)

    def line(self, name: str) -> Any:
        """Return the JSON object on a tool's line of this file. Raise CatalogError if there is no valid line."""
        return _object(self.text(name))


# `--read-only` uses the hints of tools, which are cautious, and needs no rules of its own
# (docs/decisions/compiling.md).
class Catalog:
    """Tools of this server.

    `header` is the first line of bindings.json. `tools` is the JSON array of all listed tools, in pieces that can be
    sent unchanged. `finders`: name of each tool that finds or calls other tools -> its kind, such as `search_tools`.
    `private`: True if callers may get different lists. `account`: the account that sees the catalog so, or "".
    """

    private = False
    account = ""

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
        self.security = {} if "accounts" in header else header["security"]  # each account has schemes of its own
        self.origins = header["origins"]
        self.roles = header.get("roles", {})
        self.aliases = header.get("aliases", {})
        self.hidden: list[str] = []
        self.reader = ""
        self.looker = ""
        self.withheld: dict[str, str] = {}
        self._described = described
        self._bound = bound
        self._parsed: dict[str, Tool] = {}
        self._features = features or {}
        self.completes = header.get("completes") is True
        self._listing: Listing | None = None
        self._index: _File | None = None
        self._without_asking: list[bytes] = []
        self.finders: Mapping[str, str] = {}

    @classmethod
    def load(cls, directory: str, held: bool = False) -> Catalog:
        """Open the JSON files in `directory`; if `held`, read them into memory. Raise CatalogError if a file is
        unusable.
        """
        try:
            described = _opened(directory, "tools", held)
            bound = _opened(directory, "bindings", held)
            header = _header(bound)
            tools, found = described.array()
            wanted: Features = header.get("features", {})
            features = {name: _opened(directory, name, held) for name in FEATURES if name in wanted}
            index = _opened(directory, "search", held) if "search" in header else None
        except OSError as problem:
            raise CatalogError(f"{_AGAIN}: {problem.filename} cannot be read.") from None
        if header.get("mcpgen") != FORMAT:
            raise CatalogError(f"{_BY_ANOTHER}: its table is not of format {FORMAT}.")
        if header.get("digest") != found:
            raise CatalogError(f"{_AGAIN}: tools.json and bindings.json do not belong together.")
        for name, file in features.items():
            if _digest(crc32(file.read())) != wanted[name]:
                raise CatalogError(f"{_AGAIN}: {name}.json and bindings.json do not belong together.")
        try:
            _check_ways(header["security"])
            catalog = cls(header, tools, described, bound, features)
            if index is not None:
                catalog._offer_search(index)
            if "tasks" in header:
                catalog._offer_looking()
            return catalog
        except (KeyError, TypeError, AttributeError):
            raise CatalogError(f"{_AGAIN}: the first line of bindings.json is incomplete.") from None

    def offer_saving(self) -> None:
        """Add an argument to the input schema of each tool that can save the API's response to a file. The argument
        names this file.
        """
        bound = [(name, self._bound.text(name)) for name in self.names()]
        saving = [(name, _object(line)["saves"]) for name, line in bound if b'"saves":' in line]
        for name, argument in saving:
            tool = self._described.line(name)
            if "outputSchema" in tool:
                continue  # a saved response has a text as its result, but this tool's results must match a schema
            tool["inputSchema"].setdefault("properties", {}).setdefault(argument, _SAVES)
            self._described.change(name, dumps(tool))
        self._leave(self.names())

    def offer_reading(self) -> None:
        """Add `read_result` to the list of tools. This tool reads more of a truncated result."""
        from .read_result_tool import described  # imported here: few operators enable this tool

        tool = described((*self.names(), *self.hidden), f"{self.name}://result/")
        self.reader = str(tool["name"])
        self._described.change(self.reader, dumps(tool))
        self._bound.change(self.reader, dumps({"name": self.reader, "reads": True}))
        self._leave(self.names())

    def _offer_looking(self) -> None:
        """Add `get_task` to the list of tools. This tool waits for a job of an earlier call."""
        from ..jobs.looking import described  # imported here: few servers follow jobs

        tool = described(self.names())
        self.looker = str(tool["name"])
        self._described.change(self.looker, dumps(tool))
        self._bound.change(self.looker, dumps({"name": self.looker, "follows": True}))
        self._leave(self.names())

    def hide_changing(self) -> None:
        """Keep only tools whose annotations have `readOnlyHint: true`. `hidden` lists the others."""
        kept = [each for each in self.names() if self._described.line(each)["annotations"].get("readOnlyHint") is True]
        self._leave(kept)

    def hide_restricted(self, roles: frozenset[str]) -> None:
        """Hide tools that are restricted to other roles than `roles`.

        A call of a hidden tool fails with an error that names the environment variable `<PREFIX>_ROLES`.
        """
        names = self.names()
        kept = [name for name in names if name not in self.roles or not roles.isdisjoint(self.roles[name])]
        reason = f"{self.prefix}_ROLES of this server has no role that it is for"
        self.withheld |= {name: reason for name in names if name not in kept}
        self._leave(kept)

    # In one list for all clients, every model would see arguments that only users should fill in.
    @property
    def without_asking(self) -> list[bytes]:
        """Return the JSON array of tools, in pieces, for clients that cannot ask their user.

        Input schemas in it also have the fields of questions whose answers such a client can send as arguments.
        """
        if "asks" not in self.header:
            return self.tools
        if not self._without_asking:
            from ..questions.asked_arguments import listed_without_asking  # imported here: few servers ask the user

            entries: Any = loads(b"".join(self.tools).decode())[0]
            for place, entry in enumerate(entries):
                if questions := self._bound.line(entry["name"]).get("ask"):
                    entries[place] = listed_without_asking(entry, questions)
            self._without_asking = [dumps(entries)]
        return self._without_asking

    def _leave(self, kept: list[str]) -> None:
        self._without_asking = []
        self.hidden += [name for name in self.names() if name not in kept]
        self.tools = [self._described.keep(kept)]
        self._list_found()

    # `search.json` holds the finished list: building it here would take 0.5 to 2 ms of each start
    # (docs/decisions/compiling.md).
    def _offer_search(self, index: _File) -> None:
        """Replace the list of all tools by a short list: tools that find and call other tools, and tools that the owner
        keeps listed (`pinned`).
        """
        self._index = index
        search = self.header["search"]
        line = index.read(len(_LISTED), search["listed"]["bytes"] if "listed" in search else 0)
        self._described.add_later(lambda: self._searched().entries(self))
        self._bound.add_later(lambda: self._searched().bindings())
        if line and _digest(crc32(line)) == search["listed"]["digest"]:
            self.finders, self.tools = search["finders"], [line]
        else:  # search.json has no line with the tool list, or is damaged; each search then reports the damage
            self.finders = self._searched().finders
            self.withheld |= self._searched().lacking
            self._list_found()

    @property
    def listing(self) -> Listing | None:
        """Return the object that builds the tool list of a server with `--tools search`, or None for any other
        server.
        """
        return None if self._index is None else self._searched()

    def _searched(self) -> Listing:
        if self._listing is None:
            # imported late: not needed to send the tool list that search.json holds
            from ..search.listing import Listing

            assert self._index is not None, "only a server with a search lists one"
            self._listing = Listing(self.header["search"], self._index.read)
        return self._listing

    def _list_found(self) -> None:
        """Build the attribute `tools` anew if the server has a search (`--tools search`). Otherwise do nothing."""
        if self.listing is None:
            return
        for name, line in self.listing.entries(self).items():
            self._described.change(name, line)
        self.tools = [b"[" + b",".join(map(self._described.text, self.listing.names(self))) + b"]"]

    def checksum(self) -> str:
        """Return a digest that identifies all JSON files: bindings.json is hashed, and holds digests of the other
        files.
        """
        from hashlib import sha256  # imported here: few servers run model-written programs

        return sha256(self._bound.read()).hexdigest()

    def is_same(self, other: Catalog) -> bool:
        """Return True if both catalogs have the same JSON files. Which tools are hidden is not compared."""
        return self._bound.read() == other._bound.read()  # bindings.json holds digests of the other JSON files

    def changed(self, before: Catalog) -> list[str]:
        """Return the names of the lists that differ between `before` and this catalog.

        The names are `tools`, `resources` and `prompts`.
        """
        now, then = self.header.get("features", {}), before.header.get("features", {})
        beside: list[str] = [name for name in FEATURES if now.get(name) != then.get(name)]
        is_same = (self.tools, self.without_asking) == (before.tools, before.without_asking)
        return beside if is_same else ["tools", *beside]

    def describes(self, key: bytes) -> bool:
        """Return True if the entry of any tool contains the bytes `key`, even of a tool that only a search finds."""
        return any(key in piece for piece in (self.tools if self._index is None else [self._described.read()]))

    def binds(self, *keys: bytes) -> list[bytes]:
        """Return those byte strings of `keys`, such as `"confirm":`, that occur anywhere in bindings.json."""
        content = self._bound.read()
        return [key for key in keys if key in content]

    def offers(self, feature: str) -> bool:
        """Return True if the server offers `feature`: one of FEATURES, `completions`, or a member of the header."""
        if feature in FEATURES:
            return feature in self._features
        return self.completes if feature == "completions" else feature in self.header

    def entries(self, feature: Feature) -> list[Any]:
        """Return the entries of resources.json or prompts.json, or [] if there is no such file.

        Raise CatalogError if the file is not JSON.
        """
        file = self._features.get(feature)
        found: list[Any] = _object(b'{"all":%b}' % file.read())["all"] if file else []
        return found

    def names(self) -> list[str]:
        """Return the names of all tools, in the order of the list."""
        return list(self._described.places())

    def has(self, name: str) -> bool:
        """Return True if there is a tool of this name."""
        return name in self._described.places()

    # An alias is resolved before scopes, roles and hooks use the name, so all rules of the tool apply. Aliases are not
    # listed, because each entry would cost its tokens again.
    def resolve_alias(self, name: str) -> str:
        """Return the name of the tool that `name` is an alias of. Any other name is returned unchanged."""
        return name if name not in self.aliases or name in self._described.places() else self.aliases[name]

    def nearest(self, name: str) -> list[str]:
        """Return up to three tool names similar to `name`, the most similar first.

        Before them stands the tool in whose name `name` ends, because hosts put a prefix before the names of tools,
        such as `mcp__SERVER__` or `functions.`.
        """
        import difflib  # imported here, since mistaken names are rare
        import re  # imported here, since mistaken names are rare

        known, end = {each.lower(): each for each in self.names()}, name[-128:].lower()
        behind = [end[at.end() :] for at in re.finditer("[-_./:]", end) if end[at.end() :] in known]
        close = difflib.get_close_matches(name[:64].lower(), known)
        return [known[each] for each in dict.fromkeys([*behind[:1], *close])][:3]

    def request_of(self, name: str) -> str:
        """Return METHOD and path of a tool's request as in the API description.

        Return "" if the tool's line in tools.json or bindings.json is unreadable or incomplete.
        """
        try:
            binding = self.tool(name).binding
            return f"{binding['method']} {binding['operation']['path']}"
        except (CatalogError, KeyError, TypeError):
            return ""

    def described(self, name: str) -> dict[str, Any]:
        """Return the entry of a tool in `tools/list`. Raise CatalogError if its line in tools.json is unreadable."""
        return dict(self._bound.line(name)["tool"] if self.is_inner(name) else self._described.line(name))

    def is_inner(self, name: str) -> bool:
        """Return True if no client sees the tool, and only workflows call it: then bindings.json describes it."""
        return not self._described.text(name) and "tool" in self._bound.line(name)

    def writes(self, name: str) -> bool:
        """Return True unless the annotations of the tool `name` say that it only reads.

        Raise CatalogError if tools.json has no entry of this tool.
        """
        return self.described(name).get("annotations", {}).get("readOnlyHint") is not True

    def tool(self, name: str) -> Tool:
        """Return the tool of a known name.

        Raise CatalogError if its line in tools.json or bindings.json is missing, or is not a JSON object.
        """
        if name not in self._parsed:
            tool: dict[str, Any] = self.described(name)
            binding: Binding = self._bound.line(name)
            title, promised = tool.get("title", ""), tool.get("outputSchema")
            credentials = _credentials(binding, self.security)
            self._parsed[name] = made = Tool(name, tool["inputSchema"], binding, title, promised, credentials)
            if "ask" in binding:
                from ..questions.asked_arguments import complete_schema  # imported here: few tools ask the user

                made.schema = complete_schema(made.listed, binding["ask"])
        return self._parsed[name]


def _credentials(binding: Binding, security: dict[str, Scheme]) -> dict[str, list[str]]:
    """Return the names of the credentials that requests of a tool may carry, by place, such as `query`. `binding`: the
    tool's entry in bindings.json.
    """
    found: dict[str, list[str]] = {}
    for name in (name for names in binding.get("security") or () for name in names):
        if name in security and "name" in security[name]:
            found.setdefault(security[name]["in"], []).append(security[name]["name"])
    return found


def _opened(directory: str, name: str, held: bool) -> _File:
    """Open one JSON file of a catalog; if `held`, read it into memory. Raise OSError if it is unreadable or no regular
    file.
    """
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
    """Return the header, which is line 1 of bindings.json.

    Raise CatalogError unless the file has, after line 1, as many bytes as the header says.
    """
    first = bound.first_line()
    header: Header = _object(first + b"]}" if first else b"{}")
    if header.get("mcpgen", FORMAT) == FORMAT and header.get("bytes") != bound.size() - len(first) - 1:
        raise CatalogError(f"{_AGAIN}: bindings.json is cut short, or was edited.")
    return header


def _check_ways(security: dict[str, Scheme]) -> None:
    """Raise CatalogError if a credential is got in an unknown way, as a later version of mcpgen may write."""
    for name, scheme in security.items():
        for way in scheme["ways"]:
            if way not in WAYS:
                said = f"names the way {way!r} to get its credential, which this server does not know"
                raise CatalogError(f"{_BY_ANOTHER}: the security scheme {name!r} of its table {said}.")


def _places(content: bytes) -> dict[str, tuple[int, int]]:
    places = {}
    offset = 0
    for line in content.split(b"\n"):
        if line.startswith(_NAMED):
            places[line[len(_NAMED) :].partition(b'"')[0].decode("latin-1")] = offset, len(line)
        offset += len(line) + 1
    return places


def _object(text: bytes) -> Any:
    """Return the JSON object in `text`, as the type that the caller expects. Raise CatalogError if there is none."""
    try:
        value, _ = loads(text.decode())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise CatalogError(f"{_AGAIN}: a line of its table is no JSON object.")
    return value


def _digest(sum_: int) -> str:
    """Return a CRC-32 as eight hexadecimal digits.

    It detects accidental changes only; a cryptographic hash would make each start slower.
    """
    return f"{sum_:08x}"
