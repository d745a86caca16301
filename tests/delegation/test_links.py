"""Test login links in the process of the tests: what many links cost the callers that share a server."""

from __future__ import annotations

import asyncio
import time
from contextvars import copy_context
from typing import Any, cast

import pytest
from package.runtime.core import spans
from package.runtime.core.effects import Dialogue, Origin
from package.runtime.core.wire_formats import OtherOutcome, Question
from package.runtime.delegation.caller_credentials import Credentials
from package.runtime.delegation.delegation_settings import USER, CallerCredential, Delegation, Provider
from package.runtime.delegation.kept_logins import Logins
from package.runtime.http_server.sealed.seal import Seal
from package.runtime.http_server.streamable.admission import Peer
from package.runtime.settings.origins import Endpoint
from package.runtime.text.addresses import parse
from package.runtime.text.redaction import REDACTED, Redactor

AUTHORIZATION = "https://accounts.example.com/authorize"


def delegation() -> Delegation:
    """Return the settings of a scheme for which users log in at a server without metadata."""
    found = Delegation("account", "PETS_ACCOUNT_AS", USER)
    token = Endpoint(parse("https://accounts.example.com"), "/token")
    found.provider = Provider("", [], token, AUTHORIZATION, lambda url: token)
    found.client, found.redirect = ("pets", ""), "https://mcp.example.com/mcp/callback/pets-account"
    return found


async def link(credentials: Credentials, own: CallerCredential) -> str:
    """Begin a login, and return its link."""
    spans.enter(spans.Span(Origin(peer=Peer("anna"))))
    with pytest.raises(OtherOutcome) as raised:
        await credentials.ensure(own, "get_pet", Dialogue("result", "2026-07-28", urls="result"), cast(Any, print))
    outcome = raised.value.outcome
    assert isinstance(outcome, Question)
    assert outcome.visit is not None
    return str(outcome.visit.url)


def test_links_of_a_scheme_are_one_secret() -> None:
    """A secret for each link would stay as long as the oldest call, and each result would be searched for all."""
    redactor, learned = Redactor([]), set()

    def learn(secret: str, source: str) -> None:
        learned.add((secret, source))
        redactor.learn(secret, source)

    async def main() -> list[str]:
        seal = Seal([b"5" * 32], "pets 1", time.time)
        credentials = Credentials("pets", seal, cast(Any, None), Logins(seal, None, time.time))
        credentials.connect(cast(Any, None), 1.0, learn)
        own = CallerCredential(delegation(), ("pets:read",), cast(Any, print))
        return [await link(credentials, own) for _ in range(20)]

    with redactor.during():
        links = copy_context().run(asyncio.run, main())
    assert len(set(links)) == 20
    assert len(learned) == 1
    for each in links:
        assert redactor.text(f"Open {each} now.").startswith(f"Open {REDACTED}&state=")
