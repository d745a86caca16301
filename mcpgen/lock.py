"""`mcpgen.lock.json`: what a project remembers of its last generation. Committed by the user, reviewed in diffs.

Where it came from, the flags that were given, the name that each operation has, and a digest of every emitted file. No
secrets, no times, nothing of the machine. One fact a line, so that a change of the API is a few lines of difference.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import mcpgen
from mcpgen.diagnostics import Where
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import JsonObject, JsonValue, as_object, as_text, digest
from mcpgen.names import SERVER_NAME
from mcpgen.options import Options, recorded, remembered
from mcpgen.tree import check_contained

NAME = "mcpgen.lock.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Lock:
    """`source` is relative to the project or a URL; so are the paths in `options`, which always hold the name. `tools`
    are operation key → name, `files` path → SHA-256.
    """

    source: str
    source_digest: str
    version: str
    options: Options
    tools: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Path → SHA-256 of its contents."""
    return {path: digest(data) for path, data in files.items()}


def dump(lock: Lock) -> bytes:
    """The bytes of the lock file."""
    value: JsonObject = {
        "lock": FORMAT,
        "mcpgen": mcpgen.__version__,
        "source": lock.source,
        "source_digest": lock.source_digest,
        "version": lock.version,
        "options": recorded(lock.options),
        "tools": dict[str, JsonValue](sorted(lock.tools.items())),
        "files": dict[str, JsonValue](sorted(lock.files.items())),
    }
    return (json.dumps(value, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def _is_safe(value: JsonObject) -> bool:
    """Whether the name and the paths can be used: a lock comes with a repository, and it names files to be removed."""
    name = as_object(value.get("options")).get("name")
    try:
        for path in as_object(value.get("files")):
            check_contained(path)
    except ValueError:
        return False
    return isinstance(name, str) and SERVER_NAME.fullmatch(name) is not None


def load(data: bytes, file: str) -> Lock:
    """The lock in `data`. CannotGoOn where it is not one, or was written by a later format."""
    try:
        value: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or value.get("lock") != FORMAT or not _is_safe(value):
        raise CannotGoOn(
            "lock-unreadable",
            f"{NAME} is not a lock file that this version of mcpgen reads.",
            Where(file),
            "Restore it from version control, or update mcpgen.",
        )
    return Lock(
        source=as_text(value.get("source")),
        source_digest=as_text(value.get("source_digest")),
        version=as_text(value.get("version")) or "0.1.0",
        options=remembered(value.get("options")),
        tools={key: as_text(name) for key, name in as_object(value.get("tools")).items()},
        files={path: as_text(known) for path, known in as_object(value.get("files")).items()},
    )
