# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the text that a model reads when a call fails: what happened, which argument is wrong, and what to do now.

Names in the upstream's error are replaced by the tool's argument names, and advice is added according to the status. At
most 1,000 characters of the body are shown, and only if the body says more than the text. Pure functions.

Known formats of error bodies are problem details (RFC 9457) with `errors`, and the formats of common frameworks. They
use `message`, `error`, `error_description`, lists and maps of errors, `source` (JSON:API), or `loc` (FastAPI). The body
is not trusted: values of unexpected types are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..request.argument_errors import MOST_SHOWN
from ..request.request import SAFE, is_key
from ..text.sanitize import brief, clean, decode, is_text, presentable

if TYPE_CHECKING:
    from ..http.client import Failure
    from ..http.exchange import Response, Sent
    from ..tables.table import Binding, Field, Parameter
    from ..text.redaction import Redactor

LARGEST = 64 * 1024
"""Maximum size in bytes of an error body that is parsed. Parsing takes time and some 25 times the memory."""

PLACES = {
    "path": "path",
    "query": "query",
    "header": "headers",
    "headers": "headers",
    "cookie": "cookies",
    "cookies": "cookies",
    "body": "body",
}
"""Names of the request's parts as error bodies use them, and the names of these parts in bindings."""

_MESSAGES = ("detail", "message", "error_description", "description", "msg", "reason", "error", "title")
_POINTERS = ("pointer", "loc", "field", "name", "parameter", "param", "property", "path", "location", "target")
_CODES = ("code", "type", "error", "reason", "status", "statusCode", "instance")
"""Members that name the kind of an error, by which models and support desks look it up."""

_LISTS = ("errors", "detail", "details", "message")
_SAID = {*_CODES, *_LISTS, "title", "error_description"}
_TOLD = ("detail", "message", "error_description", "description", "msg", "title", "errors", *_CODES)
"""Members of an error body that `Findings.are_in` looks for, at any depth."""


class Finding:
    """One value that the upstream reports as wrong.

    `place` is the part of the request ("" if unknown), `steps` the path to the value, and `text` says what is wrong.
    """

    __slots__ = ("place", "steps", "text")

    def __init__(self, place: str, steps: list[str], text: str) -> None:
        self.place = place
        self.steps = steps
        self.text = text


class Findings:
    """Contents of an error body: message, and wrong values.

    `complete` is True if no other member of the body says more.
    """

    __slots__ = ("_body", "complete", "items", "message")

    def __init__(
        self, message: str = "", items: list[Finding] | None = None, complete: bool = False, body: Any = None
    ) -> None:
        self.message = message
        self.items = items or []
        self.complete = complete
        self._body = body

    def are_in(self, text: str) -> bool:
        """Return True if a text tells everything of the body: each message, code, type and title of its errors."""
        return self.complete and all(_says(text, each) for each in _texts(self._body))


def read(content: bytes, redactor: Redactor, status: str) -> Findings:
    """Return the message and the wrong values that an error body reports, with secrets removed. Return empty findings
    if the body is no JSON object, or larger than LARGEST. `status`: status code and phrase, which are not repeated.
    """
    try:
        body = json.loads(content) if len(content) <= LARGEST else None
    except (ValueError, RecursionError):
        body = None
    # Redact before JSON Pointers are split into steps: parts of a secret would not be recognized.
    body, _ = presentable(body, redactor)
    if not isinstance(body, dict):
        return Findings()
    inner = body["error"] if isinstance(body.get("error"), dict) else body
    listed = next((inner[key] for key in _LISTS if isinstance(inner.get(key), list | dict)), None)
    pointed = _pointed(inner, status)
    items = list(_items(listed, status)) or pointed
    message = _told({**body, **inner}, status) if _message(inner) else ""
    said = {*_SAID, *_POINTERS} if items is pointed else _SAID
    return Findings(message, items, bool(message or items) and set(body) | set(inner) <= said, body)


def _message(entry: dict[str, Any]) -> str:
    return next((text for key in _MESSAGES if isinstance(text := entry.get(key), str) and text), "")


def _told(entry: dict[str, Any], status: str) -> str:
    """Return title, message and codes of an error, without those that the message or the status line contains."""
    text, title = _message(entry), entry.get("title")
    if isinstance(title, str) and title and title not in text and not _says(status, title):
        text = f"{title.rstrip('.')}. {text}"
    codes = [
        f"{key}: {each}" for key in _CODES for each in _scalars(entry.get(key)) if not _says(f"{status} {text}", each)
    ]
    return f"{text} ({', '.join(codes)})" if text and codes else text or ", ".join(codes)


