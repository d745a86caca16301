"""Read the command lines and environment variables of other MCP server programs, and return a `ForeignServer`.

A command line starts its program directly or through uvx, npx, docker, a shell or Python. One module for each program
then reads the flags as the program does, and names its tools.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcpgen.adopt.foreign import ForeignServer, Program
from mcpgen.adopt.programs import awslabs, generator, ivotoby
from mcpgen.base.diagnostics import Where

_PROGRAMS: tuple[tuple[Program, re.Pattern[str]], ...] = (
    (
        "awslabs",
        re.compile(r"awslabs[./-](?:[\w./-]*/)?openapi[_-]mcp[_-]server(?:\.server)?(?:\.exe)?(?:@.*|==.*|:.*)?"),
    ),
    ("ivotoby", re.compile(r"@ivotoby/openapi-mcp-server(?:@.*)?|mcp-openapi-server/bin/mcp-server\.js")),
    ("openapi-mcp-generator", re.compile(r"openapi-mcp-generator(?:@.*|\.cmd)?")),
)
_SCRIPT = re.compile(r"(.+\.py)(?::\w+)?")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that starts a known program: the arguments of the program, and its environment variables."""

    program: Program
    words: tuple[str, ...]
    environ: Mapping[str, str]
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A command line that starts a Python file."""

    path: str
    environ: Mapping[str, str]
    where: Where | None = None


def recognise(words: Sequence[str], environ: Mapping[str, str], where: Where | None = None) -> Command | Script | None:
    """Return the known MCP server that a command line starts, or None if there is none."""
    words, environ = list(words), dict(environ)
    while words and (words[0] in ("env", "export", "sudo", "exec") or _ASSIGNED.fullmatch(words[0])):
        if found := _ASSIGNED.fullmatch(words.pop(0)):
            environ[found[1]] = found[2]
    for index, word in enumerate(words[:-1]):
        if word in ("-c", "/c", "-lc") and len(words) == index + 2:
            return recognise(split(words[index + 1]), environ, where)
    for program, pattern in _PROGRAMS:
        if places := [index for index, word in enumerate(words) if _names(pattern, word)]:
            last = places[-1]
            return Command(program, tuple(words[last + 1 :]), environ | _of_container(words[:last]), where)
    for word in words:
        if (found := _SCRIPT.fullmatch(word)) and not word.startswith("-"):
            return Script(found[1], environ, where)
    return None


def server(command: Command) -> ForeignServer:
    read = {"awslabs": awslabs.read, "ivotoby": ivotoby.read, "openapi-mcp-generator": generator.read}
    return read[command.program](command.words, command.environ, command.where)


def split(text: str) -> list[str]:
    """Split a command line into words as a POSIX shell does; return no words if a quote is not closed."""
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return []


def _names(pattern: re.Pattern[str], word: str) -> bool:
    """Return True if a word of a command line names the program: its package, module, file or container image."""
    plain = word.replace("\\", "/")
    parts = plain.split("/")
    tails = ["/".join(parts[index:]) for index in range(len(parts))]
    return not word.startswith("-") and any(pattern.fullmatch(tail) for tail in tails)


def _of_container(words: Sequence[str]) -> dict[str, str]:
    """Return the variables that `docker run -e NAME=VALUE` sets."""
    found = {}
    for index, word in enumerate(words):
        text = words[index + 1] if word in ("-e", "--env") and index + 1 < len(words) else word.removeprefix("--env=")
        if text is not word and (match := _ASSIGNED.fullmatch(text)):
            found[match[1]] = match[2]
    return found
