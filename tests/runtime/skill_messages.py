"""Check messages about skills by the types of the extension for skills (SEP-2640), written as JSON Schema."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs

from tests.runtime.results import R5

DECLARED = {"io.modelcontextprotocol/skills": {"directoryRead": True}}
"""Member of the capability `extensions` of a server with skills."""

METHODS = ("skills/list", "skills/get", "resources/directory/read")

_FILE = {
    "type": "object",
    "required": ["uri", "digest", "size"],
    "additionalProperties": False,
    "properties": {
        "uri": {"type": "string"},
        "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
        "size": {"type": "integer", "minimum": 0},
    },
}
_SKILL = {
    "type": "object",
    "required": ["uri", "frontmatter", "resources"],
    "additionalProperties": False,
    "properties": {
        "uri": {"type": "string", "pattern": "^skill://(.+/)?[a-z0-9-]{1,64}/SKILL\\.md$"},
        "frontmatter": {
            "type": "object",
            "required": ["name", "description"],
            "properties": {
                "name": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64},
                "description": {"type": "string", "minLength": 1, "maxLength": 1024},
            },
        },
        "resources": {"type": "array", "minItems": 1, "maxItems": 512, "items": _FILE},
    },
}
_CACHEABLE = {"ttlMs": {"type": "integer"}, "cacheScope": {"enum": ["public", "private"]}}


def _result(cacheable: bool, **members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a result with these members."""
    properties = {"resultType": {"const": "complete"}, "_meta": {}, **(_CACHEABLE if cacheable else {}), **members}
    return {"type": "object", "required": [*properties], "additionalProperties": False, "properties": properties}


_CHILDREN = {"type": "array", "items": {"type": "object", "required": ["uri", "name", "mimeType"]}}
SCHEMAS = {
    "skills/list": _result(True, skills={"type": "array", "items": _SKILL}),
    "skills/get": _result(True, skill=_SKILL),
    "resources/directory/read": _result(False, resources=_CHILDREN),
}


def check(method: str, revision: str, result: dict[str, Any]) -> None:
    """Raise AssertionError or ValidationError if the extension does not allow this result."""
    assert revision == R5, "the extension is for this revision and later ones"
    jsonschema_rs.validate(SCHEMAS[method], result)
    for skill in [*result.get("skills", ()), *([result["skill"]] if "skill" in result else ())]:
        uris = [each["uri"] for each in skill["resources"]]
        folder = skill["uri"].removesuffix("SKILL.md")
        assert folder.endswith(f"/{skill['frontmatter']['name']}/")
        assert len(set(uris)) == len(uris)
        assert skill["uri"] in uris
        assert all(uri.startswith(folder) and not re.search(r"(^|/)\.{0,2}(/|$)", uri[len(folder) :]) for uri in uris)
