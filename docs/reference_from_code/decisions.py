"""The index of the decision records, from the records themselves."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "decisions"


def markdown() -> str:
    """Return a list of links for each area that the records name."""
    areas: dict[str, list[str]] = {}
    for path in sorted(FOLDER.glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        found = re.search(r"^Area: (.+)$", text, re.MULTILINE)
        areas.setdefault(found[1] if found else "Other", []).append(f"- [{title}]({path.name})")
    return "\n\n".join(f"## {area}\n\n" + "\n".join(links) for area, links in areas.items())
