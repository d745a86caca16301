# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find out the account of a caller over HTTP, by a claim of its access token or by a file of the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..settings.credential_env import content
from ..settings.settings import NotReady

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.spans import Peer
    from ..settings.settings import Settings

_CLAIM, _SUBJECT = "claim:", "sub:"
_NOBODY = "This server does not know the account of this caller. Only its operator can set one, by {}_CALLER_ACCOUNTS."


class CallerAccounts:
    """The accounts of callers. `claim`: name of a claim, or a JSON Pointer to it; "" if `listed` says the account."""

    def __init__(self, claim: str, listed: Mapping[str, str]) -> None:
        self._claim = claim
        self._listed = listed

    def account(self, peer: Peer | None, settings: Settings) -> str:
        """Return the account of a caller. Raise NotReady if it has none."""
        identity = None if peer is None else peer.identity
        if self._claim:
            found = _value(identity.claims, self._claim) if identity is not None else None
        elif identity is not None:
            found = self._listed.get(_SUBJECT + identity.subject) if identity.subject else None
        else:
            found = self._listed.get(peer.principal) if peer is not None and peer.principal else None
        if not isinstance(found, str) or found not in settings.accounts:
            raise NotReady(_NOBODY.format(settings.prefix))
        return found

    def problems(self, variable: str, settings: Settings) -> list[str]:
        """Return sentences about accounts that the server does not have, and about callers that no issuer tells apart."""
        strange = sorted({*self._listed.values()} - settings.accounts.keys())
        found = [f"{variable} names the account {strange[0]}, which this server does not have."] if strange else []
        issuers = settings.listening["AUTH_ISSUER"] if settings.listening is not None else ()
        if len(issuers) > 1 and any(each.startswith(_SUBJECT) for each in self._listed):
            found.append(
                f"{variable} names callers by `sub:`, which needs one issuer in {settings.prefix}_AUTH_ISSUER."
            )
        return found


def read(value: str) -> CallerAccounts:
    """Return the accounts of callers. `value`: `claim:` and a claim of access tokens, or the path of a file.

    A line of the file is a caller and its account. A caller is a name in the file of tokens, or `sub:` and a subject.
    """
    if value.startswith(_CLAIM):
        return CallerAccounts(value.removeprefix(_CLAIM), {})
    try:
        text = content(value, "")
    except ValueError:
        raise ValueError("must be claim:NAME, or name a file of text in UTF-8 that can be read") from None
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or words[0] in found:
            raise ValueError(f"must name a file with a caller and its account on each line (line {number})")
        found[words[0]] = words[1]
    if not found:
        raise ValueError("names a file without callers")
    return CallerAccounts("", found)


def _value(claims: Mapping[str, object], claim: str) -> object:
    """Return the value of a claim, by its name or by a JSON Pointer (RFC 6901); None if there is none."""
    found: object = claims
    names = (
        [each.replace("~1", "/").replace("~0", "~") for each in claim[1:].split("/")] if claim[:1] == "/" else [claim]
    )
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found
