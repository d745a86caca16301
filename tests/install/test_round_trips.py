"""Test with random configuration files that an edit changes only one value, and that undoing it restores the same
bytes.

The files have comments, blanks and commas wherever their syntax allows them. Independent parsers read them.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

import json5
import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from package.runtime.install.edits import Edit, SyntaxName, apply
from package.runtime.install.paths import ABSENT, SyntaxFault

ENTRY = {"command": 'C:\\a "b"\tü', "args": ["-y", "#x"], "env": {"A_B": "${A_B}", "é": ""}, "on": True, "n": 300}
PATH = ("servers", "own")

KEYS = st.text(st.sampled_from("ab\"\\/ü{}[]:,#'- "), min_size=1, max_size=4).filter(lambda key: key != "own")
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-99, 99), st.text(st.sampled_from('a"\\/*,{}#\n ü'), max_size=6)
)
BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\t", " // a, {\n", "/* } */", '\n/* " \n */\n    '])


@st.composite
def jsonc(draw: st.DrawFn, depth: int = 0) -> str:
    """Draw the text of a JSON value with blanks and comments."""
    kind = draw(st.sampled_from(["object", "array", "scalar"] if depth < 2 else ["scalar"]))
    if kind == "scalar":
        return json.dumps(draw(SCALARS), ensure_ascii=draw(st.booleans()))
    if kind == "array":
        return collection(draw, "[]", [draw(jsonc(depth + 1)) for _ in range(draw(st.integers(0, 2)))])
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    return collection(draw, "{}", [member(draw, key, draw(jsonc(depth + 1))) for key in keys])


def member(draw: st.DrawFn, key: str, value: str) -> str:
    return json.dumps(key) + draw(BLANKS) + ":" + draw(BLANKS) + value


def collection(draw: st.DrawFn, brackets: str, items: list[str]) -> str:
    spaced = [draw(BLANKS) + item + draw(BLANKS) for item in items]
    last = "," if draw(st.booleans()) and items else ""
    return brackets[0] + ",".join(spaced) + last + draw(BLANKS) + brackets[1]


@st.composite
def jsonc_files(draw: st.DrawFn) -> str:
    """Draw an MCP host's configuration file in JSON with comments. Its member `servers` lists one or two servers, but
    not yet the server `own`.
    """
    others = [member(draw, key, draw(jsonc(1))) for key in draw(st.lists(KEYS, min_size=1, max_size=2, unique=True))]
    rest = [member(draw, f"x{key}", draw(jsonc(1))) for key in draw(st.lists(KEYS, max_size=2, unique=True))]
    section = [member(draw, "servers", collection(draw, "{}", others))]
    return draw(BLANKS) + collection(draw, "{}", draw(st.permutations(section + rest))) + draw(BLANKS)


def round_trip(text: str, syntax: SyntaxName, read: Any) -> None:
    after = apply(text, syntax, [Edit(PATH, ENTRY)])
    before, value = read(text), read(after)
    assert value["servers"].pop("own") == ENTRY
    assert value == before
    assert apply(after, syntax, [Edit(PATH, ABSENT)]) == text


@pytest.mark.parametrize("examples", [20, pytest.param(800, marks=pytest.mark.slow)])
def test_json_with_comments(examples: int) -> None:
    @settings(max_examples=examples)
    @given(jsonc_files())
    def check(text: str) -> None:
        round_trip(text, "JSON", json5.loads)
        windows = text.replace("\n", "\r\n")
        round_trip(windows, "JSON", json5.loads)

    check()


TOML_STRINGS = ["'a # ]'", '"""x\n[servers.own]\n"""', "'''\n'x'''''", '"\\""']
TOML_VALUES = st.sampled_from(["-9", "true", "1979-05-27T07:32:00Z", "1.5e3", *TOML_STRINGS])
TOML_HEADERS = ["[servers.a]", '[servers."x.y"]', "[servers.a.env]", "[tui]", "[[hooks]]", "[[hooks]]"]
TOML_LINES = st.sampled_from(["", "# [servers.own]", "  # end", "\t"])


@st.composite
def toml_files(draw: st.DrawFn) -> str:
    def value(depth: int = 0) -> str:
        kind = draw(st.sampled_from(["scalar", "list", "table"] if depth < 2 else ["scalar"]))
        if kind == "scalar":
            return draw(TOML_VALUES)
        inner = [value(depth + 1) for _ in range(draw(st.integers(0, 2)))]
        if kind == "list":
            return "[" + draw(st.sampled_from(["", "\n # ]\n "])) + ", ".join(inner) + "]"
        return "{ " + ", ".join(f"{key} = {each}" for key, each in zip(("a", '"b c".d'), inner, strict=False)) + " }"

    def rows(names: list[str]) -> list[str]:
        return [draw(TOML_LINES) if draw(st.booleans()) else f"{name} = {value()} # {name}" for name in names]

    headers = draw(
        st.permutations(["[servers.a]", '[servers."x.y"]', "[servers.a.env]", "[tui]", "[[hooks]]", "[[hooks]]"])
    )
    lines = rows(["r1", "r2"]) + [line for header in headers for line in (header, *rows(["k", "'q'.z"]))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("examples", [15, pytest.param(800, marks=pytest.mark.slow)])
def test_toml(examples: int) -> None:
    @settings(max_examples=examples)
    @given(toml_files())
    def check(text: str) -> None:
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            assume(False)
        round_trip(text, "TOML", tomllib.loads)
        if '"""' not in text and "'''" not in text:
            round_trip(text.replace("\n", "\r\n"), "TOML", tomllib.loads)

    check()


