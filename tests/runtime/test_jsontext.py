"""Test the JSON parser: with Python's C module and without it, and that it is stricter than `json` only
where intended.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from package.runtime.core import jsonrpc
from package.runtime.core.jsonrpc import MAX_DEPTH, NotJSON


def _without_core() -> ModuleType:
    """Return the parser's module as loaded by an interpreter without the C module `_json`."""
    spec = importlib.util.spec_from_file_location("package.runtime.core.jsonrpc_without_core", jsonrpc.__file__)
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
    text = jsonrpc.dumps(value).decode("ascii")
    assert text == json.dumps(value, separators=(",", ":"))
    assert jsonrpc.loads(text) == (value, [])
    assert jsonrpc.loads(f" \n{text}\t ")[0] == value


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
    assert verdict(jsonrpc.loads, text) == verdict(WITHOUT_CORE.loads, text)
    try:
        expected = json.loads(text)
    except ValueError:
        expected = NotJSON
    found = verdict(jsonrpc.loads, text)
    if isinstance(found, tuple):
        assert repr(found[0]) == repr(expected)
    else:
        assert expected is NotJSON or "large" in found or "is not a JSON number" in found


@example("0", "\x7f")
@given(st.text(alphabet='{}":,0aZ/~ \\\t\r\n\b\f\x00\x1f', min_size=1, max_size=40), st.text(max_size=2))
def test_a_long_text_is_written_as_a_short_one(piece: str, more: str) -> None:
    text = piece * jsonrpc._LONG + more
    assert jsonrpc.dumps(text) == json.dumps(text).encode()


@given(VALUES)
@example({"\x7f": None})
@example("\x7f\xe9")
def test_a_text_in_ascii_is_the_same_text(value: object) -> None:
    line = json.dumps(value, ensure_ascii=False)
    expected = line if line.isascii() else json.dumps(value)  # json.dumps escapes U+007F too, which is ASCII
    assert jsonrpc.in_ascii(line) == WITHOUT_CORE.in_ascii(line) == expected


@given(VALUES)
def test_writing_without_the_core(value: object) -> None:
    assert WITHOUT_CORE.dumps(value) == jsonrpc.dumps(value)


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
        jsonrpc.loads(text)
    assert str(problem.value).endswith(".")


def test_depth_is_counted_and_not_guessed() -> None:
    """Test requirement IO-02: brackets inside strings or side by side do not increase the nesting depth."""
    assert jsonrpc.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)[1] == []
    assert jsonrpc.loads(json.dumps(["[" * 1000, [[]] * 1000]))[0] == ["[" * 1000, [[]] * 1000]


def test_keys_named_twice_are_reported_and_the_last_counts() -> None:
    value, repeated = jsonrpc.loads('{"a":{"b":1,"b":2,"c":3},"d":[{"e":1,"e":1}]}')
    assert value == {"a": {"b": 2, "c": 3}, "d": [{"e": 1}]}
    assert [keys for _, keys in repeated] == [{"b"}, {"e"}]
    assert isinstance(value, dict)
    assert repeated[0][0] is value["a"]


def test_what_the_core_began_is_forgotten_when_the_package_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(text: str, members: Any) -> object:
        members([("a", 1), ("a", 2)])
        raise RuntimeError

    monkeypatch.setattr(jsonrpc, "_scan", scan)
    assert jsonrpc.loads('{"b":1,"b":2}') == ({"b": 2}, [({"b": 2}, {"b"})])


PIECES = (*'a:{}[],e19"\\/\u00e9', "\\u0061", "\\u003a", "\\u0022", "\\n", "\ud800", "\\ud800")
STRINGS = st.lists(st.sampled_from(PIECES), max_size=3).map(
    lambda pieces: '"' + "".join({'"': '\\"', "\\": "\\\\"}.get(piece, piece) for piece in pieces) + '"'
)
NUMBERS = st.sampled_from(
    ["0", "-0", "7", "1.5", "1E400", "-1e999", "1e-999", "0e9", "9" * 308, "-" + "9" * 307, "-" + "9" * 308, "1" * 309]
)
SPACES = st.sampled_from(["", "", "", " ", "\n\t "])


