# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Compare the files of the runtime with the digests in `SHA256SUMS` that mcpgen wrote next to them.

This detects accidental edits, not attackers: an attacker could also edit the digests or this module. A reviewer runs
`mcpgen regenerate --check` with a trusted mcpgen. A digest is the SHA-256 of a file with CRLF replaced by LF, since a
checkout may change line ends.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from importlib import machinery

SUMS = "SHA256SUMS"
MOST_NAMED = 10
"""Largest number of changed files that the line names."""

_RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_VERSION = re.compile(r"# mcpgen ([0-9A-Za-z.+-]{1,40})")
_ENTRY = re.compile(r"([0-9a-f]{64})  (.+)")


def describe(folder: str = _RUNTIME) -> str:
    """Return a line for `--doctor` that says which files of the runtime differ from what mcpgen wrote, if any."""
    try:
        version, recorded = _recorded(os.path.join(folder, SUMS))
    except (OSError, ValueError):
        return f"runtime: cannot be checked, since its {SUMS} is missing or damaged. `mcpgen regenerate` writes it."
    present = dict(_present(folder, recorded))
    changed = sorted(path for path in recorded.keys() | present.keys() if recorded.get(path) != present.get(path))
    if not changed:
        return f"runtime: no accidental edits (its files match SHA256SUMS of mcpgen {version})"
    named = ", ".join(ascii(path)[1:-1] for path in changed[:MOST_NAMED])
    more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
    return (
        f"runtime: changed since mcpgen {version} wrote it: {named}{more}. `mcpgen regenerate --overwrite` restores it."
    )


def _recorded(file: str) -> tuple[str, dict[str, str]]:
    """Return the version of mcpgen and the digest of each path, as recorded in `file`.

    Raise OSError if the file cannot be read, and ValueError if it is malformed.
    """
    with open(file, encoding="ascii") as opened:
        first, *lines = opened.read().splitlines()
    version, entries = _VERSION.fullmatch(first), [_ENTRY.fullmatch(line) for line in lines]
    if version is None or not entries or None in entries:
        raise ValueError(file)
    return version[1], {entry[2]: entry[1] for entry in entries if entry}


def _present(folder: str, recorded: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield path and digest of each existing file that is in `recorded`, or that Python could import from `folder`.

    `recorded`: path -> digest, as SHA256SUMS lists them.
    """
    imported = tuple(machinery.all_suffixes())
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            file = os.path.join(place, name)
            path = os.path.relpath(file, folder).replace(os.sep, "/")
            if path in recorded or name.endswith(imported):
                yield path, _digest(file)


def _digest(file: str) -> str:
    """Return the digest of a file; "" if the file cannot be read."""
    if not os.path.isfile(file):  # read only regular files, since reading a pipe would never end
        return ""
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read().replace(b"\r\n", b"\n")).hexdigest()
    except OSError:
        return ""