YAML_SCALARS = st.sampled_from(
    [
        *("a b", "'it''s: #'", r'"x\n# y"', "12", "true", "null", "[a, {b: c}]", "{}"),
        *("|\n{0}  own:\n{0}   - x", '"x\n{0}    # y"', "[a,\n{0}    # b\n{0}  c]", "plain\n{0}  text"),
    ]
)


@st.composite
def yaml_files(draw: st.DrawFn) -> str:
    unit = draw(st.sampled_from(["  ", "    "]))

    def block(indent: str, depth: int) -> list[str]:
        lines: list[str] = []
        for key in draw(st.permutations(["k", "'q r'", '"d"', "a-b"]))[: draw(st.integers(1, 3))]:
            if draw(st.booleans()):
                lines.append(draw(st.sampled_from(["", f"{indent}# c", "# own:"])))
            if depth < 2 and draw(st.booleans()):
                lines += [f"{indent}{key}:", *block(indent + unit, depth + 1)]
            elif draw(st.booleans()):
                lines += [f"{indent}{key}:  # list", f"{indent}- x", f"{indent}- 'y: z'"]
            else:
                lines.append(f"{indent}{key}: {draw(YAML_SCALARS).replace('{0}', indent)}")
        return lines

    section = ["servers:", *block(unit, 1)]
    rest = ["other:", *block(unit, 1)]
    lines = draw(st.sampled_from([section, section + rest, rest + section, ["---", *rest, "", *section]]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("examples", [15, pytest.param(800, marks=pytest.mark.slow)])
def test_yaml(examples: int) -> None:
    @settings(max_examples=examples)
    @given(yaml_files())
    def check(text: str) -> None:
        round_trip(text, "YAML", yaml.safe_load)

    check()


@pytest.mark.parametrize("read", [yaml.SafeLoader, yaml.CSafeLoader], ids=["PyYAML", "libyaml"])
@pytest.mark.parametrize("examples", [30, pytest.param(3000, marks=pytest.mark.slow)])
def test_a_text_in_yaml_is_read_as_it_is(read: type[yaml.SafeLoader], examples: int) -> None:
    @settings(max_examples=examples)
    @example("/home/\N{GRINNING FACE}/e\u0301: #\x85\u2028\ufeff\x7f\x00")
    @given(st.text(st.characters(exclude_categories=["Cs"])))
    def check(text: str) -> None:
        after = apply("a: 1\n", "YAML", [Edit(PATH, {"envs": {text: text}})])
        assert yaml.load(after, read) == {"a": 1, "servers": {"own": {"envs": {text: text}}}}
        assert apply(after, "YAML", [Edit(PATH[:1], ABSENT)]) == "a: 1\n"

    check()


@pytest.mark.parametrize("examples", [50, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("syntax", ["JSON", "TOML", "YAML"])
def test_any_text_is_edited_or_refused(syntax: SyntaxName, examples: int) -> None:
    """Check that editing any text either succeeds or raises SyntaxFault."""

    @settings(max_examples=examples)
    @given(st.text(st.sampled_from("{}[]:,\"'\\#/*\n \t-=a.1|&\r"), max_size=25))
    def check(text: str) -> None:
        try:
            after = apply(text, syntax, [Edit(PATH, ENTRY)])
            apply(after, syntax, [Edit(PATH, ABSENT)])
        except SyntaxFault:
            return

    check()
