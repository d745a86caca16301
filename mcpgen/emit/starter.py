"""Write the tools file that `mcpgen init` proposes for a document.

The file contains active settings, and proposals as comments. Explanations follow `##`, and proposals follow `#`: a
proposal becomes valid YAML if its `#` is removed. Text of the document is written only by `sinks.yaml_scalar` and
`sinks.yaml_comment`.
"""

import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import clipped
from mcpgen.base.plurals import counted
from mcpgen.base.work import Budget
from mcpgen.check import too_many_tools
from mcpgen.emit import table
from mcpgen.emit.environment import environment
from mcpgen.emit.parts import PURPOSES
from mcpgen.emit.sinks import yaml_comment, yaml_scalar
from mcpgen.lower.schema.compose import PART, RUN, Composer
from mcpgen.model import Catalog, Operation, ToolSpec
from mcpgen.model.selection import select
from mcpgen.naming.verbs import singular
from mcpgen.read.toolsfile import editors
from mcpgen.retrieval import producers
from mcpgen.retrieval.lookups import finder_of, given_of, value_of

HEAVIEST, MOST_DANGEROUS = 10, 30
_LONGEST = 80
_PROSE = "##"

MOST_WORKFLOWS = 6
LONGEST_NAME = 64
TIMES, SECONDS = 30, 5
"""How often, and after how many seconds, a proposed workflow asks for the state of a job: within its own time limit."""

_TYPES = ("string", "integer", "number", "boolean", "array", "object")
_BODY = "$response.body#"
_PATH = "$request.path."
_VARIABLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Starter:
    """Contents of a tools file for `init`.

    `found`: number of tools of the document. `selected`: how many of these tools the file includes.
    """

    text: str
    found: int
    selected: int


@dataclass(frozen=True, slots=True)
class _Group:
    """The tools that one selector chooses, and their cost in tokens. `selector`: the selector as written on a command
    line.
    """

    kind: str
    value: str
    tools: int
    cost: int

    @property
    def selector(self) -> str:
        return f"{self.kind}:{self.value}"

    @property
    def line(self) -> str:
        """Return the selector as an item of a YAML list. A value that contains a comma, or begins or ends with a space,
        is written as a mapping.

        In the short form `kind:value`, such a value would be split or trimmed.
        """
        taken_apart = "," in self.value or self.value != self.value.strip()
        item = f"{{{self.kind}: {yaml_scalar(self.value)}}}" if taken_apart else yaml_scalar(self.selector)
        return f"- {item}  {_PROSE} {_count(self.tools, self.cost)}"


# One `#` before a proposal, two before an explanation: without its `#`, each proposal is valid YAML.
def starter(
    catalog: Catalog,
    document: str,
    name: str,
    described: str,
    folder: str = "",
    definitions: Mapping[str, JsonObject] | None = None,
) -> Starter:
    """Return a tools file with the file name `name` for the OpenAPI document `document`.

    `document`: the document's path or URL, as the tools file names it. `described`: the document's name in comments.
    `folder`: the document's folder, for `ref_dir`; "" if the document has a URL or is in the tools file's folder or
    below it. `definitions`: the schemas of the API, if workflows are to be proposed.
    """
    costs = {tool.name: table.cost(tool) for tool in catalog.tools}
    operations = [tool.operation for tool in catalog.tools]
    few = too_many_tools.few(operations)[1] if len(operations) > too_many_tools.TOO_MANY else []
    kept = {operation.key for operation in select(operations, few, ())}
    selected = [tool for tool in catalog.tools if tool.operation.key in kept]
    lines = [
        editors.line(),
        *_head(described, name, len(selected), catalog, sum(costs.values())),
        "mcpgen: 1",
        *_server(catalog),
        *_origin(catalog),
        *_security(catalog),
        "",
        f"# parts: [http]  {_PROSE} serve HTTP too; all parts: {', '.join(PURPOSES)}",
        "",
        *([f"ref_dir: [{yaml_scalar(folder)}]  {_PROSE} the folder of the document", ""] if folder else ()),
        "openapi:",
        f"  - document: {yaml_scalar(document)}",
        *_selection(catalog.tools, few, costs),
        *_overrides(selected, costs, operations),
        *(_workflows(_proposed(catalog.tools, definitions)) if definitions is not None else ()),
    ]
    return Starter("\n".join(lines) + "\n", len(catalog.tools), len(selected))


