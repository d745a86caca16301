"""Find schemas by the names that `$self`, `$id`, `$anchor` and `$dynamicAnchor` give them.

See JSON Schema 2020-12, section 8.2, and OpenAPI 3.2, 4.1.2.1. A schema with an `$id` is a schema resource of its
own: references inside it are relative to it. Most documents use none of these keywords and are never walked.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urljoin

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.origins import LONGEST_URL
from mcpgen.read.document import Library

_WORDS = (b"$id", b"$anchor", b"$dynamicAnchor")
_DATA = frozenset({"example", "examples", "default", "enum", "const", "value"})
_MAPS = frozenset(
    {
        *("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "schemas"),
        *("responses", "parameters", "requestBodies", "headers", "callbacks", "links", "pathItems", "mediaTypes"),
        *("paths", "webhooks", "content", "encoding", "variables"),
    }
)
"""Keywords whose value is an object with keys chosen by an author, such as `properties`."""


@dataclass(frozen=True, slots=True)
class Resource:
    """Schema resource: a document, or a schema with an `$id`.

    `base`: its URI, or "". `anchors` and `dynamic`: `$anchor` and `$dynamicAnchor` → place inside the resource.
    """

    root: Where
    base: str = ""
    anchors: dict[str, Where] = field(default_factory=dict)
    dynamic: dict[str, Where] = field(default_factory=dict)


class Resources:
    """Index of the schema resources in the documents of `library`: whole documents, and schemas with an `$id`.

    A document is indexed when something in it is first looked up.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._of_file: dict[str, dict[str, Resource]] = {}
        self._by_uri: dict[str, Where] = {}
        self._embedded: dict[int, Where] = {}

    def around(self, where: Where) -> Resource:
        """Return the innermost schema resource that contains `where`. The document of `where` must have been read."""
        resources = self._in(where.file)
        if len(resources) == 1:
            return resources[""]
        pointer = where.pointer
        while pointer not in resources:
            pointer = pointer.rpartition("/")[0]
        return resources[pointer]

    def named(self, address: str, resource: Resource) -> Where | None:
        """Return the place of the resource that the URI `address` names. The URI is resolved against that of
        `resource`.

        Return None if no indexed document contains such a resource.
        """
        if not self._by_uri:
            return None
        return self._by_uri.get(_joined(resource.base, address))

    def anchored(self, root: Where, anchor: str) -> Where | None:
        """Return the place that `anchor` names in the schema resource that contains `root`, or None."""
        return self.around(root).anchors.get(anchor)

    def embedded(self, raw: JsonObject) -> Where | None:
        """Return the place of `raw` if it is a subschema with an `$id`, else None."""
        return self._embedded.get(id(raw)) if self._embedded else None

    def _in(self, file: str) -> dict[str, Resource]:
        """Return the schema resources in a file, as a dictionary: JSON Pointer of the resource's root → resource."""
        if file not in self._of_file:
            document = self._library.document(file)
            own = as_text(as_object(document.value).get("$self"))
            root = Resource(Where(file), _joined("", own) if own else "")
            found = [root]
            if any(word in document.data for word in _WORDS):
                found = self._indexed(document.value, root)
            self._of_file[file] = {resource.root.pointer: resource for resource in found}
            for resource in found:
                if resource.base:
                    self._by_uri.setdefault(resource.base, resource.root)
        return self._of_file[file]

    def _indexed(self, value: JsonValue, document: Resource) -> list[Resource]:
        """Return the schema resources in `value`, outer ones before inner ones."""
        found = [document]
        waiting: list[tuple[JsonValue, Where, Resource, bool]] = [(value, document.root, document, False)]
        while waiting:
            value, where, resource, is_map = waiting.pop()
            if isinstance(value, dict) and not is_map:
                resource = self._enter(value, where, resource, found)
            waiting.extend(
                (member, where.inside(key), resource, inner) for key, member, inner in _members(value, is_map)
            )
        return found

    def _enter(self, raw: JsonObject, where: Where, resource: Resource, found: list[Resource]) -> Resource:
        """Return the schema resource that begins with the schema `raw` (by its `$id`), else `resource`, which contains
        `raw`. Record the anchors of `raw`.
        """
        identifier = as_text(raw.get("$id"))
        if identifier.startswith("#"):
            resource.anchors.setdefault(identifier[1:], where)
        elif identifier:
            if where.pointer:
                resource = Resource(where, _joined(resource.base, identifier))
                found.append(resource)
                self._embedded[id(raw)] = where
            else:
                self._by_uri.setdefault(_joined(resource.base, identifier), where)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if anchor := as_text(raw.get(keyword)):
                resource.anchors.setdefault(anchor, where)
        if anchor := as_text(raw.get("$dynamicAnchor")):
            resource.dynamic.setdefault(anchor, where)
        return resource


def _members(value: JsonValue, is_map: bool) -> Iterator[tuple[str | int, JsonValue, bool]]:
    """Yield members of `value` that may hold a schema, as (key, member, True if the member is a map with free names,
    such as `properties`).
    """
    if isinstance(value, dict):
        for key, member in value.items():
            if is_map or not (key in _DATA or key.startswith("x-")):
                yield key, member, not is_map and key in _MAPS
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield index, item, False


def _joined(base: str, address: str) -> str:
    """Return the absolute URI of `address` without fragment. Invalid or overlong addresses are returned unchanged."""
    if len(base) + len(address) > LONGEST_URL:
        return address
    try:
        return urldefrag(urljoin(base, address)).url
    except ValueError:
        return address
