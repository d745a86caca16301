# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the entry for this server in an MCP client's configuration, and recognize which server such an entry starts.

Clients pass few variables of their own environment to servers. So the variables that are set during the installation
are written to the server's entry in the client's configuration: settings with their values, secrets by name only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from importlib import metadata
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..settings import credential_env, settings
from ..settings.settings_table import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.catalog import Catalog
    from ..tables.table import Scheme
    from .clients import Client

_PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass(frozen=True, slots=True)
class Launch:
    """A command line that starts this server, and the environment variables that the command line needs."""

    command: str
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variables:
    """Environment variables for the entry of this server in the configuration of an MCP client.

    `values` holds those that are not secret. `secrets` lists the names of the others. `missing` lists variables that
    have no value although a tool needs them.
    """

    values: dict[str, str]
    secrets: list[str]
    missing: list[str]


_INPUT = re.compile(r"\$\{input:([^}]*)\}")
_REFERENCE = re.compile(r"(Bearer )?(\$\{((env|input):)?[A-Za-z0-9_-]+\}|\{env:[A-Za-z0-9_]+\})")
_GOOSE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Server:
    """Data of a server's entry.

    Over stdio these are a command line, `values` of environment variables, and the names of `secrets`, whose values the
    client supplies. Over HTTP, these are the `url`, and in `token` the name of the variable that holds a bearer token,
    or "". `bearer` is the bearer token itself if the entry must contain it.
    """

    name: str
    command: str = ""
    arguments: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    url: str = ""
    token: str = ""
    bearer: str = ""


def write(client: Client, server: Server) -> dict[str, Any]:
    """Return the entry for a server, in the form that the configuration of this MCP client has.

    Secrets are left out if the client has no way to refer to an environment variable.
    """
    if client.shape == "codex":
        return _codex(server)
    if client.shape == "goose":
        return _goose(client, server)
    named = server.secrets if client.variable else []
    environment = {**server.values, **{name: reference(client, server.name, name) for name in named}}
    headers = _headers(client, server)
    if client.shape == "opencode":
        return _opencode(server, environment, headers)
    if server.url:
        return {**dict(client.http), client.url: server.url, **_given("headers", headers)}
    command = {"command": server.command, "args": server.arguments}
    return {**dict(client.stdio), **command, **_given("env", environment)}


def _headers(client: Client, server: Server) -> dict[str, str]:
    if server.bearer:
        return {"Authorization": f"Bearer {server.bearer}"}
    if server.token and client.variable:
        return {"Authorization": f"Bearer {reference(client, server.name, server.token)}"}
    return {}


def reference(client: Client, name: str, variable: str) -> str:
    """Return the text by which a client's configuration refers to an environment variable, or to an input prompt that
    asks the user for its value.
    """
    return client.variable.format(input_id(name, variable) if client.prompts else variable)


def is_reference(value: Any) -> bool:
    """Return True if a value is only a reference to an environment variable or an input prompt, as any supported client
    writes it.
    """
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def input_id(name: str, variable: str) -> str:
    """Return the id of the input prompt (in `inputs`) by which a client asks its user for a server's variable."""
    return f"{name}-{variable.lower().replace('_', '-')}"


def prompts(client: Client, server: Server) -> list[dict[str, Any]]:
    """Return the prompts (members of `inputs`) by which a client asks its user for the secrets in a server's entry.

    Return [] if the client has no such prompts.
    """
    wanted = [*server.secrets, *([server.token] if server.token and not server.bearer else [])]
    if not client.prompts:
        return []
    return [
        {"type": "promptString", "id": input_id(server.name, each), "description": each, "password": True}
        for each in wanted
    ]


def asked_for(entry: Any) -> list[str]:
    """Return the ids of the client's input prompts (`${input:ID}`) that an entry uses, in order."""
    if isinstance(entry, str):
        return _INPUT.findall(entry)
    below = entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    return [found for each in below for found in asked_for(each)]


def _given(key: str, value: Any) -> dict[str, Any]:
    return {key: value} if value else {}


def _codex(server: Server) -> dict[str, Any]:
    if server.url:
        if server.bearer:
            return {"url": server.url, "http_headers": {"Authorization": f"Bearer {server.bearer}"}}
        return {"url": server.url, **_given("bearer_token_env_var", server.token)}
    entry = {"command": server.command, "args": server.arguments}
    return {**entry, **_given("env", server.values), **_given("env_vars", server.secrets)}


def _goose(client: Client, server: Server) -> dict[str, Any]:
    entry: dict[str, Any] = {"enabled": True, "type": "streamable_http" if server.url else "stdio", "name": server.name}
    entry["description"] = f"MCP server {server.name}"
    if server.url:
        entry.update({client.url: server.url, "headers": _headers(client, server)})
    else:
        entry.update({"cmd": server.command, "args": server.arguments})
    keys = [server.token] if server.token and not server.bearer else server.secrets
    return {**entry, "envs": server.values, "env_keys": keys, "timeout": _GOOSE_SECONDS}


