"""Read from mcpgen's changelog what each version changes in generated projects."""

import re

from mcpgen.base import assets

SECTION = "### In generated projects"
_HEADING = re.compile(r"## (\d+(?:\.\d+)*)")


def between(before: str, after: str) -> list[str]:
    """Return the sentences about versions later than `before`, up to `after`, the newest version first."""
    told: list[str] = []
    version, within = "", False
    for line in assets.changelog().read_text(encoding="utf-8").splitlines():
        if found := _HEADING.match(line):
            version, within = found[1], False
        elif line.startswith("### "):
            within = line.strip() == SECTION and _number(before) < _number(version) <= _number(after)
        elif within and line.startswith("- "):
            told.append(line.removeprefix("- ").strip())
        elif within and line.startswith("  ") and told:
            told[-1] += f" {line.strip()}"
    return told


def is_newer(version: str, than: str) -> bool:
    """Return True if `version` of mcpgen is later than the version `than`."""
    return _number(version) > _number(than)


def _number(version: str) -> tuple[int, ...]:
    found = re.match(r"\d{1,9}(?:\.\d{1,9}){0,5}(?!\d)", version)
    return tuple(map(int, found[0].split("."))) if found else ()
