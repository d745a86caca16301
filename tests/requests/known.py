"""Where requests are known to differ from the standard: the property passes these by, and a test holds each of them.

Whoever mends one takes it out of here; the test that expects it to fail says so. Nothing else is passed by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.requests.described import FORMS
from tests.requests.raw import Node
from tests.requests.shapes import SHAPES, choices, is_bytes, properties, shapes
from tests.requests.sources import Case

BOTH = frozenset({"scalar", "object"})


class Difference(NamedTuple):
    """`applies` says which arguments show it; `document`, `tool` and `arguments` are the smallest that do."""

    why: str
    applies: Callable[[Case, dict[str, Any]], bool]
    document: str
    tool: str
    arguments: dict[str, Any]


def _is_lone_empty_item(case: Case, arguments: dict[str, Any]) -> bool:
    in_header = [name for name, places in case.places.items() if any(place.place == "header" for place in places)]
    lists = [arguments[name] for name in in_header if isinstance(arguments.get(name), list)]
    return any([item for item in value if item is not None] == [""] for value in lists)


def _members(case: Case, arguments: dict[str, Any], place: str, media: str) -> Iterator[tuple[str, Any, Node, Node]]:
    """The members of a form that are given: name, value, the schema of the body, the Media Type Object."""
    offered = case.operation.media_type(media)
    if offered is None or case.operation.is_swagger:
        return
    schema = case.operation.body_schema(offered[0])
    for argument, value in arguments.items():
        for each in case.places[argument]:
            if each.place == place and not each.part:
                is_whole = each.name in ("", "*") and isinstance(value, dict)
                for name, member in value.items() if is_whole else [(each.name, value)]:
                    yield name, member, schema, offered[1]


def _has_a_style_in_3_0(case: Case, arguments: dict[str, Any]) -> bool:
    found = _members(case, arguments, "multipart", FORMS[1])
    return case.operation.version < "3.1" and any("style" in media["encoding"][name] for name, _, _, media in found)


def _is_a_file_of_a_union(case: Case, arguments: dict[str, Any]) -> bool:
    return any(
        name in properties(schema) and is_bytes(properties(schema)[name], case.operation.version)
        for name, _, schema, _ in _members(case, arguments, "multipart", FORMS[1])
        if any(True for _ in choices(schema))
    )


def _is_an_object_or_text_in_a_part(case: Case, arguments: dict[str, Any]) -> bool:
    return any(
        isinstance(value, (dict, list)) and name in properties(schema) and shapes(properties(schema)[name]) >= BOTH
        for name, value, schema, media in _members(case, arguments, "multipart", FORMS[1])
        if not media["encoding"][name].text("contentType")
    )


def _is_an_object_where_a_form_says_nothing(case: Case, arguments: dict[str, Any]) -> bool:
    return any(
        isinstance(value, dict) and name in properties(schema) and shapes(properties(schema)[name]) == SHAPES
        for name, value, schema, media in _members(case, arguments, "form", FORMS[0])
        if name not in media["encoding"]
    )


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, (dict, list)):
        yield from value if isinstance(value, dict) else ()
        for member in value.values() if isinstance(value, dict) else value:
            yield from _keys(member)


def _is_no_key(case: Case, arguments: dict[str, Any], places: tuple[str, ...], pattern: str) -> bool:
    given = [value for name, value in arguments.items() if any(each.place in places for each in case.places[name])]
    return any(re.search(pattern, key) for value in given for key in _keys(value))


def _is_key_with_brackets(case: Case, arguments: dict[str, Any]) -> bool:
    return _is_no_key(case, arguments, ("query", "cookie", "form"), r"[\[\]]|^$")


def _is_cookie_without_a_name(case: Case, arguments: dict[str, Any]) -> bool:
    return _is_no_key(case, arguments, ("cookie",), "^$")


DIFFERENCES = (
    Difference(
        "A key that holds brackets, or none, is not refused where values nest with brackets, so that two values are "
        "written alike: {'a][b': 1} as {'a': {'b': 1}}, {'': 1} as [1].",
        _is_key_with_brackets,
        "gitlab-from-swagger2.json",
        "create_project_repository_commit",
        {"id": "1", "branch_name": "a", "commit_message": "a", "actions": [{"a][b": 1}]},
    ),
    Difference(
        "A member without a name of an exploded object becomes the cookie `=value`; a cookie-name is a token, of one "
        "character at least (RFC 6265, 4.1.1).",
        _is_cookie_without_a_name,
        "small/readme/parameters-style-3.1.yaml",
        "cookies_form_exploded",
        {"primitive": "a", "array": [], "object": {"": False}},
    ),
    Difference(
        "A header that is a list of one empty text is left out. RFC 6570 (2.3, 3.2.1): such a list is defined, and "
        "expands to nothing; a field with an empty value.",
        _is_lone_empty_item,
        "small/oapi-codegen/parameters-nilcheck.yaml",
        "get_header",
        {"x_tags": [""]},
    ),
    Difference(
        "The style of a part is followed in a document of 3.0, which says of it: SHALL be ignored if the request body "
        "media type is not application/x-www-form-urlencoded (3.0.3, Encoding Object). 3.1 lets multipart have it.",
        _has_a_style_in_3_0,
        "small/readme/parameters-style-3.0.yaml",
        "form_data_pipe_delimited_non_exploded",
        {"array": ["a", "b"]},
    ),
    Difference(
        "A file (format: binary) in an alternative of a multipart body is sent as a text part: its base64, no file "
        "name, no media type.",
        _is_a_file_of_a_union,
        "small/redocly/cafe-3.2.yaml",
        "create_menu_item",
        {"body": {"category": "dessert", "calories": 1, "name": "a", "price": 1, "photo": "YWI="}},
    ),
    Difference(
        "An object in a part that may also be a text is JSON without its media type; the default of an object is "
        "application/json (3.1, 4.8.15.1), that of a part without Content-Type text/plain (RFC 7578, 4.4).",
        _is_an_object_or_text_in_a_part,
        "openai.yaml",
        "create_transcription",
        {"file": "", "model": "whisper-1", "chunking_strategy": {"type": "server_vad"}},
    ),
    Difference(
        "An object in a field of an urlencoded form of which the schema says nothing spreads its members over the "
        "form and loses its name, where ARCHITECTURE.md says that it is written with brackets.",
        _is_an_object_where_a_form_says_nothing,
        "twilio-verify-v2.yaml",
        "create_verification",
        {"ServiceSid": f"VA{'0' * 32}", "To": "a", "Channel": "a", "ChannelConfiguration": {"To": "b"}},
    ),
)


def is_known(case: Case, arguments: dict[str, Any]) -> bool:
    return any(difference.applies(case, arguments) for difference in DIFFERENCES)
