"""Test parts of telemetry: ids of traces and spans, which requests count as retries, and the buckets of durations."""

from __future__ import annotations

import os
import re

import pytest
from package.runtime.request.request import Request, sender_fields
from package.runtime.telemetry.metrics import Buckets
from package.runtime.telemetry.operations import SPANS, TRACES, Ids, new_operation
from package.runtime.telemetry.recorder import Recorder
from package.runtime.telemetry.telemetry_settings import Telemetry
from package.runtime.text import addresses

from tests.runtime.table_stub import Catalog

ADDRESS = addresses.parse("http://127.0.0.1:8000")


@pytest.mark.parametrize(("ids", "digits"), [(SPANS, 16), (TRACES, 32)])
def test_ids_are_random_and_as_long_as_w3c_says(ids: Ids, digits: int) -> None:
    found = [ids.take() for _ in range(1000)]
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(f"[0-9a-f]{{{digits}}}", each) for each in found)


def test_an_id_of_zeros_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [bytes(16 * 256), bytes(range(1, 17)) * 256]
    monkeypatch.setattr(os, "urandom", lambda size: drawn.pop(0)[:size])
    assert Ids(16).take() == bytes(range(1, 17)).hex()


def test_a_process_made_by_fork_has_ids_of_its_own() -> None:
    SPANS.take()
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, SPANS.take().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 16).decode() not in [SPANS.take() for _ in range(300)]
    os.close(reading)
    os.close(writing)


def test_only_the_same_request_is_sent_again() -> None:
    """Count only the same request object as a retry.

    The request for a later page is no retry, even if it has the memory address of an earlier request.
    """
    catalog = Catalog()
    recorder = Recorder(Telemetry(), catalog, over_http=False)  # type: ignore[arg-type]
    operation = new_operation(recorder, "tools/call", 1, None)
    pages = [operation.sends(Request("GET", "/items"), ADDRESS).again for _ in range(3)]
    again = Request("GET", "/items")
    assert pages == [0, 0, 0]
    assert [operation.sends(again, ADDRESS).again for _ in range(3)] == [0, 1, 2]


def test_a_trace_that_the_request_names_itself_stays() -> None:
    traced = [("traceparent", "00-1-2-01"), ("tracestate", "a=b")]
    request = Request("GET", "/items")
    assert sender_fields(request, "x", traced)[2:] == traced
    request.headers = [("Traceparent", "of a hook"), ("User-Agent", "y")]
    assert sender_fields(request, "x", traced) == [("Accept-Encoding", "gzip, deflate")]


def test_each_duration_falls_in_the_bucket_that_its_bound_ends() -> None:
    buckets = Buckets((0.01, 0.02, 0.05))
    buckets.add([20_000_001, -5, 10_000_000, 10_000_001, 50_000_000, 60_000_000, 0])
    buckets.add([20_000_000])
    assert (buckets.counts, buckets.count) == ([3, 2, 2, 1], 8)
    assert buckets.sum == pytest.approx(0.170000002)
