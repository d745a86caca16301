"""Write schemas as the document has them, in JSON Schema 2020-12 (`--schema-profile full`), for hosts that support all
of its keywords.

Named schemas become `$defs` of the tool's own schema. So recursive schemas are not cut, and no reference points outside
the schema. Only necessary changes are made: descriptions become plain text, read-only members are never required, bytes
are base64.
"""

import re
from collections.abc import Iterator

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import distinct
from mcpgen.lower.schema.compose import Composer, types
from mcpgen.lower.schema.constraints import UNDEFINED, UNDEFINED_WORDS
from mcpgen.lower.schema.discriminators import Discriminator, schema_name
from mcpgen.lower.schema.media_types import is_file
from mcpgen.lower.schema.patterns import shown
from mcpgen.lower.schema.portable import FILE_NOTE
from mcpgen.lower.text.prose import ended, plain, shortened

LONGEST_TEXT = 1000
# A tool with more definitions gets the profile `portable`, so that one huge schema does not make the list unusable.
MOST_DEFINITIONS = 500
_NAMED = re.compile(r"/(?:schemas|definitions|\$defs)/[^/]+$|#$")
"""Pattern of references to named schemas: components, definitions, whole files."""

_OF_OPENAPI = frozenset({"discriminator", "xml", "x-mcp-header", "examples"})
"""Keywords of the document that are left out of the tool's schema.

`x-mcp-header` is among them, because the project's owner decides which arguments clients send in a header, not the
document.
"""

_ONE_SCHEMA = frozenset(
    (
        *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
        *("unevaluatedProperties", "unevaluatedItems", "contentSchema"),
    )
)
_SCHEMA_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})


class Verbatim:
    """Writer of the schemas of one tool's arguments, as the document has them. The schemas share `$defs`."""

    def __init__(self, composer: Composer, *, files: bool = False) -> None:
        self.composer = composer
        self.files = files
        self.cuts: list[str] = []
        self._names: dict[str, str] = {}
        self._inside: list[str] = []

    @property
    def is_exhausted(self) -> bool:
        """Return True if there are more than MOST_DEFINITIONS definitions, the limit for one tool."""
        return len(self._names) > MOST_DEFINITIONS

    def given_up(self) -> list[str]:
        """Return []: schemas are written whole, so nothing is left out."""
        return []

    def schema(
        self,
        source: JsonObject,
        *,
        required: bool = True,
        description: str = "",
        removable: bool = False,
        patched: bool = False,
    ) -> JsonObject:
        """Return `source` with its references changed to point to `definitions`.

        `description` replaces the schema's own description. In a JSON Merge Patch (RFC 7396), null removes a member. So
        `removable` allows null as the value. `patched`, by which `Portable` allows null also for optional members
        inside the value, has no effect here.
        """
        schema = self._written(source)
        if removable and "null" not in types(self.composer.node(source)[0]):
            schema = {"anyOf": [schema, {"type": "null"}]}
        return {**schema, **self._text("description", description)} if description else schema

    def definitions(self) -> JsonObject:
        """Return the `$defs` for all schemas that `schema` has returned, name → schema."""
        found: dict[str, JsonValue] = {}
        while len(found) < len(self._names) and not self.is_exhausted:
            for reference, name in list(self._names.items()):
                if name not in found:
                    found[name] = self._written(self.composer.definition(reference))
        return {name: found[name] for name in sorted(found)}

    def _written(self, schema: JsonObject) -> JsonObject:
        if self.files and is_file(schema):
            words = plain(str(schema.get("description", "")))
            note = f"{ended(shortened(words, LONGEST_TEXT))} {FILE_NOTE}".strip()
            return {"type": "string", "contentEncoding": "base64", "description": note}
        return dict(self._keywords(schema))

    def _keywords(self, schema: JsonObject) -> Iterator[tuple[str, JsonValue]]:
        # leave out a `oneOf` that the OpenAPI reader added to list the subtypes of a schema with a discriminator
        if Discriminator(schema, self.composer).is_inherited:
            schema = {keyword: value for keyword, value in schema.items() if keyword != "oneOf"}
        for keyword, value in schema.items():
            if keyword == "$ref":
                yield from self._referred(str(value)).items()
            elif keyword in ("title", "description"):
                yield from self._text(keyword, str(value)).items()
            elif keyword == "required":
                demanded = [key for key in as_list(value) if not self._is_read_only(schema, str(key))]
                yield from [(keyword, demanded)] if demanded else []
            elif keyword == "pattern":
                yield from self._pattern(schema)
            elif keyword in _ONE_SCHEMA:
                yield keyword, self._written(value) if isinstance(value, dict) else value
            elif keyword in _SCHEMA_LISTS:
                yield keyword, [self._written(member) for member in self._chosen(as_list(value), keyword, schema)]
            elif keyword in _SCHEMA_MAPS:
                yield keyword, {key: self._written(as_object(member)) for key, member in as_object(value).items()}
            elif keyword == UNDEFINED:
                yield "description", UNDEFINED_WORDS
            elif keyword not in _OF_OPENAPI:
                yield keyword, value

    def _pattern(self, schema: JsonObject) -> Iterator[tuple[str, JsonValue]]:
        """Yield ("pattern", the pattern in a form that ECMA 262 accepts).

        Yield nothing if no value can match it, or ECMA 262 refuses it.
        """
        pattern, said = shown(schema)
        if said is not None and said.code != "unchecked-pattern":
            self.composer.unshown.append(said)
        if pattern is not None or (said is not None and said.code == "unchecked-pattern"):
            yield "pattern", pattern or schema["pattern"]

    def _chosen(self, members: list[JsonValue], keyword: str, schema: JsonObject) -> Iterator[JsonObject]:
        """Return the alternatives. Each gets the discriminator value that selects it, since JSON Schema 2020-12 has no
        keyword for discriminators.
        """
        discriminator = Discriminator(schema, self.composer)
        return (as_object(each) if keyword == "allOf" else discriminator.tag(as_object(each)) for each in members)

    def _referred(self, reference: str) -> JsonObject:
        """Return a reference to a named schema. If the target has no name, such as a schema under a parameter, return
        the target itself.
        """
        if _NAMED.search(reference) or reference in self._inside:
            return {"$ref": f"#/$defs/{self._named(reference)}"}
        self._inside.append(reference)
        written = self._written(self.composer.definition(reference))
        self._inside.pop()
        return written

    def _is_read_only(self, schema: JsonObject, key: str) -> bool:
        member = as_object(as_object(schema.get("properties")).get(key))
        return self.composer.node(member)[0].get("readOnly") is True

    def _text(self, keyword: str, text: str) -> JsonObject:
        shown = shortened(plain(text), LONGEST_TEXT)
        return {keyword: shown} if shown else {}

    def _named(self, reference: str) -> str:
        if reference not in self._names:
            stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", schema_name(reference)).strip("_")[:60] or "Schema"
            self._names[reference] = distinct((stem,), stem, reference, set(self._names.values()))
        return self._names[reference]
