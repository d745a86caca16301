"""Show one tool in full: its texts, its arguments with the members of their schemas, and the part of the request in
which each argument is sent.

Request templates, fixed values and result rules are shown in the syntax of the tools file.
"""

import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.plurals import counted
from mcpgen.cli import report
from mcpgen.cli.inspect import contract, findings, layout
from mcpgen.emit import table
from mcpgen.lower.jobs import proposals
from mcpgen.model import AcceptedKind, AskedQuestion, CallerScopes, Catalog, Lookup, ToolSpec

_HEAD = ("argument", "type", "goes to", "description")
_REQUIRED = " *"
_AFTER: Mapping[AcceptedKind, str] = {
    "job": "the job can be looked at",
    "again": "the result comes later by the same request",
    "resource": "only the changed resource itself can be read",
    "forget": "nothing can be looked at",
}


def show(tool: ToolSpec, catalog: Catalog, diagnostics: Sequence[Diagnostic]) -> None:
    """Print everything about one tool: its texts, hints, request, arguments and results."""
    concerned = findings.Concerned(catalog.tools)
    concerning = [found for found in diagnostics if tool.name in concerned.by(found)]
    report.say(f"{tool.name}: {tool.title}", err=False, bold=True)
    _say_wrapped(tool.description)
    report.say_lines(["", *_request(tool, catalog), _facts(tool, concerning)], err=False)
    if rows := _rows(tool):
        report.say(err=False)
        head, *lines = layout.running([_HEAD, *rows], yielding=(1, 2, 0))
        report.say(head, err=False, bold=True)
        for line in lines:
            report.say(line, err=False)
        if any(row[0].endswith(_REQUIRED) for row in rows):
            report.say("* is required.", err=False)
    rules = [*_always(contract.fixed(tool)), *shown(table.result_rules(tool.binding))]
    report.say_lines(["", *rules] if rules else [], err=False)
    for found in concerning:
        report.say_lines(["", f"{found.severity}: {found.message} [{found.code}]"], err=False)


def _say_wrapped(text: str) -> None:
    size = layout.width()
    for line in textwrap.wrap(text, size) if size else [text]:
        report.say(line, err=False)


def _request(tool: ToolSpec, catalog: Catalog) -> list[str]:
    """Return lines that describe the request: method, path, body, and settings such as the timeout."""
    server = catalog.servers[tool.binding.server].url
    lines = [f"{tool.operation.method} {server.rstrip('/') if '://' in server else ''}{tool.operation.path}"]
    if tool.binding.workflow is not None:
        steps = map(as_object, as_list(tool.binding.workflow["steps"]))
        lines = [f"{number}. {step['id']}: {step['tool']}" for number, step in enumerate(steps, 1)]
    if (body := tool.binding.body) is not None:
        lines.append(f"body: {body.content_type}{'' if body.required else ' (optional)'}")
    if tool.binding.timeout is not None:
        lines.append(f"timeout: {tool.binding.timeout:g} s")
    lines += [f"asks the user: {_question(each)}" for each in tool.questions]
    if (pages := tool.binding.pages) is not None:
        lines.append(
            f"pages: all, with the items at {pages.items or 'the root of the answer'} joined"
            if pages.items is not None
            else "pages: all, with the items of the answer's only list joined"
        )
    lines += [f"lookup: {_lookup(each)}" for each in tool.binding.lookups]
    if tool.accepted is not None:
        look = tool.accepted.look
        lines.append(f"after the response: {_AFTER[tool.accepted.kind]}{look and ': '}{look}")
        lines += [f"to follow the job: task: {proposals.written(tool.accepted.task)}"] if tool.accepted.task else []
    return lines


def _question(question: AskedQuestion) -> str:
    """Return a description of a question to the user: its message, its fields, and when the server asks it."""
    message = "".join(part if isinstance(part, str) else f"{{{part['argument']}}}" for part in question.message)
    fields = ", ".join(name + (_REQUIRED if name in question.required else "") for name in question.form)
    limits = ["if missing"] if question.missing else []
    limits += [f"if {' and '.join(question.when)} fit"] if question.when else []
    limits += ["else as arguments"] if question.without == "arguments" else []
    return f'{question.name}, "{message}" ({fields})' + "".join(f", {each}" for each in limits)


def _lookup(lookup: Lookup) -> str:
    """Return a sentence on how an id is looked up: which tool returns the items, which members of an item hold its
    name, and which member holds the id.
    """
    asked = f"({lookup.query}={lookup.argument})" if lookup.query else ""
    found = f"the {' or '.join(lookup.names)} of an item that {lookup.tool}{asked} finds"
    return f"{lookup.argument} is {found}; its {lookup.value} is {lookup.id}"