def _scalars(value: Any) -> Iterator[str]:
    """Yield a text or a number as text, unless it is the default `about:blank` of problem details (RFC 9457)."""
    if isinstance(value, str | int | float) and not isinstance(value, bool) and value not in ("", "about:blank"):
        yield str(value)


def _says(text: str, value: str) -> bool:
    """Return True if a text contains a value as whole words, regardless of letter case and white space."""
    wanted = re.escape(" ".join(value.split()).rstrip("."))
    return re.search(rf"(?<!\w){wanted}(?!\w)", text, re.IGNORECASE) is not None


def _texts(body: Any) -> Iterator[str]:
    """Yield the messages, codes, types and titles of all errors in an error body."""
    left = [body]
    while left:
        value = left.pop()
        members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        left += members
        for key in _TOLD if isinstance(value, dict) else ():
            found = value.get(key)
            for each in found if isinstance(found, list) else [found]:
                yield from _scalars(each)


def _items(listed: Any, status: str) -> Iterator[Finding]:
    """Yield a finding for each entry of a list of errors, or of a map from names to texts or errors."""
    if isinstance(listed, dict):
        for name, entries in listed.items():
            for entry in entries if isinstance(entries, list) else [entries]:
                if text := _told(entry, status) if isinstance(entry, dict) else entry if isinstance(entry, str) else "":
                    yield _finding(name, "", text)
    elif isinstance(listed, list):
        for entry in listed:
            if isinstance(entry, str):
                yield Finding("", [], entry)
            elif isinstance(entry, dict):
                yield from _pointed(entry, status) or [Finding("", [], text) for text in [_told(entry, status)] if text]


def _pointed(entry: dict[str, Any], status: str) -> list[Finding]:
    """Return a list with one finding for `entry`, an object in an error body that describes one error. Return [] unless
    the object says both which value is wrong and what is wrong.
    """
    source = entry["source"] if isinstance(entry.get("source"), dict) else entry
    pointer = next((source[key] for key in _POINTERS if isinstance(source.get(key), str | list) and source[key]), None)
    if pointer is None or not _message(entry):
        return []
    place = entry.get("in") if isinstance(entry.get("in"), str) else ""
    return [_finding(pointer, place or "", _told(entry, status))]


def _finding(pointer: str | list[Any], place: str, text: str) -> Finding:
    steps = [str(step) for step in pointer] if isinstance(pointer, list) else _steps(pointer)
    if not place and steps and steps[0].lower() in PLACES and (len(steps) > 1 or steps == ["body"]):
        place, *steps = steps
    return Finding(PLACES.get(place.lower(), ""), steps, text)


def _steps(pointer: str) -> list[str]:
    """Return the steps of a JSON Pointer (RFC 6901), of a path with dots and brackets, or of a JSONPath."""
    if pointer.startswith(("/", "#/")):
        steps = pointer.removeprefix("#").split("/")[1:]
        return [step.replace("~1", "/").replace("~0", "~") for step in steps]
    return [step for step in pointer.removeprefix("$.").replace("]", "").replace("[", ".").split(".") if step]


LONGEST_EXCERPT = 1000
LARGEST_EXCERPTED = 8000
LONGEST_WAIT = 3600
"""Maximum waiting time in seconds that is reported to a model.

Servers may ask for much longer, sometimes by mistake.
"""

_NOT_READ = "Calling again will not help: the API, or a proxy before it, has to stop using this coding."

_IDEMPOTENT = ("PUT", "DELETE")
_SOURCE = re.compile(r"\bFrom ([a-z][a-z0-9]*_[a-z0-9_]+)\.")
_MARKUP = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL)


