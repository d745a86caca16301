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
from mcpgen.demo.bodies import Body, WrongBody
from mcpgen.demo.checks import Check, Fault, Report, unknown
from mcpgen.demo.http import Answer, Request

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
