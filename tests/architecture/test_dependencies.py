"""Test that dependencies have lower and upper bounds, and a reason in ARCHITECTURE.md.

Also test that mcpgen depends on all packages that generated servers need, with the same bounds.
"""

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest

from mcpgen.emit.project import EXTRAS as OF_SERVERS
from mcpgen.emit.project import RUNTIME_DEPENDENCIES
from tests.architecture.known_faults import FAULTS, LOOKED_UP, WITHOUT_FAULTS, Fault

ROOT = Path(__file__).parents[2]
WHOLE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = WHOLE["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
SELF = f"mcpgen[{','.join(sorted(EXTRAS.keys() - {'dev'}))}]"
"""What the extra `dev` requires first: mcpgen with all other extras, so that each bound is written once."""

DECLARED = [*PROJECT["dependencies"], *(each for extra in EXTRAS.values() for each in extra if each != SELF)]
TEMPLATE = (ROOT / "templates" / "project" / "pyproject.toml.jinja").read_text(encoding="utf-8")
BUILDING = [*WHOLE["build-system"]["requires"], *re.findall(r'"(hatchling>[^"]+)"', TEMPLATE)]
"""Packages that build other packages. The project template names them itself."""

ALL = {*DECLARED, *RUNTIME_DEPENDENCIES, *BUILDING}


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    for requirement in [*DECLARED, *RUNTIME_DEPENDENCIES]:
        assert re.fullmatch(r"[a-z0-9-]+>=[0-9.]+,<[0-9.]+", requirement), requirement


def test_mcpgen_depends_on_what_generated_servers_depend_on_with_the_same_bounds() -> None:
    assert set(RUNTIME_DEPENDENCIES) <= set(PROJECT["dependencies"])
    assert SELF in EXTRAS["dev"]
    for extra, (_, required) in OF_SERVERS.items():
        assert EXTRAS[extra] == list(required)


def test_every_dependency_has_its_reason_in_the_architecture() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## Dependencies")[1]
    for requirement in DECLARED:
        name = re.split(r"[<>=]", requirement)[0]
        assert f"`{name}`" in section, f"{name} has no reason in ARCHITECTURE.md"


def admits(requirement: str, fault: Fault) -> bool:
    """Return True if the lower bound of `requirement` allows a release that has the vulnerability `fault`."""
    name, least = re.match(r"([a-z0-9-]+)>=([0-9.]+),<", requirement).groups()  # type: ignore[union-attr]
    numbers = [tuple(map(int, version.split("."))) for version in (least, fault.fixed)]
    return name == fault.package and numbers[0] < numbers[1]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: f"{each.package} before {each.fixed}")
def test_hard_17_no_bound_admits_a_release_with_a_published_fault(fault: Fault) -> None:
    assert [requirement for requirement in ALL if admits(requirement, fault)] == []


def test_hard_17_the_list_of_faults_is_of_what_we_depend_on() -> None:
    names = {re.split(r"[<>=]", requirement)[0] for requirement in ALL}
    with_faults = {fault.package for fault in FAULTS}
    assert with_faults | WITHOUT_FAULTS == names, "each package is looked up by its name"
    assert not with_faults & WITHOUT_FAULTS
    assert all(date(2020, 1, 1) < fault.known <= LOOKED_UP and fault.names for fault in FAULTS)
    assert len(BUILDING) == 2


@pytest.mark.parametrize(
    ("requirement", "admitted"),
    [("aiohttp>=3.14,<4", True), ("aiohttp>=3.14.2,<4", True), ("aiohttp>=3.14.3,<4", False), ("aiohttp>=4,<5", False)],
)
def test_hard_17_a_bound_below_the_release_without_the_fault_is_noticed(requirement: str, admitted: bool) -> None:
    assert admits(requirement, Fault("aiohttp", "3.14.3", ("CVE-2026-69244",), LOOKED_UP)) is admitted
