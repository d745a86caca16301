# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide what each caller may see and call, by the scopes and roles of its access token. No I/O.

A caller without an access token is identified by other means: a static token in the file that `<PREFIX>_HTTP_TOKENS`
names, or a loopback address. Such a caller has no scopes, so scopes restrict only callers with an access token.

A requirement is a list of alternatives, each a set of OAuth scopes (RFC 6750, section 3). A token meets a requirement
if it has all scopes of one alternative. A requirement without alternatives means that every caller may use the tool.
Roles come from a claim of the token. A view is the part of a catalog that callers with equal rights may use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ...core.catalog import Catalog, CatalogError
from ...core.effects import Fetched
from ...core.features import Features
from ...core.jsonrpc import INVALID_REQUEST, Batch, Request
from ..callers import ALL, claimed
from .admission import refused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ...core.jsonrpc import Message
    from ...core.spans import Peer
    from ...identity.identity import Identity
    from ...tables.table import Binding, Resource
    from ...tables.words import Feature
    from .admission import Answer, TokenGate


MOST_ROLES = 1000
"""Largest number of roles that are read from one token."""


# These roles replace those in `NAME_ROLES`: if they were added, every caller would get the operator's roles.
def roles_in(claims: Mapping[str, object], claim: str) -> frozenset[str]:
    """Return the roles in `claim`: the name of a claim, or a JSON Pointer (RFC 6901) such as `/realm_access/roles`.

    The value of the claim is a list of texts, or a text with roles separated by spaces. For any other value, there are
    no roles.
    """
    found = claimed(claims, claim)
    if isinstance(found, str):
        found = found.split()
    if not isinstance(found, list):
        return frozenset()
    return frozenset(each for each in found[:MOST_ROLES] if isinstance(each, str))


Requirement: TypeAlias = tuple[frozenset[str], ...]

_NEVER_ASKED = frozenset(["offline_access"])
"""Scopes that concern only a client and its authorization server. A resource server never lists them (RFC 9728)."""


def requirement(binding: Binding) -> Requirement:
    """Return the scope requirement in a tool's entry in `bindings.json`."""
    return tuple(frozenset(each) for each in binding.get("callerScopes", ()))


def is_met(required: Requirement, scopes: frozenset[str]) -> bool:
    """Return True if a token with these scopes meets the requirement."""
    return not required or any(each <= scopes for each in required)


def nearest(required: Requirement, scopes: frozenset[str]) -> frozenset[str]:
    """Return the alternative from which a token with these scopes lacks the fewest scopes.

    If several lack equally few, return the one with the most scopes.
    """
    if not required:
        return frozenset()
    return min(required, key=lambda each: (len(each - scopes), -len(each), sorted(each)))


def needed(requirements: Iterable[Requirement]) -> frozenset[str]:
    """Return a set of scopes with which a token meets every requirement.

    From each requirement, the alternative that adds the fewest scopes is taken.
    """
    found: frozenset[str] = frozenset()
    for required in sorted(set(requirements), key=lambda each: (len(each), sorted(map(sorted, each)))):
        found |= nearest(required, found)
    return found - _NEVER_ASKED


_KEY = b'"callerScopes":'


