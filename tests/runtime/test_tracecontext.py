"""Test W3C Trace Context: which trace headers an API gets if the client sends `traceparent` and related fields.

The tests use a raw socket, and a table of cases.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from package import hooks as users_file
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core import spans
from package.runtime.core.effects import Origin
from package.runtime.core.spans import Span
from package.runtime.hooks import Request
from package.runtime.http import tracecontext
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import quiet
from tests.runtime.upstream import Upstream, serving

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
GOOD = f"00-{TRACE}-{PARENT}-01"
BINDING = {"method": "GET", "path": ["/look"]}


def told(start: bool | None = None, **said: Any) -> dict[str, str]:
    """Return the trace headers, with `CALL` in place of the span id of the call."""
    span = Span(Origin(**said))
    return {name: value.replace(span.call, "CALL") for name, value in tracecontext.fields(span, start)}


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        (GOOD, f"00-{TRACE}-CALL-01"),
        (f"00-{TRACE}-{PARENT}-00", f"00-{TRACE}-CALL-00"),
        (f"00-{TRACE}-{PARENT}-ff", f"00-{TRACE}-CALL-03"),
        (f"cc-{TRACE}-{PARENT}-01-what-the-future-brings", f"00-{TRACE}-CALL-01"),
        (f"{GOOD}-more", None),
        (f"{GOOD}\r\nX-Evil: 1", None),
        (f"{GOOD}\n", None),
        (f" {GOOD}", None),
        (f"ff-{TRACE}-{PARENT}-01", None),
        (f"cc-{TRACE}-{PARENT}-01.more", None),
        (f"cc-{TRACE}-{PARENT}-01-{'x' * 512}", None),
        (f"00-{TRACE.upper()}-{PARENT}-01", None),
        (f"00-{'0' * 32}-{PARENT}-01", None),
        (f"00-{TRACE}-{'0' * 16}-01", None),
        (f"00-{TRACE}-{PARENT}", None),
        ("\uff10" + GOOD[1:], None),
        (None, None),
        (["00"], None),
    ],
)
def test_a_traceparent_is_written_anew_or_not_at_all(parent: object, expected: str | None) -> None:
    assert told(traceparent=parent).get("traceparent") == expected


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("a=1", "a=1"),
        ("rojo=00f067aa0ba902b7 , congo@vendor=t61rc ,, ", "rojo=00f067aa0ba902b7,congo@vendor=t61rc"),
        ("a=1,a=2", None),
        ("a=1,b", None),
        ("A=1", None),
        ("a=1\r\nX-Evil: 1", None),
        ("a=\u00e9", None),
        ("a=b=c", None),
        (",".join(f"k{n}=1" for n in range(32)), ",".join(f"k{n}=1" for n in range(32))),
        (",".join(f"k{n}=1" for n in range(33)), None),
        (f"a=1,b={'x' * 200},c={'x' * 200},d={'x' * 200}", f"a=1,b={'x' * 200},c={'x' * 200}"),
        (7, None),
    ],
)
def test_a_tracestate_comes_along_within_bounds(state: object, expected: str | None) -> None:
    assert told(traceparent=GOOD, tracestate=state).get("tracestate") == expected
    assert told(tracestate=state) == {}


@pytest.mark.parametrize(("start", "said"), [(None, {}), (False, {"traceparent": GOOD})])
def test_nothing_is_told(start: bool | None, said: dict[str, object]) -> None:
    assert told(start, **said) == {}


def test_a_trace_is_begun_where_that_is_asked_for_and_the_client_names_none() -> None:
    first, second = (told(True, traceparent=words)["traceparent"] for words in (None, "nonsense"))
    assert re.fullmatch(r"00-[0-9a-f]{32}-CALL-01", first)
    assert first != second
    assert told(True, traceparent=GOOD)["traceparent"] == f"00-{TRACE}-CALL-01"


@pytest.mark.parametrize(
    ("environ", "said", "heard"),
    [
        ({}, {"traceparent": GOOD, "tracestate": "a=1"}, [f"00-{TRACE}-CALL-01", "a=1"]),
        ({}, {"traceparent": "x\r\ny: z"}, []),
        ({}, {}, []),
        ({"PETSTORE_TRACE": "0"}, {"traceparent": GOOD}, []),
        ({"PETSTORE_TRACE": "1"}, {"traceparent": GOOD}, [f"00-{TRACE}-CALL-01"]),
    ],
)
def test_what_the_upstream_hears(environ: dict[str, str], said: dict[str, Any], heard: list[str]) -> None:
    assert sent(environ, said) == heard


def test_a_trace_that_a_hook_tells_of_is_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(tool: str, request: Request) -> Request:
        return request.with_header("TraceParent", "own")

    monkeypatch.setattr(users_file, "request_all", tell, raising=False)
    assert sent({"PETSTORE_TRACE": "1"}, {"traceparent": GOOD, "tracestate": "a=1"}) == ["own"]


def sent(environ: dict[str, str], said: dict[str, Any]) -> list[str]:
    """Make one call, and return the trace headers that it sends."""
    heard: list[str] = []

    async def scene(upstream: Upstream) -> None:
        catalog: Any = Catalog({"look": {"binding": BINDING}})
        caller = ToolExecutor(catalog, settings.load(catalog, environ, str(upstream.address())))
        span = Span(Origin(**said))
        spans.enter(span)
        await caller.call("look", {}, quiet)
        await caller.close()
        request = upstream.requests[0].decode().replace(span.call, "CALL")
        heard.extend(re.findall(r"(?im)^trace\w+: (.*)\r$", request))
        assert (span.requests, span.status, span.received) == (1, 200, 2)

    async def main() -> None:
        async with serving() as upstream:
            await asyncio.wait_for(scene(upstream), 30)

    asyncio.run(main())
    return heard
