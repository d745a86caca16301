"""Prepare the standard streams, so that all are open and can print any text."""

import errno
import io
import os
import sys
from typing import TextIO


def prepare() -> None:
    """Open the null device for each closed standard stream. Otherwise the next opened file or socket would get its file
    descriptor.

    Characters that stdout cannot encode are escaped.
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
    """Return True if the error means that the reader has closed the pipe, so that no more output is wanted."""
    return error.errno in (errno.EPIPE, errno.ESHUTDOWN)


def silence(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that neither later nor buffered output can fail."""
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
