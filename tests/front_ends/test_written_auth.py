"""Test that credentials among the header fields of a Postman collection become credentials of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.emit import table
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch

SECRET = "s3cr3t-of-the-collection"

CASES: list[tuple[list[dict[str, Any]], Any, list[list[str]], list[Any]]] = [
    ([{"key": "Authorization", "value": f"Bearer {SECRET}"}], None, [["bearer"]], ["Bearer"]),
    ([{"key": "authorization", "value": "bearer {{token}}"}], {"type": "noauth"}, [["bearer"]], ["Bearer"]),
    ([{"key": "Authorization", "value": f"Basic {SECRET}"}], None, [["basic"]], ["Basic"]),
    ([{"key": "Authorization", "value": "{{token}}"}], None, [["authorization"]], ["Authorization"]),
    ([{"key": "Authorization", "value": f"Token {SECRET}"}], None, [["authorization"]], ["Authorization"]),
    ([{"key": "Cookie", "value": f"sid={SECRET}; csrf={{{{c}}}}"}], None, [["csrf", "sid"]], ["csrf", "sid"]),
    ([{"key": "Authorization", "value": "Bearer x", "disabled": True}], {"type": "noauth"}, [], []),
    ([{"key": "Authorization", "value": "Basic x"}], {"type": "bearer"}, [["bearer"]], ["Bearer"]),
]


@pytest.mark.parametrize(("header", "auth", "demanded", "places"), CASES)
def test_it_is_asked_of_the_environment(
    header: list[dict[str, Any]], auth: Any, demanded: list[list[str]], places: list[Any], tmp_path: Path
) -> None:
    request = {
        "method": "GET",
        "header": header,
        "url": "https://api.example/rooms",
        **({"auth": auth} if auth else {}),
    }
    info = {"name": "Rooms", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}
    file = tmp_path / "collection.json"
    file.write_text(json.dumps({"info": info, "item": [{"name": "List rooms", "request": request}]}))
    catalog = compile_source(fetch.read(str(file)), Options()).catalog
    content = table.tools_json(catalog)
    bindings = table.bindings_json(catalog, content, {})
    emitted = json.loads(bindings)
    schemes = emitted.get("security", {})
    assert [sorted(each) for each in emitted["bindings"][0].get("security", [])] == demanded
    assert sorted(schemes[key].get("word", schemes[key]["name"]) for each in demanded for key in each) == places
    assert SECRET.encode() not in bindings + content
