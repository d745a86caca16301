"""Write an OpenAPI Overlay (1.0) that mends faults of a document with what the document itself says elsewhere.

Nothing is invented. A parameter or member without a description gets the text that all others of its name and type
have. An operation without a text gets that of its external documentation or of its response. An argument that nobody
can tell how to write gets its example in words, because clients see no examples. A second run over the patched document
finds nothing: every action fills a gap, and no text that decides about a gap is made by an action.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, compact, pointer, tokens
from mcpgen.base.names import words
from mcpgen.base.runtime import stems
from mcpgen.emit.sinks import yaml_scalar
from mcpgen.grade.rules import is_unbounded
from mcpgen.lower.text.prose import ended
from mcpgen.model import Catalog
from mcpgen.read.document import Document

MARK = b"# An overlay of mcpgen grade.\n"
"""Beginning of every overlay that mcpgen writes. A file with this beginning may be overwritten by another one."""

LONGEST_TEXT = 300
LONGEST_EXAMPLE = 60
DEPTH = 3
"""Limits: characters of a text and of an example that an action copies, and levels of nested members that it visits."""

FEWEST, FEWEST_OF_ONE_WORD = 2, 3
"""How many places must have the same text about a name, or about a name of one word, before other places get it."""

_DATA = frozenset({"example", "examples", "enum", "default", "const"})
"""Keys whose values are data and no description of an API."""

_OF_EVERY_RESPONSE = frozenset(
    stems.stems(
        "ok success successful successfully response result operation request return created accepted default expected "
        "normal no content empty body status code completed done if"
    )
)
FEWEST_OWN_WORDS = 2
"""Words that descriptions of many responses have, and how many other words a text about an operation needs."""

_OF_ONE_CALL = re.compile(r"\b(?:to|that|this|which|will)\b", re.IGNORECASE)
"""Words of a text that may be about one operation only, as in `The pet to delete`."""

_EXAMPLE = re.compile(r'\s*Example: (?:"[^"]*"|[-\d.e]+)\.$')
_TEMPLATE = frozenset("\\{}<>")
"""Characters of examples that are templates such as `{{version}}`, or cannot be written as they are."""

_PLACEHOLDERS = frozenset({"", "string", "text", "example", "test", "value"})


class Action(NamedTuple):
    """One action of the overlay: the value that `target` (a JSONPath) selects gets this description."""

    target: str
    description: str


class _Named(NamedTuple):
    """A parameter, or a member of a schema: the pointer to it, its name, the object that describes it, and its schema.

    `path`: for a parameter in the path, the path up to it. `example`: what an example of the whole body has for it.
    """

    place: str
    name: str
    value: JsonObject
    schema: JsonObject
    path: str = ""
    example: JsonValue = None

    @property
    def text(self) -> str:
        return (as_text(self.value.get("description")) or as_text(self.schema.get("description"))).strip()

    @property
    def key(self) -> tuple[str, str]:
        """Return what places must have in common to be about the same thing: name, path and type."""
        return f"{self.path}{self.name}", compact([self.schema.get("type"), self.schema.get("format")])


def actions(catalog: Catalog, documents: Sequence[Document]) -> list[Action]:
    """Return the actions for the operations of `catalog`.

    Raises FatalError unless exactly one OpenAPI document describes the tools, since an overlay is for one document.
    """
    if len(documents) != 1 or documents[0].sources:
        message = "--patch needs one OpenAPI document as SOURCE; an overlay cannot change other formats."
        raise FatalError("invalid-flag", message, hint="Name the OpenAPI document itself.")
    return list(_Patch(as_object(documents[0].value)).actions([tool.operation.where.pointer for tool in catalog.tools]))


def overlay(actions: Sequence[Action], document: str) -> bytes:
    """Return the overlay as YAML. `document`: the name of the document that it extends."""
    title = "Texts that the document has elsewhere"
    lines = ["overlay: 1.0.0", f"info: {{title: {title}, version: 1.0.0}}", f"extends: {yaml_scalar(document)}"]
    lines += ["actions:"]
    for action in actions:
        update = f"    update: {{description: {yaml_scalar(action.description)}}}"
        lines += [f"  - target: {yaml_scalar(action.target)}", update]
    return MARK + ("\n".join(lines) + "\n").encode()


class _Patch:
    """The actions for one document. `texts`: key of a name → the texts about it → the places that have the text."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._texts: dict[tuple[str, str], dict[str, set[str]]] = {}
        for each in self._everything():
            if text := _EXAMPLE.sub("", " ".join(each.text.split())):
                self._texts.setdefault(each.key, {}).setdefault(text, set()).add(each.place)

    def actions(self, operations: Sequence[str]) -> Iterator[Action]:
        """Yield the actions for operations (pointers to them), one for each place."""
        done = set()
        for place in operations:
            if text := self._purpose(as_object(self._at(place))):
                yield Action(self._target(place), text)
            for each in self._arguments(place):
                if each.place not in done and (text := self._mended(each)):
                    yield Action(self._target(each.place), text)
                done.add(each.place)

    def _purpose(self, operation: JsonObject) -> str:
        """Return a text for an operation without one: of its external documentation, else of its 2xx response."""
        if any(as_text(operation.get(key)).strip() for key in ("summary", "description")):
            return ""
        found = [as_text(as_object(operation.get("externalDocs")).get("description"))]
        for status, response in sorted(as_object(operation.get("responses")).items()):
            if status[:1] == "2":
                found.append(as_text(self._resolved("", response)[1].get("description")))
        return next((text for each in found if (text := _copied(each)) and _is_about_something(text)), "")

    def _mended(self, named: _Named) -> str:
        """Return the better description of a name, or "" if nothing mends it."""
        text = named.text or self._known(named)
        example = _example(named)
        if example and is_unbounded(named.name, named.schema, text):
            text = f"{ended(text)} Example: {example}.".strip()
        return text if text != named.text else ""

    def _known(self, named: _Named) -> str:
        """Return the text that all other places have about a name, or "" if they differ or are too few."""
        texts = self._texts.get(named.key, {})
        if len(texts) != 1:
            return ""
        [(text, places)] = texts.items()
        if named.path:
            few = _OF_ONE_CALL.search(text) is not None
        else:
            few = len(places) < (FEWEST if len(words(named.name)) > 1 else FEWEST_OF_ONE_WORD)
        return "" if few else _copied(text)

    # -- places of the document ---------------------------------------------------------------------------------------

    def _at(self, place: str) -> JsonValue:
        value: JsonValue = self._root
        for token in tokens(place):
            value = value[int(token)] if isinstance(value, list) else as_object(value).get(token)
        return value

    def _target(self, place: str) -> str:
        """Return a JSON Pointer as a normalized path (RFC 9535, section 2.7)."""
        value: JsonValue = self._root
        path = "$"
        for token in tokens(place):
            quoted = compact(token)[1:-1].replace('\\"', '"').replace("'", "\\'")
            path += f"[{token}]" if isinstance(value, list) else f"['{quoted}']"
            value = value[int(token)] if isinstance(value, list) else as_object(value).get(token)
        return path

    def _resolved(self, place: str, value: JsonValue) -> tuple[str, JsonObject]:
        """Return the place and the object to which a value leads by references inside the document; if they lead
        elsewhere, an empty object.
        """
        for _ in range(DEPTH):
            reference = as_object(value).get("$ref")
            if not isinstance(reference, str):
                return place, as_object(value)
            if not reference.startswith("#/"):
                break
            place = unquote(reference[1:])
            try:
                value = self._at(place)
            except (ValueError, IndexError):
                break
        return place, {}

    def _everything(self) -> Iterator[_Named]:
        """Yield every parameter, and every member of a schema, of the whole document."""
        waiting: list[tuple[str, JsonValue]] = [("", self._root)]
        while waiting:
            place, value = waiting.pop()
            if isinstance(value, list):
                waiting += [(pointer(place, number), each) for number, each in enumerate(value)]
            elif isinstance(value, dict):
                if isinstance(value.get("name"), str) and isinstance(value.get("in"), str):
                    yield self._parameter(place, value)
                yield from (
                    _Named(pointer(place, "properties", name), name, each, each)
                    for name, each in as_object(value.get("properties")).items()
                    if isinstance(each, dict)
                )
                waiting += [(pointer(place, key), each) for key, each in value.items() if key not in _DATA]

    def _parameter(self, place: str, value: JsonObject) -> _Named:
        """Return a parameter. A name in a path means the same in each path that begins in the same way.

        A name that a path has twice says nothing about other paths.
        """
        name, steps = as_text(value.get("name")), tokens(place)
        schema = self._resolved("", value["schema"])[1] if "schema" in value else value
        path = ""
        if value.get("in") == "path":
            before, *after = steps[1].split(f"{{{name}}}") if steps[0] == "paths" else [""]
            path = before if len(after) == 1 else place
        return _Named(place, name, value, schema, path)

    def _arguments(self, place: str) -> Iterator[_Named]:
        """Yield the parameters of an operation, and the members of its bodies."""
        operation = as_object(self._at(place))
        for above in (place.rpartition("/")[0], place):
            listed = as_list(as_object(self._at(above)).get("parameters"))
            for number, each in enumerate(listed):
                at, value = self._resolved(pointer(above, "parameters", number), each)
                if value.get("in") == "body":
                    yield from self._members(pointer(at, "schema"), value.get("schema"), None, DEPTH)
                elif "name" in value:
                    yield self._parameter(at, value)
        at, body = self._resolved(pointer(place, "requestBody"), operation.get("requestBody"))
        for kind, media in as_object(body.get("content")).items():
            example = as_object(media).get("example")
            inside = pointer(at, "content", kind, "schema")
            yield from self._members(inside, as_object(media).get("schema"), example, DEPTH)

    def _members(self, place: str, schema: JsonValue, example: JsonValue, depth: int) -> Iterator[_Named]:
        """Yield the members of a body that a call can give. A member that is a reference is described at its target."""
        place, node = self._resolved(place, schema)
        if depth == 0:
            return
        for name, each in as_object(node.get("properties")).items():
            member, given = as_object(each), as_object(example).get(name)
            at = pointer(place, "properties", name)
            if member and "$ref" not in member and member.get("readOnly") is not True:
                yield _Named(at, name, member, member, example=given)
            yield from self._members(at, each, given, depth - 1)
        yield from self._members(pointer(place, "items"), node.get("items"), None, depth - 1)
        for key in ("allOf", "oneOf", "anyOf"):
            for number, each in enumerate(as_list(node.get(key))):
                yield from self._members(pointer(place, key, number), each, example, depth - 1)


def _is_about_something(text: str) -> bool:
    """Return True if a text has words that only the description of one response can have."""
    own = {each for each in stems.stems(text) if not each.isdigit()} - _OF_EVERY_RESPONSE
    return len(own) >= FEWEST_OWN_WORDS


def _copied(text: str) -> str:
    """Return a text of the document on one line, or "" if it is too long to be copied."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_TEXT else ""


def _example(named: _Named) -> str:
    """Return the example of a name as JSON, or "" if there is none that helps."""
    several = named.value.get("examples")
    listed = as_list(several) or [as_object(each).get("value") for each in as_object(several).values()]
    given = [named.value.get("example"), named.schema.get("example"), *listed, *as_list(named.schema.get("examples"))]
    for value in [*given, named.example]:
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            written = json.dumps(value, ensure_ascii=False)
            known = str(value).lower() in _PLACEHOLDERS or str(value) == named.name
            if len(written) <= LONGEST_EXAMPLE and not known and _TEMPLATE.isdisjoint(written):
                return written
    return ""
