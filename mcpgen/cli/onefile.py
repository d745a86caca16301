"""A single file that a command writes: whole or not at all, and never over one that is not its own."""

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from mcpgen.base.errors import CannotGoOn


def write(path: Path, data: bytes, is_ours: Callable[[bytes], bool], *, refused: str, hint: str) -> None:
    """`data` at `path`. CannotGoOn where something stands there whose bytes are not `is_ours`, with the words `refused`
    and `hint`, or where the file system refuses.
    """
    try:
        if _is_foreign(path, is_ours):
            raise CannotGoOn("output-refused", f"{path} is there{refused}.", hint=hint)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".mcpgen-", delete=False) as stage:
            try:
                stage.write(data)
                stage.close()
                Path(stage.name).chmod(0o666 & ~_mask())
                Path(stage.name).replace(path)
            except BaseException:
                Path(stage.name).unlink()
                raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the file system refuses"
        raise CannotGoOn("output-failed", f"{path} cannot be written: {reason}.", hint="Name another file.") from None


def _is_foreign(path: Path, is_ours: Callable[[bytes], bool]) -> bool:
    """Whether something stands there that may not be replaced."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(status.st_mode) or not is_ours(path.read_bytes())


def _mask() -> int:
    """The rights that files of this process do not get; there is no way to ask without setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
