"""Run an HTTP API, given a table of its routes.

Each `Route` declares the inputs of an operation, and `Api` reads and checks all of them before it calls the handler.
The response to a wrong request lists all of its faults. Handlers get checked values by their names in the request, the
body under "body". They return an `Answer` or raise a `Refusal`. Unknown query parameters are refused; undeclared
headers and cookies are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from mcpgen.demo import wire
from mcpgen.demo.checks import Check, Fault, Report, unknown
from mcpgen.demo.http import Answer, Request

_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"


class WrongBody(Exception):
    """A body has a wrong content type, is too large, or cannot be parsed."""

    def __init__(self, status: int, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.kind = status, kind


_Reader = Callable[[bytes, Mapping[str, str], Report], Any]
"""Function that converts the bytes of a body to a checked value, given the parameters of its content type."""


@dataclass(frozen=True, slots=True)
class Body:
    """The one content type that an operation accepts, and the reader for it. `limit`: maximum size of a body in
    bytes.
    """

    media: str
    reader: _Reader
    limit: int | None = None

    def read(self, request: Request, report: Report) -> Any:
        """Return the checked value of the body. Raise WrongBody if its content type is not `media`, if it is larger
        than `limit`, or if it cannot be parsed.
        """
        kind, attributes = wire.media_type(request.header("Content-Type"))
        if kind != self.media:
            detail = f"This operation reads {self.media}, and not {kind or 'a body without a content type'}."
            raise WrongBody(415, "wrong-media-type", detail)
        if self.limit is not None and len(request.body) > self.limit:
            detail = f"The body has {len(request.body)} bytes; this operation accepts at most {self.limit}."
            raise WrongBody(413, "too-large", detail)
        try:
            return self.reader(request.body, attributes, report)
        except wire.Unreadable as unreadable:
            raise WrongBody(400, "unreadable-body", f"The body {unreadable}.") from None


Given = Mapping[str, Any]
Held = TypeVar("Held", bound=AbstractContextManager[Any])
"""State that handlers share: a context manager that `Api` enters around each call.

Entering takes a lock, so calls run one at a time. The changes of a refused call are undone.
"""
Handler = Callable[[Held, Given], Answer]

PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation, in the path, the query, a header or a cookie."""

    place: str
    name: str
    check: Check
    style: wire.Style
    required: bool = False
    default: Any = None


def path(name: str, check: Check, style: wire.Style = wire.segment) -> Parameter:
    return Parameter("path", name, check, style, required=True)


def query(
    name: str, check: Check, style: wire.Style = wire.single, default: Any = None, required: bool = False
) -> Parameter:
    return Parameter("query", name, check, style, required, default)


def header(name: str, check: Check, style: wire.Style = wire.line) -> Parameter:
    return Parameter("header", name, check, style)


def cookie(name: str, check: Check, default: Any = None) -> Parameter:
    return Parameter("cookie", name, check, wire.single, default=default)


