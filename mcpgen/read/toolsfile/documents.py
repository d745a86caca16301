"""Read `openapi:` of the tools file, a list of API documents. Each document and the file itself may have selectors and
overlays.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import DOCUMENT_PREFIX, clipped
from mcpgen.model import Change, Server
from mcpgen.model.selection import DEPRECATED, HINT, Selector, parse
from mcpgen.read.toolsfile import overrides, server

_KINDS = ("tag", "path", "method", "id")


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A path, a URL or a media type as the tools file writes it, with its place in the file."""

    text: str
    where: Where


@dataclass(frozen=True, slots=True)
class IncludedDocument:
    """An API description whose operations a tools file includes.

    `document`: empty if the entry names no document, which was reported. `servers`: replace the servers of the
    document. `unsecured`: the API needs no credentials.
    """

    document: PlacedText
    prefix: str = ""
    servers: tuple[Server, ...] = ()
    overlays: tuple[PlacedText, ...] = ()
    include: tuple[Selector, ...] = ()
    exclude: tuple[Selector, ...] = ()
    changes: tuple[Change, ...] = ()
    unsecured: bool = False


def read(
    value: JsonValue, where: Where, variables: server.Variables, diagnostics: Diagnostics
) -> tuple[IncludedDocument, ...]:
    """Return the entries of the `openapi` list at `where`. `variables`: declared variables, which base URLs may
    contain.
    """
    return tuple(
        _entry(entry, where.inside(index), variables, diagnostics)
        for index, entry in enumerate(as_list(value))
        if isinstance(entry, dict)
    )


def _entry(entry: JsonObject, where: Where, variables: server.Variables, diagnostics: Diagnostics) -> IncludedDocument:
    prefix = as_text(entry.get("prefix"))
    return IncludedDocument(
        PlacedText(as_text(entry.get("document")), where.inside("document")),
        prefix if DOCUMENT_PREFIX.fullmatch(prefix) else "",
        server.base_url(entry.get("base_url"), where.inside("base_url"), diagnostics, variables),
        named(entry, "overlays", where),
        selectors(entry, "include", where, diagnostics),
        selectors(entry, "exclude", where, diagnostics),
        overrides.read(entry.get("overrides"), where.inside("overrides"), diagnostics),
        entry.get("security") == "none",
    )


def named(entry: JsonObject, key: str, where: Where) -> tuple[PlacedText, ...]:
    """Return the texts in the list under `key`, with their places."""
    place = where.inside(key)
    names = enumerate(as_list(entry.get(key)))
    return tuple(PlacedText(name, place.inside(index)) for index, name in names if isinstance(name, str) and name)


def selectors(entry: JsonObject, key: str, where: Where, diagnostics: Diagnostics) -> tuple[Selector, ...]:
    """Return the selectors of operations in the list that `entry` has under `key`.

    `entry`: the root object of the tools file, or one of its entries for documents.
    """
    return tuple(_selectors(as_list(entry.get(key)), where.inside(key), diagnostics))


def _selectors(values: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[Selector]:
    for index, value in enumerate(values):
        place = where.inside(index)
        if isinstance(value, str):
            try:
                yield parse(value, place)
            except ValueError:
                diagnostics.add("invalid-value", f"'{clipped(value)}' is not a selector.", place, HINT)
        found = [(kind, wanted) for kind in _KINDS if (wanted := as_text(as_object(value).get(kind)))]
        if as_object(value).get(DEPRECATED) is True:
            found.append((DEPRECATED, ""))
        if found:
            yield Selector(tuple(found), place)
