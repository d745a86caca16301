"""Test the file watcher of --reload: which new project files it loads, which it ignores, and what it logs.

The test triggers each check of the files; there is no thread.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Catalog, CatalogError
from package.runtime.reload import reload
from package.runtime.settings import settings

from mcpgen.base.jsonvalue import compact
from tests.runtime.conversation import FEATURED, LATER, TABLE
from tests.scheme_entries import bearer

FILES = ("tools.json", "bindings.json")


class Scene:
    """A package on disk, its file watcher, and the catalogs that were loaded."""

    def __init__(self, package: Path, read_only: bool = False) -> None:
        self.package = package
        self.environ: dict[str, str] = {}
        self.taken: list[Catalog] = []
        (package / "runtime" / "room").mkdir(parents=True)
        (package / "runtime" / "a.py").write_text("a = 1\n")
        (package / "runtime" / "room" / "a.py").write_text("a = 1\n")
        self.put(TABLE)
        self.served = Catalog.load(str(package), held=True)

        def again(catalog: Catalog) -> settings.Settings:
            return settings.load(catalog, self.environ, read_only=read_only)

        self.watch = reload.Watch(str(package), self.served, again, lambda catalog, _: self.taken.append(catalog))
        self.rest()

    def put(self, table: Path, *names: str) -> None:
        """Replace the package's files by those of the directory `table`.

        Each file is renamed into place, as a compile does it.
        """
        for name in names or FILES:
            shutil.copy(table / name, self.package / "new")
            (self.package / "new").replace(self.package / name)

    def edit(self, name: str, edit: Callable[[str], str]) -> None:
        """Overwrite a file of the package in place."""
        path = self.package / name
        path.write_text(edit(path.read_text()))

    def rest(self) -> None:
        """Check the files until the watcher sees no new change."""
        for _ in range(3):
            self.watch.look()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def events(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfd.readouterr().err.splitlines()]


def test_a_new_table_is_taken_once_it_has_rested(scene: Scene, capfd: pytest.CaptureFixture[str]) -> None:
    scene.put(LATER)
    scene.watch.look()
    assert scene.taken == []
    scene.rest()
    [taken] = scene.taken
    assert (taken.names(), taken.version) == (["echo", "shout", "wait"], "1.3.0")
    [event] = events(capfd)
    assert (event["event"], event["level"], event["version"], event["tools"]) == ("table_taken", "info", "1.3.0", 3)
    scene.put(TABLE)
    scene.rest()
    assert scene.taken[1].names() == ["echo", "show", "wait"]


@pytest.mark.parametrize("torn", ["resources.json", "prompts.json"])
def test_resources_and_prompts_are_part_of_the_table(
    scene: Scene, torn: str, capfd: pytest.CaptureFixture[str]
) -> None:
    scene.put(FEATURED, *(path.name for path in FEATURED.iterdir() if path.name != torn))
    scene.rest()
    assert scene.taken == []
    [event] = events(capfd)
    assert event["event"] == "table_not_taken"
    scene.put(FEATURED, torn)
    scene.rest()
    [taken] = scene.taken
    assert taken.changed(scene.served) == ["resources", "prompts"]
    scene.edit(torn, lambda text: text.replace("e", "E"))
    scene.rest()
    assert len(scene.taken) == 1
    assert f"{torn} and bindings.json do not belong together" in events(capfd)[-1]["reason"]


@pytest.mark.parametrize("moved", [("bindings.json",), ("tools.json",)])
def test_half_of_a_table_is_not_taken_and_its_whole_is(
    scene: Scene, capfd: pytest.CaptureFixture[str], moved: tuple[str]
) -> None:
    scene.put(LATER, *moved)
    scene.rest()
    assert scene.taken == []
    [event] = events(capfd)
    assert (event["event"], event["level"]) == ("table_not_taken", "error")
    assert "do not belong together" in event["reason"]
    scene.put(LATER)
    scene.rest()
    assert len(scene.taken) == 1


def test_a_table_that_was_half_written_between_two_looks_is_no_event(
    scene: Scene, capfd: pytest.CaptureFixture[str]
) -> None:
    scene.put(LATER, "bindings.json")
    scene.watch.look()
    scene.put(LATER, "tools.json")
    scene.rest()
    assert len(scene.taken) == 1
    assert [event["event"] for event in events(capfd)] == ["table_taken"]


def test_the_same_table_written_again_is_nothing_new(scene: Scene, capfd: pytest.CaptureFixture[str]) -> None:
    scene.put(TABLE)
    scene.rest()
    scene.put(LATER)
    scene.watch.look()
    scene.put(TABLE)
    scene.rest()
    assert (scene.taken, events(capfd)) == ([], [])


def test_a_hundred_changes_without_rest_are_one(scene: Scene) -> None:
    for number in range(100):
        scene.put((LATER, TABLE)[number % 2])
        scene.watch.look()
    scene.put(LATER)
    scene.rest()
    assert len(scene.taken) == 1


BROKEN: dict[str, tuple[str, Callable[[str], str], str]] = {
    "edited": ("tools.json", lambda text: text.replace("Echo", "Ohce"), "do not belong together"),
    "cut short": ("bindings.json", lambda text: text[:-200], "cut short"),
    "empty": ("bindings.json", lambda text: "", "cut short"),
    "no JSON": ("bindings.json", lambda text: "{" + text, "no JSON object"),
    "of another format": ("bindings.json", lambda text: text.replace('"mcpgen":2', '"mcpgen":3'), "format 2"),
    "incomplete": ("bindings.json", lambda text: text.replace('"servers"', '"x"', 1), "incomplete"),
    "of another server": ("bindings.json", lambda text: text.replace('"mirror"', '"other"', 1), "of another server"),
    "of other variables": ("bindings.json", lambda text: text.replace('"MIRROR"', '"M"', 1), "of another server"),
}


@pytest.mark.parametrize(("file", "edit", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_served_is_said_once_and_the_table_before_stays_whole(
    scene: Scene, capfd: pytest.CaptureFixture[str], file: str, edit: Callable[[str], str], reason: str
) -> None:
    """Keep serving the old version if the new project files are invalid, and log the reason once.

    The old version stays complete even if its files are overwritten in place.
    """
    scene.edit(file, edit)
    scene.rest()
    [event] = events(capfd)
    assert (event["event"], event["level"]) == ("table_not_taken", "error")
    assert reason in event["reason"]
    assert scene.taken == []
    assert [scene.served.tool(name).name for name in scene.served.names()] == ["echo", "show", "wait"]
    scene.put(LATER)
    scene.rest()
    assert len(scene.taken) == 1


def test_a_table_that_is_gone_for_a_while(scene: Scene, capfd: pytest.CaptureFixture[str]) -> None:
    (scene.package / "tools.json").unlink()
    scene.rest()
    assert "tools.json cannot be read" in events(capfd)[0]["reason"]
    scene.put(LATER)
    scene.rest()
    assert len(scene.taken) == 1


@pytest.mark.parametrize("room", ["runtime", "runtime/room"])
@pytest.mark.parametrize("change", ["another", "more", "less"])
def test_a_table_of_another_runtime_takes_a_restart(
    scene: Scene, capfd: pytest.CaptureFixture[str], change: str, room: str
) -> None:
    module = scene.package / room / ("b.py" if change == "more" else "a.py")
    module.write_text("a = 2\n")
    if change == "less":
        module.unlink()
    scene.put(LATER)
    scene.rest()
    assert scene.taken == []
    [event] = events(capfd)
    assert event["reason"] == "The server was generated with another runtime. Start it again."


@pytest.mark.parametrize("change", ["more", "less"])
def test_a_part_that_comes_or_goes_takes_no_restart(scene: Scene, change: str) -> None:
    if change == "less":
        shutil.rmtree(scene.package / "runtime" / "room")
    else:
        (scene.package / "runtime" / "wing" / "inner").mkdir(parents=True)
        (scene.package / "runtime" / "wing" / "inner" / "a.py").write_text("a = 1\n")
    scene.put(LATER)
    scene.rest()
    assert len(scene.taken) == 1


@pytest.mark.parametrize("room", ["runtime", "runtime/room"])
def test_another_runtime_is_said_without_another_table_and_the_table_is_taken_once_it_is_as_before(
    scene: Scene, capfd: pytest.CaptureFixture[str], room: str
) -> None:
    module = scene.package / room / "b.py"
    module.write_text("b = 1\n")
    scene.rest()
    assert "another runtime" in events(capfd)[0]["reason"]
    scene.put(LATER)
    scene.rest()
    assert (len(scene.taken), len(events(capfd))) == (0, 1)
    module.unlink()
    scene.rest()
    assert len(scene.taken) == 1


def test_a_table_with_which_the_server_could_not_start_is_not_taken(
    scene: Scene, capfd: pytest.CaptureFixture[str]
) -> None:
    scene.environ["MIRROR_BADGE"] = "sk-SECRET\nx"
    badge = f'"security":{{"badge":{compact(bearer("MIRROR_BADGE"))},'
    scene.edit("bindings.json", lambda text: text.replace('"security":{', badge, 1))
    scene.rest()
    assert scene.taken == []
    [event] = events(capfd)
    assert event["reason"] == "MIRROR_BADGE must be visible ASCII characters without blanks at the ends."


def test_what_is_hidden_stays_hidden(tmp_path: Path) -> None:
    scene = Scene(tmp_path, read_only=True)
    scene.put(LATER)
    scene.rest()
    [taken] = scene.taken
    assert (taken.names(), taken.hidden) == (["echo", "shout"], ["wait"])
    assert b'"wait"' not in taken.tools


def test_whatever_breaks_in_a_look_the_next_one_comes(
    scene: Scene, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def listdir(path: str) -> list[str]:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", listdir)
        scene.put(LATER)
        scene.rest()
    assert [event["error"] for event in events(capfd)] == ["PermissionError"]
    scene.put(LATER)
    scene.rest()
    assert len(scene.taken) == 1


def test_a_table_that_is_held_is_what_it_was_whatever_becomes_of_its_files(tmp_path: Path) -> None:
    for name in FILES:
        shutil.copy(TABLE / name, tmp_path)
    held, opened = Catalog.load(str(tmp_path), held=True), Catalog.load(str(tmp_path))
    assert held.is_same(opened)
    for name in FILES:
        (tmp_path / name).write_text("something else\n")
    assert not held.is_same(opened)
    assert held.tool("wait").binding["method"] == "PUT"
    with pytest.raises(CatalogError):
        opened.tool("wait")


def test_tables_that_came_and_went_leave_no_descriptor_open(scene: Scene) -> None:
    before = os.listdir("/dev/fd")
    for number in range(20):
        scene.put((LATER, TABLE)[number % 2])
        scene.rest()
    assert len(scene.taken) == 20
    assert os.listdir("/dev/fd") == before


@pytest.mark.parametrize("name", ["tools.json", "bindings.json", "runtime/a.py", "runtime/room/a.py"])
def test_hard_23_a_pipe_in_place_of_a_file_is_refused_and_the_watch_goes_on(
    scene: Scene, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Refuse a named pipe in place of a file. No process writes to it, so opening it normally would block forever."""
    content = (scene.package / name).read_bytes()
    (scene.package / name).unlink()
    os.mkfifo(scene.package / name)
    scene.rest()
    [event] = events(capfd)
    assert (event["event"], scene.taken) == ("table_not_taken", [])
    (scene.package / name).unlink()
    (scene.package / name).write_bytes(content)
    scene.put(LATER)
    scene.rest()
    assert len(scene.taken) == 1
