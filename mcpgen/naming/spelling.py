"""Spell the names of an operation in ASCII, so that the other modules of this room split only ASCII text into words."""

import re
from dataclasses import replace
from urllib.parse import unquote

from mcpgen.base.romanize import romanize
from mcpgen.model import Operation

_ENCODED = re.compile(r"(?:%[89A-F][0-9A-F])+", re.IGNORECASE)
_LATIN = re.compile(r"[A-Za-z]")
_STATIC = re.compile(r"\{[^{}]*\}")


def in_ascii(operation: Operation) -> Operation:
    """Return `operation` with its id, its path and the variables of the path in ASCII.

    An id without a Latin letter is left out if the path names something: a verb by the method and a noun say more.
    """
    identifier, path = operation.id or "", operation.path
    if identifier.isascii() and path.isascii() and not _ENCODED.search(path):
        return operation
    path = romanize(_ENCODED.sub(lambda found: unquote(found[0]), path))
    is_foreign = not _LATIN.search(identifier) and _LATIN.search(_STATIC.sub("", path))
    template = replace(
        operation.template,
        variables=tuple(map(romanize, operation.template.variables)),
        query_variables=tuple((romanize(name), variable) for name, variable in operation.template.query_variables),
    )
    return replace(operation, id=None if is_foreign else romanize(identifier), path=path, template=template)
