# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement the command line of a generated server. Imported only if the command line has arguments."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import TYPE_CHECKING

from ..core import absent_parts
from ..core.stdio import EXIT_CONFIG, complain
from ..settings import settings
from .command_line import COMMANDS, USAGE, FlagParser, show, table

if TYPE_CHECKING:
    from ..core.catalog import Catalog
    from ..settings.settings import Settings

_OF_LOGINS = " The commands login, logout and whoami let you log in with your browser; each has its own --help."
_OF_CALLS = " The command call calls a tool from a shell: call --help; completion completes its command line."
_OF_INSTALLS = " The commands install and uninstall write it into the configuration of an MCP client."


def run(arguments: list[str], catalog: Catalog) -> int | Settings:
    """Run the command line. Return the exit code, or the settings if the server should start.

    Raise ModuleNotFoundError if a third-party library or a part of the server is not installed.
    """
    part = COMMANDS.get(arguments[0])
    if part == "login":
        from ..login.login_commands import main as log_in_or_out  # imported late: loads the HTTP client

        return log_in_or_out(arguments, catalog)
    if part == "install":
        from ..install.install_commands import main as install  # imported late: only `install` and `uninstall` need it

        return install(arguments, catalog)
    if part == "shell":
        from ..shell.call_command import main as call  # imported late: only `call` and `completion` need it

        return call(arguments, catalog)
    return _with_flags(arguments, catalog)


def _with_flags(arguments: list[str], catalog: Catalog) -> int | Settings:
    """Run a command line of flags. Return the exit code, or the settings if the server should start."""
    try:
        given = _parsed(arguments, catalog)
    except SystemExit as stop:
        return int(stop.code or 0)

    def load(later: Catalog) -> Settings:
        return settings.load(later, os.environ, given.base_url, given.read_only, at_start=catalog, http=given.http)

    loaded = load(catalog)
    for problem in loaded.problems:
        if problem.startswith("--base-url"):
            complain(problem)
            return USAGE
    loaded.apply(catalog)
    if given.version:
        return show([f"{catalog.name} {catalog.version}"])
    if given.new_token and not absent_parts.has("http"):
        complain(absent_parts.lacks("http"))
        return EXIT_CONFIG
    if given.new_token:
        return _new_token(given.new_token)
    if given.list and loaded.problems:
        return loaded  # do not list the tools: the server will not start, and the caller reports why
    if given.list:
        return _list(catalog)
    if given.doctor or given.explain or given.search:
        return _with_libraries(given, catalog)
    loaded.again = load if given.reload else None
    return loaded


def _parsed(arguments: list[str], catalog: Catalog) -> argparse.Namespace:
    """Return the parsed flags. Raise SystemExit after a fault or after help."""
    parser = _parser(catalog)
    given = parser.parse_args(arguments)
    if given.all and not given.doctor:
        parser.error("--all needs --doctor")
    return given


def _address(text: str) -> tuple[str, int]:
    """Return host and port in the value of `--http`. Raise ArgumentTypeError if they are invalid."""
    from ..http_server.listening import address  # imported late: only for HTTP

    try:
        return address(text)
    except ValueError as reason:
        raise argparse.ArgumentTypeError(str(reason)) from None


def _new_token(name: str) -> int:
    """Print a new random token to stderr. Print to stdout a line for the file that lists the callers.

    The line holds a digest, by which the server recognizes the token. `>> callers` adds the line to the file; the token
    appears only on the screen.
    """
    import hashlib  # imported late: only to create a token
    import secrets

    token = secrets.token_urlsafe(32)
    complain(f"The token of {name}, which is shown once: {token}")
    return show([f"{name} {hashlib.sha256(token.encode()).hexdigest()}"])


