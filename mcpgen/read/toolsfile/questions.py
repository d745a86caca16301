"""Read `ask:` of the tools file: questions with fields that the user answers before a call is sent.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Iterable, Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import WRITTEN_ARGUMENT_NAME
from mcpgen.model import FormField, Question
from mcpgen.read.toolsfile import templates

MISSING = "missing"
"""Key of a question that asks for the required arguments that a call leaves out."""

_RESERVED = ("confirm", "login")
"""Names of the questions that the server asks by itself."""

_MESSAGE = "The server needs this information to continue."
_OF_ARGUMENT = ("in", "name", "required")
_SIMPLE = ("string", "number", "integer", "boolean")


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> tuple[Question, ...] | None:
    """Return the questions to the user in `ask` of `entry`, a tool or override at `where`, or None without `ask`."""
    value, place = entry.get("ask"), where.inside("ask")
    if value is None:
        return None
    if value == MISSING:
        return (Question(MISSING, place, (_MESSAGE,), missing=True),)
    found: dict[str, Question] = {}
    for index, each in enumerate(as_list(value)):
        question = _question(as_object(each), place.inside(index), diagnostics)
        if question is not None and question.name in found:
            message = f"Two questions are called {question.name}."
            diagnostics.add("duplicate-name", message, place.inside(index, "name"), "Rename one of them.")
        elif question is not None:
            found[question.name] = question
    return tuple(found.values())


def _question(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Question | None:
    name, message, form = as_text(entry.get("name")), as_text(entry.get("message")), entry.get("form")
    if not name or not message or not (isinstance(form, dict) or form == MISSING):
        return None  # invalid question, skipped: schema_check has already reported it
    if name in _RESERVED:
        text = f"A question cannot be called {name}, because the server itself asks a question of that name."
        diagnostics.add("invalid-name", text, where.inside("name"), "Give the question another name.")
        return None
    return Question(
        name,
        where,
        templates.text(message, where.inside("message"), diagnostics),
        tuple(_fields(as_object(form), where.inside("form"))),
        {argument: _condition(value) for argument, value in as_object(entry.get("when")).items()},
        "arguments" if entry.get("without") == "arguments" else "refuse",
        missing=form == MISSING,
    )


def _fields(form: JsonObject, where: Where) -> Iterator[FormField]:
    for name, entry in form.items():
        schema = _written(entry)
        own = {key: value for key, value in schema.items() if key not in _OF_ARGUMENT}
        yield FormField(name, where.inside(name), own, schema.get("required") is True)


def _written(entry: JsonValue) -> JsonObject:
    """Return a field as an object: the short form `TYPE required` becomes `type` and `required`."""
    if isinstance(entry, str):
        kind, _, rest = entry.partition(" ")
        return {"type": kind, "required": rest == "required"} if kind in _SIMPLE else {}
    return as_object(entry)


def _condition(value: JsonValue) -> JsonObject:
    """Return a condition as a JSON schema. A single value means that the argument must equal it; a list gives all
    allowed values.
    """
    if isinstance(value, dict):
        return value
    return {"enum": value} if isinstance(value, list) else {"const": value}


def declared(entry: JsonObject, where: Where, known: Iterable[str]) -> Iterator[tuple[str, JsonValue, Where]]:
    """Yield each form field in the questions (`ask`) of a tool, as (name, definition as under `arguments`, position).

    `entry`: the tool. Fields in `known`, the names of the tool's other arguments, are left out.
    """
    taken = set(known)
    for index, each in enumerate(map(as_object, as_list(entry.get("ask")))):
        for name, value in as_object(each.get("form")).items():
            if name not in taken and WRITTEN_ARGUMENT_NAME.fullmatch(name):
                taken.add(name)
                argument = _argument(_written(value))
                # a question with `when` is not always asked, so the argument is optional, even if the form requires it
                if "when" in each:
                    argument.pop("required", None)
                yield name, argument, where.inside("ask", index, "form", name)


def _argument(field: JsonObject) -> JsonObject:
    """Return a field of a form as an argument of the tool, without titles and default.

    A field without a description gets its title as the description.
    """
    schema = {key: value for key, value in field.items() if key not in ("oneOf", "enumNames", "title", "default")}
    schema |= {"enum": choices(field)} if "oneOf" in field else {}
    items = as_object(field.get("items"))
    if items:
        schema["items"] = {"type": "string", "enum": choices(items)}
    schema.setdefault("type", "array" if items else "string")
    if "description" not in schema and as_text(field.get("title")):
        schema["description"] = as_text(field.get("title"))
    return schema


def choices(schema: JsonObject) -> list[JsonValue]:
    """Return the values that a field offers: those with titles (`oneOf`, `anyOf`), or else those in `enum`."""
    titled = [as_object(each).get("const") for key in ("oneOf", "anyOf") for each in as_list(schema.get(key))]
    return titled or as_list(schema.get("enum"))
