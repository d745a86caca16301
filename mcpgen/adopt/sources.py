"""Find the server to adopt in the arguments of the command: configuration files, scripts, or a command line."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcpgen.adopt import blocks, script, shell
from mcpgen.adopt.foreign import ForeignServer
from mcpgen.adopt.programs import Command, Script, recognise, server
from mcpgen.adopt.programs.commands import split
from mcpgen.base.errors import FatalError
from mcpgen.base.names import clipped
from mcpgen.read import fetch

_KNOWN = "awslabs.openapi-mcp-server, FastMCP scripts, openapi-mcp-generator and @ivotoby/openapi-mcp-server"
_BLOCKS = (".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Found:
    """A server found in the given files. `name`: its name in the configuration, if any. `folder`: folder to which the
    server's relative paths refer.
    """

    name: str
    started: Command | Script
    folder: str


def find(sources: Sequence[str], wanted: str | None) -> tuple[ForeignServer, str, str]:
    """Return the server, its name in a client's configuration or "", and the folder to which the server's relative
    paths refer.

    `sources`: paths of files, or the words of one command line. `wanted`: name of the server to take if there are
    several. Raises FatalError if there is no such server, or more than one.
    """
    if not any(os.path.isfile(source) for source in sources[:1]):
        words = split(sources[0]) if len(sources) == 1 else list(sources)
        started = recognise(words, {})
        if started is None:
            message = f"{clipped(sources[0])} is not a file, and not a command of a server that adopt knows."
            raise FatalError("unreadable", message, hint=f"Known are {_KNOWN}.")
        candidates = [Found("", started, "")]
    else:
        candidates = list(_in_files(sources))
    found = _chosen(candidates, wanted, sources)
    return *_opened(found), found.folder


def _in_files(sources: Sequence[str]) -> Iterator[Found]:
    texts = {source: fetch.read(source).data for source in sources}
    environ: dict[str, str] = {}
    for source, data in texts.items():
        if _is_environment(source):
            environ |= shell.variables(data.decode("utf-8", "replace"))
    for source, data in texts.items():
        folder = os.path.dirname(source)
        if source.endswith(".py"):
            yield Found("", Script(source, environ), folder)
        elif source.endswith(_BLOCKS):
            for block in blocks.read(source, data):
                words = block.words if len(block.words) > 1 else split(block.words[0])
                known = {**environ, **{name: shell.expanded(each, environ) for name, each in block.environ.items()}}
                place = os.path.join(folder, block.folder) if block.folder else folder
                if started := recognise(words, known, block.where):
                    yield Found(block.name, started, place)
        else:
            yield from _in_text(source, data.decode("utf-8", "replace"), environ)


def _in_text(source: str, text: str, environ: dict[str, str]) -> Iterator[Found]:
    known = {**environ, **shell.variables(text)}
    for words, where in shell.lines(source, text, known):
        started = recognise(words, known, where)
        if isinstance(started, Command):
            yield Found("", started, os.path.dirname(source))


def _is_environment(source: str) -> bool:
    name = os.path.basename(source)
    return name.startswith(".env") or name.endswith(".env")


def _chosen(candidates: list[Found], wanted: str | None, sources: Sequence[str]) -> Found:
    usable = [each for each in candidates if _starts_a_server(each)]
    unique = list({(each.name, repr(each.started)): each for each in usable}.values())
    if wanted is not None:
        unique = [each for each in unique if each.name == wanted]
    if len(unique) == 1:
        return unique[0]
    names = ", ".join(clipped(each.name or _line(each)) for each in unique[:20])
    if not unique:
        places = ", ".join(sources)
        message = f"There is no server that adopt knows in {places}."
        if wanted:
            message = f"There is no server '{clipped(wanted)}' in {places}."
        raise FatalError("not-an-api", message, hint=f"Known are {_KNOWN}.")
    message = f"The configuration starts {len(unique)} servers that adopt knows: {names}."
    raise FatalError("not-an-api", message, hint="Name one of the servers with --server, or give its command line.")


def _line(found: Found) -> str:
    where = found.started.where
    return f"line {where.line}" if where is not None and where.line else "one without a name"


def _starts_a_server(found: Found) -> bool:
    """Return True if a command line starts a server. False if it installs something, asks for help, or runs a script
    without a server.
    """
    if isinstance(found.started, Command):
        words = found.started.words
        is_generator = found.started.program == "openapi-mcp-generator"
        return bool({"-i", "--input"} & {word.partition("=")[0] for word in words}) if is_generator else True
    path = _path(found)
    return os.path.isfile(path) and any(name in fetch.read(path).data for name in (b"openapi", b"from_fastapi"))


def _path(found: Found) -> str:
    assert isinstance(found.started, Script), "commands have no path"
    places = (os.path.join(found.folder, found.started.path), found.started.path)
    return next(filter(os.path.isfile, places), found.started.path)


def _opened(found: Found) -> tuple[ForeignServer, str]:
    if isinstance(found.started, Command):
        return server(found.started), found.name
    path = _path(found)
    read = script.read(path, fetch.read(path).data.decode("utf-8-sig", "replace"), found.started.environ)
    return replace(read, remarks=tuple(dict.fromkeys(read.remarks))), found.name
