"""Decide what the user is asked before a call, and remove the arguments that the user gives from the input schema.

A field of a question has the name of the argument that it fills. The model neither sees nor gives this argument. The
exceptions are `missing` questions, which ask for required arguments that a call leaves out: the model may give these.

Fields are written in the restricted schemas of MCP's elicitation: a text, a number, a boolean, or a choice of one or
several texts. Other constraints in the schema of an argument are checked after the user has answered.

MCP forbids asking for secrets in a form, because the client or the model's host may log the answer. A server reads its
secrets from environment variables. So a question that asks for a secret, or shows one, is an error.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped, nearest
from mcpgen.base.runtime import asked_arguments, secret_words
from mcpgen.base.secrets import is_secret_name
from mcpgen.lower.inputs.slots import Slot
from mcpgen.lower.schema import handwritten
from mcpgen.model import AskedQuestion, FormField, Prompt, Question

LONGEST_MESSAGE = 500
"""Longest message of a question in characters, without its arguments."""

_ENVIRONMENT = (
    "Describe the credential under `security`: the server reads it from the environment and never asks a user for it."
)
_OWN_WORDS = "Give the field a `type`, or an `enum` of values to choose from."


def derive(
    questions: tuple[Question, ...], schema: JsonObject, names: Mapping[Slot, str], diagnostics: Diagnostics
) -> tuple[tuple[AskedQuestion, ...], JsonObject]:
    """Return the questions that the user is asked before a call of the tool, and the tool's input schema without the
    arguments that only the user gives.

    `names`: (place in the request, parameter name) → argument name. Faulty questions are reported and left out.
    """
    if not questions:
        return (), schema
    layout = _Layout(schema, names)
    found: list[AskedQuestion] = []
    for question in questions:
        asked = _missing(question, layout, questions) if question.missing else _asked(question, layout, diagnostics)
        if asked is None or not _is_sound(question, layout, diagnostics):
            continue
        for name in sorted(asked.arguments.keys() & {name for each in found for name in each.arguments}):
            message = f"Two questions ask for '{clipped(name)}'."
            diagnostics.add("duplicate-name", message, question.where.inside("form"), "Ask for it once.")
        found.append(asked)
    return tuple(found), layout.left(found)


def of_prompt(prompt: Prompt, diagnostics: Diagnostics) -> tuple[AskedQuestion, ...]:
    """Return the questions that a prompt asks the user. Messages and conditions of questions can name the prompt's
    arguments, which are texts. The user's answers fill placeholders in the prompt's messages, and no arguments.
    """
    fields = {field.name: field.schema for each in prompt.ask for field in each.fields}
    known: JsonObject = {**{each.name: {"type": "string"} for each in prompt.arguments}, **fields}
    found, _ = derive(prompt.ask, {"type": "object", "properties": known}, {}, diagnostics)
    return tuple(replace(each, arguments={}) for each in found)


def sentences(questions: tuple[AskedQuestion, ...]) -> Iterator[str]:
    """Yield what a tool's description says of the arguments for which the server asks the user."""
    if names := [name for each in questions if not each.missing for name in each.form]:
        shown = ", ".join(names[:6]) + (" and more" if len(names) > 6 else "")
        yield f"{asked_arguments.ASKED}{shown}."
    if names := [name for each in questions if each.missing for name in each.form]:
        shown = ", ".join(names[:6]) + (" and more" if len(names) > 6 else "")
        yield f"{asked_arguments.LEFT_OUT}{shown}: the user is asked."


@dataclass(frozen=True, slots=True)
class _Layout:
    """The arguments of one tool: its input schema, and slot (place in the request, parameter name) → argument name."""

    schema: JsonObject
    names: Mapping[Slot, str]

    @property
    def properties(self) -> JsonObject:
        return as_object(self.schema.get("properties"))

    @property
    def required(self) -> list[str]:
        return list(map(str, as_list(self.schema.get("required"))))

    def argument(self, name: str) -> str:
        """Return the argument called `name`, else the only argument whose parameter in the request is called `name`,
        else "".
        """
        if name in self.properties:
            return name
        found = {argument for (_, wire), argument in self.names.items() if wire == name and argument in self.properties}
        return found.pop() if len(found) == 1 else ""

    def left(self, questions: list[AskedQuestion]) -> JsonObject:
        """Return the input schema without the arguments that the user is asked for."""
        gone = {name for each in questions for name in each.arguments}
        optional = {name for each in questions if each.missing for name in each.form}
        left = {name: member for name, member in self.properties.items() if name not in gone}
        required: list[JsonValue] = [name for name in self.required if name not in gone | optional]
        rest = {key: value for key, value in self.schema.items() if key not in ("properties", "required")}
        return {**rest, "properties": left, **({"required": required} if required else {})}


