"""Test that the output of commands in the documentation is what the commands print."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.docs.console import is_shown

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "how-to" / f"{name}.md" for name in ("inspect", "grade")]
SHOWN = re.findall(
    r"^( *)```console\n\1\$ (mcpgen (?:inspect|grade) [^\n]+)\n(.*?)^\1```$",
    "\n".join(page.read_text(encoding="utf-8") for page in PAGES),
    re.MULTILINE | re.DOTALL,
)


def test_there_are_examples() -> None:
    assert len(SHOWN) == 3


@pytest.mark.parametrize(("indent", "command", "output"), SHOWN, ids=[command for _, command, _ in SHOWN])
def test_an_example_is_what_is_printed(
    indent: str, command: str, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit):
        main(shlex.split(command)[1:])
    printed = capsys.readouterr().out
    assert is_shown(textwrap.dedent(output), printed), printed