def explain(response: Response, sent: Sent, redactor: Redactor) -> str:
    """Return the text for a response with an error status or a redirect."""
    status = f"{response.named} from {sent}"
    if 300 <= response.status < 400:
        reason = f": {sent.unfollowed}" if sent.unfollowed else ""
        return f"{status}: the upstream redirects to {_origin(response)}, which is not followed{reason}."
    found = read(response.content, redactor, response.named)
    said = brief(found.message, LONGEST_EXCERPT)
    lines = [f"{status}: {said}" if said else f"{status}."]
    for item in found.items[:MOST_SHOWN]:
        name, told = _named(item, sent), brief(item.text, 300)
        allowed = _allowed(sent, name) if response.status in (400, 422) else ""
        lines.append(f"- {name}: {told.rstrip('.') if allowed else told}{allowed}")
    lines += [f"It was tried {sent.tries} times."] if sent.tries > 1 else []
    lines += _advice(response, sent, bool(found.items))
    if not found.are_in("\n".join(lines)) and (excerpt := _excerpt(response, redactor)):
        lines.append(f"The upstream said: {excerpt}")
    return "\n".join(lines)


def explain_page(response: Response, sent: Sent, redactor: Redactor) -> str:
    """Return the text for a successful response that is an HTML page although the API description declares JSON."""
    lines = [
        f"{response.named} from {sent}: the answer is an HTML page, where the API's description has JSON.",
        "That is mostly a website, or its login, in place of the API: the operator should look at the base URL, and at"
        " the credentials.",
    ]
    lines += [] if sent.method in SAFE else [_repeat(sent)]
    if excerpt := _excerpt(response, redactor):
        lines.append(f"The page says: {excerpt}")
    return "\n".join(lines)


def stated(shown: str, response: Response, sent: Sent) -> str:
    """Return the text for a successful response whose content, `shown`, means that the call has failed."""
    failed = f"{response.named} from {sent}: this answer means that the call has failed."
    return f"{failed}\n{shown}" if response.size else failed


def no_answer(failure: Failure, sent: Sent) -> str:
    """Return the text for a failed call whose request got no usable response."""
    tries = f" {sent.tries} times" if sent.tries > 1 else ""
    advice = _repeat(sent) if failure.sent else failure.advice
    if failure.end == "coding":
        advice = f"{_NOT_READ} {advice}" if sent.method not in SAFE else _NOT_READ
    elif failure.end == "late":
        advice = f"{advice} {sent.longer}".rstrip()
    return f"{sent} failed{tries}: {failure.reason}. {advice}"


def answered(response: Response, sent: Sent) -> str:
    """Return the text for a response whose content the model must not see.

    The text says that the call was completed, so that the model does not repeat it.
    """
    told = f"The request was answered: {response.named} from {sent}."
    if 200 <= response.status < 300:
        return f"{told} {_repeat(sent, 'It was carried out')}"
    return f"{told} {_repeat(sent)}" if response.status >= 500 else told


def _origin(response: Response) -> str:
    """Return the origin to which a redirect leads. The path is left out, since it may repeat data of the request."""
    try:
        target = urlsplit(response.header("location").strip())
        host, port = target.hostname, target.port
    except ValueError:
        return "an address that cannot be read"
    if host and target.scheme in ("http", "https", ""):
        return brief(f"{target.scheme or 'the same scheme'}://{host}" + (f":{port}" if port else ""), 200)
    if target.scheme:
        return "an address that is not on the web"
    return "another path of its own" if target.path or target.query else "nowhere"


def _named(item: Finding, sent: Sent) -> str:
    """Return the argument that a finding (a value that the upstream reports as wrong) is about, as a dotted path.

    If no argument matches, return the upstream's own name.
    """
    if not item.steps:
        body = sent.tool.binding.get("body")
        whole = body.get("argument", "") if body else ""
        return whole if whole and item.place == "body" else "the request"
    for argument, inside in _arguments(item.place, item.steps[0], sent.tool.binding):
        return brief(".".join([argument, *item.steps[0 if inside else 1 :]]), 100)
    return brief(".".join(item.steps), 100)


def _arguments(place: str, wire: str, binding: Binding) -> Iterator[tuple[str, bool]]:
    """Yield the arguments that may be sent to the API under the name `wire`, the most probable first.

    Each item is a pair: the argument, and True if the name belongs to a member inside the argument.
    """
    body = binding.get("body")
    bound: list[Field | Parameter] = []
    if body and place in ("", "body"):
        bound += body.get("fields", ())
    places: dict[str, Iterable[str | Parameter]] = {
        "path": binding["path"],
        "query": binding.get("query", ()),
        "headers": binding.get("headers", ()),
        "cookies": binding.get("cookies", ()),
    }
    for part, listed in places.items():
        if place in ("", part):
            bound += [each for each in listed if not isinstance(each, str)]
    named = [each for each in bound if each["name"].lower() == wire.lower() and "argument" in each]
    yield from ((each["argument"], False) for each in named)
    if body and place in ("", "body") and ("argument" in body or "rest" in body):
        yield body.get("argument") or body["rest"], True


