# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Choose the environment variables that a client must pass to this server, according to `bindings.json`.

Clients pass few variables of their own environment to servers. So the variables that are set during the installation
are written to the server's entry in the client's configuration: settings with their values, secrets by name only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..settings import credential_env, settings
from ..settings.settings_table import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.catalog import Catalog
    from ..tables.table import Scheme


@dataclass(frozen=True, slots=True)
class Variables:
    """Environment variables for the entry of this server in the configuration of an MCP client.

    `values` holds those that are not secret. `secrets` lists the names of the others. `missing` lists variables that
    have no value although a tool needs them.
    """

    values: dict[str, str]
    secrets: list[str]
    missing: list[str]


def secret_names(catalog: Catalog) -> list[str]:
    """Return the names of all variables that hold a secret, whether needed or not."""
    accounts = _accounts(catalog)
    credentials = [
        name
        for each in accounts
        for scheme in each.security.values()
        for role, name in scheme["variables"].items()
        if role in scheme["secret"]
    ]
    rows = (row.variable(each.prefix) for each in (*accounts, catalog) for row in SETTINGS if row.secret)
    return list(dict.fromkeys([*credentials, *rows]))


def has_logins(catalog: Catalog) -> bool:
    """Return True if a user can log in for some security scheme."""
    return any("user" in scheme for each in _accounts(catalog) for scheme in each.security.values())


def _accounts(catalog: Catalog) -> list[Catalog]:
    """Return the catalog as each account sees it, or a list of itself if the server has no accounts."""
    if "accounts" not in catalog.header:
        return [catalog]
    from ..accounts.accounts import views  # imported late: few servers have accounts

    return [*views(catalog).values()]


def choose(catalog: Catalog, environ: Mapping[str, str]) -> Variables:
    """Return the variables for the configuration entry of a stdio server: those set in `environ`, and unset ones that
    tools need. A secret is left out if `<VARIABLE>_FILE` or `<VARIABLE>_COMMAND` is set. No command is run.
    """
    secret = secret_names(catalog)
    accounts = _accounts(catalog)
    servers = [each for view in accounts for server in view.servers for each in server.get("variables", {}).values()]
    ignored = {*secret, *(name for each in accounts for name in _delegating(each))}
    # A server over stdio reads no settings for HTTP. `OTEL_*` is left out: these variables belong to all programs of a
    # machine, and some of their values are keys.
    tried = {name: value for name, value in environ.items() if not name.endswith("_COMMAND")}
    read = [name for name in settings.load(catalog, tried).read if name.startswith(f"{catalog.prefix}_")]
    values = {name: environ[name] for name in read if name not in ignored and environ.get(name)}
    wanted = [name for name in secret if name in read and environ.get(name)]
    wanted += [name for each in accounts for name in _needed(each, environ) if name not in wanted]
    missing = [each["variable"] for each in servers if not each["default"] and each["variable"] not in values]
    missing += [name for name in wanted if name not in secret and not _is_set([name], values)]
    base_url = f"{catalog.prefix}_BASE_URL"
    if base_url not in values and not any("://" in server["url"] for server in catalog.servers):
        missing.append(base_url)
    wanted = [name for name in wanted if name in secret and not credential_env.source(name, values)]
    return Variables(values, wanted, list(dict.fromkeys(missing)))


def _delegating(catalog: Catalog) -> set[str]:
    """Return the variables `<SCHEME>_AS`, which only a server over HTTP may use."""
    credentials = {name for scheme in catalog.security.values() for name in scheme["variables"].values()}
    return {credential_env.variable_of_rights(scheme) for scheme in catalog.security.values()} - credentials


def _needed(catalog: Catalog, environ: Mapping[str, str]) -> list[str]:
    """Return the variables without which at least one tool cannot be called.

    If a tool has several ways to authenticate and no way is configured, these are the variables of the first way.
    """
    needed: dict[str, None] = {}
    for alternatives in {tuple(map(tuple, each)): None for each in _alternatives(catalog)}:
        ways = [[_variables(catalog.security[name]) for name in names] for names in alternatives]
        if any(all(any(_is_set(each, environ) for each in scheme) for scheme in way) for way in ways):
            continue
        needed.update(dict.fromkeys(name for scheme in ways[0] for name in scheme[0]))
    return list(needed)


def _alternatives(catalog: Catalog) -> list[list[list[str]]]:
    return [found for name in catalog.names() if (found := catalog.tool(name).binding.get("security"))]


def _variables(scheme: Scheme) -> list[list[str]]:
    """Return the alternative sets of variables that configure a scheme, the usual one first.

    A scheme for which the user logs in needs no variables.
    """
    if not scheme["secret"] or "user" in scheme:
        return [[]]
    ways = credential_env.ways(scheme)
    return [[scheme["variables"][role] for role in way] for way in (reversed(ways) if "tokenUrl" in scheme else ways)]


def _is_set(names: list[str], environ: Mapping[str, str]) -> bool:
    return all(environ.get(name) or credential_env.source(name, environ) for name in names)
