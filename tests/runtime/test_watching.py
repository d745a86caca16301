"""Test resources that clients watch: which can be watched, who is told of a change, and until when."""

from __future__ import annotations

import json
from typing import Any

import pytest
from package.runtime.core.notification_settings import MOST_URIS

from tests.runtime.conversation import FEATURED, Conversation
from tests.runtime.revisions import ENVELOPE, META, R1, R4

NEWS, FIND, GUIDE = "mirror://news", "mirror://find?in={place}&for={what}", "mirror://guide"
HOME = "mirror://find?in=home&for=keys"


@pytest.fixture
def talk() -> Conversation:
    found = Conversation(table=FEATURED)
    found.offer_polls(NEWS, FIND)
    return found


def said(id_: object, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


def greet(talk: Conversation, revision: str = R4) -> Any:
    return talk.ask(said(0, "initialize", protocolVersion=revision))[0]["result"]


def listen(talk: Conversation, id_: object, *uris: object) -> Any:
    wanted = {"resourceSubscriptions": uris}
    [told] = talk.ask(said(id_, "subscriptions/listen", notifications=wanted, _meta=ENVELOPE))
    return told["params"]["notifications"]


def heard(talk: Conversation, uri: str) -> list[Any]:
    """Let the resource change, and return the params of each notification."""
    talk.updated(uri)
    told = talk.take()
    assert {each["method"] for each in told} <= {"notifications/resources/updated"}
    return [each["params"] for each in told]


@pytest.mark.parametrize("revision", [R1, R4])
def test_a_client_is_told_of_what_it_subscribed_to_until_it_unsubscribes(talk: Conversation, revision: str) -> None:
    assert greet(talk, revision)["capabilities"]["resources"] == {"subscribe": True}
    assert talk.ask(said(1, "resources/subscribe", uri=NEWS))[0]["result"] == {}
    assert talk.ask(said(2, "resources/subscribe", uri=HOME))[0]["result"] == {}
    assert talk._protocol.polled().keys() == {NEWS, HOME}
    assert heard(talk, NEWS) == [{"uri": NEWS}]
    assert heard(talk, "mirror://find?in=car&for=keys") == []
    assert talk.ask(said(3, "resources/unsubscribe", uri=NEWS))[0]["result"] == {}
    assert heard(talk, NEWS) == []
    assert talk._protocol.polled().keys() == {HOME}
    greet(talk)
    assert talk._protocol.polled() == {}, "another handshake begins anew"


def test_a_stream_is_told_of_what_it_asked_for_until_it_is_cancelled(talk: Conversation) -> None:
    assert listen(talk, "a", NEWS, "mirror://nothing", 7, NEWS) == {"resourceSubscriptions": [NEWS]}
    assert listen(talk, "b", HOME, NEWS) == {"resourceSubscriptions": [HOME, NEWS]}
    assert listen(talk, "c") == {}
    assert heard(talk, NEWS) == [{"_meta": {META + "subscriptionId": id_}, "uri": NEWS} for id_ in "ab"]
    talk.say(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}\n')
    assert heard(talk, HOME) == []
    assert talk._protocol.polled().keys() == {NEWS}


@pytest.mark.parametrize(
    ("uri", "code", "words"),
    [
        ("mirror://nothing", -32002, "There is nothing at this URI."),
        ("mirror://result/1", -32002, "There is nothing at this URI."),
        (
            "mirror://pages/%C3%9Cberblick",
            -32602,
            "This resource is read when a client asks, and not watched for changes.",
        ),
        (7, -32602, "resources/subscribe needs params.uri, a string."),
    ],
)
def test_what_cannot_be_watched_is_refused(talk: Conversation, uri: object, code: int, words: str) -> None:
    greet(talk)
    problem = talk.ask(said(1, "resources/subscribe", uri=uri))[0]["error"]
    assert (problem["code"], problem["message"]) == (code, words)
    assert talk._protocol.watched == []


def test_a_client_watches_only_so_many(talk: Conversation) -> None:
    greet(talk)
    for number in range(MOST_URIS):
        talk.ask(said(number, "resources/subscribe", uri=f"mirror://find?in={number}&for=keys"))
    assert "error" not in talk.ask(said(200, "resources/subscribe", uri="mirror://find?in=0&for=keys"))[0]
    assert talk.ask(said(201, "resources/subscribe", uri=HOME))[0]["error"]["code"] == -32602
    many = [f"mirror://find?in={number}&for=keys" for number in range(MOST_URIS + 1)]
    assert len(listen(talk, "many", *many)["resourceSubscriptions"]) == MOST_URIS


def test_where_nothing_changes_there_is_nothing_to_subscribe_to() -> None:
    talk = Conversation(table=FEATURED)
    assert greet(talk)["capabilities"]["resources"] == {}
    assert talk.ask(said(1, "resources/subscribe", uri=GUIDE))[0]["error"]["code"] == -32601
    assert listen(talk, "a", GUIDE) == {}


def test_a_new_table_tells_what_it_changed() -> None:
    talk = Conversation(table=FEATURED, changes=True)
    assert greet(talk)["capabilities"]["resources"] == {"listChanged": True, "subscribe": True}
    talk.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    for number, uri in enumerate((GUIDE, "mirror://dot"), 1):
        assert "result" in talk.ask(said(number, "resources/subscribe", uri=uri))[0]
    listen(talk, "a", GUIDE)
    talk._protocol._features()._fixed[GUIDE]["text"] = "What it was before."
    talk.happen("renew featured")
    told = [each["params"] for each in talk.take() if each["method"] == "notifications/resources/updated"]
    assert told == [{"_meta": {META + "subscriptionId": "a"}, "uri": GUIDE}, {"uri": GUIDE}]
