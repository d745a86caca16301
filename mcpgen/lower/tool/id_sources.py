"""Find where an id comes from: the tool that lists the values of a parameter or body member.

The `number` in `/repos/{owner}/issues/{number}` comes from `GET /repos/{owner}/issues`, or from a search (`GET
/search/issues`, `POST /issues/search`). A `team_id` in a query or body comes from `GET /teams`, if that is the only
list of teams without required arguments. Otherwise it comes from the only search of teams. A model that knows the
source calls that tool and does not invent an id.
"""

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.names import words
from mcpgen.lower.inputs.bodies import BodyPlan
from mcpgen.lower.inputs.slots import Slot
from mcpgen.lower.schema.compose import Composer, types
from mcpgen.lower.tool import effects
from mcpgen.model import Operation
from mcpgen.naming.verbs import singular

_VARIABLE = re.compile(r"\{[^{}]*\}")
_LISTING = ("", "/search", ".json")
_SEARCHING = ("/search", "/query", "/filter")
"""Endings of paths of search operations: a GET, or a POST that only reads."""

_IDENTIFIES = frozenset(["id", "ids", "key", "uuid"])
_VAGUE = (["item"], ["key"], ["object"], ["record"], ["resource"])
"""Ambiguous nouns: the `key_id` of a secret is not one of the user's SSH keys."""

_SIMPLE = frozenset(["string", "integer", "number", "array", "null"])

_Paths = Mapping[tuple[str, str], Operation]
"""(document, path with empty variables, as in `/pets/{}`) → the operation with that path that lists or searches."""

Nouns = Mapping[tuple[str, str], Operation]
"""(document, singular noun) → the only operation that lists items of this noun and needs no arguments."""


@dataclass(frozen=True, slots=True)
class Producers:
    """For each argument that takes an id, the operation that lists the valid ids.

    - `parameters`: key of an operation → its parameter in path or query → key of the operation that lists the values.
    - `nouns`: noun → the operation that lists such items. This mapping gives the sources of ids in bodies: `pet_id`
      comes from a list of pets.
    """

    parameters: Mapping[str, Mapping[str, str]]
    nouns: Nouns

    def of(self, operation: Operation, plan: BodyPlan | None, composer: Composer) -> dict[Slot, str]:
        """Return the arguments of `operation` that take an id, each with the key of the operation that lists the ids.

        The result maps the slot (place in the request, parameter name) of an argument to that key. Members of a
        flattened body count, except the id of a new item, which the caller chooses.
        """
        parameters = self.parameters[operation.key]
        found: dict[Slot, str] = {
            (each.location, each.name): parameters[each.name]
            for each in operation.parameters
            if each.name in parameters and each.location in ("path", "query")
        }
        for name, schema in ((plan.properties if plan else None) or {}).items():
            source = self._of_member(operation, name)
            node, _ = composer.node(schema)
            if source and _SIMPLE.issuperset(types(node)) and "properties" not in node and _is_open(node):
                found["body", name] = source
        return found

    def _of_member(self, operation: Operation, name: str) -> str:
        """Return the key (such as `GET /teams`) of the operation that lists the ids for a body member. Return "" if
        there is no such operation, or more than one.
        """
        *noun, last = words(name) or [""]
        if noun in _VAGUE or last not in _IDENTIFIES - {"key"}:
            return ""
        if name in operation.template.variables:
            return self.parameters[operation.key].get(name, "") if noun else ""
        listing = _of_noun(operation, name, self.nouns)
        is_own = listing is not None and _collection(operation.path) == _collection(listing.path)
        return "" if listing is None or is_own else listing.key


# A model reads this text when it fills in the argument, and the tool's description stays short.
def find(operations: Iterable[Operation], listed: Container[str]) -> Producers:
    """Return, for each argument that takes an id, the operation that lists the valid ids.

    Only operations whose key is in `listed` count as such lists.
    """
    operations = list(operations)
    listings = {(each.document, _blank(each.path)): each for each in operations if _reads(each, listed)}
    searches = {(each.document, _blank(each.path)): each for each in operations if _searches(each, listed)}
    nouns = {**_by_noun(searches.values()), **_by_noun(listings.values())}
    parameters = {each.key: dict(_of_queries(each, nouns)) | dict(_of(each, listings, searches)) for each in operations}
    return Producers(parameters, nouns)


