"""Read published documents with a second, independent reader, to compare its results with the compiler's.

The reader handles only what these documents use: operations under `paths`, parameters of a path or an operation, and
references inside the document.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

VERSIONS = Path(__file__).parents[3] / "shared" / "corpus" / "versions"
LOGINS = {
    "box": {"POST /oauth2/token", "POST /oauth2/token#refresh", "POST /oauth2/revoke"},
    "docker-engine": {"POST /auth"},
    "slack": {"GET /oauth.token", "GET /oauth.access", "GET /oauth.v2.access"},
}
"""Operations that take a password or a client's secret, found by reading the documents. They must become no tools."""
CREDENTIALS = {"slack": {(place, "token") for place in ("query", "header", "formData")}}
"""Parameters that are credentials, found by reading the documents. They must become no arguments."""
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


class Published(NamedTuple):
    """One operation: its id, and its parameters by (location, name). In OpenAPI 2.0, form fields are included."""

    operation_id: str
    deprecated: bool
    parameters: dict[tuple[str, str], dict[str, Any]]

    @property
    def required(self) -> set[tuple[str, str]]:
        return {slot for slot, parameter in self.parameters.items() if parameter.get("required")}


def blanked(request: str) -> str:
    """Return `METHOD path` with the names of path variables removed."""
    return re.sub(r"{[^{}]*}", "{}", request)


def load(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8-sig")
    document: dict[str, Any] = json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.CSafeLoader)
    return document


def operations(path: Path) -> dict[str, Published]:
    """Return, by `METHOD path`, the operations that become tools, with only the parameters that become arguments."""
    logins, credentials = (table.get(path.parent.name, set()) for table in (LOGINS, CREDENTIALS))
    return {
        key: one._replace(parameters={slot: each for slot, each in one.parameters.items() if slot not in credentials})
        for key, one in published(path).items()
        if key not in logins
    }


@lru_cache(maxsize=2)  # a test compares two documents; a larger cache would take much memory
def published(path: Path) -> dict[str, Published]:
    """Return, by `METHOD path`, all operations of a document with all parameters.

    Fail for a path with a query. Fail also for two operations that differ only in the names of path variables, because
    this reader could not distinguish them.
    """
    document, found = load(path), {}
    for template, item in document["paths"].items():
        assert "?" not in template
        for method in METHODS:
            if method in item:
                key = blanked(f"{method.upper()} {template}")
                assert key not in found
                found[key] = _operation(document, item, item[method])
    return found


def _operation(document: dict[str, Any], item: dict[str, Any], own: dict[str, Any]) -> Published:
    listed = [resolved(document, each) for each in (*item.get("parameters", ()), *own.get("parameters", ()))]
    parameters = {(each["in"], each["name"]): each for each in listed}
    return Published(own.get("operationId", ""), own.get("deprecated") is True, parameters)


def resolved(document: dict[str, Any], node: Any) -> Any:
    """Return `node`, or the node to which its `$ref` leads."""
    while isinstance(node, dict) and "$ref" in node:
        found: Any = document
        for token in node["$ref"].removeprefix("#/").split("/"):
            found = found[token.replace("~1", "/").replace("~0", "~")]
        node = found
    return node
