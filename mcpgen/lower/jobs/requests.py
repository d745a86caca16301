"""Find the request of the same document that reads the job which an operation has started, or the item that it has
changed.

Descriptions mention operations, by path, operationId or summary, and say that an operation takes an id from another
operation's response. A document may have thousands of operations that answer 202, so no operation is compared with all
others: `_Items` is an index of the GET operations that read one item (`/jobs/{id}`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from urllib.parse import unquote

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.names import alphanumeric, words
from mcpgen.lower.jobs.states import Member, State, end_of, listed, member_names, parts_of, state_of
from mcpgen.lower.schema.compose import Composer, types
from mcpgen.lower.tool.listings import described
from mcpgen.model import AnswerLink, Operation
from mcpgen.naming.verbs import is_plural, singular

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_POLLS = re.compile(r"\bpoll(ing|ed|s)?\b", re.IGNORECASE)
_READS = re.compile(r"\bGET\b")
_PATH = re.compile(r"(?<![\w}-])/[^\s`'\"<>]+")
_SHORTEST = 6
_ONE_VARIABLE = re.compile(r"\{[^{}]*\}")
_NAME = re.compile(r"\w+(?:-\w+)*")
_MOST = 100
"""Largest number of descriptions that name the same id. If more name it, the id tells nothing, and none is read."""
_Key = tuple[str, str]
"""Name of a document, and the text by which an operation of this document is found."""


def names_of(operation: Operation) -> list[str]:
    """Return the operationId and the summary of an operation, without case and punctuation. Leave out short names."""
    return [alphanumeric(each) for each in (operation.id or "", operation.summary) if len(each) >= _SHORTEST]


def _mentions(text: str, operation: Operation) -> bool:
    """Return True if a text mentions an operation by its path, operationId or summary."""
    said = alphanumeric(text)
    return _has_path(text, operation.path) or any(name in said for name in names_of(operation))


def _takes(read: Operation, member: Member, operation: Operation) -> bool:
    """Return True if the description of `read` says that it takes the id in `member` from a response of `operation`."""
    is_named = re.search(rf"\b{re.escape(member.name)}\b", read.description) is not None
    return is_named and _mentions(read.description, operation)


def _polling_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that tell the reader to poll a GET request."""
    return (each for each in _SENTENCE.split(text) if _POLLS.search(each) and _READS.search(each))


def _paths_in(text: str) -> Iterator[str]:
    """Yield what may be a path in a text, with and without the punctuation behind it."""
    for found in _PATH.findall(text):
        yield from dict.fromkeys((found, found.rstrip(".,:;?!)")))


def _has_path(text: str, path: str) -> bool:
    """Return True if a text contains a path, and not only as a part of a longer path."""
    if path == "/" or path not in text:
        return False
    return re.search(rf"(?<![\w}}-]){re.escape(path)}(?![\w/{{-])", text) is not None


class _Items:
    """GET operations whose paths end in a variable."""

    def __init__(self, reads: Iterable[Operation]) -> None:
        self._by_collection: dict[_Key, list[Operation]] = {}
        self._by_noun: dict[_Key, list[Operation]] = {}
        self._by_parent: dict[_Key, list[Operation]] = {}
        self._by_word: dict[_Key, list[tuple[Operation, str]]] = {}
        for each in reads:
            before, _, last = each.path.rpartition("/")
            if _ONE_VARIABLE.fullmatch(last):
                self._add(each, *before.rpartition("/")[::2])

    def of_collection(self, operation: Operation) -> Iterator[Operation]:
        """Yield the operations that read an item of the collection that ends the path of `operation`: for
        `/lists/{…}/items`, those at `/items/{…}` and `/list_items/{…}`.
        """
        *_, parent, last = ["", "", *(each for each in operation.path.split("/") if each and not each.startswith("{"))]
        for name in dict.fromkeys((alphanumeric(last), alphanumeric(f"{singular(parent)}{last}"))):
            yield from self._by_collection.get((operation.document, name), ())

    def of_job(self, operation: Operation, member: Member) -> Iterator[Operation]:
        """Yield operations that may read the item whose id a response of `operation` gives in `member`.

        First come operations on items named like the member (`/jobs/{…}` for `job_id`), then those on items below the
        path of `operation`, and those whose description says that they take the id.
        """
        noun = (words(member.name) if len(words(member.name)) > 1 else [member.holder, ""])[:-1]
        if noun:
            yield from self._by_noun.get((operation.document, singular(alphanumeric("".join(noun)))), ())
        yield from self._by_parent.get((operation.document, operation.path), ())
        naming, names = self._by_word.get((operation.document, member.name), []), names_of(operation)
        for each, text in naming if len(naming) <= _MOST else ():
            if _has_path(each.description, operation.path) or any(name in text for name in names):
                yield each

    def _add(self, read: Operation, parent: str, collection: str) -> None:
        keys = ((self._by_collection, alphanumeric(collection)), (self._by_noun, singular(alphanumeric(collection))))
        for index, name in (*keys, (self._by_parent, parent)):
            index.setdefault((read.document, name), []).append(read)
        found = {name for name in _NAME.findall(read.description) if len(words(name)) > 1}
        text = alphanumeric(read.description) if found else ""
        for name in found:
            self._by_word.setdefault((read.document, name), []).append((read, text))


