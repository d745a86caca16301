"""Read and write `mcpgen.lock.json`, the record of the last run that wrote a project.

The lock file contains the source, the flags, the stored names and fingerprints (pins) of each tool, the points of
changed tools, and a digest of every emitted file. It contains no secrets, no times, and nothing about the machine.
Users commit the file and review its changes, so each fact is on its own line.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import mcpgen
from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, digest, without_empty
from mcpgen.base.names import SERVER_NAME, VERSION_NUMBER, WRITTEN_ARGUMENT_NAME, WRITTEN_TOOL_NAME
from mcpgen.base.tree import check_contained
from mcpgen.model import Identity
from mcpgen.model.options import ALL_PARTS, Options, read_options, recorded
from mcpgen.model.pins import NOTHING, Pin, Pins, Retired, Slot

NAME = "mcpgen.lock.json"
FORMAT = 2
_READ = (1, FORMAT)
"""Formats of lock files that can be read. In format 1 the entry of a tool was only its name."""


_WORDS = {True: "accepted", False: "not accepted"}


@dataclass(frozen=True, slots=True)
class Lock:
    """The contents of a lock file.

    `source` and the paths in `options` are relative to the project, or URLs; `options` always contain the server's
    name. `files`: path → SHA-256 of the contents. `version`: of the generated package. `compiler`: the version of
    mcpgen that wrote the lock file. `origins`: origin → True if it was accepted, as `mcpgen.base.origins` describes, or
    None in older lock files. `offered`: files that are written once, which the user may delete for good. `parts`: the
    chosen parts of the server, or None in lock files of projects whose owner has never chosen; these have all parts.
    `rebuilt`: True if the project had no lock file; `files` are then the files on disk, which may have been edited by
    hand.
    """

    source: str
    source_digest: str
    version: str
    options: Options
    promises: Pins = NOTHING
    files: Mapping[str, str] = field(default_factory=dict)
    compiler: str = mcpgen.__version__
    origins: Mapping[str, bool] | None = None
    offered: tuple[str, ...] = ()
    parts: tuple[str, ...] | None = None
    rebuilt: bool = False

    @property
    def package(self) -> str:
        return Identity(self.options.name or "", "", "").package

    @property
    def chosen(self) -> tuple[str, ...]:
        """Return the chosen parts. If the owner has never chosen, these are all parts."""
        return (ALL_PARTS,) if self.parts is None else self.parts


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return path → SHA-256 of the contents, in hexadecimal."""
    return {path: digest(data) for path, data in files.items()}


