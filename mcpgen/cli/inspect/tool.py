"""Show one tool in full: its texts, its arguments, and the part of the request in which each argument is sent."""

import textwrap
from collections.abc import Mapping, Sequence

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object
from mcpgen.base.plurals import counted
from mcpgen.cli import report
from mcpgen.cli.inspect import contract, findings, layout, schemas, templates
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
    rules = [*templates.always(contract.fixed(tool)), *templates.shown(table.result_rules(tool.binding))]
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
        for member in schemas.members(tool.whole_schema)
    ]


def _target(place: JsonObject) -> str:
    """Return the part of the request that an argument fills, such as `path petId` or `body`; "" if it fills none."""
    if not place:
        return ""
    name = f" {place['name']}" if place["name"] else ""
    part = f" ({place['part']})" if "part" in place else ""
    part += f" as {templates.template(as_object(place['template']))}" if "template" in place else ""
    also = "".join(f" and {_target(as_object(other))}" for other in as_list(place.get("also")))
    by = f" by {place['by']}" if "by" in place else ""
    return f"{place['in']}{name}{part}{by}{also}"
