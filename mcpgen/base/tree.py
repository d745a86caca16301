"""A tree of files in memory, relative path → bytes: what the compiler answers with.

Writing, checking and comparing are its readers.

Containment is checked on construction, so a tree that exists cannot lead out of the directory that it is written to.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))}
)


class FileTree(Mapping[str, bytes]):
    """Sorted, immutable mapping of contained POSIX paths to contents. ValueError for a path that is not contained."""

    __slots__ = ("_files",)

    def __init__(self, files: Mapping[str, bytes]) -> None:
        for path in files:
            check_contained(path)
        folded = {path.casefold() for path in files}
        if len(folded) != len(files):
            raise ValueError("two paths differ in case alone")
        self._files = dict(sorted(files.items()))

    def __getitem__(self, path: str) -> bytes:
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def check_contained(path: str) -> None:
    """ValueError where `path` could lead out of its directory, or is no name that every system can store."""
    parts = PurePosixPath(path).parts
    if not parts or path != "/".join(parts) or path.startswith("/"):
        raise ValueError(f"not a plain relative path: {path!r}")
    for part in parts:
        if part in {".", ".."} or part.split(".")[0].casefold() in _RESERVED:
            raise ValueError(f"not a name that every system can store: {path!r}")
        if part.endswith((" ", ".")) or part.startswith(" ") or any(c in '\\:*?"<>|' or ord(c) < 32 for c in part):
            raise ValueError(f"not a name that every system can store: {path!r}")
