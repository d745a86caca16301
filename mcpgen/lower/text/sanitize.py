"""Sanitize all text for a model: hidden characters are removed and reported (HARD-09).

Descriptions and titles lose their hidden characters. Values and names of members cannot change without changing their
meaning: a derived schema leaves those with hidden characters out, a handwritten schema keeps them. `check/catalog.py`
refuses hidden characters that remain.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.invisible import has_hidden, hidden_in, hides, shown, spells_hidden, visible, without_hidden
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, pointer
from mcpgen.base.names import clipped
from mcpgen.base.once import ValueCache
from mcpgen.lower.text.prose import ended
from mcpgen.model import (
    AskedQuestion,
    Catalog,
    Message,
    Part,
    Passage,
    PromptArgument,
    PromptSpec,
    ResourceSpec,
    ToolSpec,
)

_TEXTS = frozenset({"title", "description", "$comment"})
_SCHEMAS_BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
_DATA = frozenset({"default", "const", "enum", "examples"})
_MOST_PLACES = 3
_LONGEST_PLACE = 60
_LONGEST_VALUES = 200
_REMOVE = "Remove these characters from the document."


def sanitize_tool(tool: ToolSpec, once: ValueCache, diagnostics: Diagnostics) -> ToolSpec:
    """Return `tool` with sanitized texts. Report characters that were removed from these texts, or from the document's
    longer texts of which these are short forms.
    """
    schemas = _Schemas(tool.profile != "written", once), _Schemas(tool.output_form != "written", once)
    result = tool.binding.result and replace(tool.binding.result, rules=tool.binding.result.with_texts(_parts))
    cleaned = replace(
        tool,
        title=_seen(tool.title),
        passages=tuple(Passage(_seen(each.text), each.is_whole) for each in tool.passages),
        input_schema=schemas[0].cleaned(tool.input_schema),
        output_schema=schemas[1].cleaned(tool.output_schema) if tool.output_schema is not None else None,
        binding=replace(tool.binding, result=result) if result != tool.binding.result else tool.binding,
        questions=tuple(_question(each, schemas[0]) for each in tool.questions),
    )
    texts = {place: count for place, text in _written(tool) if (count := hidden_in(text))}
    for place, text in (("title", tool.title), ("description", tool.description)):
        if count := hidden_in(text):
            # The title and description repeat texts of the document, whose hidden characters are counted already
            texts.setdefault(place, 0 if texts else count)
    texts |= schemas[0].texts | schemas[1].texts | ({"result": 1} if result != tool.binding.result else {})
    if texts:
        taken = f"{sum(texts.values())} invisible or direction-changing characters were removed"
        message = f"{taken} from the text of {tool.name}{_at(texts)}."
        diagnostics.add("hidden-characters", message, tool.operation.where, _REMOVE)
    if unlisted := [*schemas[0].unlisted, *schemas[1].unlisted]:
        message = f"Names or values of {tool.name} contain invisible characters, and were left out{_at(unlisted)}."
        diagnostics.add("hidden-characters", message, tool.operation.where, _REMOVE)
    if spelled := [*schemas[0].spelled, *schemas[1].spelled]:
        message = f"Names or values of {tool.name} contain HTML references to invisible characters{_at(spelled)}."
        diagnostics.add("hidden-characters", message, tool.operation.where, _REMOVE)
    return cleaned


def _written(tool: ToolSpec) -> Iterator[tuple[str, str]]:
    """Yield (name of the field, text) for the original texts of the tool's operation, and for the original names of its
    parameters.

    The tool itself may have shorter forms of these texts, and other names for its arguments.
    """
    operation = tool.operation
    yield "title", operation.decided.title or as_text(operation.extension.get("title"))
    yield "summary", operation.summary
    yield "description", operation.description + operation.about_path + (operation.decided.told or "")
    yield "operationId", operation.id or ""
    yield from ((f"the name of {argument}", wire_name) for (_, wire_name), argument in tool.arguments.items())


def _seen(text: str) -> str:
    """Return `text` as a reader sees it: without hidden characters, and without spaces at its ends."""
    seen = visible(text)
    return text if seen == text else seen.strip()


def _at(places: Iterable[str]) -> str:
    """Return the list of places with hidden characters for a message, such as ` (title, summary)`. Return "" if the
    only place is the tool as a whole.
    """
    named = [clipped(place, _LONGEST_PLACE) for place in dict.fromkeys(places) if place]
    more = ", …" if len(named) > _MOST_PLACES else ""
    return f" ({', '.join(named[:_MOST_PLACES])}{more})" if named else ""


def _parts(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(visible(part) if isinstance(part, str) else part for part in parts)


def _question(question: AskedQuestion, schemas: "_Schemas") -> AskedQuestion:
    """Return a question to the user with sanitized texts."""

    def cleaned(properties: Mapping[str, JsonObject]) -> dict[str, JsonObject]:
        schema = schemas.cleaned({"properties": dict[str, JsonValue](properties)})
        return {name: as_object(each) for name, each in as_object(schema["properties"]).items()}

    form, arguments = cleaned(question.form), cleaned(question.arguments)
    return replace(question, message=_parts(question.message), form=form, arguments=arguments)


class _Schemas:
    """Sanitizer of schemas, which removes hidden characters and records where.

    `texts`: place of a description or title → how many characters were removed. `unlisted`: places of values (as in
    `enum`) and member names that were left out of the schema; a handwritten schema (not `derived`) keeps all.
    `spelled`: places of such values and names with HTML character references to hidden characters; these stay and are
    reported.
    """

    def __init__(self, derived: bool, once: ValueCache) -> None:
        self.texts: dict[str, int] = {}
        self.unlisted: list[str] = []
        self.spelled: list[str] = []
        self._derived = derived
        self._once = once

    def cleaned(self, schema: JsonObject) -> JsonObject:
        """Return `schema` without hidden characters in its texts."""
        return self._schema(schema, "") if any(self._once.of_parts(hides, schema)) else schema

    def _schema(self, node: JsonObject, place: str) -> JsonObject:
        found: JsonObject = {}
        for keyword, value in node.items():
            if keyword in _TEXTS and isinstance(value, str):
                found[keyword] = _seen(value)
                self.texts |= {place or keyword: count} if (count := hidden_in(value)) else {}
            elif keyword in _SCHEMAS_BY_NAME:
                members = as_object(value).items()
                found[keyword] = {
                    name: self._inner(member, pointer(place, name))
                    for name, member in members
                    if self._is_listed(name, pointer(place, name))
                }
            elif keyword not in _DATA and isinstance(value, (dict, list)):
                found[keyword] = self._inner(value, place)
            elif self._is_listed(value, place or keyword):
                found[keyword] = value
        return {**found, **self._values(node, found)}

    def _is_listed(self, data: JsonValue, place: str) -> bool:
        """Return True if `data`, a value or member name, stays in the schema.

        Data with hidden characters is left out, except from a handwritten schema. Add `place` to `unlisted` if `data`
        is left out. Add `place` to `spelled` if `data` contains hidden characters only as HTML character references.
        """
        hidden = has_hidden(data)
        if hidden and self._derived:
            self.unlisted.append(place)
        elif not hidden and spells_hidden(data):
            self.spelled.append(place)
        return not (hidden and self._derived)

    def _inner(self, value: JsonValue, place: str) -> JsonValue:
        if isinstance(value, dict):
            return self._schema(value, place)
        return [self._inner(member, place) for member in value] if isinstance(value, list) else value

    def _values(self, node: JsonObject, found: JsonObject) -> JsonObject:
        """Return an object with the new `description` of a schema whose `enum` was left out for hidden characters.

        The new description also lists the values, with code points in place of hidden characters. Return {} if no
        `enum` was left out.
        """
        if "enum" not in node or "enum" in found:
            return {}
        values = clipped(", ".join(shown(str(value)) for value in as_list(node["enum"])), _LONGEST_VALUES)
        return {"description": f"{ended(as_text(found.get('description')))} One of {values}.".strip()}


# -- Texts of the server outside its tools -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reporter:
    """Removes hidden characters from texts, and reports each text that held some."""

    diagnostics: Diagnostics

    def text(self, text: str, what: str, where: Where | None) -> str:
        """Return `text` without hidden characters. `what`: name of the text in messages. `where`: place of the text."""
        seen = _seen(text)
        if seen != text:
            self.report(what, where)
        return seen

    def report(self, what: str, where: Where | None) -> None:
        message = f"Invisible or direction-changing characters were removed from {what}."
        self.diagnostics.add("hidden-characters", message, where, _REMOVE)

    def look_at(self, data: Iterable[str], what: str, where: Where) -> None:
        """Report `data` if it contains HTML character references to hidden characters. `data` is not changed."""
        if any(map(spells_hidden, data)):
            message = f"HTML references to invisible characters occur in {what}."
            self.diagnostics.add("hidden-characters", message, where, _REMOVE)


def sanitize_catalog(catalog: Catalog, named_at: Where | None, diagnostics: Diagnostics) -> Catalog:
    """Return `catalog` with sanitized texts of the server, its resources and its prompts. Tools stay unchanged.

    `named_at`: place of the server's title and instructions.
    """
    reporter, identity = _Reporter(diagnostics), catalog.identity
    return replace(
        catalog,
        identity=replace(
            identity,
            title=reporter.text(identity.title, "the title of the API", named_at),
            instructions=reporter.text(identity.instructions, "the instructions of the server", named_at),
        ),
        resources=tuple(_resource(each, reporter) for each in catalog.resources),
        prompts=tuple(_prompt(each, reporter) for each in catalog.prompts),
    )


def _resource(spec: ResourceSpec, reporter: _Reporter) -> ResourceSpec:
    resource, what = spec.resource, f"the resource '{clipped(spec.resource.name)}'"
    where, content, operation = resource.where, resource.content, resource.operation
    if isinstance(content, str):
        # Report HTML character references, but keep them: in content that is not HTML, they are plain text.
        reporter.look_at([content], what, where)
        if content != (content := without_hidden(content)):
            reporter.report(what, where)
    reporter.look_at(chain.from_iterable(resource.values.values()), what, where)
    if operation is not None:
        parameters = (
            replace(each, description=reporter.text(each.description, f"an argument of {what}", each.where))
            for each in operation.parameters
        )
        operation = replace(operation, parameters=tuple(parameters))
    cleaned = replace(
        resource,
        name=reporter.text(resource.name, f"the name of {what}", where.inside("name")),
        title=reporter.text(resource.title, f"the title of {what}", where.inside("title")),
        description=reporter.text(resource.description, f"the description of {what}", where.inside("description")),
        content=content,
        operation=operation,
    )
    return replace(spec, resource=cleaned)


def _prompt(spec: PromptSpec, reporter: _Reporter) -> PromptSpec:
    prompt, what = spec.prompt, f"the prompt {spec.prompt.name}"
    where = prompt.where
    reporter.look_at(chain.from_iterable(prompt.values.values()), what, where)
    cleaned = replace(
        prompt,
        title=reporter.text(prompt.title, f"the title of {what}", where.inside("title")),
        description=reporter.text(prompt.description, f"the description of {what}", where.inside("description")),
        arguments=tuple(_argument(each, where.inside("arguments", each.name), reporter) for each in prompt.arguments),
        messages=tuple(_message(each, f"a message of {what}", reporter) for each in prompt.messages),
    )
    schemas = _Schemas(False, ValueCache())
    return replace(spec, prompt=cleaned, questions=tuple(_question(each, schemas) for each in spec.questions))


def _argument(argument: PromptArgument, where: Where, reporter: _Reporter) -> PromptArgument:
    what = f"the argument {argument.name} of a prompt"
    title = reporter.text(argument.title, what, where.inside("title"))
    description = reporter.text(argument.description, what, where.inside("description"))
    return replace(argument, title=title, description=description)


def _message(message: Message, what: str, reporter: _Reporter) -> Message:
    return replace(message, literals=tuple(reporter.text(part, what, message.where) for part in message.literals))
