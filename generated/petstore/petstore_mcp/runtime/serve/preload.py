# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Loads what an answer can need, before the first call is sent.

A module is a file to open, and a process that has no descriptor left cannot open one: whoever fills them up would take
the answers of all other calls along. What the table of this server cannot need is left out.
"""

from __future__ import annotations

import codecs
from importlib import import_module
from typing import TYPE_CHECKING

from ..text.addresses import Address

if TYPE_CHECKING:
    from ..core.catalog import Catalog
    from ..settings.settings import Settings

_ALWAYS = (
    *(
        "..core.encode_response",
        "..request.wording",
        "..request.json_arguments",
        "..request.schema_walk",
        "..result.failures",
        "..http.retry",
        "..result.large_results",
    ),
    *("..result.projection", "..http.tracecontext"),
)
"""What tells of wrong arguments and of what upstreams do: errors, long answers, a second try, a trace."""

_BY_KEY = {
    b'"confirm":': ("..calls.consent", "..calls.signed_state"),
    b'"result":': ("..result.result_rules",),
    b'"template":': ("..request.templates", "..request.xmltext"),
    b'"xml":': ("..request.xmltext",),
}
"""Keys of bindings, and what a call needs where one has them."""

_OUTPUT = b'"outputSchema":'

_SYSTEM = ("difflib", "fcntl", "select", "termios", "traceback")
"""What tells the nearest name, writes a long answer to a pipe, and logs a fault. Some systems lack some of it."""

_CODECS = ("utf-16", "utf-16-be", "utf-16-le", "latin-1", "cp1252")
"""Encodings of answers beside UTF-8 that are common. Where another cannot be loaded, UTF-8 stands for it."""


# Decision 0064: What an answer can need is loaded before the first call.
def load(catalog: Catalog, settings: Settings) -> None:
    """Load the modules and the codecs that calls of this server may need."""
    for name in _names(catalog, settings):
        import_module(name, __package__)
    for name in _SYSTEM:
        try:
            import_module(name)
        except ImportError:
            continue
    for codec in _CODECS:
        codecs.lookup(codec)
    if any(isinstance(server, Address) and not server.is_literal for server in settings.servers):
        codecs.lookup("idna")  # in which names are given to the system's resolver


def _names(catalog: Catalog, settings: Settings) -> list[str]:
    """Return the modules of the runtime that are needed, by their relative names."""
    names = [*_ALWAYS]
    names += [name for key in catalog.binds(*_BY_KEY) for name in _BY_KEY[key]]
    names += ["..result.structured"] if catalog.describes(_OUTPUT) else []
    names += ["..result.fetching"] if catalog.offers("resources") else []
    if any(scheme["type"] in ("oauth2", "login") for scheme in catalog.security.values()):
        names += ["..http.tokens", "..http.discovery"]
    return names
