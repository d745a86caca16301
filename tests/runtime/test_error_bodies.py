"""Generate error bodies in the formats of many APIs, and check that no code, type, title or message of them is lost."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from package.runtime.core.catalog import Tool
from package.runtime.http.exchange import Response, Sent
from package.runtime.result.failures import explain
from package.runtime.text.redaction import Redactor

from tests.runtime.parts import part

KEPT = (
    *("code", "type", "status", "title", "detail", "message", "msg", "reason"),
    *("error", "error_description", "instance"),
)
STATUSES = (400, 401, 403, 404, 409, 412, 422, 429, 500, 503)
SEED, BODIES = 38, 4_000


class Bodies:
    """Generator of error bodies. All texts in them are distinct, so that a text that is lost is noticed."""

    def __init__(self) -> None:
        self._random, self._count = random.Random(SEED), 0

    def word(self) -> str:
        self._count += 1
        return self._random.choice(("Word{}", "WORD_{}", "word-{}", "https://w.example/{}", "A word {}.")).format(
            self._count
        )

    def some(self, *names: str, **more: Any) -> dict[str, Any]:
        """Return an object with some of the members `names`, each a text or a number, and the members `more`."""
        chosen = [name for name in names if self._random.random() < 0.7]
        values = {name: self.word() if self._random.random() < 0.9 else 100_000 + self._count for name in chosen}
        return {**values, **{name: each for name, each in more.items() if self._random.random() < 0.7}}

    def several(self, *names: str, **more: Any) -> list[dict[str, Any]]:
        return [self.some(*names, **more) for _ in range(self._random.randint(0, 4))]

    def made(self, status: int) -> Any:
        """Return an error body for a response with this status."""
        pointer = {"source": {"pointer": f"/data/{self.word()}"}}
        return self._random.choice(
            (
                lambda: {"error": self.some("code", "message", target="name", details=self.several("code", "message"))},
                lambda: {"errors": self.several("code", "title", "detail", status=str(status), **pointer)},
                lambda: self.some("type", "title", "detail", "instance", status=status, errors=self.several("detail")),
                lambda: {"error": self.some("message", "status", code=status, details=self.several("reason"))},
                lambda: {"error": self.some("type", "code", "message", param="a[0]", doc_url="https://x.example/")},
                lambda: self.some("error", "error_description", error_uri="https://x.example/"),
                lambda: self.some("error", "code", statusCode=status, message=[self.word(), self.word()]),
                lambda: {"detail": self.several("type", "msg", loc=["body", "name"], input=1)},
                lambda: self.some("message", "code", errors={"name": self.some("message", "type"), "x": [self.word()]}),
                lambda: {"errors": [self.word()], "error": self.some("code", "message", innererror=self.some("code"))},
            )
        )()


def texts(value: Any) -> Iterator[str]:
    """Yield the texts and numbers of the members KEPT, at any depth."""
    for each in value if isinstance(value, list) else ():
        yield from texts(each)
    for name, each in value.items() if isinstance(value, dict) else ():
        found = each if isinstance(each, list) else [each]
        yield from (str(one) for one in found if name in KEPT and isinstance(one, str | int))
        yield from texts(each)


@pytest.mark.parametrize("status", STATUSES)
def test_no_code_type_or_title_of_an_error_is_lost(status: int) -> None:
    bodies, redactor = Bodies(), Redactor([])
    tool = Tool("t", {}, part({"path": ["/p"]}))
    for _ in range(BODIES // len(STATUSES)):
        body = bodies.made(status)
        answer = Response(status, "", [("Content-Type", "application/json")], json.dumps(body).encode())
        told = explain(answer, Sent(tool, "POST", "/p", [], "s://result/1"), redactor)
        assert [text for text in texts(body) if text.rstrip(".") not in told] == [], (body, told)
