"""Draw tools files from the JSON Schema of the format, and single mistakes in them."""

from __future__ import annotations

import copy
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from mcpgen.base.jsonvalue import lookup, pointer, tokens
from mcpgen.read.toolsfile import schema_check

Node = dict[str, Any]
DEFINITIONS: dict[str, Node] = schema_check.schema()["$defs"]  # type: ignore[assignment]
WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=6)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
KINDS: dict[str, Any] = {
    "object": {"q": 1}, "array": [[]], "string": "~", "integer": 7, "number": 7.5, "boolean": True, "null": None,
}  # fmt: skip
"""One value of each type, chosen so that it is not valid anywhere by chance."""


def resolved(node: Node) -> Node:
    while "$ref" in node:
        node = DEFINITIONS[node["$ref"].rpartition("/")[2]]
    return node


def kinds(node: Node) -> list[str]:
    found = node.get("type", [])
    return [found] if isinstance(found, str) else list(found)


# -- Valid values -----------------------------------------------------------------------------------------------------

_strategies: dict[str, st.SearchStrategy[Any]] = {}


def values(node: Node) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a schema.

    Strategies of definitions are cached and lazy, since some are recursive.
    """
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        if name not in _strategies:
            _strategies[name] = st.deferred(lambda: values(DEFINITIONS[name]))
        return _strategies[name]
    if "const" in node or "enum" in node:
        return st.sampled_from(node.get("enum") or [node["const"]])
    if not kinds(node):
        return ANYTHING
    return st.one_of([_OF_KIND[kind](node) for kind in kinds(node)])


def _texts(node: Node) -> st.SearchStrategy[str]:
    if "pattern" not in node:
        return st.text(string.printable, min_size=node.get("minLength", 0), max_size=8)
    pattern = node["pattern"].removesuffix("$") + r"\Z" if node["pattern"].endswith("$") else node["pattern"]
    return st.from_regex(pattern, alphabet=string.ascii_letters + string.digits + "/_-{}?.: ")


def _numbers(node: Node) -> st.SearchStrategy[float]:
    least: int = node.get("minimum", node.get("exclusiveMinimum", -10) + 1)
    return st.integers(least, node.get("maximum", 99))


def alternatives(node: Node) -> list[str]:
    """Return the keys of which an object must have exactly one."""
    return [key for choice in node.get("oneOf", ()) for key in choice["required"]]


def _objects(node: Node) -> st.SearchStrategy[dict[str, Any]]:
    members: dict[str, Node] = node.get("properties", {})
    if keys := alternatives(node):
        rest = {name: member for name, member in members.items() if name not in keys}
        plain = {key: value for key, value in node.items() if key != "oneOf"}
        required = node.get("required", ())
        return st.one_of(
            [
                _objects({**plain, "properties": {**rest, key: members[key]}, "required": [*required, key]})
                for key in keys
            ]
        )
    required = {name: values(members[name]) for name in node.get("required", ())}
    optional = {name: values(member) for name, member in members.items() if name not in required}
    least = node.get("minProperties", 0)
    named = _some(required, optional, least) if members else st.just({})
    if node.get("additionalProperties") is False:
        further = st.dictionaries(st.just("x-mine"), ANYTHING, max_size=1 if "patternProperties" in node else 0)
        return st.builds(lambda one, other: other | one, named, further)
    names = st.sampled_from(node["propertyNames"]["enum"]) if "propertyNames" in node else WORDS
    others = st.dictionaries(
        names, values(node.get("additionalProperties", {})), min_size=0 if members else least, max_size=2
    )
    return st.builds(lambda one, other: other | one, named, others)


@st.composite
def _some(
    draw: st.DrawFn,
    required: dict[str, st.SearchStrategy[Any]],
    optional: dict[str, st.SearchStrategy[Any]],
    least: int,
) -> dict[str, Any]:
    """Return a strategy for objects with the required members and a few of the optional ones."""
    most = max(least, min(3, len(optional)))
    chosen = (
        draw(st.lists(st.sampled_from([*optional]), min_size=least, max_size=most, unique=True)) if optional else []
    )
    return {name: draw(strategy) for name, strategy in {**required, **{c: optional[c] for c in chosen}}.items()}


_OF_KIND: dict[str, Callable[[Node], st.SearchStrategy[Any]]] = {
    "object": _objects,
    "array": lambda node: st.lists(values(node.get("items", {})), min_size=node.get("minItems", 0), max_size=2),
    "string": _texts,
    "integer": _numbers,
    "number": _numbers,
    "boolean": lambda node: st.booleans(),
}
TOOLS_FILES = values({**schema_check.schema()})
"""Strategy for any tools file that the schema accepts."""


# -- Mistakes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mistake:
    """One change that makes a valid document invalid.

    `made`: function from the value at the place `at` to an invalid value.

    The reader must report the code `code` at the place `told`.
    """

    what: str
    at: str
    made: Callable[[Any], Any]
    code: str
    told: str

    def applied(self, document: Any) -> Any:
        changed = copy.deepcopy(document)
        *above, last = tokens(self.at) or [""]
        if not self.at:
            return self.made(changed)
        around: Any = lookup(changed, above)
        around[int(last) if isinstance(around, list) else last] = self.made(
            around[int(last) if isinstance(around, list) else last]
        )
        return changed


def always(value: Any) -> Callable[[Any], Any]:
    """Return a function that returns `value` for any argument."""
    return lambda _: copy.deepcopy(value)


def mistakes(value: Any, node: Node, at: str = "", key: str = "") -> Iterator[Mistake]:
    """Yield every mistake that can be made at or inside `value`, which the schema `node` accepts."""
    node = resolved(node)
    takes = kinds(node)
    if at and (takes or "enum" in node or "const" in node):
        for name, wrong in KINDS.items():
            if not fits(name, takes) if takes else True:
                yield Mistake(f"{name} in place of it", at, always(wrong), "invalid-value", at)
    if isinstance(value, dict):
        yield from _of_mapping(value, node, at)
    elif isinstance(value, list):
        if node.get("minItems"):
            yield Mistake("nothing in it", at, always([]), "invalid-value", at)
        for index, item in enumerate(value):
            yield from mistakes(item, node.get("items", {}), pointer(at, index))
    elif isinstance(value, str) and ("enum" in node or "pattern" in node):
        code = "invalid-name" if "pattern" in node and key in ("name", "prefix") else "invalid-value"
        yield Mistake("another word", at, lambda _: "! no", code, at)
        if node.get("pattern", "").endswith("$"):
            yield Mistake("a line break after it", at, lambda text: text + "\n", code, at)
    else:
        yield from _of_number(node, at)


def fits(kind: str, takes: list[str]) -> bool:
    return kind in takes or (kind == "integer" and "number" in takes)


def _of_mapping(value: dict[str, Any], node: Node, at: str) -> Iterator[Mistake]:
    members: dict[str, Node] = node.get("properties", {})
    closed = node.get("additionalProperties") is False or "propertyNames" in node
    for key, member in value.items():
        if closed and (key in members or "propertyNames" in node):
            yield from _misspelled(key, node, at)
        if key in members:
            yield from mistakes(member, members[key], pointer(at, key), key)
        elif isinstance(node.get("additionalProperties"), dict):
            yield from mistakes(member, node["additionalProperties"], pointer(at, key), key)
    for key in (*node.get("required", ()), *(key for key in alternatives(node) if key in value)):
        if at or key != "mcpgen":
            without = lambda mapping, k=key: {name: each for name, each in mapping.items() if name != k}  # noqa: E731
            yield Mistake(f"without {key}", at, without, "missing-key", at)
    if node.get("minProperties"):
        yield Mistake("nothing in it", at, always({}), "invalid-value", at)


def _misspelled(key: str, node: Node, at: str) -> Iterator[Mistake]:
    # a misspelled required key would also be a missing key, which is another mistake
    if key not in (*node.get("required", ()), *alternatives(node)):
        wrong = key + "q"
        renamed = lambda mapping: {wrong if name == key else name: each for name, each in mapping.items()}  # noqa: E731
        yield Mistake(f"{key} misspelled", at, renamed, "unknown-key", pointer(at, wrong))


def _of_number(node: Node, at: str) -> Iterator[Mistake]:
    for keyword, step in (("minimum", -1), ("exclusiveMinimum", 0), ("maximum", 1)):
        if keyword in node:
            beyond = node[keyword] + step
            yield Mistake(f"beyond {keyword}", at, always(beyond), "invalid-value", at)
