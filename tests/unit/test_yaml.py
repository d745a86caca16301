"""Test the YAML reader: plain scalars by the core schema of YAML 1.2.2 (section 10.3.2; SPEC-09), and refused
documents.
"""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.read.document import budgets, load
from mcpgen.read.document.yaml_text import compose

PROBES: list[tuple[str, JsonValue]] = [
    ("~", None),
    ("null", None),
    ("NULL", None),
    ("nUll", "nUll"),
    ("true", True),
    ("FALSE", False),
    ("tRue", "tRue"),
    ("no", "no"),
    ("on", "on"),
    ("y", "y"),
    ("0", 0),
    ("-0", 0),
    ("+12", 12),
    ("012", 12),
    ("0o14", 12),
    ("0O14", "0O14"),
    ("0x1F", 31),
    ("-0x1F", "-0x1F"),
    ("0b11", "0b11"),
    ("1_000", "1_000"),
    ("1:30", "1:30"),
    ("2020-01-01", "2020-01-01"),
    ("1.5", 1.5),
    ("+.5", 0.5),
    ("1.", 1.0),
    ("1e3", 1000.0),
    (".", "."),
    (".inf", ".inf"),
    ("=", "="),
]
"""Plain scalars for the core schema's patterns. Infinities and NaN stay text, because JSON lacks them."""


def composed(text: str) -> tuple[JsonValue, list[str]]:
    diagnostics = Diagnostics()
    return compose(text, "f", diagnostics).value, [found.code for found in diagnostics]


def test_there_are_29_probes() -> None:
    assert len({text for text, _ in PROBES}) == 29


@pytest.mark.parametrize(("text", "value"), PROBES)
def test_a_plain_scalar_has_the_meaning_of_yaml_1_2(text: str, value: JsonValue) -> None:
    found, codes = composed(f"- {text}\n- '{text}'\n- !!str {text}\n")
    assert found == [value, text, text]
    assert [type(member) for member in found] == [type(value), str, str]
    assert codes == []


@pytest.mark.parametrize("text", ["1e400", "-1e400", "9" * 390 + ".0"])
def test_a_number_that_no_double_holds_is_text_and_said(text: str) -> None:
    assert composed(text) == (text, ["number"])


@pytest.mark.parametrize("text", ["200", "no", "1.5", "~", "2020-01-01", "true"])
def test_keys_are_always_text(text: str) -> None:
    assert composed(f"{text}: 1") == ({text: 1}, [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("a:", {"a": None}),
        ("a: &x 1\nb: *x\n", {"a": 1, "b": 1}),
        ("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}),
        ("&k a: *k", {"a": "a"}),
        ("a: &x k\n*x : 1\n", {"a": "k", "k": 1}),
        ("{<<: {a: 1}, b: 2}", {"b": 2, "a": 1}),
        ("{a: 0, <<: {a: 1}}", {"a": 0}),
        ("{<<: [{a: 1}, {a: 2, b: 2}]}", {"a": 1, "b": 2}),
        ("'<<': 1", {"<<": 1}),
        ("a: !!int 5\nb: !!float 5\nc: !!bool true\nd: !!null ~\ne: !!map {}\nf: !!seq []", {
            "a": 5, "b": 5, "c": True, "d": None, "e": {}, "f": [],
        }),
        ("a: 1\n---\nb: 2\n", {"a": 1}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ('a: "\\u00e9\\U0001F600"', {"a": "é😀"}),
    ],
)  # fmt: skip
def test_values(text: str, value: JsonValue) -> None:
    assert composed(text)[0] == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("*x : 1", "yaml-key"),
        ("<<: *x", "yaml-key"),
        ("&a {<<: *a}", "yaml-key"),
        ("? [a]\n: b", "yaml-key"),
        ("? {a: b}\n: c", "yaml-key"),
        ("a: &x [1]\n*x : 2", "yaml-key"),
        ("<<: 1", "yaml-key"),
        ("<<: [{a: 1}, 2]", "yaml-key"),
        ("a: b: c", "syntax"),
        ("[a", "syntax"),
        ("'a", "syntax"),
        ("\tx: 1", "syntax"),
        ('"\\ud800"', "syntax"),
        ("%YAML 9.9\n---\na", "syntax"),
        ("@a", "syntax"),
        ("- " * 3000, "too-deep"),
        ("[" * 100_000, "too-deep"),
        ("{a: " * 201, "too-deep"),
    ],
)
def test_what_is_refused(text: str, code: str) -> None:
    """Refuse these texts with an error that names a place, and without a crash (SPEC-06, SPEC-07)."""
    with pytest.raises(FatalError) as refused:
        composed(text)
    assert refused.value.diagnostic.code == code
    assert refused.value.diagnostic.where is not None
    assert refused.value.diagnostic.where.line is not None


