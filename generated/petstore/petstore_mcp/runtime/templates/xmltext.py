# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode a value as an XML document, according to the XML Object of OpenAPI (3.1, 4.8.26).

`bindings.json` has an XML entry for each schema with XML settings: `name`, `namespace`, `prefix`, `kind` (element,
attribute, text, cdata, or none for the content alone), `wrapped`, `members` (name -> XML entry) and `items` (an XML
entry). Without an XML entry, a member becomes an element with the member's name, or one such element per item if its
value is an array. Members and items with the value null are omitted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..request import styles
from ..request.argument_errors import Unsendable
from ..request.styles import scalar

if TYPE_CHECKING:
    from ..tables.table import Xml as Shape

_PLAIN: Shape = {}
_NO_MEMBERS: dict[str, Shape] = {}
_NAME = re.compile(r"[^\W\d][\w.\-]*")
_FOREIGN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_IN_TEXT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#13;"}
_IN_ATTRIBUTE = {**_IN_TEXT, ord('"'): "&quot;", ord("\t"): "&#9;", ord("\n"): "&#10;"}


def document(shape: Shape, value: Any) -> str:
    """Return the XML document whose root element contains `value`. Raise Unsendable if XML cannot represent a value."""
    styles.check_extent(shape["name"], value)
    return f'<?xml version="1.0"?>\n{_element(shape["name"], shape, value)}'


def content(text: str) -> str:
    """Return text escaped for an XML element or attribute. Raise Unsendable if XML cannot represent a character."""
    return _text(text).translate({**_IN_ATTRIBUTE, ord("'"): "&#39;"})


def _node(name: str, shape: Shape, value: Any) -> str:
    """Return the XML of a member or item, as `kind` in `bindings.json` says: element, text, CDATA or bare content."""
    kind = shape.get("kind", "element")
    if kind == "text":
        return _text(value).translate(_IN_TEXT)
    if kind == "cdata":
        return f"<![CDATA[{_text(value).replace(']]>', ']]]]><![CDATA[>')}]]>"
    if kind == "none" and isinstance(value, dict):
        return _members(shape, value)[1]
    return _member(name, shape, value)


def _member(name: str, shape: Shape, value: Any) -> str:
    """Return the XML of a member in its parent element: one element, or one per item if the value is an array."""
    if not isinstance(value, list):
        return _element(shape.get("name", name), shape, value)
    own = shape.get("name", name) if shape.get("wrapped") else name
    items = "".join(_items(own, shape, value))
    return _tagged(own, shape, "", items) if shape.get("wrapped") else items


def _items(name: str, shape: Shape, value: list[Any]) -> list[str]:
    inner = shape.get("items", _PLAIN)
    return [_node(inner.get("name", name), inner, item) for item in value if item is not None]


def _element(name: str, shape: Shape, value: Any) -> str:
    if isinstance(value, dict):
        attributes, content = _members(shape, value)
        return _tagged(name, shape, attributes, content)
    content = "".join(_items(name, shape, value)) if isinstance(value, list) else _text(value).translate(_IN_TEXT)
    return _tagged(name, shape, "", content)


def _members(shape: Shape, value: dict[str, Any]) -> tuple[str, str]:
    """Return the XML attributes and the content of an element that represents an object, made from the object's
    members.
    """
    attributes = content = ""
    for key, member in value.items():
        inner = shape.get("members", _NO_MEMBERS).get(key, _PLAIN)
        kind = inner.get("kind", "element")
        if member is None:
            continue
        if kind == "attribute":
            name = _qualified(inner.get("name", key), inner)
            declared = _declared(inner)
            attributes += "" if declared in attributes else declared
            attributes += f' {name}="{_text(member).translate(_IN_ATTRIBUTE)}"'
        else:
            content += _node(key, inner, member)
    return attributes, content


def _tagged(name: str, shape: Shape, attributes: str, content: str) -> str:
    tag = _qualified(name, shape)
    declared = _declared(shape)
    return f"<{tag}{'' if declared in attributes else declared}{attributes}>{content}</{tag}>"


def _declared(shape: Shape) -> str:
    """Return the `xmlns` declaration for the `namespace` in an XML entry of `bindings.json`; "" if it has none."""
    if "namespace" not in shape:
        return ""
    name = f"xmlns:{shape['prefix']}" if "prefix" in shape else "xmlns"
    return f' {name}="{shape["namespace"].translate(_IN_ATTRIBUTE)}"'


def _qualified(name: str, shape: Shape) -> str:
    if not _NAME.fullmatch(name):
        raise Unsendable(f"{name[:60]} cannot be the name of an XML element")
    return f"{shape['prefix']}:{name}" if "prefix" in shape else name


def _text(value: Any) -> str:
    text = " ".join(map(scalar, value)) if isinstance(value, list) else scalar(value)
    if _FOREIGN.search(text):
        raise Unsendable("expected text without control characters, which XML cannot hold")
    return text