def _reads(operation: Operation, listed: Container[str]) -> bool:
    return operation.method == "GET" and operation.key in listed


def _searches(operation: Operation, listed: Container[str]) -> bool:
    is_search = operation.path.endswith(_SEARCHING) or operation.path.split("/")[-2:-1] == ["search"]
    if operation.method != "POST" or operation.key not in listed or not is_search:
        return False
    return effects.of_post(operation, {}) in ("reads", "looks")


def _by_noun(listings: Iterable[Operation]) -> Nouns:
    found: dict[tuple[str, str], list[Operation]] = {}
    for listing in listings:
        free = not any(each.required for each in listing.parameters) and not listing.template.variables
        if free and _lists(listing):
            said = [*words(_collection(listing.path).rpartition("/")[2].partition(".")[0])]
            if said:
                noun = "_".join([*said[:-1], singular(said[-1])])
                found.setdefault((listing.document, noun), []).append(listing)
    return {key: each[0] for key, each in found.items() if len(each) == 1}


def _collection(path: str) -> str:
    """Return the path of the collection that an operation lists or searches."""
    ending = next((each for each in _SEARCHING if path.endswith(each)), "")
    return path.removesuffix(ending)


def _of_queries(operation: Operation, nouns: Nouns) -> Iterable[tuple[str, str]]:
    for parameter in operation.parameters:
        listing = _of_noun(operation, parameter.name, nouns)
        if listing and parameter.location == "query" and _is_picked(operation, parameter.name, "query"):
            yield parameter.name, listing.key


def _of_noun(operation: Operation, name: str, nouns: Nouns) -> Operation | None:
    """Return the operation that lists the items to which the parameter `name` refers. Return None if there is none, or
    if it is `operation` itself.
    """
    *said, last = words(name) or [""]
    listing = nouns.get((operation.document, "_".join(said))) if last in _IDENTIFIES else None
    return None if listing is None or listing.key == operation.key else listing


def _of(operation: Operation, listings: _Paths, searches: _Paths) -> Iterable[tuple[str, str]]:
    for variable in _VARIABLE.finditer(operation.path):
        before, after = operation.path[: variable.start()], operation.path[variable.end() :]
        collection = before.rstrip("/")
        if not before.endswith("/") or collection.endswith("}") or (after and after[0] not in "/:#?."):
            continue
        if not _is_picked(operation, variable[0][1:-1]):
            continue
        parent, _, last = collection.rpartition("/")
        by_search = f"{parent}/search/{last}"
        ways = [(listings, path) for path in (*(collection + ending for ending in _LISTING), by_search)]
        ways += [(searches, path) for path in (*(collection + ending for ending in _SEARCHING), by_search)]
        for known, path in ways:
            listing = known.get((operation.document, _blank(path)))
            if listing is not None and listing.key != operation.key and _lists(listing):
                yield variable[0][1:-1], listing.key
                break


def _lists(listing: Operation) -> bool:
    """Return True if `listing`, a GET or a POST that searches, can list items. Deprecated operations do not count.

    The path of a GET must end in a plural, or have `search` as one of its last two segments.
    """
    *_, before, last = ["", *listing.path.split("/")]
    last = last.partition(".")[0]
    is_search = listing.method == "POST" or "search" in (before, last)
    return not listing.deprecated and (is_search or last.lower().endswith("s"))


def _is_picked(operation: Operation, name: str, location: str = "path") -> bool:
    """Return True if a parameter is an id, and its schema neither lists its values nor has the format of a date."""
    return _is_open(
        next((each.schema for each in operation.parameters if (each.location, each.name) == (location, name)), {})
    )


def _is_open(schema: JsonObject) -> bool:
    """Return True if a schema neither lists its values nor says that they are dates."""
    return not schema.keys() & {"enum", "const"} and not str(schema.get("format")).startswith("date")


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path)
