"""Read `accounts:` of the tools file: the accounts of the API that one server has.

Invalid values are skipped here; `schema_check` has already reported them.
"""

import re

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonValue, as_object, as_text
from mcpgen.base.names import clipped, environment_suffix
from mcpgen.base.runtime import settings_table
from mcpgen.model import Account
from mcpgen.read.toolsfile import schema_check, settings

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,29}")


def read(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[Account, ...]:
    """Return the accounts at `where`. Report names that cannot be used, and prefixes that cannot be told apart."""
    found: list[Account] = []
    for name, entry in as_object(value).items():
        raw, place = as_object(entry), where.inside(name)
        prefix = raw.get("prefix", environment_suffix(name))
        if not isinstance(prefix, str) or not schema_check.is_valid("account", "prefix", prefix):
            continue  # schema_check has already reported it
        if not _NAME.fullmatch(name):
            message = f"'{clipped(name)}' cannot be the name of an account."
            hint = "Use at most 30 lower-case letters, digits, hyphens and underscores, beginning with a letter."
            diagnostics.add("invalid-name", message, place, hint)
        elif taken := _taken(prefix, found):
            message = f"The variables of the account '{clipped(name)}' cannot be told apart from those of {taken}."
            diagnostics.add("invalid-value", message, place, "Write another `prefix`, such as EU.")
        else:
            fields = settings.headers(raw, place, diagnostics)
            headers = {field: text for field, (text, _) in fields.items()}
            found.append(Account(name, prefix, place, as_text(raw.get("description")), headers))
    return tuple(found)


def _taken(prefix: str, others: list[Account]) -> str:
    """Return whose environment variables begin as those of an account with `prefix`, or ""."""
    for other in others:
        if f"{prefix}_".startswith(f"{other.prefix}_") or f"{other.prefix}_".startswith(f"{prefix}_"):
            return f"the account '{other.name}'"
    names = [row.name for row in settings_table.SETTINGS] + ["VAR_"]
    return "the server" if any(f"{name}_".startswith(f"{prefix}_") for name in names) else ""
