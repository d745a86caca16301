"""Read `blocks:` of a result: several content blocks, each made from a part of the response.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Callable, Iterable, Mapping

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.model import RuleValue
from mcpgen.read.toolsfile import pointers

_AUDIENCE = ("user", "assistant")


def read(value: JsonValue, where: Where, diagnostics: Diagnostics) -> list[RuleValue]:
    """Return the content blocks that the list `value` describes. Report and leave out faulty blocks."""
    entries = ((each, where.inside(index)) for index, each in enumerate(as_list(value)) if isinstance(each, dict))
    return [block for entry, place in entries if (block := _block(entry, place, diagnostics))]


def link(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    """Return the texts of a link to a resource, or {} if it lacks its `uri` or its `name`."""
    entry = as_object(value)
    if not all(isinstance(entry.get(key), str) for key in ("uri", "name")):
        return {}  # invalid link, skipped: schema_check has already reported it
    return _texts(entry, ("uri", "name", "title", "description", "mimeType"), where, diagnostics)


def _block(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> dict[str, RuleValue]:
    """Return a content block, or {} if it is faulty."""
    given = [kind for kind in _READERS if kind in entry]
    if len(given) != 1:
        said = f"both '{given[0]}' and '{given[1]}'" if given else "no content"
        hint = f"Use one of these keys: {', '.join(_READERS)}."
        diagnostics.add("invalid-value", f"The block has {said}.", where, hint)
        return {}
    kind, each = given[0], as_text(entry.get("each"))
    if each and not pointers.pointer(each, where.inside("each"), diagnostics):
        return {}
    if kind == "answer" and each:
        message = "A content block of the kind `answer` contains the whole answer, so it cannot have `each`."
        diagnostics.add("invalid-value", message, where.inside("each"), "Leave `each` out.")
        return {}
    content = _READERS[kind](entry[kind], where.inside(kind), diagnostics)
    if not content:
        return {}  # schema_check, or the function that reads the invalid member, has reported the error
    told = _annotations(as_object(entry.get("annotations")), where.inside("annotations"), diagnostics)
    return {**({"each": each} if each else {}), kind: content, **({"annotations": told} if told else {})}


def _annotations(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> dict[str, RuleValue]:
    found: dict[str, RuleValue] = {}
    if audience := [each for each in as_list(entry.get("audience")) if each in _AUDIENCE]:
        found["audience"] = audience
    priority = entry.get("priority")
    if isinstance(priority, (int, float)) and 0 <= priority <= 1:
        found["priority"] = priority
    return {**found, **_texts(entry, ("lastModified",), where, diagnostics)}


def _resource(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    """Return an embedded resource, or {} if it lacks its URI or its content."""
    entry = as_object(value)
    if ("text" in entry) == ("blob" in entry):
        said = "both a text and a blob" if "text" in entry else "neither a text nor a blob"
        diagnostics.add("invalid-value", f"The resource has {said}.", where, "Write either 'text' or 'blob'.")
        return {}
    found = _texts(entry, ("uri", "mimeType", "text"), where, diagnostics)
    if blob := pointers.pointer(entry.get("blob"), where.inside("blob"), diagnostics):
        found["blob"] = blob
    return found if "uri" in found and ("text" in found or "blob" in found) else {}


def _texts(entry: JsonObject, keys: Iterable[str], where: Where, diagnostics: Diagnostics) -> dict[str, RuleValue]:
    """Return the texts at `keys` of `entry` that are not empty."""
    found = {key: pointers.text(entry.get(key), where.inside(key), diagnostics) for key in keys}
    return {key: text for key, text in found.items() if text}


_READERS: Mapping[str, Callable[[JsonValue, Where, Diagnostics], RuleValue]] = {
    "answer": lambda *_: True,
    "text": pointers.text,
    "image": pointers.pointer,
    "audio": pointers.pointer,
    "resource": _resource,
    "link": link,
}
"""Kind of a content block → reader of its content. `answer` stands for the content of a result without `blocks`."""
