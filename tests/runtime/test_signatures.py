"""Test signatures against the examples that their standards publish (`signatures.json`)."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from package.runtime.signing import digest, sigv4

FILE: Any = json.loads(Path(__file__).with_name("signatures.json").read_text(encoding="utf-8"))
PUBLISHED = [
    pytest.param(suite, request, id=name)
    for suite in FILE["sigv4"].values()
    for name, request in suite["requests"].items()
]


@pytest.mark.parametrize(("suite", "request_"), PUBLISHED)
def test_signatures_of_aws(suite: dict[str, str], request_: dict[str, Any]) -> None:
    fields = [("Host", suite["host"]), ("X-Amz-Date", suite["stamp"]), *request_.get("fields", ())]
    path = sigv4._path(request_.get("path", "/"), "/s3/" in suite["scope"])
    body = hashlib.sha256(request_.get("body", "").encode()).hexdigest()
    text, _ = sigv4.canonical(request_.get("method", "GET"), path, request_.get("query", ()), fields, body)
    assert sigv4.sign_text(suite["secret"], suite["stamp"], suite["scope"], text) == request_["signature"]


@pytest.mark.parametrize(("host", "found"), FILE["hosts"].items())
def test_service_and_region_of_a_host(host: str, found: list[str]) -> None:
    assert [*sigv4.read_host(host)] == found


@pytest.mark.parametrize("case", FILE["digest"].values(), ids=FILE["digest"])
def test_answers_to_challenges(case: dict[str, Any]) -> None:
    challenge = digest.find_challenge([("WWW-Authenticate", case["field"])])
    assert challenge is not None
    challenge.count += 1
    sent = challenge.answer(tuple(case["user"]), "GET", case["uri"], b"", case["cnonce"])
    found = dict(re.findall(r'([\w*]+)=("(?:[^"\\]|\\.)*"|[^,]*)', sent.removeprefix("Digest ")))
    assert found | case["sent"] == found


@pytest.mark.parametrize("field", [*FILE["unanswered"], f'Digest realm="{"a" * 5000}", nonce=b, qop=auth'])
def test_what_is_no_challenge_is_not_answered(field: str) -> None:
    assert digest.find_challenge([("www-authenticate", field)]) is None
