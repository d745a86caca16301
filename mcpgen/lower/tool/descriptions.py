"""Write the title and the description of a tool, including a sentence about its result.

A description is a list of passages. First come the summary, the author's text, and the names of the members of the
result, one level deep. These names cost a twentieth of the tokens of a schema. Sentences of mcpgen on what a call does
follow, such as that the user is asked. `fit` cuts a description once, when all of its passages are known.

Requests in texts are replaced by the names of their tools (`see POST /orders` becomes `see create_order`), since a
model knows tools. A request is replaced if exactly one other tool sends it. A description from the tools file or
`x-mcp`, and a handwritten input schema, are not changed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text, compact
from mcpgen.base.names import clipped, words
from mcpgen.base.once import ValueCache
from mcpgen.base.work import Exhausted
from mcpgen.lower.schema import compose
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.text.boilerplate import Boilerplate, meaning_first, without_captions
from mcpgen.lower.text.prose import ended, plain, sentences, shortened, similarity
from mcpgen.model import MediaType, Operation, Passage, ToolSpec, joined
from mcpgen.naming.effect_words import DESTROYS
from mcpgen.naming.operation_ids import spoken_id

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
_METHOD = f"(?:{'|'.join(_METHODS)})"
_BEGINNINGS = tuple(f"{method} " for method in _METHODS)
_REQUEST = re.compile(
    rf"(?P<several>\b{_METHOD}(?:/| or | and |, ))?"
    rf"\b(?P<method>{_METHOD})(?P<words>(?: request)?(?: to)?) (?P<path>(?:/|\w[\w-]*/)[^\s\"'`,;()]*)"
)
_VARIABLE = re.compile(r"\{[^{}]*\}|(?<=/)[:$]\w+")
_SOURCE = re.compile(r" From (\w+)\.$")
_PUNCTUATION = ".:!?*"
_VALUES = ("default", "const", "example")

_Request = tuple[str, str, str]
"""A request: document, method, and path without the names of its variables."""

LONGEST_TITLE = 60
_DELETES = " (DELETE)"
LONGEST_PATH = 200
_ARTICLES = {"a", "an", "th"}
_NO_LETTERS = re.compile(r"[\W_]+")
_BODY = 600
_ABOUT = 300
_MEMBERS = 12
_ALTERNATIVES = 8


def title(operation: Operation, name: str) -> str:
    """Return a short title: the summary or its beginning, else an operationId written for people, else the words of the
    tool's name.

    The title of a tool that deletes something says so.
    """
    if operation.decided.title:
        return operation.decided.title
    said = as_text(operation.extension.get("title")) or operation.summary or spoken_id(operation)
    told = shortened(plain(said), LONGEST_TITLE).rstrip(".").strip() or _in_words(name).rstrip(".")
    return _marked(told, operation)


def _is_told(title: str) -> bool:
    return not DESTROYS.isdisjoint(words(title))


def _marked(told: str, operation: Operation) -> str:
    """Return the title. If the method is DELETE and the title does not mention a removal, the method is added."""
    if operation.method != "DELETE" or _is_told(told):
        return told
    path = f" (DELETE {clipped(operation.path, LONGEST_TITLE)})"
    if len(told + path) <= LONGEST_TITLE:
        return told + path
    return shortened(told, LONGEST_TITLE - len(_DELETES)) + _DELETES


# People choose tools by their titles.
def distinct_titles(tools: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    """Return the tools, with a different title for each.

    If tools share a derived title, the words by which their names differ are added to the titles. If that is not
    enough, the words of the names become the titles.
    """
    for tell in (_with_difference, lambda tool, group: _by_name(tool)):
        groups: dict[str, list[ToolSpec]] = {}
        for tool in tools:
            groups.setdefault(tool.title.casefold(), []).append(tool)
        tools = tuple(
            replace(tool, title=tell(tool, group))
            if len(group := groups[tool.title.casefold()]) > 1 and not tool.operation.decided.title
            else tool
            for tool in tools
        )
    return tuple(tools)


def _with_difference(tool: ToolSpec, group: Sequence[ToolSpec]) -> str:
    own = words(tool.name)
    common = set(own).intersection(*(words(each.name) for each in group))
    left = [word for word in own if word not in common]
    others = [[word for word in words(each.name) if word not in common] for each in group if each is not tool]
    said = " ".join(left)
    if not left or left in others or len(said) > LONGEST_TITLE // 2:
        return _by_name(tool)
    told = f"{shortened(tool.title, LONGEST_TITLE - len(said) - 3)} ({said})"
    return told if tool.operation.method != "DELETE" or _DELETES[2:-1] in told or _is_told(told) else _by_name(tool)


def _by_name(tool: ToolSpec) -> str:
    return _marked(_in_words(tool.name).rstrip("."), tool.operation)


def fit(passages: Sequence[Passage], limit: int) -> tuple[Passage, ...]:
    """Return `passages` as a description of at most `limit` characters.

    The text before the whole passages loses its last sentences. Whole passages are cut only if they take more than
    three quarters of the limit.
    """
    whole = joined(each for each in passages if each.is_whole)
    text = joined(each for each in passages if not each.is_whole)
    text = shortened(text, max(limit - len(whole) - bool(whole), limit // 4))
    return Passage(text), Passage(shortened(whole, limit - len(text) - 1), is_whole=True)


def passages(
    operation: Operation,
    name: str,
    needs: str,
    common: Boilerplate,
    composer: Composer,
    diagnostics: Diagnostics,
) -> list[Passage]:
    """Return the passages of a tool's description that state what the document or the owner says, at least one of them
    with text.

    `needs`: a sentence about arguments that belong together. If the response cannot be described, that is reported, and
    the description lacks the sentence about the result.
    """
    said = operation.summary or spoken_id(operation)
    summary = ended(shortened(meaning_first(plain(said)), 300)) if operation.decided.told is None else ""
    told = plain(operation.decided.told if operation.decided.told is not None else operation.description)
    body = meaning_first(without_captions(common.without(told))) if operation.decided.told is None else told
    first = summary if len(summary.split()) >= 3 or not body else ""
    if not first and body:
        first, body = _first_sentence(body)
    first = first or summary or _in_words(name)
    extra = shortened(body, _BODY) if body and similarity(body, first) < 0.8 else ""
    if extra and _stems(first) <= _stems(sentences(extra)[0]):
        first = ""
    elif extra and _stems(sentences(extra)[0]) <= _stems(first):
        extra = " ".join(sentences(extra)[1:])
    about = meaning_first(common.without(plain(operation.about_path))) if operation.decided.told is None else ""
    parts = [
        "Deprecated." if operation.deprecated else "",
        first,
        ended(extra),
        f"About this path: {ended(shortened(about, _ABOUT))}" if about and similarity(about, first) < 0.8 else "",
        needs,
        "" if _has_text(operation) else _answer(operation, composer, diagnostics),
    ]
    text = " ".join(filter(None, parts))
    if _letters(text) == _letters(name) and operation.decided.workflow is None:
        # the text only repeats the tool's name, so add method and path
        parts = [f"{text.rstrip('.')}: {operation.method} {clipped(operation.path, LONGEST_PATH)}."]
    return [*map(Passage, parts)]


def _has_text(operation: Operation) -> bool:
    """Return True if the owner's `result` rules replace the response by texts or blocks."""
    return operation.decided.result is not None and operation.decided.result.replaces


