"""Check responses of the demo APIs in mcpgen against their OpenAPI documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.demo.exchange import Received

PETSTORE = Path(__file__).parents[2] / "specs" / "petstore.openapi.yaml"
_METHODS = ("get", "put", "post", "delete", "patch")
ANSWERS, REQUESTS = "urn:petstore:answers", "urn:petstore:requests"


class Contract:
    """The operations of a document, and what the document says about their responses."""

    def __init__(self, file: Path = PETSTORE) -> None:
        self.document: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
        views = ((ANSWERS, self.document), (REQUESTS, _without_read_only(self.document)))
        self._registry: Registry[Any] = Registry().with_resources(
            (name, Resource.from_contents(view, default_specification=DRAFT202012)) for name, view in views
        )
        self.operations: dict[str, tuple[str, str, dict[str, Any]]] = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, item in self.document["paths"].items()
            for method, operation in item.items()
            if method in _METHODS
        }

    def security(self, operation_id: str) -> list[str]:
        """Return the names of the security schemes that an operation accepts.

        The list is empty if the operation needs none.
        """
        _, _, operation = self.operations[operation_id]
        return [name for choice in operation.get("security", self.document["security"]) for name in choice]

    def statuses(self) -> set[tuple[str, int]]:
        """Return every (operation, status) that the document declares."""
        return {(name, int(status)) for name, (_, _, found) in self.operations.items() for status in found["responses"]}

    def judge(self, operation_id: str, received: Received) -> None:
        """Raise AssertionError if the status, content type, headers or body of a response are not as declared."""
        method, path, operation = self.operations[operation_id]
        promised, where = self.follow(
            operation["responses"][str(received.status)],
            f"/paths/{_escaped(path)}/{method.lower()}/responses/{received.status}",
        )
        for name, header in promised.get("headers", {}).items():
            if self.follow(header)[0].get("required"):
                assert name.lower() in received.headers, f"{name} is promised"
        media = promised.get("content", {})
        if not media:
            assert (received.media, received.body) == (None, b"")
            return
        assert received.media is not None
        assert received.media in media
        if received.media.endswith("json"):
            self.validate(received.json(), f"{where}/content/{_escaped(received.media)}/schema")

    def validate(self, value: Any, pointer: str, view: str = ANSWERS) -> None:
        """Raise AssertionError if `value` violates the schema at `pointer`.

        `view`: ANSWERS for responses, or REQUESTS for requests, where read-only properties are not required.
        """
        # The pointer is written as a URI fragment, where braces must be encoded.
        schema = {"$ref": f"{view}#{pointer.replace('{', '%7B').replace('}', '%7D')}"}
        Draft202012Validator(schema, registry=self._registry, format_checker=FormatChecker()).validate(value)

    def follow(self, found: dict[str, Any], pointer: str = "") -> tuple[dict[str, Any], str]:
        """Return the node to which a `$ref` points, and its pointer. A node without `$ref` is returned unchanged."""
        if "$ref" not in found:
            return found, pointer
        target = found["$ref"].removeprefix("#")
        value: Any = self.document
        for step in target.split("/")[1:]:
            value = value[step.replace("~1", "/").replace("~0", "~")]
        return value, target

    def examples(self) -> list[tuple[str, Any]]:
        """Return every example of a media type or a parameter, with the pointer of its schema."""
        return list(self._examples(self.document, ""))

    def _examples(self, node: Any, pointer: str) -> Any:
        if isinstance(node, list):
            for index, item in enumerate(node):
                yield from self._examples(item, f"{pointer}/{index}")
        elif isinstance(node, dict):
            if "schema" in node and "example" in node:
                yield f"{pointer}/schema", node["example"]
            if "schema" in node and isinstance(node.get("examples"), dict):
                for example in node["examples"].values():
                    yield f"{pointer}/schema", self.follow(example)[0]["value"]
            for name, item in node.items():
                if name not in ("example", "examples"):
                    yield from self._examples(item, f"{pointer}/{_escaped(name)}")


def _without_read_only(node: Any) -> Any:
    """Return the document for requests: read-only members are not required (JSON Schema Validation, 9.4)."""
    if isinstance(node, list):
        return [_without_read_only(item) for item in node]
    if not isinstance(node, dict):
        return node
    view = {name: _without_read_only(item) for name, item in node.items()}
    if isinstance(node.get("required"), list):
        properties = node.get("properties", {})
        view["required"] = [name for name in node["required"] if not properties.get(name, {}).get("readOnly")]
    return view


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")