def _with_libraries(given: argparse.Namespace, catalog: Catalog) -> int:
    """Run `--doctor`, `--explain` or `--search`, and return the exit code.

    Raise ModuleNotFoundError if a third-party library is not installed.
    """
    if given.doctor:
        from . import doctor  # imported late: loads the HTTP client

        healthy, lines = doctor.examine(catalog, os.environ, given.base_url, given.http, show_all=given.all)
        return show(lines) or int(not healthy)
    if given.search:
        return _search(catalog, given.search)
    from . import explain  # imported late: loads the validator and the hooks

    return explain.run(catalog, os.environ, given.base_url, *given.explain, as_json=given.format == "json")


def _search(catalog: Catalog, queries: list[str]) -> int:
    """Print what the tool search returns to a model for each query, and return the exit code."""
    if catalog.listing is None:
        complain("--search needs a server that was generated with --tools search: this one lists all of its tools.")
        return USAGE
    from ..search.listing import TornIndex  # imported late: only for this flag
    from ..search.search_listing import SEARCH
    from ..search.tools import ToolSearch  # imported late: only for this flag

    try:
        return show(str(ToolSearch(catalog).answer(SEARCH, {"queries": queries})).split("\n"))
    except TornIndex as reason:
        complain(str(reason))
        return EXIT_CONFIG


def _list(catalog: Catalog) -> int:
    """Print the tools to stdout, and warnings about hooks.py to stderr. Return the exit code."""
    from ..calls import hook_loading  # imported late: loads asyncio, if hooks.py is not empty

    code = show(table([(name, catalog.tool(name).title) for name in catalog.names()]))
    with contextlib.redirect_stdout(sys.stderr):  # hooks.py may print, and stdout must hold only the list of tools
        mistakes = hook_loading.load([*catalog.names(), *catalog.hidden]).mistakes
    for sentence in mistakes:
        complain(sentence)
    return code


def _parser(catalog: Catalog) -> FlagParser:
    parser = FlagParser(
        prog=f"{catalog.name}-mcp",
        description=f"{catalog.title}: an MCP server. Without flags it speaks MCP over stdin and stdout.",
        epilog=f"Its settings are environment variables that begin with {catalog.prefix}_; --doctor shows them."
        + (_OF_INSTALLS if absent_parts.has("install") else "")
        + (_OF_CALLS if absent_parts.has("shell") else "")
        + (_OF_LOGINS if any("user" in scheme for scheme in catalog.security.values()) else ""),
        allow_abbrev=False,
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--version", action="store_true", help="print the name and version of this server")
    instead.add_argument("--list", action="store_true", help="print the tools")
    instead.add_argument(
        "--doctor", action="store_true", help="check the settings and the API: what is set, missing or unusable"
    )
    instead.add_argument(
        "--search",
        action="append",
        metavar="QUERY",
        help="print what a model gets for this query; repeatable" if catalog.listing else argparse.SUPPRESS,
    )
    instead.add_argument(
        "--explain",
        nargs=2,
        metavar=("TOOL", "JSON"),
        help="print the request of a call with these arguments, and send nothing",
    )
    parser.add_argument("--all", action="store_true", help="with --doctor, show also the settings that are not set")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how --explain prints")
    parser.add_argument(
        "--base-url", metavar="URL", help="where the API is, in place of the address it was compiled with"
    )
    parser.add_argument("--read-only", action="store_true", help="offer only the tools that change nothing")
    instead.add_argument(
        "--new-token",
        metavar="NAME",
        help=_of_part(
            "http", "print a line for the file of callers over HTTP, and to stderr the token that belongs to it"
        ),
    )
    parser.add_argument(
        "--http",
        type=_address,
        metavar="[HOST:]PORT",
        help=_of_part("http", "serve many clients over Streamable HTTP, at the path /mcp"),
    )
    parser.add_argument(
        "--reload",
        action="store_true",
        help=_of_part("reload", "serve the new tools once they were generated again, without a restart"),
    )
    return parser


def _of_part(part: str, text: str) -> str:
    """Return the help of a flag that needs a part of the server. Without the part, `--help` leaves out the flag."""
    return text if absent_parts.has(part) else argparse.SUPPRESS
