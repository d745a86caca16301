# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement the commands `install` and `uninstall`: write this server into the configuration of an MCP client.

Results go to stdout, advice to stderr. No secret is printed, and none is written without --write-secrets.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..commands.command_line import USAGE, FlagParser, show, table
from ..core.stdio import complain
from ..settings import settings
from ..settings.credential_env import SOURCES
from ..text.fields import is_value
from . import config_file, entries
from .clients import CLIENTS
from .paths import ABSENT, InstallError
from .plan import Change, Configuration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.catalog import Catalog
    from .clients import Client
    from .config_file import ConfigFile

REFUSED = 1

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_LINE = 300
_HIDDEN = "[hidden]"


def main(arguments: list[str], catalog: Catalog) -> int:
    """Run one of the commands, and return the exit code."""
    try:
        given = _parser(catalog).parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        if given.list:
            return _list(catalog, given, os.environ)
        if given.client is None:
            names = ", ".join(CLIENTS)
            complain(f"Say into which client: {names}. With --list instead, you see which of them are here.")
            return USAGE
        run = _install if given.command_name == "install" else _uninstall
        return run(catalog, CLIENTS[given.client], given, os.environ)
    except InstallError as sentence:
        complain(str(sentence))
        return REFUSED


def _parser(catalog: Catalog) -> FlagParser:
    parser = FlagParser(prog=f"{catalog.name}-mcp", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command_name", required=True)
    install = commands.add_parser("install", help="write this server into a client", allow_abbrev=False)
    uninstall = commands.add_parser("uninstall", help="take this server out of a client", allow_abbrev=False)
    for each in (install, uninstall):
        each.add_argument("client", nargs="?", choices=[*CLIENTS], metavar="CLIENT", help=", ".join(CLIENTS))
        each.add_argument("--project", action="store_true", help="use the client's file in this folder, not your own")
        each.add_argument("--file", metavar="FILE", help="use this file, for a client that keeps its file elsewhere")
        each.add_argument("--name", default=catalog.name, type=_name, help="name of the server in the client")
        each.add_argument("--http", metavar="URL", type=_url, help="the server's URL, if the client connects over HTTP")
        each.add_argument("--dry-run", action="store_true", help="show the change, and write nothing")
        each.add_argument("--list", action="store_true", help="show all clients, and where this server is installed")
    install.add_argument(
        "--env",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        type=_assignment,
        help="give the server a variable: this value, or without one what the client has; repeatable",
    )
    install.add_argument(
        "--token-env", metavar="NAME", type=_variable, help="variable that holds the bearer token for --http"
    )
    install.add_argument(
        "--write-secrets", action="store_true", help="write the values of secrets into the file, in plain text"
    )
    install.add_argument(
        "--command",
        metavar="LINE",
        type=shlex.split,
        help="start the server by this command line, quoted as in a shell",
    )
    return parser


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError("must be letters, digits, - and _, at most 64")
    return text


def _variable(text: str) -> str:
    if not _VARIABLE.fullmatch(text):
        raise argparse.ArgumentTypeError("must be the name of an environment variable")
    return text


def _assignment(text: str) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    return _variable(name), value if equals else None


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and is_value(text) and " " not in text
    except ValueError:
        known = False
    if not known:
        raise argparse.ArgumentTypeError("must be a URL such as https://mcp.example.com/mcp")
    if parts.username is not None or parts.password is not None:
        raise argparse.ArgumentTypeError("must not hold a user name or a password; --token-env names a token")
    return text


# -- configuration files of clients -----------------------------------------------------------------------------------


def _file(client: Client, given: argparse.Namespace, environ: Mapping[str, str], *, listed: bool = False) -> ConfigFile:
    """Return the configuration file of a client that the flags select. Raise InstallError if there is none."""
    if given.file:
        return config_file.read(given.file)
    if given.project:
        if not client.project:
            raise InstallError(f"{client.title} has no configuration of a project. Leave --project out.")
        here = os.getcwd()
        return config_file.read(_existing(here, client.project, client.others), within=here)
    place = client.user_place(environ)
    if not listed and not os.path.isdir(place.folder):
        raise InstallError(
            f"{client.title} has no folder {place.folder} here. Start it once, or name its file with --file."
        )
    return config_file.read(_existing(place.folder, place.file, client.others))


def _existing(folder: str, name: str, others: tuple[str, ...]) -> str:
    """Return the path of the first file below `folder` that exists, of `name` and `others`.

    If none exists, return the path of `name`.
    """
    paths = [os.path.join(folder, *each.split("/")) for each in (name, *others)]
    return next((each for each in paths if os.path.lexists(each)), paths[0])


# -- `install` and `uninstall` ----------------------------------------------------------------------------------------


def _install(catalog: Catalog, client: Client, given: argparse.Namespace, environ: Mapping[str, str]) -> int:
    server, advice = _server(catalog, client, given, environ)
    file = _file(client, given, environ)
    before = Configuration(client, file)
    change = before.install(server, catalog.name)
    if change is None:
        return show([f"{given.name} is already installed in {client.title}, in {file.path}."])
    if given.dry_run:
        secrets = entries.secret_names(catalog)
        return show(_diff(client, change, [text for name, text in server.values.items() if name not in secrets]))
    _carry_out(change, given, holds_secrets=given.write_secrets)
    kept = [f"The file as it was is kept in {change.backup}."] if change.backup else []
    code = show([f"{given.name} is installed in {client.title}, in {file.path}.", *kept])
    if given.write_secrets:
        advice += _exposure(given, file)
    if given.project and client.trust:
        advice.append(f"Trust this folder in {client.title} first: until then, the client does not start the server.")
    for sentence in advice:
        complain(sentence)
    return code


def _uninstall(catalog: Catalog, client: Client, given: argparse.Namespace, environ: Mapping[str, str]) -> int:
    file = _file(client, given, environ)
    before = Configuration(client, file)
    change = before.uninstall(given.name, catalog.name, given.http or "")
    if change is None:
        return show([f"{given.name} is not installed in {client.title}, in {file.path}."])
    if given.dry_run:
        return show(_diff(client, change, []))
    _carry_out(change, given)
    return show([f"{given.name} was taken out of {client.title}, in {file.path}."])


def _carry_out(change: Change, given: argparse.Namespace, *, holds_secrets: bool = False) -> None:
    umask = os.umask(0o077)
    os.umask(umask)
    change.carry_out(0o666 & ~umask if given.project and not holds_secrets else 0o600)


def _exposure(given: argparse.Namespace, file: ConfigFile) -> list[str]:
    """Return warnings about who can read the secrets that `install` wrote to the file."""
    found = []
    if given.project:
        found.append(f"{file.path} belongs to the project and holds secrets now: keep it out of version control.")
    if os.name == "posix" and file.mode & 0o077:
        found.append(f"{file.path} can be read by other users of this machine: chmod 600 closes it.")
    return found


def _server(
    catalog: Catalog, client: Client, given: argparse.Namespace, environ: Mapping[str, str]
) -> tuple[entries.Server, list[str]]:
    """Return this server's entry for a configuration file, and sentences about what the user must still do.

    Raise InstallError if the flags are wrong, or if the server would not start with its settings.
    """
    if given.http:
        return _over_http(client, given, environ)
    if given.token_env:
        raise InstallError("--token-env is for a server over HTTP; name its URL with --http.")
    started = _launch(catalog, given)
    chosen = entries.choose_variables(catalog, environ)
    values, secrets = {**started.environment, **chosen.values}, list(chosen.secrets)
    own, _, name = f"{catalog.prefix}_LOGIN_NAME={given.name}".partition("=")
    if (logs_in := entries.has_logins(catalog)) and name != catalog.name:
        values.setdefault(own, name)  # two entries of one client may be two accounts
    for name, value in given.env:
        if value is None:
            values.pop(name, None)
            secrets += [name] if name not in secrets else []
        elif name in entries.secret_names(catalog) and not given.write_secrets:
            raise InstallError(f"{name} is a secret. Add --write-secrets to write it, or give --env {name} alone.")
        else:
            values[name] = value
            secrets = [each for each in secrets if name not in (each, *(each + ending for ending in SOURCES))]
    advice = _check_settings(catalog, values)
    if given.write_secrets:
        written = {name: environ[name] for name in secrets if environ.get(name)}
        values |= written
        secrets = [name for name in secrets if name not in written]
        advice += [f"{name} was written in plain text." for name in written]
    for name in chosen.missing:
        if name not in values:
            advice.append(f"{name} is needed and not set here. Install again with --env {name}=VALUE.")
    advice += _secret_advice(client, secrets)
    if logs_in:
        before = f"{own}={values[own]} " if own in values else ""
        alike = f"all entries with this {own}" if before else "all clients"
        advice.append(f"`{before}{catalog.name}-mcp login` logs you in, once for {alike}.")
    if given.project:
        advice.append(_shared_advice(started.command))
    return entries.Server(given.name, started.command, started.arguments, values, secrets), advice


def _check_settings(catalog: Catalog, values: dict[str, str]) -> list[str]:
    """Return warnings about these variables, such as misspelt names. Raise InstallError if the server would not start
    with them, for example since a value is invalid.

    Variables that name files or commands are not checked, since these may exist only on other machines.
    """
    checked = {name: value for name, value in values.items() if not name.endswith(SOURCES)}
    loaded = settings.load(catalog, checked)
    if loaded.problems:
        raise InstallError(f"{loaded.problems[0]} Nothing was changed.")
    return loaded.warnings


def _over_http(
    client: Client, given: argparse.Namespace, environ: Mapping[str, str]
) -> tuple[entries.Server, list[str]]:
    if not client.url:
        raise InstallError(f"{client.title} reads no URLs from its file. {client.note}")
    if given.env or given.command:
        raise InstallError("--env and --command are for a server that the client starts, not for one at a URL.")
    server = entries.Server(given.name, url=given.http, token=given.token_env or "")
    if not server.token:
        return server, []
    if not given.write_secrets and not client.variable:
        sentence = f"{server.token} is not in the file: {client.title} cannot name a variable there."
        return server, [f"{sentence} Install with --write-secrets, or let the client log in."]
    if not given.write_secrets:
        return server, _secret_advice(client, [server.token])
    if not (bearer := environ.get(server.token, "")) or not is_value(bearer):
        raise InstallError(f"{server.token} holds no token in this environment, so --write-secrets cannot write it.")
    return replace(server, bearer=bearer), [f"{server.token} was written in plain text."]


def _launch(catalog: Catalog, given: argparse.Namespace) -> entries.Launch:
    if given.command is None:
        return entries.find_launch(catalog.name, shared=given.project)
    if not given.command:
        raise InstallError("--command is empty.")
    return entries.Launch(given.command[0], given.command[1:])


def _shared_advice(command: str) -> str:
    """Return advice for other users of a project's configuration file. `command`: command that starts the server."""
    if os.path.isabs(command):
        return (
            f"The file names a path of this machine, {command}. For others, install the server there: the entry then"
            " names its command."
        )
    return f"Everybody who uses this file needs the command {command}."


def _secret_advice(client: Client, names: list[str]) -> list[str]:
    """Return a sentence for each secret in `names` that says how the server gets it, since the configuration file does
    not contain its value.
    """
    found = []
    for name in names:
        if client.prompts:
            found.append(f"{client.title} asks for {name} when it first starts the server.")
        elif client.variable:
            found.append(f"{name} is not in the file: {client.title} takes it from the environment that it starts in.")
        else:
            found.append(
                f"{name} is not in the file, and {client.title} cannot name a variable there. Set it in the environment"
                f" that {client.title} starts in, or install with --env {name}_FILE=PATH or with --write-secrets."
            )
    if names and client.url and client.note:
        found.append(client.note)
    return found


# -- output of `--list` and `--dry-run` -------------------------------------------------------------------------------


def _list(catalog: Catalog, given: argparse.Namespace, environ: Mapping[str, str]) -> int:
    rows = [("client", "here", "this server", "file")]
    for client in CLIENTS.values():
        if given.project and not client.project:
            rows.append((client.key, "", "", "none in a project"))
            continue
        here = "yes" if given.project or client.is_here(environ) else "no"
        try:
            file = _file(client, given, environ, listed=True)
            entry = Configuration(client, file).entry(given.name)
            path = file.path
        except InstallError as problem:
            rows.append((client.key, here, "unreadable", _printable(str(problem))))
            continue
        rows.append((client.key, here, _state(entry, catalog, given.http or ""), path))
    return show(table([*rows]))


def _state(entry: Any, catalog: Catalog, url: str) -> str:
    """Return a few words that say whether an entry of a client's configuration starts this server."""
    if entry is ABSENT:
        return "no"
    if entries.is_ours(entry, catalog.name, url):
        return "installed"
    there = entries.url_of(entry)
    return _printable(f"at {there}") if there else "another server has its name"


def _diff(client: Client, change: Change, shown: list[str]) -> list[str]:
    """Return the change as a unified diff.

    Values of variables and headers are hidden, except values in `shown` and references to environment variables or
    input prompts.
    """
    path = change.file.path
    before = change.file.text
    after = "" if change.after is None else config_file.decode(path, change.after)
    values = [text for side in (before, after) for text in _sensitive(_value(client, change.file, side))]
    hidden = {each for each in values if each not in shown and not entries.is_reference(each)}

    def lines(text: str) -> list[str]:
        for each in sorted(hidden, key=len, reverse=True):
            text = text.replace(each, _HIDDEN)
        return text.splitlines()

    found = difflib.unified_diff(lines(before), lines(after), path, path, n=2, lineterm="")
    return [_printable(line)[:_LONGEST_LINE] for line in found]


def _value(client: Client, file: ConfigFile, text: str) -> Any:
    return Configuration(client, replace(file, data=text.encode())).value


def _sensitive(value: Any, inside: bool = False) -> list[str]:
    """Return the values of variables and headers in a configuration, at any depth."""
    if isinstance(value, str):
        return [value] if inside and value else []
    if isinstance(value, dict):
        kinds = ("env", "environment", "envs", "headers", "http_headers")
        return [text for key, each in value.items() for text in _sensitive(each, inside or key in kinds)]
    return [text for each in value for text in _sensitive(each, inside)] if isinstance(value, list) else []


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() or each == "\t" else "?" for each in text)
