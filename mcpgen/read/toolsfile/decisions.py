"""Read what a tools file decides about one tool: the keys that tools and overrides have in common, and those of
`server:` that hold for all tools.

Invalid values are skipped here; `schema_check` has already reported them.
"""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import ALIAS, WRITTEN_TOOL_NAME, clipped
from mcpgen.model import Decisions, TaskPlace, TaskRequest, TaskRule, TaskTarget, Template
from mcpgen.read.openapi import paths
from mcpgen.read.toolsfile import access, questions, results, schema_check, templates

_AS_WRITTEN = (
    "listed", "output", "fields", "view", "pages", "redirects", "lookups", "timeout", "confirm", "consent", "portable",
)  # fmt: skip
"""Keys whose values are the decisions as they are written, if the schema allows them."""


def of_server(server: JsonObject) -> Decisions:
    """Return the decisions in `server`, which hold for each tool that decides nothing else."""
    return Decisions(**schema_check.valid(server, ("output", "fields", "pages", "redirects", "lookups"), "server"))


def read(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Decisions:
    """Return the decisions in `entry`, a tool or an override at `where`."""
    name, title = entry.get("name"), entry.get("title")
    return Decisions(
        **schema_check.valid(entry, _AS_WRITTEN, "override"),
        name=name if isinstance(name, str) and WRITTEN_TOOL_NAME.fullmatch(name) else None,
        title=title if isinstance(title, str) and title.strip() else None,
        aliases=_aliases(entry, where),
        hints=_annotations(entry, where, diagnostics),
        output_schema=_output_schema(entry, where, diagnostics),
        result=results.read(entry, where, diagnostics),
        task=_task(entry, where, diagnostics),
        ask=questions.read(entry, where, diagnostics),
        roles=access.roles(entry),
        scopes=access.scopes(entry),
        requires=access.requires(entry),
    )


# The author of a handwritten tool knows how it behaves, so its hints count as written.
def _annotations(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> Mapping[str, bool]:
    """Return the tool annotations of a tool in the tools file: name in MCP (such as `readOnlyHint`) → value."""
    found = as_object(entry.get("annotations"))
    if found.get("readOnlyHint") is True and found.get("destructiveHint") is True:
        message = (
            "A tool cannot have both readOnlyHint and destructiveHint: a tool that changes nothing destroys nothing."
        )
        place = where.inside("annotations", "destructiveHint")
        diagnostics.add("invalid-value", message, place, "Leave one of readOnlyHint and destructiveHint out.")
    return {name: value for name, value in found.items() if isinstance(value, bool)}


def _output_schema(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> JsonObject | None:
    """Return the output schema as it was written, or None if there is none."""
    value = entry.get("outputSchema")
    if not isinstance(value, dict):
        return None
    if entry.get("output") == "text":
        message = "A tool with an outputSchema cannot have the output `text`."
        diagnostics.add(
            "invalid-value", message, where.inside("output"), "Leave out either the outputSchema or `output: text`."
        )
    if entry.get("fields") is True:
        message = (
            "A tool with an outputSchema cannot have `fields`: a part of a result would not match the output schema."
        )
        diagnostics.add(
            "invalid-value", message, where.inside("fields"), "Leave out either the outputSchema or `fields`."
        )
    return value


def _aliases(entry: JsonObject, where: Where) -> Mapping[str, Where]:
    """Return alias → its place in the tools file, for each alias of a tool. `where`: the place of the tool or
    override.
    """
    place = where.inside("aliases")
    return {
        name: place.inside(index)
        for index, name in enumerate(as_list(entry.get("aliases")))
        if isinstance(name, str) and ALIAS.fullmatch(name)
    }


# -- jobs --------------------------------------------------------------------------------------------------------------

_HEADERS = ("location", "operation-location", "azure-asyncoperation", "content-location")
"""Header fields that usually hold the URL of a job. Their names are recognised without the word `header` before
them.
"""

_REQUEST = re.compile(r"(GET|POST|PUT|PATCH|DELETE|HEAD) (/\S*)")
_HEADER = re.compile(r"header ([A-Za-z0-9-]+)", re.IGNORECASE)
_ID = re.compile(r"[A-Za-z_][\w.:/#-]*")
_LONGEST_LIFE = 30 * 24 * 3600.0
_HOW = "Write `GET /jobs/{id}`, an operationId, a header such as `Location`, or a pointer such as `/links/self`."


def _task(entry: JsonObject, where: Where, diagnostics: Diagnostics) -> TaskRule | None:
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
    if text.lower() in _HEADERS:
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