def _stems(text: str) -> set[str]:
    """Return the stems of the words in `text` without articles, so that `Deletes pets` equals `Delete a pet`."""
    return {word.removesuffix("s").removesuffix("e") for word in words(text)} - _ARTICLES


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.lower())


def _in_words(name: str) -> str:
    text = name.replace("_", " ").replace("-", " ").strip()
    return ended(text[:1].upper() + text[1:])


def _first_sentence(body: str) -> tuple[str, str]:
    paragraph, _, rest = body.partition("\n\n")
    first, *others = sentences(paragraph)
    return ended(shortened(first, 300)), "\n\n".join(filter(None, [" ".join(others), rest]))


def _answer(operation: Operation, composer: Composer, diagnostics: Diagnostics) -> str:
    """Return a sentence such as `Returns a list of {id, name, …}.` for the first described 2xx response."""
    good = sorted((each for each in operation.responses if each.status[:1] == "2"), key=lambda each: each.status)
    composer.budget.begin()
    for response in good:
        for media_type in sorted(
            response.content, key=lambda media_type: ("json" not in media_type.name, media_type.name)
        ):
            try:
                return _sketch(media_type, composer)
            except SkipOperation as unusable:
                diagnostics.extend([unusable.diagnostic])
                return ""
            except Exhausted as end:
                found = compose.reason(end, "The schemas of an answer", composer, operation.where)
                diagnostics.extend([found])
                return ""
    return "Returns nothing." if good and all(response.status in ("204", "205") for response in good) else ""


def _sketch(media_type: MediaType, composer: Composer) -> str:
    essence = media_type.name.partition(";")[0].strip().lower()
    if "json" not in essence:
        return f"Returns {essence}." if "*" not in essence else ""
    shape = _shape(media_type.schema or {}, composer, lists=1)
    return f"Returns {shape}." if shape else ""


