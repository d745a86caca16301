"""Decide which origins (RFC 6454, section 4) calls and credentials may reach.

The first compile accepts every origin that the source names, and the lock file records them. Later the project's owner
must accept each new origin. `bindings.json` lists the accepted origins, and the generated server sends nothing to other
origins.

Some hosts in URLs of a document must not be called at all, others only with a diagnostic. Host names are not resolved
by DNS: only the spelling of the host counts.
"""

import ipaddress
import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.base.runtime import addresses

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_METADATA = frozenset(map(ipaddress.ip_address, addresses.METADATA_ADDRESSES))

LONGEST_URL = 8000
"""Longest URL that is examined, in characters. Every server must support URLs of this length (RFC 9112, section 3)."""

_LONGEST_HOST = 1000
"""Longest host that is examined, in characters. A DNS name has at most 253 (RFC 1035, section 2.3.4)."""

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Prefix by which IPv6-only networks reach IPv4 addresses (NAT64; RFC 6052, section 2.1)."""

_USER_URLS = (
    ("authorizationUrl", "the authorization URL"),
    ("tokenUrl", "the token URL for users"),
    ("deviceAuthorizationUrl", "the device authorization URL"),
    ("refreshUrl", "the refresh URL"),
    ("metadataUrl", "the metadata URL"),
)
"""URLs of a scheme's `user` by which a user logs in, and the words that name each URL in a message."""

_SHOWN = 200
"""Longest origin that a message shows, in characters: long enough that every real origin can be copied whole."""

of_url = addresses.origin_of


@dataclass(frozen=True, slots=True)
class Destination:
    """A URL of an API to which calls or credentials are sent.

    `what` describes the URL in words for a message. `origins`: origins that must all be accepted before the URL is
    used: the origin as written and, if it holds variables, the origin with the variables' defaults.
    """

    what: str
    url: str
    origins: tuple[str, ...]


def is_origin(text: str) -> bool:
    """Return True if `text` is the origin of an http or https URL with a host. The scheme of the URL may be a
    variable.
    """
    return "://" in text and re.fullmatch(r"(?:https?|[^\s/?#@\\:]*\{[^\s/?#@\\:]+)://[^\s/?#@\\]+", text) is not None


# Both are needed: without an environment variable, the default decides where calls go.
def of_server(url: str, defaults: Mapping[str, str]) -> tuple[str, ...]:
    """Return the origins that the project's owner must accept before calls go to the server at `url`: the origin as
    written, and the origin with the `defaults` of its variables.
    """
    filled = url
    for name, default in defaults.items():
        filled = filled.replace(f"{{{name}}}", default)
    return tuple(dict.fromkeys(filter(is_origin, (of_url(url), of_url(filled)))))


def of_entry(entry: JsonObject) -> tuple[str, ...]:
    """Return the origins that the project's owner must accept before calls go to an API server.

    `entry`: the server's entry in `bindings.json`.
    """
    variables = as_object(entry.get("variables"))
    defaults = {name: as_text(as_object(each).get("default")) for name, each in variables.items()}
    return of_server(as_text(entry.get("url")), defaults)


def destinations(header: JsonObject) -> Iterator[Destination]:
    """Yield each absolute URL in `header`, the first line of `bindings.json`: servers, and the URLs of security schemes
    for tokens, discovery and login.
    """
    for entry in map(as_object, as_list(header.get("servers"))):
        if found := of_entry(entry):
            yield Destination("a server", as_text(entry.get("url")), found)
    for name, scheme in ((name, as_object(each)) for name, each in as_object(header.get("security")).items()):
        for key, what in (("tokenUrl", "the token URL"), ("openIdConnectUrl", "the OpenID Connect URL")):
            url = as_text(scheme.get(key))
            if url and is_origin(origin := of_url(url)):
                yield Destination(f"{what} of {clipped(name)}", url, (origin,))
        for key, what in _USER_URLS:
            url = as_text(as_object(scheme.get("user")).get(key))
            told = ("", scheme.get("tokenUrl"), scheme.get("openIdConnectUrl"))
            if url not in told and is_origin(origin := of_url(url)):
                yield Destination(f"{what} of {clipped(name)}", url, (origin,))


def described(header: JsonObject) -> frozenset[str]:
    """Return the origins of all URLs in the `header` of `bindings.json`."""
    return frozenset(origin for each in destinations(header) for origin in each.origins)


