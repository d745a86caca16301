"""Test the differences that mcpgen finds between successive versions of published APIs, by an independent comparison.

The independent reader in `published.py` reads the documents. The numbers of changes must equal those of an independent
count, the table `operations-changed.tsv`.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.read import fetch
from mcpgen.regenerate.diff import Change, Difference, Surface, compare
from mcpgen.regenerate.regenerate import compile_after, surface_of
from tests.corpus.published import VERSIONS, Published, blanked, operations, published

FOLDERS = sorted(path for path in VERSIONS.glob("*") if path.is_dir())
PAIRS = [pair for folder in FOLDERS for pair in itertools.pairwise(sorted(folder.glob("[0-9]*")))]
pytestmark = pytest.mark.skipif(not PAIRS, reason="the corpus is not beside the repository")

MOVED = {("keycloak", "05", "06"): "/admin/realms"}
"""Pairs of versions in which every path got a new prefix, so that no operation has the same path in both."""


class Followed(NamedTuple):
    """Two versions of an API. The second is compiled with the lock of the first, as when a project is generated
    again.
    """

    old: Surface
    new: Surface
    difference: Difference
    compiled: tuple[Compiled, Compiled]

    def changes(self, *codes: str) -> list[Change]:
        return [change for change in self.difference.changes if change.code in codes]


@lru_cache(maxsize=1)
def followed(old: Path, new: Path) -> Followed:
    before = compile_source(fetch.read(str(old)), Options())
    first = surface_of(before)
    after = compile_after(fetch.read(str(new)), Options(), Project(lock=before.lock))
    second = surface_of(after)
    return Followed(first, second, compare(first, second), (before, after))


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.name[:2]}"


# `scope` makes pytest run all tests of a pair in succession, since `followed` caches only the last compiled pair.
of_pairs = pytest.mark.parametrize(("old", "new"), PAIRS, ids=named, scope="module")


def prefix(old: Path, new: Path) -> str:
    return MOVED.get((old.parent.name, old.name[:2], new.name[:2]), "")


@of_pairs
def test_every_operation_is_a_tool(old: Path, new: Path) -> None:
    found = followed(old, new)
    for path, surface, compiled in zip((old, new), found[:2], found.compiled, strict=True):
        assert compiled.catalog.skipped == ()
        assert {blanked(tool.request) for tool in surface.tools} == operations(path).keys()


@of_pairs
def test_what_came_and_went_is_what_the_documents_say(old: Path, new: Path) -> None:
    before, after = operations(old).keys(), operations(new).keys()
    found = followed(old, new)
    moved = [(blanked(str(change.before)), blanked(str(change.after))) for change in found.changes("tool-moved")]
    gone = {blanked(str(change.before)) for change in found.changes("tool-removed")}
    added = {blanked(str(change.after)) for change in found.changes("tool-added")}
    assert gone | {one for one, _ in moved} == before - after
    assert added | {other for _, other in moved} == after - before
    assert all(one.replace(" ", f" {prefix(old, new)}", 1) == other for one, other in moved)
    assert bool(moved) == bool(prefix(old, new))


@of_pairs
def test_no_name_changes_and_none_is_given_to_another_operation(old: Path, new: Path) -> None:
    found = followed(old, new)
    assert not found.changes("tool-renamed")
    had = {blanked(tool.request): tool.name for tool in found.old.tools}
    has = {blanked(tool.request): tool.name for tool in found.new.tools}
    assert all(has[request] == name for request, name in had.items() if request in has)
    moved = {blanked(str(change.after)): blanked(str(change.before)) for change in found.changes("tool-moved")}
    names = {name: request for request, name in had.items()}
    assert all(names.get(name, request) in (request, moved.get(request)) for request, name in has.items())


# -- Parameters -------------------------------------------------------------------------------------------------------

Slot = tuple[str, str]
"""A parameter: its operation and its name."""


def said(surface: Surface, changes: list[Change]) -> set[Slot]:
    """Return the parameters, as (operation, name), for which `changes` reports that the tool's argument was added,
    removed or otherwise changed. Changes inside the argument's schema are left out.
    """
    tools = {tool.name: tool for tool in surface.tools}
    return {
        (blanked(tool.request), slots[change.argument])
        for change in changes
        if change.path == change.argument
        and change.argument in (slots := dict(parameters_of((tool := tools[change.tool]).binding)))
    }


def parameters_of(binding: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pairs of an argument and its parameter's name.

    Form fields of OpenAPI 2.0 are included, members of a JSON body are not.
    """
    body = binding.get("body", {})
    fields = body.get("fields", ()) if "json" not in body.get("contentType", "") else ()
    for entry in itertools.chain(binding["path"], *(binding.get(key, ()) for key in ("query", "headers")), fields):
        if isinstance(entry, dict) and "argument" in entry:
            yield entry["argument"], entry["name"]


def between(old: Path, new: Path) -> Iterator[tuple[str, Published, Published]]:
    """Return the operations that both versions have, as (key, old, new)."""
    before, after = operations(old), operations(new)
    return ((key, before[key], after[key]) for key in before if key in after)


def followed_by(key: str, old: Path, new: Path) -> str:
    """Return the method and path that an operation has in the new version. `key`: both in the old version."""
    return key.replace(" ", f" {prefix(old, new)}", 1)


