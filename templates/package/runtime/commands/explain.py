# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--explain TOOL JSON`: print the exact request that a call would send, without credentials. Send nothing.

The request is prepared like that of any call (preparation.py). So `before_` and `request_` hooks run, and files are
read from FILES_DIR. A hook that replaces the request is named, but not run. Each credential is shown as `<VARIABLE>`,
even if the variable is not set. Credentials elsewhere in the output are redacted, including those that hooks put into
the request. If the call would be refused, the output has the text that a model would get.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TYPE_CHECKING, Any

from ..calls.plain_call import CallUnderWay, Preparation, PreparedCall, Unmade, kept_logins, sentence
from ..calls.steps import PREPARING, SENDS_NOTHING, some
from ..core import jsonrpc
from ..core.catalog import CatalogError
from ..core.effects import Dialogue
from ..core.stdio import complain
from ..request.request import sender_fields
from ..settings import credentials
from ..settings.settings import NotReady, load
from ..text.addresses import Address, parse
from ..text.redaction import Redactor
from ..text.sanitize import is_text, visible
from .command_line import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..calls.steps import Step
    from ..core.catalog import Catalog, Tool
    from ..request.request import Request
    from ..settings.settings import Settings
    from ..tables.table import Binding, Scheme, Server

LONGEST = 64 * 1024
"""Largest text in bytes that is shown."""

WITHOUT_LENGTH = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods whose requests have no Content-Length if they have no body (RFC 9110 section 8.6)."""


def body(request: Request) -> dict[str, Any] | None:
    """Return the body's media type and length, and its `parts` if it is multipart, else its `text`.

    The text is None if the body is no text. Return None if there is no body.
    """
    if request.body is None:
        return None
    kind = next((value for name, value in request.headers if name == "Content-Type"), "")
    drawn: dict[str, Any] = {"contentType": kind, "length": len(request.body)}
    if kind.startswith("multipart/"):
        drawn["parts"] = _parts(request.body, kind.rpartition("boundary=")[2])
    else:
        drawn["text"] = _text(request.body, kind)
    return drawn


def _parts(content: bytes, boundary: str) -> list[dict[str, Any]]:
    """Return the parts of a multipart body. No part contains the boundary, so the body can be split at the boundary."""
    found = []
    for piece in content.split(b"--" + boundary.encode())[1:-1]:
        head, _, inner = piece.removeprefix(b"\r\n").removesuffix(b"\r\n").partition(b"\r\n\r\n")
        headers = [line.partition(": ")[::2] for line in head.decode().split("\r\n")]
        kind = next((value for name, value in headers if name.lower() == "content-type"), "text/plain")
        found.append({"headers": [list(each) for each in headers], "length": len(inner), "text": _text(inner, kind)})
    return found


def _text(content: bytes, kind: str) -> str | None:
    """Return the content if it is UTF-8 text of a textual media type and short enough, else None."""
    if len(content) > LONGEST or not is_text(kind.partition(";")[0].strip().lower(), content):
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def lines(drawn: dict[str, Any]) -> list[str]:
    """Return the request as lines of HTTP/1.1, with the whole URL in the first line and without binary content."""
    shown = [f"{drawn['method']} {drawn['url']}", *_fields(drawn["headers"])]
    if (content := drawn["body"]) is not None:
        shown.append("")
        if "parts" in content:
            boundary = content["contentType"].rpartition("boundary=")[2]
            for part in content["parts"]:
                shown += [f"--{boundary}", *_fields(part["headers"]), "", _content(part)]
            shown.append(f"--{boundary}--")
        else:
            shown.append(_content(content))
    return [visible(line) for line in shown]


def _fields(headers: list[list[str]]) -> list[str]:
    return [f"{name}: {value}" for name, value in headers]


def _content(drawn: dict[str, Any]) -> str:
    text: str | None = drawn["text"]
    return f"({drawn['length']:,} bytes that are not shown)" if text is None else text


SCHEMA = 1
"""Version of the JSON document's format."""

MISUSED = 2
_SHOWN: credentials.Encoding = {"query": str, "base64": "base64({})".format}

_BY_OTHERS = {"always": "it is not called", "when-supported": "it is called all the same"}


