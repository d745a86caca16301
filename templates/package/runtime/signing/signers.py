# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Choose what signs the requests of a tool (`signing` of a security scheme in `bindings.json`)."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from ..settings.settings import NotReady

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Protocol

    from ..request.request import Request
    from ..tables.table import Scheme
    from ..text.addresses import Address

    class Signer(Protocol):
        """Interface of what signs requests."""

        def send(self, ask: Any, request: Request, address: Address) -> Awaitable[Any]:
            """Sign a request and send it by `ask(request, address)`, again if the API wants another signature."""


_KINDS = {"digest": "Digest", "sigv4": "Signature4"}
"""Word in `signing`, which is also the name of a module -> the class of its signers."""


def signing(
    put: Callable[[Request], None], scheme: Scheme, secrets: dict[str, str], address: Address
) -> Callable[[Request], None]:
    """Return a function that attaches credentials by `put`, and the signer of requests to the API at `address`.

    Raise NotReady if these requests cannot be signed.
    """
    names = scheme["variables"]
    values = tuple((role, secrets.get(name, "")) for role, name in names.items())
    try:
        signer = _signer(scheme["signing"], values, address.origin, address.host)
    except KeyError as lacking:
        raise NotReady(f"Its request cannot be signed: set {names[lacking.args[0]]}, {_UNTOLD}") from None

    def put_both(request: Request) -> None:
        put(request)
        request.signer = signer

    return put_both


_UNTOLD = "since the host of the API does not tell it, in the environment of this server."


# Tools share a signer, so that one challenge of the API is enough for all of them. No other origin shares it.
@lru_cache(maxsize=64)
def _signer(kind: str, values: tuple[tuple[str, str], ...], origin: str, host: str) -> Signer:
    """Return the signer of a credential, whose `values` have roles, for one origin. Raise KeyError for an absent
    role.
    """
    made: Callable[..., Signer] = getattr(import_module(f".{kind}", __package__), _KINDS[kind])
    return made(dict(values), host)
