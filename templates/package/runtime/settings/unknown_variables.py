# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Warn about unknown variables: environment variables that are set, have this server's prefix, and are never read.

Such a variable may be a misspelt safety setting, which then has no effect. This causes only a warning, because another
server's prefix may begin with this server's prefix. Loaded only if there are such variables.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches

from .table import SETTINGS

MOST_TOLD = 5
LONGEST_NAME = 80

_NEAR = 0.75
_HOOKS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "hooks.py")


# An unknown variable is no error, because the prefix of another server may begin with the same letters.
def warning(unread: Iterable[str], read: Iterable[str], prefix: str) -> str:
    """Return one line that lists the unread names, with similar known names and never with values.

    Return "" if hooks.py mentions all unread names, since its code may read these variables.
    """
    hooks = _text(_HOOKS)
    # Over stdio, settings for HTTP are known, although they are not read.
    known = {*(name for row in SETTINGS for name in row.variables(prefix.removesuffix("_"))), *read}
    suffixes = [name.removeprefix(prefix) for name in known if name.startswith(prefix)]
    names = sorted(name for name in unread if name not in known and name not in hooks)
    told = [_told(name, get_close_matches(name.removeprefix(prefix), suffixes, 1, _NEAR), prefix) for name in names]
    more = [f"{len(told) - MOST_TOLD} more are none either."] if len(told) > MOST_TOLD else []
    return " ".join([*told[:MOST_TOLD], *more])


def _told(name: str, near: list[str], prefix: str) -> str:
    visible = "".join(each if each.isprintable() else "?" for each in name[:LONGEST_NAME])
    meant = f" Did you mean {prefix}{near[0]}?" if near else ""
    return f"{visible} is no setting of this server and does nothing.{meant}"


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