def _facts(tool: ToolSpec, concerning: Sequence[Diagnostic]) -> str:
    operation = tool.operation
    facts = [*findings.words(tool, concerning)]
    facts += ["safe to repeat"] if tool.annotations.idempotent and not tool.annotations.read_only else []
    facts += [f"for the roles {', '.join(tool.roles)}"] if tool.roles else []
    facts += [f"also called {', '.join(tool.aliases)}"] if tool.aliases else []
    facts += [f"for callers with {_any_of(tool.binding.caller_scopes)}"] if tool.binding.caller_scopes else []
    facts += [f"about {counted(table.cost(tool), 'token')}"]
    facts += [f"operationId {operation.id}"] if operation.id else []
    by = dict.fromkeys(reversed(operation.decided.changed_by))  # the override with the highest precedence first
    facts += [f"changed by {', '.join(by)}"] if by else []
    facts += [f"tags {', '.join(operation.tags)}"] if operation.tags else []
    return ", ".join(facts)


def _any_of(alternatives: CallerScopes) -> str:
    """Return alternative sets of scopes in words: `the scopes a and b, or c`."""
    several = len(alternatives) > 1 or len(alternatives[0]) > 1
    return f"the {'scopes' if several else 'scope'} {', or '.join(' and '.join(each) for each in alternatives)}"


def _rows(tool: ToolSpec) -> list[tuple[str, ...]]:
    places = contract.arguments_json(tool)
    return [
        (
            member.path + (_REQUIRED if member.required else ""),
            member.type,
            "" if member.nested else _target(as_object(places.get(member.path))),
            " ".join(
                filter(None, (member.description, f"One of {', '.join(member.choices)}." if member.choices else ""))
            ),
        )
        for member in members(tool.whole_schema)
    ]


def _target(place: JsonObject) -> str:
    """Return the part of the request that an argument fills, such as `path petId` or `body`; "" if it fills none."""
    if not place:
        return ""
    name = f" {place['name']}" if place["name"] else ""
    part = f" ({place['part']})" if "part" in place else ""
    part += f" as {_template(as_object(place['template']))}" if "template" in place else ""
    also = "".join(f" and {_target(as_object(other))}" for other in as_list(place.get("also")))
    by = f" by {place['by']}" if "by" in place else ""
    return f"{place['in']}{name}{part}{by}{also}"


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of a schema.

    `path`: path of the member, which begins with an argument, such as `pet.tags[]`. `type`: its type in words.
    `choices`: allowed values as JSON. `nested`: True if it is inside an argument.
    """

    path: str
    nested: bool
    type: str
    required: bool
    description: str
    choices: tuple[str, ...]


def members(schema: JsonObject, path: str = "") -> Iterator[_Member]:
    """Yield the members of an object schema, each followed by the members nested in it."""
    required = as_list(schema.get("required"))
    for name, value in as_object(schema.get("properties")).items():
        inner = as_object(value)
        description = as_text(inner.get("description"))
        choices = tuple(dict.fromkeys(_choices(inner)))
        yield _Member(path + name, path != "", _type_of(inner), name in required, description, choices)
        yield from _inside(inner, path + name)


def _inside(schema: JsonObject, path: str) -> Iterator[_Member]:
    for branch in (schema, *_branches(schema)):
        yield from members(branch, f"{path}.")
        if "items" in branch:
            yield from _inside(as_object(branch["items"]), f"{path}[]")


def _branches(schema: JsonObject) -> list[JsonObject]:
    return [as_object(branch) for key in ("anyOf", "oneOf") for branch in as_list(schema.get(key))]


def _choices(schema: JsonObject) -> Iterator[str]:
    for value in _listed(schema):
        if value is not None:
            yield json.dumps(value, ensure_ascii=False)
    for inner in (*_branches(schema), as_object(schema.get("items"))):
        if inner:
            yield from _choices(inner)


def _listed(schema: JsonObject) -> list[JsonValue]:
    return [schema["const"]] if "const" in schema else as_list(schema.get("enum"))


def _type_of(schema: JsonObject) -> str:
    """Return the type in words: `integer`, `array of string`, `string (date) or null`."""
    if "type" not in schema and (values := _listed(schema)):
        return " or ".join(dict.fromkeys(map(_kind, values)))
    if branches := _branches(schema):
        return " or ".join(dict.fromkeys(map(_type_of, branches)))
    if "$ref" in schema:
        return as_text(schema["$ref"]).rpartition("/")[2]
    kinds = schema.get("type", "any")
    return " or ".join(_named(kind, schema) for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _kind(value: JsonValue) -> str:
    kinds = ((type(None), "null"), (bool, "boolean"), (str, "string"), ((int, float), "number"), (list, "array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")


def _named(kind: JsonValue, schema: JsonObject) -> str:
    if kind == "array" and "items" in schema:
        inner = _type_of(as_object(schema["items"]))
        return f"array of ({inner})" if " or " in inner else f"array of {inner}"
    return f"{kind} ({schema['format']})" if kind == "string" and "format" in schema else str(kind)


def text(parts: JsonValue) -> str:
    """Return a text in the syntax of the tools file: literals, and placeholders in braces."""
    return "".join(_part(each) for each in as_list(parts))


def _part(each: JsonValue) -> str:
    if isinstance(each, dict):
        return f"{{{each.get('argument', each.get('pointer', ''))}}}"
    return str(each).replace("{", "{{").replace("}", "}}")


def _template(node: JsonObject) -> str:
    """Return a template (a value with placeholders) in the syntax of the tools file."""
    if "text" in node:
        return text(node["text"])
    return json.dumps(_plain(node), ensure_ascii=False)


def _plain(node: JsonObject) -> JsonValue:
    if "argument" in node:
        return f"{{{node['argument']}}}"
    if "text" in node:
        return text(node["text"])
    if "items" in node:
        return [_plain(as_object(each)) for each in as_list(node["items"])]
    if "members" in node:
        others: JsonObject = {"*": "all other arguments"} if "others" in node else {}
        return {**{key: _plain(as_object(each)) for key, each in as_object(node["members"]).items()}, **others}
    return node.get("value")


def _always(fixed: list[JsonValue]) -> Iterator[str]:
    """Yield a line for each constant value that every call sends."""
    for each in map(as_object, fixed):
        value = each["value"] if isinstance(each["value"], str) else json.dumps(each["value"], ensure_ascii=False)
        yield f"always sent: {each['in']} {each['name']} = {value}".replace("  ", " ")


def shown(rules: JsonObject) -> Iterator[str]:
    """Yield lines on each rule for a tool's results. A rule without own words is shown as the tools file writes it."""
    for name, value in rules.items():
        yield from _WORDS[name](value) if name in _WORDS else (f"result {name}: {_flat(value)}",)


