# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement the commands `call` and `completion`.

`call TOOL --argument value` calls a tool and prints its result as JSON. Everything else is written to stderr. A
form that the server sends to its user is filled in from flags, else from the terminal.

Shell completion works for commands, for the arguments of `call`, and for the variables of `install --env`.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from ..commands.command_line import COMMANDS, show, table
from ..core.absent_parts import has
from ..core.stdio import EXIT_CONFIG, complain
from ..settings import settings as environment
from ..settings.settings_table import SETTINGS
from ..text.sanitize import brief, visible
from . import flags, own_server
from .flags import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..core.catalog import Catalog

SHELLS = ("bash", "zsh", "fish")
_OWN_FLAGS = ("--help", "--json", "--list", "--output", "--raw", "--yes")

# Enum values of a document are among the words, and must stay data on the command line. zsh and fish quote the words
# (fish: all but a `~`), bash needs `printf %q`. The last typed word is passed on without its quotes.
_BASH = """\
_{function}() {{
  local word typed=("${{COMP_WORDS[@]:1:COMP_CWORD}}")
  typed[COMP_CWORD-1]="${{typed[COMP_CWORD-1]//\\\\}}"
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <({command} completion words "${{typed[@]}}" 2>/dev/null)
}}
complete -o default -F _{function} {command}
"""
_ZSH = """\
#compdef {command}
_{function}() {{
  local -a found
  found=(${{(f)"$({command} completion words "${{(@Q)words[2,CURRENT]}}" 2>/dev/null)"}})
  compadd -- $found
}}
if [[ $funcstack[1] = _{command} ]]; then _{function}; else compdef _{function} {command}; fi
"""
_FISH = """\
complete -c {command} -f -a '({command} completion words (commandline -opc)[2..-1] (commandline -ct | string unescape) \
2>/dev/null | string match -v "~*")'
"""


