"""Call the demo APIs in mcpgen with exact bytes, by the standard library's HTTP client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

CREDENTIALS = {"X-API-Key": "demo-key", "Authorization": "Bearer demo-token"}


class Sent(NamedTuple):
    """The parts of a request besides its target: a body with its content type, and further headers."""

    body: bytes | None = None
    media: str | None = None
    headers: Mapping[str, str] = {}


class Received(NamedTuple):
    """A response. Names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media(self) -> str | None:
        kind = self.headers.get("content-type")
        return None if kind is None else kind.partition(";")[0]

    def json(self) -> Any:
        return json.loads(self.body)

    def faults(self) -> list[tuple[str, str]]:
        """Return the location and name of each error that the problem document lists."""
        return [(fault["in"], fault["name"]) for fault in self.json()["errors"]]


NOTHING = Sent()


def with_headers(**headers: str) -> Sent:
    return Sent(headers={name.replace("_", "-"): value for name, value in headers.items()})


def of_json(value: Any, media: str = "application/json", **headers: str) -> Sent:
    return Sent(json.dumps(value).encode(), media, with_headers(**headers).headers)


def of_form(text: str, **headers: str) -> Sent:
    return Sent(text.encode(), "application/x-www-form-urlencoded", with_headers(**headers).headers)


def of_parts(*parts: tuple[str, str, bytes]) -> Sent:
    """Return a request with a multipart body.

    A part is a triple: the attributes after `form-data`, the content type or "", and the data.
    """
    pieces = []
    for attributes, media, data in parts:
        head = f"Content-Disposition: form-data; {attributes}" + (f"\r\nContent-Type: {media}" if media else "")
        pieces.append(b"--frontier\r\n" + head.encode() + b"\r\n\r\n" + data + b"\r\n")
    return Sent(b"".join(pieces) + b"--frontier--\r\n", "multipart/form-data; boundary=frontier")


def call(
    url: str, method: str, target: str, sent: Sent = NOTHING, credentials: Mapping[str, str] = CREDENTIALS
) -> Received:
    """Make one request on a new connection. `target` begins after the base path of `url`."""
    place = urlsplit(url)
    headers = {**credentials, **({} if sent.media is None else {"Content-Type": sent.media}), **sent.headers}
    with closing(HTTPConnection(place.netloc, timeout=120)) as connection:
        connection.request(method, place.path + target, sent.body, headers)
        answer = connection.getresponse()
        return Received(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())


def get(url: str, target: str, sent: Sent = NOTHING) -> Any:
    """Send a GET, and return the JSON of its response."""
    return call(url, "GET", target, sent).json()
