"""Load a document's files with json and libyaml alone, and follow references.

A `Node` is a value together with its file, so that a reference in another file of the folder resolves correctly. No
code of mcpgen is used, because its requests are compared with these documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml


class Yaml(yaml.CSafeLoader):
    """YAML loader for the core schema of YAML 1.2, which OpenAPI requires: `no`, `on` and dates are strings."""


Yaml.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)", "tTfF"),
    ("null", r"(?:~|null|Null|NULL|)", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    Yaml.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^{pattern}$"), list(first))
# In YAML 1.2, a number with leading zeros is decimal.
Yaml.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(str(node.value)))


class Files:
    """The files of one document, each loaded once."""

    def __init__(self) -> None:
        self._loaded: dict[Path, Any] = {}

    def load(self, path: Path) -> Any:
        path = path.resolve()
        if path not in self._loaded:
            content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
            is_json = content.lstrip()[:1] in (b"{", b"[")
            self._loaded[path] = json.loads(content) if is_json else yaml.load(content, Yaml)
        return self._loaded[path]


class Node:
    """A value of a document, with its file. A missing value is a Node that holds None."""

    __slots__ = ("file", "files", "value")

    def __init__(self, files: Files, file: Path, value: Any) -> None:
        self.files = files
        self.file = file
        self.value = value

    @classmethod
    def of(cls, path: Path) -> Node:
        files = Files()
        return cls(files, path, files.load(path))

    def at(self, key: str | int) -> Node:
        """Return the member `key` unchanged, even if it is a reference."""
        if isinstance(self.value, list):
            return self._beside(self.value[int(key)] if int(key) < len(self.value) else None)
        if not isinstance(self.value, dict):
            return self._beside(None)
        by_text = self.value.get(key)
        return self._beside(self.value.get(int(key)) if by_text is None and str(key).isdigit() else by_text)

    def __getitem__(self, key: str | int) -> Node:
        """Return the member `key`, with its references followed."""
        return self.at(key).followed()

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def __iter__(self) -> Iterator[Node]:
        """Yield the items of a list, with references followed."""
        for index in range(len(self.value) if isinstance(self.value, list) else 0):
            yield self[index]

    def keys(self) -> list[str]:
        return [str(key) for key in self.value] if isinstance(self.value, dict) else []

    def text(self, key: str, otherwise: str = "") -> str:
        found = self[key].value
        return found if isinstance(found, str) else otherwise

    def reference(self) -> str | None:
        found = self.value.get("$ref") if isinstance(self.value, dict) else None
        return found if isinstance(found, str) else None

    def followed(self) -> Node:
        """Return the end of a chain of references, or an empty Node if the references form a cycle."""
        node = self
        for _ in range(40):
            if node.reference() is None:
                return node
            node = node.target()
        return self._beside(None)

    def target(self) -> Node:
        """Return the Node that the reference names, by pointer or anchor, in this file or another file of
        the folder.
        """
        where, _, fragment = (self.reference() or "").partition("#")
        if "://" in where:
            return self._beside(None)
        file = self.file.parent / unquote(where) if where else self.file
        if not file.is_file():
            return self._beside(None)
        node = Node(self.files, file, self.files.load(file))
        if fragment and not fragment.startswith("/"):
            return next(node._anchored(unquote(fragment)), self._beside(None))
        for step in unquote(fragment).split("/")[1:]:
            node = node.followed().at(step.replace("~1", "/").replace("~0", "~"))
        return node

    def _anchored(self, name: str) -> Iterator[Node]:
        if isinstance(self.value, dict):
            if name in (self.value.get("$anchor"), self.value.get("$dynamicAnchor")):
                yield self
            inner = list(self.value.values())
        else:
            inner = self.value if isinstance(self.value, list) else []
        for member in inner:
            yield from self._beside(member)._anchored(name)

    def _beside(self, value: Any) -> Node:
        return Node(self.files, self.file, value)