class View(Catalog):
    """Part of a catalog for some callers. `whole`: the catalog.

    `size`: size of this view's tool list in bytes, or 0 if this view has all tools of the catalog.
    """

    private = True

    def __init__(self, whole: Catalog, names: Collection[str] | None = None, hidden: Collection[str] = ()) -> None:
        """Create a view with the tools `names`, or all if None, and without the resources at the URIs in `hidden`."""
        self.__dict__.update(whole.__dict__)
        self.whole = whole
        self._without_asking = []
        self.size = 0
        self._hidden_uris = frozenset(hidden)
        self._names: dict[str, None] = dict.fromkeys(whole.names() if names is None else names)
        if len(self._names) < len(whole.names()):
            self.tools = [b"[" + b",".join(self._entries()) + b"]"]
            self.size = len(self.tools[0])

    def _entries(self) -> Iterator[bytes]:
        """Yield the `tools/list` entries of this view. If descriptions state how many tools there are, only this view's
        tools are counted.
        """
        own = {} if self.listing is None else self.listing.entries(self)
        for name in self._names if self.listing is None else self.listing.names(self):
            yield own.get(name) or self._described.text(name)

    def is_alike(self, other: View) -> bool:
        """Return True if both views of a catalog have equal tools, hidden resources and reasons for refusals."""
        return (self._names, self._hidden_uris, self.withheld) == (other._names, other._hidden_uris, other.withheld)

    def names(self) -> list[str]:
        """Return the names of the tools, in the order of `tools/list`."""
        return list(self._names)

    def has(self, name: str) -> bool:
        """Return True if this part of the catalog has a tool of this name."""
        return name in self._names

    def entries(self, feature: Feature) -> list[Any]:
        """Return the entries of resources.json or prompts.json, without the resources that this view hides from its
        callers.
        """
        found = self.whole.entries(feature)
        if feature != "resources":
            return found
        mine = (entry for entry in found if uri_of(entry) not in self._hidden_uris)
        return [entry for entry in mine if "tools" not in entry or any(map(self.has, entry["tools"]))]

    def requirements(self) -> dict[str, Requirement]:
        """Return the scopes that callers need, by tool name. Tools that need no scopes are left out.

        Tools whose entry in `bindings.json` is damaged are left out too, since nobody can call them.
        """
        if not self.binds(_KEY):
            return {}
        found: dict[str, Requirement] = {}
        for name in self._names:
            try:
                required = requirement(self._bound.line(name)) if _KEY in self._bound.text(name) else ()
            except CatalogError:
                continue
            if required:
                found[name] = required
        return found

    def resource_requirements(self) -> dict[str, Requirement]:
        """Return the scopes that callers need, by URI or URI template of a resource.

        Return {} if resources.json is damaged, since then nobody can read a resource.
        """
        try:
            entries = [entry for entry in self.entries("resources") if "binding" in entry]
        except CatalogError:
            return {}
        found = {uri_of(entry): requirement(entry["binding"]) for entry in entries}
        return {uri: required for uri, required in found.items() if required}


def uri_of(entry: Resource) -> str:
    """Return the URI or URI template of a resource, given its entry in resources.json."""
    listed = entry["listed"]
    return listed.get("uri") or listed["uriTemplate"]


MOST_VIEWS = 256
"""Largest number of cached views. There is one view for each set of scopes and roles."""

MOST_BYTES = 32 * 1024 * 1024
"""Largest size in bytes of the tool lists of all cached views."""

_CALLS = ("tools/call", "resources/read")
"""Methods that may send a request to the upstream."""

_NOTHING: frozenset[str] = frozenset()