def _head(described: str, name: str, selected: int, catalog: Catalog, cost: int) -> Iterator[str]:
    yield f"{_PROSE} A server for the API in {yaml_comment(described)}: {_count(len(catalog.tools), cost)}."
    yield f"{_PROSE} A line behind a single # is a proposal: remove the # to use it. After each edit, run:"
    yield f"{_PROSE}   mcpgen generate {yaml_comment(shlex.quote(name))}"
    if selected < len(catalog.tools):
        yield f"{_PROSE} Models choose badly among so many tools, so only {selected} of them are selected below."


def _server(catalog: Catalog) -> Iterator[str]:
    identity = catalog.identity
    yield "server:"
    yield f"  name: {yaml_scalar(identity.name)}"
    yield f"  title: {yaml_scalar(identity.title)}"
    yield f"  # version: {yaml_scalar(identity.version)}"
    yield "  # instructions: What a model should know before it calls any tool."
    yield f"  # confirm: {{destructive: when-supported}}  {_PROSE} ask the user before a destructive call"


def _origin(catalog: Catalog) -> Iterator[str]:
    usual, *others = catalog.servers
    yield ""
    if "://" not in usual.url:
        yield f"{_PROSE} The document does not say which URL the API has."
        yield "# base_url: https://api.example.com/v1"
    elif "{" in usual.url:
        yield f"{_PROSE} The URL of the API in the document: {_cut(usual.url)}"
        yield "# base_url: https://api.example.com/v1"
    else:
        yield f"{_PROSE} The document contains the URL of the API; set another one here."
        yield f"# base_url: {yaml_scalar(usual.url)}"
    yield from (f"{_PROSE} Some tools call {_cut(other.url)} instead" for other in others)


def _security(catalog: Catalog) -> Iterator[str]:
    variables = [row for row in environment(catalog) if row.secret or row.usual]
    if variables:
        yield ""
        yield f"{_PROSE} Environment variables of the server:"
        yield from (f"{_PROSE}   {row.variable}: {_cut(row.purpose, 2 * _LONGEST)}" for row in variables)


# -- Selection of operations -------------------------------------------------------------------------------------------


def _selection(tools: tuple[ToolSpec, ...], few: list[str], costs: dict[str, int]) -> Iterator[str]:
    """Yield the lines of the key `include`, commented out if all tools are included, and a comment line for each group
    of tools that is left out.
    """
    groups = list(_groups(tools, costs))
    on = [_group(tools, selector, costs) for selector in few]
    off = sorted((each for each in groups if each.selector not in few), key=lambda each: each.selector.casefold())
    yield "    include:" if on else "    # include:"
    yield from (f"      {group.line}" for group in on)
    yield from (f"      # {group.line}" if on else f"    #   {group.line}" for group in off)
    deprecated = _group(tools, "deprecated:", costs)
    if 0 < deprecated.tools < len(tools):
        yield "    # exclude:"
        yield f"    #   - deprecated  {_PROSE} {_count(deprecated.tools, deprecated.cost)}"


def _groups(tools: tuple[ToolSpec, ...], costs: dict[str, int]) -> Iterator[_Group]:
    """Yield a group of tools for each tag, and for each beginning of the paths of operations without tags.

    A group contains all tools that its selector, such as `tag:pets`, chooses. So a tool can be in several groups.
    """
    tags = dict.fromkeys(tag for tool in tools for tag in tool.operation.tags)
    told: set[str] = set()
    for tag in tags:
        if tag.strip() and tag.casefold() not in told:
            told.add(tag.casefold())
            yield _group(tools, f"tag:{tag}", costs)
    untagged = [tool.operation.path for tool in tools if not any(map(str.strip, tool.operation.tags))]
    shared = len(posixpath.commonpath(untagged).rstrip("/")) + 1 if untagged else 0
    beginnings = Counter(path[:shared] + path[shared:].partition("/")[0] for path in untagged)
    for beginning in beginnings:
        yield _group(tools, f"path:{''.join('?' if mark in '*?[]' else mark for mark in beginning)}*", costs)


