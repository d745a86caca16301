"""A schema and its XML Objects (OpenAPI 3.1, 4.8.26; 3.2, 4.25) → the shape by which the runtime writes a document.

Only what departs from the usual stands in a shape: a member is an element under its own name, an array one element an
item. So a shape is finite where a schema is recursive: below the deepest level that is looked into all is usual.
"""

import re

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.schema.kinds import is_null

DEPTH = 6
NODES = 300
_NAME = re.compile(r"[^\W\d][\w.\-]*")
_COMPONENT = re.compile(r"/(?:schemas|definitions)/([^/]+)$")
_KINDS = {"attribute", "text", "cdata", "none"}


def document_shape(schema: JsonObject, composer: Composer) -> JsonObject | None:
    """The shape of a body with a root element; None where the schema describes no structure or no name for it, so that
    the document is given as text.
    """
    node, followed = composer.node(schema)
    if not (members(node) or "items" in node) or alternatives(node):
        return None
    shape = _Shapes(composer).of(schema, DEPTH)
    components = [found[1] for name in followed if (found := _COMPONENT.search(name))]
    for name in (as_text(as_object(node.get("xml")).get("name")), *components):
        if _NAME.fullmatch(name):
            return {**shape, "name": name}
    return None


def part_shape(key: str, schema: JsonObject, composer: Composer) -> JsonObject:
    """The shape of a part, whose root is called as the part is where the schema has no name for it."""
    node, _ = composer.node(schema)
    item = as_object(node["items"]) if "array" in types(node) and isinstance(node.get("items"), dict) else schema
    return document_shape(item, composer) or {**_Shapes(composer).of(item, DEPTH), "name": key}


class _Shapes:
    """The shapes of one document, which share a budget of nodes."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._left = NODES

    def of(self, schema: JsonObject, depth: int) -> JsonObject:
        """The shape of `schema`, empty where all is usual."""
        self._left -= 1
        node, _ = self._composer.node(schema)
        branches = [found for each in alternatives(node) if not is_null(found := self._composer.node(each)[0])]
        if len(branches) == 1:  # a member that may be null
            node = self._composer.merged(node, branches[0])
        shape = _own(as_object(node.get("xml")), is_array="array" in types(node) or "items" in node)
        if depth and self._left > 0:
            inner = {key: found for key, member in members(node) if (found := self.of(member, depth - 1))}
            if inner:
                shape["members"] = dict[str, JsonValue](inner)
            if isinstance(node.get("items"), dict) and (items := self.of(as_object(node["items"]), depth - 1)):
                shape["items"] = items
        return shape


def _own(xml: JsonObject, *, is_array: bool) -> JsonObject:
    """What an XML Object says, in the words of a shape. OpenAPI 3.2 says `nodeType` for `attribute` and `wrapped`."""
    shape: JsonObject = {}
    for keyword in ("name", "prefix"):
        if _NAME.fullmatch(as_text(xml.get(keyword))):
            shape[keyword] = xml[keyword]
    if as_text(xml.get("namespace")):
        shape["namespace"] = xml["namespace"]
    kind = as_text(xml.get("nodeType")) or ("attribute" if xml.get("attribute") is True else "")
    if kind in _KINDS:
        shape["kind"] = kind
    if is_array and (xml.get("wrapped") is True or kind == "element"):
        shape["wrapped"] = True
    return shape
