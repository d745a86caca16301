"""The name of a tool, from its operation alone: neither order nor neighbours change it, but for collisions.

1. A usable operationId is cleaned: what frameworks append is cut (FastAPI's path, Springfox's `UsingGET`, NestJS's
   `Controller`), the rest split into words in the vendor's order, which the vendor's own documentation shows.
2. An id that only transcribes method and path is treated as missing.
3. Without an id the path names the tool: the verb from an action segment (`/refund`), the summary or the method
   (`verbs`), nouns from the static segments.
4. A name over 50 characters loses what says least (`shortening`).
5. Collisions are settled by what distinguishes the operations (a path parameter, a version, the method), never by a
   counter.
"""

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen.lower import verbs
from mcpgen.lower.shortening import LONGEST, shortened
from mcpgen.model import Operation
from mcpgen.names import TOOL_NAME, distinct, short_hash, words
from mcpgen.promises import Promises

_MOST_SEGMENTS, _LONGEST_ID = 50, 1000
"""Limits of a path (in segments) and of an operationId (in characters) for taking off what a framework appended.

The search takes time in the square of both; no framework makes longer ones.
"""

_METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "query"}
_FRAMEWORK = re.compile(r"Using(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)(?:_\d+)?$")
PREFIX_SEGMENT = re.compile(r"api|rest|v\d+(?:\.\d+)*|\d+(?:\.\d+)+|v\{[^{}]*\}", re.IGNORECASE)
"""Segments of a path that say where an API lies, or which version of it this is."""

_VARIABLE = re.compile(r"\{[^{}]*\}")
_IN_IE = frozenset(["calorie", "cookie", "genie", "lie", "movie", "pie", "selfie", "tie", "zombie"])
_IRREGULAR: dict[str, str] = dict(
    re.findall(
        r"(\w+)=(\w+)",
        """
        analyses=analysis atlas=atlas axes=axis bias=bias caches=cache canvas=canvas gas=gas headaches=headache
        heroes=hero indices=index kubernetes=kubernetes lens=lens matrices=matrix vertices=vertex
        """,
    )
)
_AS_ONE = frozenset(["add", "create", "insert", "register"])
"""Verbs that take one thing, whatever collection they put it into."""


def assign(operations: Iterable[Operation], promises: Promises, api_title: str) -> dict[str, str]:
    """Key → name for every operation. A promised name is kept, and never derived for another one, also once it is no
    longer in use; a person may give it to another one.
    """
    operations = list(operations)
    kept, owners = promises.kept, promises.owners
    named = {each.key: each.name for each in operations if each.name and not _is_foreign(each, owners)}
    given = {name.casefold() for name in named.values()}
    known = {each.key: kept[each.key] for each in operations if each.key in kept and each.key not in named}
    named |= {key: name for key, name in known.items() if name.casefold() not in given}
    taken = {name.casefold() for name in named.values()}
    wanted: dict[str, list[Operation]] = {}
    for operation in operations:
        if operation.key not in named:
            wanted.setdefault(derive(operation, api_title), []).append(operation)
    for name, members in sorted(wanted.items()):
        are_versions = len({tuple(_versions(member)) for member in members}) > 1
        for operation in sorted(members, key=_precedence):
            candidates = itertools.chain([name], _distinctions(name, operation, are_versions))
            free = _Taken(taken, owners, operation.key)
            named[operation.key] = distinct(candidates, _within(name, LONGEST - 9), operation.key, free)
            taken.add(named[operation.key])
    return named


def _is_foreign(operation: Operation, owners: Mapping[str, frozenset[str]]) -> bool:
    """Whether a document, and no person, gives a name that belongs to other operations."""
    name = operation.name or ""
    by_document = operation.extension.get("name") == name
    return by_document and not owners.get(name.casefold(), frozenset()) <= {operation.key}


@dataclass(frozen=True, slots=True)
class _Taken:
    """The names that the operation `key` cannot have: those in use, and those that belong to others."""

    used: set[str]
    owners: Mapping[str, frozenset[str]]
    key: str

    def __contains__(self, name: object) -> bool:
        return name in self.used or not self.owners.get(str(name), frozenset()) <= {self.key}


def _precedence(operation: Operation) -> tuple[int, str, str, str]:
    return operation.path.count("/"), operation.path, operation.method, operation.key


def _distinctions(name: str, operation: Operation, are_versions: bool) -> Iterable[str]:
    """Names that tell `operation` from others that would have the same name, the plainest first; `are_versions` says
    that some are of other versions.
    """
    suffixes = _versions(operation) if are_versions else []
    if asked := _asked(operation):
        suffixes.append("by_" + "_".join(asked))
    if operation.template.variables:
        suffixes.append("by_" + "_".join(words(operation.template.variables[-1])))
    suffixes.append(operation.method.lower())
    for suffix in suffixes:
        candidate = f"{name}_{suffix}"
        if TOOL_NAME.fullmatch(candidate) and "__" not in candidate:
            yield candidate
    yield _prefixed(_from_path(operation), operation)
    for length in (4, 8, 12):
        yield f"{_within(name, LONGEST - 1 - length)}_{short_hash(operation.key, length)}"


def _within(name: str, limit: int) -> str:
    """As many whole words of `name` as fit, or its beginning where not even one does."""
    if len(name) <= limit:
        return name
    whole, _, _ = name[: limit + 1].rpartition("_")
    return whole or name[:limit]


def _versions(operation: Operation) -> list[str]:
    return [segment.lower() for segment in operation.path.split("/") if re.fullmatch(r"v\d+", segment, re.IGNORECASE)]


