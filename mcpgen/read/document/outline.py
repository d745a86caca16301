"""Where the outer keys of a YAML text stand, noted while it is read: so a place inside it is found without reading all
of it once more.

From the line of such a key to that of the next one beside it or around it the text is YAML by itself: a mapping of this
one member, as far indented as before. What its aliases name does not matter to where its parts stand.
"""

from mcpgen.read.document import budgets

Path = tuple[str, ...]
Position = tuple[int, int]

LEVELS = 3
"""Mappings inside each other whose keys are noted: sections, paths and schemas, operations."""


# Decision 0158: Places of a YAML text are noted while it is read.
class Outline:
    """The outer keys of `text`, in its order. Whoever reads the text notes those of block mappings."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._keys: list[tuple[Path, int, Position]] = []
        self._numbers: dict[Path, int] = {}
        self._open = True

    def note(self, path: Path, index: int, line: int, column: int) -> None:
        """Note that the key which `path` ends with stands there, all counted from 0."""
        start = index - column
        if not self._open or self.text[start:index].strip(" "):  # behind a `?` or `---` begins no line of its own
            return
        if len(self._keys) == budgets.OUTLINE:
            self.drop()
            return
        self._numbers[path] = len(self._keys)
        self._keys.append((path, start, (line + 1, column + 1)))

    def drop(self) -> None:
        """Note nothing, and forget what was noted: the text has to be read as a whole."""
        self._open = False
        self._keys.clear()
        self._numbers.clear()

    def nearest(self, path: Path) -> Path:
        """The longest beginning of `path` that was noted."""
        length = min(len(path), LEVELS)
        while path[:length] not in self._numbers and length:
            length -= 1
        return path[:length]

    def position(self, path: Path) -> Position:
        """Line and column, from 1, of a key that was noted: of the last one where it stands twice."""
        return self._keys[self._numbers[path]][2]

    def piece(self, path: Path) -> tuple[str, int]:
        """The text that has this key, which was noted, as its first; and how many lines are above it."""
        number = self._numbers[path]
        _, start, (line, _) = self._keys[number]
        after = map(self._keys.__getitem__, range(number + 1, len(self._keys)))  # no copy: pieces may be many
        ends = (begin for other, begin, _ in after if len(other) <= len(path))
        return self.text[start : next(ends, len(self.text))], line - 1