def _flat(value: JsonValue) -> str:
    """Return a value of a rule on one line."""
    if isinstance(value, list):
        return ", ".join(map(_flat, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _selected(select: JsonValue) -> Iterator[str]:
    if isinstance(select, dict):
        yield f"shown parts of every answer: {', '.join((f'{name} = {pointer}' for name, pointer in select.items()))}"
    else:
        yield f"shown part of every answer: {select}"


def _condition(node: JsonValue) -> str:
    """Return a condition on a response in the syntax of the tools file."""
    condition = as_object(node)
    values = as_list(condition.get("values"))
    written = ", ".join(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in values)
    comparison = f" {'!=' if 'not' in condition else '=='} {written}" if values else ""
    return f"{condition.get('pointer', 'status')}{comparison}"


def _block(block: JsonObject) -> str:
    """Return one line that says what a content block of a result contains."""
    each = f" for each of {block['each']}" if "each" in block else ""
    if "answer" in block:
        return "the answer"
    if "text" in block:
        return f"text {text(block['text'])}{each}"
    if "link" in block:
        return f"link to {text(as_object(block['link'])['uri'])}{each}"
    if "resource" in block:
        held = as_object(block["resource"])
        source = held["blob"] if "blob" in held else text(held["text"])
        return f"resource {text(held['uri'])} with {source}{each}"
    kind = "image" if "image" in block else "audio"
    return f"{kind} {block[kind]}{each}"


_WORDS: Mapping[str, Callable[[JsonValue], Iterable[str]]] = {
    "graphql": lambda _: ["failed if: the answer has errors and no data (GraphQL)"],
    "failed": lambda conditions: [f"failed if: {' or '.join(map(_condition, as_list(conditions)))}"],
    "remove": lambda pointers: [f"removed from every answer: {_flat(pointers)}"],
    "select": _selected,
    "headers": lambda names: [f"told header fields: {_flat(names)}"],
    "text": lambda parts: [f"shown as: {text(parts)}"],
    "links": lambda links: [
        f"links to: {text(link['uri'])} ({text(link['name'])})" for link in map(as_object, as_list(links))
    ],
    "blocks": lambda blocks: [f"block: {_block(as_object(block))}" for block in as_list(blocks)],
}
"""Name of a rule for results → the lines that show its value."""
