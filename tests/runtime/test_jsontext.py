"""JSON text: what the C core and the package make of it is the same, and what is stricter here is so on purpose."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from package.runtime import jsontext
from package.runtime.jsontext import MAX_DEPTH, NotJSON


def _without_core() -> ModuleType:
    """The module as it is where the interpreter has no `_json`."""
    spec = importlib.util.spec_from_file_location("jsontext_without_core", jsontext.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    core = sys.modules.pop("_json")
    sys.modules["_json"] = None  # type: ignore[assignment]
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules["_json"] = core
    module.__dict__["_scan"] = _missing
    return module


def _missing(*_: object) -> object:
    raise ImportError


WITHOUT_CORE = _without_core()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
TEXTS = st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \t\r\n\\u"x\u00e9', max_size=30)


def verdict(loads: Any, text: str) -> Any:
    try:
        return loads(text)
    except (NotJSON, WITHOUT_CORE.NotJSON) as problem:
        return str(problem)


@given(VALUES)
def test_values_survive(value: object) -> None:
    text = jsontext.dumps(value).decode("ascii")
    assert text == json.dumps(value, separators=(",", ":"))
    assert jsontext.loads(text) == (value, [])
    assert jsontext.loads(f" \n{text}\t ")[0] == value


@given(TEXTS)
@example('{"a":1,"a":2}')
@example("[1,]")
@example('"\\ud83d\\ude00 \\ud800"')
@example("1 2")
@example("1e999")
@example("-Infinity")
@example('"\x01"')
@example("\u00a01")
def test_the_core_and_the_package_agree(text: str) -> None:
    assert verdict(jsontext.loads, text) == verdict(WITHOUT_CORE.loads, text)
    try:
        expected = json.loads(text)
    except ValueError:
        expected = NotJSON
    found = verdict(jsontext.loads, text)
    if isinstance(found, tuple):
        assert repr(found[0]) == repr(expected)
    else:
        assert expected is NotJSON or "large" in found or "is not a JSON number" in found


@given(VALUES)
def test_writing_without_the_core(value: object) -> None:
    assert WITHOUT_CORE.dumps(value) == jsontext.dumps(value)


NOT_JSON = {
    "IO-02: a hundred thousand brackets": "[" * 100_000,
    "IO-02: the same, closed": "[" * 100_000 + "]" * 100_000,
    "IO-02: one level too deep": "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    "IO-02: one object too deep": '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
    "IO-10: a 5000-digit integer": "9" * 5000,
    "IO-10: an integer that no double holds": "1" + "0" * 308,
    "IO-10: 1e999": "1e999",
    "IO-10: NaN": "NaN",
    "IO-10: Infinity inside": '{"a":[Infinity]}',
    "nothing": "",
    "two values": "1 2",
    "a raw control character": '"\n"',
    "a no-break space around": "\u00a01",
}


@pytest.mark.parametrize("text", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_not_json(text: str) -> None:
    with pytest.raises(NotJSON) as problem:
        jsontext.loads(text)
    assert str(problem.value).endswith(".")


def test_depth_is_counted_and_not_guessed() -> None:
    """IO-02: brackets inside strings and side by side do not count."""
    assert jsontext.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)[1] == []
    assert jsontext.loads(json.dumps(["[" * 1000, [[]] * 1000]))[0] == ["[" * 1000, [[]] * 1000]


def test_keys_named_twice_are_reported_and_the_last_counts() -> None:
    value, repeated = jsontext.loads('{"a":{"b":1,"b":2,"c":3},"d":[{"e":1,"e":1}]}')
    assert value == {"a": {"b": 2, "c": 3}, "d": [{"e": 1}]}
    assert [keys for _, keys in repeated] == [{"b"}, {"e"}]
    assert isinstance(value, dict)
    assert repeated[0][0] is value["a"]


def test_what_the_core_began_is_forgotten_when_the_package_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(text: str, members: Any) -> object:
        members([("a", 1), ("a", 2)])
        raise RuntimeError

    monkeypatch.setattr(jsontext, "_scan", scan)
    assert jsontext.loads('{"b":1,"b":2}') == ({"b": 2}, [({"b": 2}, {"b"})])


def test_a_key_named_a_million_times_takes_no_longer_than_it_must() -> None:
    text = "{" + ",".join(f'"{n}":0,"{n}":1' for n in range(50_000)) + "}"
    _, [(_, twice)] = jsontext.loads(text)
    assert len(twice) == 50_000


SURROGATES = {
    "a lone high one": ("a\ud800b", b'"a\\ufffdb"'),
    "a lone low one": ("\udfff", b'"\\ufffd"'),
    "a pair in two halves": ("\ud83d\ude00", b'"\\ud83d\\ude00"'),
    "a character": ("\U0001f600", b'"\\ud83d\\ude00"'),
    "the letters of an escape": ("\\ud800", b'"\\\\ud800"'),
    "in keys and below": ({"\ud800": ["\udc00", ("\ud800",)]}, b'{"\\ufffd":["\\ufffd",["\\ufffd"]]}'),
}


@pytest.mark.parametrize(("value", "written"), SURROGATES.values(), ids=SURROGATES.keys())
def test_lone_surrogates_are_replaced(value: object, written: bytes) -> None:
    assert jsontext.dumps(value) == written


def test_echo_keeps_them() -> None:
    assert jsontext.echo("\ud800") == b'"\\ud800"'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object()])
def test_what_json_cannot_hold(value: object) -> None:
    for module in (jsontext, WITHOUT_CORE):
        with pytest.raises((ValueError, TypeError)):
            module.dumps([value])
