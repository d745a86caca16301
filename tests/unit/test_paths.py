"""Test path templates of operations with a table of cases: the path that is sent, refused templates (SPEC-23), and the
operation's key.
"""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import SkipOperation
from mcpgen.model import PathTemplate
from mcpgen.read.openapi.paths import LONGEST, operation_key, parse

HERE = Where("here")


def parsed(path: str) -> tuple[PathTemplate, list[str]]:
    diagnostics = Diagnostics()
    template = parse(path, HERE, diagnostics)
    return template, [found.code for found in diagnostics]


@pytest.mark.parametrize(
    ("path", "literals", "variables"),
    [
        ("/", ("/",), ()),
        ("/pets", ("/pets",), ()),
        ("/pets/{id}", ("/pets/", ""), ("id",)),
        ("/{a}.{b}", ("/", ".", ""), ("a", "b")),
        ("/{a}{b}", ("/", "", ""), ("a", "b")),
        ("/.{a}", ("/.", ""), ("a",)),
        ("/x(id='{id}')", ("/x(id='", "')"), ("id",)),
        ("/b/{x}:restart", ("/b/", ":restart"), ("x",)),
        ("/größe", ("/gr%C3%B6%C3%9Fe",), ()),
        ("/a%2Fb/%7B", ("/a%2Fb/%7B",), ()),
        ("/a//b/", ("/a//b/",), ()),
        ("/a;v=1,2&x=!$*+~@", ("/a;v=1,2&x=!$*+~@",), ()),
        ("/...", ("/...",), ()),
        ("/[x]", ("/%5Bx%5D",), ()),
    ],
)
def test_what_is_sent(path: str, literals: tuple[str, ...], variables: tuple[str, ...]) -> None:
    assert parsed(path) == (PathTemplate(literals, variables, variables), [])


@pytest.mark.parametrize(
    ("path", "literals", "query"),
    [
        ("/a?x=1&y=", ("/a",), (("x", "1"), ("y", ""))),
        ("/a?wsdl", ("/a",), (("wsdl", ""),)),
        ("/#X-Amz-Target=A", ("/",), ()),
        ("/a#f?x=1", ("/a",), ()),
        ("/a?x=%20#f", ("/a",), (("x", " "),)),
    ],
)
def test_a_query_is_fixed_and_a_fragment_is_cut(
    path: str, literals: tuple[str, ...], query: tuple[tuple[str, str], ...]
) -> None:
    assert parsed(path) == (PathTemplate(literals, (), (), query), ["path-query"])


def test_a_name_that_comes_again_is_told_apart() -> None:
    literals = ("/", "/", "/", "/", "/", "")
    said = ("id", "id", "id", "a", "id_2")
    assert parsed("/{id}/{id}/{id}/{a}/{id_2}") == (
        PathTemplate(literals, ("id", "id_3", "id_4", "a", "id_2"), said),
        ["repeated-path-parameter"],
    )


@pytest.mark.parametrize(
    "path",
    [
        "", "a", "http://evil/x", "//evil/x", "/../x", "/..", "/a/./b", "/a/%2e%2e/b", "/a/.%2E", "/a/%252e%252e",
        "/a\\b", "/a\r\nX", "/a b", "/a\tb", "/a\0", '/a"b', "/a<b", "/a`b", "/a|b", "/{}", "/{a", "/a}",
        "/{{a}}", "/a%", "/a%zz", "/\ud800", "/a{?x}", "/" + "a" * LONGEST,
    ],
)  # fmt: skip
def test_what_is_refused(path: str) -> None:
    with pytest.raises(SkipOperation) as refused:
        parse(path, HERE, Diagnostics())
    assert refused.value.diagnostic.code == "invalid-path"
    assert len(refused.value.diagnostic.message) < 300


@given(st.text(st.characters(), max_size=60))
def test_whatever_is_sent_is_ascii_and_stays_below_the_root(text: str) -> None:
    try:
        template = parse("/" + text, HERE, Diagnostics())
    except SkipOperation:
        return
    sent = "x".join(template.literals)
    assert sent.isascii()
    assert sent.startswith("/")
    assert not sent.startswith("//")
    assert not set(sent) & set(' "<>\\^`{|}#?\r\n\t')
    assert not {".", ".."} & set(unquote(unquote(sent)).split("/"))
    assert len(template.literals) == len(template.variables) + 1


@pytest.mark.parametrize(
    ("path", "key"),
    [("/a/{id}", "GET /a/{}"), ("/a/{petId}", "GET /a/{}"), ("/a/{x}.{y}", "GET /a/{}.{}"), ("/a?x=1", "GET /a?x=1")],
)
def test_a_key_does_not_know_the_names_of_variables(path: str, key: str) -> None:
    assert operation_key("GET", path) == key