def _asked(question: Question, layout: _Layout, diagnostics: Diagnostics) -> AskedQuestion | None:
    """Return a question to the user as the generated server asks it, with a schema for each field of its form.

    Return None if `_field` rejects a field, two fields fill the same argument, or the question has no fields.
    """
    found = [_field(each, question, layout, diagnostics) for each in question.fields]
    for name, count in Counter(pair[0] for pair in found if pair is not None).items():
        if count > 1:
            message = f"The question '{clipped(question.name)}' has {count} fields for the argument '{clipped(name)}'."
            diagnostics.add("duplicate-name", message, question.where.inside("form"), "Ask for it once.")
    fields = {name: field for pair in found if pair is not None for name, field in [pair]}
    if len(fields) < len(found) or not fields:
        return None
    must = [
        name
        for (name, _), written in zip(fields.items(), question.fields, strict=True)
        if written.required or (name in layout.required and "default" not in fields[name])
    ]
    return AskedQuestion(
        question.name,
        question.message,
        fields,
        {name: as_object(layout.properties[name]) for name in fields},
        tuple(must),
        question.when,
        question.without,
    )


def _field(
    field: FormField, question: Question, layout: _Layout, diagnostics: Diagnostics
) -> tuple[str, JsonObject] | None:
    """Return the argument and the schema of a question's field. Errors in the field are reported.

    Return None if the tool lacks the argument, a form cannot ask for its type, or the field asks for a secret.
    """
    name = layout.argument(field.name)
    if not name:
        message = f"The question asks for '{clipped(field.name)}', but the tool has no argument of that name."
        diagnostics.add("unknown-argument", message, field.where, nearest(field.name, list(layout.properties)))
        return None
    try:
        form = form_field(field.schema, as_object(layout.properties[name]))
    except Unaskable as problem:
        message = f"The field '{clipped(field.name)}' {problem}."
        diagnostics.add("invalid-value", message, field.where, _OWN_WORDS)
        return None
    if reason := secret_field(name, form, {**as_object(layout.properties[name]), **field.schema}):
        message = f"The field '{clipped(field.name)}' asks the user for a secret, {reason}."
        diagnostics.add("asks-for-secret", message, field.where, _ENVIRONMENT)
        return None
    if field.schema.get("format") not in (None, *FORMATS):
        message = f"The forms that clients show do not support the format '{clipped(str(field.schema['format']))}'."
        diagnostics.add("invalid-value", message, field.where.inside("format"), f"Use one of {', '.join(FORMATS)}.")
    if least := contradiction(form):
        message = f"No value fits the field '{clipped(field.name)}', because its '{least}' is above its maximum."
        diagnostics.add("invalid-value", message, field.where, "Write a minimum that is at most the maximum.")
    elif not fits(form):
        message = f"The default of the field '{clipped(field.name)}' does not match the schema of the field."
        diagnostics.add("invalid-value", message, field.where, "Write a default that matches the schema of the field.")
    if question.when and name in layout.required:
        message = f"Every call needs '{clipped(field.name)}', but the user is asked for it only in some calls."
        diagnostics.add("invalid-value", message, question.where.inside("when"), "Leave `when` out.")
    return name, form


def _missing(question: Question, layout: _Layout, questions: tuple[Question, ...]) -> AskedQuestion | None:
    """Return a question to the user for required arguments that a call leaves out. Return None if its form is empty.

    The form has no fields for secrets, for arguments of other questions, or for schemas that a form cannot express.
    """
    asked = {layout.argument(field.name) for each in questions for field in each.fields}
    fields: dict[str, JsonObject] = {}
    for name in layout.required:
        try:
            schema = as_object(layout.properties[name])
            field = form_field({}, schema)
        except Unaskable:
            continue
        if name not in asked and not secret_field(name, field, schema):
            fields[name] = field
    if not fields:
        return None
    return AskedQuestion(
        question.name, question.message, fields, required=tuple(fields), when=question.when, missing=True
    )