@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        ("a: *x\nb: 1", {"a": None, "b": 1}, "yaml-alias"),
        ("[*x, 1]", [None, 1], "yaml-alias"),
        ("a: &a [*a]\nb: *a", {"a": [None], "b": [None]}, "yaml-alias"),
        ("!!set {a}", {"a": None}, "yaml-tag"),
        ("!!binary aGk=", "aGk=", "yaml-tag"),
        ("!!timestamp 2020-01-01", "2020-01-01", "yaml-tag"),
        ("a: !!python/tuple 5\nb: 1", {"a": "5", "b": 1}, "yaml-tag"),
        ("a: !!python/tuple [x, 5]\nb: 1", {"a": ["x", 5], "b": 1}, "yaml-tag"),
        ("!!python/name:os.system x", "x", "yaml-tag"),
        ("!!python/object/apply:os.system [id]", ["id"], "yaml-tag"),
        ("!mine {a: &x 1, b: *x}", {"a": 1, "b": 1}, "yaml-tag"),
        ("!!int x", "x", "yaml-tag"),
        ("a: !!bool &x 1\nb: *x", {"a": "1", "b": "1"}, "yaml-tag"),
    ],
)
def test_what_costs_its_place_alone(text: str, value: JsonValue, code: str) -> None:
    """Ignore a tag, and read an alias as null if its anchor is missing or contains the alias. Give a warning for each.

    Tags are never executed (SPEC-07), and the other values are read.
    """
    assert composed(text) == (value, [code])


def test_what_costs_its_place_is_said_with_it() -> None:
    diagnostics = Diagnostics()
    compose("a: 1\nb: !!python/tuple x\nc: [1, *y]\n", "f", diagnostics)
    assert [str(found.where) for found in diagnostics] == ["f:2:4", "f:3:8"]


def test_duplicates_are_said_with_their_place() -> None:
    diagnostics = Diagnostics()
    assert compose("a: 1\nb: 2\na: 3\n", "f", diagnostics).value == {"a": 3, "b": 2}
    assert [str(found.where) for found in diagnostics] == ["f:3:1"]


def merges(count: int, text: str) -> str:
    return "".join(
        f"b{number}: &b{number} {{<<: {text.replace('N', str(number - 1))}}}\n" for number in range(1, count)
    )


EMPTY = "b0: &b0 {<<: {}}\n" + merges(5000, "[*b0, *b0]")
WIDE = "b0: &b0 {" + ", ".join(f"k{key}: 0" for key in range(5000)) + "}\n"
SHARED = "x: &x {" + ", ".join(f"k{key}: 0" for key in range(100)) + "}\n" + "".join(f"y{n}: *x\n" for n in range(100))


@pytest.mark.parametrize("text", [EMPTY, SHARED], ids=["5000 empty merges", "one anchor, used 100 times"])
def test_spec_05_what_grows_with_the_text_is_no_bomb(text: str) -> None:
    composed(text)


@pytest.mark.parametrize(
    "text",
    [
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)),
        "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{l: *a{n - 1}, r: *a{n - 1}}}\n" for n in range(1, 30)),
        "b0: &b0 {k: 0}\n" + "".join(f"b{n}: &b{n} {{<<: *b{n - 1}, k{n}: *b{n - 1}}}\n" for n in range(1, 40)),
        WIDE + merges(5000, "*b0"),
    ],
    ids=["9 x 9", "2 ^ 29", "ladder of merges", "5000 x 5000"],
)
def test_spec_04_and_05_bombs_are_refused(text: str) -> None:
    with pytest.raises(FatalError) as refused:
        composed(text)
    assert refused.value.diagnostic.code == "too-many-nodes"


def test_more_values_than_the_budget_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "NODES", 100)
    with pytest.raises(FatalError) as refused:
        composed("[" + "a, " * 200 + "]")
    assert refused.value.diagnostic.code == "too-many-nodes"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_what_is_written_as_json_and_as_yaml_is_read_alike(value: JsonValue) -> None:
    written = json.dumps(value, ensure_ascii=True)
    if isinstance(value, (dict, list)):
        assert load("f", written.encode(), Diagnostics()).value == value
    text = yaml.dump(value, Dumper=yaml.SafeDumper, allow_unicode=False, default_flow_style=None)
    assert composed(text)[0] == value


@given(st.binary(max_size=200) | st.text("{}[]:,-&*!|>'\"#%@?<~ab01\n\t ", max_size=60).map(str.encode))
def test_any_bytes_are_a_document_or_cannot_go_on(data: bytes) -> None:
    """Read any bytes: either as a document whose values all have positions, or with FatalError.

    No other exception is raised.
    """
    try:
        document = load("f", data, Diagnostics())
    except FatalError:
        return
    assert document.positions(["", "/a/0/b"])[""] == (1, 1)
