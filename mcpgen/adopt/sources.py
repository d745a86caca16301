"""Find the server to adopt in the arguments of the command: configuration files, scripts, or a command line.

A client's configuration is JSON with comments, TOML or YAML, and has MCP servers under any key. Shell scripts, env
files, and documentation with examples have command lines and variables.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mcpgen.adopt import programs, script
from mcpgen.adopt.foreign import ForeignServer
from mcpgen.adopt.programs import Command, Script, recognise, server, split
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.read import fetch
from mcpgen.read.document import Document, load

_KNOWN = "awslabs.openapi-mcp-server, FastMCP scripts, openapi-mcp-generator and @ivotoby/openapi-mcp-server"
_BLOCKS = (".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml")
# A string or a comment without its end takes the rest of the text, so that it is not read again and again.
_COMMENT = re.compile(r'"(?:[^"\\]++|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_DEEPEST = 12
_LINE = re.compile(r"\s*(?:RUN\s|CMD\s|ENTRYPOINT\s|[$>]\s|-\s)?(.*)", re.DOTALL)
_ASSIGNMENT = re.compile(r"\s*(?:export\s+|ENV\s+|\$env:)?([A-Za-z_]\w*)\s*=\s*(.*)")
_USED = re.compile(r"\$\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|\$([A-Za-z_]\w*)")


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
            environ |= _variables(data.decode("utf-8", "replace"))
    for source, data in texts.items():
        folder = os.path.dirname(source)
        if source.endswith(".py"):
            yield Found("", Script(source, environ), folder)
        elif source.endswith(_BLOCKS):
            for block in _read_blocks(source, data):
                words = block.words if len(block.words) > 1 else split(block.words[0])
                known = {**environ, **{name: _expanded(each, environ) for name, each in block.environ.items()}}
                place = os.path.join(folder, block.folder) if block.folder else folder
                if started := recognise(words, known, block.where):
                    yield Found(block.name, started, place)
        else:
            yield from _in_text(source, data.decode("utf-8", "replace"), environ)


def _in_text(source: str, text: str, environ: dict[str, str]) -> Iterator[Found]:
    known = {**environ, **_variables(text)}
    for words, where in _command_lines(source, text, known):
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


@dataclass(frozen=True, slots=True)
class _Block:
    """One server in a client's configuration: its name, command line, environment variables and working directory."""

    name: str
    words: tuple[str, ...]
    environ: dict[str, str]
    folder: str
    where: Where


def _read_blocks(name: str, data: bytes) -> list[_Block]:
    """Return all servers with a command in a client's configuration. Raises FatalError if the configuration cannot be
    parsed.
    """
    document = _toml(name, data) if name.endswith(".toml") else load(name, _plain(data), Diagnostics())
    blocks = list(_found(document.value, document.where(""), "", 0))
    if not document.data:
        return blocks
    positions = document.positions([block.where.pointer for block in blocks])
    return [_placed(block, positions[block.where.pointer]) for block in blocks]


def _placed(block: _Block, position: tuple[int, int]) -> _Block:
    line, column = position
    where = Where(block.where.file, block.where.pointer, line, column)
    return _Block(block.name, block.words, block.environ, block.folder, where)


def _plain(data: bytes) -> bytes:
    """Return JSON text in which each comment is replaced by spaces. Comment marks inside strings are kept."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.lstrip()[:1] not in ("{", "[", "/"):
        return data

    def blank(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0])

    return _COMMENT.sub(blank, text).encode()


def _toml(name: str, data: bytes) -> Document:
    try:
        return Document(name, tomllib.loads(data.decode("utf-8-sig")), b"")
    except (ValueError, RecursionError):
        raise FatalError("syntax", "This is no TOML.", Where(name), "Correct the TOML, or name another file.") from None


def _found(value: JsonValue, where: Where, name: str, depth: int) -> Iterator[_Block]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _found(each, where.inside(index), name, depth + 1)
    if not isinstance(value, dict):
        return
    name = as_text(value.get("name")) or name
    if words := _words(value):
        variables = {
            **as_object(value.get("env")),
            **as_object(value.get("environment")),
            **as_object(value.get("envs")),
        }
        variables |= as_object(as_object(value.get("command")).get("env"))
        environ = {key: _text(each) for key, each in variables.items()}
        yield _Block(name, words, environ, as_text(value.get("cwd")), where)
        return
    for key, each in value.items():
        if key == "scripts":
            for script, line in as_object(each).items():
                if isinstance(line, str):
                    yield _Block(script, (line,), {}, "", where.inside("scripts", script))
        else:
            yield from _found(each, where.inside(key), name if key == "transport" else key, depth + 1)


def _words(block: JsonObject) -> tuple[str, ...]:
    """Return the command line of a server as a list of words; () if it has none. Clients write command lines in
    different forms.
    """
    command = block.get("command") or block.get("cmd")
    if isinstance(command, dict):
        block, command = command, command.get("path")
    first = [_text(each) for each in command] if isinstance(command, list) else [_text(command)] if command else []
    return tuple(first + [_text(each) for each in as_list(block.get("args"))]) if first else ()


def _text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else "" if value is None or isinstance(value, (dict, list)) else str(value)


def _variables(text: str) -> dict[str, str]:
    """Return the variables that a shell script or env file sets. References to variables set earlier are replaced by
    their values.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _ASSIGNMENT.fullmatch(line)
        words = programs.split(match[2]) if match else []
        if match and len(words) <= 1:
            found[match[1]] = _expanded(words[0] if words else "", found)
    return found


def _command_lines(name: str, text: str, environ: Mapping[str, str]) -> Iterator[tuple[list[str], Where]]:
    """Yield the words of each command, with its place. Continued lines are joined, and variables of `environ` are
    replaced by their values.
    """
    held, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        first = first if held else number
        if line.rstrip().endswith("\\"):
            held += line.rstrip()[:-1] + " "
            continue
        whole, held = held + line, ""
        if match := _LINE.fullmatch(whole):
            command = re.split(r"\s(?:&&|\|\||;|\||>)\s", f" {match[1]} ")
            for part in command:
                words = [_expanded(word, environ) for word in programs.split(part)]
                if words:
                    yield words, Where(name, "", first, 1)


def _expanded(text: str, environ: Mapping[str, str]) -> str:
    """Return a text with known variables replaced by their values. Unknown variables stay unchanged."""

    def put_in(found: re.Match[str]) -> str:
        known = environ.get(found[1] or found[3] or "")
        return known if known else found[2] if found[2] is not None else found[0]

    return _USED.sub(put_in, text)
