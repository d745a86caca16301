"""Write a single file for a command, atomically, and never over a file that mcpgen did not write."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from mcpgen.base.errors import FatalError, reason_of


def write(path: Path, data: bytes, is_ours: Callable[[bytes], bool], *, refused: str, hint: str) -> None:
    """Write `data` to `path` atomically.

    `is_ours`: function that tells from the bytes of an existing file whether the file may be replaced. Raises
    FatalError if it must not be replaced: the message ends with `refused`, and the hint is `hint`. Also raises
    FatalError if the file cannot be written.
    """
    with failing(path, "Name another file."):
        if _is_foreign(path, is_ours):
            raise FatalError("output-refused", f"{path} already exists{refused}.", hint=hint)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".mcpgen-", delete=False) as stage:
            try:
                stage.write(data)
                stage.close()
                Path(stage.name).chmod(0o666 & ~_mask())
                Path(stage.name).replace(path)
            except BaseException:
                Path(stage.name).unlink()
                raise


@contextlib.contextmanager
def failing(path: Path, hint: str) -> Iterator[None]:
    """Turn an OSError in the context into FatalError. The message says that `path` cannot be written, and why."""
    try:
        yield
    except OSError as error:
        message = f"{path} cannot be written: {reason_of(error)}."
        raise FatalError("output-failed", message, hint=hint) from None


def _is_foreign(path: Path, is_ours: Callable[[bytes], bool]) -> bool:
    """Return True if `path` exists and must not be replaced: it is not a regular file, or `is_ours` returns False."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(status.st_mode) or not is_ours(path.read_bytes())


def _mask() -> int:
    """Return the umask of this process. The only way to read it is to set it and set it back."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
