"""Check the targets of `links:`. Clients can read a target only if it is a public https URL or a resource of the same
file.
"""

import re
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.names import clipped, nearest
from mcpgen.read.openapi import servers

_PLACE = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_HINT = "Write a public https address, or the URI of one of `resources`."


# A broken link is worse than no link.
def check(root: JsonObject, top: Where, diagnostics: Diagnostics) -> None:
    """Report every link of a tool or an override that clients cannot read: neither a public https URL nor a resource of
    the file.
    """
    uris = list(_resources(root))
    for entry, where in _entries(root, top):
        for uri, place in _addresses(as_object(entry.get("result")), where.inside("result")):
            if not _is_public(uri) and not any(_fits(uri, known) for known in uris):
                message = (
                    f"The link '{clipped(uri)}' leads to no resource of this file, and to no public https address."
                )
                diagnostics.add("invalid-value", message, place, nearest(uri, uris) or _HINT)


def _addresses(result: JsonObject, where: Where) -> Iterator[tuple[str, Where]]:
    """Yield the URI of each link in a result and in its content blocks, with its place."""
    links = [(link, where.inside("links", index)) for index, link in enumerate(as_list(result.get("links")))]
    for index, block in enumerate(as_list(result.get("blocks"))):
        links.append((as_object(block).get("link"), where.inside("blocks", index, "link")))
    for link, place in links:
        if isinstance(uri := as_object(link).get("uri"), str):
            yield uri, place.inside("uri")


def _entries(root: JsonObject, top: Where) -> Iterator[tuple[JsonObject, Where]]:
    """Yield the tools and overrides of a file, each with its place."""
    for index, tool in enumerate(as_list(root.get("tools"))):
        yield as_object(tool), top.inside("tools", index)
    described = enumerate(as_list(root.get("openapi")))
    documents = [(as_object(each), top.inside("openapi", index)) for index, each in described]
    for around, where in [(root, top), *documents]:
        for key, change in as_object(around.get("overrides")).items():
            yield as_object(change), where.inside("overrides", key)


def _resources(root: JsonObject) -> Iterator[str]:
    """Yield the URIs of the file's resources. URI templates are returned as they are written."""
    server = as_text(as_object(root.get("server")).get("name"))
    for entry in map(as_object, as_list(root.get("resources"))):
        uri, name = as_text(entry.get("uri")), as_text(entry.get("name"))
        if uri or (server and name):
            yield uri or f"{server}://{name}"


def _is_public(uri: str) -> bool:
    """Return True if a link is https and its host is public. A placeholder in the host is not allowed, so its value
    cannot change the host.
    """
    host, _, _ = uri.removeprefix("https://").partition("/")
    if not uri.startswith("https://") or "{" in host or "?" in host or "#" in host:
        return False
    address = f"https://{host}"
    return not servers.refusal(address) and not servers.is_private(address)


def _fits(uri: str, known: str) -> bool:
    """Return True if the link `uri` matches `known`, the URI of a resource. Placeholders in the link are replaced by
    example values.
    """
    pattern = "[^/?#]+".join(re.escape(literal) for literal in re.split(r"\{[^{}]*\}", known))
    return re.fullmatch(pattern, _PLACE.sub(_example, uri)) is not None


def _example(place: re.Match[str]) -> str:
    """Return an example of the text that replaces a placeholder: a letter, or one brace for `{{` or `}}`."""
    return place[0][0] if place[0] in ("{{", "}}") else "x"
