"""Read `result:` of a tool or an override: rules for the results of a tool.

A rule is a key of `result` in `schema.json`, and has the same name in `bindings.json`. A rule that `_READERS` does not
contain has the same value there, too. Rules contain JSON Pointers into responses, texts with such pointers as
placeholders, and conditions on a response, such as `/status == finished`. `task` has conditions too.

Invalid types are skipped here; `schema_check` has already reported them.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.base.secrets import is_secret_field
from mcpgen.model import ResultView, RuleValue, Text
from mcpgen.read.toolsfile import schema_check, templates

_CONDITION = re.compile(r"(/\S*|status)(?:\s*(==|!=)\s*(.+))?", re.DOTALL)
_HOW = "Write `/status == finished`, `/done`, `/state != running, queued`, or `status == 200`."


def pointer(value: JsonValue, where: Where, diagnostics: Diagnostics) -> str | None:
    """Return `value` if it is a JSON Pointer that begins with `/`, else None.

    A `~` without 0 or 1 after it is reported here. `schema_check` has already reported a missing `/`.
    """
    if not isinstance(value, str):
        return None
    if "~" in value.replace("~0", "").replace("~1", ""):
        message = f"'{clipped(value)}' is not a JSON Pointer: it contains a ~ without 0 or 1 after it."
        diagnostics.add("invalid-value", message, where, "Write ~0 for ~, and ~1 for a / in a name.")
        return None
    return value if value.startswith("/") else None


def text(value: JsonValue, where: Where, diagnostics: Diagnostics) -> Text | None:
    """Return the parts of a text: literal texts and placeholders. `{/pointer}` stands for a value of the response."""
    if not isinstance(value, str):
        return None
    parts = templates.text(value, where, diagnostics, pointers=True)
    for each in templates.places(parts, "pointer"):
        pointer(each, where, diagnostics)
    return parts


def conditions(value: JsonValue, where: Where, diagnostics: Diagnostics) -> list[JsonValue]:
    """Return the conditions in `value`, whose place is `where`: one text, or a list of texts."""
    return [*_listed_conditions(value if isinstance(value, list) else [value], where, diagnostics)]


def _listed_conditions(texts: list[JsonValue], where: Where, diagnostics: Diagnostics) -> Iterator[JsonObject]:
    for text in texts:
        if not isinstance(text, str):
            continue
        found = _CONDITION.fullmatch(text.strip())
        if found is None or (found[1] == "status" and found[3] is None):
            message = f"'{clipped(text)}' is not a valid condition on a response."
            diagnostics.add("invalid-value", message, where, _HOW)
            continue
        condition: JsonObject = {} if found[1] == "status" else {"pointer": found[1]}
        if found[3]:
            condition["values"] = list(map(_value, found[3].split(",")))
        yield {**condition, "not": True} if found[2] == "!=" else condition


def _value(text: str) -> JsonValue:
    """Return the value that a condition compares with: a JSON scalar if the text is one, else the text itself."""
    text = text.strip()
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (dict, list)) else value


_Reader = Callable[[JsonValue, Where, Diagnostics], RuleValue]
_AUDIENCE = ("user", "assistant")


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> ResultView | None:
    """Return the `result` of `entry` (a tool or an override), or None if `entry` has none.

    A later pass checks that the arguments and resources named in `result` exist.
    """
    found = entry.get("result")
    if not isinstance(found, dict) or not found:
        return None
    place = where.inside("result")
    if isinstance(found.get("text"), str) and entry.get("fields") is True:
        message = (
            "A tool whose result is a `text` cannot have `fields`, because `text` already says which parts are shown."
        )
        diagnostics.add("invalid-value", message, where.inside("fields"), "Leave out either `text` or `fields`.")
    rules: dict[str, RuleValue] = {}
    for name in schema_check.keys("result"):
        if name in found:
            value = _READERS.get(name, _as_written(name))(found[name], place.inside(name), diagnostics)
            if value is not None and value != []:
                rules[name] = value
    return ResultView(place, rules)


def _as_written(name: str) -> _Reader:
    """Return the reader of a rule whose value is taken as it is written, if the schema allows it."""
    return lambda value, *_: value if schema_check.is_valid("result", name, value) else None


def _removed(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    found = (pointer(each, where.inside(index), diagnostics) for index, each in enumerate(as_list(value)))
    return [each for each in found if each]


def _headers(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    """Return the names of the header fields to show. A field that holds a secret is reported and left out."""
    names = [each for each in as_list(value) if isinstance(each, str)]
    shown = [each for each in names if not is_secret_field(each)]
    for index, name in enumerate(names):
        if name not in shown:
            message = f"A model must not see the header field {clipped(name)}, which may hold a secret."
            diagnostics.add("invalid-value", message, where.inside(index), "Leave it out.")
    return shown if schema_check.is_valid("result", "headers", value) else None


def _selected(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    if not isinstance(value, dict):
        return pointer(value, where, diagnostics)
    found = {name: pointer(each, where.inside(name), diagnostics) for name, each in value.items()}
    return {name: each for name, each in found.items() if each} or None


def _linked(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    found = (_link(each, where.inside(index), diagnostics) for index, each in enumerate(as_list(value)))
    return [each for each in found if each]


# -- Links and content blocks ------------------------------------------------------------------------------------------


def _blocks(value: JsonValue, where: Where, diagnostics: Diagnostics) -> list[RuleValue]:
    """Return the content blocks that the list `value` describes. Report and leave out faulty blocks."""
    entries = ((each, where.inside(index)) for index, each in enumerate(as_list(value)) if isinstance(each, dict))
    return [block for entry, place in entries if (block := _block(entry, place, diagnostics))]


def _link(value: JsonValue, where: Where, diagnostics: Diagnostics) -> RuleValue:
    """Return the texts of a link to a resource, or {} if it lacks its `uri` or its `name`."""
    entry = as_object(value)
    if not all(isinstance(entry.get(key), str) for key in ("uri", "name")):
        return {}  # invalid link, skipped: schema_check has already reported it
    return _texts(entry, ("uri", "name", "title", "description", "mimeType"), where, diagnostics)


def _block(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> dict[str, RuleValue]:
    """Return a content block, or {} if it is faulty."""
    given = [kind for kind in _CONTENTS if kind in entry]
    if len(given) != 1:
        said = f"both '{given[0]}' and '{given[1]}'" if given else "no content"
        hint = f"Use one of these keys: {', '.join(_CONTENTS)}."
        diagnostics.add("invalid-value", f"The block has {said}.", where, hint)
        return {}
    kind, each = given[0], as_text(entry.get("each"))
    if each and not pointer(each, where.inside("each"), diagnostics):
        return {}
    if kind == "answer" and each:
        message = "A content block of the kind `answer` contains the whole answer, so it cannot have `each`."
        diagnostics.add("invalid-value", message, where.inside("each"), "Leave `each` out.")
        return {}
    content = _CONTENTS[kind](entry[kind], where.inside(kind), diagnostics)
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
    if blob := pointer(entry.get("blob"), where.inside("blob"), diagnostics):
        found["blob"] = blob
    return found if "uri" in found and ("text" in found or "blob" in found) else {}


def _texts(entry: JsonObject, keys: Iterable[str], where: Where, diagnostics: Diagnostics) -> dict[str, RuleValue]:
    """Return the texts at `keys` of `entry` that are not empty."""
    found = {key: text(entry.get(key), where.inside(key), diagnostics) for key in keys}
    return {key: parts for key, parts in found.items() if parts}


_CONTENTS: Mapping[str, _Reader] = {
    "answer": lambda *_: True,
    "text": text,
    "image": pointer,
    "audio": pointer,
    "resource": _resource,
    "link": _link,
}
"""Kind of a content block → reader of its content. `answer` stands for the content of a result without `blocks`."""


_READERS: Mapping[str, _Reader] = {
    "failed": conditions,
    "remove": _removed,
    "select": _selected,
    "headers": _headers,
    "text": text,
    "links": _linked,
    "blocks": _blocks,
}
"""Name of a rule → reader of a value that contains conditions, JSON Pointers or texts."""
