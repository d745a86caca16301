# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The addresses of servers: which URL may be a base, and which hosts are what.

Read by hand and strictly, so that what was checked is what is sent: no user part, no query, no dot segments, a host
that is a plain name or a plain address. 0xA9FEA9FE, which some resolvers take for 169.254.169.254, is no host here.
"""

from __future__ import annotations

_PORTS = {"http": 80, "https": 443}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_HOST = _LETTERS | set("-._")
_PATH = _LETTERS | set("-._~!$&'()*+,;=:@/%")
_METADATA = frozenset({"metadata", "metadata.google.internal", "100.100.100.200", "fd00:ec2::254"})


class Address:
    """A base URL: `path` begins with a slash or is empty, and never ends with one. `host` is without brackets."""

    __slots__ = ("authority", "bare", "host", "origin", "path", "port", "scheme")

    def __init__(self, scheme: str, host: str, port: int, path: str, *, bare: bool = False) -> None:
        """`bare` means that the URL ended with the host, so that it says nothing of the path."""
        self.bare = bare
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        named = f"[{host}]" if ":" in host else host
        #: Host and, where it is not the scheme's own, port: what people know the server by.
        self.authority = named if port == _PORTS[scheme] else f"{named}:{port}"
        #: RFC 6454: scheme, host and port.
        self.origin = f"{scheme}://{self.authority}"

    def __str__(self) -> str:
        return self.origin + self.path

    @property
    def is_literal(self) -> bool:
        """Return whether the host is an address, which nobody has to look up."""
        return ":" in self.host or self.host.rpartition(".")[2].isdigit()

    @property
    def loopback(self) -> bool:
        """Whether what is sent there stays on this machine."""
        host = self.host.rstrip(".")
        return host in ("localhost", "::1") or host.endswith(".localhost") or _is_under(host, "127.")

    @property
    def forbidden(self) -> bool:
        """Whether a document has no business naming it: link-local, unspecified, or a cloud's metadata service."""
        if ":" in self.host:
            from ipaddress import IPv6Address  # rare, and not for free

            address = IPv6Address(self.host)
            inner = address.ipv4_mapped or address
            return inner.is_link_local or inner.is_unspecified or self.host in _METADATA
        host = self.host.rstrip(".")
        return host in _METADATA or _is_under(host, "169.254.") or _is_under(host, "0.")


def parse(text: str, *, bare: bool = False) -> Address:
    """The address that an absolute http or https URL names. Raises ValueError with the rest of a sentence. `bare` calls
    it a bare origin although a path was added.
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


def parse_endpoint(text: str) -> tuple[Address, str]:
    """The server of a URL that is called as it stands, and what is asked of it: path and query. Raises ValueError with
    the rest of a sentence.
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
    """A name, or an address of four decimal numbers: what ends in a number is an address (the WHATWG's host parser)."""
    labels = host.split(".")
    last = labels[-1].lower()
    if not (last.isdigit() or last.startswith("0x")):
        return all(labels)
    return len(labels) == 4 and all(
        each.isdigit() and str(int(each[:4])) == each and int(each) < 256 for each in labels
    )


def _is_under(host: str, network: str) -> bool:
    # A host whose last label is a number is an address; 127.evil.example is a name.
    return host.startswith(network) and host.rpartition(".")[2].isdigit()


def _is_ipv6(host: str) -> bool:
    from ipaddress import IPv6Address

    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False
