"""Test with a table of cases which requests are sent again, and after which pause."""

from __future__ import annotations

import pytest
from package.runtime.http import sending
from package.runtime.http.client import Failure
from package.runtime.http.exchange import Response
from package.runtime.http.sending import pause
from package.runtime.request.request import Request

SAFE = ("GET", "HEAD", "OPTIONS", "QUERY")
CHANGING = ("PUT", "DELETE", "POST", "PATCH")
DATE = "Wed, 21 Oct 2026 07:28:00 GMT"
LATER = "Wed, 21 Oct 2026 07:28:10 GMT"

REFUSED = Failure("", sent=False, end="refused")
CLOSED = Failure("", sent=True, end="closed")
STALE = Failure("", sent=True, end="stale")
OTHER = Failure("", sent=True)


def status(number: int, **fields: str) -> Response:
    return Response(number, "", [(name.replace("_", "-"), value) for name, value in fields.items()])


def asked(method: str, outcome: Response | Failure, tries: int = 1, left: float = 30, chance: float = 0.0) -> object:
    return pause(Request(method, "/"), outcome, tries, left, chance)


def keyed(outcome: Response | Failure, tries: int = 1) -> object:
    request = Request("POST", "/")
    request.headers = [("Accept", "*/*"), ("idempotency-KEY", "k")]
    return pause(request, outcome, tries, 30, 0.0)


@pytest.mark.parametrize("method", SAFE + CHANGING)
def test_rel_04_what_was_not_sent_goes_again_whatever_it_is(method: str) -> None:
    assert asked(method, REFUSED) == 0.25
    assert asked(method, OTHER) is None


@pytest.mark.parametrize("outcome", [CLOSED, *(status(number) for number in (408, 429, 502, 503, 504))])
def test_rel_04_what_was_sent_goes_again_only_where_that_does_no_harm(outcome: Response | Failure) -> None:
    assert [asked(method, outcome) for method in SAFE] == [0.25] * 4
    assert keyed(outcome) == 0.25
    assert [asked(method, outcome) for method in CHANGING] == [None] * 4


@pytest.mark.parametrize("number", [200, 204, 301, 400, 401, 403, 404, 409, 425, 500, 501, 505])
def test_other_answers_stand(number: int) -> None:
    assert asked("GET", status(number, Retry_After="1")) is None
    assert keyed(status(number, Retry_After="1")) is None


def test_rel_04_a_connection_that_was_kept_too_long_is_replaced_at_once() -> None:
    assert [asked(method, STALE) for method in (*SAFE, "PUT", "DELETE")] == [0.0] * 6
    assert [asked(method, STALE) for method in ("POST", "PATCH")] == [None] * 2
    assert keyed(STALE) == 0.0
    assert asked("GET", STALE, tries=2) == 0.5
    assert [asked(method, STALE, tries=2) for method in ("PUT", "DELETE")] == [None] * 2


def test_pauses_grow_by_chance_and_end() -> None:
    assert [asked("GET", REFUSED, tries) for tries in (1, 2, 3)] == [0.25, 0.5, None]
    assert [asked("GET", REFUSED, tries, chance=0.5) for tries in (1, 2)] == [0.375, 0.75]
    assert sending.MOST_TRIES == 3


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"Retry_After": "2"}, 2),
        ({"Retry_After": " 2 "}, 2),
        ({"Retry_After": "15"}, 15),
        ({"Retry_After": "16"}, None),
        ({"Retry_After": "999999999"}, None),
        ({"Retry_After": "9" * 1_000_000}, None),
        ({"Retry_After": LATER, "Date": DATE}, 10),
        ({"Retry_After": "Wed, 21 Oct 2036 07:28:00 GMT", "Date": DATE}, None),
        # Without a valid Retry-After, the runtime's own pause applies.
        ({"Retry_After": "0"}, 0.25),
        ({"Retry_After": "-1"}, 0.25),
        ({"Retry_After": "1.5"}, 0.25),
        ({"Retry_After": "soon"}, 0.25),
        ({"Retry_After": "\u0662"}, 0.25),
        ({"Retry_After": LATER}, 0.25),
        ({"Retry_After": DATE, "Date": LATER}, 0.25),
        ({"Retry_After": "Mon, 01 Jan 2024 00:00:00 +9999999999999", "Date": DATE}, 0.25),
        ({"Retry_After": LATER, "Date": "Mon, 01 Jan 2024 00:00:00 +9999999999999"}, 0.25),
    ],
)
def test_up_20_retry_after_is_obeyed_where_time_is_left(fields: dict[str, str], expected: float | None) -> None:
    for number in (429, 503):
        assert asked("GET", status(number, **fields)) == expected


def test_up_20_not_all_come_back_at_the_moment_that_was_named() -> None:
    assert asked("GET", status(503, Retry_After="2"), chance=0.5) == 2.25
    assert asked("GET", status(503, Retry_After="2"), tries=2, chance=0.5) == 2.5


def test_a_pause_leaves_as_much_time_for_the_answer() -> None:
    assert asked("GET", status(503, Retry_After="2"), left=4) == 2
    assert asked("GET", status(503, Retry_After="2"), left=3.9) is None
    assert asked("GET", REFUSED, left=0.4) is None
