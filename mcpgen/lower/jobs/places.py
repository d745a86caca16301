"""Find the place in a response that holds the URL of the job: a header field, a member of the body, or a link."""

from collections.abc import Iterable, Mapping

from mcpgen.base.jsonvalue import JsonObject, as_text
from mcpgen.base.names import alphanumeric, words
from mcpgen.lower.jobs.states import Member
from mcpgen.lower.schema.compose import Composer, members, types
from mcpgen.lower.schema.nodes import items_of

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


def header(names: Iterable[str]) -> str:
    """Return the name of the header field with the URL of a job, in lower case, or "". `names`: the header fields of a
    response.
    """
    lower = [name.lower() for name in names]
    own = [name for name in lower if alphanumeric(name.removeprefix("x-")) in _URLS]
    return next((name for name in (*_HEADERS, *own) if name in lower), "")


def of_header(name: str) -> str:
    """Return the value of `poll` in a tools file that means the header field `name`."""
    return name if name in _HEADERS else f"header {name}"


def status_url(found: list[Member]) -> str:
    """Return the JSON Pointer to the URL of a job in a response, or "". `found`: the members of the response."""
    return next((each.pointer for each in found if alphanumeric(each.name) in _URLS and _is_text(each)), "")


def is_beside(pointer: str, values: Mapping[str, str]) -> bool:
    """Return True if `pointer` differs only in its last word from a JSON Pointer in `values`, as `/run_url` differs
    from `/run_id`. Then the URL and the id at these two pointers belong to the same job.

    `pointer`: pointer to a URL in a response. `values`: path variable → pointer to its id in the response.
    """
    return any(words(pointer)[:-1] == words(each)[:-1] for each in values.values())


def related(found: list[Member], composer: Composer) -> str:
    """Return the JSON Pointer to the URL of a job among the links of a response, or ""."""
    return _linked(found, _RELATIONS, composer)


def own_url(found: list[Member], composer: Composer) -> str:
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
