"""Write reproducible zip files: the order, times, modes and system of the entries are fixed, so equal files give equal
bytes.
"""

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime

from mcpgen.base.errors import FatalError

DEFAULT_EPOCH = 1580601600
"""Time of all entries if SOURCE_DATE_EPOCH is not set: 2020-02-02, as in hatchling."""

_FIRST, _LAST = 315532800, 4354819199
"""Earliest and latest time that a zip file can hold, in seconds since 1970: the years 1980 to 2107."""

_UNIX = 3
_MODE = 0o100644 << 16


def release_epoch(given: str | None) -> int:
    """Return the time to give to all files in archives, in seconds since 1970: `given`, else DEFAULT_EPOCH.

    `given`: the environment variable SOURCE_DATE_EPOCH (reproducible-builds.org), or None.

    Raises FatalError if `given` is not a number of seconds that a zip file can hold.
    """
    if given is None or given == "":
        return DEFAULT_EPOCH
    if not (given.isascii() and given.isdigit() and len(given) < 12 and _FIRST <= int(given) <= _LAST):
        message = "SOURCE_DATE_EPOCH is not a Unix time between the years 1980 and 2107."
        raise FatalError(
            "invalid-flag",
            message,
            hint="Set SOURCE_DATE_EPOCH to the output of `git log -1 --format=%ct`, or unset it.",
        )
    return int(given)


def zip_bytes(files: Mapping[str, bytes], epoch: int) -> bytes:
    """Return a zip file of `files`, sorted by path. All entries have the time `epoch` and the same permissions."""
    moment = datetime.fromtimestamp(epoch, UTC)
    time = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, time)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()