def slots(key: str, found: set[tuple[str, str]]) -> set[Slot]:
    """Return pairs of the operation and the parameter's name.

    The parameter for the whole body is left out, because its name appears nowhere.
    """
    return {(key, name) for place, name in found if place != "body"}


@of_pairs
def test_parameters_that_came_and_went_are_those_of_the_documents(old: Path, new: Path) -> None:
    found = followed(old, new)
    added, gone, demanded = set[Slot](), set[Slot](), set[Slot]()
    after = operations(new)
    for key, one in operations(old).items():
        there = followed_by(key, old, new)
        if other := after.get(there):
            came, went = (
                other.parameters.keys() - one.parameters.keys(),
                one.parameters.keys() - other.parameters.keys(),
            )
            # a renamed path variable is reported as a renamed argument, not as one removed and one added
            renamed = {slot for slot in came | went if there != key and slot[0] == "path"}
            added |= slots(there, came - renamed)
            gone |= slots(key, went - renamed)
            demanded |= slots(there, other.required - one.required - renamed)
    more = found.changes("argument-member-added", "argument-required-member-added")
    assert said(found.new, more) == added
    assert said(found.old, found.changes("argument-member-gone")) == gone
    needed = found.changes("argument-required", "argument-required-member-added")
    assert said(found.new, needed) == demanded


# -- Comparison with an independent table that counts the changes of each pair of versions ----------------------------

COUNTED = VERSIONS / "operations-changed.tsv"
ROWS = csv.DictReader(COUNTED.read_text(encoding="utf-8").splitlines(), delimiter="\t") if PAIRS else ()
OF_PAIRS = {(row["api"], row["from"], row["to"]): row for row in ROWS}


def counts(old: Path, new: Path) -> dict[str, int]:
    """Return a mapping from columns of the table COUNTED to numbers, computed from the changes that mcpgen finds."""
    found = followed(old, new)
    gone, added = found.changes("tool-removed"), found.changes("tool-added")
    moved = found.changes("tool-moved")
    known = {tool.name for tool in found.new.tools if tool.operation_id}
    elsewhere = {change.tool for change in moved}  # the table pairs operations that have the same path

    def of_path(*codes: str) -> list[Change]:
        return [change for change in found.changes(*codes) if change.tool not in elsewhere]

    more = of_path("argument-member-added", "argument-required-member-added")
    needed = of_path("argument-required", "argument-required-member-added")
    before, after = ({*published(path)} - {*operations(path)} for path in (old, new))
    return {
        "ops_from": len(found.old.tools) + len(before),
        "ops_to": len(found.new.tools) + len(after),
        "added": len(added) + len(moved) + len(after - before),
        "removed": len(gone) + len(moved) + len(before - after),
        "opid_renamed": sum(one.operation_id != other.operation_id for _, one, other in between(old, new)),
        "same_opid_moved": len([change for change in moved if change.tool in known]),
        "params_added": len(said(found.new, more) | credentials(new, old, required=False)),
        "params_removed": len(said(found.old, of_path("argument-member-gone")) | credentials(old, new, required=False)),
        "required_added": len(said(found.new, needed) | credentials(new, old, required=True)),
        "newly_deprecated": len(newly_deprecated(old, new)),
    }


def credentials(there: Path, missing: Path, required: bool) -> set[Slot]:
    """Return the parameters that the document `there` has and `missing` lacks, and that no tool has an argument for.

    These are credentials, and all parameters of login operations, which become no tools. If `required`, return the
    parameters that only `there` requires. Operations that only one document has are ignored.
    """
    found, other, tools = published(there), published(missing), operations(there)
    left = {key: found[key].parameters.keys() - (tools[key].parameters if key in tools else {}).keys() for key in found}
    both = ((key, found[key].required if required else left[key], other[key]) for key in found if key in other)
    return {
        slot
        for key, mine, one in both
        for slot in slots(key, (mine & left[key]) - (one.required if required else one.parameters.keys()))
    }


def newly_deprecated(old: Path, new: Path) -> set[str]:
    """Return the tools of operations that became deprecated in the new version."""
    marked = {key for key, one, other in between(old, new) if other.deprecated and not one.deprecated}
    return {tool.name for tool in followed(old, new).new.tools if blanked(tool.request) in marked}


@of_pairs
def test_the_table_counts_the_same(old: Path, new: Path) -> None:
    """Compare the numbers of changes that mcpgen finds with the columns of the table COUNTED.

    `inline_body_changed` is left out: it counts changed bodies that the document writes inline instead of by `$ref`,
    and tools do not show which bodies these are.
    """
    row = OF_PAIRS[old.parent.name, old.name, new.name]
    found = counts(old, new)
    assert {key: count for key, count in found.items() if int(row[key]) != count} == {}


@of_pairs
def test_what_is_deprecated_now_is_said(old: Path, new: Path) -> None:
    described = {change.tool for change in followed(old, new).changes("description")}
    assert newly_deprecated(old, new) <= described


@pytest.mark.parametrize("path", sorted({path for pair in PAIRS for path in pair}), ids=named)
def test_a_version_does_not_differ_from_itself(path: Path) -> None:
    assert not followed(path, path).difference
