"""Recognise where a client can see the state of a job, that is, of work that goes on after a 2xx response.

The response is 202, or another 2xx if the document describes the operation as long-running.

The result contains a `task` for the tools file, with which the server would follow the job. It is only a proposal: the
server follows the job if the author puts the `task` into the tools file.

Several places may show the state, and the most certain one is proposed. A member of the response whose name says that
it is the URL of the job, such as `status_url`, is more certain than a request of the document whose response shows the
state of the job. Such a request is preferred to other URLs in the response, whose content no schema describes.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_text
from mcpgen.base.names import alphanumeric, words
from mcpgen.base.work import Exhausted
from mcpgen.lower.jobs.proposals import Arguments, at_url, ends, job
from mcpgen.lower.jobs.requests import Look, Requests
from mcpgen.lower.jobs.states import Member, State, listed, state_of
from mcpgen.lower.schema.compose import Composer, members, types
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.lower.schema.nodes import items_of
from mcpgen.model import Accepted, Operation, Response

FORGOTTEN = Accepted("forget")
_SAFE = ("GET", "HEAD")
_OF_EXTENSION = {"azure-async-operation": "azure-asyncoperation", "operation-location": "operation-location"}
"""`final-state-via` in `x-ms-long-running-operation-options` → the header field with the URL of the job."""
_HEADERS = ("azure-asyncoperation", "operation-location", "location", "content-location")
"""Header fields with the URL of a job, the most certain first."""
_OF_JOBS = (
    *("status", "statuscheck", "operation", "job", "task", "run", "export"),
    *("poll", "polling", "monitor", "progress"),
)
_URLS = frozenset(f"{what}{kind}" for what in _OF_JOBS for kind in ("url", "uri", "link", "href", "location"))
_LINKS = ("links", "_links")
_RELATIONS = ("status", "job", "operation", "task", "monitor", "poll", "actions", "operations", "jobs", "tasks")
_SELF = frozenset(("self", "selflink", "url", "uri", "href", "selfurl", "selfhref", "link"))
_ENDS: JsonObject = {"done": "/done", "failed": "/error", "result": "/response"}


class _Answer(NamedTuple):
    """A response after which work goes on, with the schema of the response body and the members of that schema."""

    response: Response
    schema: JsonObject | None
    members: list[Member]


# A recognised job is only proposed: with a wrong condition, a call waits until its timeout. Of 96 operations that a
# second person judged, 78 got the same class at first, and 94 with the present rules.
def recognize(operation: Operation, requests: Requests, arguments: Arguments, composer: Composer) -> Accepted | None:
    """Return where a client can see the state of the job that the operation starts. Return None if no response says
    that work goes on.

    `requests`: the requests of all operations of the document. `arguments`: the names of the tool's arguments.
    """
    response = _accepting(operation)
    if response is None:
        return None
    if operation.method in _SAFE:
        return _again(operation, arguments) if response.status == "202" else None
    composer.budget.begin()
    try:
        schema = _schema(response)
        if response.status != "202" and not (operation.long_running or _is_operation(schema, composer)):
            return None
        answer = _Answer(response, schema, listed(schema, composer))
        return next(_found(operation, answer, requests, arguments, composer), FORGOTTEN)
    except (SkipOperation, Exhausted, RecursionError):
        return FORGOTTEN if response.status == "202" else None


def _found(
    operation: Operation, answer: _Answer, requests: Requests, arguments: Arguments, composer: Composer
) -> Iterator[Accepted]:
    """Yield the places where a client can see the state of the operation's job, according to the document, the most
    certain first.
    """
    yield from _of_answer(operation, answer, requests, arguments)
    if _is_operation(answer.schema, composer):
        yield _proposed(operation, requests, arguments)
    yield from _of_requests(operation, answer, requests, arguments)
    yield from _of_urls(operation, answer, composer)
    yield from _of_resources(operation, answer, requests, arguments, composer)


def _accepting(operation: Operation) -> Response | None:
    """Return the response 202, else the first successful response, which may say in another way that the work goes
    on.
    """
    good = sorted((each for each in operation.responses if each.status[:1] == "2"), key=lambda each: each.status)
    return next((each for each in good if each.status == "202"), good[0] if good else None)


def _schema(response: Response) -> JsonObject | None:
    media_types = sorted(response.content, key=lambda each: each.name)
    return next((each.schema for each in media_types if encoding_of(each.name) == "json" and each.schema), None)


def _again(operation: Operation, arguments: Arguments) -> Accepted:
    """Return a proposed `task` that repeats the operation's request: the API answers 202 until the result exists."""
    needed = [each.name for each in operation.parameters if each.location == "query" and each.required]
    query = "&".join(f"{name}={{{arguments.names.get(('query', name), name)}}}" for name in needed)
    poll = f"GET {arguments.target(operation.path)}{'?' * bool(query)}{query}"
    return Accepted("again", poll, {"poll": poll, "done": "status != 202"})