class FormFiller:
    """Source of the user's values for the server's forms.

    `given` holds the values that flags have set. `read(text)` shows a text and returns the line that the user types.
    `read` is None if there is no terminal.
    """

    def __init__(self, given: dict[str, Any], read: Callable[[str], str] | None, say: Callable[[str], None]) -> None:
        self._given = given
        self._read = read
        self._say = say
        self.lacking: list[str] = []

    def fill(self, message: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        """Return the values for a form, from flags or else from the user. Return None if the user does not answer.

        The value of a flag is used for one form only, not for a later form with the same field.
        """
        fields, required = schema["properties"], schema.get("required", ())
        found = {name: self._given.pop(name) for name in fields if name in self._given}
        left = {name: field for name, field in fields.items() if name not in found}
        if self._read is None:
            self.lacking = [name for name in left if name in required and "default" not in left[name]]
            if self.lacking:
                self._say(message)
            return None if self.lacking else found
        if left:
            self._say(message)
        for name, field in left.items():
            typed = self._read(_prompt(name, field, name in required))
            if not typed and name in required and "default" not in field:
                return None
            if typed:
                found[name] = read_text(typed, field)
        return found


FAILED, USAGE = 1, 2

_SHOW_ALL = "250000 tokens"
"""Default limit for the size of a result. It is large, since a person and not a model reads the result."""

_HELP = """\
usage: {command} call [FLAGS] TOOL [--ARGUMENT VALUE ...]

Calls a tool and prints its result as JSON.

  {command} call --list [WORDS]    print the tools, or those whose name or title holds the words
  {command} call TOOL --help       print what the tool takes

Flags before TOOL, or behind it where the tool has no argument of that name:
  --json JSON       all arguments as one JSON object; @FILE reads a file, - reads stdin
  --yes             agree to what the tool asks before it is called
  -o, --output FILE write the result to a file, which must not exist
  --raw             print the text of the result as it is, and not as JSON
  --base-url URL    where the API is, as for the server itself
  --read-only       offer only the tools that change nothing

Exit codes: 0 done, 1 the tool failed or was refused, 2 wrong usage, 78 a setting is wrong.
"""
_TAKE_VALUE = {"--json": "json", "--output": "output", "-o": "output", "--base-url": "base_url"}
_ALONE = {"--yes": "yes", "--raw": "raw", "--read-only": "read_only", "--help": "help", "-h": "help", "--list": "list"}


class _Given:
    """Parsed command line of `call`: flags of the command itself, name of the tool, and the remaining words, which give
    the tool's arguments.
    """

    def __init__(self, words: list[str], members_of: Callable[[str], Any]) -> None:
        self.values: dict[str, str] = {}
        self.switches: set[str] = set()
        self.tool = ""
        self.rest: list[str] = []
        members: Any = {}
        left = list(words)
        while left:
            word = left.pop(0)
            flag, equals, value = word.partition("=")
            if flag in _TAKE_VALUE and flag[2:].replace("-", "_") not in members:
                if not equals and not left:
                    raise flags.Misused(f"{flag} needs a value.")
                self.values[_TAKE_VALUE[flag]] = value if equals else left.pop(0)
            elif word in _ALONE and word[2:].replace("-", "_") not in members:
                self.switches.add(_ALONE[word])
            elif not self.tool and not word.startswith("-") and "list" not in self.switches:
                self.tool, members = word, members_of(word)
            elif not self.tool and word.startswith("-"):
                raise flags.Misused(f"{word} is no flag of this command; arguments stand behind the name of the tool.")
            else:
                self.rest.append(word)
                if word.startswith("--") and not equals and left and not left[0].startswith("--"):
                    self.rest.append(left.pop(0))  # a value for the tool, even if it looks like a flag of `call`


def main(words: list[str], catalog: Catalog) -> int:
    """Run the command `call` or `completion`, and return the exit code."""
    command = f"{catalog.name}-mcp"
    loaded = environment.load(catalog, os.environ)
    loaded.apply(catalog)
    if words[0] == "completion":
        return _complete(words[1:], command, catalog)
    try:
        given = _Given(words[1:], lambda name: _schema(catalog, name).get("properties", {}))
        if "list" in given.switches:
            return _list(catalog, given.rest)
        if not given.tool:
            return show(_HELP.format(command=command).splitlines())
        given.tool = catalog.resolve_alias(given.tool)
        if given.tool not in catalog.names():
            raise flags.Misused(_no_tool(catalog, given.tool))
        if "help" in given.switches:
            described = {**catalog.described(given.tool), "inputSchema": _schema(catalog, given.tool)}
            return show([f"usage: {command} call {given.tool} [FLAGS]", "", *flags.usage(described)])
        arguments = flags.read_flags(given.rest, _schema(catalog, given.tool))
        if "json" in given.values:
            arguments = {**_json(given.values["json"]), **arguments}
    except flags.Misused as reason:
        complain(str(reason))
        return USAGE
    return _call(given, arguments, catalog, loaded.warnings)


def _schema(catalog: Catalog, name: str) -> Any:
    name = catalog.resolve_alias(name)
    return catalog.tool(name).schema if name in catalog.names() else {}


def _no_tool(catalog: Catalog, name: str) -> str:
    import difflib  # imported late: only needed if the tool's name is wrong

    near = difflib.get_close_matches(name.replace("-", "_"), list(catalog.names()), 3)
    return f"There is no tool {brief(name, 80)}." + (
        f" Did you mean {', '.join(near)}?" if near else " call --list shows all."
    )


def _complete(words: list[str], command: str, catalog: Catalog) -> int:
    """Print the completion script for a shell, or the completions of an unfinished command line."""
    if words[:1] == ["words"]:
        return show(_completions(catalog, words[1:]))
    if len(words) != 1 or words[0] not in SHELLS:
        complain(f"{command} completion: name a shell: {', '.join(SHELLS)}.")
        return USAGE
    return show(_completion_script(words[0], command).splitlines())


def _list(catalog: Catalog, words: list[str]) -> int:
    """Print the tools whose name or title contains all `words`. Return the exit code."""
    wanted = [word.casefold() for text in words for word in text.split()]
    rows: list[tuple[str, ...]] = [(name, catalog.tool(name).title) for name in catalog.names()]
    found = [row for row in rows if all(word in " ".join(row).casefold() for word in wanted)]
    if not found:
        complain("No tool has these words in its name or title.")
        return FAILED
    return show(table(found))


def _json(text: str) -> dict[str, Any]:
    """Return the tool arguments in the value of `--json`. Raise Misused if that is not a JSON object."""
    try:
        if text == "-":
            text = sys.stdin.read()
        elif text.startswith("@"):
            with open(text[1:], encoding="utf-8") as file:
                text = file.read()
        value = json.loads(text)
    except OSError as problem:
        raise flags.Misused(f"{brief(text[1:], 200)} cannot be read: {problem.strerror}.") from None
    except ValueError:
        raise flags.Misused("The value of --json is not JSON.") from None
    if not isinstance(value, dict):
        raise flags.Misused("The value of --json is not a JSON object.")
    return value


def _call(given: _Given, arguments: dict[str, Any], catalog: Catalog, warnings: list[str]) -> int:
    server_flags = ["--read-only"] if "read_only" in given.switches else []
    if "base_url" in given.values:
        server_flags += ["--base-url", given.values["base_url"]]
    level = f"{catalog.prefix}_LOG_LEVEL"
    usual = {f"{catalog.prefix}_MAX_RESULT": _SHOW_ALL, level: "error"}
    variables = {name: value for name, value in usual.items() if name not in os.environ}
    for warning in warnings if level in variables else ():
        complain(warning)  # at this level, the server does not log it
    binding = catalog.tool(given.tool).binding
    asked = {name for each in binding.get("ask", ()) for name in each.get("arguments", ())}
    answers = {name: arguments.pop(name) for name in asked & arguments.keys()}
    filler = FormFiller(answers, _read if _is_attended(given) else None, lambda text: _tell(f"{text}\n"))
    shown = _progress if sys.stderr is not None and sys.stderr.isatty() else None
    fills = "ask" in binding or _is_attended(given)  # a hook may ask the user, even if the tool has no `ask`
    terminal = own_server.Terminal(_ask_for(given), shown, filler.fill if fills else None)
    try:
        result = own_server.call(given.tool, arguments, server_flags, variables, terminal)
    except own_server.Unanswered as ended:
        if ended.code != EXIT_CONFIG:
            complain(str(ended))
        return ended.code if ended.code > 0 else FAILED
    if "error" in result:
        complain(brief(str(result["error"].get("message", "")), 500))
        return FAILED
    if result.get("isError"):
        _show_error(result)
        if filler.lacking:
            known = [f"--{name}" for name in filler.lacking if name in asked]
            way = f"answer by {', '.join(known)}" if known else "call it at a terminal"
            complain(f"Here nobody can be asked: {way}.")
        if terminal.ask is None and "confirm" in binding:
            complain("Here nobody can be asked: --yes agrees beforehand.")
        return FAILED
    return _write(result, given)


def _ask_for(given: _Given) -> Callable[[str, str], bool] | None:
    """Return a function that asks the user and returns the answer. Return None if there is nobody to ask."""
    if "yes" in given.switches:
        return lambda message, url: not url
    return _ask if _is_attended(given) else None


def _is_attended(given: _Given) -> bool:
    """Return True if a user sits at a terminal and can type an answer."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and given.values.get("json") != "-"


def _read(text: str) -> str:
    """Print `text` and return the line that the user types."""
    _tell(text)
    return sys.stdin.readline().strip()


def _ask(message: str, url: str) -> bool:
    """Show a question that the server asks its user, and return True if the user agrees.

    `url`: page for the user to open, or "".
    """
    _tell("\n".join(filter(None, [message, url])) + "\n")
    _tell("Press Enter once you are done. " if url else "Go on? [y/N] ")
    answer = sys.stdin.readline()
    return bool(answer) if url else answer.strip().casefold() in ("y", "yes")


def _progress(message: str) -> None:
    _tell(f"{brief(message, 200)}\n")


def _tell(text: str) -> None:
    """Write `text` to the user's terminal (stderr)."""
    sys.stderr.write(text)
    sys.stderr.flush()


def _show_error(result: dict[str, Any]) -> None:
    """Write the texts of an error result to stderr."""
    for block in result.get("content", ()):
        for line in str(block.get("text", "")).splitlines():
            complain(line)


def _write(result: dict[str, Any], given: _Given) -> int:
    """Print the result, or write it to the file of `--output`. Write notes to stderr. Return the exit code."""
    value, notes = _parts(result)
    for note in notes:
        complain(note)
    data = _bytes(result) if "output" in given.values else None
    if data is None:
        text = _text(result) if "raw" in given.switches else json.dumps(value, ensure_ascii=False, indent=2)
        if "output" not in given.values:
            return show(text.splitlines())
        data = f"{text}\n".encode()
    try:
        with open(given.values["output"], "xb") as file:
            file.write(data)
    except OSError as problem:
        complain(f"{brief(given.values['output'], 200)} cannot be written: {problem.strerror}.")
        return FAILED
    return 0


def _text(result: dict[str, Any]) -> str:
    return "\n".join(str(block["text"]) for block in result.get("content", ()) if block.get("type") == "text")


def _parts(result: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return the result as one JSON value, and lines of notes.

    The value is `structuredContent`; else the first text, parsed if it is JSON; else all content blocks. Further texts
    are notes, such as how to get the next page. So are links to the complete result, if the result was truncated.
    """
    blocks = result.get("content", [])
    texts = [str(block["text"]) for block in blocks if block.get("type") == "text"]
    notes = [line for text in texts[1:] for line in text.splitlines()]
    if "structuredContent" in result:
        return result["structuredContent"], notes
    if not texts or any(block.get("type") not in ("text", "resource_link") for block in blocks):
        return blocks, []
    links = [f"{block.get('name', '')}: {block['uri']}" for block in blocks if block.get("type") == "resource_link"]
    try:
        return json.loads(texts[0]), notes + links
    except ValueError:
        return texts[0], notes + links


def _bytes(result: dict[str, Any]) -> bytes | None:
    """Return the bytes of an image, a sound or a file, if the result has exactly one; else None."""
    found = [
        block.get("data") or block.get("resource", {}).get("blob")
        for block in result.get("content", ())
        if block.get("type") in ("image", "audio", "resource")
    ]
    return base64.b64decode(found[0]) if len(found) == 1 and found[0] else None


# -- fields of forms ---------------------------------------------------------------------------------------------------


def _prompt(name: str, field: dict[str, Any], required: bool) -> str:
    """Return the prompt for one field: its title, its choices and its default."""
    items = field.get("items", field)
    titled = {each["const"]: each["title"] for key in ("oneOf", "anyOf") for each in items.get(key, ())}
    choices = [f"{value} ({title})" for value, title in titled.items()] or items.get("enum", [])
    parts = [field.get("title") or name, f"[{', '.join(choices)}]" if choices else ""]
    parts.append("several, with commas between" if field["type"] == "array" else "")
    parts.append(f"default {field['default']}" if "default" in field else "" if required else "optional")
    return " ".join(filter(None, parts)) + ": "


# -- completion --------------------------------------------------------------------------------------------------------


def _completion_script(shell: str, command: str) -> str:
    """Return the script that a shell evaluates so that it can complete the command."""
    text = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[shell]
    return text.format(command=command, function=command.replace("-", "_"))


def _completions(catalog: Catalog, given: Sequence[str]) -> list[str]:
    """Return the words that can complete the last of the typed words `given`. That last word may be empty."""
    *before, last = given or [""]
    if not before:
        return _beginning((command for command, part in COMMANDS.items() if has(part)), last)
    if before[0] == "completion":
        return _beginning(SHELLS, last) if len(before) == 1 else []
    if before[0] == "install" and before[-1] == "--env":
        stdio = [row for row in SETTINGS if row.feature != "http" and has(row.part)]
        return _beginning((name for row in stdio for name in row.variables(catalog.prefix)), last)
    if before[0] != "call":
        return []
    tools = [word for word in before[1:] if not word.startswith("-")]
    known = catalog.names()
    name = next((word for word in tools if word in known), None)
    if name is None:
        return _beginning([*known, *_OWN_FLAGS], last)
    members: dict[str, Any] = catalog.tool(name).schema.get("properties", {})
    asked = members.get(before[-1][2:]) if before[-1].startswith("--") else None
    if asked is not None and not last.startswith("--"):
        values = asked.get("enum") or asked.get("items", {}).get("enum") or ()
        return _beginning(filter(_is_one_word, map(_written, values)), last)
    return _beginning([*(f"--{member}" for member in members), *_OWN_FLAGS], last)


def _written(value: Any) -> str:
    """Return a value as `call` reads the value of a flag: a string as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _is_one_word(value: str) -> bool:
    """Return True if a shell can show the value, and `call` reads the value as data.

    The scripts pass one word on each line. A value such as `--yes` would be a flag.
    """
    return visible(value) == value and "\n" not in value and not value.startswith("--")


def _beginning(found: Iterable[str], text: str) -> list[str]:
    return [word for word in found if word.startswith(text)]
