"""Describe an operation as its document does: its parameters, and its possible bodies.

The code follows OpenAPI 2.0, "Parameter Object", and 3.x, "Parameter Object", "Media Type Object" and "Encoding
Object". A style that is not allowed in its location counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tests.requests.raw import Node
from tests.requests.shapes import shapes

_STYLES = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "querystring": ("form",),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
}
_COLLECTIONS = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": "tabDelimited"}
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True)
class Described:
    """One parameter, or one field of a form.

    `style`: "" for a field without a style. `content`: the media type given instead of a style.
    """

    place: str
    name: str
    schema: Node
    style: str = ""
    explode: bool = True
    reserved: bool = False
    content: str = ""
    required: bool = False
    may_be_empty: bool = False

    @cached_property
    def shapes(self) -> frozenset[str]:
        return shapes(self.schema) | ({"scalar"} if self.may_be_empty else set())


class Operation:
    """The operation at `method` and `path` of a document."""

    def __init__(self, root: Node, method: str, path: str) -> None:
        self.root = root
        self.version = root.text("openapi") or root.text("swagger")
        self.method = method
        self.path = path
        self.item = root["paths"][path]
        own, others = self.item[method.lower()], self.item["additionalOperations"]
        self.raw = own if own.value is not None else others[method]
        assert self.raw.value is not None, f"{method} {path} is not in the document"

    @property
    def is_swagger(self) -> bool:
        return self.version.startswith("2")

    @cached_property
    def _gathered(self) -> list[Node]:
        """Return the Parameter Objects. Those of the operation replace those of the path item."""
        both = [*self.item["parameters"], *self.raw["parameters"]]
        return list({(each.text("name"), each.text("in")): each for each in both}.values())

    @cached_property
    def parameters(self) -> list[Described]:
        read = _swagger_parameter if self.is_swagger else _parameter
        found = [read(each) for each in self._gathered if each.text("in") in _STYLES]
        declared = {each.name: each for each in found if each.place == "path"}
        in_path = [
            (name, declared.get(variable) or Described("path", variable, self.root.at(""), "simple", explode=False))
            for name, variable in variables(self.path)
        ]
        return [
            *(Described("path", name, *_how(each)) for name, each in in_path),
            *(each for each in found if each.place != "path"),
        ]

    # -- Bodies -------------------------------------------------------------------------------------------------------

    @cached_property
    def fields(self) -> list[Node]:
        """Return the form fields of an operation of OpenAPI 2.0."""
        return [each for each in self._gathered if each.text("in") == "formData"]

    def media_types(self) -> list[str]:
        """Return the media types in which the body may be sent."""
        if not self.is_swagger:
            return self.raw["requestBody"]["content"].keys()
        consumes = (self.raw if "consumes" in self.raw else self.root)["consumes"].value or []
        if not self.fields:
            return [str(name) for name in consumes] or ["application/json"]
        has_file = any(field.text("type") == "file" for field in self.fields)
        named = [name for name in consumes if name in FORMS[has_file:]]
        return named or [FORMS[has_file]]

    def media_type(self, sent: str) -> tuple[str, Node] | None:
        """Return the most specific entry of the document for a Content-Type: its key and its Media Type Object."""
        offered = sorted(self.media_types(), key=lambda name: name.count("*"))
        for name in offered:
            pattern = re.escape(_essence(name)).replace(r"\*", ".*")
            if re.fullmatch(pattern, _essence(sent)):
                return name, self.raw["requestBody"]["content"][name]
        return None

    def body_schema(self, media_type: str) -> Node:
        if not self.is_swagger:
            return self.raw["requestBody"]["content"][media_type].at("schema")
        return next((each.at("schema") for each in self._gathered if each.text("in") == "body"), self.root.at(""))


def variables(path: str) -> Iterator[tuple[str, str]]:
    """Yield the variables of a path in order, each with a unique name: the second `{id}` is `id_2`."""
    seen: list[str] = []
    for variable in re.findall(r"\{([^{}]*)\}", re.split("[?#]", path)[0]):
        yield (f"{variable}_{seen.count(variable) + 1}" if variable in seen else variable), variable
        seen.append(variable)


def _how(each: Described) -> tuple[Node, str, bool, bool, str, bool]:
    return each.schema, each.style, each.explode, each.reserved, each.content, each.required


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _parameter(raw: Node) -> Described:
    """Return a Parameter Object of OpenAPI 3.x as a Described."""
    place = raw.text("in")
    style = raw.text("style") if raw.text("style") in _STYLES[place] else _STYLES[place][0]
    explode = raw["explode"].value
    media_type = next(iter(raw["content"].keys()), "")
    return Described(
        place,
        raw.text("name"),
        raw["content"][media_type].at("schema") if media_type else raw.at("schema"),
        style,
        explode if isinstance(explode, bool) else style in ("form", "deepObject", "cookie"),
        raw["allowReserved"].value is True,
        media_type,
        raw["required"].value is True,
        raw["allowEmptyValue"].value is True,
    )


def _swagger_parameter(raw: Node) -> Described:
    """Return a Parameter Object of OpenAPI 2.0 as a Described."""
    place = raw.text("in")
    style, explode = collection(raw, place)
    may_be_empty = raw["allowEmptyValue"].value is True
    return Described(
        place, raw.text("name"), raw, style, explode, required=raw["required"].value is True, may_be_empty=may_be_empty
    )


def collection(raw: Node, place: str) -> tuple[str, bool]:
    """Return the style and the explode flag for a `collectionFormat`. `multi` exists only for queries and forms."""
    written = raw.text("collectionFormat", "csv")
    plain = "form" if place in ("query", "formData") else "simple"
    if written == "multi" and plain == "form":
        return plain, True
    return _COLLECTIONS.get(written, plain), False
