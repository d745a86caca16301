"""List the environment variables that every server reads, for its README."""

from collections.abc import Collection

from mcpgen.base.runtime import settings_table
from mcpgen.model import Catalog, HttpBinding

_OF_PARTS = frozenset({"audit", "telemetry"})
"""Parts whose variables stand in the README."""


def rows(catalog: Catalog, parts: Collection[str]) -> list[tuple[str, str]]:
    """Return name and purpose of each variable that this server reads over stdio. A purpose is one sentence.

    `parts`: the parts of the server.
    """
    has, prefix = {"", *_features(catalog), *_OF_PARTS.intersection(parts)}, catalog.identity.prefix
    found = [row for row in settings_table.SETTINGS if row.feature in has]
    return [(row.variable(prefix), row.describe(prefix).partition(". ")[0]) for row in found]


def _features(catalog: Catalog) -> set[str]:
    """Return the features of this server that have variables of their own."""
    bindings = [tool.binding for tool in catalog.tools]
    present = {
        "files": any(map(_takes_files, bindings)),
        "downloads": any(binding.saves is not None for binding in bindings),
        "roles": any(tool.roles for tool in catalog.tools),
        "login": any(scheme.user for scheme in catalog.schemes),
    }
    return {name for name, is_present in present.items() if is_present}


def _takes_files(binding: HttpBinding) -> bool:
    """Return True if a call may send a file: as its body, or as a part of it."""
    body = binding.body
    return body is not None and (body.encoding == "binary" or any(field.part == "file" for field in body.fields))
