"""Exceptions that end a run, or the work on one operation. Everything less serious is a diagnostic."""

import os

from mcpgen.base.diagnostics import Diagnostic, Where


class FatalError(Exception):
    """Ends the run with one sentence, for example because the source is unreadable or is not an API description.

    No file has been written. `before`: errors that were found earlier in the run.
    """

    def __init__(self, code: str, message: str, where: Where | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, hint, where)
        self.before: list[Diagnostic] = []


class ProjectBusy(FatalError):
    """Another run is working on the same project. The same command may succeed later."""


def reason_of(error: OSError, unknown: str = "the file system refuses") -> str:
    """Return the operating system's text for `error`, or `unknown` if it has none."""
    return os.strerror(error.errno) if error.errno else unknown


class SkipOperation(Exception):
    """One operation cannot become a tool.

    The exception is caught where operations are read and converted to tools, so that the other operations are still
    compiled.
    """

    def __init__(self, code: str, message: str, where: Where, hint: str = "") -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, hint, where)
