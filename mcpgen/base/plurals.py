"""Write a number with its noun in the singular or the plural."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 tool`, `2 tools`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
