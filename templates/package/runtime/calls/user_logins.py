# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Logins of users: which are kept, for servers whose API description has a flow that needs a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..login.logins import Logins
    from ..settings.settings import Settings


def kept_logins(catalog: Catalog, settings: Settings, learn: Callable[[str, str], None]) -> Logins | None:
    """Return the kept logins of this server, or None if no user can log in for any of its schemes."""
    if not any("user" in scheme for scheme in catalog.security.values()):
        return None
    from ..login.logins import Logins  # imported late: most servers know no login

    return Logins(catalog, settings, learn)