def _advice(response: Response, sent: Sent, items: bool) -> list[str]:
    status = response.status
    credentials, more = " and ".join(sent.variables), _scopes(sent) + _offers(sent)
    if status in (400, 422) and not items:
        return [_signature(sent)]
    if status == 401:
        said = f"The upstream did not accept {credentials}." if credentials else "The request carried no credential."
        return [said + more]
    if status == 403:
        who = credentials or "Without a credential it"
        return [f"{who} is not allowed to do this; calling again will not help.{more}"]
    if status == 404:
        bound = [
            part["argument"] for part in sent.tool.binding["path"] if isinstance(part, dict) and "argument" in part
        ]
        sources = {source[1]: None for name in bound if (source := _SOURCE.search(_described(sent, name)))}
        listed = f" See {' and '.join(sources)} for what there is." if sources else ""
        return [f"Check {' and '.join(bound)}: nothing was found there.{listed}"] if bound else []
    if status in (409, 412):
        return ["Read the present state first, then decide and call again."]
    if status in (408, 425, 429, 503) and (wait := _wait(response)):
        return [f"Wait {wait} before calling again."]
    if status == 429:
        return ["Wait a while before calling again."]
    return [_repeat(sent)] if status >= 500 and status != 501 else []


def _scopes(sent: Sent) -> str:
    """Return a sentence with the scopes that the API description requires, or ""."""
    scopes = " ".join(sent.scopes)
    return f" The API's description asks for a token with the scopes {brief(scopes, 300)}." if scopes else ""


def _offers(sent: Sent) -> str:
    """Return a sentence that names environment variables for a missing credential; "" if there are none."""
    ways = ", or ".join(sent.offers)
    return f" The operator of this server can set {ways}." if ways else ""


def _described(sent: Sent, argument: str) -> str:
    """Return the description of an argument. It may name a tool that lists the valid values."""
    return str(sent.tool.schema.get("properties", {}).get(argument, {}).get("description", ""))


def _allowed(sent: Sent, argument: str) -> str:
    """Return the values that the schema's `enum` allows for an argument, as the end of a sentence, or ""."""
    values = sent.tool.schema.get("properties", {}).get(argument, {}).get("enum", ())
    return f". Allowed: {brief(', '.join(map(str, values)), 300)}." if values else ""


def _signature(sent: Sent) -> str:
    schema = sent.tool.schema
    required = schema.get("required", ())
    names = [f"{name} (required)" if name in required else name for name in schema.get("properties", {})]
    return f"Arguments of {sent.tool.name}: {', '.join(names) or 'none'}."


def _repeat(sent: Sent, known: str = "It may have been carried out") -> str:
    if sent.method in SAFE:
        return "Calling again is safe."
    if sent.key and (argument := _key_argument(sent)):
        again = f"{argument} {brief(sent.key, 100)}"
        return f"{known}; to call again without doing it twice, give {again}."
    if sent.method in _IDEMPOTENT:
        return f"{known}; calling again has the same effect."
    return f"{known} all the same: look before calling again."


def _key_argument(sent: Sent) -> str:
    """Return the name of the argument that sets the idempotency key, or ""."""
    headers = sent.tool.binding.get("headers", ())
    return next((str(each["argument"]) for each in headers if "argument" in each and is_key(each["name"])), "")


def _wait(response: Response) -> str:
    """Return Retry-After in words; "" if it is absent, past or unreadable."""
    seconds = response.retry_after or 0
    if seconds > LONGEST_WAIT:
        return f"{LONGEST_WAIT} seconds or more"
    return f"{seconds} second{'' if seconds == 1 else 's'}" if seconds > 0 else ""


def _excerpt(response: Response, redactor: Redactor) -> str:
    if not response.content:
        return ""
    if not is_text(response.media_type, response.content):
        return f"(a body of type {response.media_type})"
    text, _ = decode(response.content[:LARGEST_EXCERPTED], response.header("content-type"))
    text = redactor.text(clean(text)[0])
    if response.partial or response.size > LARGEST_EXCERPTED:
        text = redactor.begun(text)
    if "html" in response.media_type:
        text = _MARKUP.sub(" ", text)
    return brief(text, LONGEST_EXCERPT)
