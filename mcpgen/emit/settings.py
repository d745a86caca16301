"""List the environment variables that every server reads, for its README.

The list is that of the runtime (`settings/purposes.py`), which mcpgen reads as data and never imports.
"""

import ast
from functools import cache

from mcpgen.base import assets
from mcpgen.model import Catalog, HttpBinding

Purposes = dict[str, tuple[str, str]]
"""Name without prefix → the feature that uses the variable, "" for every server, and what the variable holds."""


def rows(catalog: Catalog) -> list[tuple[str, str]]:
    """Return name and purpose of each variable that this server reads over stdio. A purpose is one sentence."""
    has, prefix = {"", *_features(catalog)}, catalog.identity.prefix
    found = [(name, purpose) for name, (feature, purpose) in purposes().items() if feature in has]
    return [(f"{prefix}_{name}", purpose.partition(". ")[0].replace("`_", f"`{prefix}_")) for name, purpose in found]


@cache
def purposes() -> Purposes:
    """Return the runtime's list of variables."""
    source = (assets.package_templates() / "runtime" / "settings" / "purposes.py").read_text("utf-8")
    [value] = [each.value for each in ast.parse(source).body if isinstance(each, ast.AnnAssign) and each.value]
    found: Purposes = ast.literal_eval(value)
    return found


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
