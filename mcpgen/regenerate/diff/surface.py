"""Describe a generated server for comparison, from its JSON files: everything that clients see and that requests
send.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.emit import features, parts
from mcpgen.emit.table import bindings_json, scheme, tools_json
from mcpgen.lock import fingerprint
from mcpgen.lock.lockfile import Lock
from mcpgen.lower.request.security import bind
from mcpgen.lower.workflows.resolve import METHOD as WORKFLOW
from mcpgen.model import (
    ANY_HEADER,
    API_KEY,
    BEARER,
    HTTP_SCHEMES,
    SETTING,
    Catalog,
    CredentialPlace,
    Login,
    SecurityScheme,
    UserFlow,
)
from mcpgen.model.pins import UNKNOWN, Pin
from mcpgen.read.openapi.paths import operation_key

TABLES = ("tools.json", "bindings.json", "resources.json", "prompts.json")
"""File names of the JSON tables of a generated package. The last two files exist only if they have entries."""

_TEXTS = {"basic": HTTP_SCHEMES["basic"], "header": ANY_HEADER, "setting": SETTING}
_PLACES: dict[str, CredentialPlace] = {"query": "query", "cookie": "cookie"}


@dataclass(frozen=True, slots=True)
class Listed:
    """One tool of a server that is compared.

    `key`: the key of its operation. `shown`: its entry in `tools/list`. `binding`: its entry in `bindings.json`.
    `promise`: its pin (stored names) from the lock file. `aliases`: other names by which the tool can be called.
    """

    name: str
    key: str
    shown: JsonObject
    binding: JsonObject
    roles: tuple[str, ...] = ()
    promise: Pin = UNKNOWN
    aliases: frozenset[str] = frozenset()

    @property
    def operation_id(self) -> str:
        return as_text(as_object(self.binding.get("operation")).get("id"))

    @property
    def known(self) -> Pin:
        """Return the pin: the tool's stored names, with the operationId and the fingerprint (a digest of the request).
        These two identify the operation after its path has changed.

        If the lock file has no fingerprint, it is computed from `bindings.json` and the tool's input schema.
        """
        told = self.promise.shape or fingerprint.shape(self.request, self.schema)
        return replace(self.promise, id=self.operation_id, shape=told)

    @property
    def path(self) -> str:
        """Return the path of the tool's operation, as the document writes it."""
        return as_text(as_object(self.binding.get("operation")).get("path"))

    @property
    def request(self) -> str:
        return f"{as_text(self.binding.get('method')) or WORKFLOW} {self.path}"

    @property
    def schema(self) -> JsonObject:
        return as_object(self.shown.get("inputSchema"))


# Tables are compared, because projects and documents then have the same form (docs/decisions/differences.md).
@dataclass(frozen=True, slots=True)
class Surface:
    """Description of a server for comparisons: everything that is compared.

    `header`: the header of `bindings.json`, with identity, servers, security schemes and roles. `resources` and
    `prompts`: the entries of `resources.json` and `prompts.json`. `parts`: the parts of the server, None if unknown.
    """

    header: JsonObject
    tools: tuple[Listed, ...]
    resources: tuple[JsonObject, ...] = ()
    prompts: tuple[JsonObject, ...] = ()
    parts: frozenset[str] | None = None

    @property
    def fetched(self) -> list[JsonObject]:
        """Return the request descriptions that belong to no tool: those for reading resources, and for fetching
        completion values.
        """
        found = [as_object(entry.get("binding")) for entry in self.resources]
        for entry in (*self.resources, *self.prompts):
            found += [as_object(as_object(each).get("binding")) for each in as_object(entry.get("completes")).values()]
        return found


def of_catalog(catalog: Catalog) -> Surface:
    """Describe a compiled server, given as its catalog, for comparisons, as a `Surface`."""
    tools, beside = tools_json(catalog), features.tables(catalog)
    known = {tool.operation.key: Pin(tool.name) for tool in catalog.tools}
    tables = {f"{name}.json": data for name, data in beside.items()}
    return of_tables({"tools.json": tools, "bindings.json": bindings_json(catalog, tools, beside), **tables}, known)


def of_project(files: Mapping[str, bytes], lock: Lock) -> Surface:
    """Describe the server of a project for comparisons, as a `Surface`, from its JSON files (TABLES) and its lock file.

    Raises the errors of `of_tables`.
    """
    wings = parts.wings_of(lock.chosen, files)
    return replace(of_tables(files, lock.promises.tools), parts=parts.parts_of(wings) & parts.PURPOSES.keys())


def of_tables(files: Mapping[str, bytes], known: Mapping[str, Pin]) -> Surface:
    """Describe a server for comparisons, as a `Surface`, from its JSON files (TABLES).

    `known`: operation key → pin (stored names of a tool), from the lock file. Raises ValueError or RecursionError if a
    file is not valid JSON, KeyError if a file is missing.
    """
    array = as_list(json.loads(files["tools.json"]))
    table = as_object(json.loads(files["bindings.json"]))
    rows = {as_text(as_object(row).get("name")): as_object(row) for row in as_list(table.get("bindings"))}
    roles, aliases = as_object(table.get("roles")), as_object(table.get("aliases"))
    keys = {promise.name: key for key, promise in known.items()}
    listed = []
    for shown in map(as_object, array):
        name = as_text(shown.get("name"))
        binding = rows.get(name, {})
        method, path = as_text(binding.get("method")), as_text(as_object(binding.get("operation")).get("path"))
        own = tuple(as_text(role) for role in as_list(roles.get(name)))
        key = keys.get(name) or operation_key(method, path)
        others = frozenset(alias for alias, tool in aliases.items() if tool == name)
        listed.append(Listed(name, key, shown, binding, own, known.get(key, Pin(name)), others))
    header = {key: value for key, value in table.items() if key != "bindings"}
    schemes = as_object(table.get("security"))
    header["security"] = {each: _as_data(each, as_object(entry)) for each, entry in schemes.items()}
    beside = [as_list(json.loads(files.get(name, b"[]"))) for name in ("resources.json", "prompts.json")]
    resources, prompts = (tuple(map(as_object, entries)) for entries in beside)
    return Surface(header, tuple(listed), resources, prompts)


def _as_data(name: str, entry: JsonObject) -> JsonObject:
    """Return a security scheme as format 2 of `bindings.json` describes it. `entry`: its entry in any format.

    Format 1 had a word for the kind of a scheme.
    """
    if "ways" in entry:
        return entry
    kind = as_text(entry.get("type"))
    fields = as_object(as_object(entry.get("login")).get("fields"))
    read = SecurityScheme(
        name,
        _TEXTS.get(kind, API_KEY if "in" in entry else BEARER),
        _PLACES.get(as_text(entry.get("in")), "header"),
        as_text(entry.get("name")) or ("" if kind == "header" else "Authorization"),
        token_url=as_text(entry.get("tokenUrl")),
        discovery_url=as_text(entry.get("openIdConnectUrl")),
        login=Login("", tuple((each, as_text(as_object(fields[each]).get("role")), "") for each in fields), "")
        if "login" in entry
        else None,
        user=UserFlow() if "user" in entry else None,
    )
    variables = {role: as_text(variable) for role, variable in as_object(entry.get("variables")).items()}
    kept: JsonObject = {key: entry[key] for key in ("login", "user") if key in entry}
    return {**scheme(bind(read, variables)), **kept}