def _group(tools: Iterable[ToolSpec], selector: str, costs: dict[str, int]) -> _Group:
    kind, _, value = selector.partition(":")
    chosen = [tool for tool in tools if _is_chosen(tool.operation, kind, value)]
    return _Group(kind, value, len(chosen), sum(costs[tool.name] for tool in chosen))


def _is_chosen(operation: Operation, kind: str, value: str) -> bool:
    if kind == "deprecated":
        return operation.deprecated
    if "," not in value:
        return bool(select([operation], [f"{kind}:{value}"], ()))
    if kind == "tag":  # compare tags here, since `select` would split the selector at the comma in a tag
        return value.casefold() in map(str.casefold, operation.tags)
    return fnmatchcase(operation.path, value)


# -- Proposed overrides ------------------------------------------------------------------------------------------------


def _overrides(tools: list[ToolSpec], costs: dict[str, int], operations: list[Operation]) -> Iterator[str]:
    """Yield proposed overrides of the tools with the most tokens, and of tools that may delete or change something."""
    ids = Counter(operation.id for operation in operations)
    heaviest = sorted(tools, key=lambda tool: (-costs[tool.name], tool.name))[:HEAVIEST]
    dangerous = [tool for tool in tools if tool.annotations.destructive and tool not in heaviest]
    dangerous.sort(key=lambda tool: (tool.operation.method != "DELETE", tool.name))
    if not heaviest:
        return
    yield ""
    yield f"{_PROSE} Changes of single tools. The tools with the most tokens and the destructive tools come first."
    yield f"{_PROSE} Other keys: name, title, description, arguments, annotations, result; see `mcpgen inspect`."
    yield "# overrides:"
    for tool in (*heaviest, *dangerous[:MOST_DANGEROUS]):
        change = "{confirm: always}" if tool.annotations.destructive else "{hide: true}"
        said = f"{_request(tool.operation)}, about {costs[tool.name]:,} tokens, {tool.annotations.effect}"
        yield f"#   {yaml_scalar(_key(tool.operation, ids))}: {change}  {_PROSE} {said}"
    if len(dangerous) > MOST_DANGEROUS:
        yield f"{_PROSE} … and {counted(len(dangerous) - MOST_DANGEROUS, 'more destructive tool')}."


def _key(operation: Operation, ids: Counter[str | None]) -> str:
    """Return the key of an override for `operation`: the operationId if it is unique, else method and path."""
    if operation.id and ids[operation.id] == 1 and operation.id == operation.id.strip():
        return operation.id
    return f"{operation.method} {operation.path}"


def _request(operation: Operation) -> str:
    return _cut(f"{operation.method} {operation.path}")


def _count(number: int, cost: int) -> str:
    return f"{counted(number, 'tool')}, about {counted(cost, 'token')}"


def _cut(text: str, length: int = _LONGEST) -> str:
    return yaml_comment(clipped(text, length))


# -- Proposed workflows ------------------------------------------------------------------------------------------------

# Nothing is guessed. An operation that starts a job has a request that reads the state of the job. A link of a response
# (OpenAPI 3.1, 4.8.20) says which operation follows, and with which values. An id may come from the list or search of
# such items: then a tool that only reads is proposed for the first item found.


def _workflows(entries: Sequence[JsonObject]) -> Iterator[str]:
    """Yield proposed workflows, each an entry of `tools`."""
    if not entries:
        return
    yield ""
    yield f"{_PROSE} Workflows: tools that make several calls. These follow from jobs, links and ids of the document."
    yield "# tools:"
    for entry in entries:
        for number, key in enumerate(key for key in entry if key != "steps"):
            yield f"#   {' ' if number else '-'} {key}: {_flow(entry[key])}"
        yield "#     steps:"
        yield from (f"#       - {_flow(step)}" for step in as_list(entry["steps"]))


def _flow(value: JsonValue) -> str:
    """Return a text, a number, or an object of such values in YAML's flow style."""
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, dict):
        return yaml_scalar(str(value))
    return f"{{{', '.join(f'{yaml_scalar(name)}: {_flow(member)}' for name, member in value.items())}}}"