def _of_answer(operation: Operation, answer: _Answer, requests: Requests, arguments: Arguments) -> Iterator[Accepted]:
    """Yield where a client can see the state of the job, as far as the response itself says so: a URL in a header field
    or in the body, or an OpenAPI link.
    """
    name = _header(answer.response.headers)
    if operation.long_running and name in ("", "location"):
        name = _OF_EXTENSION.get(operation.long_running, "location")
    if name:
        look = _of_header(name)
        yield Accepted("job", look, {"poll": look})
    for link in answer.response.links:
        if (target := requests.linked(operation, link)) is not None:
            yield job(target, arguments)
    if pointer := _status_url(answer.members):
        beside = (look for look, _ in _by_id(operation, answer, requests) if _is_beside(pointer, look.values))
        yield at_url(pointer, next((job(look, arguments) for look in beside), None))


def _by_id(operation: Operation, answer: _Answer, requests: Requests) -> list[tuple[Look, bool]]:
    """Return a pair for each request that takes an id from the operation's response: the request, and True if the id
    is that of a job.
    """
    said = [operation.summary, operation.description, answer.response.description]
    text = " ".join([*said, *(as_text(each.node.get("description")) for each in answer.members)])
    return [*requests.by_id(operation, answer.members, text)]


def _of_requests(operation: Operation, answer: _Answer, requests: Requests, arguments: Arguments) -> Iterator[Accepted]:
    """Yield a proposal for following the job that `operation` starts, for each request of the document whose response
    shows the state of this job.
    """
    by_id = _by_id(operation, answer, requests)
    # If the operation's path ends in a variable, as `/items/{id}` does, the id in its response may be that of the item.
    # So a request that takes this id is proposed only if the id is known to be that of a job.
    if operation.path.endswith("}"):
        by_id = [(look, of_job) for look, of_job in by_id if of_job]
    for look in (look for look, _ in by_id if look.state is not None):
        yield job(look, arguments)
    jobs = [requests.by_query(operation, answer.members), *(look for look, of_job in by_id if of_job)]
    for look in filter(None, jobs):
        yield job(look, arguments)
    if (polled := requests.polled(operation)) is not None:
        yield job(replace(polled, state=polled.state or State("")), arguments)
    telling = [requests.status_beside(operation)]
    if operation.method != "DELETE":
        telling += [requests.same(operation), requests.item_of_action(operation, any_action=False)]
    for each in telling:
        if each is not None and each.state is not None:
            yield job(each, arguments)


def _of_urls(operation: Operation, answer: _Answer, composer: Composer) -> Iterator[Accepted]:
    """Yield the URLs in the response at which a job can be read."""
    if pointer := _linked(answer.members, _RELATIONS, composer):
        yield Accepted("job", pointer, {"poll": pointer})
    state = state_of(answer.schema, composer)
    if state is not None and operation.method != "DELETE" and (pointer := _own_url(answer.members, composer)):
        yield Accepted("job", pointer, {"poll": pointer, **ends(state)})


def _of_resources(
    operation: Operation, answer: _Answer, requests: Requests, arguments: Arguments, composer: Composer
) -> Iterator[Accepted]:
    """Yield how a client can read the resource that `operation` creates, changes or deletes: by a request, or at a URL
    in the response.
    """
    if operation.method == "DELETE":
        looks = [requests.same(operation), requests.item_of_action(operation, any_action=True)]
    else:
        created = [] if operation.path.endswith("}") else requests.by_id(operation, answer.members, "")
        looks = [*(look for look, _ in created), requests.same(operation)]
    for look in filter(None, [*looks, requests.remaining(operation)]):
        yield Accepted("resource", f"GET {arguments.target(look.target)}")
    if operation.method != "DELETE" and (pointer := _own_url(answer.members, composer)):
        yield Accepted("resource", pointer)
    if any(name.lower() == "retry-after" for name in answer.response.headers) and _has_result(operation):
        yield Accepted("again", f"{operation.method} {arguments.target(operation.path)}")
    if (item := requests.item_with(operation)) is not None:
        yield Accepted("resource", f"GET {arguments.target(item.target)}")


