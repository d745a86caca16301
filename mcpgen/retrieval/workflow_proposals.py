"""Propose workflows for an API: one tool for calls that a document shows to belong together.

A link of a response (OpenAPI 3.1, 4.8.20) says which operation follows, and with which values. And an id that a tool
needs may come from the list or search of such items: then the tool is proposed for the first item found, if it only
reads. Nothing else is guessed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.work import Budget
from mcpgen.lower.schema.compose import PART, RUN, Composer
from mcpgen.model import Catalog, ToolSpec
from mcpgen.naming.inflection import singular
from mcpgen.retrieval import producers
from mcpgen.retrieval.lookups import finder_of, given_of, value_of

MOST = 6
LONGEST_NAME = 64
_TYPES = ("string", "integer", "number", "boolean", "array", "object")
_BODY = "$response.body#"
_PATH = "$request.path."


def proposed(catalog: Catalog, definitions: Mapping[str, JsonObject]) -> list[JsonObject]:
    """Return workflows as entries of `tools:` in a tools file, at most MOST. `definitions`: the schemas of the API."""
    composer = Composer(definitions, Budget(RUN, PART))
    found = [*_linked(catalog.tools), *_found_first(catalog.tools, composer)]
    named = {str(each["name"]): each for each in reversed(found)}
    return [each for each in found if each is named[str(each["name"])]][:MOST]


@dataclass(slots=True)
class _Draft:
    """A workflow that is being proposed. `arguments`: name → its type and `required`."""

    arguments: JsonObject = field(default_factory=dict)
    steps: list[JsonValue] = field(default_factory=list)

    def ask(self, tool: ToolSpec, name: str) -> str:
        """Return a placeholder for an argument of a tool, which becomes an argument of the workflow."""
        kind = as_object(as_object(tool.input_schema.get("properties")).get(name)).get("type")
        self.arguments.setdefault(name, f"{kind if kind in _TYPES else 'string'} required")
        return f"{{{name}}}"

    def call(self, tool: ToolSpec, given: Mapping[str, str]) -> None:
        """Add a step that calls a tool. Required arguments that `given` lacks become arguments of the workflow."""
        needed = [str(name) for name in as_list(tool.input_schema.get("required")) if name not in given]
        values: JsonObject = {**given, **{name: self.ask(tool, name) for name in needed}}
        self.steps.append({"call": tool.name, **({"with": values} if values else {})})

    def entry(self, name: str, description: str) -> JsonObject:
        arguments: JsonObject = {"arguments": self.arguments} if self.arguments else {}
        return {"name": name[:LONGEST_NAME], "description": description, **arguments, "steps": self.steps}


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
            if finder is None or given is None or not value or finder.tool.name in (tool.name, *_called(draft)):
                continue
            draft.call(finder.tool, {name: values.get(ours) or draft.ask(tool, ours) for name, ours in given.items()})
            values[source.argument], noun = f"{{{finder.tool.name}{finder.items}/0/{value}}}", source.noun
        if values:
            draft.call(tool, values)
            name = f"{tool.name}_of_first_{singular(noun)}".replace(" ", "_")
            found.append(draft.entry(name, f"{tool.title}, for the first {noun} that {_called(draft)[-2]} finds."))
    yield from sorted(found, key=lambda each: (-len(as_list(each["steps"])), str(each["name"])))


def _called(draft: _Draft) -> list[str]:
    return [str(as_object(step)["call"]) for step in draft.steps]


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]
