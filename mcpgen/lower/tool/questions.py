"""Decide what the user is asked before a call, and remove the arguments that the user gives from the input schema.

A field of a question has the name of the argument that it fills. The model neither sees nor gives this argument. The
exceptions are `missing` questions, which ask for required arguments that a call leaves out: the model may give these.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import clipped, nearest
from mcpgen.base.runtime import asked_arguments
from mcpgen.lower.inputs.slots import Slot
from mcpgen.lower.schema import handwritten
from mcpgen.lower.tool.forms import FORMATS, Unaskable, contradiction, fits, form_field
from mcpgen.lower.tool.secret_questions import secret_field, secret_text
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
