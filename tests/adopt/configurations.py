"""Read public configurations of other MCP generators, and write each to a folder under its original name."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
SHOP = HERE / "shop.openapi.yaml"
"""The document that replaces the documents of the configurations."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One public configuration of another MCP generator, as listed in `configurations.yaml`."""

    repository: str
    path: str
    place: str
    base_url: str
    file: str = ""
    text: str = ""
    command: str = ""
    code: bool = False
    refused: str = ""

    @property
    def name(self) -> str:
        return f"{self.repository}: {self.path}"

    def sources(self, folder: Path) -> list[str]:
        """Write the configuration file to `folder`, and return the arguments of `mcpgen adopt` for it."""
        if self.command:
            return shlex.split(self.command)
        (folder / self.file).write_text(self.text, encoding="utf-8")
        return [str(folder / self.file)]

    @property
    def documents(self) -> int:
        """Return the number of API descriptions that the configuration names."""
        return 2 if "--additional-specs" in self.command else 1


@cache
def configurations() -> tuple[Configuration, ...]:
    rows: list[dict[str, Any]] = yaml.safe_load((HERE / "configurations.yaml").read_text(encoding="utf-8"))
    return tuple(Configuration(**row) for row in rows)