def _object(members: list[tuple[str, str, str]]) -> str:
    return "{" + ",".join(f"{space}{key}{space}:{space}{value}{space}" for key, value, space in members) + "}"


WRITTEN = st.recursive(
    STRINGS | NUMBERS | st.sampled_from(["true", "null", "NaN", "-Infinity"]),
    lambda inner: (
        st.lists(st.tuples(STRINGS, inner, SPACES), max_size=4).map(_object)
        | st.lists(inner, max_size=4).map(lambda items: f"[{','.join(items)}]")
        | st.tuples(inner, st.sampled_from([3, 130])).map(lambda made: f"[{','.join([made[0]] * made[1])}]")
    ),
    max_leaves=8,
)
"""Strategy for JSON texts in every notation, with occasional syntax errors."""

AROUND = st.lists(st.sampled_from([("[", "]"), ('{"a":', "}"), ('{"]}":["]\\\\",', "]}")]), min_size=1, max_size=3)


def _whole(loads: Any, text: str) -> Any:
    """Return everything about a JSON text: its value, its members in order, and the objects with repeated names."""
    try:
        value, repeated = loads(text)
    except NotJSON as problem:
        return str(problem)
    return repr(value), [(repr(found), keys) for found, keys in repeated]


@settings(max_examples=400)
@given(WRITTEN)
@example('{"a":1,"\\u0061":2}')
@example('{"a":1,"a":":"}')
@example('{"a":"\\u003a","a":2}')
@example('{"":":","":{"":0}}')
@example('{"a\\\\":1,"a\\\\":":"}')
@example('{"\\":":1,"\\"\\":":2,"\\":":3}')
@example('{"a":"\\n","a":"\\\\","b:":"\\n\\""}')
@example('{"a":"\\"","a":1}')
@example('["\\"",' + "[" * 129 + "]" * 129 + ',"\\""]')
@example("[" * 129 + '"' + "]" * 129 + '"' + "]" * 129)
@example('["]",' * 129 + "0" + "]" * 129)
@example('{"}":' * 129 + "0" + "}" * 129)
@example('["\\"]","\\\\",' * 129 + "0" + "]" * 129)
@example("[" + "[[]]," * 200 + '{"a":1,"a":1}]')
@example("[" + "1234567890123456789," * 60 + "0]")
@example("[" + "123456789012345678," * 60 + "0]")
@example("[" + "0," * 200 + "1" * 309 + "]")
@example("[NaN," + "1" * 309 + "]")
def test_counting_says_of_a_text_what_looking_at_all_of_it_says(text: str) -> None:
    assert _whole(jsonrpc.loads, text) == _whole(lambda text: jsonrpc._judged(text, None), text)


@given(WRITTEN, AROUND, st.integers(MAX_DEPTH - 2, MAX_DEPTH + 2))
def test_counting_knows_how_deep_a_text_is(text: str, around: list[tuple[str, str]], depth: int) -> None:
    for index in range(depth):
        before, behind = around[index % len(around)]
        text = before + text + behind
    assert _whole(jsonrpc.loads, text) == _whole(lambda text: jsonrpc._judged(text, None), text)


@pytest.mark.parametrize("place", range(19))
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_that_is_too_large_is_seen_wherever_it_stands(place: int, sign: str) -> None:
    """Test IO-10: a number that is out of range is refused at any place. The largest allowed number is accepted."""
    digits = "9" * (jsonrpc.MAX_DIGITS - len(sign))
    assert jsonrpc.loads(f'["{"x" * place}",{sign}{digits}]')[0] == ["x" * place, int(sign + digits)]
    with pytest.raises(NotJSON):
        jsonrpc.loads(f'["{"x" * place}",{sign}{digits}1]')


