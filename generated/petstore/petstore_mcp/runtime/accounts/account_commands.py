# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement `--explain` and `--doctor` for servers with several accounts: both look at each account by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..calls.plain_call import sentence
from ..request.argument_errors import Problem, Refused
from ..settings.settings import load
from .accounts import environment, views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..core.catalog import Catalog


def explained(
    explain: Callable[..., dict[str, Any]],
    catalog: Catalog,
    environ: Mapping[str, str],
    base_url: str | None,
    name: str,
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """Return the request of a call in the account that its arguments name. `explain`: function for one account."""
    argument, accounts = catalog.tool(name).binding["account"], views(catalog)
    given = arguments.get(argument)
    if given not in accounts:
        reason = Refused(Problem(argument, f"expected one of {', '.join(accounts)}"))
        return {"tool": name, "request": None, "error": sentence(name, reason), "notes": []}
    seen, _ = environment(accounts[given], catalog.prefix, environ)
    left = {key: value for key, value in arguments.items() if key != argument}
    return explain(accounts[given], seen, base_url, name, left)


def examined(
    examine: Callable[..., tuple[bool, list[str]]],
    catalog: Catalog,
    environ: Mapping[str, str],
    base_url: str | None,
    http: tuple[str, int] | None,
    *,
    show_all: bool,
) -> tuple[bool, list[str]]:
    """Return True if no account has a problem, and the lines about all accounts. `examine`: function for one account.

    What concerns the server as a whole comes last: its settings for HTTP, and variables that are no settings.
    """
    settings = load(catalog, environ, base_url, http=http)
    healthy, lines = not settings.problems, list[str]()
    for name, view in views(catalog).items():
        seen, _ = environment(view, catalog.prefix, environ)
        well, (title, runtime, *told) = examine(view, seen, base_url, None, show_all=show_all)
        healthy, lines = healthy and well, lines or [title, runtime]
        lines += ["", f"Account {name}: variables begin with {view.prefix}_.", *told]
    if settings.listening is not None:
        from ..http_server.doctor_http import examine as examine_http  # imported late: only for HTTP

        faults, told = examine_http(settings.listening, settings, catalog)
        healthy = healthy and not faults
        lines += ["", *told, *faults]
    return healthy, [*lines, *(each for each in (*settings.problems, *settings.warnings) if each not in lines)]
