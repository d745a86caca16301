# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse base URLs of servers, and classify their hosts: loopback, link-local, cloud metadata service.

URLs are parsed strictly, without a library, so that the address that was checked is the address that is used. A URL has
no user part, no query and no dot segments; its host is a plain name or a plain IP address. Other spellings of an
address are rejected, such as 0xA9FEA9FE for 169.254.169.254.
"""

from __future__ import annotations

_PORTS = {"http": 80, "https": 443}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_HOST = _LETTERS | set("-._")
_PATH = _LETTERS | set("-._~!$&'()*+,;=:@/%")

METADATA_NAMES = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
METADATA_ADDRESSES = frozenset({"100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"})
"""Addresses of cloud metadata services outside the link-local range: Alibaba, Oracle, Azure, and the IPv6 ones of AWS
and Google.
"""


class Address:
    """Parsed base URL. `path` is "", or begins with a slash and does not end with one. `host` has no brackets."""

    __slots__ = ("authority", "bare", "host", "origin", "path", "port", "scheme")

    def __init__(self, scheme: str, host: str, port: int, path: str, *, bare: bool = False) -> None:
        """Create an address.

        `bare`: True if the URL was given without a path, not even `/`. The operator's base URL then gets the path of
        the API's URL.
        """
        self.bare = bare
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        named = f"[{host}]" if ":" in host else host
        #: Host, followed by the port unless it is the scheme's default, as people write a server's name
        self.authority = named if port == _PORTS[scheme] else f"{named}:{port}"
        #: Origin according to RFC 6454: scheme, host and port
        self.origin = f"{scheme}://{self.authority}"

    def __str__(self) -> str:
        return self.origin + self.path

    @property
    def is_literal(self) -> bool:
        """Return True if the host is an IP address, which needs no DNS lookup."""
        return ":" in self.host or self.host.rpartition(".")[2].isdigit()

    @property
    def loopback(self) -> bool:
        """Return True if the host is this machine."""
        host = self.host.rstrip(".")
        return host in ("localhost", "::1") or host.endswith(".localhost") or _is_under(host, "127.")

    @property
    def forbidden(self) -> bool:
        """Return True for a host that an API description must not name.

        Such hosts are link-local and unspecified addresses, and cloud metadata services.
        """
        if ":" in self.host:
            from ipaddress import IPv6Address  # imported here, since IPv6 hosts are rare

            address = IPv6Address(self.host)
            inner = address.ipv4_mapped or address
            return inner.is_link_local or inner.is_unspecified or str(inner) in METADATA_ADDRESSES
        host = self.host.rstrip(".")
        return host in METADATA_NAMES | METADATA_ADDRESSES or _is_under(host, "169.254.") or _is_under(host, "0.")


def parse(text: str, *, bare: bool = False) -> Address:
    """Parse an absolute http or https URL.

    `bare`: True if the path in the URL was added by this server, so that the URL counts as one without a path. Raise
    ValueError if the URL is not valid. The message, such as "must be a URL ...", is to follow the name of the setting.
    """
    scheme, found, rest = text.partition("://")
    scheme = scheme.lower()
    if not found or scheme not in _PORTS:
        raise ValueError("must be a URL that begins with https:// or http://")
    authority, slash, path = rest.partition("/")
    path = (slash + path).rstrip("/")
    if "@" in authority:
        raise ValueError("must not hold a user name or password: credentials have variables of their own")
    if "?" in rest or "#" in rest:
        raise ValueError("must not hold a query or a fragment")
    steps = path.lower().replace("%2e", ".").split("/")
    if not _PATH.issuperset(path) or "." in steps or ".." in steps:
        raise ValueError("must have a percent-encoded path without dot segments")
    host, port = _host_and_port(authority, scheme)
    return Address(scheme, host, port, path, bare=bare or not slash)


def origin_of(url: str) -> str:
    """Return the origin of a URL (RFC 6454, section 4) in lower case, without the scheme's default port; "" if the URL
    is relative.

    The origin may contain variables such as `{region}`. The compiler lists accepted origins in `bindings.json` by this
    function, and the runtime looks them up by it.
    """
    scheme, found, rest = url.partition("://")
    if not found:
        return ""
    scheme, authority = scheme.lower(), rest.partition("/")[0].partition("?")[0].partition("#")[0].lower()
    return f"{scheme}://{authority.removesuffix(f':{_PORTS[scheme]}' if scheme in _PORTS else ':')}"


def parse_endpoint(text: str) -> tuple[Address, str]:
    """Split an endpoint URL into its server's address, and its path with query.

    Raise ValueError if the URL is not valid. The message, such as "must have a percent-encoded query", is to follow
    the name of the setting.
    """
    whole, mark, query = text.partition("?")
    address = parse(whole)
    if not _PATH.issuperset(query.replace("?", "")):
        raise ValueError("must have a percent-encoded query")
    path = address.path + ("/" if whole.endswith("/") else "") or "/"
    return Address(address.scheme, address.host, address.port, ""), path + mark + query


def _host_and_port(authority: str, scheme: str) -> tuple[str, int]:
    if authority.startswith("["):
        host, bracket, port = authority[1:].partition("]")
        good = bracket and _is_ipv6(host) and (not port or port.startswith(":"))
        port = port.removeprefix(":")
    else:
        host, _, port = authority.partition(":")
        good = host and _HOST.issuperset(host) and _is_plain(host.rstrip("."))
    if not good:
        raise ValueError("must name a host: a name in ASCII, or an address such as 192.0.2.1 or [2001:db8::1]")
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        raise ValueError("must have a port from 1 to 65535, or none")
    return host.lower(), int(port or _PORTS[scheme])


def _is_plain(host: str) -> bool:
    """Return True for a host name or a dotted-decimal IPv4 address.

    A host whose last label (after the last dot) is a number is always an address (WHATWG URL, host parser).
    """
    labels = host.split(".")
    last = labels[-1].lower()
    if not (last.isdigit() or last.startswith("0x")):
        return all(labels)
    return len(labels) == 4 and all(
        each.isdigit() and str(int(each[:4])) == each and int(each) < 256 for each in labels
    )


def _is_under(host: str, network: str) -> bool:
    # The last label decides whether a host is an address: 127.evil.example is a name.
    return host.startswith(network) and host.rpartition(".")[2].isdigit()


def _is_ipv6(host: str) -> bool:
    from ipaddress import IPv6Address

    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False


def network(address: str) -> str:
    """Return the network that one client controls: an IPv4 address, or the /64 prefix of an IPv6 address.

    Limits per client address count networks, since a client may choose among 2**64 IPv6 addresses. Return any other
    text as it is.
    """
    if ":" not in address:
        return address
    from ipaddress import IPv6Address  # imported late: few servers have callers with IPv6 addresses

    try:
        found = IPv6Address(address)
    except ValueError:
        return address
    mapped = found.ipv4_mapped
    return str(IPv6Address(int(found) >> 64 << 64)) if mapped is None else str(mapped)
