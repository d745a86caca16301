"""Read the HTTP client with which a FastMCP script calls the API: base URL, credentials, timeout."""

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.adopt.foreign import CHECKS_CERTIFICATES, Credential, Remark
from mcpgen.adopt.programs import headers
from mcpgen.adopt.script.evaluate import Evaluator
from mcpgen.adopt.script.values import (
    Content,
    Items,
    Made,
    Members,
    Path,
    Plain,
    Unknown,
    Value,
    beginning,
    text,
    variables,
)
from mcpgen.base.diagnostics import Where

_UNREAD = {
    "event_hooks": "The HTTP client has event hooks with your own code. Write their effect as a hook in hooks.py.",
    "transport": "The transport of the HTTP client is your own code. Write its effect as a hook in hooks.py.",
    "cookies": "Cookies of the HTTP client were left out; the new server does not send them.",
    "params": (
        "Query parameters of the HTTP client were left out. Under `overrides`, `'*': {arguments: …}` can send a "
        "fixed value."
    ),
    "cert": (
        "For the client certificate, set the new server's environment variables NAME_CLIENT_CERT and NAME_CLIENT_KEY."
    ),
    **dict.fromkeys(("proxy", "proxies"), "To use the proxy, set the new server's environment variable NAME_PROXY."),
}


@dataclass(frozen=True, slots=True)
class HttpClient:
    """The properties of an HTTP client in a script.

    `base_url`: "" if unknown. `credentials`: None if code computes them. `timeout`: seconds, None if the script sets
    none.
    """

    base_url: str = ""
    credentials: tuple[Credential, ...] | None = None
    timeout: float | None = None


def read(value: Value, evaluator: Evaluator, environ: Mapping[str, str], where: Where) -> HttpClient:
    """Return base URL, credentials and timeout of `value`, the HTTP client with which a FastMCP script calls the API.
    Add a remark for each property of the client that cannot be read.
    """
    remarks = evaluator.remarks
    if not isinstance(value, Made) or value.name not in ("AsyncClient", "Client"):
        if value != Plain(None):
            said = (
                "adopt cannot find where the script creates the HTTP client, so base URL and credentials are unknown."
            )
            remarks.append(Remark(said, where))
        return HttpClient()
    where = evaluator.where(value.call)
    given = value.arguments
    if any(keyword.arg is None for keyword in value.call.keywords):
        remarks.append(Remark("The HTTP client gets further arguments (**), which adopt cannot read.", where))
    remarks += [Remark(said, where) for name, said in _UNREAD.items() if name in given]
    if given.get("verify") == Plain(False):
        remarks.append(Remark(CHECKS_CERTIFICATES, where))
    base_url = text(given.get("base_url"), environ) or ""
    if "base_url" in given and not base_url:
        named = " and ".join(variables(given["base_url"]))
        said = f"The base URL comes from {named or 'code'}, which adopt cannot evaluate."
        remarks.append(Remark(said, where))
    by_headers = _in_headers(given.get("headers"), remarks, where)
    by_auth = _auth(given.get("auth"), remarks, where)
    found = (*(by_headers or ()), *(by_auth or ()))
    by_code = by_headers is None or by_auth is None or "event_hooks" in given or "transport" in given
    return HttpClient(base_url, None if by_code and not found else found, timeout(given.get("timeout"), environ))


def timeout(value: Value | None, environ: Mapping[str, str]) -> float | None:
    """Return a timeout in seconds, given as a number or as `httpx.Timeout(seconds, …)`. Return None if it is
    unknown.
    """
    if isinstance(value, Made) and value.name == "Timeout":
        named = value.arguments
        value = value.positional[0] if value.positional else named.get("timeout") or named.get("read")
    try:
        seconds = float(text(value, environ) or "")
    except ValueError:
        return None
    return seconds if 0 < seconds <= 3600 else None


def _in_headers(value: Value | None, remarks: list[Remark], where: Where) -> tuple[Credential, ...] | None:
    """Return the credentials in header fields, or None if the FastMCP script computes the fields."""
    if isinstance(value, Made) and value.positional:
        value = value.positional[0]
    if value is None or value == Plain(None):
        return ()
    if not isinstance(value, Members):
        remarks.append(Remark("The headers are computed by code, so adopt left them out.", where))
        return None
    if not value.whole:
        remarks.append(Remark("Some of the headers are computed by code, so adopt left them out.", where))
    fields = ((name, beginning(each), _held(each)) for name, each in value.members.items())
    return headers.credentials(fields, remarks, where)


def _auth(value: Value | None, remarks: list[Remark], where: Where) -> tuple[Credential, ...] | None:
    """Return the credentials of the argument `auth`, or None if the script computes them."""
    pair: tuple[Value, ...] = ()
    if isinstance(value, Made) and value.name == "BasicAuth":
        pair = (*value.positional, *value.arguments.values())
    elif isinstance(value, Items):
        pair = value.items
    if len(pair) == 2:
        return (Credential("basic", {"username": _held(pair[0]), "password": _held(pair[1])}),)
    if value is not None and value != Plain(None):
        remarks.append(
            Remark("The `auth` of the HTTP client is your own code. Write its effect as a hook in hooks.py.", where)
        )
        return None
    return ()


def _held(value: Value) -> str:
    """Return the names of the environment variables from which a value comes, joined by " and ", or "" if it comes from
    none.
    """
    return " and ".join(variables(value)) if not isinstance(value, (Unknown, Content, Path)) else ""
