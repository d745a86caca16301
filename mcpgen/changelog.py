"""CHANGELOG.md of a project goes on: the tree of each compile begins it anew, and here it gets the history that the
project has, with an entry where tools changed. No dates; what was edited by hand is carried along.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mcpgen import lock as locks
from mcpgen.emit.sinks import markdown_code, markdown_text
from mcpgen.jsonvalue import JsonValue, as_list, as_object, as_text, digest
from mcpgen.lock import Lock
from mcpgen.publish import present
from mcpgen.tree import FileTree

NAME = "CHANGELOG.md"

Tables = Mapping[str, tuple[JsonValue, JsonValue]]
"""Tool → what clients see of it, and what it sends."""


def continued(directory: Path, tree: FileTree, lock: Lock, previous: Lock | None) -> tuple[FileTree, Lock]:
    """`tree` and its `lock` with the history of the project in `directory`, which `previous` is the lock of.

    CannotGoOn where a file of the project cannot be read.
    """
    written = present(directory, NAME) if previous is not None else None
    if previous is None or written is None:
        return tree, lock
    before = _tables({path: present(directory, path) for path in previous.files if _is_table(path)})
    after = _tables({path: data for path, data in tree.items() if _is_table(path)})
    lines = _lines(before, after) if before and after else ""
    data = _appended(written, lines, lock.version) if lines else written
    lock = replace(lock, files={**lock.files, NAME: digest(data)})
    return FileTree({**tree, NAME: data, locks.NAME: locks.dump(lock)}), lock


def _is_table(path: str) -> bool:
    return path.count("/") == 1 and path.endswith(("/tools.json", "/bindings.json"))


def _tables(files: Mapping[str, bytes | None]) -> Tables | None:
    """What the two tables say; None where they cannot be read, so that nothing can be said of a change."""
    try:
        found = {path.split("/")[1]: json.loads(data) for path, data in files.items() if data is not None}
    except (ValueError, RecursionError):
        return None
    tools = {as_text(as_object(tool).get("name")): tool for tool in as_list(found.get("tools.json"))}
    rows = as_list(as_object(found.get("bindings.json")).get("bindings"))
    bindings = {as_text(as_object(row).get("name")): row for row in rows}
    return {name: (tool, bindings.get(name)) for name, tool in tools.items()}


def _lines(before: Tables, after: Tables) -> str:
    changes = (
        ("Added", after.keys() - before.keys()),
        ("Removed", before.keys() - after.keys()),
        ("Changed", {name for name in before.keys() & after.keys() if before[name] != after[name]}),
    )
    return "".join(f"- {what}: {', '.join(map(markdown_code, sorted(names)))}.\n" for what, names in changes if names)


def _appended(written: bytes, lines: str, version: str) -> bytes:
    """`written` with the entry at its end, under the heading of the version; once, also after a run that was killed."""
    text = written.rstrip(b"\n") + b"\n"
    if text.endswith(lines.encode()):
        return written
    heading = f"## {markdown_text(version)}".encode()
    headings = [line.rstrip() for line in text.splitlines() if line.startswith(b"## ")]
    if not headings or headings[-1] != heading:
        text += b"\n" + heading + b"\n\n"
    return text + lines.encode()
