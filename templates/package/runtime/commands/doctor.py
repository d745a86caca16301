# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--doctor`: check the setup before clients use it.

The report says which variables are set, missing or unusable, which tools can be called, and whether access tokens can
be fetched. It also says whether the API answers, whether one harmless call succeeds, and whether the runtime has
accidental edits. The report names variables, never their values.

Accidental edits are found by the digests in `SHA256SUMS` that mcpgen wrote next to the files. This does not detect
attackers: an attacker could also edit the digests or this module. A reviewer runs `mcpgen regenerate --check` with a
trusted mcpgen. A digest is the SHA-256 of a file with CRLF replaced by LF, since a checkout may change line ends.

The harmless call is a read-only operation without required arguments, with the usual credentials. Only the status of
its response is examined.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import machinery
from typing import TYPE_CHECKING

from ..calls import hook_loading
from ..calls.execution import ToolExecutor
from ..calls.plain_call import kept_logins, sentence, unheard
from ..core import absent_parts
from ..core.limits import Budget
from ..http.client import Failure
from ..request.argument_errors import Refused
from ..request.request import Request
from ..settings import credentials
from ..settings.credential_env import CLIENT, SOURCES, source, variable_of_rights, variables
from ..settings.settings import NotReady, load
from ..settings.settings_table import SETTINGS
from .command_line import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..calls.services import Services
    from ..core.catalog import Catalog, Tool
    from ..http.client import Client
    from ..http.exchange import Response, Sent
    from ..login.logins import Logins
    from ..settings.credentials import TokenRequest
    from ..settings.settings import Settings
    from ..text.addresses import Address

    Rank = tuple[bool, bool, int, str]

    Row = tuple[str, ...]

SECONDS = 5.0
"""Seconds that each request for `--doctor` may take."""


def choose(catalog: Catalog, settings: Settings, logins: Logins | None = None) -> str:
    """Return the name of the tool to try, or "" if there is none.

    Tools that need credentials come first; among equals, the tool with the shortest path wins.
    """
    rows = [row for name in catalog.names() if (row := _rank(catalog, settings, name, logins)) is not None]
    return min(rows)[-1] if rows else ""


def _rank(catalog: Catalog, settings: Settings, name: str, logins: Logins | None) -> Rank | None:
    """Return the sort key of a tool; None if it changes something, asks the user, or cannot be called."""
    described, tool = catalog.described(name), catalog.tool(name)
    if described.get("annotations", {}).get("readOnlyHint") is not True or _needs_arguments(tool):
        return None
    binding = tool.binding
    if binding.get("method") != "GET" or "confirm" in binding or binding.get("body"):
        return None
    try:
        delegated, wanted = settings.delegations, binding.get("security")
        schemes = credentials.choose(wanted, catalog.security, settings.secrets, logins, delegated)
    except NotReady:
        return None
    if any(catalog.security[name] in schemes for name in delegated):
        return None  # this call needs the credential of a caller, and --doctor has no caller
    path = binding["path"]
    return not schemes, len(path) > 1, len(str(path)), name


def _needs_arguments(tool: Tool) -> bool:
    """Return True if a tool cannot be called without arguments."""
    return bool(tool.schema.get("required")) or any("required" in each for each in tool.binding.get("lookups", ()))


async def attempt(services: Services, name: str) -> tuple[bool, str]:
    """Call a tool, with no arguments. Return True if the settings look usable, and a sentence on the outcome."""
    tool = services.catalog.tool(name)
    with services.lasting.redactor.during():
        try:
            ready = await services.preparation.unhooked(tool, {})
            budget = Budget(SECONDS, time.monotonic)
            answer, sent = await services.exchange.made(tool, ready, {}, unheard, budget)
        except (Refused, NotReady) as reason:
            return False, sentence(tool.name, reason)
        if not isinstance(answer, Failure):
            services.writer.closed(answer)
        return verdict(answer, sent)


async def grant(services: Services, wanted: TokenRequest) -> str:
    """Fetch an access token. Return "", or a sentence that says why that failed."""
    try:
        await services.lasting.sender.try_grant(wanted, SECONDS)
    except NotReady as reason:
        return str(reason)
    return ""


