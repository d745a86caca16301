# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Open the audit log. This module is imported only if the settings ask for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .audit import STDERR, Audit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.catalog import Catalog
    from ..settings.settings import Settings


def open_audit(path: str, settings: Settings, catalog: Catalog, gaps: Sequence[int] = ()) -> Audit | str:
    """Return the audit log at `path`, or a sentence for the operator if it cannot be opened.

    `gaps`: file descriptors from 0 to 2 that were closed when the process started. If stderr was closed, an audit log
    on stderr is not possible.
    """
    unusable = f"{settings.prefix}_AUDIT must name a file that can be made and appended to, or stderr."
    if path == STDERR and 2 in gaps:
        return unusable
    try:
        return Audit(path, catalog, lambda: secrets(settings, catalog), settings["AUDIT_ARGUMENTS"])
    except OSError:
        return unusable


def secrets(settings: Settings, catalog: Catalog) -> list[str]:
    """Return the values that must not be recorded: credentials, and other secrets in the settings."""
    from ..settings.credentials import sensitive  # imported late: the start of the server does not need it

    return sensitive(catalog.security, settings)
