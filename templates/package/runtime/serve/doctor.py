# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--doctor`: check the setup before clients use it.

The report says which variables are set, which tools can be called, and whether access tokens can be fetched. It also
says whether the API answers, whether one harmless call succeeds, and whether the runtime is unmodified. The report
names variables, never their values.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import Counter
from typing import TYPE_CHECKING

from ..calls import hook_runner, trial
from ..calls.execution import ToolExecutor
from ..calls.user_logins import kept_logins
from ..settings import credentials
from ..settings.credential_env import CLIENT, variables
from ..settings.settings import NotReady, load
from . import integrity
from .printing import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.catalog import Catalog
    from ..login.logins import Logins
    from ..settings.grants import TokenRequest
    from ..settings.settings import Settings

    Row = tuple[str, ...]

#: Environment variables that every generated server reads, besides those for credentials and addresses: name without
#: prefix -> purpose.
RESERVED = {
    "BASE_URL": "where the API is, in place of the address it was compiled with",
    "TIMEOUT": "seconds that a call may take",
    "CONCURRENCY": "requests under way at a time; 64 if unset",
    "RATE_LIMIT": "the most requests in any span of a length, such as 10/s, 100/min or 5000/h",
    "MAX_RESULT": "how much of a result is shown and kept, such as 8k tokens, 64 MiB",
    "FILES_DIR": "the directory whose files may be sent as file:NAME",
    "DOWNLOADS_DIR": "the directory that answers which are files may be written to",
    "DOWNLOADS_OVERWRITE": "1 to let them take the place of files that are there",
    "RESULT_TOOL": "1 to list a tool that reads on in cut results, for hosts that show no resources",
    "PROXY": "the proxy to use",
    "CA_FILE": "certificates to trust in place of the system's",
    "CLIENT_CERT": "the certificate that this server shows of itself",
    "CLIENT_KEY": "its key, where that lies in another file",
    "ROLES": "your roles, joined by commas: tools that need one are offered where it is among them",
    "READ_ONLY": "1 to offer only the tools that change nothing",
    "ALLOW_HTTP": "1 to send to hosts other than this one without TLS",
    "ALLOW_HOSTS": "more hosts that calls and credentials may go to, where BASE_URL is set or an origin is new",
    "AUDIT": "the path of a file, or stderr, that gets a line for each call",
    "AUDIT_ARGUMENTS": "1 to have the arguments in it, without secrets",
    "HTTP_HOSTS": "over HTTP: the names under which clients know this server, joined by commas",
    "HTTP_ORIGINS": "over HTTP: the origins of web pages that may ask, joined by commas",
    "HTTP_TOKENS": "over HTTP: the file of callers, on each line a name and the SHA-256 of a token",
    "HTTP_URL": "over HTTP: this server's URL as clients use it, such as https://mcp.example.com/mcp",
    "HTTP_CARD": "over HTTP: this server's name in the MCP registry, to be public with its URL in a server card",
    "AUTH_ISSUER": "over HTTP: the authorization servers whose access tokens are accepted, joined by commas",
    "AUTH_AUDIENCE": "over HTTP: the audience of these tokens, where it is not HTTP_URL",
    "AUTH_SCOPES": "over HTTP: the scopes that every call needs",
    "AUTH_ROLES_CLAIM": "over HTTP: the claim of these tokens that names the caller's roles",
    "AUTH_INTROSPECTION_CLIENT_ID": "over HTTP: this server's client id, to ask about tokens that are no JWT",
    "AUTH_INTROSPECTION_CLIENT_SECRET": "over HTTP: its secret",
    "HTTP_OPEN": "over HTTP: 1 to serve whoever reaches the port, from other machines too",
    "HTTP_FILES": "over HTTP: 1 to let callers name files of FILES_DIR and DOWNLOADS_DIR",
    "STATE_KEY": "over HTTP: the secret that replicas share, of 32 bytes or more",
    "STORE": "over HTTP: the Redis or Valkey that replicas share, such as redis://cache:6379/0",
    "TRACE": "1 to begin a trace where the client names none, 0 to tell the API of none",
    "METRICS": "1 to count, shown at /metrics over HTTP and in the log over stdio; or the path of a file",
    "METRICS_TOKEN": "over HTTP: what whoever reads /metrics sends as a bearer token",
    "LOG_LEVEL": "debug, info, warning or error",
}
#: Environment variables that exist, in addition to RESERVED, if users can log in: name without prefix -> purpose.
OF_LOGINS = {
    "LOGIN_PORT": "the port at which login waits for your browser; any free one if unset",
    "TOKEN_STORE": "where a login is kept: keyring, file, or the path of a file; the keyring if unset",
}
MOST_TRIED = 5
"""Largest number of token requests. There is one for each set of scopes."""