_VARIABLE = re.compile(r"\{([^{}]*)\}")
_IDENTIFIES = frozenset(("id", "ids", "uuid", "guid", "sid", "key", "name", "slug", "number", "token", "identifier"))
_JOBS = frozenset(
    ("job", "task", "run", "operation", "export", "import", "batch", "request", "execution", "process", "action")
)
_LIFECYCLE = frozenset(
    (
        *("abort", "cancel", "deploy", "migrate", "pause", "reboot", "rebuild", "recycle", "rerun", "resize"),
        *("restart", "restore", "resume", "retry", "scale", "start", "stop", "suspend", "terminate", "upgrade"),
    )
)
"""Actions that change the state of the item before them in the path."""

_REMOVES = frozenset(("delete", "remove", "destroy", "purge"))
"""Actions that delete the item before them in the path, or items of the collection before them."""

_SHARED = 3
"""A response with at least so many members describes the item that a request reads if the item has all of them."""

_RESULTS = ("result", "results", "output")
"""Last segments of paths below a job at which its result can be read."""


@dataclass(frozen=True, slots=True)
class Look:
    """A request that reads a job or an item.

    `target`: its path, such as `/jobs/{id}`. `values`: variable of the path → JSON Pointer into the response of the
    operation that starts the job. `state`: where the response of this request shows the state of the job, or None.
    `result` and `cancel`: paths below the target, or "".
    """

    target: str
    values: Mapping[str, str] = field(default_factory=dict)
    state: State | None = None
    result: str = ""
    cancel: str = ""


