"""Read the public configurations, and lay each out as its owner has it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
SHOP = HERE / "shop.openapi.yaml"
"""The document that stands for those of the configurations."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One row of configurations.yaml."""

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
        """Return what `adopt` is given, with the file written to `folder`."""
        if self.command:
            return shlex.split(self.command)
        (folder / self.file).write_text(self.text, encoding="utf-8")
        return [str(folder / self.file)]

    @property
    def documents(self) -> int:
        """Return how many documents it names."""
        return 2 if "--additional-specs" in self.command else 1


@cache
def configurations() -> tuple[Configuration, ...]:
    rows: list[dict[str, Any]] = yaml.safe_load((HERE / "configurations.yaml").read_text(encoding="utf-8"))
    return tuple(Configuration(**row) for row in rows)