_PURPOSES = {
    "apiKey": "API key, sent in the {in} as {name}",
    "bearer": "bearer or ready access token",
    "basic": "HTTP Basic",
    "oauth2": "OAuth 2 access token, ready or fetched by client credentials",
    "header": "a header, written as Name: value",
    "login": "access token, ready or fetched by logging in",
    "setting": "optional, sent in the {in} as {name}",
}


def examine(
    catalog: Catalog, environ: Mapping[str, str], base_url: str | None, http: tuple[str, int] | None = None
) -> tuple[bool, list[str]]:
    """Return True if no problem was found, and the lines of the report. `http`: host and port, or None for stdio."""
    settings = load(catalog, environ, base_url, http=http)
    logins = _logins(catalog, settings)
    needs = _needs(catalog, settings, logins)
    with contextlib.redirect_stdout(sys.stderr):  # code in hooks.py may print, which must not mix with the report
        mistakes = hook_runner.load([*catalog.names(), *catalog.hidden]).mistakes
    problems, tried = asyncio.run(_reach(catalog, settings))
    problems += _without_endpoint(catalog, settings)
    callable_tools = len(catalog.names()) - sum(needs.values())
    lines = [f"{catalog.title} {catalog.version}", integrity.describe(), ""]
    rows = _credentials(catalog, environ, settings, logins)
    lines += table(rows + _others(catalog, environ, settings))
    tools = len(catalog.names())
    lines += ["", f"{callable_tools} of {tools} tool{'s' * (tools != 1)} can be called with these credentials."]
    lines += [f"{count} cannot: {sentence}" for sentence, count in needs.items()]
    for name, each in sorted(settings.delegations.items()):
        lines.append(f"What needs {name} is called as whoever calls: {each.variable} is {each.way}.")
    lines += tried + (problems or ["The API answers."])
    if settings.listening is not None:
        from . import doctor_http  # imported late: only for HTTP

        faults, told = doctor_http.examine(settings.listening, settings, catalog)
        problems += faults
        lines += [*told, *faults]
    if settings.telemetry is not None:
        from . import doctor_telemetry  # imported late: few servers send telemetry

        lines += doctor_telemetry.examine(settings.telemetry, settings.prefix, over_http=http is not None)
    lines += [*mistakes, *settings.warnings]
    return not (needs or problems or mistakes), lines


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
            from_file = bool(environ.get(f"{name}_FILE", "").strip())
            given = from_file or environ.get(name)
            state = "unusable" if given else "not set" if filled else "missing"
            if part in CLIENT and "user" in scheme and not given:
                state = "not set"  # not "missing": a login without a client id can register a client
            if name in secrets:
                state = "set by file" if from_file else "set"
            purpose = _PURPOSES[scheme["type"]].format_map(scheme)
            rows.append((name, state, purpose if part == "value" else f"{purpose}: {part}"))
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


def _others(catalog: Catalog, environ: Mapping[str, str], settings: Settings) -> list[Row]:
    known = RESERVED | (OF_LOGINS if any("user" in scheme for scheme in catalog.security.values()) else {})
    purposes = {f"{catalog.prefix}_{suffix}": purpose for suffix, purpose in known.items()}
    for scheme in catalog.security.values():
        if "token_url" in scheme["variables"] and (url := scheme.get("tokenUrl") or scheme.get("openIdConnectUrl")):
            purposes[scheme["variables"]["token_url"]] = f"where tokens are fetched, in place of what {url} is or says"
    for server in catalog.servers:
        for place, variable in server.get("variables", {}).items():
            purposes[variable["variable"]] = f"{{{place}}} of {server['url']}"
    states = {name: "set" if environ.get(name) else "not set" for name in purposes}
    # The URL of the proxy may contain a password, so the operator may set it by a file (variable `<NAME>_PROXY_FILE`).
    proxy = f"{catalog.prefix}_PROXY"
    if environ.get(f"{proxy}_FILE", "").strip():
        states[proxy] = "set by file" if settings.proxy else "unusable"
    return [(name, states[name], purpose) for name, purpose in purposes.items()]


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
        found = await caller.reach()
        if settings.problems:
            return found, []
        found += filter(None, [await caller.try_grant(grant) for grant in _grants(catalog, settings)])
        if found:
            return found, []
        if caller.hooked:
            return [], ["No call was tried, since hooks.py takes part in calls."]
        name = trial.choose(catalog, settings, _logins(catalog, settings))
        if not name:
            return [], ["No call was tried: no tool that only reads can be called without arguments."]
        well, said = await caller.try_tool(name)
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