def derive(operation: Operation, api_title: str) -> str:
    """The name of one operation before collisions, matching TOOL_NAME without `__`."""
    found = _from_id(operation, operation.api_title or api_title) or _from_path(operation)
    return _prefixed(found, operation)


def _prefixed(found: list[str], operation: Operation) -> str:
    """A legal name of `found`, behind the prefix of its document, for which the rest makes room."""
    if not operation.prefix:
        return shortened(found, operation.key)
    return f"{operation.prefix}_{shortened(found, operation.key, LONGEST - len(operation.prefix) - 1)}"


def _from_id(operation: Operation, api_title: str) -> list[str]:
    identifier = without_framework(operation.id or "", operation)
    found = words(identifier)
    if len(found) > 2 and found[0] == "".join(words(api_title)):
        found = found[1:]
    if (
        not found
        or _is_transcript(found, operation)
        or (len(found) == 1 and (len(found[0]) < 3 or found[0] in _METHODS))
    ):
        return []
    return found


def without_framework(identifier: str, operation: Operation) -> str:
    """Return the identifier without the path, method or suffix that a framework has appended to it."""
    segments = operation.path.strip("/").split("/")
    is_short = len(segments) <= _MOST_SEGMENTS and len(identifier) <= _LONGEST_ID
    for skipped in range(len(segments) if is_short else 0):
        rest = "/" + "/".join(segments[skipped:])
        for path in (rest + "/" * operation.path.endswith("/"), rest):
            suffix = re.sub(r"\W", "_", path) + "_" + operation.method.lower()
            rest_of_id = identifier.removesuffix(suffix)
            if rest_of_id in ("", identifier):
                continue
            if skipped == 0 or not _goes_on(words(rest_of_id), words(segments[skipped - 1])):
                return rest_of_id
    identifier = _FRAMEWORK.sub("", identifier)
    return re.sub(r"Controller(?=[_.])", "", identifier)


def _goes_on(rest_of_id: list[str], segment: list[str]) -> bool:
    """Whether the path went on to the left of what was cut, so that it was no suffix but a part of a transcript."""
    return len(rest_of_id) < 2 or rest_of_id[-len(segment) :] == segment


def _is_transcript(found: list[str], operation: Operation) -> bool:
    """Whether an id only writes method and path down again; then the path names the operation better."""
    if found[0] not in _METHODS or len(found) < 2:
        return False
    segments = [segment for segment in operation.path.split("/") if segment]
    said, tail = (
        [*map(_singular, found[1:])],
        [segment for segment in segments if not PREFIX_SEGMENT.fullmatch(segment)],
    )
    if said == [_singular(word) for segment in tail for word in words(segment)]:
        return True
    in_path = {_singular(word) for word in words(operation.path)} | ({"id"} if operation.template.variables else set())
    return len(found) > len(segments) and in_path.issuperset(said)


def _from_path(operation: Operation) -> list[str]:
    segments = _segments(operation.path)
    custom: list[str] = []
    if segments and re.search(r"[}\w]:[A-Za-z]\w*$", segments[-1]):
        segments[-1], _, action = segments[-1].rpartition(":")
        custom = words(action)
    on_item = bool(segments) and "{" in segments[-1]
    nouns: list[list[str]] = []
    for segment, following in itertools.pairwise([*segments, ""]):
        if parts := words(_VARIABLE.sub(" ", segment)):
            of_item = "{" in following or "{" in segment
            nouns.append([*parts[:-1], _singular(parts[-1])] if of_item else parts)
    verb = custom or _action(nouns, operation, on_item)
    flat = [word for noun in nouns for word in noun if noun != verb] or [word for noun in nouns for word in noun]
    if flat and verb[0] in _AS_ONE:
        flat[-1] = _singular(flat[-1])
    flat = flat or [word for name in operation.template.variables for word in words(name)] or ["root"]
    asked = _asked(operation)
    return verb + flat + (["by", *asked] if asked else [])


def _asked(operation: Operation) -> list[str]:
    """Return the words of the parameters that the query of a path key names, by which operations of one path differ."""
    return [word for name, _ in operation.template.query_variables for word in words(name)]


def _segments(path: str) -> list[str]:
    """The segments that say something: no prefix such as `/api/v1`, no `.json`, and a fragment as a last one."""
    path, _, fragment = path.partition("#")
    segments = [re.sub(r"\.(?:json|xml)$", "", segment) for segment in path.partition("?")[0].split("/") if segment]
    while len(segments) > 1 and PREFIX_SEGMENT.fullmatch(segments[0]):
        segments = segments[1:]
    return [*segments, fragment] if fragment else segments


def _action(nouns: list[list[str]], operation: Operation, on_item: bool) -> list[str]:
    """The verb; what is part of a last segment is taken out of `nouns`."""
    method = operation.method
    if len(nouns) > 1 and not on_item and verbs.of_segment(nouns[-1], method):
        verb, *rest = nouns.pop()
        if rest:
            nouns.append(rest)
        return [verb]
    has_verb = operation.id is not None and method in (
        "GET",
        "DELETE",
    )  # `getInventory` says what is done, `post` does not
    said = "" if has_verb else verbs.of_summary(operation.summary, method)
    if said and (not nouns or _singular(nouns[-1][-1]) != said):  # no `refund_refund`
        return [said]
    return [verbs.of_method(method, on_item=on_item, plural=bool(nouns) and _is_plural(nouns[-1]))]


def _is_plural(noun: list[str]) -> bool:
    return bool(noun) and _singular(noun[-1]) != noun[-1]


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "news", "series", "status")):
        return word
    if word.endswith("ies"):
        return word[:-1] if word[:-1] in _IN_IE else word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "aliases", "nuses", "ruses", "tuses")):
        return word[:-2]
    return word[:-1]