def accepted(header: JsonObject) -> frozenset[str]:
    """Return the accepted origins in the `header` of `bindings.json`.

    Older compilers did not write a list of accepted origins. Without the list, every origin in the header counts as
    accepted.
    """
    if "origins" not in header:
        return described(header)
    return frozenset(as_text(origin) for origin in as_list(header["origins"]))


# Each new origin is accepted by name: a flag for all would also accept the origins of future documents. An origin that
# the source no longer names is dropped, since somebody else may own its domain later (docs/decisions/origins.md).
def decided(
    named: frozenset[str],
    before: Mapping[str, bool] | None,
    owned: Iterable[str],
    unconfirmed: frozenset[str] = frozenset(),
) -> dict[str, bool]:
    """Return origin → whether it is accepted, for every origin that the source names or the project's owner lists.

    `before`: the decisions in the lock file, or None for a new project, in which all origins are accepted. `owned`:
    origins that the project's owner lists; they are always accepted. `unconfirmed`: if a base URL replaced the server
    of a document, all other origins in the document. Only the owner can accept these, even in a new project.

    While any origin waits for the project's owner, origins accepted before stay in the list, since the source may name
    them again. Otherwise origins that the source no longer names are dropped.
    """
    known = {*named} if before is None else {origin for origin, yes in before.items() if yes}
    known -= unconfirmed
    mine = {*owned}
    waiting = named - known - mine
    kept = known if waiting else known & named
    return {origin: origin not in waiting for origin in sorted(kept | mine | named)}


def report(
    header: JsonObject,
    found: Mapping[str, bool],
    diagnostics: Diagnostics,
    unconfirmed: frozenset[str] = frozenset(),
) -> None:
    """Add a diagnostic for each URL in `header`, the first line of `bindings.json`, whose origin is not accepted yet.

    `found`: origin → whether it is accepted, as `decided` returns it.
    """
    for each in destinations(header):
        if waiting := [origin for origin in each.origins if not found[origin]]:
            names = " and ".join(clipped(origin, _SHOWN) for origin in waiting)
            why = "is not the origin that the base URL replaces" if unconfirmed.issuperset(waiting) else "is new"
            message = (
                f"{names} {why}: {each.what} points to this origin. The server sends no calls or credentials to it "
                "until you accept it."
            )
            # Quote the origin for a shell: a host name may hold characters that the shell acts on.
            flags = " ".join(f"--accept-origin {shlex.quote(clipped(origin, _SHOWN))}" for origin in waiting)
            hint = (
                f"If you trust this origin, run again with {flags}, or list it under `accept_origin` in "
                "mcpgen.yaml. Until then, an operator can allow its host in the server's environment variable whose "
                "name ends in _ALLOW_HOSTS."
            )
            diagnostics.add("new-origin", message, hint=hint)


# -- hosts -------------------------------------------------------------------------------------------------------------


def is_forbidden(host: str) -> bool:
    """Return whether `host` is link-local, unspecified (0.0.0.0 or ::), or the metadata service of a cloud."""
    address = _address(host)
    if host.rstrip(".").lower() in addresses.METADATA_NAMES:
        return True
    return address is not None and (address.is_link_local or address.is_unspecified or address in _METADATA)


def is_private(host: str) -> bool:
    """Return whether `host` is loopback or in a private network."""
    address = _address(host)
    return (
        host == "localhost"
        or host.endswith((".localhost", ".local", ".internal"))
        or (address is not None and address.is_private)
    )


def _address(host: str) -> _Address | None:
    """Return the IP address that `host` spells, or None for a DNS name.

    Also reads other forms that resolvers accept: `2130706433`, `0x7f.1`, and IPv4 addresses embedded in IPv6.
    """
    if len(host) > _LONGEST_HOST:
        return None
    host = unicodedata.normalize("NFKC", host).replace("\u3002", ".").rstrip(".")
    try:
        address = ipaddress.ip_address(host)
        if isinstance(address, ipaddress.IPv4Address):
            return address
        inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _TRANSLATED else None
        return address.ipv4_mapped or address.sixtofour or inner or address
    except ValueError:
        pass
    parts = host.split(".")
    try:
        numbers = [int(part, 0) if not re.fullmatch(r"0[0-7]+", part) else int(part, 8) for part in parts]
        if not 1 <= len(numbers) <= 4 or any(number > 255 for number in numbers[:-1]):
            return None
        value = sum(number << (24 - 8 * index) for index, number in enumerate(numbers[:-1])) + numbers[-1]
        return ipaddress.IPv4Address(value)
    except ValueError:
        return None
