"""Read `prompts:` of the tools file: messages with placeholders for arguments.

Malformed prompts are skipped here; `schema_check` has already reported them.
"""

import re
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import WRITTEN_ARGUMENT_NAME, WRITTEN_TOOL_NAME, clipped, nearest
from mcpgen.model import Message, Prompt, PromptArgument, Question
from mcpgen.read.toolsfile import questions, resources

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}\s]*)\}|[{}]")
_ROLES = ("user", "assistant")


def read(value: JsonValue, where: Where, diagnostics: Diagnostics) -> tuple[Prompt, ...]:
    """Return the prompts at `where`. A later pass checks that the resources named in their messages exist."""
    found = (_read(as_object(entry), where.inside(index), diagnostics) for index, entry in enumerate(as_list(value)))
    return tuple(prompt for prompt in found if prompt is not None)


def _read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Prompt | None:
    name, declared = entry.get("name"), as_object(entry.get("arguments"))
    if not isinstance(name, str) or not WRITTEN_TOOL_NAME.fullmatch(name):
        return None  # invalid name: skip the prompt, since schema_check has already reported the name
    for key in declared:
        if not WRITTEN_ARGUMENT_NAME.fullmatch(key):
            message = f"'{clipped(key)}' cannot be the name of an argument."
            hint = "Write a name of at most 64 letters, digits and `_` that does not begin with a digit."
            diagnostics.add("invalid-name", message, where.inside("arguments", key), hint)
    asked = _questions(entry, where, diagnostics)
    fields = [field.name for question in asked for field in question.fields if field.name not in declared]
    known = [*declared, *fields]
    entries, place = as_list(entry.get("messages")), where.inside("messages")
    found = [_message(as_object(each), place.inside(i), known, diagnostics) for i, each in enumerate(entries)]
    messages = tuple(message for message in found if message is not None)
    used = {argument for message in messages for argument in message.arguments}
    used |= {str(part["argument"]) for each in asked for part in each.message if isinstance(part, dict)}
    used |= {key for each in declared.values() for key in resources.named_by_completion(as_object(each))}
    for key in declared:
        if WRITTEN_ARGUMENT_NAME.fullmatch(key) and key not in used and len(messages) == len(found):
            message = f"No message of the prompt {name} uses the argument '{clipped(key)}'."
            diagnostics.add(
                "unused-argument", message, where.inside("arguments", key), f"Write {{{key}}} into a message."
            )
    return Prompt(
        where,
        name,
        messages,
        as_text(entry.get("title")),
        as_text(entry.get("description")),
        tuple(_argument(key, as_object(each)) for key, each in declared.items()),
        {key: values for key, each in declared.items() if (values := _values(as_object(each)))},
        asked,
    )


def _questions(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> tuple[Question, ...]:
    """Return the questions of a prompt, which the server asks the user by elicitation when a client gets the prompt.

    The fields of the questions are not among the arguments that the prompt declares to clients.
    """
    found = questions.read(entry, where, diagnostics) or ()
    for question in found:
        if question.missing or question.without != "refuse":
            message = (
                "A prompt's question must list its fields in `form`; only a tool's question can have `form: missing` "
                "or `without: arguments`."
            )
            diagnostics.add("invalid-value", message, question.where, "List the fields in `form`; remove `without`.")
    return tuple(each for each in found if not each.missing)


def _argument(name: str, entry: JsonObject) -> PromptArgument:
    title, description = as_text(entry.get("title")), as_text(entry.get("description"))
    return PromptArgument(name, title, description, entry.get("required") is True)


def _values(entry: JsonObject) -> tuple[str, ...]:
    """Return the distinct values of an argument's `enum`."""
    return tuple(dict.fromkeys(value for value in as_list(entry.get("enum")) if isinstance(value, str)))


def _message(entry: JsonObject, where: Where, known: list[str], diagnostics: Diagnostics) -> Message | None:
    """Return one message of a prompt. If it is faulty, report this and return None."""
    role, given = as_text(entry.get("role")), [key for key in ("text", "resource") if key in entry]
    if len(given) != 1:
        said = "both a text and a resource" if given else "neither a text nor a resource"
        diagnostics.add("invalid-value", f"The message has {said}.", where, "Write either 'text' or 'resource'.")
        return None
    value, place = entry[given[0]], where.inside(given[0])
    if role not in _ROLES or not isinstance(value, str):
        return None  # invalid message, skipped: schema_check has already reported it
    if given == ["resource"] and "{" not in value and "://" not in value:
        return Message(where, role, resource=value)
    message = _text(value, role, place, known, diagnostics)
    return replace(message, chosen=True) if message is not None and given == ["resource"] else message


def _text(text: str, role: str, where: Where, known: list[str], diagnostics: Diagnostics) -> Message | None:
    """Parse the text of a message: `{name}` stands for an argument, `{{` and `}}` for braces."""
    literals, arguments, end = [""], list[str](), 0
    for place in _PLACE.finditer(text):
        literals[-1] += text[end : place.start()]
        end, braces, name = place.end(), place[0], place[1]
        if braces in ("{{", "}}"):
            literals[-1] += braces[0]
        elif name in known:
            arguments.append(name)
            literals.append("")
        else:
            _report(braces, name, where, known, diagnostics)
            return None
    literals[-1] += text[end:]
    return Message(where, role, tuple(literals), tuple(arguments))


def _report(braces: str, name: str | None, where: Where, known: list[str], diagnostics: Diagnostics) -> None:
    if name:
        message = f"The prompt has no argument '{clipped(name)}'."
        more = f" To write a brace, write {{{{{clipped(name)}}}}}."
        hint = (nearest(name, known) or f"Declare the argument: `arguments: {{{clipped(name)}: {{}}}}`.") + more
        diagnostics.add("unknown-name", message, where, hint)
        return
    message = f"The text contains a brace that does not belong to an argument: {braces}"
    diagnostics.add("invalid-value", f"{message}.", where, "Write {{ and }} for braces, {name} for an argument.")
