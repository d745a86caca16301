"""Index of the outer keys of a YAML text, with their positions, recorded while the text is parsed.

With the index, a position inside the text is found by parsing one piece of it. A piece reaches from one recorded key to
the next key on the same or an outer level. The piece alone is a YAML mapping with one member. Aliases in a piece need
not be resolved, since only positions are wanted.
"""

from mcpgen.read.document import budgets

Path = tuple[str, ...]
Position = tuple[int, int]

LEVELS = 3
"""Depth, in levels, to which keys are recorded: sections, then paths and schemas, then operations."""


# Parsing YAML is slow: for a position further inside, only the piece of text around it is parsed again
# (docs/decisions/speed.md).
class Outline:
    """Index of the positions of the keys in the outer LEVELS levels of a YAML `text`, in order. The parser calls `note`
    for each of these keys, except keys in flow style (`{...}`).
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._keys: list[tuple[Path, int, Position]] = []
        self._numbers: dict[Path, int] = {}
        self._open = True

    def note(self, path: Path, index: int, line: int, column: int) -> None:
        """Record the position of the key at the end of `path`: offset, line and column, each counted from 0."""
        start = index - column
        # A piece of the text begins with a key at the beginning of a line. After `?` or `---`, no key can begin a
        # piece, so such a key is not recorded.
        if not self._open or self.text[start:index].strip(" "):
            return
        if len(self._keys) == budgets.OUTLINE:
            self.drop()
            return
        self._numbers[path] = len(self._keys)
        self._keys.append((path, start, (line + 1, column + 1)))

    def drop(self) -> None:
        """Empty the index and record nothing more. Positions are then found by parsing the whole text."""
        self._open = False
        self._keys.clear()
        self._numbers.clear()

    def nearest(self, path: Path) -> Path:
        """Return the longest prefix of `path` that was recorded, or ()."""
        length = min(len(path), LEVELS)
        while path[:length] not in self._numbers and length:
            length -= 1
        return path[:length]

    def position(self, path: Path) -> Position:
        """Return line and column, counted from 1, of the key at the end of `path`. If the key occurs several times, the
        last one counts. Raises KeyError if `note` has not recorded `path`.
        """
        return self._keys[self._numbers[path]][2]

    def piece(self, path: Path) -> tuple[str, int]:
        """Return the piece of the YAML text that begins with the key at `path`, and the number of lines before it.

        The piece ends before the next recorded key on the same or an outer level, or else at the end of the text.
        Raises KeyError if `note` has not recorded `path`.
        """
        number = self._numbers[path]
        _, start, (line, _) = self._keys[number]
        after = map(self._keys.__getitem__, range(number + 1, len(self._keys)))  # an iterator: keys may be many
        ends = (begin for other, begin, _ in after if len(other) <= len(path))
        return self.text[start : next(ends, len(self.text))], line - 1
