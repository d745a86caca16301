"""Write the title and the description of a tool, including a sentence about its result.

A description is a list of passages. First come the summary, the author's text, and the names of the members of the
result, one level deep. These names cost a twentieth of the tokens of a schema. Sentences of mcpgen on what a call does
follow, such as that the user is asked. `fit` cuts a description once, when all of its passages are known.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_object, as_text
from mcpgen.base.names import clipped, words
from mcpgen.base.work import Exhausted
from mcpgen.lower.schema import complexity
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.text.asides import meaning_first, without_captions
from mcpgen.lower.text.boilerplate import Boilerplate
from mcpgen.lower.text.prose import ended, plain, sentences, shortened, similarity
from mcpgen.model import MediaType, Operation, Passage, ToolSpec, joined
from mcpgen.naming.effect_words import DESTROYS
from mcpgen.naming.operation_ids import spoken_id

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
                found = complexity.reason(end, "The schemas of an answer", composer, operation.where)
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
