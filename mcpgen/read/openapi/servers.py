"""Read server URLs (OpenAPI 3.1, 4.8.5 and 4.8.6) with their variables, and refuse unusable ones.

The URL in a document decides where credentials are sent. So it must be an http(s) URL, without user information, query
and fragment. It must not have a link-local or metadata address: only the operator may set such a host, by `--base-url`
or the environment.
"""

import re
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.model import Server, ServerVariable

_VARIABLE = re.compile(r"\{([^{}/]+)\}")


def read(value: JsonValue, where: Where, base_url: str | None, diagnostics: Diagnostics) -> tuple[Server, ...]:
    """Return the usable servers of a `servers` list, in order.

    A relative URL is resolved against `base_url`, the URL of the document, if known.
    """
    found = []
    for index, entry in enumerate(as_list(value)):
        raw = as_object(entry)
        place = where.inside(index)
        url = as_text(raw.get("url")).strip()
        declared = as_object(raw.get("variables"))
        used = dict.fromkeys(_VARIABLE.findall(url))
        variables = tuple(_secured(_variable(name, declared[name]), url) for name in used if name in declared)
        undeclared = len(used) > len(variables)
        url = _resolved(base_url, url) if base_url and "{" not in url else url
        resolved = with_defaults(Server(url, variables))
        reason = "it names a variable without a default" if undeclared else refusal(resolved)
        if not isinstance(raw.get("url"), str):
            reason = "it is not a text"
        if reason:
            diagnostics.add(
                "invalid-server",
                f"The server URL '{clipped(url, 120)}' is not used: {reason}.",
                place,
                "Correct the URL, or give --base-url.",
            )
            continue
        if is_private(resolved):
            diagnostics.add(
                "private-server",
                f"The server URL '{clipped(url, 120)}' points into a private network.",
                place,
                "If that is not intended, give --base-url.",
            )
        found.append(Server(url, variables, as_text(raw.get("description"))))
    return _without_twins(found)


def _without_twins(found: list[Server]) -> tuple[Server, ...]:
    """Return the servers, without each http server whose https twin is in the list too.

    Servers are alternatives (OpenAPI 3.1, 4.8.5), and a generated server sends nothing over http to another machine.
    """
    secure = {each.url.lower().removeprefix("https") for each in found if each.url.lower().startswith("https:")}
    return tuple(
        each for each in found if is_private(with_defaults(each)) or each.url.lower().removeprefix("http") not in secure
    )


def _secured(variable: ServerVariable, url: str) -> ServerVariable:
    """Return the variable with the default https if it is the scheme of `url`, and may be http or https."""
    is_scheme = url.startswith(f"{{{variable.name}}}://") and variable.default == "http"
    return replace(variable, default="https") if is_scheme and "https" in variable.enum else variable


def of_operation(value: JsonValue, where: Where, base_url: str | None, diagnostics: Diagnostics) -> tuple[Server, ...]:
    """Return the usable servers of a list that belongs to an operation or a path.

    Raise SkipOperation if the list names servers, and none is usable. The document's server is then no substitute: it
    would get requests, with credentials, that are meant for another server.
    """
    refused = Diagnostics()
    found = read(value, where, base_url, refused)
    if not found and any(isinstance(as_object(entry).get("url"), str) for entry in as_list(value)):
        first = next(iter(refused))
        hint = "Correct the URL. If the document's server serves the operation, remove `servers` there."
        raise SkipOperation(first.code, first.message, where, hint)
    for each in refused:
        diagnostics.add(each.code, each.message, each.where, each.hint)
    return found


def _resolved(base_url: str, url: str) -> str:
    """Return `url` resolved against `base_url`. An invalid URL is returned unchanged, and refused later."""
    try:
        return urljoin(base_url, url) if len(url) <= origins.LONGEST_URL else url
    except ValueError:
        return url


def _variable(name: str, value: JsonValue) -> ServerVariable:
    raw = as_object(value)
    default = raw.get("default")
    enum = tuple(str(entry) for entry in as_list(raw.get("enum")) if isinstance(entry, (str, int)))
    return ServerVariable(
        name, str(default) if isinstance(default, (str, int)) else "", enum, as_text(raw.get("description"))
    )


def with_defaults(server: Server) -> str:
    """Return the URL of `server` with its variables replaced by their defaults."""
    defaults = {variable.name: variable.default for variable in server.variables}
    return _VARIABLE.sub(lambda match: defaults.get(match[1], match[0]), server.url)


def refusal(url: str) -> str:
    """Return why `url` cannot be the URL of a server, or "" if it can. Relative URLs are allowed."""
    if len(url) > origins.LONGEST_URL:
        return f"it is longer than {origins.LONGEST_URL:,} characters"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it is not a URL"
    if re.search(r"[\x00-\x20\x7f\\]", url) or "%" in (host or ""):
        return "it holds characters that a URL cannot hold"
    if parts.query or parts.fragment:
        return "it has a query or a fragment"
    if not parts.scheme and not parts.netloc:
        has_steps = not {".", ".."}.isdisjoint(parts.path.split("/"))
        return "it is relative to the URL of the document, which is not known" if has_steps else ""
    if parts.scheme not in {"http", "https"} or not host:
        return "only http and https URLs are"
    if parts.username is not None or parts.password is not None:
        return "it holds user information"
    if origins.is_forbidden(host):
        return "its host is a link-local or metadata address"
    return ""


def is_private(url: str) -> bool:
    """Return True if the host of `url` is written as loopback or as an address of a private network."""
    return origins.is_private(urlsplit(url).hostname or "")
