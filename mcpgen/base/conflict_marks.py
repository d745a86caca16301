"""Recognise a text that holds the conflict marks of a git merge."""

_MARKS = ("\n<<<<<<< ", "\n=======", "\n>>>>>>> ")
"""Beginnings of lines that git writes around a conflict, in this order. The style `diff3` adds another one between."""


def conflict_line(text: str) -> int:
    """Return the number of the line where a conflict begins, or 0 if not all marks stand in `text` in their order."""
    text = f"\n{text}"
    at = first = text.find(_MARKS[0])
    for mark in _MARKS:
        at = text.find(mark, at)
        if at < 0:
            return 0
    return text.count("\n", 0, first) + 1
