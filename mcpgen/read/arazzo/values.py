"""Read values: constants, runtime expressions, texts with embedded expressions, selectors, and payloads of requests.

What is data and what is an expression is decided here, once (`model.workflow.Value`).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_plus

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, tokens
from mcpgen.base.names import clipped
from mcpgen.base.runtime import expressions, jsonpath
from mcpgen.model.workflow import Value
from mcpgen.read.arazzo.keys import invalid, read_list, read_object, read_text, unsupported

_ROOT = re.compile(
    r"\$(url|method|statusCode|request|response|message|inputs|outputs|steps|workflows|sourceDescriptions|components"
    r"|self)(?![A-Za-z0-9_-])"
)
"""Beginning of a text that is meant as a runtime expression. `$5` and `$ref` are none."""

_SLIPS = {
    r"^(\$steps\.[A-Za-z0-9_-]+)\.(?!outputs\b)(?:output\.)?": r"\1.outputs.",
    r"^(\$(?:request|response))\.headers\b": r"\1.header",
    r"^(\$(?:request|response)\.body)/": r"\1#/",
}
"""Pattern of a frequent mistake in an expression → what stands there in a correct one."""

_EMBEDDED = re.compile(r"\{(\$[^{}]*)\}")
_SELECTOR = frozenset({"context", "selector", "type"})
_MARK = re.compile("\ue000([0-9]+)\ue001")
_POINTER = re.compile(r"(/([^~/]|~[01])*)*")


@dataclass(frozen=True, slots=True)
class Constants:
    """What values can refer to and a server knows before any call: texts by their expressions, such as `$self`.

    `selectors`: True if the version of the document has Selector Objects.
    """

    texts: Mapping[str, str]
    selectors: bool


def read_value(value: JsonValue, where: Where, constants: Constants) -> Value:
    """Return a value of the document: of a parameter, or inside of a payload. Raises SkipOperation if it is invalid."""
    if isinstance(value, str):
        return _text(value, where, constants)
    if isinstance(value, dict):
        if constants.selectors and value.keys() == _SELECTOR:
            return _selector(value, where)
        return _joined("members", {key: read_value(each, where.inside(key), constants) for key, each in value.items()})
    if isinstance(value, list):
        items = [read_value(each, where.inside(index), constants) for index, each in enumerate(value)]
        if all("literal" in each for each in items):
            return {"literal": [each["literal"] for each in items]}
        return {"items": list[JsonValue](items)}
    return {"literal": value}


def read_outputs(value: JsonValue, where: Where, constants: Constants) -> dict[str, Value]:
    """Return the outputs of a step or a workflow. Raises SkipOperation if one is no expression."""
    if value is not None and not isinstance(value, dict):
        raise invalid("`outputs` must be an object.", where)
    found = {name: read_value(each, where.inside(name), constants) for name, each in as_object(value).items()}
    for name, each in found.items():
        if "literal" in each:
            raise invalid(f"The output '{clipped(name)}' is no runtime expression.", where.inside(name))
    return found


def read_payload(entry: JsonObject, where: Where, constants: Constants) -> tuple[Value | None, str]:
    """Return the body of a Request Body Object, and its content type. Raises SkipOperation if it is invalid."""
    read_object(entry, "request body", where)
    content_type = read_text(entry, "contentType", "request body", where) if "contentType" in entry else ""
    place = where.inside("payload")
    payload = entry.get("payload")
    written = content_type.partition(";")[0].strip().lower()
    found = None
    if isinstance(payload, str) and not expressions.is_expression(payload):
        found = _templated(payload, written, place, constants)
    elif "payload" in entry:
        found = read_value(payload, place, constants)
    changes = _replacements(entry.get("replacements"), where.inside("replacements"), constants)
    if changes and found is None:
        raise invalid("A request body with `replacements` needs a `payload`.", where)
    late: dict[str, JsonValue] = {}
    for target, value in changes.items():
        assert found is not None
        changed = _changed(found, tokens(target), value) if target.startswith("/") and not late else None
        if changed is None:
            late[target] = value
        else:
            found = changed
    return ({"patched": found, "at": late} if late else found), content_type


def read_selector(value: JsonValue, where: Where) -> str:
    """Return the kind of a `type` or `targetSelectorType`. Raises SkipOperation for XPath."""
    kind = value
    if isinstance(value, dict):
        kind = read_text(read_object(value, "expression type", where), "type", "expression type", where)
    if kind == "xpath":
        hint = "Let the API answer with JSON, and use JSONPath or a JSON Pointer, or do this step in `hooks.py`."
        raise unsupported("mcpgen does not evaluate XPath.", where, hint)
    return str(kind)


# -- texts ------------------------------------------------------------------------------------------------------------


def _text(text: str, where: Where, constants: Constants) -> Value:
    if text in constants.texts:
        return {"literal": constants.texts[text]}
    if expressions.is_expression(text):
        return {"expression": text}
    if _ROOT.match(text):
        raise _no_expression(text, where)
    return _joined_text(_parts(text, where, constants))


def _parts(text: str, where: Where, constants: Constants) -> list[JsonValue]:
    """Return the parts of a text with embedded expressions. Raises SkipOperation if one is meant but malformed."""
    for found in _EMBEDDED.finditer(text):
        if _ROOT.match(found[1]) and not expressions.is_expression(found[1]) and found[1] not in constants.texts:
            raise _no_expression(found[1], where)
    for expression, constant in constants.texts.items():
        text = text.replace(f"{{{expression}}}", constant)
    return [each if isinstance(each, str) else {"expression": each["expression"]} for each in expressions.parts(text)]


def _joined_text(parts: list[JsonValue]) -> Value:
    if all(isinstance(part, str) for part in parts):
        return {"literal": "".join(map(str, parts))}
    return {"text": parts}


def _no_expression(text: str, where: Where) -> Exception:
    if text.startswith("$message"):
        hint = "Leave this workflow out; mcpgen calls operations of OpenAPI documents."
        return unsupported("mcpgen has no messages of AsyncAPI.", where, hint)
    hint = "Expressions are written as in $steps.ID.outputs.NAME#/pointer or $response.body#/pointer."
    for pattern, right in _SLIPS.items():
        if (corrected := re.sub(pattern, right, text)) != text and expressions.is_expression(corrected):
            hint = f"Did you mean '{clipped(corrected)}'?"
    return invalid(f"'{clipped(text)}' is no runtime expression that has a value in a call.", where, hint)


def _selector(value: JsonObject, where: Where) -> Value:
    """Read a Selector Object (Arazzo 1.1, 4.8.13)."""
    context, selector = (read_text(value, key, "selector", where) for key in ("context", "selector"))
    kind = read_selector(value["type"], where.inside("type"))
    if not expressions.is_expression(context):
        raise _no_expression(context, where.inside("context"))
    if kind == "jsonpath":
        return {"selected": _json_path(selector, where.inside("selector")), "of": context}
    if kind != "jsonpointer":
        raise invalid("The type of a selector is `jsonpath`, `jsonpointer` or `xpath`.", where.inside("type"))
    expression = context + ("" if "#" in context else "#") + selector
    if not expressions.is_expression(expression):
        raise invalid(f"'{clipped(selector)}' is no JSON Pointer.", where.inside("selector"))
    return {"expression": expression}


def _json_path(text: str, where: Where) -> str:
    try:
        jsonpath.compiled(text)
    except jsonpath.Malformed as malformed:
        message = f"'{clipped(text)}' is no JSONPath of RFC 9535: {malformed}."
        raise invalid(message, where) from None
    return text


# -- payloads ---------------------------------------------------------------------------------------------------------


def _templated(text: str, content_type: str, where: Where, constants: Constants) -> Value:
    """Return a payload that is written as one text: as JSON or a form, if it is one, so that each member is a value of
    its own. So no value of a response can change the structure of the body.
    """
    if _ROOT.match(text) and not _EMBEDDED.search(text):
        return _text(text, where, constants)
    parts = _parts(text, where, constants)
    if content_type == "application/x-www-form-urlencoded":
        return _form(parts)
    is_json = content_type == "application/json" or content_type.endswith("+json")
    if is_json or (not content_type and text.lstrip()[:1] in ("{", "[")):
        found = _json(parts)
        if found is not None:
            return found
        if is_json:
            raise invalid("The payload is not valid JSON.", where, "Write it as an object, or correct the JSON.")
    return _joined_text(parts)


def _json(parts: list[JsonValue]) -> Value | None:
    """Return the value of a JSON text with embedded expressions, or None if it is no JSON.

    An expression inside of quotes is part of a string. Outside of quotes, it is a value.
    """
    text, in_string = "", False
    for number, part in enumerate(parts):
        if isinstance(part, str):
            in_string = _ends_in_string(part, in_string)
            text += part
        else:
            mark = f"\ue000{number}\ue001"
            text += mark if in_string else f'"{mark}\ue002"'
    try:
        return _restored(json.loads(text), parts)
    except (ValueError, RecursionError):
        return None


def _ends_in_string(text: str, in_string: bool) -> bool:
    """Return True if a JSON text ends inside of a string. `in_string`: True if it begins there."""
    escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif character == '"':
            in_string = not in_string
        elif character == "\\":
            escaped = in_string
    return in_string


def _restored(value: JsonValue, parts: list[JsonValue]) -> Value:
    """Return a parsed value, with the expressions in place of their marks."""
    if isinstance(value, dict):
        return _joined("members", {name: _restored(each, parts) for name, each in value.items()})
    if isinstance(value, list):
        return {"items": [_restored(each, parts) for each in value]}
    if not isinstance(value, str):
        return {"literal": value}
    if value.endswith("\ue002"):
        return as_object(parts[int(value[1:-2])])
    pieces = [parts[int(each)] if number % 2 else each for number, each in enumerate(_MARK.split(value))]
    return _joined_text([each for each in pieces if each != ""])


def _form(parts: list[JsonValue]) -> Value:
    """Return the members of a form that is written as one text. A name that occurs several times is a list."""
    text = "".join(part if isinstance(part, str) else f"\ue000{number}\ue001" for number, part in enumerate(parts))
    found: dict[str, list[JsonValue]] = {}
    for pair in filter(None, text.split("&")):
        name, _, value = pair.partition("=")
        found.setdefault(unquote_plus(name.strip()), []).append(_restored(unquote_plus(value.strip()), parts))
    return _joined(
        "members",
        {name: as_object(some[0]) if len(some) == 1 else {"items": some} for name, some in found.items()},
    )


def _joined(kind: str, values: Mapping[str, Value]) -> Value:
    """Return an object of values: a constant if all of them are."""
    if all("literal" in each for each in values.values()):
        return {"literal": {name: each["literal"] for name, each in values.items()}}
    return {kind: dict[str, JsonValue](values)}


# -- replacements -----------------------------------------------------------------------------------------------------


def _replacements(value: JsonValue, where: Where, constants: Constants) -> dict[str, Value]:
    """Return target → value of the payload replacements. Raises SkipOperation if one is invalid."""
    found = {}
    for index, raw in enumerate(read_list(value, "replacements", where)):
        place = where.inside(index)
        entry = read_object(raw, "payload replacement", place)
        target = read_text(entry, "target", "payload replacement", place)
        kind = read_selector(entry["targetSelectorType"], place) if "targetSelectorType" in entry else "jsonpointer"
        if kind == "jsonpath":
            _json_path(target, place.inside("target"))
        elif not _POINTER.fullmatch(target):
            hint = "Write a JSON Pointer such as /petId, or set `targetSelectorType: jsonpath`."
            raise invalid(f"'{clipped(target)}' is no JSON Pointer.", place.inside("target"), hint)
        if "value" not in entry:
            raise invalid("A payload replacement has no `value`.", place)
        found[target] = read_value(entry["value"], place.inside("value"), constants)
    return found


def _changed(value: Value, path: list[str], new: Value) -> Value | None:
    """Return `value` with `new` at a path of names, or None if that is known only when the workflow runs."""
    if not path:
        return new
    members = as_object(value.get("members"))
    literal = value.get("literal")
    if isinstance(literal, dict):
        members = {name: {"literal": each} for name, each in literal.items()}
    elif "members" not in value:
        return None
    inner = members.get(path[0]) or ({"literal": {}} if len(path) == 1 else None)
    changed = _changed(as_object(inner), path[1:], new) if inner else None
    return None if changed is None else {"members": {**members, path[0]: changed}}
