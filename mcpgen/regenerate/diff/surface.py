"""What is compared: all that a client sees and all that is sent, as the tables of a generated server say it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.emit import features
from mcpgen.emit.table import bindings_json, tools_json
from mcpgen.lock import fingerprint
from mcpgen.model import Catalog
from mcpgen.model.pins import UNKNOWN, Promise
from mcpgen.read.openapi.paths import operation_key

TABLES = ("tools.json", "bindings.json", "resources.json", "prompts.json")
"""The tables of a package, of which the last two are there where they hold anything."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One tool: what clients are told of it, what it sends, which operation it is, and what it is recognised by."""

    name: str
    key: str
    shown: JsonObject
    binding: JsonObject
    roles: tuple[str, ...] = ()
    promise: Promise = UNKNOWN

    @property
    def operation_id(self) -> str:
        return as_text(as_object(self.binding.get("operation")).get("id"))

    @property
    def known(self) -> Promise:
        """What it is recognised by: as a lock says, or as far as the tables tell."""
        told = self.promise.shape or fingerprint.shape(self.request, self.schema)
        return replace(self.promise, id=self.operation_id, shape=told)

    @property
    def path(self) -> str:
        """The path as the document writes it."""
        return as_text(as_object(self.binding.get("operation")).get("path"))

    @property
    def request(self) -> str:
        return f"{as_text(self.binding.get('method'))} {self.path}"

    @property
    def schema(self) -> JsonObject:
        return as_object(self.shown.get("inputSchema"))


# Decision 0141: A difference is of the tables.
@dataclass(frozen=True, slots=True)
class Surface:
    """A whole server. `header` is the first part of `bindings.json`: identity, servers, security schemes, roles.
    `resources` and `prompts` are the entries of their tables, where it has any.
    """

    header: JsonObject
    tools: tuple[Listed, ...]
    resources: tuple[JsonObject, ...] = ()
    prompts: tuple[JsonObject, ...] = ()


def of_catalog(catalog: Catalog) -> Surface:
    """The surface of what was compiled."""
    tools, beside = tools_json(catalog), features.tables(catalog)
    known = {tool.operation.key: Promise(tool.name) for tool in catalog.tools}
    tables = {f"{name}.json": data for name, data in beside.items()}
    return of_tables({"tools.json": tools, "bindings.json": bindings_json(catalog, tools, beside), **tables}, known)


def of_tables(files: Mapping[str, bytes], known: Mapping[str, Promise]) -> Surface:
    """The surface that the TABLES of a package describe; `known` (operation key → promise) is what a lock says of it.

    ValueError or RecursionError for what is no JSON; KeyError where there are no tools.
    """
    array = as_list(json.loads(files["tools.json"]))
    table = as_object(json.loads(files["bindings.json"]))
    rows = {as_text(as_object(row).get("name")): as_object(row) for row in as_list(table.get("bindings"))}
    roles = as_object(table.get("roles"))
    keys = {promise.name: key for key, promise in known.items()}
    listed = []
    for shown in map(as_object, array):
        name = as_text(shown.get("name"))
        binding = rows.get(name, {})
        method, path = as_text(binding.get("method")), as_text(as_object(binding.get("operation")).get("path"))
        own = tuple(as_text(role) for role in as_list(roles.get(name)))
        key = keys.get(name) or operation_key(method, path)
        listed.append(Listed(name, key, shown, binding, own, known.get(key, Promise(name))))
    header = {key: value for key, value in table.items() if key != "bindings"}
    beside = [as_list(json.loads(files.get(name, b"[]"))) for name in ("resources.json", "prompts.json")]
    resources, prompts = (tuple(map(as_object, entries)) for entries in beside)
    return Surface(header, tuple(listed), resources, prompts)