USUAL = {
    "a request": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":"a:b"}}}',
    "an answer": json.dumps([{"id": n, "at": "12:30", "price": 1.5, "tags": ["a"]} for n in range(200)]),
    "laid out": json.dumps([{"id": n, "at": "12:30", "tags": [{}]} for n in range(200)], indent=2),
    "with escapes": json.dumps([{"text": 'a "b": {c}\n', "path": "C:\\new\\", "\u00e9": "\u00e9"} for _ in range(200)]),
    "with what no one escapes": json.dumps([{"\u4e2d": "\u6587: [1]"}] * 200, ensure_ascii=False),
}


@pytest.mark.parametrize("text", USUAL.values(), ids=USUAL.keys())
def test_the_usual_is_not_read_twice(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.delattr(jsonrpc, "_judged")
    assert jsonrpc.loads(text) == (json.loads(text), [])


def test_threads_that_read_at_once_count_each_their_own() -> None:
    text = json.dumps([{"a:": n} for n in range(2000)])
    read: list[object] = []
    threads = [threading.Thread(target=lambda: read.extend(jsonrpc.loads(text) for _ in range(5))) for _ in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert read == [(json.loads(text), [])] * 20


def test_a_key_named_a_million_times_takes_no_longer_than_it_must() -> None:
    text = "{" + ",".join(f'"{n}":0,"{n}":1' for n in range(50_000)) + "}"
    _, [(_, twice)] = jsonrpc.loads(text)
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
    assert jsonrpc.dumps(value) == written


def test_pairs_of_them_are_not_mistaken_for_lone_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(jsonrpc, "_repaired")
    assert jsonrpc.dumps(['\U0001f600 \\ud800 "\n']) == b'["\\ud83d\\ude00 \\\\ud800 \\"\\n"]'


def test_echo_keeps_them() -> None:
    assert jsonrpc.echo("\ud800") == b'"\\ud800"'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object()])
def test_what_json_cannot_hold(value: object) -> None:
    for module in (jsonrpc, WITHOUT_CORE):
        with pytest.raises((ValueError, TypeError)):
            module.dumps([value])


JSONISH = st.recursive(
    st.sampled_from([1, 1.5, None, True, "", "a,b", "[{,", "\\", '"', 'x\\"y', "\\\\"]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=6)
        | st.dictionaries(st.sampled_from(["a", "b,", "\\", '"q', "[", ""]), inner, min_size=1, max_size=4)
    ),
    max_leaves=80,
)


def values_of(value: Any) -> int:
    """Return the number of values in `value`, including `value` itself."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(values_of, inner))


@given(JSONISH, st.integers(1, 30))
def test_hard_03_values_are_counted_without_being_made(value: Any, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonrpc, "MAX_VALUES", 20)
        patch.setattr(jsonrpc, "_PIECE", piece)
        assert jsonrpc.is_crowded(json.dumps(value).encode()) == (values_of(value) > 20)


CROWD = '{"a":[' + "1," * jsonrpc.MAX_VALUES + "1]}"


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":%s}', 7),
        ('{"id": "a\\"b", "jsonrpc": "2.0", "method": "tools/call", "params": %s}', 'a"b'),
        ('{"jsonrpc":"2.0","method":"tools/call","params":%s,"id":77}', 77),
        ('{"jsonrpc":"2.0","method":"tools/call","params":{"b":%s,"id":77}}', None),
        ('{"jsonrpc":"2.0","params":%s,"id":77,"method":"x"}', None),
        ('{"jsonrpc":"2.0","id":1.5,"method":"x","params":%s}', None),
        ("[%s]", None),
    ],
)
def test_hard_03_a_crowded_message_is_refused_under_its_id(line: str, id_: object) -> None:
    found = jsonrpc.parse((line % CROWD).encode())
    assert isinstance(found, jsonrpc.Malformed)
    assert found.id == id_
    assert "too many values" in found.sentence
