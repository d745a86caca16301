"""Read a document together with the files that the compiler generates for it. All measurements use only the document
and these files.
"""

from __future__ import annotations

import csv
import fnmatch
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgen.base.errors import FatalError
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Fetched
from tests.requests.raw import Node

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dev"
Request = tuple[str, str]
"""Method and path as written in the document. They identify the operation of a tool."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its entry in the list of tools, its request description in `bindings.json`, and its operation in the
    document.
    """

    listed: dict[str, Any]
    binding: dict[str, Any]
    operation: Node

    @property
    def name(self) -> str:
        return str(self.listed["name"])

    @property
    def request(self) -> Request:
        return _request(self.binding)

    @property
    def called(self) -> str:
        """Return the tool's name and its operation, for reports: `NAME  [OPERATION_ID; METHOD PATH]`."""
        method, path = self.request
        return f"{self.name}  [{self.operation.text('operationId') or 'no id'}; {method} {path}]"


@dataclass(frozen=True, slots=True)
class Surface:
    """A document in `folder`, and its tools."""

    path: Path
    name: str
    root: Node
    tools: tuple[Tool, ...]


def paths(folder: Path, only: str) -> list[Path]:
    """Return the documents in the manifest beside `folder` whose names match the glob `only`."""
    with (folder.parent / "manifest.tsv").open(encoding="utf-8", newline="") as table:
        listed = [row["path"] for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)]
    inside = [path.removeprefix(f"{folder.name}/") for path in listed if path.startswith(f"{folder.name}/")]
    return [folder / path for path in inside if fnmatch.fnmatch(path, only)]


def surfaces(folder: Path, only: str) -> Iterator[Surface]:
    """Yield each document from which tools can be made."""
    for path in paths(folder, only):
        try:
            tools, bindings = emitted(fetch.read(str(path)))
        except FatalError:
            continue
        yield of_document(path, path.relative_to(folder).as_posix(), tools, bindings)


def of_document(path: Path, name: str, tools: list[dict[str, Any]], bindings: list[dict[str, Any]]) -> Surface:
    """Return the document at `path` with its tools."""
    root = Node.of(path)
    pairs = zip(tools, bindings, strict=True)
    found = tuple(Tool(listed, binding, _operation(root, *_request(binding))) for listed, binding in pairs)
    return Surface(path, name, root, found)


def emitted(fetched: Fetched) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the contents of `tools.json` and the tools' entries in `bindings.json`. Raise FatalError if no project can
    be generated.
    """
    tree = compile_source(fetched, Options()).tree
    tools = next(data for path, data in tree.items() if path.endswith("_mcp/tools.json"))
    bindings = next(data for path, data in tree.items() if path.endswith("_mcp/bindings.json"))
    return json.loads(tools), json.loads(bindings)["bindings"]


def names(fetched: Fetched) -> dict[Request, str]:
    """Return a mapping from each request to the name of its tool."""
    return {_request(binding): binding["name"] for binding in emitted(fetched)[1]}


def _request(binding: dict[str, Any]) -> Request:
    return str(binding["method"]), str(binding["operation"]["path"])


def _operation(root: Node, method: str, path: str) -> Node:
    item = root["paths"][path]
    own = item[method.lower()]
    return own if own.value is not None else item["additionalOperations"][method]
