# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Import all modules that a response may need, before the first tool call is executed.

Importing a module opens a file, which fails if the process has no free file descriptor. So if modules were imported
during calls, a burst of requests could break the responses of other calls. Modules that no tool needs are not imported.
"""

from __future__ import annotations

import codecs
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from ..calls.execution import ToolExecutor
from ..core import absent_parts
from ..text.addresses import Address

if TYPE_CHECKING:
    from ..core.catalog import Catalog
    from ..http_server.handles import Handles
    from ..settings.settings import Settings

_ALWAYS = (
    *("..core.encode_response", "..tuning.pipe_size", "..request.violations", "..result.failures", ".call_progress"),
    *("..result.projection", "..http.tracecontext", "..http.operator_hints"),
)
"""Modules that any server may need: for wrong arguments, errors, long responses, retries, traces and progress."""

_BY_KEY = {
    b'"confirm":': ("..questions.consent", "..questions.signed_state"),
    b'"requires":': ("..questions.required_capabilities",),
    b'"result":': ("..results.result_rules",),
    b'"encoding":"binary"': ("..files.files",),
    b'"encoding":"multipart': ("..files.multipart",),
    b'"template":': ("..templates.templates", "..templates.xmltext"),
    b'"xml":': ("..templates.xmltext",),
}
"""Key of a binding -> modules that a call with such a binding needs."""

_OUTPUT = b'"outputSchema":'

_SYSTEM = ("difflib", "fcntl", "select", "termios", "traceback")
"""Modules of Python that suggest names, write long answers to a pipe, and log errors. Not all exist on each system."""

_CODECS = ("utf-16", "utf-16-be", "utf-16-le", "latin-1", "cp1252")
"""Common encodings of responses besides UTF-8. A response in an encoding that cannot be loaded is read as UTF-8."""


def executor(catalog: Catalog, settings: Settings, handles: Handles | None = None) -> ToolExecutor:
    """Return the executor of calls, after it has reported what is wrong, and after all that calls need is imported."""
    kind = ToolExecutor
    if settings.accounts:
        from ..accounts.executor import AccountsExecutor  # imported late: few servers have accounts

        kind = AccountsExecutor
    found = kind(catalog, settings, handles)
    found.report()
    load(catalog, settings)
    return found


# An import opens a file, and during a call perhaps no file descriptor is free (docs/decisions/requests.md).
def load(catalog: Catalog, settings: Settings) -> None:
    """Import the modules and codecs that calls of this server may need."""
    for name in _names(catalog, settings):
        try:
            import_module(name, __package__)
        except ModuleNotFoundError as problem:
            # A name in a table, such as that of an argument, may look like a key that needs a module.
            if absent_parts.is_lost(problem.name or ""):
                raise
    if catalog.listing is not None and catalog.listing.runs_programs:
        with suppress(ImportError):  # each call that runs a model's program reports that the sandbox is missing
            import_module("..programs.program_runs", __package__)
    for name in _SYSTEM:
        try:
            import_module(name)
        except ImportError:
            continue
    for codec in _CODECS:
        codecs.lookup(codec)
    if any(isinstance(server, Address) and not server.is_literal for server in settings.servers):
        codecs.lookup("idna")  # Python would load this codec when it first resolves a host name


def _names(catalog: Catalog, settings: Settings) -> list[str]:
    """Return the relative names of the runtime modules that calls of this server may need."""
    names = [*_ALWAYS]
    names += [name for key in catalog.binds(*_BY_KEY) for name in _BY_KEY[key]]
    names += ["..results.structured"] if catalog.describes(_OUTPUT) else []
    names += ["..search.tools"] if catalog.finders else []
    names += ["..features.fetching"] if catalog.offers("resources") else []
    if any("fetched" in scheme["ways"] for scheme in catalog.security.values()):
        names += ["..oauth.tokens", "..oauth.discovery"]
    if any("user" in scheme for scheme in catalog.security.values()):
        names += ["..oauth.tokens", "..login.run"]
    for scheme in catalog.security.values():
        names += ["..signing.signers", f"..signing.{scheme['signing']}"] if "signing" in scheme else []
    return names
