"""Read files of this machine. A path must lead to a regular file, since a pipe or a device could block the compiler."""

import os
from dataclasses import dataclass

from mcpgen.base.errors import FatalError
from mcpgen.base.runtime import safe_open
from mcpgen.base.safe_open import read_below, read_regular
from mcpgen.read.document import budgets
from mcpgen.read.document.budgets import within_budget


@dataclass(frozen=True, slots=True)
class Folder:
    """Folders that the references of a document may lead into: its own folder, and others that the user named."""

    roots: tuple[str, ...]

    def and_beside(self, name: str, folders: tuple[str, ...]) -> "Folder":
        """Return a Folder that also allows references into `folders`, relative to the folder of the file `name`."""
        return Folder((*self.roots, *(os.path.join(os.path.dirname(name), folder) for folder in folders)))

    @staticmethod
    def is_beside(name: str, folder: str) -> bool:
        """Return True if `folder`, relative to the folder of the file `name`, exists."""
        return os.path.isdir(os.path.join(os.path.dirname(name), folder))

    def read(self, name: str) -> bytes:
        """Return the bytes of the file `name`.

        Raises FatalError if the file cannot be read, or its real path lies outside the folders in `roots`. A link that
        appears between check and reading is not followed (`safe_open.py`).
        """
        try:
            real = os.path.realpath(name)
            roots = (root for root in map(os.path.realpath, self.roots) if os.path.commonpath([root, real]) == root)
            root = next(roots, None)
        except (OSError, ValueError):  # OSError: a link on the path has disappeared since the check
            root = None
        if root is None:
            raise FatalError(
                "foreign-reference",
                f"{name} is outside of the document's folder.",
                hint="To let mcpgen read this file, name its folder with --ref-dir, or with `ref_dir` in a tools file.",
            )
        return read_file(real, name, root)


def read_file(path: str, source: str, root: str | None = None) -> bytes:
    """Return the bytes of the file at `path`, which messages call `source`.

    No symbolic link below the folder `root`, if given, is followed. Raises FatalError if the file cannot be read or is
    larger than the budget.
    """
    most = budgets.BYTES + 1
    try:
        data = read_below(root, os.path.relpath(path, root), most) if root else read_regular(path, most)
        return within_budget(data, source)
    except (OSError, ValueError) as error:
        raise _unreadable(path, source, error) from None


def _unreadable(path: str, source: str, error: OSError | ValueError) -> FatalError:
    """Return why the file at `path`, which messages call `source`, cannot be read."""
    if os.path.isdir(path):
        said, hint = f"{source} is a directory.", "Name a document inside the directory instead of the directory."
    elif isinstance(error, safe_open.NotRegular):
        said = f"{source} is not a regular file."
        hint = "Copy the contents to a file, or pipe them to mcpgen with `-` as SOURCE."
    elif isinstance(error, FileNotFoundError):
        said, hint = f"There is no file {source}.", "Check the path."
    else:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "it cannot be opened"
        said, hint = f"{source} cannot be read: {reason}.", "Check the path, and whether you may read the file."
    return FatalError("unreadable", said, hint=hint)