class Placeholders:
    """Substitute for `credentials.ServerCredentials` that puts `<VARIABLE>` in place of each value.

    It chooses the same credentials as a call would use. If a call would be refused because credentials are not set, the
    first alternative is shown.
    """

    def __init__(self, security: dict[str, Scheme], settings: Settings, logins: credentials.Logins | None) -> None:
        self._security = security
        self._settings = settings
        self._secrets = settings.secrets
        self._delegated = settings.delegations
        self._logins = logins
        self.missing = ""
        """Why a call would be refused for lack of credentials; "" if it would not."""

    async def look(self, binding: Binding) -> None:
        """Load the stored logins that requests of this tool could use."""
        for names in binding.get("security") or ():
            for name in names:
                if self._logins is not None and "user" in self._security[name]:
                    await self._logins.look(name)

    def choose(self, binding: Binding) -> credentials.SelectedCredentials:
        """Return the placeholders for the credentials that a tool needs."""
        wanted = binding.get("security")
        try:
            schemes = credentials.choose(wanted, self._security, self._secrets, self._logins, self._delegated)
        except NotReady as missing:
            self.missing = str(missing)
            schemes = [self._security[name] for name in (wanted or [[]])[0]]
        names = credentials.variables(schemes, self._secrets)
        shown = {name: f"<{name}>" for name in names}
        for scheme in schemes:
            value = scheme["variables"].get("value", "")
            if "name" not in scheme:
                shown[value] = self._field(value)
            elif value not in names and "fetched" in scheme["ways"]:
                shown[value] = f"<token of {names[0]}>"
        for name in self._delegated:
            if self._security[name] in schemes:
                shown[self._security[name]["variables"]["value"]] = "<credential of the caller>"
        settings = [self._security[name] for name in binding.get("settings", ())]
        sent = [*schemes, *(scheme for scheme in settings if credentials.filled(scheme, self._secrets))]
        shown |= {name: f"<{name}>" for name in credentials.variables(sent, self._secrets) if name not in shown}
        put = [*credentials.constant(self._settings, binding), *credentials.written(sent, shown, _SHOWN)]
        return credentials.SelectedCredentials(lambda request: credentials.put(request, put), names)

    def _field(self, variable: str) -> str:
        """Return a header field that the operator writes into a variable as `NAME: VALUE`, as `NAME: <VARIABLE>`.

        Only VALUE is secret. If the variable is not set, `<VARIABLE>` stands for NAME too.
        """
        name, _, _ = self._secrets.get(variable, f"<{variable}>:").partition(":")
        return f"{name}: <{variable}>"


class UnknownAddress(Address):
    """Placeholder for the address of an API server whose base URL is not known."""

    def __init__(self, variable: str) -> None:
        super().__init__("https", f"<{variable}>", 443, "")
        self.origin = self.host


def run(
    catalog: Catalog, environ: Mapping[str, str], base_url: str | None, name: str, text: str, *, as_json: bool
) -> int:
    """Print the HTTP request that a call of the tool `name` would send, and return the exit code.

    1: the call would be refused, for example for wrong arguments or a missing base URL, or printing fails. 2: the tool
    is not offered, `text` is no JSON object, or tools.json or bindings.json cannot be used. 0: otherwise, even if
    credentials are missing.
    """
    name = catalog.resolve_alias(name)
    if name in catalog.withheld:
        complain(f"The tool {name} is not offered: {catalog.withheld[name]}.")
        return MISUSED
    if not catalog.has(name):
        near = " or ".join(catalog.nearest(name))
        complain(f"There is no tool {name}; {f'did you mean {near}?' if near else '--list shows them.'}")
        return MISUSED
    try:
        arguments, _ = jsonrpc.loads(text)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        complain(f"The arguments of {name} must be one JSON object, such as {{}}.")
        return MISUSED
    try:
        with contextlib.redirect_stdout(sys.stderr):  # a hook may print, which must not mix with the output
            found = explain(catalog, environ, base_url, name, arguments)
    except CatalogError as problem:
        complain(str(problem))
        return MISUSED
    if as_json:
        return show([jsonrpc.dumps({"schema": SCHEMA, **found}).decode()]) or int(found["error"] is not None)
    code = int(found["error"] is not None)
    if found["request"] is not None:
        code |= show(lines(found["request"]))
    for each in (*found["notes"], *filter(None, [found["error"]])):
        _tell(visible(each))
    return code


