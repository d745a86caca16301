"""Decide which wings of the runtime (`wings.py`) a server gets: those that its tables need, and parts that its owner
chooses.

The tables decide: a field of their types (`tables/table.py` of the runtime) that only some servers have needs a wing. A
part is a name by which an owner chooses wings (`--parts`, `parts:` in the tools file).
"""

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from mcpgen.base.runtime import absent_parts, table
from mcpgen.emit.wings import PLAIN, WINGS
from mcpgen.model.options import ALL_PARTS, NO_PARTS, PARTS

PURPOSES = {
    "audit": "a line in a log for each call",
    "hooks": "your own code around calls; also added once `hooks.py` defines something",
    "http": "serve many clients over HTTP",
    "install": "the command `install`, for machines without mcpgen",
    "reach": "unix sockets, proxies with exceptions, constant header fields, secrets of commands",
    "reload": "load regenerated tools without a restart",
    "shell": "call tools from a shell",
    "telemetry": "metrics and traces",
}
"""Name of each part that no table needs → what it is for. Tables need `login`, `search` and `programs`."""

_WINGS_OF = {
    "http": absent_parts.FOLDERS_OF_HTTP,
    "reload": ("reload", "watching"),  # clients can watch texts that a reload changes
}
"""Name of a part → its wings. Any other part is the wing of its name."""

_TABLES = {"bindings.json": table.Table, "resources.json": table.Resources, "prompts.json": table.Prompts}
_TYPES = {field.partition(".")[0] for wing in WINGS for field in wing.fields}


def wings_of(chosen: Collection[str], tables: Mapping[str, bytes]) -> frozenset[str]:
    """Return the names of all wings of a server.

    `chosen`: the parts that its owner chose. `tables`: name → bytes of its JSON files.
    """
    needs = {wing.name: wing.needs for wing in WINGS}
    if ALL_PARTS in chosen:
        return frozenset(needs)
    wanted = [PLAIN, *needed(tables), *(wing for part in chosen for wing in wings_of_part(part))]
    found: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in needs and name not in found:
            found.add(name)
            wanted += needs[name]
    return frozenset(found)


def wings_of_part(part: str) -> tuple[str, ...]:
    return _WINGS_OF.get(part, (part,))


def parts_of(wings: Collection[str]) -> frozenset[str]:
    """Return the names of the parts whose wings are all among `wings`."""
    return frozenset(part for part in PARTS if all(wing in wings for wing in wings_of_part(part)))


def chosen(wanted: Iterable[str], *, deploy: bool, hooks: bool) -> tuple[str, ...]:
    """Return the parts that a project gets beside those that its tables need, sorted.

    `wanted`: the values of `--parts`. `deploy`: the project has files for deployment, which use HTTP and metrics.
    `hooks`: its hooks.py defines something.
    """
    if ALL_PARTS in wanted:
        return (ALL_PARTS,)
    implied = [*(("http", "telemetry") if deploy else ()), *(("hooks",) if hooks else ())]
    return tuple(sorted({*wanted, *implied} - {NO_PARTS}))


def needed(tables: Mapping[str, bytes]) -> list[str]:
    """Return the names of the wings that the tables need."""
    fields: set[str] = set()
    for name in _TABLES.keys() & tables.keys():
        _collect(json.loads(tables[name]), _TABLES[name], fields)
    return [wing.name for wing in WINGS if any(_is_met(field, fields) for field in wing.fields)]


def _is_met(field: str, fields: set[str]) -> bool:
    """Return True if the tables have the field of a need."""
    name, is_valued, text = field.partition("=")
    if not is_valued:
        return name in fields
    return any(each.partition("=")[0] == name and text in each.partition("=")[2] for each in fields)


def _collect(value: Any, kind: Any, found: set[str]) -> None:
    """Add each field in a value of a type of the tables: `TYPE.MEMBER`, and `TYPE.MEMBER=TEXT` for each text in it.

    Only the types are visited that can contain a field of a need.
    """
    if isinstance(value, list):
        for item in _items(kind):
            for inner in value:
                _collect(inner, item, found)
    elif isinstance(value, dict):
        for each in _objects(kind):
            if not is_typeddict(each):
                for inner in value.values():
                    _collect(inner, get_args(each)[1], found)
            elif each is kind or _fits(value, each):
                _collect_members(value, each, found)


def _collect_members(value: Mapping[str, Any], kind: Any, found: set[str]) -> None:
    """Add the fields of an object of type `kind`, and those of its members."""
    name, members = ("Header" if kind is table.Table else kind.__name__), _members(kind)
    for key, inner in value.items() if name in _TYPES else ():
        found.add(f"{name}.{key}")
        for text in inner.values() if isinstance(inner, dict) else (inner,):
            if isinstance(text, str):
                found.add(f"{name}.{key}={text}")
    for key in members.keys() & value.keys():
        _collect(value[key], members[key], found)


@cache
def _items(kind: Any) -> tuple[Any, ...]:
    """Return the types of the items, for a type of lists, or one with lists among its alternatives."""
    return tuple(get_args(each)[0] for each in _alternatives(kind) if get_origin(each) is list)


@cache
def _objects(kind: Any) -> tuple[Any, ...]:
    """Return the types of objects and of mappings that a type is, or has among its alternatives."""
    return tuple(each for each in _alternatives(kind) if is_typeddict(each) or get_origin(each) is dict)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _fits(value: Mapping[str, Any], kind: Any) -> bool:
    """Return True if an object has the members of a type, for a type among alternatives."""
    return is_typeddict(kind) and kind.__required_keys__ <= value.keys() <= _hints(kind).keys()


@cache
def _members(kind: Any) -> dict[str, Any]:
    """Return member → type, for the members of an object type that can contain a field of a need."""
    return {key: inner for key, inner in _hints(kind).items() if not _TYPES.isdisjoint(names_of_types(inner))}


_hints = cache(get_type_hints)  # once for each type, since it evaluates annotations for as long as a tool takes


def names_of_types(kind: Any) -> set[str]:
    """Return the names of all object types of the tables that a value of a type can contain."""
    found: set[str] = set()
    waiting = [kind]
    while waiting:
        each = waiting.pop()
        if not is_typeddict(each):
            waiting += get_args(each)
        elif each.__name__ not in found:
            found.add(each.__name__)
            waiting += _hints(each).values()
    return found