def _is_sound(question: Question, layout: _Layout, diagnostics: Diagnostics) -> bool:
    """Return True if the message and the conditions of a question are valid. Errors are reported."""
    faults = list(_faults(question, layout))
    for code, message, key, hint in faults:
        diagnostics.add(code, message, question.where.inside(key), hint)
    return not faults


def _faults(question: Question, layout: _Layout) -> Iterator[tuple[str, str, str, str]]:
    """Yield (code, message, key, hint) for each error in a question to the user: in its `message` or its `when`."""
    literal = "".join(part if isinstance(part, str) else f"{{{part['argument']}}}" for part in question.message)
    if found := secret_text(literal):
        yield (
            "asks-for-secret",
            f"The message asks for a secret or shows one: '{clipped(found)}'.",
            "message",
            _ENVIRONMENT,
        )
    if len(literal) > LONGEST_MESSAGE:
        message = f"The message of the question has {len(literal):,} characters; at most {LONGEST_MESSAGE} are shown."
        yield "invalid-value", message, "message", "Write what the user has to know in a sentence or two."
    for argument, condition in question.when.items():
        for reason in handwritten.broken({"type": "object", "properties": {argument: condition}}):
            message = f"The condition on '{clipped(argument)}' under `when` {reason}."
            yield "invalid-value", message, "when", "Write the condition as a value, a list of values or a schema."
    named = [str(part["argument"]) for part in question.message if isinstance(part, dict)]
    for key, name in [*(("message", each) for each in named), *(("when", each) for each in question.when)]:
        if name not in layout.properties:
            hint = nearest(name, list(layout.properties))
            yield "unknown-argument", f"The tool has no argument '{clipped(name)}'.", key, hint


FORMATS = ("email", "uri", "date", "date-time")
"""Formats of strings that a form supports."""

_KEPT: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "default"),
    "number": ("minimum", "maximum", "default"),
    "integer": ("minimum", "maximum", "default"),
    "boolean": ("default",),
}
_TEXTS = ("title", "description")
_KIND = ("type", "enum", "oneOf", "items")
"""Keywords that decide the kind of a field."""


class Unaskable(Exception):
    """Raised for a schema that a form cannot express. The message is the end of a sentence about the field."""


def form_field(written: JsonObject, argument: JsonObject) -> JsonObject:
    """Return the schema of a field: what the project's owner has written, completed from the schema of its argument.

    Raises Unaskable if MCP's elicitation has no schema for such a field.
    """
    own = not written.keys().isdisjoint(_KIND)
    return _schema_of_field(written if own else {**_plain(argument), **written})


def _plain(schema: JsonObject) -> JsonObject:
    """Return a schema without the alternative null."""
    kinds = [kind for kind in as_list(schema.get("type")) if kind != "null"]
    if len(kinds) == 1:
        return {**schema, "type": kinds[0]}
    branches = [each for each in map(as_object, as_list(schema.get("anyOf"))) if each.get("type") != "null"]
    return {**branches[0], **{key: schema[key] for key in _TEXTS if key in schema}} if len(branches) == 1 else schema


def _schema_of_field(schema: JsonObject) -> JsonObject:
    words: JsonObject = {key: schema[key] for key in _TEXTS if schema.get(key)}
    if "oneOf" in schema or "enum" in schema:
        return {"type": "string", **words, **_choice(schema, "oneOf"), **_default(schema)}
    kind = schema.get("type", "array" if "items" in schema else "string")
    if kind == "array":
        items = as_object(schema.get("items"))
        choices = _choice(items, "oneOf" if "oneOf" in items else "anyOf")
        inner: JsonObject = {"anyOf": choices["oneOf"]} if "oneOf" in choices else {"type": "string", **choices}
        bounds: JsonObject = {key: schema[key] for key in ("minItems", "maxItems") if key in schema}
        return {"type": "array", **words, **bounds, "items": inner, **_default(schema)}
    if not isinstance(kind, str) or kind not in _KEPT:
        raise Unaskable("is neither a text, a number, true or false, nor a choice among texts")
    field: JsonObject = {"type": kind, **words, **{key: schema[key] for key in _KEPT[kind] if key in schema}}
    if kind == "string" and schema.get("format") in FORMATS:
        field["format"] = schema["format"]
    return field


