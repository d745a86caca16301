"""Read `task:` of a tool or an override: a call starts a job, and `task` says how the server polls it until it ends.

Invalid types are skipped here; `schema_check` has already reported them.
"""

import re
from urllib.parse import parse_qsl

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.base.names import clipped
from mcpgen.model import TaskPlace, TaskRequest, TaskRule, TaskTarget, Template
from mcpgen.read.openapi import paths
from mcpgen.read.toolsfile import results, templates

HEADERS = ("location", "operation-location", "azure-asyncoperation", "content-location")
"""Header fields that usually hold the URL of a job. Their names are recognised without the word `header` before
them.
"""

_REQUEST = re.compile(r"(GET|POST|PUT|PATCH|DELETE|HEAD) (/\S*)")
_HEADER = re.compile(r"header ([A-Za-z0-9-]+)", re.IGNORECASE)
_ID = re.compile(r"[A-Za-z_][\w.:/#-]*")
_LONGEST_LIFE = 30 * 24 * 3600.0
_HOW = "Write `GET /jobs/{id}`, an operationId, a header such as `Location`, or a pointer such as `/links/self`."


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> TaskRule | None:
    """Read the key `task` of `entry`, a tool or an override. Return None if it is missing or lacks a valid `poll`."""
    found = as_object(entry.get("task"))
    place = where.inside("task")
    if not isinstance(found.get("poll"), str):
        return None  # no `task`, or one without a valid `poll`, which schema_check has reported
    poll = _target(as_text(found["poll"]), place.inside("poll"), diagnostics)
    if poll is None:
        return None
    result = _given(found, "result", place, diagnostics)
    cancel = _given(found, "cancel", place, diagnostics)
    if isinstance(cancel, TaskPlace):
        message = "The value of `cancel` must be a request that cancels the job."
        diagnostics.add("invalid-value", message, place.inside("cancel"), "Write the request as `DELETE /jobs/{id}`.")
    return TaskRule(
        place,
        poll,
        tuple(results.conditions(found.get("done"), place.inside("done"), diagnostics)),
        tuple(results.conditions(found.get("failed"), place.inside("failed"), diagnostics)),
        result,
        cancel if isinstance(cancel, TaskRequest) else None,
        {name: pointer for name, pointer in as_object(found.get("values")).items() if isinstance(pointer, str)},
        as_text(found.get("message")),
        _seconds(found.get("interval")),
        _seconds(found.get("ttl")),
    )


def _given(found: JsonObject, key: str, where: Where, diagnostics: Diagnostics) -> TaskTarget | None:
    return _target(as_text(found[key]), where.inside(key), diagnostics) if isinstance(found.get(key), str) else None


def _target(text: str, where: Where, diagnostics: Diagnostics) -> TaskTarget | None:
    """Return what a text names: a request, a header field, a pointer, or an operation. Report any other text and return
    None.
    """
    text = text.strip()
    if request := _REQUEST.fullmatch(text):
        return _request(request[1], request[2], where, diagnostics)
    if header := _HEADER.fullmatch(text):
        return TaskPlace(header=header[1].lower())
    if text.lower() in HEADERS:
        return TaskPlace(header=text.lower())
    if text.startswith("/"):
        return TaskPlace(pointer=text)
    if _ID.fullmatch(text):
        return TaskRequest(where, operation=text)
    diagnostics.add("invalid-value", f"'{clipped(text)}' does not say where to find the job.", where, _HOW)
    return None


def _request(method: str, target: str, where: Where, diagnostics: Diagnostics) -> TaskRequest | None:
    path, _, query = target.partition("?")
    try:
        template = paths.parse(path, where, diagnostics)
    except SkipOperation as unusable:
        diagnostics.add("invalid-value", unusable.diagnostic.message, where, unusable.diagnostic.hint)
        return None
    fields: dict[str, Template] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        parts = templates.text(value, where, diagnostics)
        alone = parts[0] if len(parts) == 1 else None
        literal = "".join(part for part in parts if isinstance(part, str))
        if isinstance(alone, dict):
            fields[name] = alone
        elif all(isinstance(part, str) for part in parts):
            fields[name] = {"value": literal}
        else:
            fields[name] = {"text": list[JsonValue](parts)}
    return TaskRequest(where, method, template.literals, template.declared, fields)


def _seconds(value: JsonValue) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _LONGEST_LIFE:
        return value
    return None
