# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the text that a model reads when a call fails: what happened, which argument is wrong, and what to do now.

Names in the upstream's error are replaced by the tool's argument names, and advice is added according to the status. At
most 1,000 characters of the body are shown, and only if the body says more than the text. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..request.argument_errors import MOST_SHOWN
from ..request.request import is_key
from ..text.invisible import clean
from ..text.sanitize import brief, decode, is_text
from . import findings

if TYPE_CHECKING:
    from ..http.client import Failure
    from ..http.exchange import Response, Sent
    from ..tables.table import Binding, Field, Parameter
    from ..text.redaction import Redactor
    from .findings import Finding

LONGEST_EXCERPT = 1000
LARGEST_EXCERPTED = 8000
LONGEST_WAIT = 3600
"""Maximum waiting time in seconds that is reported to a model.

Servers may ask for much longer, sometimes by mistake.
"""

_NOT_READ = "Calling again will not help: the API, or a proxy before it, has to stop using this coding."

_SAFE = ("GET", "HEAD", "OPTIONS")
_IDEMPOTENT = ("PUT", "DELETE")
_SOURCE = re.compile(r"\bFrom ([a-z][a-z0-9]*_[a-z0-9_]+)\.")
_MARKUP = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL)


def explain(response: Response, sent: Sent, redactor: Redactor) -> str:
    """Return the text for a response with an error status or a redirect."""
    status = f"{response.named} from {sent}"
    if 300 <= response.status < 400:
        reason = f": {sent.unfollowed}" if sent.unfollowed else ""
        return f"{status}: the upstream redirects to {_origin(response)}, which is not followed{reason}."
    found = findings.read(response.content, redactor, response.named)
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
    lines += [] if sent.method in _SAFE else [_repeat(sent)]
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
        advice = f"{_NOT_READ} {advice}" if sent.method not in _SAFE else _NOT_READ
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
    if sent.method in _SAFE:
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
