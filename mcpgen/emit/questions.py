"""Write the questions that a tool asks its user, as members of `bindings.json`."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model import AskedQuestion, Catalog


def question(asked: AskedQuestion) -> JsonObject:
    """Return a question to the user as an entry of `ask`, the list of questions of a tool or prompt."""
    result: JsonObject = {
        "name": asked.name,
        "message": list[JsonValue](asked.message),
        "form": dict[str, JsonValue](asked.form),
    }
    if asked.arguments:
        result["arguments"] = dict[str, JsonValue](asked.arguments)
    if asked.required:
        result["required"] = list[JsonValue](asked.required)
    if asked.when:
        result["when"] = dict[str, JsonValue](asked.when)
    if asked.without == "arguments":
        result["without"] = "arguments"
    return {**result, **({"missing": True} if asked.missing else {})}


def asks(catalog: Catalog) -> bool:
    """Return True if some tool has additional arguments for clients that cannot ask their user."""
    questions = (question for tool in catalog.tools for question in tool.questions)
    return any(question.missing or question.without == "arguments" for question in questions)
