# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The command line of a generated server. Imported only where there is one: serving needs none of this."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from ..core.stdio import complain
from ..settings import settings
from .printing import show, table

if TYPE_CHECKING:
    from ..core.catalog import Catalog
    from ..settings.settings import Settings

USAGE = 2
#: EX_CONFIG of sysexits.h, as for other things that are to be set right before a start.
UNINSTALLED = 78


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        complain(f"{self.prog}: {message}; --help says what there is.")
        raise SystemExit(USAGE)


def run(arguments: list[str], catalog: Catalog) -> int | Settings:
    """The exit code, or the settings with which to go on and serve."""
    try:
        given = _parser(catalog).parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0) or show([])  # what --help printed may not have left yet

    def load(later: Catalog) -> Settings:
        return settings.load(later, os.environ, given.base_url, given.read_only, at_start=catalog)

    loaded = load(catalog)
    for problem in loaded.problems:
        if problem.startswith("--base-url"):
            complain(problem)
            return USAGE
    loaded.apply(catalog)
    if given.version:
        return show([f"{catalog.name} {catalog.version}"])
    if given.list and loaded.problems:
        return loaded  # with which it does not start: which tools it would offer is not known
    if given.list:
        return _list(catalog)
    if given.doctor or given.explain:
        try:
            return _with_libraries(given, catalog)
        except ModuleNotFoundError as problem:
            from . import libraries  # in nearly all installations none is missing

            if not (advice := libraries.advise(problem)):
                raise
            complain(advice)
            return UNINSTALLED
    loaded.again = load if given.reload else None
    return loaded


def _with_libraries(given: argparse.Namespace, catalog: Catalog) -> int:
    """The exit code of what needs the libraries. Raises ModuleNotFoundError."""
    if given.doctor:
        from . import doctor  # imports the HTTP side, which the other flags do without

        healthy, lines = doctor.examine(catalog, os.environ, given.base_url)
        return show(lines) or int(not healthy)
    from . import explain  # imports the validator and the hooks, which the other flags do without

    return explain.run(catalog, os.environ, given.base_url, *given.explain, as_json=given.format == "json")


def _list(catalog: Catalog) -> int:
    """The tools; and on stderr what is wrong with hooks.py, which is about them."""
    from ..calls import hook_runner  # imports an event loop, which the other flags do without

    code = show(table([(name, catalog.tool(name).title) for name in catalog.names()]))
    with contextlib.redirect_stdout(sys.stderr):  # what hooks.py prints is no part of the list
        mistakes = hook_runner.load([*catalog.names(), *catalog.hidden]).mistakes
    for sentence in mistakes:
        complain(sentence)
    return code


def _parser(catalog: Catalog) -> _Parser:
    parser = _Parser(
        prog=f"{catalog.name}-mcp",
        description=f"{catalog.title}: an MCP server. Without flags it speaks MCP over stdin and stdout.",
        epilog=f"Its settings are environment variables that begin with {catalog.prefix}_; --doctor shows them.",
        allow_abbrev=False,
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--version", action="store_true", help="print the name and version of this server")
    instead.add_argument("--list", action="store_true", help="print the tools")
    instead.add_argument(
        "--doctor", action="store_true", help="say which variables are set and whether the API answers"
    )
    instead.add_argument(
        "--explain",
        nargs=2,
        metavar=("TOOL", "JSON"),
        help="print the request of a call with these arguments, and send nothing",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how --explain prints")
    parser.add_argument(
        "--base-url", metavar="URL", help="where the API is, in place of the address it was compiled with"
    )
    parser.add_argument("--read-only", action="store_true", help="offer only the tools that change nothing")
    parser.add_argument(
        "--reload", action="store_true", help="serve the new tools once they were generated again, without a restart"
    )
    return parser
