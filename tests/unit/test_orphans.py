"""Test that hooks for missing tools are found in hooks.py, with line and column, without running the file."""

from __future__ import annotations

import pytest
from package.runtime.hooks import hook_runner

from mcpgen.regenerate import orphan_hooks

TOOLS = ["get_pet", "list-pets", "all"]
RETIRED = ["delete_pet", "drop-pet", "get_pet"]
Said = tuple[int, int, str, str]


def said(text: str | bytes, *, names: list[str] = TOOLS) -> list[Said]:
    """Return the line, column, message and hint of each diagnostic."""
    data = text if isinstance(text, bytes) else text.encode()
    found = list(orphan_hooks.hooks(data, "x_mcp/hooks.py", names, RETIRED))
    assert all(each.severity == "warning" and each.where and each.where.file == "x_mcp/hooks.py" for each in found)
    return [(each.where.line or 0, each.where.column or 0, each.message, each.hint) for each in found if each.where]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def before_all(tool, arguments): ...\ndef request_all(tool, request): ...\ndef after_all(tool, result): ...",
        "def before_get_pet(arguments): ...\nasync def after_list_pets(result): ...\nrequest_get_pet = print",
        "def instead_of_all(arguments): ...",
        "def helper(): ...\nclass Helper:\n    def before_x(self): ...",
        "def helper():\n    def before_x(): ...\n    after_x = before_x",
        "after_hours = 18\nbefore_noon: int = 11\nafter_days: tuple\nrequest_kinds = ['a'] * 2",
        "afterwards = print\nbefore = print\nx.after_x = print\nimport x as before_x",
        "x = '\\d'  # warned of by Python, and none of our business",
    ],
)
def test_what_is_no_orphan_is_not_told(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "line", "column", "name"),
    [
        ("def before_x(arguments): ...", 1, 1, "before_x"),
        ("\n\n@decorated\nasync def after_x(result): ...", 4, 1, "after_x"),
        ("request_x = signed(print)", 1, 1, "request_x"),
        ("request_x: Hook = signed", 1, 1, "request_x"),
        ("a = instead_of_x = lambda arguments: ''", 1, 5, "instead_of_x"),
        ("class before_x: ...", 1, 1, "before_x"),
        ("from .rules import a, before_x", 1, 23, "before_x"),
        ("from .rules import a as before_x", 1, 20, "before_x"),
        ("if flag:\n    pass\nelse:\n    def before_x(): ...", 4, 5, "before_x"),
        ("try:\n    import y\nexcept ImportError:\n    before_x = print", 4, 5, "before_x"),
        ("match flag:\n    case 1:\n        before_x = print", 3, 9, "before_x"),
        ("with a:\n  for b in c:\n    while d:\n      before_x = e", 4, 7, "before_x"),
        ("é = 'é'; before_x = print", 1, 10, "before_x"),
        ("\x0c\r\ry = 1\r\n  \nbefore_x = print", 5, 1, "before_x"),
        ("# coding: latin-1\ny = '\xe9'; before_x = y()".encode("latin-1"), 2, 10, "before_x"),
        (b"\xef\xbb\xbfdef before_x(): ...", 1, 1, "before_x"),
        ("def before_list_pets_(): ...", 1, 1, "before_list_pets_"),
        ("def before_(): ...", 1, 1, "before_"),
    ],
)
def test_an_orphan_is_told_at_its_place(text: str | bytes, line: int, column: int, name: str) -> None:
    [(at_line, at_column, message, _)] = said(text)
    assert (at_line, at_column) == (line, column)
    assert message == f"{name} is never called: there is no tool of that name."


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("before_getpet", "there is no tool of that name.", "Did you mean 'before_get_pet'?"),
        ("after_list_pet", "there is no tool of that name.", "Did you mean 'after_list_pets'?"),
        (
            "instead_of_zebra",
            "there is no tool of that name.",
            "Rename the function after an existing tool, or remove it;",
        ),
        (
            "before_drop_pet",
            "the tool drop-pet was removed, because the API no longer has its operation.",
            "mcpgen keeps the function.",
        ),
        (
            "after_delete_pet",
            "the tool delete_pet was removed, because",
            "mcpgen keeps the function. Remove it, or rename it to after_get_pet.",
        ),
    ],
)
def test_the_sentence_says_what_to_do(name: str, message: str, hint: str) -> None:
    [(_, _, told, advice)] = said(f"def {name}(value): ...")
    assert told.startswith(f"{name} is never called: {message}")
    assert advice.startswith(hint)


def test_a_tool_that_came_back_has_its_hook() -> None:
    assert "get_pet" in RETIRED
    assert said("def before_get_pet(arguments): ...") == []
    assert "was removed" in said("def before_get_pet(arguments): ...", names=["list_pets"])[0][2]


def test_many_are_told_in_few_words() -> None:
    *one_by_one, last = said("def after_x(result): ...\n" * (orphan_hooks.MOST + 7))
    assert len(one_by_one) == orphan_hooks.MOST
    assert last[:3] == (orphan_hooks.MOST + 1, 1, "7 more hooks are for tools that do not exist.")


DEEP = orphan_hooks.LARGEST // 8


@pytest.mark.parametrize(
    ("data", "line", "column", "reason"),
    [
        (b"x = 1\ndef before_x(:\n", 2, 14, "invalid syntax"),
        (b"<<<<<<< HEAD\nx = 1\n", 1, 1, "invalid syntax"),
        (b"x = 1\n\0", 2, 1, "there is a null character"),
        (b"x = 1\ny = 2\nz = '\xff'", 3, 1, "byte 17 is no utf-8"),
        (b"\xff", 1, 1, "they are neither UTF-8 nor in an encoding that Python knows"),
        (b"# coding: nonsense\n", 1, 1, "they are neither UTF-8 nor in an encoding that Python knows"),
        (b"# coding: punycode\n", 1, 1, "they are written in punycode"),
        (b"# coding: zlib\n", 1, 1, "they are written in zlib"),
        (b"#" * (orphan_hooks.LARGEST + 1), 1, 1, "the file is larger than 256 KiB"),
        (b"(" * DEEP, 1, None, "too many nested parentheses"),
    ],
    ids=range(10),
)
def test_what_is_no_python_is_one_warning(data: bytes, line: int, column: int | None, reason: str) -> None:
    [(at_line, at_column, message, hint)] = said(data)
    assert (at_line, column if column is None else at_column) == (line, column)
    assert message == f"hooks.py cannot be read: {reason}."
    assert hint.endswith(".")


@pytest.mark.parametrize(
    "piece", ["-", "1+", "not ", "a.", "a if a else ", "lambda:", "[", "f'{", "a=", "a:a;", "\\\n"]
)
def test_what_nests_deeply_ends_in_a_sentence(piece: str) -> None:
    """Read deeply nested code without a crash. The version of Python decides whether it can parse the code, so one
    warning is allowed.
    """
    assert len(said(piece * DEEP + "1")) <= 1
    assert len(said("if 1: pass\n" + f"elif {piece}1: pass\n" * (DEEP // 4))) <= 1


def test_nothing_of_it_runs(capfd: pytest.CaptureFixture[str]) -> None:
    assert len(said("print('run')\nraise SystemExit(3)\ndef before_x(a=print('run')): ...")) == 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["before_x", "before_get_pet", "after_all", "instead_of_all", "request_list_pets"])
def test_the_server_says_the_same_of_a_function(name: str) -> None:
    def function(*given: object) -> None: ...

    assert bool(said(f"def {name}(value): ...")) == bool(hook_runner.mistakes({name: function}, TOOLS))
