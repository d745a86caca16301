"""Test HARD-09: hidden characters are found in every text of a document and a tools file, raw or as HTML references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.base.invisible import hidden_characters, revealed
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.cli import main
from mcpgen.pipeline import Compiled
from tests.hostile.documents import compiled, everywhere, tools_file
from tests.hostile.test_text import operation

WORDS = "Words here"
FORMS = (
    "Wor\U000e0049\u202eds qz7",
    "Wor&#xE0049;ds qz7",
    "Wor&ZeroWidthSpace;ds qz7",
    "Wor&#8238ds qz7",
    "Wor&shyds qz7",
    "Wor&amp;#0000008238;ds qz7",
    "Wor&#38;#x202e;ds qz7",
    "Wor&&num;x202e;ds qz7",
    "<b>Wor&#x2</b>02e;ds qz7",
    "`Wor&#x202e;ds` qz7",
    "Wor&#x202<!-- -->e;ds qz7",
)
"""Spellings of a hidden character: literal, numeric reference, named reference, without semicolon, escaped twice, and
within markup.
"""


def speaking(text: str) -> JsonObject:
    """Return a tools file that has `text` at every place for a text."""
    request: JsonObject = {
        "uri": "notes://{id}",
        "request": "GET /notes/{id}",
        "arguments": {"id": {"description": text}},
    }
    filled_in = {"title": text, "description": text, "enum": [text]}
    nested = {"type": "object", "properties": {text: {"type": "string", "description": text}}}
    member: JsonObject = {"type": "string", "description": text, "enum": [text, "x"]}
    schema: JsonObject = {"type": "object", "properties": {"a": member}}
    link = {"uri": "https://a.example/{/id}", "name": text, "title": text, "description": text}
    tools: Any = tools_file(text)
    tools["tools"] += [
        {"name": "three", "request": "POST /c", "body": nested, "description": text},
        {"name": "four", "request": "GET /d", "description": "Reads.", "inputSchema": {**schema, "title": text}},
        {"name": "five", "request": "GET /e", "description": "Reads.", "outputSchema": schema},
        {"name": "six", "request": "GET /f", "description": "Reads.", "result": {"text": text, "links": [link]}},
        {"name": "plain", "request": "GET /g", "description": "Reads."},
    ]
    resources: list[JsonObject] = [
        {"name": "memo", "text": text, "title": text, "description": text},
        {"name": text, "text": "x"},
    ]
    resources.append({"name": "notes", "title": text, **request})
    message = {"role": "user", "text": f"{text} {{a}}"}
    prompt = {"name": "p", "title": text, "description": text, "arguments": {"a": filled_in}, "messages": [message]}
    return {**tools, "resources": resources, "prompts": [prompt]}


def places(value: Any, steps: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all texts in `value` that contain WORDS.

    If a member's name contains WORDS, its path ends in None.
    """
    if isinstance(value, dict):
        named = [(*steps, name, None) for name in value if WORDS in name]
        return named + [place for name, member in value.items() for place in places(member, (*steps, name))]
    if isinstance(value, list):
        return [place for index, member in enumerate(value) for place in places(member, (*steps, index))]
    return [steps] if isinstance(value, str) and WORDS in value else []


def saying(value: Any, place: tuple[Any, ...], text: str) -> Any:
    """Return `value` with the placeholder WORDS replaced by `text` at the given path."""
    if not place:
        return value.replace(WORDS, text)
    step, *rest = place
    if rest == [None]:
        return {(name.replace(WORDS, text) if name == step else name): member for name, member in value.items()}
    members = value.items() if isinstance(value, dict) else enumerate(value)
    changed = {name: saying(member, tuple(rest), text) if name == step else member for name, member in members}
    return changed if isinstance(value, dict) else list(changed.values())


def read_by_models(result: Compiled) -> str:
    """Return everything that a client may show to a model before any call, as one text."""
    package = result.catalog.identity.package
    tables = [f"{package}/{name}.json" for name in ("tools", "resources", "prompts")]
    header = json.loads(result.tree[f"{package}/bindings.json"])["server"]
    found = [entry for name in tables if name in result.tree for entry in json.loads(result.tree[name])]
    return json.dumps([header, [{**entry, "binding": None} for entry in found]], ensure_ascii=False)


