# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Save responses to files below the operator's folder for downloads (environment variable `*_DOWNLOADS_DIR`).

The model chooses the file name. The name must stay below that folder, pass through no symbolic link and be valid on
every system. It must not replace a file unless the operator allowed that. These rules are checked before the request is
sent, and again when the file is written. The file is either complete, with secrets removed, or does not exist.
"""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING

from ..core.wire_formats import Result
from ..files import safe_open
from ..request.argument_errors import Problem, Refused
from ..result import response
from ..result.result_store import PIECE
from ..text.sanitize import clean

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..core.limits import Budget
    from ..http.exchange import Response, Sent
    from ..settings.settings import Settings
    from ..text.redaction import Redactor

MOST_STEPS, LONGEST_STEP = 8, 200
"""Maximum number of names in a path (folders and file), and maximum length of each name in bytes.

File systems allow 255 bytes; the rest is left for suffixes that other programs add.
"""

_PLAIN = re.compile(r'[^\x00-\x1f\x7f\\/:*?"<>|.\s~-](?:[^\x00-\x1f\x7f\\/:*?"<>|]*[^\x00-\x1f\x7f\\/:*?"<>|.\s])?')
#: Names that Windows opens as devices, with any suffix
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_NAME = "expected a plain file name such as report.pdf, or one in a folder that is there, such as reports/may.pdf"
_LINK = "expected a name without links on the way"
_NOWHERE = "there is no such folder that can be written to; give a name alone"


def name(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that finds the file for the response. It raises Refused if the name of the file is wrong."""
    argument = tool.binding["saves"]

    def step(call: CallUnderWay) -> None:
        assert call.ready is not None
        if argument in call.arguments:
            call.ready.download = Download(argument, call.arguments[argument], services.settings)

    return step


def save(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None] | None]:
    """Return the step that saves the response if the call names a file, and writes the result."""

    async def write(call: CallUnderWay, answer: Response, sent: Sent, download: Download) -> None:
        try:
            size = await download.save(answer, services.lasting.redactor, call.budget)
        except Unwritten as reason:
            call.result = Result.error(f"{tool.name} was answered with {answer.named}. {reason}")
        else:
            call.result = response.saved(answer, sent, download.path, size)

    def step(call: CallUnderWay) -> Awaitable[None] | None:
        answer, sent, ready = call.answer, call.sent, call.ready
        assert answer is not None
        assert sent is not None
        assert ready is not None
        if ready.download is not None and answer.size and 200 <= answer.status < 300:
            return write(call, answer, sent, ready.download)
        return services.writer.write(call)

    return step


class Unwritten(Exception):
    """Raised if the file was not written. The message is a sentence for the model that says why."""


# Without a downloads directory, no tool list pays tokens for the argument that saves a file
# (docs/decisions/results.md).
class Download:
    """Destination of a saved response: a file below the downloads folder in `settings`."""

    __slots__ = ("_replaces", "_root", "_steps", "path")

    def __init__(self, argument: str, name: object, settings: Settings) -> None:
        """Check the `name` that the argument `argument` gives.

        Raise Refused if a response may not be saved under it.
        """
        assert settings["DOWNLOADS_DIR"] is not None
        self._root, self._replaces = settings["DOWNLOADS_DIR"], settings["DOWNLOADS_OVERWRITE"]
        self._steps = name.split("/") if isinstance(name, str) else []
        if not _is_plain(self._steps):
            raise Refused(Problem(argument, _NAME))
        self.path = os.path.join(self._root, *self._steps)
        try:
            taken = safe_open.is_there(self._root, self._steps) and not self._replaces
        except safe_open.LinkFound:
            raise Refused(Problem(argument, _LINK)) from None
        except (OSError, ValueError):
            raise Refused(Problem(argument, _NOWHERE)) from None
        if taken:
            raise Refused(Problem(argument, "there is a file of that name, which stays; give another name"))

    async def save(self, answer: Response, redactor: Redactor, budget: Budget) -> int:
        """Write the whole response with secrets removed, and return the number of bytes.

        Raise Unwritten if that fails.
        """
        if answer.cut:
            raise Unwritten(f"Only its first {answer.size:,} bytes were read, so no file was written.")
        try:
            file = safe_open.NewFile(self._root, self._steps, self._replaces)
        except (OSError, ValueError) as problem:
            raise Unwritten(_why(problem)) from None
        try:
            size = await _write(file, answer, redactor, budget)
        except OSError as problem:
            file.discard()
            raise Unwritten(_why(problem)) from None
        except BaseException:
            file.discard()
            raise
        try:
            file.finish()
        except OSError as problem:
            raise Unwritten(_why(problem)) from None
        return size


def _is_plain(steps: list[str]) -> bool:
    """Return whether each name of a path is valid on every system."""
    return 0 < len(steps) <= MOST_STEPS and all(map(_is_plain_name, steps))


def _is_plain_name(name: str) -> bool:
    if not _PLAIN.fullmatch(name) or _DEVICE.fullmatch(name) or clean(name)[1]:
        return False
    try:
        return len(name.encode()) <= LONGEST_STEP
    except UnicodeEncodeError:
        return False


async def _write(file: safe_open.NewFile, answer: Response, redactor: Redactor, budget: Budget) -> int:
    """Write the response in pieces. Let the event loop run between the pieces.

    Return the number of bytes written. Raise OSError if writing fails, and Unwritten if the call's time is over.
    """
    stream, size = redactor.stream(), 0
    now = asyncio.get_running_loop().time
    with budget as seconds:
        end = now() + seconds
        for start in range(0, answer.size, PIECE):
            piece = answer.content[start : start + PIECE]
            if answer.spool is not None:
                piece = answer.spool.read(start, PIECE)
            piece = stream.feed(piece, start + PIECE >= answer.size)
            file.write(piece)
            size += len(piece)
            await asyncio.sleep(0)
            if now() > end:
                raise Unwritten("The time of the call was over before it was written, so there is no file.")
    return size


def _why(problem: Exception) -> str:
    """Return the reason why no file was written, as a sentence from which a model can see what to do."""
    if isinstance(problem, FileExistsError):
        return "A file of that name came to be meanwhile, and stays. Give another name."
    return "It could not be written to the folder for downloads: tell the operator of this server."