def dump(lock: Lock) -> bytes:
    """Return `lock` as the bytes of a lock file."""
    value: JsonObject = {
        "lock": FORMAT,
        "mcpgen": lock.compiler,
        "source": lock.source,
        "source_digest": lock.source_digest,
        "version": lock.version,
        "options": recorded(lock.options),
        **({} if lock.parts is None else {"parts": list[JsonValue](lock.parts)}),
        **({} if lock.origins is None else {"origins": _decided(lock.origins)}),
        "tools": {key: _entry(known) for key, known in sorted(lock.promises.tools.items())},
        "retired": {
            name: without_empty(operation=known.operation, id=known.id, by_hand=known.by_hand)
            for name, known in sorted(lock.promises.retired.items())
        },
        **without_empty(offered=lock.offered),
        "files": dict[str, JsonValue](sorted(lock.files.items())),
    }
    return (json.dumps(value, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def _decided(origins: Mapping[str, bool]) -> JsonObject:
    return {origin: _WORDS[accepted] for origin, accepted in sorted(origins.items())}


def _entry(known: Pin) -> JsonObject:
    """Return the entry of one tool in the lock file, without empty members."""
    return without_empty(
        name=known.name,
        by_hand=known.by_hand,
        id=known.id,
        arguments=_of_slots(known.arguments),
        renamed=_of_slots(known.renamed),
        former=_of_slots(known.former),
        constants=[*known.constants],
        shape=known.shape,
        words=known.words,
        surface=known.surface,
    )


def _of_slots(arguments: Mapping[Slot, str]) -> JsonObject:
    """Return `arguments` as a JSON object: the place and name of a parameter → the tool's argument, as in `{"query
    per_page": "per_page"}`.
    """
    return {f"{place} {wire}": name for (place, wire), name in sorted(arguments.items())}


def _slots(value: JsonValue) -> dict[Slot, str]:
    named = ((slot.partition(" "), as_text(name)) for slot, name in as_object(value).items())
    return {(place, wire): name for (place, _, wire), name in named if WRITTEN_ARGUMENT_NAME.fullmatch(name)}


def _known(value: JsonValue) -> Pin:
    if isinstance(value, str):
        return Pin(value)
    entry = as_object(value)
    texts = {key: as_text(entry.get(key)) for key in ("name", "id", "shape", "words", "surface")}
    arguments, renamed = _slots(entry.get("arguments")), _slots(entry.get("renamed"))
    former = _slots(entry.get("former"))
    return Pin(
        arguments=arguments,
        renamed=renamed,
        former=former,
        by_hand=entry.get("by_hand") is True,
        constants=tuple(name for name in as_list(entry.get("constants")) if isinstance(name, str)),
        **texts,
    )


def _tools(value: JsonValue) -> dict[str, Pin]:
    """Return operation key → pin (stored names of a tool). Leave out entries whose tool name is invalid or repeated,
    which merging lock files by hand can cause.
    """
    tools: dict[str, Pin] = {}
    names: set[str] = set()
    for key, known in ((key, _known(entry)) for key, entry in sorted(as_object(value).items())):
        if WRITTEN_TOOL_NAME.fullmatch(known.name) and known.name.casefold() not in names:
            tools[key] = known
            names.add(known.name.casefold())
    return tools


def _origins(value: JsonValue) -> dict[str, bool] | None:
    """Return origin → True if the project's owner accepted the origin.

    Only the exact word "accepted" counts. Merging lock files by hand may leave another text, which is no consent.
    """
    if value is None:
        return None
    return {origin: word == _WORDS[True] for origin, word in sorted(as_object(value).items())}


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(each for each in as_list(value) if isinstance(each, str))


def _retired(value: JsonValue) -> Retired:
    entry = as_object(value)
    return Retired(as_text(entry.get("operation")), as_text(entry.get("id")), entry.get("by_hand") is True)


_RESTORE = "Restore the lock file from version control, or update mcpgen."


def _without_repetition(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    """Return the JSON object of `pairs`.

    Raises ValueError for a repeated key, since one of its values would be lost.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _is_safe(value: JsonObject) -> bool:
    """Return True if the name, the versions and the paths are safe to use.

    A lock file may come with a repository of somebody else. Its version goes to clients, and its paths name files that
    mcpgen removes.
    """
    name = as_object(value.get("options")).get("name")
    if not all(VERSION_NUMBER.fullmatch(as_text(value.get(key)) or "0") for key in ("version", "mcpgen")):
        return False
    if not all(isinstance(value.get(key, {}), dict) for key in ("tools", "retired", "files", "origins")):
        return False
    try:
        for path in as_object(value.get("files")):
            check_contained(path)
            path.encode()
            if ".git" in path.casefold().split("/"):
                return False
    except ValueError:
        return False
    return isinstance(name, str) and SERVER_NAME.fullmatch(name) is not None


def load(data: bytes, file: str) -> Lock:
    """Return the lock in `data`, the contents of `file`. Raises FatalError if `data` is not a valid lock file, or has
    the format of a later mcpgen.
    """
    try:
        value: JsonValue = json.loads(data, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or value.get("lock") not in _READ or not _is_safe(value):
        message = f"This version of mcpgen cannot read the lock file {NAME}."
        raise FatalError("lock-unreadable", message, Where(file), _RESTORE)
    return Lock(
        source=as_text(value.get("source")),
        source_digest=as_text(value.get("source_digest")),
        version=as_text(value.get("version")) or "0.1.0",
        options=read_options(value.get("options")),
        promises=Pins(
            _tools(value.get("tools")),
            {
                name: _retired(known)
                for name, known in as_object(value.get("retired")).items()
                if WRITTEN_TOOL_NAME.fullmatch(name)
            },
        ),
        files={path: as_text(known) for path, known in as_object(value.get("files")).items()},
        compiler=as_text(value.get("mcpgen")),
        origins=_origins(value.get("origins")),
        offered=_texts(value.get("offered")),
        parts=_texts(value["parts"]) if "parts" in value else None,
    )