def verdict(answer: Response | Failure, sent: Sent) -> tuple[bool, str]:
    """Return True if the settings look usable after this response, and a sentence about the response."""
    variables = " and ".join(sent.variables)
    asked = f"{sent.tool.name} ({sent.method} {sent.path}{f', with {variables}' if variables else ''})"
    if isinstance(answer, Failure):
        return False, f"{asked}: {answer.reason}."
    status = answer.status
    told = f"{asked} answered {status}"
    if status == 401 and variables:
        return False, f"{told}: the API rejects the credential in {variables}. The credential is wrong or has expired."
    if status == 401:
        return False, f"{told}: the API requires a credential."
    if status == 403:
        why = (
            f"the credential in {variables} is wrong, or lacks the right for this"
            if variables
            else "the API requires a credential"
        )
        return False, f"{told}: {why}."
    if status == 404:
        return True, f"{told}. If every call answers 404, the path of the base URL is wrong."
    return True, f"{told}." if 200 <= status < 300 else f"{told}, which says nothing about the settings."


async def reach(services: Services) -> list[str]:
    """Return sentences on what prevents calls: problems in the settings, and servers that do not answer. Send no
    credentials.
    """
    settings = services.settings
    found = list(settings.problems)
    for index in range(max(1, len(settings.servers))):
        try:
            found += await _reached(services.lasting.client, settings.server(index))
        except NotReady as missing:
            found.append(str(missing))
    return found


async def _reached(client: Client, address: Address) -> list[str]:
    """Return [] if a server answers below the base URL `address`, else a list with the reason why none answers.

    GET is tried after HEAD, since some servers do not support HEAD.
    """
    for method in ("HEAD", "GET"):
        try:
            await client.send(Request(method, "/"), address, SECONDS)
        except Failure as failure:
            found = [f"{address}: {failure.reason}."]
        else:
            return []
    return found


SUMS = "SHA256SUMS"
MOST_NAMED = 10
"""Largest number of changed files that the line names."""

_RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_VERSION = re.compile(r"# mcpgen ([0-9A-Za-z.+-]{1,40})")
_ENTRY = re.compile(r"([0-9a-f]{64})  (.+)")


def describe(folder: str = _RUNTIME) -> str:
    """Return a line for `--doctor` that says which files of the runtime differ from what mcpgen wrote, if any."""
    try:
        version, recorded = _recorded(os.path.join(folder, SUMS))
    except (OSError, ValueError):
        return f"runtime: cannot be checked, since its {SUMS} is missing or damaged. `mcpgen regenerate` writes it."
    present = dict(_present(folder, recorded))
    changed = sorted(path for path in recorded.keys() | present.keys() if recorded.get(path) != present.get(path))
    if not changed:
        return f"runtime: no accidental edits (its files match SHA256SUMS of mcpgen {version})"
    named = ", ".join(ascii(path)[1:-1] for path in changed[:MOST_NAMED])
    more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
    return (
        f"runtime: changed since mcpgen {version} wrote it: {named}{more}. `mcpgen regenerate --overwrite` restores it."
    )


def _recorded(file: str) -> tuple[str, dict[str, str]]:
    """Return the version of mcpgen and the digest of each path, as recorded in `file`.

    Raise OSError if the file cannot be read, and ValueError if it is malformed.
    """
    with open(file, encoding="ascii") as opened:
        first, *lines = opened.read().splitlines()
    version, entries = _VERSION.fullmatch(first), [_ENTRY.fullmatch(line) for line in lines]
    if version is None or not entries or None in entries:
        raise ValueError(file)
    return version[1], {entry[2]: entry[1] for entry in entries if entry}


