# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the settings of each account of a server.

An account is a view of the server: its catalog names other environment variables, `PETSTORE_EU_TOKEN` in place of
`PETSTORE_TOKEN`, and its settings are read from a view of the environment. So all that depends on settings and
credentials is apart: origins, connections, access tokens, limits, logins and stored results.

A credential is never inherited: without its own variable, an account has none. Other settings are those of the server,
unless the account has its own value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.catalog import Catalog, Tool
from ..settings import settings as reading
from ..settings.credential_env import SOURCES, variables
from ..settings.settings_table import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ..settings.settings import Settings
    from ..settings.settings_table import Setting
    from ..tables.table import Account, Scheme

IDENTIFIES = ("HEADERS_FILE", "CLIENT_CERT", "CLIENT_KEY", "CLIENT_KEY_PASSWORD")
"""Rows of the settings table that only the account itself can set, since they hold credentials."""

REACHES = (
    *("BASE_URL", "TIMEOUT", "CONCURRENCY", "RATE_LIMIT", "PROXY", "NO_PROXY", "HEADERS", "CA_FILE"),
    *("ALLOW_HTTP", "ALLOW_HOSTS"),
)
"""Rows that an account can set, and otherwise has from the server."""


class AccountCatalog(Catalog):
    """Catalog as one account sees it. Its tools have no argument that chooses an account."""

    def __init__(self, whole: Catalog, name: str, account: Account) -> None:
        self.__dict__.update(whole.__dict__)
        self.account = name
        self.prefix = account["environment"]
        rest: Any = {key: value for key, value in whole.header.items() if key != "accounts"}
        self.header = rest
        self.security = {each: self._scheme(scheme, whole.prefix) for each, scheme in whole.header["security"].items()}
        servers: Any = [self._server(server, whole.prefix) for server in whole.servers]
        self.servers = servers
        self._parsed = {}

    def tool(self, name: str) -> Tool:
        """Return the tool of a known name, without the argument that chooses an account."""
        if name not in self._parsed:
            tool = super().tool(name)
            if (argument := tool.binding.get("account", "")) in tool.schema.get("properties", {}):
                tool.schema = tool.listed = _without(tool.schema, argument)
            rest: Any = {key: value for key, value in tool.binding.items() if key != "account"}
            tool.binding = rest
        return self._parsed[name]

    def _scheme(self, scheme: Scheme, before: str) -> Scheme:
        return {**scheme, "variables": {role: self._named(name, before) for role, name in scheme["variables"].items()}}

    def _server(self, server: Any, before: str) -> Any:
        renamed = {
            name: {**variable, "variable": self._named(variable["variable"], before)}
            for name, variable in server.get("variables", {}).items()
        }
        return {**server, "variables": renamed} if renamed else server

    def _named(self, variable: str, before: str) -> str:
        return self.prefix + variable.removeprefix(before)


def _without(schema: dict[str, Any], argument: str) -> dict[str, Any]:
    """Return an input schema without an argument."""
    left = {name: each for name, each in schema["properties"].items() if name != argument}
    required = [name for name in schema.get("required", ()) if name != argument]
    rest = {key: value for key, value in schema.items() if key != "required"}
    return {**rest, "properties": left, **({"required": required} if required else {})}


def views(catalog: Catalog) -> dict[str, AccountCatalog]:
    """Return name -> catalog of each account."""
    return {name: AccountCatalog(catalog, name, each) for name, each in catalog.header["accounts"].items()}


def withdraw(tool: dict[str, Any], argument: str) -> None:
    """Remove the argument that chooses an account from an entry of `tools/list`: the caller has one account."""
    tool["inputSchema"] = _without(tool["inputSchema"], argument)


def load(
    settings: Settings,
    whole: Catalog,
    environ: Mapping[str, str],
    base_url: str | None,
    at_start: Catalog | None,
    http: tuple[str, int] | None,
) -> None:
    """Read the settings of each account into `settings.accounts`. Problems and secrets are also those of the server."""
    for name, view in views(whole).items():
        seen, inherited = environment(view, whole.prefix, environ)
        found = reading.load(view, seen, base_url, at_start=at_start, http=http)
        owned: dict[str, str] = whole.header["accounts"][name].get("headers", {})
        found.values["HEADERS"] = (*(("header", *field) for field in owned.items()), *found["HEADERS"])
        found.values["LOGIN_NAME"] = f"{found['LOGIN_NAME']} {name}".strip()
        settings.accounts[name] = view, found
        settings.read.update(dict.fromkeys(own_variables(view)))
        settings.private += [*found.private, *found.secrets.values(), *(value for *_, value in found["HEADERS_FILE"])]
        settings.problems += [each for each in found.problems if each.partition(" ")[0] not in inherited]
        settings.warnings += [each for each in found.warnings if each.partition(" ")[0] not in inherited]
    if (callers := settings["CALLER_ACCOUNTS"]) is not None:
        settings.problems += callers.problems(f"{whole.prefix}_CALLER_ACCOUNTS", settings)


def own_variables(view: AccountCatalog) -> Iterator[str]:
    """Yield the names of all environment variables that only this account reads."""
    yield from _of_requests(view)
    for row in SETTINGS:
        if row.name in (*IDENTIFIES, *REACHES):
            yield from _spellings(row, view.prefix)


def environment(view: AccountCatalog, prefix: str, environ: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """Return the environment that an account sees, and the names in it whose values are those of the server.

    `prefix`: that of the variables of the server.
    """
    own = {*_of_requests(view)}
    found = {name: value for name, value in environ.items() if not name.startswith(f"{prefix}_") or name in own}
    inherited: set[str] = set()
    pairs = [(row.name, [*_spellings(row, view.prefix)], [*_spellings(row, prefix)]) for row in SETTINGS]
    pairs += [("BASE_URL", [name], [prefix + name.removeprefix(view.prefix)]) for name in _of_servers(view)]
    for row, mine, common in pairs:
        if row in (*IDENTIFIES, *REACHES) and any(environ.get(name) for name in mine):
            found |= {name: environ[name] for name in mine if name in environ}
        elif row not in IDENTIFIES:
            inherited.update(mine)
            found |= {name: environ[other] for name, other in zip(mine, common, strict=True) if other in environ}
    return found, inherited


def _spellings(row: Setting, prefix: str) -> Iterator[str]:
    """Yield the name of a row, and for a secret those that name a file or a command."""
    name = row.variable(prefix)
    yield from (name, *(name + ending for ending in SOURCES)) if row.secret else (name,)


def _of_requests(view: AccountCatalog) -> Iterator[str]:
    """Yield the variables of credentials and of server URLs."""
    for scheme in view.security.values():
        for _, name in variables(scheme):
            yield from (name, *(name + ending for ending in SOURCES))
        if "token_url" in scheme["variables"]:
            yield scheme["variables"]["token_url"]
    yield from _of_servers(view)


def _of_servers(view: AccountCatalog) -> Iterator[str]:
    for server in view.servers:
        for variable in server.get("variables", {}).values():
            yield variable["variable"]
