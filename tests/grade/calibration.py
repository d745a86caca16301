"""Make each fault of `faults` in documents, one at a time, and see which tools lose points by which rule."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from mcpgen.base.jsonvalue import pointer
from mcpgen.grade.grade import Grade, grade
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.grade.faults import Node, operations, own

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "dev"
DOCUMENTS = {
    "petstore": ROOT / "specs" / "petstore.openapi.yaml",
    "spotify": CORPUS / "spotify.json",
    "slack": CORPUS / "slack-web-swagger2.json",
    "xero": CORPUS / "xero-accounting.json",
}

Points = dict[str, dict[str, float]]
"""Place of an operation → rule → the points that its tool loses."""


class Outcome(NamedTuple):
    """The outcome of one fault.

    `place`: the operation that has it. `is_noticed`: its tool now loses points by the rule. `elsewhere`: the other
    operations whose tools lose more or fewer points than before. A tool that looks like the tool with the fault, before
    or after, does not count: this rule is about two tools.
    """

    place: str
    is_noticed: bool
    elsewhere: Points


@cache
def document(name: str) -> Node:
    path = DOCUMENTS[name]
    text = path.read_text(encoding="utf-8")
    read: Node = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    return read


def graded(written: Any, folder: Path) -> Grade:
    path = folder / "document.json"
    path.write_text(json.dumps(written, default=str), encoding="utf-8")
    compiled = compile_source(fetch.read(str(path)), Options())
    return grade(compiled.catalog, compiled.definitions)


def points(found: Grade) -> Points:
    """Return the points that the tools lose."""
    return {
        each.tool.operation.where.pointer: {fault.rule.name: round(fault.points, 3) for fault in each.faults}
        for each in found.tools
    }


def alike(found: Grade, place: str) -> set[str]:
    """Return the operations whose tools look like the tool of the operation at `place`."""
    [name] = [each.tool.name for each in found.tools if each.tool.operation.where.pointer == place]
    return {
        each.tool.operation.where.pointer
        for each in found.tools
        for fault in each.faults
        if fault.rule.name == "looks-like-another" and name in fault.about
    }


@cache
def before(name: str, folder: Path) -> Grade:
    return graded(document(name), folder)


def outcomes(name: str, fault: Callable[[Node, Node], bool], rule: str, folder: Path) -> Iterator[Outcome]:
    """Make a fault in the operations of a document that can have it, one after the other, in random order."""
    original, first = document(name), before(name, folder)
    known = points(first)
    places = [(path, method) for path, method, _ in operations(original)]
    random.Random(7).shuffle(places)
    for path, method in places:
        place = pointer("", "paths", path, method)
        changed = copy.deepcopy(original)
        if place not in known or rule in known[place] or not fault(changed, own(changed, path, method)):
            continue
        second = graded(changed, folder)
        after = points(second)
        is_noticed = rule in after.pop(place)
        pairs = alike(first, place) | alike(second, place)
        elsewhere = {each: found for each, found in after.items() if found != known[each] and each not in pairs}
        yield Outcome(place, is_noticed, elsewhere)