class Requests:
    """Index of the GET operations of an API by their paths."""

    def __init__(self, operations: Sequence[Operation], composer: Composer) -> None:
        self._composer = composer
        self._reads: dict[tuple[str, str], Operation] = {}
        self._by_id: dict[str, Operation] = {}
        self._by_place: dict[str, Operation] = {}
        self._posts: set[tuple[str, str]] = set()
        for each in operations:
            if each.id:
                self._by_id.setdefault(each.id, each)
            self._by_place.setdefault(each.where.pointer, each)
            if each.method == "POST" and not (each.body and each.body.required):
                self._posts.add((each.document, _blank(each.path)))
            if each.method == "GET":
                self._reads.setdefault((each.document, _blank(each.path)), each)
        self._items = _Items(each for each in operations if each.method == "GET")

    def linked(self, operation: Operation, link: AnswerLink) -> Look | None:
        """Return the request of the operation that an OpenAPI link names. Return None if it is no GET, or needs values
        that the link does not give.
        """
        read = self._by_id.get(link.operation_id) or self._by_place.get(unquote(link.operation_ref.partition("#")[2]))
        if read is None or read.method != "GET":
            return None
        own = {*_VARIABLE.findall(operation.path)}
        values = dict[str, str]()
        for name in _VARIABLE.findall(read.path):
            told = link.parameters.get(name, link.parameters.get(f"path.{name}", ""))
            if told.startswith("$response.body#/"):
                values[name] = told.partition("#")[2]
            elif name not in own:
                return None
        return self._look(read, _renamed(read.path, operation.path), values)

    def of_answer(self, operation: Operation, fits: Callable[[JsonObject | None, Composer], bool]) -> list[Operation]:
        """Return the GET operations in the document of `operation` for whose response schema `fits` returns True."""
        reads = (read for (document, _), read in self._reads.items() if document == operation.document)
        return [each for each in reads if fits(described(each), self._composer)]

    def same(self, operation: Operation) -> Look | None:
        """Return the GET request at the path of `operation`, or None if the document has no such GET operation. For
        `PUT /items/{id}`, it is `GET /items/{id}`.
        """
        return self._at(operation, operation.path)

    def item_of_action(self, operation: Operation, any_action: bool) -> Look | None:
        """Return the GET request of an item, if the operation's path is that of the item followed by a word for an
        action. Return None otherwise.
        """
        path = operation.path
        while path and not path.endswith("}"):
            path, _, last = path.rpartition("/")
            if is_plural(words(last)) if any_action else _LIFECYCLE.isdisjoint(words(last)):
                return None
        look = self._at(operation, path) if path != operation.path else None
        return replace(look, cancel="") if look is not None else None

    def remaining(self, operation: Operation) -> Look | None:
        """Return the GET request that shows whether an item has been deleted, or None. For `DELETE /items/{id}`, it is
        `GET /items`, which lists the remaining items. For `POST /items/{id}/delete`, it is `GET /items/{id}`.
        """
        before, _, last = operation.path.rpartition("/")
        is_item = operation.method == "DELETE" and last.endswith("}")
        is_removal = (words(last) or [""])[-1] in _REMOVES
        return self._at(operation, before) if is_item or is_removal else None

    def item_with(self, operation: Operation) -> Look | None:
        """Return the GET request of the nearest item above the operation's path, or None. Its response must have a
        member for what the operation changes: for `/lists/{id}/contacts`, a member such as `contact_count`.
        """
        path, thing = operation.path, ""
        while path:
            path, _, last = path.rpartition("/")
            thing = thing or ("" if last.endswith("}") else last)
            read = self._reads.get((operation.document, _blank(path)))
            if path.endswith("}") and thing and read is not None:
                is_named = any(map(partial(_begins, _singulars(thing)), member_names(described(read), self._composer)))
                return self._at(operation, path) if is_named else None
        return None

    def polled(self, operation: Operation) -> Look | None:
        """Return the GET request that the operation's description tells readers to poll, or None if it names none."""
        known = {*_VARIABLE.findall(operation.path)}
        for sentence in _polling_sentences(operation.description):
            for path in _paths_in(sentence):
                read = self._reads.get((operation.document, _blank(path)))
                is_meant = read is not None and read.path == path
                if is_meant and {*_VARIABLE.findall(_renamed(path, operation.path))} <= known:
                    return self._at(operation, path)
        return None

    def status_beside(self, operation: Operation) -> Look | None:
        """Return the GET request that shows an operation's status, or None. For `/items/{id}/start`, this is the first
        of `/items/{id}/start/status` and `/items/{id}/status` that exists.

        If the last segment follows a variable, as here, the second path is tried only if the segment contains a word of
        `_LIFECYCLE`, such as `start`. Return None if the operation's path ends in a variable or a plural: a plural
        names a collection, to which no such status belongs.
        """
        parent, _, last = operation.path.rpartition("/")
        if last.endswith("}") or is_plural(words(last)):
            return None
        is_beside = not parent.endswith("}") or not _LIFECYCLE.isdisjoint(words(last))
        paths = (operation.path, parent) if is_beside else (operation.path,)
        looks = (self._at(operation, f"{path}/status") for path in paths)
        return next((each for each in looks if each is not None), None)

    def by_query(self, operation: Operation, answer: Sequence[Member]) -> Look | None:
        """Return the GET request of the operation's path, if it has a query parameter for the id of the job, and
        `answer` (the members of the operation's response) contains this id. Return None otherwise.
        """
        read = self._reads.get((operation.document, _blank(operation.path)))
        asked = {each.name for each in read.parameters if each.location == "query"} if read else set()
        for member in answer:
            if read is not None and member.name in asked and _is_job_id(member):
                look = self._look(read, operation.path, {member.name: member.pointer})
                return replace(look, target=f"{look.target}?{member.name}={{{member.name}}}")
        return None

    def by_id(self, operation: Operation, answer: Sequence[Member], text: str) -> Iterator[tuple[Look, bool]]:
        """Yield GET requests whose path takes an id from the response, each with True if the id is that of a job, else
        False.

        `text`: descriptions of the operation and its response, or "". At most one request that takes a job's id is
        yielded: the first that `text` mentions, or whose own description mentions the id and the operation. If no
        request is related in this way, a request that takes a job's id is yielded only if there is exactly one.
        """
        own = self._reads.get((operation.document, _blank(f"{operation.path}/{{}}")))
        seen = {operation.path, *([own.path] if own is not None else [])}
        if own is not None and (look := self._filled(operation, own, self._completed(own, answer), own=True)):
            yield look, False
        for each in self._items.of_collection(operation):
            if each.path not in seen and (look := self._filled(operation, each, answer, own=True)):
                seen.add(each.path)
                yield look, False
        found = [
            (look, _mentions(text, each) or _takes(each, member, operation))
            for member in answer
            if _is_job_id(member)
            for each in self._items.of_job(operation, member)
            if each.path not in seen and (look := self._filled(operation, each, [member], own=False))
        ]
        told = [look for look, is_told in found if is_told]
        if told or len({look.target for look, _ in found}) == 1:
            yield (told or [look for look, _ in found])[0], True

    def _completed(self, read: Operation, answer: Sequence[Member]) -> Sequence[Member]:
        """Return the members of an item: those in the response of `read` if all of `answer` are among them, else
        `answer`.

        `answer`: members in the response of the operation that creates the item. The schema of that response often
        repeats the request body, without the id. The response of `read`, a GET request, contains the id.
        """
        item = listed(described(read), self._composer)
        is_item = {each.pointer for each in answer} <= {each.pointer for each in item}
        return item if is_item and len(answer) >= _SHARED else answer

    def _at(self, operation: Operation, path: str) -> Look | None:
        read = self._reads.get((operation.document, _blank(path)))
        return self._look(read, _renamed(read.path, operation.path), {}) if read is not None else None

    def _filled(self, operation: Operation, read: Operation, answer: Sequence[Member], own: bool) -> Look | None:
        """Return the request of the GET operation `read` for the item whose id is in `answer`, the response of
        `operation`. Return None if `answer` has no such id, or if the path of `operation` lacks one of the other
        variables in the path of `read`.
        """
        before, _, last = read.path.rpartition("/")
        before, last, segment = _renamed(before, operation.path), last[1:-1], before.rpartition("/")[2]
        known = _VARIABLE.findall(operation.path)
        pointer = _id_for(last, segment, answer, own)
        if not pointer or not {*_VARIABLE.findall(before)} <= {*known}:
            return None
        # If the path of `operation` has a variable with the name of the id, rename the id: the two values differ.
        name = f"{singular(segment)}_{last}" if last in known else last
        return self._look(read, f"{before}/{{{name}}}", {name: pointer})

    def _look(self, read: Operation, target: str, values: Mapping[str, str]) -> Look:
        schema = described(read)
        state = state_of(schema, self._composer) or end_of(schema, self._composer)
        if state is None and read.path.endswith("}"):
            state = parts_of(schema, self._composer)
        below = {name: (read.document, _blank(f"{target}/{name}")) for name in ("cancel", *_RESULTS)}
        result = next((name for name in _RESULTS if below[name] in self._reads), "")
        cancel = "cancel" if below["cancel"] in self._posts else ""
        return Look(target, values, state, result and f"{target}/{result}", cancel and f"{target}/{cancel}")