def _tell(text: str) -> None:
    """Write a line of text to stderr. Ignore errors of the operating system, for example if the pipe is closed."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


# Code of its own for `--explain` would sooner or later differ from the code of calls.
def explain(
    catalog: Catalog, environ: Mapping[str, str], base_url: str | None, name: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Return the members of the output: `tool`, `request`, `error` and `notes`.

    `request` is None if no request would be sent. `error`: text that says what would prevent the call, or None.
    """
    tool = catalog.tool(name)
    if "account" in tool.binding:
        from ..accounts.account_commands import explained  # imported late: few servers have accounts

        return explained(explain, catalog, environ, base_url, name, arguments)
    settings = load(catalog, environ, base_url)
    missing = _settle(settings, tool, catalog.servers, environ)
    logins = kept_logins(catalog, settings, lambda secret, source: None)
    keys = Placeholders(catalog.security, settings, logins)
    preparation = Preparation(catalog, settings, keys, logins, bytes)  # zeros, not random bytes: reproducible output
    notes = [*settings.warnings, *preparation.hooks.mistakes]
    found: dict[str, Any] = {"tool": name, "request": None, "error": None, "notes": notes}
    secrets = credentials.sensitive(catalog.security, settings)
    try:
        ready = asyncio.run(_ready(Preview(catalog, settings, preparation), tool, arguments))
    except Unmade as reason:
        found["error"] = sentence(name, reason)
    else:
        found["request"] = _drawn(ready, preparation.agent)
        found["error"] = sentence(name, missing) if missing else None
        notes += _notes(name, keys, preparation, tool.binding.get("confirm", ""))
        notes += [f"{settings.prefix}_TRACE is 1: a traceparent is sent beside."] if settings["TRACE"] else []
        secrets += ready.private
    redacted: dict[str, Any] = Redactor(secrets).value(found)
    return redacted


def _settle(settings: Settings, tool: Tool, servers: Sequence[Server], environ: Mapping[str, str]) -> NotReady | None:
    """Give the tool's API server an address to show if calls may not be sent to it: the described one if it is valid,
    else a placeholder.

    Return the error for the missing or refused URL, or None.
    """
    index = tool.binding.get("server", 0)
    try:
        settings.server(index)
    except NotReady as missing:
        settings.servers += [""] * (index + 1 - len(settings.servers))
        described = _described(servers[index], environ) if index < len(servers) else None
        settings.servers[index] = described or UnknownAddress(f"{settings.prefix}_BASE_URL")
        return missing
    return None


def _described(server: Server, environ: Mapping[str, str]) -> Address | None:
    """Return the address of a server with its variables filled in, or None if its URL is relative or invalid."""
    url = server["url"]
    for name, variable in server.get("variables", {}).items():
        url = url.replace(f"{{{name}}}", environ.get(variable["variable"], "") or variable.get("default", ""))
    try:
        return parse(url)
    except ValueError:
        return None


class Preview:
    """Stands for `services.Services` in the steps of a preview, which send nothing and ask nobody."""

    previews = True

    def __init__(self, catalog: Catalog, settings: Settings, preparation: Preparation) -> None:
        self.catalog = catalog
        self.settings = settings
        self.preparation = preparation


async def _ready(services: Any, tool: Tool, arguments: dict[str, Any]) -> PreparedCall:
    """Return the request of a call, with its credentials. Raise one of the exceptions in `Unmade` if there is none."""
    call = CallUnderWay(tool, arguments, lambda phase: None, Dialogue("", ""), None, services.preparation.budget(tool))
    await _run(some(services, tool, "hooks before", "arguments"), call)
    if "workflow" in tool.binding:
        from ..workflows.workflow_step import explained  # imported late: few servers have workflows

        raise NotReady(explained(services.catalog, tool))
    if nothing := [reason for key, reason in SENDS_NOTHING.items() if key in tool.binding]:
        raise NotReady(nothing[0])
    for each in tool.binding.get("lookups", ()):
        if each["argument"] in call.arguments:
            raise NotReady(f"{each['argument']} is looked up by {each['tool']} first: give {each['id']} to see it.")
    await _run(some(services, tool, *PREPARING), call)
    assert call.ready is not None
    call.ready.chosen.put(call.ready.request)
    return call.ready


async def _run(steps: Iterable[Step], call: CallUnderWay) -> None:
    for step in steps:
        if (waiting := step(call)) is not None:
            await waiting


def _drawn(ready: PreparedCall, agent: str) -> dict[str, Any]:
    """Return a description of the request as JSON values, with the header fields that are added when it is sent."""
    request, address = ready.request, ready.address
    fields = [("Host", address.authority), *request.fields, *sender_fields(request, agent)]
    if request.body is not None or request.method not in WITHOUT_LENGTH:
        fields.append(("Content-Length", str(len(request.body or b""))))
    return {
        "method": request.method,
        "url": address.origin + address.path + request.target,
        "headers": [list(field) for field in fields],
        "body": body(request),
    }


def _notes(tool: str, keys: Placeholders, preparation: Preparation, confirm: str) -> list[str]:
    notes = [f"{tool} would not be called. {keys.missing}"] if keys.missing else []
    if confirm:
        notes.append(f"The user is asked first, by a client that can; by any other, {_BY_OTHERS[confirm]}.")
    if hook := preparation.hooks.replacing(tool):
        notes.append(f"hooks.py answers {tool} itself, in {hook}: this request would not be sent.")
    return notes
