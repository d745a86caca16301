"""Test that a terminal shows the hostile text of documents and lock files that commands print, and executes none of it
(HARD-21).
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mcpgen.base.invisible import hidden_characters
from mcpgen.cli import main
from tests.hostile.documents import everywhere
from tests.hostile.test_hidden import speaking

INJECTED = "INJECTED: this line is of the document"
ACTING = f"a\n{INJECTED}\x1b[31m\x1b]8;;http://evil.example\x07\r{INJECTED}\u2028{INJECTED}\x85\u202eb\U000e0041\ufe00"


def run_over(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """Run a command on a document, and return its output."""
    with pytest.raises(SystemExit):
        main(arguments)
    return "".join(capfd.readouterr())


def is_quiet(printed: str) -> bool:
    """Return True if the text holds no control characters, and no line begins with text of a document."""
    shown = all(character.isprintable() or character == "\n" for character in printed)
    return shown and hidden_characters(printed) == 0 and not re.search(f"^\\W*{INJECTED}", printed, re.MULTILINE)


SAYING = [
    ["check", "new.json"],
    ["check", "new.yaml"],
    ["generate", "new.json", "-o", "other"],
    ["generate", "new.json", "-o", "other", "--format", "markdown"],
    ["generate", "new.yaml", "-o", "other", "--strict"],
    ["inspect", "new.json"],
    ["inspect", "new.yaml"],
    *(
        ["inspect", "new.json", tool]
        for tool in ("plain", "post_a", "delete_b_a_injected_this_line_is_of_the_document")
    ),
    *(["inspect", "new.yaml", tool] for tool in ("one", "two", "six")),
    ["inspect", "new.json", "--html", "page.html"],
    ["diff", "old.json", "new.json"],
    ["diff", "old.json", "new.json", "--format", "markdown"],
    ["diff", "new.json", "old.json"],
    ["diff", "old", "new.json"],
    ["diff", "old.json", "new.yaml"],
    ["regenerate", "old", "--source", "new.json"],
    ["regenerate", "old", "--source", "new.json", "--dry-run", "--format", "markdown"],
    ["regenerate", "old", "--source", "new.yaml", "--check"],
    ["inspect", "new.json", "no\x1b[2Jsuch"],
    ["inspect", "new.json", "--include", ACTING],
    ["generate", "new.json", "--name", ACTING],
    ["generate", "new.json", "--no\x1b[2Jsuch"],
    ["check", ACTING],
]


@pytest.mark.parametrize("arguments", SAYING, ids=ascii)
def test_hard_21_what_a_document_says_is_shown_as_what_it_is(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.json").write_text(json.dumps(everywhere("old")))
    Path("new.json").write_text(json.dumps(everywhere(ACTING)))
    Path("new.yaml").write_text(json.dumps(speaking(ACTING)))
    run_over(["generate", "old.json", "-o", "old"], capfd)
    printed = run_over(arguments, capfd)
    assert printed
    assert is_quiet(printed), ascii(printed)


@pytest.mark.parametrize("key", ["version", "mcpgen", "source"])
@pytest.mark.parametrize("arguments", [["regenerate", "old"], ["diff", "old", "old.json"], ["inspect", "old"]])
def test_hard_21_what_a_lock_says_is_shown_as_what_it_is(
    key: str, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.json").write_text(json.dumps(everywhere("old")))
    run_over(["generate", "old.json", "-o", "old"], capfd)
    lock = Path("old/mcpgen.lock.json")
    lock.write_text(json.dumps({**json.loads(lock.read_text()), key: ACTING}))
    printed = run_over(arguments, capfd)
    assert printed
    assert is_quiet(printed), ascii(printed)


@pytest.mark.parametrize("version", [ACTING, "1.0 beta", "\u0661", "../1"])
def test_hard_21_a_lock_with_a_version_that_is_none_is_refused(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Check that a lock file with an invalid version is refused, because the version would reach clients and
    pyproject.toml.
    """
    monkeypatch.chdir(tmp_path)
    Path("old.json").write_text(json.dumps(everywhere("old")))
    run_over(["generate", "old.json", "-o", "old"], capfd)
    lock = Path("old/mcpgen.lock.json")
    lock.write_text(json.dumps({**json.loads(lock.read_text()), "version": version}))
    assert "[lock-unreadable]" in run_over(["regenerate", "old"], capfd)
