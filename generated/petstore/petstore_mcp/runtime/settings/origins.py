# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide to which servers and token endpoints calls and credentials may be sent.

The API description is trusted less than the operator. A URL of the description must have an origin that `bindings.json`
lists. It must use https unless its host is loopback, and must not be a link-local or metadata address. If the operator
sets a base URL, the list does not apply. Calls and credentials then go to the origin of that URL, and to hosts named by
ALLOW_HOSTS.
"""

from __future__ import annotations

from ..text.addresses import Address, origin_of, parse, parse_endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..tables.table import Server, ServerVariable

    class Destinations(Protocol):
        """Interface of the part of the settings (settings.Settings) that holds addresses.

        In place of an address that cannot be used, `servers` and `endpoints` hold a sentence that says why.
        """

        servers: list[Address | str]
        endpoints: dict[str, Endpoint | str]


class Endpoint:
    """Token endpoint of a security scheme: address of its server, and the path and query to request."""

    __slots__ = ("address", "target")

    def __init__(self, address: Address, target: str) -> None:
        self.address = address
        self.target = target


def kept_to(settings: Destinations) -> set[str]:
    """Return the origins to which the HTTP client may keep connections open: those of all known servers and token
    endpoints.
    """
    addresses = [found.address for found in settings.endpoints.values() if isinstance(found, Endpoint)]
    return {found.origin for found in [*settings.servers, *addresses] if isinstance(found, Address)}


class Discovery(Endpoint):
    """Discovery document of an OpenID provider, which names the token endpoint.

    `resolve` takes the URL that the document names, and returns an Endpoint. If the URL may not be used, it raises
    ValueError with a reason such as "must begin with https://".
    """

    __slots__ = ("resolve",)

    def __init__(self, place: Endpoint, resolve: Callable[[str], Endpoint]) -> None:
        super().__init__(place.address, place.target)
        self.resolve = resolve


def nowhere(prefix: str) -> str:
    """Return the error message for an API whose server URL is unknown."""
    return f"{prefix}_BASE_URL is not set, and the API's description does not say where its server is."


# The operator gave the secrets before the owner accepted a new origin, so it counts only after a restart
# (docs/decisions/origins.md).
class Listed:
    """Origins that `bindings.json` lists as accepted.

    `at_start`: the list when the server started, if a newer `bindings.json` was loaded since. Then only origins in both
    lists are accepted, because the operator has not seen new ones.
    """

    __slots__ = ("_all", "_known")

    def __init__(self, origins: list[str], at_start: list[str] | None = None) -> None:
        self._all = frozenset(origins)
        self._known = self._all if at_start is None else self._all.intersection(at_start)

    def missing(self, address: Address, url: str, variables: dict[str, ServerVariable] | None = None) -> str:
        """Return why no request may be sent to `address`, as the end of a clause, or "" if requests may be sent.
        `url`: the URL of `address` before its variables are filled in.

        An address may be used if `bindings.json` lists its origin. If the operator sets `variables` in the URL, the
        compiler could not list the resulting origin. Then the address may be used if two other origins are listed: that
        of the URL with its placeholders (`{name}`), and that of the URL with the default values.
        """
        filled = url
        for name, variable in (variables or {}).items():
            filled = filled.replace(f"{{{name}}}", str(variable.get("default", "")))
        # "" if the URL has no origin, because variables supply its scheme and host.
        wanted = {origin_of(url), origin_of(filled)} - {""}
        for listed, reason in ((self._known, ""), (self._all, "an origin that came after this server had started")):
            if address.origin in listed or wanted <= listed:
                return reason
        return "an origin that was not accepted when this server was generated"


# The accepted origins belong to the API that the operator's base URL replaces, so they no longer count
# (docs/decisions/origins.md).
class Rules:
    """Rules about where requests may be sent, set by the operator.

    `insecure` allows http to other machines, `hosts` are allowed by name, and `typed` is the operator's base URL, which
    replaces the API's first server. Without `typed`, the origins that `bindings.json` lists are allowed too.
    `unaccepted`: host that was refused since its origin is not listed -> reason.
    """

    __slots__ = ("_hosts", "_insecure", "_listed", "_prefix", "_shows_certificate", "_typed", "unaccepted")

    def __init__(
        self, prefix: str, listed: Listed, *, insecure: bool, hosts: frozenset[str], certificate: bool = False
    ) -> None:
        self._prefix = prefix
        self._listed = listed
        self._insecure = insecure
        self._hosts = hosts
        self._shows_certificate = certificate
        self._typed: Address | None = None
        self.unaccepted: dict[str, str] = {}

    def redirect(self, typed: Address) -> None:
        """Replace the API's first server by the URL `typed`, which the operator has set.

        Raise ValueError with a reason such as "must begin with https://" if that URL may not be used.
        """
        self._typed = self._secured(typed)

    def addresses(self, servers: list[Server], urls: list[str]) -> list[Address | str]:
        """Return, for each server, the address for its requests, or a sentence that says why there is none.

        `urls`: the URLs of `servers`, in the same order, with variables filled in.
        """
        first = self._described(urls[0]) if urls else nowhere(self._prefix)
        if self._typed and self._typed.bare:
            self._typed = self._with_path(self._typed, urls[0] if urls else "")
        base = self._typed or self._own(first, servers[:1])
        further = zip(servers[1:], urls[1:], strict=True)
        return [base, *(self._further(server, url, first, base) for server, url in further)]

    def endpoint(self, url: str, base: Address | str, described: str) -> Endpoint:
        """Return the token endpoint at `url`, a URL of the API description.

        `described`: the API's server URL in the description. `base`: the server address in use. If `url` has the origin
        of `described`, the returned endpoint has that of `base`. Raise ValueError with a reason such as "must begin
        with https://" if the endpoint may not be used.
        """
        if moved := self._beside_the_api(url, base, described):
            return moved
        address, target = parse_endpoint(url)
        self._believed(address)
        other = f"another host than {self._prefix}_BASE_URL" if self._typed and not self._is_named(address) else ""
        if reason := other or self._unaccepted(address, url):
            raise ValueError(self._elsewhere(address, reason))
        return Endpoint(address, target)

    def discovery(self, url: str, base: Address | str, described: str) -> Endpoint:
        """Return the address of an OpenID provider's discovery document. Raise ValueError with a reason if the address
        may not be used.

        The compiler cannot list the origin of the token endpoint as accepted, since the document is read only at run
        time. So a token endpoint with the same origin as the document is accepted without being listed.
        """
        place = self.endpoint(url, base, described)

        def resolve(named: str) -> Endpoint:
            if moved := self._beside_the_api(named, base, described):
                return moved
            address, target = parse_endpoint(named)
            self._believed(address)
            listed = self._typed is None and not self._listed.missing(address, named)
            if not (address.origin == place.address.origin or self._is_named(address) or listed):
                raise ValueError(self._elsewhere(address, "another origin than its own"))
            return Endpoint(address, target)

        return Discovery(place, resolve)

    def typed_endpoint(self, url: str) -> Endpoint:
        """Return the token endpoint at `url`, which the operator has set.

        Raise ValueError with a reason such as "must begin with https://" if it may not be used.
        """
        address, target = parse_endpoint(url)
        return Endpoint(self._secured(address), target)

    def redirected(self, urls: list[str]) -> str:
        """Return a warning if calls and credentials go to another host than that of the API's first server, because of
        the operator's base URL. Return "" if they do not, or if this other host is loopback.

        The warning ends a sentence that begins with the variable's name.
        """
        before, typed = self._described(urls[0]) if urls else "", self._typed
        if typed is None or not isinstance(before, Address) or before.host == typed.host or typed.loopback:
            return ""
        return f"sends calls and credentials to {typed.host} in place of {before.host}."

    def kept_path(self) -> str:
        """Return a note about the path that was added to the operator's base URL, or "".

        The note ends a sentence that begins with the variable's name: "has no path and keeps the API's own".
        """
        typed = self._typed
        if typed is None or not typed.bare or not typed.path:
            return ""
        return f"has no path and keeps the API's own: calls go to {typed}. With a slash at its end it has none."

    def foreign(self, address: Address) -> str:
        """Return why a redirect to another origin is not followed, as a clause, or "" if it may be followed.

        The operator must have listed the other origin's host in the environment variable that ends in `_ALLOW_HOSTS`.
        If the operator has set a client certificate, no redirect to another origin is followed, because the other
        server would see the certificate.
        """
        if self._shows_certificate:
            return "it leads to another origin, to which this server would show its certificate"
        if address.host not in self._hosts:
            return f"it leads to a host that {self._prefix}_ALLOW_HOSTS does not name"
        try:
            self._believed(address)
        except ValueError:
            return "it leads to an address that nothing is sent to"
        return ""

    # -- methods that choose the API's servers -----------------------------------------------------------------------

    def _described(self, url: str) -> Address | str:
        if "://" not in url:
            return nowhere(self._prefix)
        try:
            address = parse(url)
            self._believed(address)
        except ValueError as reason:
            return f"The server that the API's description names {reason}; {self._prefix}_BASE_URL can name another."
        return address

    @staticmethod
    def _with_path(typed: Address, url: str) -> Address:
        """Return the operator's base URL `typed`, which has no path, with the path of `url` added.

        `url`: URL of the API's first server, which may be relative.
        """
        _, absolute, rest = url.partition("://")
        path = rest[rest.find("/") :] if absolute and "/" in rest else "" if absolute else url
        try:
            return parse(f"{typed.origin}/{path.strip('/')}", bare=True)
        except ValueError:
            return typed  # the description's URL is unusable, so use the operator's URL unchanged

    def _own(self, first: Address | str, server: list[Server]) -> Address | str:
        """Return the API's first server, or a sentence that says why it may not be used. Call this only if the operator
        has set no base URL.
        """
        if isinstance(first, str):
            return first
        if reason := self._unaccepted(first, server[0]["url"], server[0].get("variables")):
            allow = f"Name that host in {self._prefix}_ALLOW_HOSTS to call it"
            other = f"or another server in {self._prefix}_BASE_URL"
            return f"The API's own server is on {first.host}, {reason}. {allow}, {other}."
        return first

    def _further(self, server: Server, url: str, first: Address | str, base: Address | str) -> Address | str:
        """Return the address of a server that only some operations use, or a sentence that says why it may not
        be used.
        """
        if "://" not in url:
            return base if isinstance(base, str) else self._beside(base, url)
        own, typed = self._described(url), self._typed
        if isinstance(own, str) or self._is_named(own):
            return own
        if typed is None:
            reason = self._unaccepted(own, server["url"], server.get("variables"))
            name = f"Name that host in {self._prefix}_ALLOW_HOSTS to call it."
            return f"The server of this operation is on {own.host}, {reason}. {name}" if reason else own
        if isinstance(first, Address) and own.origin == first.origin:
            return self._beside(typed, own.path or "/")
        return (
            f"{self._prefix}_BASE_URL stands for the API's own server, and this operation is on another, {own.host}. "
            f"Name that host in {self._prefix}_ALLOW_HOSTS to call it."
        )

    def _beside(self, base: Address, path: str) -> Address | str:
        """Return the server at `path` on the host of `base`, or a sentence that says why it cannot be used."""
        try:
            return parse(base.origin + path if path.startswith("/") else f"{base}/{path}")
        except ValueError as reason:
            return f"The server that the API's description names {reason}; {self._prefix}_BASE_URL can name another."

    # -- checks that several methods use ------------------------------------------------------------------------------

    def _is_named(self, address: Address) -> bool:
        """Return True if the operator has listed the host of `address` in the environment variable that ends in
        `_ALLOW_HOSTS`, or has set a base URL with the origin of `address`.
        """
        return address.host in self._hosts or (self._typed is not None and address.origin == self._typed.origin)

    def _unaccepted(self, address: Address, url: str, variables: dict[str, ServerVariable] | None = None) -> str:
        """Return why requests to `address` are not allowed, or "". `url`: its URL as written in `bindings.json`.

        Also record the reason in `unaccepted`.
        """
        reason = "" if self._is_named(address) else self._listed.missing(address, url, variables)
        if reason:
            self.unaccepted[address.host] = reason
        return reason

    def _beside_the_api(self, url: str, base: Address | str, described: str) -> Endpoint | None:
        """Return the token endpoint at `url` if it is on the API's own host, else None.

        Raise ValueError with a reason if the endpoint is on that host and cannot be used.
        """
        if "://" not in url:
            if isinstance(base, str):
                raise ValueError("is relative to a server that is not known")
            return self.typed_endpoint(base.origin + url if url.startswith("/") else f"{base}/{url.removeprefix('./')}")
        address, target = parse_endpoint(url)
        before = self._described(described)
        if isinstance(base, Address) and isinstance(before, Address) and before.origin == address.origin:
            return Endpoint(Address(base.scheme, base.host, base.port, ""), target)
        return None

    def _elsewhere(self, address: Address, reason: str) -> str:
        allow = f"{self._prefix}_ALLOW_HOSTS"
        return f"is on {address.host}, {reason}: name that host in {allow} to fetch tokens there"

    def _secured(self, address: Address) -> Address:
        """Return `address`. Raise ValueError with a reason if it uses http although https is required."""
        if address.scheme == "http" and not (address.loopback or self._insecure):
            raise ValueError(f"must begin with https:// unless {self._prefix}_ALLOW_HTTP is 1")
        return address

    def _believed(self, address: Address) -> None:
        """Raise ValueError with a reason if `address` is forbidden in API descriptions, for example because it is
        link-local.
        """
        self._secured(address)
        if address.forbidden:
            raise ValueError("must not be a link-local or metadata address")
