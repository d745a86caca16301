"""`--html`: writes the page, and nothing over a file that is not one."""

import os
import stat
import tempfile
from pathlib import Path

from mcpgen.emit import page
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import JsonObject


def write(path: Path, document: JsonObject) -> None:
    """The page of `document` at `path`, whole or not at all. CannotGoOn where something else stands there, or it cannot
    be written.
    """
    data = page.page(document)
    try:
        if _is_foreign(path):
            raise CannotGoOn(
                "output-refused",
                f"{path} is there, and no page that mcpgen wrote.",
                hint="Name another file with --html, or remove it.",
            )
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
        raise CannotGoOn(
            "output-failed", f"{path} cannot be written: {reason}.", hint="Name another with --html."
        ) from None


def _is_foreign(path: Path) -> bool:
    """Whether something stands there that is not ours to replace: neither an earlier page nor nothing."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(status.st_mode):
        return True
    with path.open("rb") as file:
        return file.read(len(page.MARK)) != page.MARK


def _mask() -> int:
    """The rights that files of this process do not get; there is no way to ask without setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
