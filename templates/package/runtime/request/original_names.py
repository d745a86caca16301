# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Accept the name that the API has for a parameter or body member, such as `api-version` for `api_version`.

Models know these names from the API's documentation, and from descriptions of arguments.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from .kinds import parameters_of

if TYPE_CHECKING:
    from ..tables.table import Binding


def originals(binding: Binding) -> dict[str, str]:
    """Return name in the request -> argument, for names that differ from the argument and belong to one argument."""
    found: dict[str, str] = {}
    doubtful: set[str] = set()
    for each in (*parameters_of(binding), *binding.get("body", {}).get("fields", ())):
        if "argument" in each and found.setdefault(each["name"], each["argument"]) != each["argument"]:
            doubtful.add(each["name"])
    return {name: argument for name, argument in found.items() if name != argument and name not in doubtful}


def with_argument_names(binding: Binding, declared: Container[str], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return `arguments` with each original name replaced by the name of its argument.

    A name that is itself a declared argument stays, and so does a name whose argument is given too. If nothing is
    replaced, `arguments` itself is returned.
    """
    known = originals(binding)
    meant = {name: known[name] for name in arguments if name in known and name not in declared}
    meant = {name: argument for name, argument in meant.items() if argument not in arguments}
    return {meant.get(name, name): value for name, value in arguments.items()} if meant else arguments
