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
from ..core.jsonrpc import dumps
from ..settings.credential_env import SOURCES, content, variables
from ..settings.settings_table import SETTINGS
from ..text.folded_names import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Protocol

    from ..core.spans import Peer
    from ..http_server.listening import Listening
    from ..settings.settings_table import Setting
    from ..tables.table import Account, Binding, Parameter, Scheme

    class Settings(Protocol):
        """Interface of the settings to which those of accounts are added (settings.Settings)."""

        prefix: str
        values: dict[str, Any]
        secrets: dict[str, str]
        private: list[str]
        problems: list[str]
        warnings: list[str]
        read: dict[str, None]
        listening: Listening | None
        accounts: dict[str, Any]

        def __getitem__(self, name: str) -> Any:
            """Return the value of a setting."""


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
        self._fixed: list[Parameter] = [
            {"name": field, "value": text, "style": "simple", "explode": False}
            for field, text in account.get("headers", {}).items()
        ]

    def tool(self, name: str) -> Tool:
        """Return the tool of a known name, without the argument that chooses an account."""
        if name not in self._parsed:
            tool = super().tool(name)
            if (argument := tool.binding.get("account", "")) in tool.schema.get("properties", {}):
                tool.schema = tool.listed = _without(tool.schema, argument)
            rest: Any = {key: value for key, value in tool.binding.items() if key != "account"}
            tool.binding = self._with_fields(rest)
        return self._parsed[name]

    def _with_fields(self, binding: Binding) -> Binding:
        """Return the binding of a tool with the header fields of the account. They replace only constants."""
        if not self._fixed or "method" not in binding:
            return binding
        fixed = {fold(each["name"]) for each in self._fixed}
        own = [each for each in binding.get("headers", ()) if fold(each["name"]) not in fixed or "value" not in each]
        taken = {fold(each["name"]) for each in own}
        return {**binding, "headers": [*own, *(each for each in self._fixed if fold(each["name"]) not in taken)]}

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


def withdraw(catalog: Catalog) -> None:
    """Remove the argument that chooses an account from the tools of a server whose callers have one account each."""
    for name in catalog.names():
        if argument := catalog.tool(name).binding.get("account"):
            entry = catalog.described(name)
            entry["inputSchema"] = _without(entry["inputSchema"], argument)
            catalog._described.change(name, dumps(entry))
    catalog._leave(catalog.names())


def load(
    settings: Settings,
    read: Callable[[Catalog, Mapping[str, str]], Settings],
    whole: Catalog,
    environ: Mapping[str, str],
) -> None:
    """Read the settings of each account into `settings.accounts`. Problems and secrets are also those of the server.

    `read`: function that reads the settings of one account from its environment.
    """
    for name, view in views(whole).items():
        seen, inherited = environment(view, whole.prefix, environ)
        found = read(view, seen)
        settings.accounts[name] = view, found
        settings.read.update(dict.fromkeys(own_variables(view)))
        settings.private += [*found.private, *found.secrets.values(), *(value for *_, value in found["HEADERS_FILE"])]
        settings.problems += [each for each in found.problems if each.partition(" ")[0] not in inherited]
        settings.warnings += [each for each in found.warnings if each.partition(" ")[0] not in inherited]
    if (value := settings["CALLER_ACCOUNTS"]) is not None:
        try:
            settings.values["CALLER_ACCOUNTS"] = callers = read_callers(value)
            settings.problems += callers.problems(settings)
        except ValueError as reason:
            settings.problems.append(f"{whole.prefix}_CALLER_ACCOUNTS {reason}.")


def own_variables(view: AccountCatalog) -> Iterator[str]:
    """Yield the names of all environment variables that only this account reads."""
    yield from _of_requests(view)
    for row in SETTINGS:
        if row.account:
            yield from _spellings(row, view.prefix)


def environment(view: AccountCatalog, prefix: str, environ: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """Return the environment that an account sees, and the names in it whose values are those of the server.

    `prefix`: that of the variables of the server.
    """
    own = {*_of_requests(view)}
    found = {name: value for name, value in environ.items() if not name.startswith(f"{prefix}_") or name in own}
    inherited: set[str] = set()
    pairs = [(row.account, [*_spellings(row, view.prefix)], [*_spellings(row, prefix)]) for row in SETTINGS]
    pairs += [("server", [name], [prefix + name.removeprefix(view.prefix)]) for name in _of_servers(view)]
    for own_value, mine, common in pairs:
        if own_value and any(environ.get(name) for name in mine):
            found |= {name: environ[name] for name in mine if name in environ}
        elif own_value != "own":
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


_CLAIM, _SUBJECT = "claim:", "sub:"


class CallerAccounts:
    """The accounts of callers. `claim`: name of a claim, or a JSON Pointer to it; "" if `listed` says the account."""

    def __init__(self, claim: str, listed: Mapping[str, str]) -> None:
        self._claim = claim
        self._listed = listed

    def account(self, peer: Peer | None, settings: Settings) -> str:
        """Return the account of a caller, or "" if it has none."""
        identity = None if peer is None else peer.identity
        if self._claim:
            from ..http_server.callers import claimed  # imported late: a server over stdio lacks it

            found = claimed(identity.claims, self._claim) if identity is not None else None
        elif identity is not None:
            found = self._listed.get(_SUBJECT + identity.subject) if identity.subject else None
        else:
            found = self._listed.get(peer.principal) if peer is not None and peer.principal else None
        return found if isinstance(found, str) and found in settings.accounts else ""

    def problems(self, settings: Settings) -> list[str]:
        """Return sentences about unknown accounts, and about callers that no issuer tells apart."""
        strange = sorted({*self._listed.values()} - settings.accounts.keys())
        found = (
            [f"{settings.prefix}_CALLER_ACCOUNTS names the account {strange[0]}, which this server does not have."]
            if strange
            else []
        )
        issuers = settings.listening["AUTH_ISSUER"] if settings.listening is not None else ()
        if len(issuers) > 1 and any(each.startswith(_SUBJECT) for each in self._listed):
            found.append(f"{settings.prefix}_CALLER_ACCOUNTS names callers by `sub:`, which needs one issuer.")
        return found


def read_callers(value: str) -> CallerAccounts:
    """Return the accounts of callers. `value`: `claim:` and a claim of access tokens, or the path of a file.

    A line of the file is a caller and its account. A caller is a name in the file of tokens, or `sub:` and a subject.
    """
    if value.startswith(_CLAIM):
        return CallerAccounts(value.removeprefix(_CLAIM), {})
    try:
        text = content(value, "")
    except ValueError:
        raise ValueError("must be claim:NAME, or name a file of text in UTF-8 that can be read") from None
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or words[0] in found:
            raise ValueError(f"must name a file with a caller and its account on each line (line {number})")
        found[words[0]] = words[1]
    if not found:
        raise ValueError("names a file without callers")
    return CallerAccounts("", found)
