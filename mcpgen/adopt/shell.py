"""Read command lines and variables in shell scripts, env files, and documentation with examples."""

import re
from collections.abc import Iterator, Mapping

from mcpgen.adopt.programs import commands
from mcpgen.base.diagnostics import Where

_LINE = re.compile(r"\s*(?:RUN\s|CMD\s|ENTRYPOINT\s|[$>]\s|-\s)?(.*)", re.DOTALL)
_ASSIGNMENT = re.compile(r"\s*(?:export\s+|ENV\s+|\$env:)?([A-Za-z_]\w*)\s*=\s*(.*)")
_USED = re.compile(r"\$\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|\$([A-Za-z_]\w*)")


def variables(text: str) -> dict[str, str]:
    """Return the variables that a shell script or env file sets. References to variables set earlier are replaced by
    their values.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _ASSIGNMENT.fullmatch(line)
        words = commands.split(match[2]) if match else []
        if match and len(words) <= 1:
            found[match[1]] = expanded(words[0] if words else "", found)
    return found


def lines(name: str, text: str, environ: Mapping[str, str]) -> Iterator[tuple[list[str], Where]]:
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
                words = [expanded(word, environ) for word in commands.split(part)]
                if words:
                    yield words, Where(name, "", first, 1)


def expanded(text: str, environ: Mapping[str, str]) -> str:
    """Return a text with known variables replaced by their values. Unknown variables stay unchanged."""

    def put_in(found: re.Match[str]) -> str:
        known = environ.get(found[1] or found[3] or "")
        return known if known else found[2] if found[2] is not None else found[0]

    return _USED.sub(put_in, text)