def _renamed(path: str, own: str) -> str:
    """Give the variables of `path` the names that another path, `own`, uses in the same segments. Stop at the first
    segment that differs in more than the name of a variable.

    With `/jobs/{job}/runs` as `own`, `/jobs/{id}/logs/{log}` becomes `/jobs/{job}/logs/{log}`.
    """
    parts, others = path.split("/"), own.split("/")
    for index, (part, other) in enumerate(zip(parts, others, strict=False)):
        if _blank(part) != _blank(other):
            break
        parts[index] = other
    return "/".join(parts)


def _id_for(variable: str, segment: str, answer: Sequence[Member], own: bool) -> str:
    """Return the JSON Pointer to the member of a response that gives the value of a path variable, or "".

    `own`: True if the response describes the item that the path names.
    """
    scalars = [each for each in answer if _is_scalar(each)]
    if exact := next((each for each in scalars if alphanumeric(each.name) == alphanumeric(variable)), None):
        return exact.pointer
    *noun, last = words(variable) or [""]
    item = singular(alphanumeric(segment))
    for each in scalars:
        of_item = alphanumeric(each.name) in (f"{item}{last}", f"{''.join(noun)}{last}")
        if last in _IDENTIFIES and (of_item or (own and words(each.name) == [last])):
            return each.pointer
        if not own and last in _IDENTIFIES and _is_job_id(each):
            return each.pointer
    return ""


def _is_job_id(member: Member) -> bool:
    """Return True if a member contains the id of a job: `run_id`, or `id` in an object called `action`."""
    *noun, last = words(member.name) or [""]
    noun = noun or [singular(each) for each in words(member.holder)]
    return last in _IDENTIFIES and not _JOBS.isdisjoint(noun)


def _is_scalar(member: Member) -> bool:
    """Return True if a member can be an id: if it is a string or number, or is named like the id of a job and has no
    `properties`. Some documents give the id of a job the type `object` by mistake.
    """
    is_untyped = not member.node.get("properties") and _is_job_id(member)
    return is_untyped or not {"string", "integer", "number"}.isdisjoint(types(member.node))


def _singulars(name: str) -> list[str]:
    return [singular(each) for each in words(name)]


def _begins(noun: list[str], name: str) -> bool:
    """Return True if a member is named after a noun: `nodes` and `node_count` after `node`. Return False for a URL such
    as `node_url`, which stays the same when the nodes change.
    """
    *_, last = found = _singulars(name) or [""]
    return bool(noun) and found[: len(noun)] == noun and last not in ("url", "uri", "href", "link")


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path)
