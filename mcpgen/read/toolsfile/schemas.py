"""Check the schemas of tools, which are written as in OpenAPI: known keywords, each with a value of the right type.

In published documents, OpenAPI's reader ignores unknown keywords. In a tools file an unknown keyword is a misspelling,
which must not be ignored silently. References are followed only inside the file.
"""

from collections import deque
from collections.abc import Iterator

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, tokens
from mcpgen.base.names import clipped, did_you_mean, near, nearest
from mcpgen.read.openapi.dialect import LENIENT_TYPES, TYPES
from mcpgen.read.openapi.references import References
from mcpgen.read.toolsfile import arguments, schema_check

_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPPINGS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_ONES = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("unevaluatedProperties", "unevaluatedItems", "contentSchema"),
)
_KINDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_LISTS, ("array",)),
    **dict.fromkeys(_MAPPINGS, ("object",)),
    **dict.fromkeys(_ONES, ("object", "boolean")),
    "items": ("object", "boolean", "array"),
    "type": (),
    **dict.fromkeys(("description", "title", "format", "pattern", "contentEncoding", "contentMediaType"), ("string",)),
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef", "$id", "$schema", "$comment"), ("string",)),
    **dict.fromkeys(("$anchor", "$dynamicAnchor"), ("string",)),
    **dict.fromkeys(("readOnly", "writeOnly", "deprecated", "uniqueItems", "nullable"), ("boolean",)),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), ("number",)),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), ("number", "boolean")),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties"), ("integer",)),
    **dict.fromkeys(("maxProperties", "minContains", "maxContains"), ("integer",)),
    **dict.fromkeys(("enum", "required"), ("array",)),
    **dict.fromkeys(("xml", "discriminator", "externalDocs", "dependentRequired", "$vocabulary"), ("object",)),
    **dict.fromkeys(("const", "default", "example", "examples", "$recursiveAnchor"), ()),
}
"""Keyword of JSON Schema 2020-12, OpenAPI's vocabulary or OpenAPI 3.0 → allowed types of its value.

An empty tuple allows any type.
"""

_REQUIRED = "Write the property in the list `required` of the object that contains it."
_CONTENT = ("content", "description", "required")
_MEDIA_TYPE = ("schema", "itemSchema", "example", "examples", "encoding", "itemEncoding", "prefixEncoding")


