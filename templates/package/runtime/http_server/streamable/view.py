# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Part of a catalog: only the tools and resources that some callers may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.catalog import Catalog, CatalogError
from . import scopes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ...tables.table import Resource
    from ...tables.words import Feature
    from .scopes import Requirement

_KEY = b'"callerScopes":'


class View(Catalog):
    """Part of a catalog for some callers. `whole`: the catalog.

    `size`: size of this view's tool list in bytes, or 0 if this view has all tools of the catalog.
    """

    private = True

    def __init__(self, whole: Catalog, names: Collection[str] | None = None, hidden: Collection[str] = ()) -> None:
        """Create a view with the tools `names`, or all if None, and without the resources at the URIs in `hidden`."""
        self.__dict__.update(whole.__dict__)
        self.whole = whole
        self._without_asking = []
        self.size = 0
        self._hidden_uris = frozenset(hidden)
        self._names: dict[str, None] = dict.fromkeys(whole.names() if names is None else names)
        if len(self._names) < len(whole.names()):
            self.tools = [b"[" + b",".join(self._entries()) + b"]"]
            self.size = len(self.tools[0])

    def _entries(self) -> Iterator[bytes]:
        """Yield the `tools/list` entries of this view. If descriptions state how many tools there are, only this view's
        tools are counted.
        """
        own = {} if self.listing is None else self.listing.entries(self)
        for name in self._names if self.listing is None else self.listing.names(self):
            yield own.get(name) or self._described.text(name)

    def is_alike(self, other: View) -> bool:
        """Return True if both views of a catalog have equal tools, hidden resources and reasons for refusals."""
        return (self._names, self._hidden_uris, self.withheld) == (other._names, other._hidden_uris, other.withheld)

    def names(self) -> list[str]:
        """Return the names of the tools, in the order of `tools/list`."""
        return list(self._names)

    def has(self, name: str) -> bool:
        """Return True if this part of the catalog has a tool of this name."""
        return name in self._names

    def entries(self, feature: Feature) -> list[Any]:
        """Return the entries of resources.json or prompts.json, without the resources that this view hides from its
        callers.
        """
        found = self.whole.entries(feature)
        if feature != "resources" or not self._hidden_uris:
            return found
        return [entry for entry in found if uri_of(entry) not in self._hidden_uris]

    def requirements(self) -> dict[str, Requirement]:
        """Return the scopes that callers need, by tool name. Tools that need no scopes are left out.

        Tools whose entry in `bindings.json` is damaged are left out too, since nobody can call them.
        """
        if not self.binds(_KEY):
            return {}
        found: dict[str, Requirement] = {}
        for name in self._names:
            try:
                required = scopes.requirement(self._bound.line(name)) if _KEY in self._bound.text(name) else ()
            except CatalogError:
                continue
            if required:
                found[name] = required
        return found

    def resource_requirements(self) -> dict[str, Requirement]:
        """Return the scopes that callers need, by URI or URI template of a resource.

        Return {} if resources.json is damaged, since then nobody can read a resource.
        """
        try:
            entries = [entry for entry in self.entries("resources") if "binding" in entry]
        except CatalogError:
            return {}
        found = {uri_of(entry): scopes.requirement(entry["binding"]) for entry in entries}
        return {uri: required for uri, required in found.items() if required}


def uri_of(entry: Resource) -> str:
    """Return the URI or URI template of a resource, given its entry in resources.json."""
    listed = entry["listed"]
    return listed.get("uri") or listed["uriTemplate"]