class Access:
    """Rules for which tools and resources each caller of the server may use.

    - `roles`: roles that the operator sets (setting `<PREFIX>_ROLES`), for callers without an access token.
    - `claim`: claim of an access token that holds the caller's roles, or "".
    - `always`: scopes that every call needs (setting `<PREFIX>_AUTH_SCOPES`).
    - `checks`: True if callers can have access tokens. `gate` writes the `WWW-Authenticate` challenges of responses.
    - `first`: scopes that the operator wants clients to request at first (setting `<PREFIX>_AUTH_FIRST_SCOPES`), or
      None for those of tools and resources that only read. Clients request others once a call needs them.
    - `restricts`: True if some callers may use less than others.
    """

    def __init__(
        self,
        catalog: Catalog,
        roles: frozenset[str] = _NOTHING,
        claim: str = "",
        always: frozenset[str] = _NOTHING,
        checks: bool = False,
        gate: TokenGate | None = None,
        first: tuple[str, ...] | None = None,
    ) -> None:
        self._gate = gate
        self._first = first
        self._claim = claim
        self._always = always
        self._checks = checks
        self.renew(catalog, roles)

    def renew(self, catalog: Catalog, roles: frozenset[str]) -> None:
        """Use the tools of `catalog` and the operator's `roles` from now on, and drop the cached parts of the
        catalog.
        """
        whole = View(catalog)
        self._roles = roles
        self._whole = whole
        self._needs = whole.requirements() if self._checks else {}
        self._resources = whole.resource_requirements() if self._checks else {}
        self._for_roles = {name: frozenset(each) for name, each in catalog.roles.items()} if self._claim else {}
        self._views: dict[tuple[frozenset[str], frozenset[str]], View] = {}
        self._features: Features | None = None
        self._scopes = _NOTHING.union(*(each for required in self._all_needs() for each in required))
        self._known_roles = _NOTHING.union(*self._for_roles.values())
        if self._gate is not None:
            self._gate.tell(sorted(self.first_scopes()))
        self.restricts = bool(self._needs or self._resources or self._for_roles)

    def catalog(self, identity: Identity | None) -> Catalog:
        """Return the part of the catalog that a caller may use. `identity`: None for a caller without access token."""
        if not self.restricts:
            return self._whole.whole
        held = self._scopes if identity is None else identity.scopes & self._scopes
        roles = self._roles_of(identity) & self._known_roles
        view = self._views.pop((held, roles), None) or self._view(held, roles)
        self._views[held, roles] = view  # move it to the end, since the cache is ordered by last use
        return view

    @property
    def whole(self) -> Catalog:
        """Return the whole catalog, with the tools and resources of all callers."""
        return self._whole.whole

    def first_scopes(self) -> frozenset[str]:
        """Return the scopes that clients are told to request at first."""
        if self._first is not None and ALL not in self._first:
            return frozenset(self._first) | self._always
        tools = [each for name, each in self._needs.items() if self._first is not None or self._reads(name)]
        return needed([*tools, *self._resources.values()]) | self._always

    def refusal(self, peer: Peer, message: Message) -> Answer | None:
        """Return a 403 response if the caller's access token has too few scopes for the message, else None (security
        requirement A6).

        The response names all scopes that the message needs.
        """
        if self._gate is None or peer.identity is None:
            return None
        needed = self.lacking(peer.identity, message)
        if needed is None:
            return None
        sentence = f"The access token does not allow this call, which needs {' '.join(sorted(needed))}."
        challenge = self._gate.insufficient(sorted(needed))
        return refused(403, INVALID_REQUEST, sentence, ("WWW-Authenticate", challenge))

    def lacking(self, identity: Identity, message: Message) -> frozenset[str] | None:
        """If the token lacks a scope that the message needs, return all scopes that the message needs, else None.

        If the caller lacks a role for the tool, ask only for the scopes that every call needs, since more scopes would
        not help. Such a call is refused later.
        """
        needed: frozenset[str] = _NOTHING
        for request in message.messages if isinstance(message, Batch) else (message,):
            if isinstance(request, Request) and request.method in _CALLS:
                needed |= self._always | nearest(self._required(request, identity), identity.scopes)
        return None if needed <= identity.scopes else needed

    def _required(self, request: Request, identity: Identity) -> Requirement:
        """Return the scopes that the tool or resource of a request needs, without those that every call needs."""
        name, uri = request.params.get("name"), request.params.get("uri")
        if name in self._whole.finders:
            name = _inner(request.params.get("arguments"))
        if request.method == "tools/call" and isinstance(name, str):
            name = self._whole.resolve_alias(name)
            return self._needs.get(name, ()) if self._is_for(name, self._roles_of(identity)) else ()
        if request.method == "resources/read" and isinstance(uri, str) and self._resources:
            self._features = self._features or Features(self._whole)
            found = self._features.find(uri)
            return self._resources.get(uri_of(found.entry), ()) if isinstance(found, Fetched) else ()
        return ()

    def _roles_of(self, identity: Identity | None) -> frozenset[str]:
        return self._roles if identity is None else roles_in(identity.claims, self._claim) if self._claim else _NOTHING

    def _reads(self, name: str) -> bool:
        """Return True if the tool's annotations say that it only reads. Return False if its entry is damaged."""
        try:
            return not self._whole.writes(name)
        except CatalogError:
            return False

    def _is_for(self, name: str, roles: frozenset[str]) -> bool:
        return name not in self._for_roles or not roles.isdisjoint(self._for_roles[name])

    def _all_needs(self) -> Iterator[Requirement]:
        yield from self._needs.values()
        yield from self._resources.values()

    def _view(self, held: frozenset[str], roles: frozenset[str]) -> View:
        """Return the part of the catalog for a caller with the scopes `held` and these roles.

        Equal parts share one object.
        """
        mine = [name for name in self._whole.names() if self._is_for(name, roles)]
        kept = [name for name in mine if is_met(self._needs.get(name, ()), held)]
        hidden = {uri for uri, required in self._resources.items() if not is_met(required, held)}
        view = View(self._whole.whole, kept, hidden)
        of_others = "no role of this caller is one that it is for"
        view.withheld = {**view.withheld, **dict.fromkeys(set(self._whole.names()).difference(mine), of_others)}
        if (same := next(filter(view.is_alike, self._views.values()), None)) is not None:
            return same
        while self._views and (
            len(self._views) >= MOST_VIEWS or view.size + sum(each.size for each in self._views.values()) > MOST_BYTES
        ):
            del self._views[next(iter(self._views))]
        return view


def _inner(arguments: object) -> object:
    """Return the name of the inner tool in the arguments of `call_tool`, or None if there is none."""
    return arguments.get("name") if isinstance(arguments, dict) else None
