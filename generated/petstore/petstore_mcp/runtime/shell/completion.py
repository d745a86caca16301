# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Shell completion for commands, for the arguments of `call`, and for the variables of `install --env`: create the
scripts for shells, and return the words that these scripts ask for.

Pure functions.
"""

from __future__ import annotations

import json

from ..commands.command_line import COMMANDS
from ..core.absent_parts import has
from ..settings.settings_table import SETTINGS
from ..text.sanitize import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..core.catalog import Catalog

SHELLS = ("bash", "zsh", "fish")
OWN_FLAGS = ("--help", "--json", "--list", "--output", "--raw", "--yes")

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


def script(shell: str, command: str) -> str:
    """Return the script that a shell evaluates so that it can complete the command."""
    text = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[shell]
    return text.format(command=command, function=command.replace("-", "_"))


def words(catalog: Catalog, given: Sequence[str]) -> list[str]:
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
        return _beginning([*known, *OWN_FLAGS], last)
    members: dict[str, Any] = catalog.tool(name).schema.get("properties", {})
    asked = members.get(before[-1][2:]) if before[-1].startswith("--") else None
    if asked is not None and not last.startswith("--"):
        values = asked.get("enum") or asked.get("items", {}).get("enum") or ()
        return _beginning(filter(_is_one_word, map(_written, values)), last)
    return _beginning([*(f"--{member}" for member in members), *OWN_FLAGS], last)


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
