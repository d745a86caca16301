# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the form that a hook gives to `context.ask`: its fields are written as in a tools file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..questions.forms import FormQuestion
from ..request.arguments import SchemaChecker
from ..secrets.secret_words import asks_for_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..text.redaction import Redactor

    Schema = dict[str, Any]

LONGEST_MESSAGE = 2000

_SIMPLE = ("string", "number", "integer", "boolean")


class WrongForm(Exception):
    """Raised for a form that cannot be shown to the user.

    The message continues a sentence that begins with the hook's name. It contains no values from the form, which may be
    secret.
    """


def question(name: str, message: str, form: Mapping[str, str | Mapping[str, Any]], redactor: Redactor) -> FormQuestion:
    """Return the elicitation request that asks the user for the fields of `form`, without the server's secrets.

    `name`: key of the request in `inputRequests`. Raise WrongForm if `form` has no fields, asks for a secret, or has a
    field that MCP does not allow.
    """
    required = [each for each, written in form.items() if _long(each, written).get("required") is True]
    fields = {each: _field(each, _long(each, written)) for each, written in form.items()}
    if not fields:
        raise WrongForm("asks by a form without fields")
    if asks_for_secret(list(fields), [message, *_texts(list(fields.values()))]):
        raise WrongForm("asks the user for a secret; take it from the environment")
    shown = FormQuestion(name, redactor.text(message)[:LONGEST_MESSAGE], redactor.value(fields), required)
    if list(shown.fields) != list(fields):
        raise WrongForm("asks for a field whose name is a secret of this server")
    return shown


def _long(name: str, written: object) -> Schema:
    """Return a field as a dictionary: convert a text such as `string required`, and return a dictionary unchanged.

    Raises WrongForm for any other text or value.
    """
    if isinstance(written, str):
        kind, _, rest = written.partition(" ")
        if kind in _SIMPLE and rest in ("", "required"):
            return {"type": kind, **({"required": True} if rest else {})}
    elif isinstance(written, dict):
        return written
    raise WrongForm(f"asks for {name}, which is neither `string`, `integer required` and the like nor a dictionary")


def _field(name: str, written: Schema) -> Schema:
    """Return a field as MCP writes it. Raises WrongForm if no form can have such a field."""
    field = {key: value for key, value in written.items() if key != "required"}
    field.setdefault("type", "array" if "items" in field else "string")
    if isinstance(items := field.get("items"), dict) and "enum" in items:
        field["items"] = {"type": "string", **items}
    if not SchemaChecker(_ANY, {}).is_valid(field):
        raise WrongForm(f"asks for {name} by a field that no form knows")
    if "default" in field and not SchemaChecker(field, {}).is_valid(field["default"]):
        raise WrongForm(f"asks for {name} with a default that does not fit it")
    return field


def _texts(value: object) -> Iterator[str]:
    """Yield the titles and descriptions in a form."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, member in value.items():
            if key in ("title", "description"):
                yield member
            else:
                yield from _texts(member)


def _object(members: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": members, "required": [*required], "additionalProperties": False}


def _kind(kind: str, *required: str, **members: Schema) -> Schema:
    about = {"type": {"const": kind}, "title": _TEXT, "description": _TEXT, "default": {}}
    return _object({**about, **members}, "type", *required)


_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_PLAIN: Schema = {"type": "array", "minItems": 1, "items": _TEXT}
_TITLED: Schema = {"type": "array", "minItems": 1, "items": _object({"const": _TEXT, "title": _TEXT}, "const", "title")}
_FORMAT: Schema = {"enum": ["email", "uri", "date", "date-time"]}
_CHOICES: Schema = {"anyOf": [_object({"type": {}, "enum": _PLAIN}, "enum"), _object({"anyOf": _TITLED}, "anyOf")]}
_ANY: Schema = {
    "anyOf": [
        _kind("string", minLength=_COUNT, maxLength=_COUNT, format=_FORMAT),
        _kind("string", "enum", enum=_PLAIN),
        _kind("string", "oneOf", oneOf=_TITLED),
        _kind("number", minimum=_NUMBER, maximum=_NUMBER),
        _kind("integer", minimum=_NUMBER, maximum=_NUMBER),
        _kind("boolean"),
        _kind("array", "items", items=_CHOICES, minItems=_COUNT, maxItems=_COUNT),
    ]
}
"""The fields that MCP's forms know (PrimitiveSchemaDefinition)."""