def is_told_elsewhere(place: tuple[Any, ...]) -> bool:
    """Return True for a place of a text within an operation other than `POST /a`.

    Only `POST /a` is tested, because other operations have texts at the same places or fewer.
    """
    return place[0] == "paths" and len(place) > 3 and place[1:3] != ("/a", "post")


PLACES = [
    (make, place) for make in (everywhere, speaking) for place in places(make(WORDS)) if not is_told_elsewhere(place)
]


@pytest.mark.parametrize(
    ("make", "place"),
    PLACES,
    ids=lambda each: each.__name__ if callable(each) else "/".join(map(str, each)).replace("None", "(name)"),
)
def test_hard_09_what_nobody_sees_is_said_or_goes_nowhere(make: Any, place: tuple[Any, ...]) -> None:
    """Put a hidden character at each place of a document and a tools file.

    It must be reported, or not reach the model.
    """
    for form in FORMS[:3]:
        reads_safely(saying(make(WORDS), place, form), form)


@pytest.mark.parametrize("form", FORMS)
def test_hard_09_what_nobody_sees_is_said_however_it_is_written(form: str) -> None:
    schema: JsonObject = {"type": "string", "description": form}
    operation: Any = {"summary": form, "parameters": [{"name": "x", "in": "query", "schema": schema}]}
    assert reads_safely({"openapi": "3.1.0", "paths": {"/a": {"get": operation}}}, form)


def reads_safely(document: JsonValue, form: str) -> bool:
    """Return True if the text around the hidden character in `document` reaches the language model, else False.

    Raise AssertionError if the hidden character reaches the model, or if the text does, but no diagnostic reports the
    character. `form`: this text with the character, as the error message shows it.
    """
    try:
        result = compiled(document)
    except FatalError:
        return False
    said = read_by_models(result)
    assert hidden_characters(said) == 0, form
    if "qz7" not in said:
        return False
    found = [each for each in result.diagnostics if each.code == "hidden-characters"]
    assert found, form
    assert all(each.where and each.where.line for each in found)
    return True


def test_hard_09_what_nobody_sees_is_fatal_with_strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    operation = {"summary": "Reads.", "description": "Reads a page.&#xE0049;&#xE0050;"}
    document = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/a": {"get": operation}}}
    Path("a.json").write_text(json.dumps(document))
    for flags, code in ([], 0), (["--strict"], 1):
        with pytest.raises(SystemExit) as end:
            main(["generate", "a.json", "-o", f"out{code}", "--base-url", "https://a.example", *flags])
        assert end.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        "Escapes a mark as &amp;lt;.",
        "Done \u2705, kept \u2764\ufe0f, \U0001f469\u200d\U0001f4bb, 1\ufe0f\u20e3.",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 API\u200c\u0647\u0627.",
        "\u0915\u094d\u200d\u0937 \u0d05\u0d35\u0d28\u0d4d\u200d.",
        "Braille \u2813\u2811\u2800\u2807.",
        "Größe, 日本語\u3000です.",
    ],
)
def test_hard_09_what_languages_and_emoji_need_is_nothing_hidden(text: str) -> None:
    result = operation(summary=text, description=text)
    assert [each.code for each in result.diagnostics if each.code == "hidden-characters"] == []
    assert text.split()[-1].replace("&amp;", "&") in result.catalog.tools[0].description


@pytest.mark.parametrize("unit", ["&amp;", "&#x26;", "&&num;", "&#0", "&", "&#9", "&shy", "\u200b", "\u2800"])
def test_hard_09_hostile_references_are_read_in_linear_time(unit: str) -> None:
    """Decode long texts of character references and search them for hidden characters in linear time, however often
    they were escaped.
    """
    hidden_characters(revealed(unit * (200_000 // len(unit)) + "#x202e;"))