def _choice(schema: JsonObject, titled: str) -> JsonObject:
    """Return the keywords for a choice among texts. Raises Unaskable if other values are among the choices."""
    found: list[JsonValue] = []
    for each in map(as_object, as_list(schema.get(titled))):
        value = each.get("const")
        if not isinstance(value, str):
            raise Unaskable("offers something other than texts: each choice needs `const` and `title`")
        found.append({"const": value, "title": each.get("title") or value})
    if found:
        return {"oneOf": found}
    values, names = as_list(schema.get("enum")), as_list(schema.get("enumNames"))
    if not values or not all(isinstance(value, str) for value in values):
        raise Unaskable("offers something other than texts to choose from")
    if names and len(names) != len(values):
        raise Unaskable("has another number of `enumNames` than of values")
    return {"enum": values, **({"enumNames": names} if names else {})}


def _default(schema: JsonObject) -> JsonObject:
    return {"default": schema["default"]} if "default" in schema else {}


def contradiction(field: JsonObject) -> str:
    """Return the keyword of a field's lower bound, such as `minimum`, if the bound is above the upper bound;
    else "".
    """
    for least, greatest in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        low, high = field.get(least), field.get(greatest)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
            return least
    return ""


def fits(field: JsonObject) -> bool:
    """Return True if the default of a field is a valid value of the field."""
    if "default" not in field:
        return True
    default, kind = field["default"], field["type"]
    if kind == "boolean":
        return isinstance(default, bool)
    if kind == "array":
        known = set(_values(as_object(field["items"])))
        return (
            isinstance(default, list) and set(map(str, default)) <= known and _is_within(field, "Items", len(default))
        )
    if kind in ("number", "integer"):
        number = isinstance(default, int if kind == "integer" else (int, float)) and not isinstance(default, bool)
        return number and _is_within(field, "imum", default)
    if not isinstance(default, str) or not _is_within(field, "Length", len(default)):
        return False
    return not _values(field) or default in _values(field)


def _is_within(field: JsonObject, bound: str, value: JsonValue) -> bool:
    """Return True if `value` lies between the minimum and the maximum of a form's field, as far as these are set.

    `bound`: suffix of the keywords for minimum and maximum, such as `Length` for `minLength` and `maxLength`.
    """
    low, high = field.get(f"min{bound}"), field.get(f"max{bound}")
    assert isinstance(value, (int, float))
    above = not isinstance(low, (int, float)) or value >= low
    return above and (not isinstance(high, (int, float)) or value <= high)


def _values(field: JsonObject) -> list[JsonValue]:
    """Return the values that a field offers, or [] if the field is not a choice."""
    titled = [as_object(each)["const"] for key in ("oneOf", "anyOf") for each in as_list(field.get(key))]
    return titled or as_list(field.get("enum"))


_FROM_ENVIRONMENT = re.compile(r"\$\{?[A-Za-z_]\w*\}?|%[A-Z_][A-Z0-9_]*%|\{\{|\b(?:env|secrets)\.[A-Za-z_]")
_FORMATS = ("password", "token", "secret")


# MCP forbids such forms: a client may log what its user fills in, and the model's host may read it.
def secret_field(name: str, field: JsonObject, written: JsonObject) -> str:
    """Return how a field asks for a secret, as the end of a sentence, or "" if it does not."""
    if is_secret_name(name):
        return "by its name"
    if written.get("format") in _FORMATS or written.get("writeOnly") is True:
        return "by its format"
    return next((f"by the words '{found}'" for text in _texts(field) if (found := _secret_in(text))), "")


def secret_text(text: str) -> str:
    """Return the words by which a message asks for a secret or shows a secret from the environment, or "" if it does
    neither.
    """
    shown = _FROM_ENVIRONMENT.search(text)
    return shown[0] if shown else _secret_in(text)


def _secret_in(text: str) -> str:
    found = secret_words.ASKED.search(text)
    return found[0] if found else ""


def _texts(field: JsonObject) -> Iterator[str]:
    yield as_text(field.get("title"))
    yield as_text(field.get("description"))
    for key in ("oneOf", "anyOf"):
        yield from (as_text(as_object(each).get("title")) for each in as_list(field.get(key)))
