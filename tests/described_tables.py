"""Replace the compiler's `emit` by a function that also validates the generated JSON files by their schema."""

from __future__ import annotations

import json
from collections.abc import Collection

import jsonschema_rs

from mcpgen.base.tree import FileTree
from mcpgen.emit import emit
from mcpgen.emit.table_schema import table_schema
from mcpgen.model import Catalog
from mcpgen.model.options import ALL_PARTS

SCHEMA = table_schema()
_DEFINITIONS = SCHEMA["$defs"]
_VALIDATORS = {
    "bindings": jsonschema_rs.Draft202012Validator(SCHEMA),
    "resources": jsonschema_rs.Draft202012Validator({"$ref": "#/$defs/resources", "$defs": _DEFINITIONS}),
    "prompts": jsonschema_rs.Draft202012Validator({"$ref": "#/$defs/prompts", "$defs": _DEFINITIONS}),
}


def emit_described(catalog: Catalog, chosen: Collection[str] = (ALL_PARTS,), *, deploy: bool = False) -> FileTree:
    """Return the files of `catalog`. Raise AssertionError if one of the generated JSON files does not match the
    schema.
    """
    tree = emit(catalog, chosen, deploy=deploy)
    for name, validator in _VALIDATORS.items():
        content = tree.get(f"{catalog.identity.package}/{name}.json")
        problem = next(validator.iter_errors(json.loads(content)), None) if content is not None else None
        assert problem is None, f"{name}.json is not what its types say: {problem}"
    return tree