def _proposed(tools: Sequence[ToolSpec], definitions: Mapping[str, JsonObject]) -> list[JsonObject]:
    """Return workflows as entries of `tools:`, at most MOST_WORKFLOWS. `definitions`: the schemas of the API."""
    found = [*_jobs(tools), *_linked(tools), *_found_first(tools, Composer(definitions, Budget(RUN, PART)))]
    by_calls = {tuple(_called(each)): each for each in reversed(found)}  # a job is better than a link of its calls
    named = {str(each["name"]): each for each in reversed([*by_calls.values()])}
    # a step is named by its tool, and an argument cannot have the name of a step
    whole = (each for each in named.values() if as_object(each.get("arguments")).keys().isdisjoint(_called(each)))
    return sorted(whole, key=found.index)[:MOST_WORKFLOWS]


@dataclass(slots=True)
class _Draft:
    """A workflow that is being proposed. `arguments`: name → its type and `required`."""

    arguments: JsonObject = field(default_factory=dict)
    steps: list[JsonValue] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Return the names of the tools that the steps call."""
        return _called({"steps": self.steps})

    def ask(self, tool: ToolSpec, name: str) -> str:
        """Return a placeholder for an argument of a tool, which becomes an argument of the workflow."""
        kind = as_object(as_object(tool.input_schema.get("properties")).get(name)).get("type")
        self.arguments.setdefault(name, f"{kind if kind in _TYPES else 'string'} required")
        return f"{{{name}}}"

    def call(self, tool: ToolSpec, given: Mapping[str, str], **more: JsonValue) -> None:
        """Add a step that calls a tool. Required arguments that `given` lacks become arguments of the workflow.

        `more`: further keys of the step.
        """
        needed = [str(name) for name in as_list(tool.input_schema.get("required")) if name not in given]
        values: JsonObject = {**given, **{name: self.ask(tool, name) for name in needed}}
        self.steps.append({"call": tool.name, **({"with": values} if values else {}), **more})

    def entry(self, name: str, description: str) -> JsonObject:
        arguments: JsonObject = {"arguments": self.arguments} if self.arguments else {}
        return {"name": name[:LONGEST_NAME], "description": description, **arguments, "steps": self.steps}


def _jobs(tools: Sequence[ToolSpec]) -> Iterator[JsonObject]:
    """Yield a workflow for each job: start the job, ask for its state until it has ended, and fetch its result."""
    reads = {_blank(tool.operation.path): tool for tool in tools if tool.operation.method == "GET"}
    for first in tools:
        task = first.accepted.task if first.accepted is not None and first.accepted.kind == "job" else {}
        poll, values = _read(reads, task, "poll"), as_object(task.get("values"))
        if poll is None or poll is first or not (done := _condition(poll, task.get("done"))):
            continue
        draft = _Draft()
        draft.call(first, {})
        ends = " || ".join(filter(None, (done, _condition(poll, task.get("failed")))))
        asked: JsonObject = {"until": ends, "retry": {"times": TIMES, "seconds": SECONDS}}
        draft.call(poll, _path_of(draft, first, poll, str(task["poll"]), values), **asked)
        if (then := _read(reads, task, "result")) is not None:
            draft.call(then, _path_of(draft, first, then, str(task["result"]), values), when=done)
        what = "wait until it has ended, and fetch the result" if then else "and wait until it has ended"
        yield draft.entry(f"{first.name}_and_wait", f"{first.title}, {what}.")


def _read(reads: Mapping[str, ToolSpec], task: JsonObject, key: str) -> ToolSpec | None:
    """Return the tool that makes the request of a `task`, or None if the task names a URL, or there is no such tool."""
    method, _, path = str(task.get(key, "")).partition(" ")
    return reads.get(_blank(path)) if method == "GET" else None


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path)


def _path_of(draft: "_Draft", first: ToolSpec, then: ToolSpec, request: str, values: JsonObject) -> dict[str, str]:
    """Return argument of `then` -> placeholder, for the variables in the path of a request about a job.

    A variable is an argument of `first`, which has started the job, or a member of its answer: `values` has the JSON
    Pointers of members with another name.
    """
    given: dict[str, str] = {}
    for name, wire in zip(_VARIABLE.findall(request), then.operation.template.declared, strict=True):
        argument = next(each for slot, each in then.arguments.items() if slot == ("path", wire))
        is_own = name in first.arguments.values() and name not in values
        given[argument] = draft.ask(first, name) if is_own else f"{{{first.name}{values.get(name, f'/{name}')}}}"
    return given


def _condition(poll: ToolSpec, written: JsonValue) -> str:
    """Return a condition of a `task`, such as `/status == done, failed`, as one of a step; "" if there is none."""
    pointer, _, words = str(written or "").partition(" == ")
    if not pointer.startswith("/") or not pointer.isprintable() or set("{} ") & set(pointer):
        return ""
    state = f"{{{poll.name}{pointer}}}"
    return " || ".join(f"{state} == '{word}'" for word in words.split(", ")) if words else f"{state} == true"


def _linked(tools: Iterable[ToolSpec]) -> Iterator[JsonObject]:
    """Yield a workflow for each link whose parameters come from the body of the answer, or from the path."""
    tools = list(tools)
    by_id = {tool.operation.id: tool for tool in tools if tool.operation.id}
    for first in tools:
        links = [link for response in first.operation.responses for link in response.links]
        for link in links if not first.input_schema.get("$defs") else ():
            then = by_id.get(link.operation_id)
            given = None if then is None else _given(first, then, link.parameters)
            if then is None or then is first or given is None or not given:
                continue
            draft = _Draft()
            draft.call(first, {})
            draft.call(then, given)
            yield draft.entry(f"{first.name}_then_{then.name}", f"{first.title}, then {_lower(then.title)}.")


def _given(first: ToolSpec, then: ToolSpec, parameters: Mapping[str, str]) -> dict[str, str] | None:
    """Return argument of `then` → placeholder, for the parameters of a link; None if one cannot be written so."""
    given: dict[str, str] = {}
    for written, expression in parameters.items():
        name = written.partition(".")[2] or written
        argument = next((each for (_, wire), each in then.arguments.items() if wire == name), "")
        if expression.startswith(_BODY):
            value = f"{{{first.name}{expression.removeprefix(_BODY)}}}"
        elif expression.startswith(_PATH):
            wire = expression.removeprefix(_PATH)
            own = next((each for (place, name), each in first.arguments.items() if (place, name) == ("path", wire)), "")
            value = f"{{{own}}}"
        else:
            return None
        if not argument or value == "{}":
            return None
        given[argument] = value
    return given


def _found_first(tools: Iterable[ToolSpec], composer: Composer) -> Iterator[JsonObject]:
    """Yield a workflow for each tool that reads, and whose ids are those of the first item of a list or a search. The
    workflows with the most steps come first.
    """
    tools = list(tools)
    by_name, found = {tool.name: tool for tool in tools}, []
    for name, sources in producers.sources(tools, composer).items():
        tool = by_name[name]
        draft, values, noun = _Draft(), dict[str, str](), ""
        for source in sources if tool.annotations.read_only else ():
            finder = finder_of(by_name[source.tool], source, composer)
            given = None if finder is None or not source.in_path else given_of(tool, finder)
            kinds = [str(as_object(as_object(tool.input_schema.get("properties")).get(source.argument)).get("type"))]
            value = "" if finder is None else value_of(source, finder.members, kinds)
            if finder is None or given is None or not value or finder.tool.name in (tool.name, *draft.names):
                continue
            draft.call(finder.tool, {name: values.get(ours) or draft.ask(tool, ours) for name, ours in given.items()})
            values[source.argument], noun = f"{{{finder.tool.name}{finder.items}/0/{value}}}", source.noun
        if values:
            before = draft.names[-1]
            draft.call(tool, values)
            name = f"{tool.name}_of_first_{singular(noun)}".replace(" ", "_")
            found.append(draft.entry(name, f"{tool.title}, for the first {noun} that {before} finds."))
    yield from sorted(found, key=lambda each: (-len(as_list(each["steps"])), str(each["name"])))


def _called(entry: JsonObject) -> list[str]:
    return [str(as_object(step)["call"]) for step in as_list(entry["steps"])]


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]
