"""Where an id comes from: the tool that lists what a parameter of a path or a query picks one of.

`/repos/{owner}/issues/{number}` picks one of what `GET /repos/{owner}/issues` lists, or a search finds
(`GET /search/issues`). A query's `team_id` is one of what `GET /teams` lists, where that is the one list of teams that
can be called without knowing anything else. Models that are told so ask for an id instead of making one up.
"""

import re
from collections.abc import Container, Iterable, Mapping

from mcpgen.lower.inflection import singular
from mcpgen.model import Operation
from mcpgen.names import words

_VARIABLE = re.compile(r"\{[^{}]*\}")
_LISTING = ("", "/search", ".json")
_IDENTIFIES = frozenset(["id", "ids", "key", "uuid"])


def of_parameters(operations: Iterable[Operation], listed: Container[str]) -> dict[str, dict[str, str]]:
    """Key of an operation → path parameter → key of the operation that lists its values, which is one of `listed`."""
    reading = (each for each in operations if each.method == "GET" and each.key in listed)
    listings = {(each.document, _blank(each.path)): each for each in reading}
    nouns = _by_noun(listings.values())
    return {each.key: dict(_of_queries(each, nouns)) | dict(_of(each, listings)) for each in operations}


def _by_noun(listings: Iterable[Operation]) -> dict[tuple[str, str], Operation]:
    """Document and noun, in the singular → the one operation that lists it and needs nothing to be called."""
    found: dict[tuple[str, str], list[Operation]] = {}
    for listing in listings:
        free = not any(each.required for each in listing.parameters) and not listing.template.variables
        if free and _lists(listing, listing.path):
            said = [*words(listing.path.removesuffix("/search").rpartition("/")[2].partition(".")[0])]
            if said:
                noun = "_".join([*said[:-1], singular(said[-1])])
                found.setdefault((listing.document, noun), []).append(listing)
    return {key: each[0] for key, each in found.items() if len(each) == 1}


def _of_queries(operation: Operation, nouns: Mapping[tuple[str, str], Operation]) -> Iterable[tuple[str, str]]:
    for parameter in operation.parameters:
        *said, last = words(parameter.name) or [""]
        listing = nouns.get((operation.document, "_".join(said)))
        if listing is None or listing.key == operation.key or last not in _IDENTIFIES:
            continue
        if parameter.location == "query" and _is_picked(operation, parameter.name, "query"):
            yield parameter.name, listing.key


def _of(operation: Operation, listings: Mapping[tuple[str, str], Operation]) -> Iterable[tuple[str, str]]:
    for variable in _VARIABLE.finditer(operation.path):
        before, after = operation.path[: variable.start()], operation.path[variable.end() :]
        collection = before.rstrip("/")
        if not before.endswith("/") or collection.endswith("}") or (after and after[0] not in "/:#?."):
            continue
        if not _is_picked(operation, variable[0][1:-1]):
            continue
        parent, _, last = collection.rpartition("/")
        for path in (*(collection + ending for ending in _LISTING), f"{parent}/search/{last}"):
            listing = listings.get((operation.document, _blank(path)))
            if listing is not None and listing.key != operation.key and _lists(listing, path):
                yield variable[0][1:-1], listing.key
                break


def _lists(listing: Operation, path: str) -> bool:
    """Whether the answer can be what one picks from: a path that ends in a plural or in a search."""
    *_, before, last = ["", *path.split("/")]
    last = last.partition(".")[0]
    return not listing.deprecated and ("search" in (before, last) or last.lower().endswith("s"))


def _is_picked(operation: Operation, name: str, location: str = "path") -> bool:
    """Whether a parameter is an id, and no value that its schema lists or describes itself."""
    schema = next((each.schema for each in operation.parameters if (each.location, each.name) == (location, name)), {})
    return not schema.keys() & {"enum", "const"} and not str(schema.get("format")).startswith("date")


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path)
