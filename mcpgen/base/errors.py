"""The exceptions that end a run. Everything that a run survives is a diagnostic instead."""

from mcpgen.base.diagnostics import Diagnostic, Where


class CannotGoOn(Exception):
    """The run ends with one sentence: unreadable source, not an API, refused output.

    Nothing was written. `before`: errors that were found earlier in the run.
    """

    def __init__(self, code: str, message: str, where: Where | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, hint, where)
        self.before: list[Diagnostic] = []


class Busy(CannotGoOn):
    """Another run is working on the same project. The same command may succeed later."""


class Unusable(Exception):
    """One operation cannot become a tool.

    Caught where operations are read and lowered, so the other operations go on.
    """

    def __init__(self, code: str, message: str, where: Where, hint: str = "") -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, hint, where)