class Refusal(Exception):
    """Exception of a handler that refuses a request with a problem document.

    `kind`: words with hyphens, such as `not-found`, which become the title.
    """

    def __init__(
        self, status: int, kind: str, detail: str, headers: Iterable[tuple[str, str]] = (), faults: Iterable[Fault] = ()
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.headers, self.faults = status, kind, tuple(headers), tuple(faults)

    def answer(self, problems: str) -> Answer:
        """Return the error response, with a problem document (RFC 9457) as its body.

        `problems`: beginning of the URIs of problem types.
        """
        document: dict[str, Any] = {
            "type": problems + self.kind,
            "title": self.kind.replace("-", " ").capitalize(),
            "status": self.status,
            "detail": str(self),
        }
        if self.faults:
            document["errors"] = [{"in": place, "name": name, "detail": detail} for place, name, detail in self.faults]
        return Answer(self.status, PROBLEM, _json(document), self.headers)


def missing(detail: str) -> Refusal:
    """Return a Refusal with status 404 for an item that does not exist."""
    return Refusal(404, "not-found", detail)


def invalid(faults: list[Fault]) -> Refusal:
    """Return a Refusal with status 422 that lists all faults."""
    names = ", ".join(fault.name or fault.place for fault in faults)
    count = "1 value is wrong" if len(faults) == 1 else f"{len(faults)} values are wrong"
    return Refusal(422, "invalid-request", f"{count}: {names}.", faults=faults)


def reply(value: Any, status: int = 200, **headers: str) -> Answer:
    """Return a JSON response. Further arguments are header fields, with underscores in place of hyphens."""
    return Answer(
        status,
        "application/json",
        _json(value),
        tuple((name.replace("_", "-"), text) for name, text in headers.items()),
    )


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


class Credential(NamedTuple):
    """One way to authenticate: the header field `header` must be exactly `value`."""

    header: str
    value: str
    challenge: str
    advice: str


def api_key(value: str) -> Credential:
    advice = "This operation needs your API key in the header X-API-Key"
    return Credential("X-API-Key", value, 'ApiKey header="X-API-Key"', advice)


def bearer(token: str) -> Credential:
    advice = "This operation needs your token in the header Authorization, after the word Bearer"
    return Credential("Authorization", f"Bearer {token}", "Bearer", advice)


@dataclass(frozen=True)
class Route(Generic[Held]):
    """One operation. `template`: the path as the document writes it. `security`: the name of a credential, or None."""

    method: str
    template: str
    handler: Handler[Held]
    security: str | None
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        literal_or_name = re.split(r"\{(\w+)\}", self.template)
        return re.compile(
            "".join(f"(?P<{text}>[^/]+)" if odd % 2 else re.escape(text) for odd, text in enumerate(literal_or_name))
        )


@dataclass(frozen=True, slots=True)
class Api(Generic[Held]):
    """HTTP application that answers each request by the first route that matches."""

    base: str
    problems: str
    routes: tuple[Route[Held], ...]
    credentials: Mapping[str, Credential]
    held: Held

    def __call__(self, request: Request) -> Answer:
        target, _, query_string = request.target.partition("?")
        try:
            route, found = self._find(request.method, target)
            self._authorise(route, request)
            given = _read(route, found, query_string, request)
            with self.held:
                return route.handler(self.held, given)
        except Refusal as refusal:
            return refusal.answer(self.problems)

    def _find(self, method: str, target: str) -> tuple[Route[Held], dict[str, str]]:
        fitting = [
            (route, match)
            for route in self.routes
            if (match := route.pattern.fullmatch(target.removeprefix(self.base)))
        ]
        if not target.startswith(self.base) or not fitting:
            raise missing(f"There is nothing at {target}; the API is at {self.base}.")
        for route, match in fitting:
            if route.method == method:
                return route, match.groupdict()
        allowed = ", ".join(sorted({route.method for route, _ in fitting}))
        raise Refusal(405, "method-not-allowed", f"{target} takes {allowed}, and not {method}.", [("Allow", allowed)])

    def _authorise(self, route: Route[Held], request: Request) -> None:
        if route.security is None:
            return
        wanted = self.credentials[route.security]
        shown = request.header(wanted.header)
        if shown != wanted.value:
            detail = wanted.advice + (", and there is none." if shown is None else "; the one that came is not known.")
            raise Refusal(401, "unauthorized", detail, [("WWW-Authenticate", wanted.challenge)])


def _read(route: Route[Any], found: dict[str, str], query_string: str, request: Request) -> Given:
    """Return name → checked value for all inputs that the route declares. Raises one Refusal that lists all faults."""
    faults: list[Fault] = []
    sources: dict[str, wire.Pairs] = {
        "path": list(found.items()),
        "query": _query_pairs(query_string, faults),
        "header": request.headers,
        "cookie": wire.cookies(request.header("Cookie")),
    }
    given = {parameter.name: _value(parameter, sources[parameter.place], faults) for parameter in route.parameters}
    known = {parameter.name: parameter for parameter in route.parameters if parameter.place == "query"}
    strange = [name for name, _ in sources["query"] if not any(_claims(taken, name) for taken in known.values())]
    faults.extend(Fault("query", name, unknown(name, known, "a parameter of this operation")) for name in strange)
    if route.body is not None:
        try:
            given["body"] = route.body.read(request, Report("body", faults=faults))
        except WrongBody as wrong:
            raise Refusal(wrong.status, wrong.kind, str(wrong)) from None
    if faults:
        raise invalid(faults)
    return given


def _query_pairs(query_string: str, faults: list[Fault]) -> wire.Pairs:
    try:
        return wire.pairs(query_string)
    except wire.Unreadable as unreadable:
        faults.append(Fault("query", "", f"a name {unreadable}"))
        return []


def _value(parameter: Parameter, pairs: wire.Pairs, faults: list[Fault]) -> Any:
    report = Report(parameter.place, parameter.name, faults)
    mine = [pair for pair in pairs if _claims(parameter, pair[0])]
    if not mine:
        if parameter.required:
            report.wrong("is required")
        return parameter.default
    try:
        return parameter.check(parameter.style(parameter.name, mine), report)
    except wire.Unreadable as unreadable:
        report.wrong(str(unreadable))
        return None


def _claims(parameter: Parameter, name: str) -> bool:
    if parameter.place == "header":
        return parameter.name.lower() == name.lower()
    return name == parameter.name or (parameter.style is wire.deep and name.startswith(f"{parameter.name}["))


# -- request bodies ----------------------------------------------------------------------------------------------------


def json_body(check: Check, media: str = "application/json") -> Body:
    return Body(media, lambda body, _, report: check(wire.json_value(body), report))


def text_body(check: Check) -> Body:
    def read(body: bytes, _: Mapping[str, str], report: Report) -> Any:
        try:
            return check(body.decode(), report)
        except UnicodeDecodeError:
            raise wire.Unreadable("is not UTF-8") from None

    return Body("text/plain", read)


def binary_body(media: str, check: Check, limit: int) -> Body:
    return Body(media, lambda body, _, report: check(body, report), limit)


def form_body(styles: Mapping[str, wire.Style], check: Check) -> Body:
    """Return the `Body` for the content type application/x-www-form-urlencoded.

    `styles`: name of a field → style by which it is read; other fields are single values. `check` checks the whole form
    as an object.
    """

    def read(body: bytes, _: Mapping[str, str], report: Report) -> Any:
        if not body.isascii():
            raise wire.Unreadable("has characters that must be percent-encoded")
        found = wire.pairs(body.decode())
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, value in found:
            member = name.partition("[")[0]
            groups.setdefault(member if styles.get(member) is wire.deep else name, []).append((name, value))
        return check({name: _member(styles, name, group) for name, group in groups.items()}, report)

    return Body(_FORM, read)


def _member(styles: Mapping[str, wire.Style], name: str, group: wire.Pairs) -> Any:
    try:
        return styles.get(name, wire.single)(name, group)
    except wire.Unreadable as unreadable:
        raise wire.Unreadable(f"has {name}, which {unreadable}") from None


def multipart_body(readers: Mapping[str, Callable[[wire.Part], Any]], check: Check, limit: int) -> Body:
    """Return the `Body` for the content type multipart/form-data.

    `readers`: name of a part → function that converts it. `check` checks the whole form and refuses unknown parts.
    `limit`: maximum size of the body in bytes.
    """

    def read(body: bytes, attributes: Mapping[str, str], report: Report) -> Any:
        if "boundary" not in attributes:
            raise wire.Unreadable("is not multipart: its content type names no boundary")
        value: dict[str, Any] = {}
        for part in wire.multipart(body, attributes["boundary"]):
            if part.name in value:
                raise wire.Unreadable(f"has the part {part.name} twice")
            value[part.name] = readers.get(part.name, file_part)(part)
        return check(value, report)

    return Body(_MULTIPART, read, limit)


def text_part(part: wire.Part) -> Any:
    """Return the text of a plain text part. Raises Unreadable for a file or another content type."""
    if part.filename is not None or wire.media_type(part.content_type)[0] != "text/plain":
        raise wire.Unreadable(f"has {part.name} as a file or as {part.content_type}, and it is plain text")
    try:
        return part.data.decode()
    except UnicodeDecodeError:
        raise wire.Unreadable(f"has text in {part.name} that is not UTF-8") from None


def json_part(part: wire.Part) -> Any:
    """Return the value of a part with the content type JSON. Raises Unreadable for another content type."""
    if wire.media_type(part.content_type)[0] != "application/json":
        raise wire.Unreadable(f"has {part.name} as {part.content_type}, and it must be application/json")
    try:
        return wire.json_value(part.data)
    except wire.Unreadable as unreadable:
        raise wire.Unreadable(f"has a part {part.name} that {unreadable}") from None


def file_part(part: wire.Part) -> Any:
    """Return `part` itself, since a file in a multipart body is not converted."""
    return part
