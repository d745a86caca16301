# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Say which setting may be missing when no connection to the upstream can be made: the proxy, or a client certificate.

Imported only after a failure.
"""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..settings.settings import Settings
    from ..text.addresses import Address

_WANTED = "CERTIFICATE_REQUIRED"
"""Part of the alert by which a server of TLS 1.3 asks for a certificate. Older versions have no alert of their own."""

_REFUSED = (
    _WANTED,
    "ALERT_HANDSHAKE_FAILURE",
    "ALERT_BAD_CERTIFICATE",
    "ALERT_UNKNOWN_CA",
    "ALERT_CERTIFICATE_UNKNOWN",
)


def proxy(settings: Settings, address: Address) -> str:
    """Return a clause that names `_PROXY`, if a variable that most programs obey names a proxy for this address."""
    if settings["PROXY"] is not None or address.loopback or _is_excepted(address):
        return ""
    names = (each for kind in (address.scheme, "all") for each in os.environ if each.lower() == f"{kind}_proxy")
    if name := next(filter(os.environ.get, names), ""):
        return f"; {name} is set, but this server uses only {settings.prefix}_PROXY"
    return ""


def _is_excepted(address: Address) -> bool:
    """Return True if `no_proxy` names the host or a domain above it. To import `urllib` takes two megabytes."""
    named = ",".join(value for name, value in os.environ.items() if name.lower() == "no_proxy").lower()
    found = {each.strip().lstrip(".") for each in named.split(",")} - {""}
    return "*" in found or address.authority in found or any(f".{address.host}".endswith(f".{each}") for each in found)


def certificate(problem: BaseException, settings: Settings) -> str:
    """Return a clause that names `_CLIENT_CERT`, if the upstream may have ended the handshake for lack of a certificate
    that it accepts.
    """
    alert = _alert(problem)
    if not any(each in alert for each in _REFUSED):
        return ""
    name = f"{settings.prefix}_CLIENT_CERT"
    if settings.client is not None:
        return f"; it may not accept the certificate of {name}"
    if _WANTED in alert:
        return f"; it wants a client certificate, which {name} names"
    return f"; it may want a client certificate, which {name} names"


def _alert(problem: BaseException | None) -> str:
    """Return OpenSSL's name of the TLS alert that ended the connection, or ""."""
    while problem is not None:
        for each in (problem, getattr(problem, "os_error", None)):
            if isinstance(each, ssl.SSLError) and "ALERT" in (getattr(each, "reason", None) or ""):
                return str(each.reason)
        problem = problem.__cause__ or problem.__context__
    return ""
