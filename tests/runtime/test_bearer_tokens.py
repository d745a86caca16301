"""Test that the word Bearer before a token is taken off, where a server writes this word itself, and only there."""

from __future__ import annotations

import pytest
from package.runtime.settings import credential_env, credentials

from tests.runtime.test_credentials import SECURITY


@pytest.mark.parametrize(
    ("variable", "scheme", "sent"),
    [
        ("P_BEARER", "bearer", ("header", "Authorization", "Bearer abcdef")),
        ("P_OAUTH", "oauth", ("header", "Authorization", "Bearer abcdef")),
        ("P_HEAD", "head", ("header", "X-Key", "bearer  abcdef")),
    ],
)
def test_the_word_bearer_is_sent_once(variable: str, scheme: str, sent: tuple[str, str, str]) -> None:
    secrets, problems, oddities = credential_env.read(SECURITY, {variable: "bearer  abcdef"})
    warned = [] if scheme == "head" else [f"{variable} begins with the word Bearer; it was taken off."]
    assert credentials.written([SECURITY[scheme]], secrets) == [sent]
    assert (problems, oddities) == ([], warned)
