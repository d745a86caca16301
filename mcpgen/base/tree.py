"""Hold the output of the compiler in memory: a mapping from relative path to bytes.

The passes that write, check and compare the output read this mapping. Paths are checked when the object is created, so
no file can be written outside the output directory.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import PurePosixPath

_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))}
)


class FileTree(Mapping[str, bytes]):
    """Sorted, immutable mapping from relative POSIX paths to file contents.

    Raises ValueError for a path that could lead out of the directory to which the files are written.
    """

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


@lru_cache(maxsize=1024)  # cached, since one run checks the paths of the generated server several times
def check_contained(path: str) -> None:
    """Raise ValueError if `path` could lead out of its directory, or is an invalid file name on some operating
    system.
    """
    parts = PurePosixPath(path).parts
    if not parts or path != "/".join(parts) or path.startswith("/"):
        raise ValueError(f"not a plain relative path: {path!r}")
    for part in parts:
        if part in {".", ".."} or part.split(".")[0].casefold() in _RESERVED:
            raise ValueError(f"not a name that every system can store: {path!r}")
        if part.endswith((" ", ".")) or part.startswith(" ") or any(c in '\\:*?"<>|' or ord(c) < 32 for c in part):
            raise ValueError(f"not a name that every system can store: {path!r}")
