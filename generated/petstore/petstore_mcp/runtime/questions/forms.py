# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode a form that asks the user for values, for each revision of MCP, and read the values of the answer.

The internal form is that of 2026-07-28: a flat object of texts, numbers, booleans, choices and multiple choices.
2025-06-18 has neither titled choices by `oneOf`, nor multiple choices, nor defaults other than of booleans.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The first revision whose forms have titled choices by `oneOf` (SEP-1330), multiple choices and defaults (SEP-1034).
WHOLE_SINCE = "2025-11-25"


class FormQuestion:
    """Question that the user answers by a form (elicitation mode `form`).

    `name`: key of the question among the `inputRequests` of a result. `message`: text for the user. `fields`: name ->
    schema of each field. `required`: names of the required fields.
    """

    __slots__ = ("fields", "message", "name", "required")

    def __init__(self, name: str, message: str, fields: dict[str, dict[str, Any]], required: list[str]) -> None:
        self.name = name
        self.message = message
        self.fields = fields
        self.required = required

    def params(self, revision: str) -> dict[str, Any]:
        """Return the parameters `message` and `requestedSchema` of `elicitation/create`, in the form of `revision`."""
        fields = self.fields if revision >= WHOLE_SINCE else {name: _older(each) for name, each in self.fields.items()}
        schema: dict[str, Any] = {"type": "object", "properties": fields}
        if self.required:
            schema["required"] = self.required
        return {"message": self.message, "requestedSchema": schema}

    def label(self, name: str) -> str:
        """Return what the user sees as the name of a field."""
        return str(self.fields.get(name, {}).get("title") or name)

    def misfits(self, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (name, expected format) of each field whose text does not have the field's format."""
        found = []
        for name, value in values.items():
            expected, fits = _FORMATS.get(self.fields[name].get("format", ""), ("", _anything))
            if isinstance(value, str) and not fits(value):
                found.append((name, expected))
        return found

    def read(self, content: object) -> dict[str, Any]:
        """Return the values of the form's fields in the `content` of the user's answer, without its other members.

        A multiple choice may come as one text with commas, since older revisions have no other way. An empty field gets
        the default of its schema, if there is one.
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


def _anything(text: str) -> bool:
    return True


def _is_email(text: str) -> bool:
    name, at, host = text.rpartition("@")
    return bool(name and at and host) and not any(each.isspace() for each in text)


def _is_uri(text: str) -> bool:
    scheme, colon, rest = text.partition(":")
    known = scheme.isascii() and scheme[:1].isalpha() and all(each.isalnum() or each in "+-." for each in scheme)
    return bool(colon and rest) and known and not any(each.isspace() for each in text)


_FORMATS = {
    "email": ("expected an email address such as name@example.com", _is_email),
    "uri": ("expected a URI such as https://example.com", _is_uri),
}
"""Formats of texts that the check of arguments leaves to the API: what users are told, and a loose check."""


def _older(field: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field in the form of revision 2025-06-18."""
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
