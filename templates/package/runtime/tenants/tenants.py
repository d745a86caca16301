# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Choose the server of a call by its arguments: they give values of variables in the URL of the server.

A value is one of the values that `bindings.json` lists, or matches a pattern as a whole. Whatever the list or the
pattern allows, a value is a plain word: it cannot end a host, begin a path, or name a port that the URL does not name.
The address must be one to which the rules about origins let calls go (settings/origins.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..request.argument_errors import Problem, Refused
from ..settings.settings import NotReady
from ..text.patterns import searcher

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Catalog, Tool
    from ..settings.settings import Settings
    from ..tables.table import ServerVariable
    from ..text.addresses import Address

_WORD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,250}[A-Za-z0-9])?")
"""Text that stays a part of a host, a port or a segment of a path, wherever it stands in a URL."""

_MOST_KEPT = 1000
"""Addresses of one tool that are kept."""


def choose(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that sends the request to the server that the arguments choose."""
    server = _Server(services.catalog, services.settings, tool)

    def step(call: CallUnderWay) -> None:
        assert call.ready is not None
        call.ready.address = server.address(call.arguments, call.ready.address)

    return step


class _Server:
    """Server of one tool, whose URL has variables that calls give."""

    def __init__(self, catalog: Catalog, settings: Settings, tool: Tool) -> None:
        self._index = tool.binding["server"]
        self._entry = catalog.servers[self._index]
        self._first = catalog.servers[: min(self._index, 1)]
        self._settings = settings
        self._has_session = _has_session(catalog, tool)
        self._arguments = tool.binding["variables"]
        declared = self._entry.get("variables", {})
        self._allows = {name: _allows(declared[name]) for name in self._arguments}
        self._kept: dict[tuple[str, ...], Address] = {}

    def address(self, arguments: dict[str, Any], usual: Address) -> Address:
        """Return the address for a call. `usual`: the address for a call without the arguments.

        Raise Refused if a value is not allowed, and NotReady if nothing may be sent to the address.
        """
        given = {name: arguments[argument] for name, argument in self._arguments.items() if argument in arguments}
        key = tuple(f"{name}={value}" for name, value in given.items())
        if not given:
            return usual
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self._filled(given)
        found = self._kept[key]
        if self._has_session and found.origin != usual.origin:
            raise NotReady(f"Its login gives a cookie of {usual.origin}, which no other origin gets.")
        return found

    def _filled(self, given: dict[str, Any]) -> Address:
        if problems := [
            self._problem(name, value) for name, value in given.items() if not self._is_allowed(name, value)
        ]:
            raise Refused(*problems)
        url = self._entry["url"]
        for name, variable in self._entry.get("variables", {}).items():
            url = url.replace(f"{{{name}}}", given.get(name, self._settings[variable["variable"]]))
        rules = self._settings.rules
        assert rules is not None, "only settings without rules send nothing"
        *_, found = rules.addresses(
            [*self._first, self._entry], [*([self._settings.described] * len(self._first)), url]
        )
        if isinstance(found, str):
            raise NotReady(found)
        return found

    def _is_allowed(self, name: str, value: Any) -> bool:
        return isinstance(value, str) and _WORD.fullmatch(value) is not None and self._allows[name](value)

    def _problem(self, name: str, value: Any) -> Problem:
        variable = self._entry.get("variables", {})[name]
        wanted = (
            f"one of {', '.join(variable['enum'])}"
            if "enum" in variable
            else f"text that matches {variable.get('pattern')}"
        )
        return Problem(
            self._arguments[name],
            f"expected {wanted}, of letters, digits, dots, hyphens and underscores: it becomes a part of the API's URL",
        )


def _allows(variable: ServerVariable) -> Callable[[str], bool]:
    """Return a function that says whether a variable can have a value. Without a rule, it can have none."""
    if "enum" in variable:
        return frozenset(variable["enum"]).__contains__
    return searcher(f"^(?:{variable['pattern']})$") if "pattern" in variable else lambda value: False


def _has_session(catalog: Catalog, tool: Tool) -> bool:
    """Return True if a login of the tool gives a cookie, which belongs to one origin."""
    names = {name for each in tool.binding.get("security") or () for name in each}
    logins = [catalog.security[name].get("login") for name in names]
    return any(login["token"].startswith("cookie:") for login in logins if login)