def _opencode(server: Server, environment: dict[str, str], headers: dict[str, str]) -> dict[str, Any]:
    if server.url:
        return {"type": "remote", "url": server.url, "enabled": True, **_given("headers", headers)}
    entry = {"type": "local", "command": [server.command, *server.arguments], "enabled": True}
    return {**entry, **_given("environment", environment)}


# The file itself shows whose an entry is: a list of installations would be wrong once somebody edits or copies it.
def is_ours(entry: Any, name: str, url: str) -> bool:
    """Return True if a server's entry in a client's configuration starts the server `name`, or has the URL `url`."""
    if not isinstance(entry, dict):
        return False
    words = _words(entry)
    if words:
        package = f"{name.replace('-', '_')}_mcp"
        return any(_program(word) == f"{name}-mcp" for word in words) or ("-m", package) in pairwise(words)
    return bool(url) and url_of(entry) == url


def url_of(entry: Any) -> str:
    """Return the URL in a server's entry in a client's configuration, or "" if the entry has none."""
    found = (entry.get(key) for key in ("url", "serverUrl", "httpUrl", "uri")) if isinstance(entry, dict) else ()
    return next((each for each in found if isinstance(each, str)), "")


def _words(entry: dict[str, Any]) -> list[str]:
    """Return the command and the arguments in a server's entry in a client's configuration."""
    words: list[str] = []
    for key in ("command", "cmd", "args"):
        value = entry.get(key)
        if isinstance(value, dict):  # older versions of the client Zed write the command as an object
            words += _words({"command": value.get("path"), "args": value.get("args")})
        words += [value] if isinstance(value, str) else [each for each in value or () if isinstance(each, str)]
    return words


def _program(word: str) -> str:
    """Return the name of a program without folder, `.exe` and version."""
    name = os.path.basename(word.replace("\\", "/"))
    return re.split(r"==|@", name.removesuffix(".exe"))[0]


# -- how a client starts the server ------------------------------------------------------------------------------------


def find_launch(name: str, shared: bool) -> Launch:
    """Return a command line that starts the server `name` in the same way as this process was started.

    Paths are absolute, since clients have another PATH. `shared`: True if the configuration is also used on other
    machines. Then an installed server is started by its command name, without a path.
    """
    script = f"{name}-mcp"
    folder, package = os.path.split(_PACKAGE_FOLDER)
    if runner := _runner(script, shared):
        return runner
    place = os.path.join(os.path.dirname(sys.executable), f"{script}.exe" if os.name == "nt" else script)
    if os.path.exists(place):
        return Launch(script if shared else place)
    environment = {"PYTHONPATH": folder} if os.path.exists(os.path.join(folder, "pyproject.toml")) else {}
    return Launch(sys.executable, ["-m", package], environment)


def _runner(script: str, shared: bool) -> Launch | None:
    """Return the command of uvx or pipx if one of them has created this environment.

    These tools may soon delete the environment, so a path into it would stop working.
    """
    if not _is_in_a_cache(sys.prefix):
        return None
    source = _source(script)
    if _has_line(os.path.join(sys.prefix, "pyvenv.cfg"), "uv = "):
        tool, arguments = "uvx", ["--from", source, script] if source else [script]
    else:
        tool, arguments = "pipx", ["run", "--spec", source, script] if source else ["run", script]
    return Launch(tool if shared else shutil.which(tool) or tool, arguments)


def _is_in_a_cache(prefix: str) -> bool:
    """Return True if a parent folder is marked as a cache by a file CACHEDIR.TAG."""
    above = os.path.dirname(os.path.realpath(prefix))
    while above != os.path.dirname(above):
        if os.path.exists(os.path.join(above, "CACHEDIR.TAG")):
            return True
        above = os.path.dirname(above)
    return False


def _has_line(path: str, beginning: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return any(line.startswith(beginning) for line in file)
    except OSError:
        return False


def _source(script: str) -> str:
    """Return the folder or URL from which this server was installed, or "" for a package index (PEP 610)."""
    try:
        recorded = json.loads(metadata.distribution(script).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    url = str(recorded.get("url") or "")
    parts = urlsplit(url)
    if parts.scheme == "file":
        return url2pathname(parts.path)
    kind = (recorded.get("vcs_info") or {}).get("vcs")
    return f"{kind}+{url}" if kind else url


# -- environment variables ---------------------------------------------------------------------------------------------


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


def choose_variables(catalog: Catalog, environ: Mapping[str, str]) -> Variables:
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
