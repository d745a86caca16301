# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write the form of a question as each revision of MCP knows it, and read what a user filled in.

A form is kept as 2026-07-28 writes it: a flat object of texts, numbers, booleans, choices and multiple choices.
2025-06-18 knows neither titled choices by `oneOf`, nor multiple choices, nor defaults other than of booleans.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The first revision whose forms have titled choices by `oneOf` (SEP-1330), multiple choices and defaults (SEP-1034).
WHOLE_SINCE = "2025-11-25"


class FormQuestion:
    """Question that the user answers by a form (elicitation mode `form`).

    `name`: its key among the `inputRequests` of a result. `fields`: name to schema. `required`: fields without which
    the form is not accepted.
    """

    __slots__ = ("fields", "message", "name", "required")

    def __init__(self, name: str, message: str, fields: dict[str, dict[str, Any]], required: list[str]) -> None:
        self.name = name
        self.message = message
        self.fields = fields
        self.required = required

    def params(self, revision: str) -> dict[str, Any]:
        """Return the parameters of `elicitation/create` that both eras have, in the form of `revision`."""
        fields = self.fields if revision >= WHOLE_SINCE else {name: _older(each) for name, each in self.fields.items()}
        schema: dict[str, Any] = {"type": "object", "properties": fields}
        if self.required:
            schema["required"] = self.required
        return {"message": self.message, "requestedSchema": schema}

    def read(self, content: object) -> dict[str, Any]:
        """Return the values of the fields in the `content` of an answer. Other members are dropped.

        A multiple choice may come as one text with commas, as `_older` asks for it. A field that was left empty takes
        the default of its schema, if it has one.
        """
        given = content if isinstance(content, dict) else {}
        found: dict[str, Any] = {}
        for name, field in self.fields.items():
            value = given.get(name)
            if isinstance(value, str) and field["type"] == "array":
                value = [part.strip() for part in value.split(",") if part.strip()]
            if value is not None and value != "":
                found[name] = value
            elif "default" in field:
                found[name] = field["default"]
        return found


def _older(field: dict[str, Any]) -> dict[str, Any]:
    """Return a field as 2025-06-18 writes it."""
    kept = {key: value for key, value in field.items() if key not in ("oneOf", "items", "minItems", "maxItems")}
    if field["type"] != "boolean":
        kept.pop("default", None)
    if "oneOf" in field:
        kept["enum"] = [each["const"] for each in field["oneOf"]]
        kept["enumNames"] = [each["title"] for each in field["oneOf"]]
    if field["type"] == "array":
        items = field["items"]
        choices = items.get("enum") or [each["const"] for each in items["anyOf"]]
        told = f"{field.get('description', '')} Any of {', '.join(choices)}; separate them by commas."
        kept |= {"type": "string", "description": told.strip()}
    return kept
