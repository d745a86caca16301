"""Test that what is kept and renamed in the page becomes a tools file.

Chromium downloads the file, and mcpgen compiles it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.page.browser import CHROMIUM, Page
from tests.page.pages import PETSTORE, Run, written

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian's package chromium)")

OPEN = """
((name) => {
  const tool = [...document.querySelectorAll("details.tool")]
    .find((each) => each.querySelector(".name").textContent === name);
  tool.open = true;
  return new Promise((done) => requestAnimationFrame(() => setTimeout(() =>
    done(tool.querySelector(".curation") !== null))));
})(%s)
"""
CHANGE = """
((name, act) => {
  const tool = [...document.querySelectorAll("details.tool")]
    .find((each) => each.querySelector(".name").textContent === name);
  act(tool.querySelector(".curation input[type=checkbox]"), tool.querySelector(".renamed"));
})(%s, %s)
"""
DROP = "(box) => box.click()"
STATE = "[document.getElementById('curated').textContent, document.getElementById('download').disabled]"


def rename(name: str) -> str:
    return f"(box, field) => {{ field.value = {json.dumps(name)}; field.dispatchEvent(new Event('input')); }}"


async def change(page: Page, name: str, act: str) -> Any:
    assert await page.run(OPEN % json.dumps(name))
    await page.run(CHANGE % (json.dumps(name), act))
    return await page.run(STATE)


def names(source: Path, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Return the names of the tools that mcpgen makes of a source."""
    with pytest.raises(SystemExit) as ended:
        main(["inspect", str(source), "--format", "json"])
    assert ended.value.code == 0
    return {tool["name"] for tool in json.loads(capsys.readouterr().out)["tools"]}


def test_choices_become_a_tools_file(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    document = tmp_path / "a: b #'c'.yaml"
    shutil.copy(PETSTORE, document)
    path, described = written(document, tmp_path, capsys)
    before = {tool["name"] for tool in described["tools"]}

    async def scene() -> None:
        await page.open(path)
        await page.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        assert await page.run(STATE) == [f"{len(before)} of {len(before)} tools kept, 0 renamed", False]
        fewer = f"{len(before) - 1} of {len(before)} tools kept"
        assert await change(page, "delete_pet", DROP) == [f"{fewer}, 0 renamed", False]
        assert (await change(page, "list_pets", rename("find pets")))[0].startswith('The name "find pets" must have')
        assert await change(page, "list_pets", rename("get_pet")) == ["Two tools would be called get_pet.", True]
        assert await change(page, "list_pets", rename("find_pets")) == [f"{fewer}, 1 renamed", False]
        await page.point("#download", click=True)
        while not await downloaded():
            pass
        assert page.errors == []
        assert page.dialogs == []

    async def downloaded() -> bool:
        """Return True if the file is there. Each question to the browser takes a turn of its event loop."""
        await page.drawn()
        return (tmp_path / "mcpgen.tools.yaml").exists()

    run(scene())
    assert names(tmp_path / "mcpgen.tools.yaml", capsys) == (before - {"delete_pet", "list_pets"}) | {"find_pets"}


@pytest.mark.parametrize("flags", [("--include", "method:GET"), ()])
def test_a_page_of_another_source_writes_no_file(
    chromium: tuple[Run, Page], flags: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    shutil.copy(PETSTORE, tmp_path / "store.yaml")
    (tmp_path / "t.tools.yaml").write_text("mcpgen: 1\nopenapi: [{document: store.yaml}]\n")
    source = tmp_path / ("store.yaml" if flags else "t.tools.yaml")
    with pytest.raises(SystemExit):
        main(["inspect", str(source), "--html", str(tmp_path / "page.html"), *flags])

    async def scene() -> None:
        await page.open(tmp_path / "page.html")
        assert await page.run("document.getElementById('export').hidden")
        assert not await page.run("document.querySelector('.curation')")

    run(scene())