def _has_result(operation: Operation) -> bool:
    """Return True if the operation also has a successful response other than 202."""
    return any(each.status[:1] == "2" and each.status != "202" for each in operation.responses)


def _header(names: Iterable[str]) -> str:
    """Return the name of the header field with the URL of a job, in lower case, or "". `names`: the header fields of a
    response.
    """
    lower = [name.lower() for name in names]
    own = [name for name in lower if alphanumeric(name.removeprefix("x-")) in _URLS]
    return next((name for name in (*_HEADERS, *own) if name in lower), "")


def _of_header(name: str) -> str:
    """Return the value of `poll` in a tools file that means the header field `name`."""
    return name if name in _HEADERS else f"header {name}"


def _status_url(found: list[Member]) -> str:
    """Return the JSON Pointer to the URL of a job in a response, or "". `found`: the members of the response."""
    return next((each.pointer for each in found if alphanumeric(each.name) in _URLS and _is_text(each)), "")


def _is_beside(pointer: str, values: Mapping[str, str]) -> bool:
    """Return True if `pointer` differs only in its last word from a JSON Pointer in `values`, as `/run_url` differs
    from `/run_id`. Then the URL and the id at these two pointers belong to the same job.

    `pointer`: pointer to a URL in a response. `values`: path variable → pointer to its id in the response.
    """
    return any(words(pointer)[:-1] == words(each)[:-1] for each in values.values())


def _own_url(found: list[Member], composer: Composer) -> str:
    """Return the JSON Pointer to the URL of the object that a response contains, or "". The URL is a link `self`, or a
    top-level member such as `url` or `href` whose format is `uri`.
    """
    if pointer := _linked(found, ("self",), composer):
        return pointer
    told = (each for each in found if alphanumeric(each.name) in _SELF and "/" not in each.pointer[1:])
    return next((each.pointer for each in told if as_text(each.node.get("format")) in ("uri", "url")), "")


def _linked(found: list[Member], relations: tuple[str, ...], composer: Composer) -> str:
    for links in (each for each in found if each.name in _LINKS and "/" not in each.pointer[1:]):
        known = {name.lower(): (name, member) for name, member in members(links.node)}
        for name, member in (known[each] for each in relations if each in known):
            if place := _url_in(member, composer):
                return f"{links.pointer}/{name}{'' if place == '.' else place}"
    return ""


def _url_in(member: JsonObject, composer: Composer) -> str:
    """Return the JSON Pointer to the URL in a link: `/href`, or `/0/href` in a list of links. Return "." if the link
    itself is a URL, "" if it has none.
    """
    node, _ = composer.node(member)
    if "array" in types(node) or "items" in node:
        inner = _url_in(items_of(node), composer)
        return f"/0{'' if inner == '.' else inner}" if inner else ""
    if "string" in types(node):
        return "."
    return next((f"/{name}" for name, _ in members(node) if name.lower() in ("href", "url", "uri")), "")


def _is_text(member: Member) -> bool:
    return "string" in types(member.node)


def _is_operation(schema: JsonObject | None, composer: Composer) -> bool:
    """Return True if a response is a long-running operation (google.longrunning.Operation)."""
    if schema is None:
        return False
    node, _ = composer.node(schema)
    found = dict(members(node))
    if not {"name", "done"} <= found.keys() or found.keys().isdisjoint({"response", "error", "metadata"}):
        return False
    return "boolean" in types(composer.node(found["done"])[0])


def _proposed(operation: Operation, requests: Requests, arguments: Arguments) -> Accepted:
    """Return the job that `operation` starts. The job has a `task` (rule for following the job) only if the path for
    reading the job has exactly one variable. The response contains only the job's whole name, not the values of several
    variables.
    """
    reads = [each for each in requests.of_answer(operation, _is_operation) if each.path.endswith("}")]
    if not reads:
        return Accepted("job", "/name")
    read = min(reads, key=lambda each: (len(each.path), each.path))
    poll = f"GET {read.path}"
    variables = read.template.declared
    if len(variables) != 1 or variables[0] in arguments.taken:
        return Accepted("job", poll)
    values: JsonObject = {} if variables[0] == "name" else {"values": {variables[0]: "/name"}}
    return Accepted("job", poll, {"poll": poll, **values, **_ENDS})
