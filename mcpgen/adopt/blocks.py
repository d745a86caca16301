"""Find the MCP servers in a client's configuration, which is JSON with comments, TOML or YAML, under any key."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.read.document import Document, load

# A string or a comment without its end takes the rest of the text, so that it is not read again and again.
_COMMENT = re.compile(r'"(?:[^"\\]++|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Block:
    """One server in a client's configuration: its name, command line, environment variables and working directory."""

    name: str
    words: tuple[str, ...]
    environ: dict[str, str]
    folder: str
    where: Where


def read(name: str, data: bytes) -> list[Block]:
    """Return all servers with a command in a client's configuration. Raises FatalError if the configuration cannot be
    parsed.
    """
    document = _toml(name, data) if name.endswith(".toml") else load(name, _plain(data), Diagnostics())
    blocks = list(_found(document.value, document.where(""), "", 0))
    if not document.text:
        return blocks
    positions = document.positions([block.where.pointer for block in blocks])
    return [_placed(block, positions[block.where.pointer]) for block in blocks]


def _placed(block: Block, position: tuple[int, int]) -> Block:
    line, column = position
    where = Where(block.where.file, block.where.pointer, line, column)
    return Block(block.name, block.words, block.environ, block.folder, where)


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
        return Document(name, tomllib.loads(data.decode("utf-8-sig")), "")
    except (ValueError, RecursionError):
        raise FatalError("syntax", "This is no TOML.", Where(name), "Correct the TOML, or name another file.") from None


def _found(value: JsonValue, where: Where, name: str, depth: int) -> Iterator[Block]:
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
        yield Block(name, words, environ, as_text(value.get("cwd")), where)
        return
    for key, each in value.items():
        if key == "scripts":
            for script, line in as_object(each).items():
                if isinstance(line, str):
                    yield Block(script, (line,), {}, "", where.inside("scripts", script))
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