def _present(folder: str, recorded: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield path and digest of each existing file that is in `recorded`, or that Python could import from `folder`.

    `recorded`: path -> digest, as SHA256SUMS lists them.
    """
    imported = tuple(machinery.all_suffixes())
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            file = os.path.join(place, name)
            path = os.path.relpath(file, folder).replace(os.sep, "/")
            if path in recorded or name.endswith(imported):
                yield path, _digest(file)


def _digest(file: str) -> str:
    """Return the digest of a file; "" if the file cannot be read."""
    if not os.path.isfile(file):  # read only regular files, since reading a pipe would never end
        return ""
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read().replace(b"\r\n", b"\n")).hexdigest()
    except OSError:
        return ""


MOST_TRIED = 5
"""Largest number of token requests. There is one for each set of scopes."""

_FIRST = ("missing", "not logged in", "unusable")
"""States of variables that come first in the report, in this order."""


def examine(
    catalog: Catalog,
    environ: Mapping[str, str],
    base_url: str | None,
    http: tuple[str, int] | None = None,
    *,
    show_all: bool = False,
) -> tuple[bool, list[str]]:
    """Return True if no problem was found, and the lines of the report.

    `http`: host and port, or None for stdio. `show_all`: True to show also the variables that are not set.
    """
    if "accounts" in catalog.header:
        from ..accounts.account_commands import examined  # imported late: few servers have accounts

        return examined(examine, catalog, environ, base_url, http, show_all=show_all)
    settings = load(catalog, environ, base_url, http=http)
    logins = _logins(catalog, settings)
    needs = _needs(catalog, settings, logins)
    with contextlib.redirect_stdout(sys.stderr):  # code in hooks.py may print, which must not mix with the report
        mistakes = hook_loading.load([*catalog.names(), *catalog.hidden]).mistakes
    problems, tried = asyncio.run(_reach(catalog, settings))
    problems += _without_endpoint(catalog, settings)
    callable_tools = len(catalog.names()) - sum(needs.values())
    lines = [f"{catalog.title} {catalog.version}", describe(), ""]
    rows = _credentials(catalog, environ, settings, logins) + _others(catalog, environ, settings, base_url)
    lines += _variables(rows, f"{catalog.name}-mcp", show_all=show_all)
    tools = len(catalog.names())
    if settings.problems:
        lines += ["", "No tool can be called: the server does not start with these settings."]
    else:
        lines += ["", f"{callable_tools} of {tools} tool{'s' * (tools != 1)} can be called with these credentials."]
    lines += [f"{count} cannot: {sentence}" for sentence, count in needs.items()]
    for name, each in sorted(settings.delegations.items()):
        lines.append(f"Calls that need {name} use the caller's own rights: {each.variable} is {each.way}.")
    lines += tried + (problems or ["The API answers."])
    if settings.listening is not None:
        from ..http_server.doctor_http import examine as examine_http  # imported late: only for HTTP

        faults, told = examine_http(settings.listening, settings, catalog)
        problems += faults
        lines += [*told, *faults]
    if settings.telemetry is not None:
        from ..telemetry import doctor_telemetry  # imported late: few servers send telemetry

        lines += doctor_telemetry.examine(settings.telemetry, settings.prefix, over_http=http is not None)
    lines += [*mistakes, *settings.warnings]
    return not (needs or problems or mistakes), lines


def _variables(rows: list[Row], command: str, *, show_all: bool) -> list[str]:
    """Return the lines about variables: missing ones first, and those that are not set only if `show_all` is True."""
    shown = [row for row in rows if show_all or row[1] != "not set"]
    lines = table(sorted(shown, key=lambda row: _FIRST.index(row[1]) if row[1] in _FIRST else len(_FIRST)))
    hidden = len(rows) - len(shown)
    if lines and hidden:
        lines.append("")
    if hidden:
        lines.append(f"Settings that are not set: {hidden}. `{command} --doctor --all` shows them.")
    return lines


def _logins(catalog: Catalog, settings: Settings) -> Logins | None:
    """Load and return the stored logins, or None if users cannot log in for any security scheme."""
    found = kept_logins(catalog, settings, lambda secret, source: None)
    for name, scheme in catalog.security.items():
        if found is not None and "user" in scheme:
            found.look_now(name)
    return found


def _credentials(catalog: Catalog, environ: Mapping[str, str], settings: Settings, logins: Logins | None) -> list[Row]:
    rows: list[Row] = []
    secrets, lacking = settings.secrets, _lacking(catalog, settings, logins)
    for name_of_scheme, scheme in catalog.security.items():
        filled = name_of_scheme not in lacking
        for part, name in variables(scheme):
            given_by = source(name, environ)
            given = given_by or environ.get(name)
            state = "unusable" if given else "not set" if filled else "missing"
            is_signed = "signing" in scheme and part not in scheme["ways"]["given"]
            if not given and (is_signed or (part in CLIENT and "user" in scheme)):
                state = "not set"  # not "missing": a host tells its region, and a login can register a client
            if name in secrets:
                state = "set by " + given_by.rpartition("_")[2].lower() if given_by else "set"
            rows.append((name, state, scheme["purposes"][part]))
        if logins is not None and "user" in scheme:
            state = "logged in" if logins.has(name_of_scheme) else "not logged in"
            rows.append((logins.command(name_of_scheme), state, "logs you in with your browser"))
    return rows


def _lacking(catalog: Catalog, settings: Settings, logins: Logins | None) -> set[str]:
    """Return the names of security schemes whose missing credentials prevent a tool from being called.

    Such a tool accepts several alternative sets of schemes, and no set has all its credentials. All schemes in these
    sets that lack a credential are returned.
    """
    found: set[str] = set()
    for name in catalog.names():
        wanted = catalog.tool(name).binding.get("security") or []
        try:
            credentials.choose(wanted, catalog.security, settings.secrets, logins, settings.delegations)
        except NotReady:
            found.update(scheme for names in wanted for scheme in names)
    return {name for name in found if not credentials.filled(catalog.security[name], settings.secrets)}


def _others(catalog: Catalog, environ: Mapping[str, str], settings: Settings, base_url: str | None) -> list[Row]:
    prefix, wrong = catalog.prefix, {problem.partition(" ")[0] for problem in settings.problems}
    has_logins = any("user" in scheme for scheme in catalog.security.values())
    known = [row for row in SETTINGS if absent_parts.has(row.part) and (row.feature != "login" or has_logins)]
    purposes = {row.variable(prefix): row.describe(prefix).replace("`", "") for row in known}
    in_file = {row.variable(prefix) for row in known if row.secret}
    for scheme in catalog.security.values():
        if "token_url" in scheme["variables"]:
            purposes[scheme["variables"]["token_url"]] = scheme["purposes"]["token_url"]
        if absent_parts.has("delegation") and (rights := variable_of_rights(scheme)):
            purposes[rights] = "over HTTP, whose credentials calls use: own, exchange, on-behalf-of, user, header:FIELD"
    is_located = base_url or any("://" in server["url"] for server in catalog.servers)
    needed = set() if is_located else {f"{prefix}_BASE_URL"}
    for server in catalog.servers:
        for place, variable in server.get("variables", {}).items():
            purposes[variable["variable"]] = f"{{{place}}} in the server URL {server['url']}"
            if not variable.get("default"):
                needed.add(variable["variable"])
    rows: list[Row] = []
    for name, purpose in purposes.items():
        state = "set" if environ.get(name, "").strip() else "missing" if name in needed else "not set"
        if name in in_file and (given_by := source(name, environ)):
            state = "set by " + given_by.rpartition("_")[2].lower()
        if state.startswith("set") and not wrong.isdisjoint((name, *(name + each for each in SOURCES))):
            state = "unusable"
        rows.append((name, state, purpose))
    return rows


def _needs(catalog: Catalog, settings: Settings, logins: Logins | None) -> Counter[str]:
    """Return a sentence for each missing credential -> how many tools lack this credential."""
    found: Counter[str] = Counter()
    for name in catalog.names():
        try:
            wanted = catalog.tool(name).binding.get("security")
            credentials.choose(wanted, catalog.security, settings.secrets, logins, settings.delegations)
        except NotReady as missing:
            found[str(missing)] += 1
    return found


def _without_endpoint(catalog: Catalog, settings: Settings) -> list[str]:
    """Return a sentence for each scheme whose credentials are set, but whose token endpoint is unknown."""
    found = []
    for name, scheme in catalog.security.items():
        if name in settings.delegations:
            continue
        if credentials.filled(scheme, settings.secrets) and credentials.fetched(scheme, settings.secrets):
            try:
                settings.endpoint(name)
            except NotReady as missing:
                found.append(str(missing))
    return found


async def _reach(catalog: Catalog, settings: Settings) -> tuple[list[str], list[str]]:
    """Contact the API. Return sentences on what prevents calls, and sentences on the outcome of a trial call."""
    caller = ToolExecutor(catalog, settings)
    try:
        found = await reach(caller.services)
        if settings.problems:
            return found, []
        found += filter(None, [await grant(caller.services, each) for each in _grants(catalog, settings)])
        if found:
            return found, []
        if caller.hooked:
            return [], ["No call was tried, because hooks.py takes part in calls."]
        name = choose(catalog, settings, _logins(catalog, settings))
        if not name:
            return [], [
                "No call was tried, because no read-only tool can be called without arguments and with the credentials"
                " that are set."
            ]
        well, said = await attempt(caller.services, name)
        return ([], [said]) if well else ([said], [])
    finally:
        await caller.close()


def _grants(catalog: Catalog, settings: Settings) -> list[TokenRequest]:
    """Return at most MOST_TRIED token requests that tools need, one for each pair of credentials and scopes."""
    keys = credentials.ServerCredentials(catalog.security, settings, _logins(catalog, settings))
    found: dict[tuple[str, ...], TokenRequest] = {}
    for name in catalog.names():
        try:
            grant = keys.choose(catalog.tool(name).binding).grant
        except NotReady:
            continue  # skip: `_needs` has already reported the missing credential
        if grant is not None:
            found.setdefault((*grant.variables, *grant.scopes), grant)
    return list(found.values())[:MOST_TRIED]
