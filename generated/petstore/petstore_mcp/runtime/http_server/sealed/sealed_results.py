# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make the URIs of stored results over HTTP.

A URI contains a random number, encrypted for one caller (`seal`). So nobody can guess a URI, and no caller can use the
URI of another caller.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from ...core import spans
from .seal import Expired, Unsealed

if TYPE_CHECKING:
    from collections.abc import Callable

    from .seal import Seal

SECONDS = 60 * 60.0
"""Seconds for which a stored result can be read."""

_PURPOSE = "result"
_NUMBER = 8


class SealedNames:
    """Maker of URIs for stored results over HTTP. A URI works only for the caller whose call produced the result."""

    def __init__(self, seal: Seal, server: str) -> None:
        self._seal = seal
        self._before = f"{server}://result/"
        # The function that `new` returns must run within the call, since the URI works only for the call's caller.
        self.new: Callable[[], Callable[[], str]] = partial(partial, self._sealed)  # runs no Python code: few need it

    def _sealed(self) -> str:
        return self._before + self._seal.close(_PURPOSE, spans.owner(), os.urandom(_NUMBER), SECONDS)

    def admits(self, uri: str) -> bool:
        """Return True if the caller of the current request may read the result at `uri`."""
        try:
            self._seal.open(_PURPOSE, spans.owner(), uri.removeprefix(self._before))
        except (Unsealed, Expired):
            return False
        return uri.startswith(self._before)