def _shape(schema: JsonObject, composer: Composer, lists: int, unions: int = 2) -> str:
    """Return a short description of a schema's values: a list, or the names of an object's members, as in
    `a list of {id, name}`. Return "" if the schema describes neither.

    `lists` and `unions`: how many levels of nested lists and unions may still be entered.
    """
    node, _ = composer.node(schema)
    if "array" in types(node) or "items" in node:
        inner = _shape(as_object(node.get("items")), composer, lists - 1, unions) if lists > 0 else ""
        return f"a list of {inner}" if inner else "a list"
    names = [key for key, member in members(node) if _is_answered(member, composer)]
    if names:
        shown = ", ".join(names[:_MEMBERS])
        return "{" + plain(shown) + (", …}" if len(names) > _MEMBERS else "}")
    for branch in alternatives(node)[:_ALTERNATIVES] if unions > 0 else []:
        if shape := _shape(branch, composer, lists, unions - 1):
            return shape
    return ""


def _is_answered(member: JsonObject, composer: Composer) -> bool:
    return member.get("writeOnly") is not True and composer.node(member)[0].get("writeOnly") is not True


# -- requests in texts -------------------------------------------------------------------------------------------------


def named(tools: Sequence[ToolSpec], once: ValueCache) -> tuple[ToolSpec, ...]:
    """Return the tools with tool names in place of requests (`GET /orders`) in their texts."""
    known = _by_request(tools)
    return tuple(_Text(known, tool).rewritten(once) for tool in tools)


def _by_request(tools: Sequence[ToolSpec]) -> dict[_Request, str]:
    """Return request → the only tool that sends it. Each request is listed with and without the path of the server's
    URL.
    """
    found: dict[_Request, set[str]] = {}
    for tool in tools:
        operation = tool.operation
        bases = {"", *(urlsplit(server.url).path.rstrip("/") for server in operation.servers)}
        for path in {_blank(base + operation.path) for base in bases}:
            found.setdefault((operation.document, operation.method, path), set()).add(tool.name)
    return {request: names.pop() for request, names in found.items() if len(names) == 1}


def _mentions_request(schema: JsonValue) -> bool:
    text = compact(schema)
    return _may_mention(text) and _REQUEST.search(text) is not None


def _may_mention(text: str) -> bool:
    """Return False for most texts without a request, much faster than the pattern."""
    return "/" in text and any(map(text.__contains__, _BEGINNINGS))


def _blank(path: str) -> str:
    return _VARIABLE.sub("{}", path.rstrip("/"))


@dataclass(frozen=True, slots=True)
class _Text:
    """The texts of one tool. `known`: request, such as `GET /pets` → name of the only tool that sends it. In the texts,
    this name replaces the request.
    """

    known: dict[_Request, str]
    tool: ToolSpec

    def rewritten(self, once: ValueCache) -> ToolSpec:
        """Return the tool, with tool names in place of requests such as `GET /pets/{id}` in its description and in the
        descriptions of its input schema.
        """
        tool = self.tool
        if tool.operation.decided.told is None:
            tool = replace(tool, passages=tuple(map(self._passage, tool.passages)))
        if tool.profile != "written" and any(once.of_parts(_mentions_request, tool.input_schema)):
            tool = replace(tool, input_schema=self._schema(tool.input_schema))
        return tool

    def _passage(self, passage: Passage) -> Passage:
        return passage if passage.is_whole else Passage(self._text(passage.text))

    def _schema(self, schema: JsonObject) -> JsonObject:
        """Return `schema` with tool names in place of requests (`GET /orders`) in all its descriptions."""
        return {key: self._value(key, value) for key, value in schema.items()}

    def _value(self, keyword: str, value: JsonValue) -> JsonValue:
        if keyword == "description" and isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict) and keyword in ("properties", "$defs", "patternProperties"):
            return {name: self._value("", inner) for name, inner in value.items()}
        if isinstance(value, dict) and keyword not in _VALUES:
            return self._schema(value)
        if isinstance(value, list) and keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
            return [self._value("", inner) for inner in value]
        return value

    def _text(self, text: str) -> str:
        """Return `text` with tool names in place of requests such as `POST /orders`.

        Descriptions of arguments can end with `From TOOL.`, which mcpgen adds: TOOL lists the possible values. Remove
        this sentence if a request was replaced and the text before the sentence now contains the same tool name.
        """
        if not _may_mention(text):
            return text
        told = _REQUEST.sub(self._name, text)
        source = _SOURCE.search(told) if told != text else None
        return told[: source.start()] if source and source[1] in told[: source.start()] else told

    def _name(self, found: re.Match[str]) -> str:
        """Return the text that replaces a mentioned request: the name of the only tool that sends it. Keep the
        request if this is the text's own tool, if no or several tools send it, or if the text names several methods.
        """
        path = found["path"].rstrip(_PUNCTUATION)
        behind = found["path"][len(path) :]
        operation = self.tool.operation
        name = self.known.get((operation.document, found["method"], _blank("/" + path.removeprefix("/"))))
        if name is None or name == self.tool.name or found["several"]:
            return found[0]
        return name + (" call" if "request" in found["words"] else "") + behind
