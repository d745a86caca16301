"""Test that results do not depend on how quickly they are made: the fast and the plain path write the same bytes.

Generated responses have what could deceive a search that comes first: secrets in many forms, hidden characters,
escapes, repeated names, unusual numbers, marks inside strings, and faults of every kind.
"""

from __future__ import annotations

import base64
import json
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from package.runtime.calls.plain_call import SILENT, CallUnderWay, ResultWriter, unheard
from package.runtime.core import jsonrpc, log
from package.runtime.core.catalog import Tool
from package.runtime.core.limits import Budget
from package.runtime.core.wire_formats import result_line
from package.runtime.http.exchange import Response, Sent
from package.runtime.result import response
from package.runtime.results.structured import OutputChecker
from package.runtime.text import sanitize
from package.runtime.text.redaction import Redactor
from package.runtime.text.sanitize import Shortened

from tests.hostile.plain_path import plain_path
from tests.hostile.plain_path import size as plain_size
from tests.runtime.parts import part
from tests.runtime.test_structured import FORMS, TABLE

SECRETS = ("hunter22", "100000.0", "100000.0", 'sk-"Live/7x\\', "08150815", "a\nb-cdefgh", "items", "e99", "!?+-*/$%")
SCHEMAS: dict[str, dict[str, Any] | None] = {"plain": None, **TABLE["schemas"]}
TOOLS = {
    name: Tool(
        name, {}, part({"path": ["/"], "output": FORMS.get(name, "written"), "fields": "fields"}), output_schema=schema
    )
    for name, schema in SCHEMAS.items()
}
STRINGS = (
    *(
        "",
        "x",
        "word " * 9,
        "é",
        "\u200b",
        "\u202e",
        "\x7f",
        "\x85",
        "😀\u200d😀",
        "\u0915\u094d\u200d",
        "[{",
        "]}",
        ",:",
        "}",
    ),
    *(
        '\\"',
        "\\\\",
        "\\/",
        "\\n",
        "\\b",
        "\\f",
        "\\u200b",
        "\\u0041",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud800",
        "\\\\u0068",
    ),
    *(
        "\\u0068unter22",
        "sk-\\u0022Live",
        "hunter",
        "%68unter22",
        "&quot;",
        "100000.0",
        "1e5",
        "\t",
        "\n",
        "\x01",
        "\\x",
    ),
)
NUMBERS = (
    *(
        "0",
        "-0",
        "1",
        "1.10",
        "1e5",
        "100000.0",
        "0.1E-7",
        "1E400",
        "08150815",
        "8150815",
        "12345678901234567890",
        "1e99",
    ),
    *("9" * 320, "NaN", "-", "1.", "1e16"),
)
NAMES = ("id", "price", "tags", "owner", "name", "items", "a", "b")
TYPES = ("application/json", "application/json; charset=utf-16", "text/plain", "application/json;charset=latin-1", "")
WIDE = ({"a": [1] * 200, "b": [1] * 100}, [{"a": {"c": [11] * 90}, "b": [[2] * 60, 3], "d": "x" * 300}])
IDENTITY = part({"name": "x", "version": "1"})
CHECKER = OutputChecker()


