# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Where each server of the table is: what its description says, and what the operator typed instead.

A description is believed less than the operator: https unless loopback, and no link-local or metadata address. Where
the operator typed a base URL, calls and credentials go there: a server of the same origin as the API's first moves
along, and one of another origin is not called unless its host is allowed by name.
"""

from __future__ import annotations

from .addresses import Address, parse, parse_endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Endpoint:
    """Where access tokens are fetched: a server, and the path and query to ask there."""

    __slots__ = ("address", "target")

    def __init__(self, address: Address, target: str) -> None:
        self.address = address
        self.target = target


class Discovery(Endpoint):
    """Where an OpenID provider says where its tokens are fetched. `resolve` makes an Endpoint of what it says, or
    raises ValueError with the rest of a sentence.
    """

    __slots__ = ("resolve",)

    def __init__(self, place: Endpoint, resolve: Callable[[str], Endpoint]) -> None:
        super().__init__(place.address, place.target)
        self.resolve = resolve


def nowhere(prefix: str) -> str:
    """The sentence for a server that nobody names."""
    return f"{prefix}_BASE_URL is not set, and the API's description does not say where its server is."


class Rules:
    """What the operator allows: `insecure` http to other machines, and `hosts` beside the one that was typed."""

    __slots__ = ("_hosts", "_insecure", "_prefix")

    def __init__(self, prefix: str, *, insecure: bool, hosts: frozenset[str]) -> None:
        self._prefix = prefix
        self._insecure = insecure
        self._hosts = hosts

    def secured(self, address: Address) -> Address:
        """`address`. Raises ValueError with the rest of a sentence where it would send in the clear."""
        if address.scheme == "http" and not (address.loopback or self._insecure):
            raise ValueError(f"must begin with https:// unless {self._prefix}_ALLOW_HTTP is 1")
        return address

    def addresses(self, urls: list[str], typed: Address | None) -> list[Address | str]:
        """The address of each URL of the description, or why it cannot be used; `typed` stands for the first."""
        first = self._described(urls[0]) if urls else nowhere(self._prefix)
        base = typed or first
        return [base, *(self._further(url, first, base, typed) for url in urls[1:])]

    def endpoint(self, url: str, base: Address | str, described: str) -> Endpoint:
        """Where the description says that tokens are fetched. Raises ValueError with the rest of a sentence. What is on
        the machine of the API moves along with it: `base` is its address, `described` the URL that its description
        gives.
        """
        if "://" not in url:
            if isinstance(base, str):
                raise ValueError("is relative to a server that is not known")
            return self.typed_endpoint(base.origin + url if url.startswith("/") else f"{base}/{url}")
        address, target = parse_endpoint(url)
        if address.forbidden:
            raise ValueError("must not be a link-local or metadata address")
        before = self._described(described)
        if isinstance(base, Address) and isinstance(before, Address) and before.origin == address.origin:
            return Endpoint(Address(base.scheme, base.host, base.port, ""), target)
        return Endpoint(self.secured(address), target)

    def discovery(self, url: str, base: Address | str, described: str) -> Endpoint:
        """The same for a provider that is asked first; what it names is held to the same rules."""
        return Discovery(self.endpoint(url, base, described), lambda named: self.endpoint(named, base, described))

    def typed_endpoint(self, url: str) -> Endpoint:
        """Where the operator says that tokens are fetched. Raises ValueError with the rest of a sentence."""
        address, target = parse_endpoint(url)
        return Endpoint(self.secured(address), target)

    def redirected(self, typed: Address, urls: list[str]) -> str:
        """The rest of a sentence that warns where `typed` takes credentials to another host; else empty."""
        before = self._described(urls[0]) if urls else ""
        if not isinstance(before, Address) or before.host == typed.host or typed.loopback:
            return ""
        return f"sends calls and credentials to {typed.host} in place of {before.host}."

    def _described(self, url: str) -> Address | str:
        if "://" not in url:
            return nowhere(self._prefix)
        try:
            address = self.secured(parse(url))
            if address.forbidden:
                raise ValueError("must not be a link-local or metadata address")
        except ValueError as reason:
            return f"The server that the API's description names {reason}; {self._prefix}_BASE_URL can name another."
        return address

    def _further(self, url: str, first: Address | str, base: Address | str, typed: Address | None) -> Address | str:
        """A server that some operations have of their own."""
        if "://" not in url:
            return base if isinstance(base, str) else self._beside(base, url)
        own = self._described(url)
        if typed is None or isinstance(own, str) or own.host in self._hosts:
            return own
        if isinstance(first, Address) and own.origin == first.origin:
            return self._beside(typed, own.path or "/")
        return (
            f"{self._prefix}_BASE_URL stands for the API's own server, and this operation is on another, {own.host}. "
            f"Name that host in {self._prefix}_ALLOW_HOSTS to call it."
        )

    def _beside(self, base: Address, path: str) -> Address | str:
        """The server at `path` on the machine of `base`."""
        try:
            return parse(base.origin + path if path.startswith("/") else f"{base}/{path}")
        except ValueError as reason:
            return f"The server that the API's description names {reason}; {self._prefix}_BASE_URL can name another."