class Schemas:
    """Checker of the schemas of one file. It checks each place once, and reports faults to `diagnostics`."""

    def __init__(self, references: References, diagnostics: Diagnostics) -> None:
        self._references = references
        self._diagnostics = diagnostics
        self._seen: set[Where] = set()

    def check(self, tool: JsonObject, where: Where) -> None:
        """Check the schemas of a tool's arguments, parameters, body and responses. `where`: the tool's place.

        `inputSchema` and `outputSchema` are not checked here: the server gives them to clients unchanged.
        """
        of_argument = (*schema_check.keys("argument"), *arguments.OF_PARAMETERS)
        for name, entry in as_object(tool.get("arguments")).items():
            self._schema(entry, where.inside("arguments", name), of_argument)
        for index, entry in enumerate(as_list(tool.get("parameters"))):
            self._parameter(entry, where.inside("parameters", index))
        self._body(tool.get("body"), where.inside("body"))
        for status, entry in as_object(tool.get("responses")).items():
            raw, place = self._led(entry, where.inside("responses", status))
            self._content(as_object(raw).get("content"), place.inside("content"))

    def check_conditions(self, root: JsonObject, top: Where) -> None:
        """Check each schema under `when` in the file, where `when` is the condition of a question to the user."""
        for key in ("tools", "overrides", "prompts"):
            value = root.get(key)
            entries = value.items() if isinstance(value, dict) else enumerate(as_list(value))
            for name, entry in entries:
                for index, question in enumerate(map(as_object, as_list(as_object(entry).get("ask")))):
                    for argument, condition in as_object(question.get("when")).items():
                        self._schema(condition, top.inside(key, name, "ask", index, "when", argument))

    # -- objects of OpenAPI --------------------------------------------------------------------------------------------

    def _parameter(self, entry: JsonValue, where: Where) -> None:
        raw, place = self._led(entry, where)
        if not isinstance(raw, dict) or place in self._seen:
            return
        if place != where:  # a reference was followed, so `schema_check` has not seen `raw`
            schema_check.check_part(raw, "parameter", place, self._diagnostics)
        self._seen.add(place)
        self._schema(raw.get("schema"), place.inside("schema"))
        self._content(raw.get("content"), place.inside("content"))

    def _body(self, value: JsonValue, where: Where) -> None:
        raw, place = self._led(value, where)
        if isinstance(raw, dict) and "content" in raw:
            self._closed(raw, _CONTENT, place)
            self._content(raw["content"], place.inside("content"))
        else:
            self._schema(value, where)

    def _content(self, value: JsonValue, where: Where) -> None:
        for name, entry in as_object(value).items():
            raw, place = self._led(entry, where.inside(name))
            if isinstance(raw, dict):
                self._closed(raw, _MEDIA_TYPE, place)
                for key in ("schema", "itemSchema"):
                    self._schema(raw.get(key), place.inside(key))

    def _closed(self, raw: JsonObject, known: tuple[str, ...], where: Where) -> None:
        for key in raw:
            if key not in known and not key.startswith("x-"):
                self._unknown(key, where, nearest(key, known))

    def _led(self, value: JsonValue, where: Where) -> tuple[JsonValue, Where]:
        """Return `value` and its place; if `value` is a reference, the referenced object and its place.

        Return (None, `where`) if the target does not exist or is outside of the file; the reader of `value` reports
        that.
        """
        if not isinstance(as_object(value).get("$ref"), str):
            return value, where
        try:
            raw, place = self._references.resolve(value, where)
        except SkipOperation:
            return None, where
        return (raw, place) if place.file == where.file else (None, where)

    # -- schemas and their keywords ------------------------------------------------------------------------------------

    def _schema(self, value: JsonValue, where: Where, told: tuple[str, ...] = ()) -> None:
        """Check a schema, its subschemas, and the schemas to which it refers.

        `told`: keys of `value` that `schema_check` has already checked; they are skipped here.
        """
        waiting = deque([(value, where, told)])
        while waiting:
            value, where, told = waiting.popleft()
            if not isinstance(value, dict) or where in self._seen:
                continue
            self._seen.add(where)
            self._keywords(value, where, told)
            waiting.extend((member, place, ()) for member, place in _inside(value, where))
            reference = value.get("$ref")
            if isinstance(reference, str):
                waiting.extend((member, place, ()) for member, place in self._referred(reference, where))

    def _keywords(self, schema: JsonObject, where: Where, told: tuple[str, ...]) -> None:
        for key, value in schema.items():
            if key in told or key.startswith("x-"):
                continue
            if key not in _KINDS:
                more = (*told, "content") if where.pointer.endswith("/body") else told
                close = near(key, [*more, *_KINDS])
                self._unknown(key, where, did_you_mean(close) or "Use a keyword of JSON Schema.")
            elif key == "type":
                self._type(value, where.inside(key))
            elif key == "required" and isinstance(value, bool):
                message = f"The value of 'required' of '{_name(where)}' is not a list."
                self._diagnostics.add("invalid-value", message, where.inside(key), _REQUIRED)
            elif kinds := _KINDS[key]:
                label = f"The value of '{key}' of '{_name(where)}'"
                schema_check.check_kind(value, kinds, label, where.inside(key), self._diagnostics)

    def _type(self, value: JsonValue, where: Where) -> None:
        for word in value if isinstance(value, list) else [value]:
            if not isinstance(word, str) or word not in TYPES:
                shown = clipped(word if isinstance(word, str) else schema_check.shown(word))
                meant = LENIENT_TYPES.get(shown.casefold())
                hint = did_you_mean([meant]) if meant else nearest(shown, TYPES)
                self._diagnostics.add("invalid-value", f"'{shown}' is not a type of JSON Schema.", where, hint)

    def _referred(self, reference: str, where: Where) -> Iterator[tuple[JsonValue, Where]]:
        try:
            target = self._references.target(reference, where)
            if target.file == where.file:
                yield self._references.at(target, where), target
        except SkipOperation:
            return  # a broken reference is reported when the schema is read as one of OpenAPI

    def _unknown(self, key: str, where: Where, hint: str) -> None:
        message = f"The key '{clipped(key)}' of '{_name(where)}' is unknown."
        self._diagnostics.add("unknown-key", message, where.inside(key), hint)


def _inside(schema: JsonObject, where: Where) -> Iterator[tuple[JsonValue, Where]]:
    """Yield the subschemas of a schema, with their places."""
    for key in _ONES:
        value = schema.get(key)
        if isinstance(value, list):
            yield from ((member, where.inside(key, index)) for index, member in enumerate(value))
        else:
            yield value, where.inside(key)
    for key in _LISTS:
        yield from ((member, where.inside(key, index)) for index, member in enumerate(as_list(schema.get(key))))
    for key in _MAPPINGS:
        yield from ((member, where.inside(key, name)) for name, member in as_object(schema.get(key)).items())


def _name(where: Where) -> str:
    """Return the name of the value at `where` for messages: its key, or for a list item the key of its list."""
    names = [token for token in tokens(where.pointer) if not token.isdigit()]
    return clipped(as_text(names[-1]) if names else where.file)
