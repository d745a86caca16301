"""What is said where schemas describe more than is walked through."""

from collections.abc import Mapping

from mcpgen.diagnostics import Diagnostic, Where
from mcpgen.jsonvalue import JsonObject
from mcpgen.lower.compose import PART
from mcpgen.openapi import Definitions
from mcpgen.work import Exhausted

_HINT = "Let schemas refer to each other less often, or leave the operation out with --exclude."


def reason(end: Exhausted, what: str, definitions: Mapping[str, JsonObject], where: Where) -> Diagnostic:
    """Return why `what`, the beginning of a sentence, was given up: at the schema that took most of the work, or else
    at `where`.
    """
    if end.is_run:
        return Diagnostic("too-complex", f"{what} come after all the work that one run may do.", _HINT, where)
    if end.culprit and isinstance(definitions, Definitions):
        where = definitions.where(end.culprit)
    message = f"{what} describe more than can be walked through in {PART:,} steps; this one takes most of them."
    return Diagnostic("too-complex", message, _HINT, where)
