"""The standard streams as the commands find them: there, and able to print any text."""

import errno
import io
import os
import sys
from typing import TextIO


def prepare() -> None:
    """Give each stream that was closed the null device, before a file or a socket gets its number: no stream means no
    output. What a stream cannot encode is escaped.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or _null("r")
    sys.stdout = sys.stdout or _null("w")
    sys.stderr = sys.stderr or _null("w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def nobody_reads(error: OSError) -> bool:
    """Whether the other end of a pipe was closed: whoever read has all that they wanted."""
    return error.errno in (errno.EPIPE, errno.ESHUTDOWN)


def silence(stream: TextIO) -> None:
    """From now on nothing arrives there, and nothing fails: neither later output nor what is still buffered."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError):
        return


def _null(mode: str) -> TextIO:
    stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 — as long as the process
    assert isinstance(stream, io.TextIOWrapper)
    return stream
