"""Find the place to look that an answer itself names: a header field, a URL in the body, or a link."""

from collections.abc import Iterable

from mcpgen.base.jsonvalue import JsonObject, as_text
from mcpgen.lower.jobs.states import Member, plain
from mcpgen.lower.schema.compose import Composer, members, types
from mcpgen.lower.schema.nodes import items_of

_HEADERS = ("azure-asyncoperation", "operation-location", "location", "content-location")
"""Header fields that name a place to look, the most certain first."""

_OF_JOBS = ("status", "operation", "job", "task", "poll", "polling", "monitor", "progress", "export", "statuscheck")
_URLS = frozenset(f"{what}{kind}" for what in _OF_JOBS for kind in ("url", "uri", "link", "href", "location"))
_LINKS = ("links", "_links")
_RELATIONS = ("status", "job", "operation", "task", "monitor", "poll", "actions", "operations", "jobs", "tasks")
_SELF = frozenset(("self", "selflink", "url", "uri", "href", "selfurl", "selfhref", "link"))


def header(names: Iterable[str]) -> str:
    """Return the header field of an answer that names a place to look, in lower case, or ""."""
    lower = [name.lower() for name in names]
    own = [name for name in lower if plain(name.removeprefix("x-")) in _URLS]
    return next((name for name in (*_HEADERS, *own) if name in lower), "")


def of_header(name: str) -> str:
    """Return what `poll` of a tools file says for a header field."""
    return name if name in _HEADERS else f"header {name}"


def status_url(found: list[Member]) -> str:
    """Return the pointer to the URL of a job in an answer, or ""."""
    return next((each.pointer for each in found if plain(each.name) in _URLS and _is_text(each)), "")


def related(found: list[Member], composer: Composer) -> str:
    """Return the pointer to the URL of a job among the links of an answer, or ""."""
    return _linked(found, _RELATIONS, composer)


def own_url(found: list[Member], composer: Composer) -> str:
    """Return the pointer to the URL of what an answer describes, or "": a link `self`, or an absolute URL."""
    if pointer := _linked(found, ("self",), composer):
        return pointer
    told = (each for each in found if plain(each.name) in _SELF and "/" not in each.pointer[1:])
    return next((each.pointer for each in told if as_text(each.node.get("format")) in ("uri", "url")), "")


def _linked(found: list[Member], relations: tuple[str, ...], composer: Composer) -> str:
    for links in (each for each in found if each.name in _LINKS and "/" not in each.pointer[1:]):
        known = {name.lower(): (name, member) for name, member in members(links.node)}
        for name, member in (known[each] for each in relations if each in known):
            if place := _url_in(member, composer):
                return f"{links.pointer}/{name}{'' if place == '.' else place}"
    return ""


def _url_in(member: JsonObject, composer: Composer) -> str:
    """Return where a link has its URL: "." if it is one, `/href`, or `/0/href` in a list; "" if nowhere."""
    node, _ = composer.node(member)
    if "array" in types(node) or "items" in node:
        inner = _url_in(items_of(node), composer)
        return f"/0{'' if inner == '.' else inner}" if inner else ""
    if "string" in types(node):
        return "."
    return next((f"/{name}" for name, _ in members(node) if name.lower() in ("href", "url", "uri")), "")


def _is_text(member: Member) -> bool:
    return "string" in types(member.node)
