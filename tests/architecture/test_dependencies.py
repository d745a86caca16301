"""Dependencies have bounds on both sides and a reason in ARCHITECTURE.md; mcpgen runs what it generates."""

import re
import tomllib
from pathlib import Path

from mcpgen.emit.project import RUNTIME_DEPENDENCIES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    for requirement in [*DECLARED, *RUNTIME_DEPENDENCIES]:
        assert re.fullmatch(r"[a-z0-9-]+>=[0-9.]+,<[0-9.]+", requirement), requirement


def test_mcpgen_depends_on_what_generated_servers_depend_on_with_the_same_bounds() -> None:
    assert set(RUNTIME_DEPENDENCIES) <= set(PROJECT["dependencies"])


def test_every_dependency_has_its_reason_in_the_architecture() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## Dependencies")[1]
    for requirement in DECLARED:
        name = re.split(r"[<>=]", requirement)[0]
        assert f"`{name}`" in section, f"{name} has no reason in ARCHITECTURE.md"
