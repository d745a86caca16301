"""Turn a schema and its XML Objects into a shape, by which the runtime writes XML. A shape is a JSON object that
describes XML elements and attributes.

See OpenAPI 3.1, 4.8.26, and 3.2, 4.25. A shape contains only deviations from the default form. By default a member is
an element with the member's name, and an array has one element per item. At most DEPTH levels and NODES schemas are
examined, and everything else gets the default form. So the shape of a recursive schema is finite.
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
    """Return the description (shape) of the XML elements and attributes of a body with a root element.

    Return None if the schema has alternatives, no members, or no name for the root element. Then a single argument of
    the tool holds the XML as text.
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
    """Return the description (shape) of the XML elements and attributes of a part of a multipart body. Its root element
    has the name of the part, unless the schema names the root.
    """
    node, _ = composer.node(schema)
    item = as_object(node["items"]) if "array" in types(node) and isinstance(node.get("items"), dict) else schema
    return document_shape(item, composer) or {**_Shapes(composer).of(item, DEPTH), "name": key}


class _Shapes:
    """Builder of the shape of one XML body: a nested JSON object that describes its elements and attributes.

    At most NODES schemas are visited; deeper members are treated as if their XML had the default form.
    """

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._left = NODES

    def of(self, schema: JsonObject, depth: int) -> JsonObject:
        """Return the description (shape) of the XML for `schema`, or {} if the XML has the default form."""
        self._left -= 1
        node, _ = self._composer.node(schema)
        branches = [found for each in alternatives(node) if not is_null(found := self._composer.node(each)[0])]
        if len(branches) == 1:  # any other alternative is null, so this one describes the XML
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
    """Return the description (shape) of one XML element or attribute, made from its XML Object.

    OpenAPI 3.2 replaces `attribute` and `wrapped` by `nodeType`.
    """
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
