"""Test log messages for clients: who gets them, from which level on, how many, and what is never in them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from package.runtime.core import log, spans
from package.runtime.core.effects import LOG_LEVELS
from package.runtime.http.sending import RequestLimiter
from package.runtime.serve.call_progress import BURST, LONGEST, SECONDS, CallLog
from package.runtime.settings.setting_parsers import Rate

from tests.runtime.conversation import Conversation
from tests.runtime.revisions import ENVELOPE, META, R1, R4

SECRET = "sk-SECRET-that-nobody-may-see"
DEBUG, NOTICE, ERROR = (LOG_LEVELS.index(level) for level in ("debug", "notice", "error"))


@pytest.fixture
def talk() -> Conversation:
    found = Conversation()
    found.offer_logging()
    return found


def said(id_: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


def greet(talk: Conversation, revision: str = R4) -> Any:
    return talk.ask(said(0, "initialize", protocolVersion=revision))[0]["result"]


@pytest.mark.parametrize("revision", [R1, R4])
def test_a_level_counts_for_the_calls_after_it(talk: Conversation, revision: str) -> None:
    assert greet(talk, revision)["capabilities"]["logging"] == {}
    talk.ask(said(1, "tools/call", name="wait"))
    assert talk.ask(said(2, "logging/setLevel", level="notice"))[0]["result"] == {}
    talk.ask(said(3, "tools/call", name="wait"))
    talk.ask(said(4, "logging/setLevel", level="error"))
    talk.ask(said(5, "tools/call", name="wait"))
    assert talk.levels == [None, NOTICE, ERROR]
    greet(talk)
    talk.ask(said(6, "tools/call", name="wait"))
    assert talk.levels[-1] is None, "another handshake begins anew"


def test_a_message_is_of_a_call_that_runs(talk: Conversation) -> None:
    greet(talk)
    talk.ask(said(1, "logging/setLevel", level="debug"))
    talk.ask(said(2, "tools/call", name="wait"))
    talk.happen("log 2 warning Tries again.")
    [heard] = talk.take()
    assert heard["method"] == "notifications/message"
    assert heard["params"] == {"level": "warning", "logger": "mirror", "data": "Tries again."}
    talk.happen("done 2 over")
    talk.happen("log 2 warning Too late.")
    assert [each.get("id") for each in talk.take()] == [2]


def test_a_stateless_request_names_its_own_level(talk: Conversation) -> None:
    greet(talk)
    talk.ask(said(1, "logging/setLevel", level="debug"))
    talk.ask(said(2, "tools/call", name="wait", _meta={**ENVELOPE, META + "logLevel": "error"}))
    talk.ask(said(3, "tools/call", name="wait", _meta=ENVELOPE))
    assert talk.levels == [ERROR, None]


@pytest.mark.parametrize("level", ["loud", "", None, 3, ["debug"]])
def test_what_is_no_level_is_refused(talk: Conversation, level: object) -> None:
    greet(talk)
    problem = talk.ask(said(1, "logging/setLevel", level=level))[0]["error"]
    assert problem["code"] == -32602
    assert "params.level, one of: debug, info," in problem["message"]
    talk.ask(said(2, "tools/call", name="wait"))
    assert talk.levels == [None]


def test_a_server_that_does_not_offer_it_says_nothing() -> None:
    quiet = Conversation()
    assert "logging" not in greet(quiet)["capabilities"]
    assert quiet.ask(said(1, "logging/setLevel", level="debug"))[0]["error"]["code"] == -32601
    quiet.ask(said(2, "tools/call", name="wait", _meta={**ENVELOPE, META + "logLevel": "debug"}))
    assert quiet.levels == [None]


def test_a_new_table_is_told_to_who_listens_from_notice_on() -> None:
    for level, told in (("notice", 1), ("warning", 0)):
        talk = Conversation(changes=True)
        talk.offer_logging()
        greet(talk)
        talk.ask(said(1, "logging/setLevel", level=level))
        talk.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        talk.happen("renew later")
        heard = [each["params"].get("data") for each in talk.take() if each["method"] == "notifications/message"]
        assert heard == ["The server was generated again: version 1.3.0, 3 tools."] * told


class Sent:
    """Message log of one call, with a clock that the test sets, and the messages that were sent."""

    def __init__(self, level: int = DEBUG) -> None:
        self.now = 0.0
        self.heard: list[tuple[str, Any]] = []
        self.log = CallLog(level, lambda level, text: self.heard.append((level, text)), lambda: self.now)


def test_messages_below_the_level_are_not_sent() -> None:
    sent = Sent(NOTICE)
    for level in LOG_LEVELS:
        sent.log(level, level)
    assert [level for level, _ in sent.heard] == [*LOG_LEVELS[NOTICE:]]


def test_too_many_messages_are_left_out_and_counted() -> None:
    sent = Sent()
    for number in range(BURST + 5):
        sent.log("info", str(number))
    assert [text for _, text in sent.heard] == [str(number) for number in range(BURST)]
    sent.now += SECONDS
    sent.log("info", "later")
    assert sent.heard[BURST:] == [
        ("warning", "Left out, because there were too many: 5 log messages of this call."),
        ("info", "later"),
    ]
    sent.log("info", "lost")
    sent.log.close()
    sent.log.close()
    assert sent.heard[BURST + 2 :] == [
        ("warning", "Left out, because there were too many: 1 log messages of this call.")
    ]


@pytest.mark.parametrize(("wanted", "level"), [("debug", "warning"), ("error", "error"), ("alert", "alert")])
def test_the_number_of_messages_left_out_is_sent_at_a_level_that_the_client_wants(wanted: str, level: str) -> None:
    sent = Sent(LOG_LEVELS.index(wanted))
    for number in range(BURST + 1):
        sent.log("emergency", str(number))
    sent.log.close()
    assert sent.heard[-1] == (level, "Left out, because there were too many: 1 log messages of this call.")


@pytest.fixture
def redacting() -> None:
    log.redact_with(lambda text: text.replace(SECRET, "[removed]"))


@pytest.mark.usefixtures("redacting")
def test_no_secret_and_no_second_line_is_in_a_message() -> None:
    sent = Sent()
    sent.log("info", f"It was {SECRET},\nand \u202e more" + "x" * LONGEST)
    [(_, text)] = sent.heard
    assert text.startswith("It was [removed], and more")
    assert len(text) == LONGEST + 1


def test_waiting_for_the_rate_is_told() -> None:
    heard: list[tuple[str, Any]] = []

    async def rest(seconds: float) -> None:
        return None

    async def scene() -> None:
        span = spans.Span()
        span.client_log = lambda level, text: heard.append((level, text))
        spans.enter(span)
        limiter = RequestLimiter(2, Rate(1, 3.0, "in 3 s"), lambda: 0.0, rest)
        for _ in range(2):
            await limiter.enter("a", 10.0)

    asyncio.run(scene())
    assert heard == [("info", "Waits 3.0 s, because this server sends no more than 1 request in 3 s.")]
