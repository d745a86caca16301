# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the entry for this server in an MCP client's configuration, and recognize which server such an entry starts."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .clients import Client

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
