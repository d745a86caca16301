"""Take the pictures of the documentation's front page: the page of `inspect --html` for the petstore, light and dark.

    .venv/bin/python -m tests.page.picture

Needs Chromium (Debian's package `chromium`). The pictures are `inspect-light.webp` and `inspect-dark.webp` in
`docs/_static/`.
"""

from __future__ import annotations

import asyncio
import base64
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.page.browser import browsing
from tests.page.pages import PETSTORE, ROOT

PICTURES = ROOT / "docs" / "_static"
WIDTH, HEIGHT, MARGIN = 900, 900, 24
"""Size of the window, and the margin of the picture around the part of the page that it shows."""
ENDS = """
[document.querySelector(".masthead").getBoundingClientRect().top,
  document.querySelector("#treemap").parentElement.getBoundingClientRect().bottom]
"""
SCALE = 2
"""Pixels of the picture for each pixel of the window, so that text is sharp on screens of high resolution."""
QUALITY = 60


async def take(page_path: Path, folder: Path) -> None:
    """Open the page in a browser, and write one picture for each color scheme."""
    async with browsing(folder) as page:
        await page.ask("Emulation.setScrollbarsHidden", hidden=True)
        for scheme in ("light", "dark"):
            await page.open(page_path, WIDTH, HEIGHT, scheme)
            top, bottom = await page.run(ENDS)
            clip = {"x": 0, "y": top - MARGIN, "width": WIDTH, "height": bottom - top + 2 * MARGIN, "scale": SCALE}
            taken = await page.ask("Page.captureScreenshot", format="webp", quality=QUALITY, clip=clip)
            (PICTURES / f"inspect-{scheme}.webp").write_bytes(base64.b64decode(taken["data"]))


def main() -> None:
    """Write the page of the petstore, and take its pictures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        command = [sys.executable, "-m", "mcpgen", "inspect", str(PETSTORE), "--html", str(path)]
        subprocess.run(command, check=True)
        asyncio.run(take(path, Path(folder) / "profile"))


if __name__ == "__main__":
    main()
