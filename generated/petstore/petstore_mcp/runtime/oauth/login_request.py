# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Log this server in at the API with a request (`login` in `bindings.json`): its fields, and what its answer gives.

The answer holds the credential in a JSON member, a header field or a cookie, or its whole body is the credential. A
CSRF value (cross-site request forgery) may stand beside the credential; later requests send it in a header field. Both
are one text with a line break between them, since no credential contains one. So they are cached and renewed together.
"""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode

from ..core import jsonrpc
from . import token_response

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..request.request import Request
    from ..tables import table
    from ..text.addresses import Address
    from .token_response import Response

_BODY = "body:text"
_OF_SESSIONS = frozenset((*range(200, 300), 302, 303))
"""Status codes of a login whose credential is no part of the body: many pages redirect after a login."""


class Login:
    """Request that logs the server in at the API: media type and fields of its body.

    `base`: address of the API whose requests get the credential. `is_session`: True if the credential is a cookie.
    """

    __slots__ = ("_base", "_csrf", "_expires", "_headers", "_is_form", "_token", "fields", "is_session", "statuses")

    def __init__(self, described: table.Login, values: dict[str, str], base: Address) -> None:
        """Prepare the login request. `described`: the scheme's `login` entry in `bindings.json`.

        `values` maps roles (such as `password`) to credentials.
        """
        self._base = base
        self._token = described["token"]
        self._csrf = described.get("csrf")
        self._expires = described.get("expires", "")
        kind = described["contentType"]
        self._is_form = kind == "application/x-www-form-urlencoded"
        self._headers = [("Accept", "application/json"), ("Content-Type", kind), *described.get("headers", {}).items()]
        self.is_session = self._token.startswith("cookie:")
        self.statuses = _OF_SESSIONS if self._token.startswith(("header:", "cookie:")) else frozenset((200, 201))
        self.fields = {
            name: values[each["role"]] if "role" in each else each["value"]
            for name, each in described["fields"].items()
        }

    def write(self, request: Request, scopes: tuple[str, ...]) -> None:
        """Set the header fields and the body of a login request. `scopes` are asked for in an OAuth grant."""
        fields = dict(self.fields)
        if scopes and "grant_type" in fields:
            fields["scope"] = " ".join(scopes)
        request.headers = [*self._headers]
        request.body = (urlencode(fields) if self._is_form else json.dumps(_nested(fields))).encode()

    def content(self, answer: Response) -> dict[str, Any]:
        """Return the members of a token response (RFC 6749 section 5.1) that the answer amounts to.

        Raise ValueError if the answer has no credential that can be sent. The caller puts the name of the server that
        responded before the error message.
        """
        life, value = self._found(answer, self._token)
        if self._expires:
            life = _at(token_response.content(answer), self._expires)
        found = token_response.access_token({"access_token": value})
        if self._csrf is not None:
            try:
                found += "\n" + token_response.access_token(
                    {"access_token": self._found(answer, self._csrf["place"])[1]}
                )
            except ValueError:
                raise ValueError("answered without the CSRF value that its requests need.") from None
        return {"access_token": found, "expires_in": life}

    def put(self, put: Callable[[Request, str], None]) -> Callable[[Request, str], None]:
        """Return a function that attaches the credential by `put`, and the CSRF value as a header field."""
        csrf = self._csrf
        if csrf is None:
            return put
        kind, _, name = csrf["place"].partition(":")

        def put_both(request: Request, token: str) -> None:
            credential, _, value = token.partition("\n")
            put(request, credential)
            if kind == "cookie":  # the API compares the field with the cookie, which it may have percent-encoded
                request.cookies[:] = [pair for pair in request.cookies if pair.partition("=")[0] != name]
                request.cookies.append(f"{name}={value}")
                value = unquote(value)
            request.set_field(csrf["header"], value)

        return put_both

    def _found(self, answer: Response, place: str) -> tuple[object, Any]:
        """Return the lifetime in seconds and the text at a place of the answer; None for each that is not there."""
        kind, _, name = place.partition(":")
        if place == _BODY:
            return None, _whole(answer)
        if kind == "header":
            return None, answer.header(name.lower()) or None
        return self._cookie(answer, name) if kind == "cookie" else (None, _at(token_response.content(answer), place))

    def _cookie(self, answer: Response, name: str) -> tuple[object, str | None]:
        """Return the lifetime in seconds and the value of a cookie that the answer sets (RFC 6265 section 5.2).

        A cookie of another host or path than the API's counts as absent, as in a browser.
        """
        found: tuple[object, str | None] = None, None
        for field, line in answer.fields:
            pair, *attributes = line.split(";")
            own, _, value = pair.strip().partition("=")
            if field.lower() == "set-cookie" and own == name and len(line) <= token_response.LONGEST:
                told = {
                    key.strip().lower(): text.strip() for key, _, text in (each.partition("=") for each in attributes)
                }
                age = told.get("max-age") or _seconds_until(told.get("expires", ""), answer.header("date"))
                is_ours = _is_under(self._base.host, told.get("domain", "")) and _is_below(
                    self._base.path, told.get("path", "")
                )
                found = (age, value) if is_ours and value and age != "0" else (None, None)
        return found


def _seconds_until(then: str, now: str) -> str | None:
    """Return the seconds between two dates of HTTP, at least 0; None if one of them is absent or cannot be read.

    Both are dates of the API, since clocks differ.
    """
    try:
        return str(max(int((parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds()), 0))
    except (ValueError, TypeError, ArithmeticError, LookupError):  # those of parsedate_to_datetime
        return None


def _is_under(host: str, domain: str) -> bool:
    """Return True if a cookie of `domain` belongs to the host, which may be below it; "" is the host itself."""
    domain = domain.lstrip(".").lower()
    return not domain or host == domain or host.endswith(f".{domain}")


def _is_below(path: str, limit: str) -> bool:
    """Return True if a cookie of the path `limit` is sent to each path below `path`; "" stands for all paths."""
    return f"{path}/".startswith(f"{limit.rstrip('/')}/")


def _whole(answer: Response) -> Any:
    """Return the body of an answer, which is a text or a JSON string."""
    if answer.cut or len(answer.content) > token_response.LARGEST:
        return None
    try:
        text = answer.content.decode().strip()
        return jsonrpc.loads(text)[0] if text[:1] == '"' else text
    except ValueError:
        return None


def _nested(fields: dict[str, str]) -> dict[str, Any]:
    """Return the object that a JSON body is. A name that begins with a slash is the JSON Pointer of a member."""
    found: dict[str, Any] = {}
    for name, value in fields.items():
        *steps, last = _steps(name) if name.startswith("/") else [name]
        place = found
        for step in steps:
            place = place.setdefault(step, {})
        place[last] = value
    return found


def _at(value: Any, pointer: str) -> Any:
    """Return the part of `value` at a JSON Pointer (RFC 6901), or None if there is none."""
    for step in _steps(pointer):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