class Answers:
    """Generator of hostile responses."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def _string(self) -> str:
        random = self._random
        pieces = [random.choice(STRINGS) for _ in range(random.choice((0, 1, 1, 2, 4)))]
        if random.random() < 0.08:
            secret = random.choice(SECRETS)
            told = (json.dumps(secret)[1:-1], base64.b64encode(secret.encode()).decode(), secret)
            pieces.insert(random.randrange(len(pieces) + 1), random.choice(told))
        return f'"{"".join(pieces)}"'

    def _name(self) -> str:
        return self._string() if self._random.random() < 0.1 else f'"{self._random.choice(NAMES)}"'

    def value(self, depth: int = 0) -> str:
        """Return a JSON text; it is invalid if a piece of it is."""
        random = self._random
        kind = random.randrange(8 if depth < 5 else 5)
        if kind < 3:
            return self._string()
        if kind < 5:
            return random.choice(NUMBERS[:6]) if random.random() < 0.8 else random.choice((*NUMBERS, "true", "null"))
        comma, colon = (",", ":") if random.random() < 0.7 else (", ", " :\n")
        count = random.choice((0, 1, 2, 3, 8))
        if kind == 5:
            return f"[{comma.join(self.value(depth + 1) for _ in range(count))}]"
        return f"{{{comma.join(self._name() + colon + self.value(depth + 1) for _ in range(count))}}}"

    def _text(self) -> str:
        random = self._random
        text = self.value(-random.randrange(2))
        if random.random() < 0.02:
            text = "[" * random.choice((126, 127, 128)) + text + "]" * 127
        if random.random() < 0.25:
            text = text[: random.randrange(len(text) + 1)]
        for _ in range(random.choice((0, 0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice((*STRINGS, *'{}[],:\\"', '\\"')) + text[at + random.randrange(2) :]
        return text

    def next(self) -> tuple[Response, Sent, Redactor, int]:
        """Return a response, what was sent for it, a redactor, and how many bytes the result may show."""
        random = self._random
        kind = random.choice(TYPES) if random.random() < 0.2 else TYPES[0]
        charset = kind.partition("charset=")[2] or "utf-8"
        content = self._text().encode(charset, "replace" if charset == "latin-1" else "surrogatepass")
        if random.random() < 0.03:
            at = random.randrange(len(content) + 1)
            content = (
                content[:at] + random.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\0", b"\xef\xbb\xbf")) + content[at:]
            )
        fields = [("Content-Type", kind), *([("ETag", '"1"')] if random.random() < 0.1 else [])]
        arguments = (
            {"fields": random.choice(("a", "b.a", "items.id, tags", "owner.name"))} if random.random() < 0.2 else {}
        )
        tool = TOOLS[random.choice(list(TOOLS))]
        sent = Sent(tool, "GET", "/", [], "x://1", arguments)
        secrets = random.sample(SECRETS, random.choice((0, 1, 1, 2)))
        answer = Response(random.choice((200, 200, 200, 201, 404)), "OK", fields, content, cut=random.random() < 0.05)
        answer.kept = random.choice((0, answer.size))
        return (
            answer,
            sent,
            Redactor(secrets),
            2000 if b"[[[[" in content else random.choice((90, 200, 400, 2000)),
        )


def line(answer: Response, sent: Sent, redactor: Redactor, shown: int) -> bytes:
    """Return the line that the server writes."""
    call = CallUnderWay(sent.tool, {}, unheard, SILENT, None, Budget(1000.0, lambda: 0.0))
    try:
        call.result = response.interpret(answer, sent, redactor, shown)
    except (IndexError, ZeroDivisionError):  # a value nested too deeply for so little room; a server shows 2,000 bytes
        return b""
    ResultWriter(redactor, None, None, shown).redact(call)  # type: ignore[arg-type]
    if sent.tool.output_schema is not None and not call.result.is_error:
        call.result = CHECKER.keep(sent.tool, call.result)
    return result_line(1, call.result, "2026-07-28", IDENTITY)


@pytest.mark.parametrize(("first", "count"), [(0, 3000), pytest.param(3000, 100_000, marks=pytest.mark.slow)])
def test_the_plain_path_writes_the_same_bytes(first: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "event", lambda *told, **more: None)
    # Let responses be long enough for each way of the fast path.
    for module, name, length in ((response, "LARGEST_PARSED", 300), (sanitize, "_LONG", 16), (jsonrpc, "_LONG", 16)):
        monkeypatch.setattr(module, name, length)
    for seed in range(first, first + count):
        fast = line(*Answers(seed).next())
        with plain_path():
            plain = line(*Answers(seed).next())
        assert fast == plain, f"seed {seed}"


def test_a_value_is_shortened_alike_in_every_room() -> None:
    """Each size is measured only as far as it matters. At one room or another, it matters by one byte."""
    generated = [response.read_json(Answers(seed).value())[0] for seed in range(500)]
    for value in (*WIDE, *generated):
        for room in range(10, 250):
            fast = Shortened(value, room)
            with patch.object(sanitize, "_size", plain_size):
                plain = Shortened(value, room)
            assert (fast.value, fast.left_out, fast.items) == (plain.value, plain.left_out, plain.items), (value, room)
