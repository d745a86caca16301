"""Report schemas that are too large for the compiler's limit of steps."""

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.work import Exhausted
from mcpgen.lower.schema.compose import PART, Composer
from mcpgen.read.openapi import Definitions

_HINT = "Let schemas refer to each other less often, or leave the operation out with --exclude."


def reason(end: Exhausted, what: str, composer: Composer, where: Where) -> Diagnostic:
    """Return the diagnostic that says why the compiler gave up reading `what`, which becomes the subject of the
    sentence.

    The diagnostic is placed at the schema that took most of the steps, else at `where`.
    """
    if end.is_run:
        return Diagnostic(
            "too-complex",
            f"{what} were not read, because reading other schemas took all steps that one run of mcpgen may take.",
            _HINT,
            where,
        )
    definitions, culprit = composer.definitions, composer.budget.culprit
    if culprit and isinstance(definitions, Definitions):
        where = definitions.where(culprit)
    message = f"{what} are too complex: reading them takes more than {PART:,} steps, most of them for this schema."
    return Diagnostic("too-complex", message, _HINT, where)
