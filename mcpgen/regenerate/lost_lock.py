"""Rebuild the lock file of a project that has lost it, from the project's JSON files.

These files have the names of all tools and arguments, the requests, the version and the accepted origins. The flags of
earlier runs and the names of removed tools are lost, and so are the digests by which edits by hand are noticed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.emit import OFFERED, parts_in
from mcpgen.lock import lockfile as locks
from mcpgen.lock.lockfile import Lock
from mcpgen.lower.inputs.slots import ACCOUNT, FIELDS, LOOKUP, REST, SERVER, WHOLE
from mcpgen.model import ITEMS
from mcpgen.model.options import Options
from mcpgen.model.pins import NOTHING, Pin, Pins, Slot
from mcpgen.pipeline import Project, compile_source
from mcpgen.read.fetch import Fetched
from mcpgen.read.openapi.paths import operation_key
from mcpgen.regenerate.diff import TABLES, Surface, of_tables
from mcpgen.regenerate.diff.surface import Listed
from mcpgen.regenerate.publish import present
from mcpgen.regenerate.publish.emitted import generated, packages
from mcpgen.regenerate.publish.present import git_last_version

_PLACES = {"path": "path", "query": "query", "querystring": "querystring", "headers": "header", "cookies": "cookie"}
"""Member of a binding → the place of its parameters in a slot."""

_ALL_PARTS = ("install", "login", "programs", "replicas", "search", "shell", "telemetry")
"""Folders of the runtime that only projects with all parts have together, such as those of older versions."""


def rebuilt(directory: Path) -> Lock | None:
    """Return a lock file for the project in `directory`, which has none.

    Return None if the directory has no generated package, or several, or one whose JSON files cannot be read.
    """
    found = packages(directory)
    if len(found) != 1:
        return None
    paths = {name: f"{found[0]}/{name}" for name in TABLES}
    tables = {name: data for name, path in paths.items() if (data := present(directory, path)) is not None}
    try:
        lock = _lock(of_tables(tables, {}))
        lock = locks.load(locks.dump(lock), locks.NAME)  # the JSON files come with a repository: check them as a lock
    except (KeyError, ValueError, RecursionError, FatalError):
        return None
    if lock.package != found[0]:
        return None
    written = {path: data for path in generated(directory) if (data := present(directory, path)) is not None}
    has_all = all(any(path.startswith(f"{lock.package}/runtime/{each}/") for path in written) for each in _ALL_PARTS)
    parts = None if has_all else parts_in(path.removeprefix(f"{lock.package}/") for path in written)
    return replace(lock, files=locks.digests(written), parts=parts, rebuilt=True)


def placed(fetched: Fetched, options: Options, project: Project) -> Project:
    """Return `project` with the pins of its rebuilt lock file under the keys that its operations have in the source.

    Only a compile knows these keys, because they may name the document or the path parameters. It also knows which
    names a person gave.
    """
    lock = project.lock
    if lock is None or not lock.rebuilt:
        return project
    compiled = compile_source(fetched, options, replace(project, lock=replace(lock, promises=NOTHING)))
    new = {
        tool.operation.key: f"{tool.name} {tool.operation.method} {tool.operation.path}"
        for tool in compiled.catalog.tools
    }
    old = {key: key for key in lock.promises.tools}
    found: dict[str, str] = {}
    for identify in (str, _request):
        after, before = _unique(new, identify), _unique(old, identify)
        pairs = {after[each]: before[each] for each in before if each in after}
        new = {key: said for key, said in new.items() if key not in pairs}
        old = {key: said for key, said in old.items() if key not in pairs.values()}
        found |= pairs
    gone = {operation_key(*_request(key).split(" ", 1)): key for key in old}
    pins = lock.promises.moved({**gone, **found}).tools
    derived = compiled.lock.promises.tools
    pins = {key: _completed(pin, derived[key]) if key in found else pin for key, pin in pins.items()}
    return replace(project, lock=replace(lock, promises=Pins(pins)))


def _completed(known: Pin, derived: Pin) -> Pin:
    """Return `derived`, the pin of a compile without pins, with the tool's name from `known`.

    If its arguments have other names, they are those of `known`, which were stored in earlier runs.
    """
    names = {**derived.arguments, **derived.renamed}
    is_same = {*names.values()} == {*known.arguments.values()} and all(
        known.arguments.get(slot, name) == name for slot, name in names.items()
    )
    found = derived if is_same else replace(derived, arguments=known.arguments, renamed={})
    return replace(found, name=known.name, by_hand=derived.by_hand and derived.name == known.name)


def _request(said: str) -> str:
    """Return method and path of a provisional key."""
    return said.partition(" ")[2]


def _unique(said: Mapping[str, str], identify: Callable[[str], str]) -> dict[str, str]:
    """Return what `identify` makes of a text of `said` → its key, without results that occur twice."""
    counts = Counter(map(identify, said.values()))
    return {identify(text): key for key, text in said.items() if counts[identify(text)] == 1}


def warning(directory: Path, lock: Lock) -> Diagnostic:
    """Return the warning that says what the rebuilt lock file `lock` does not know."""
    message = (
        f"{directory} has no {locks.NAME}, so the names of its tools and arguments were taken from its JSON files. "
        "The flags of earlier runs and the names of removed tools are not known."
    )
    hint = (
        f"If git has the lock file, bring it back with `{git_last_version(directory, locks.NAME)}` instead. "
        "Otherwise, give the flags of the first run again."
    )
    return Diagnostic("lock-rebuilt", message, hint, Where(str(directory / lock.package / "bindings.json")))


def _lock(surface: Surface) -> Lock:
    server = as_object(surface.header.get("server"))
    return Lock(
        source="",
        source_digest="",
        version=as_text(server.get("version")),
        options=Options(name=as_text(server.get("name"))),
        promises=Pins({f"{tool.name} {tool.request}": _pin(tool) for tool in surface.tools}),
        origins=dict.fromkeys(sorted(origins.accepted(surface.header)), True),
        offered=OFFERED,
    )


def _pin(tool: Listed) -> Pin:
    arguments = {slot: name for slot, name in _arguments(tool.binding) if isinstance(name, str)}
    wires = {name: wire for (_, wire), name in arguments.items()}
    for lookup in _objects(tool.binding, "lookups"):
        arguments[LOOKUP, wires.get(as_text(lookup.get("id")), "")] = as_text(lookup.get("argument"))
    return replace(tool.known, arguments=arguments)


def _arguments(binding: JsonObject) -> Iterator[tuple[Slot, JsonValue]]:
    """Yield each slot of a request, with the name of its argument, or None if no argument fills the slot."""
    for member, place in _PLACES.items():
        for entry in _objects(binding, member):
            yield (place, as_text(entry.get("name"))), entry.get("argument")
    body = as_object(binding.get("body"))
    yield WHOLE, body.get("argument")
    yield REST, body.get("rest")
    fields = [*_objects(body, "fields")]
    by_position = (*map(str, range(len(fields) - 1)), ITEMS) if body.get("encoding") == "multipart-items" else ()
    for key, entry in zip(by_position or [as_text(each.get("name")) for each in fields], fields, strict=False):
        yield ("body", key), entry.get("argument")
        yield ("filename", key), entry.get("filename")
        for header in _objects(entry, "headers"):
            yield ("part", f"{key}\n{as_text(header.get('name'))}"), header.get("argument")
    yield FIELDS, binding.get("fields")
    yield ACCOUNT, binding.get("account")
    for variable, argument in as_object(binding.get("variables")).items():
        yield (SERVER, variable), argument


def _objects(value: JsonObject, member: str) -> Iterator[JsonObject]:
    return (entry for entry in map(as_object, as_list(value.get(member))) if entry)
