"""Test that a new setting is one row: a row that this test adds to the settings table of a copy of mcpgen is read, and
appears wherever settings are listed, without another line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.leaks import searched

ROOT = Path(__file__).parents[2]
COPIED = ("mcpgen", "templates", "docs/reference_from_code", "CHANGELOG.md", "specs/examples")
TABLE = "templates/package/runtime/settings/settings_table.py"
END = ")  # fmt: skip\n"
NAME = "STATION_QUIET_HOURS"
PURPOSE = "seconds in which nothing happens"
ROWS = f"""\
    Setting("QUIET_HOURS", ".setting_parsers.seconds", 7.0,
            "{PURPOSE}; {{default}} by default", form=("text", "Quiet")),
    Setting("QUIET_CODE", "", "", "the code that ends quiet hours", secret=True),
    Setting("QUIET_DOOR", ".setting_parsers.switch", False, "`1` to close the door", "http"),
"""
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
CODE = "a-code-that-nobody-may-see"
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Station", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "components": {"securitySchemes": {"quiet_hours": {"type": "apiKey", "in": "header", "name": "X-Quiet"}}},
    "security": [{"quiet_hours": []}],
    "paths": {"/a": {"get": {"operationId": "get_a", "responses": {"200": {"description": "ok"}}}}},
}


class Copy:
    """Copy of mcpgen with further rows in its settings table, and a project that this copy has generated."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.project = folder, folder / "station"
        for name in COPIED:
            source, target = ROOT / name, folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        text = (folder / TABLE).read_text(encoding="utf-8")
        assert text.endswith(END)
        (folder / TABLE).write_text(text.removesuffix(END) + ROWS + END, encoding="utf-8")
        (folder / "station.json").write_text(json.dumps(DOCUMENT))
        (folder / ".cursor").mkdir()
        self.run("-m", "mcpgen", "generate", "--parts", "all", "station.json", "-o", "station")

    def run(self, *arguments: str, code: int = 0, given: Mapping[str, str] = NO_VARIABLES) -> str:
        """Run Python with the copy, and return what it has printed. Assert that it ends with `code`."""
        paths = os.pathsep.join(map(str, (self.folder, self.folder / "docs", self.folder / "templates", self.project)))
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": paths, **given},
            capture_output=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
        told = done.stdout + done.stderr
        assert done.returncode == code, told
        searched(told, CODE)
        return told.decode()

    def server(self, *arguments: str, code: int = 0, **given: str) -> str:
        """Run the generated server with arguments and settings. Their names are without the prefix."""
        settings = {f"STATION_{name}": value for name, value in given.items()}
        return self.run("-m", "station_mcp", *arguments, code=code, given=settings)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


def test_the_server_reads_and_checks_it(copy: Copy) -> None:
    read = "from station_mcp.runtime.settings.settings import Settings; print(Settings('STATION')['QUIET_HOURS'])"
    assert copy.run("-c", read) == "7.0\n"
    told = copy.server("--list", code=78, QUIET_HOURS="long")
    assert f"{NAME} must be a number of seconds from 0.1 to 3600." in told


def test_the_doctor_shows_it(copy: Copy, tmp_path: Path) -> None:
    (tmp_path / "code").write_text(CODE)
    report = copy.server("--doctor", "--all", code=1, QUIET_HOURS="5", QUIET_CODE_FILE=str(tmp_path / "code"))
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in report.splitlines() if line.startswith("STATION_")}
    assert rows[NAME] == f"set {PURPOSE}; 7 by default"
    code = "the code that ends quiet hours; STATION_QUIET_CODE_FILE names a file that holds it"
    assert rows["STATION_QUIET_CODE"] == f"set by file {code}"
    assert rows["STATION_QUIET_DOOR"] == "not set over HTTP: 1 to close the door"


def test_install_writes_it_and_a_secret_by_name_only(copy: Copy) -> None:
    told = copy.server("install", "cursor", "--dry-run", QUIET_HOURS="5", QUIET_CODE=CODE, QUIET_DOOR="1")
    assert f'"{NAME}": "5"' in told
    assert '"STATION_QUIET_CODE": "${env:STATION_QUIET_CODE}"' in told
    assert "QUIET_DOOR" not in told


def test_a_similar_name_is_told_and_the_shell_completes_it(copy: Copy) -> None:
    told = copy.server("--doctor", code=1, QUIET_HOUR="5", QUIET_DOORS="1")
    assert f"STATION_QUIET_HOUR is no setting of this server and does nothing. Did you mean {NAME}?" in told
    assert "Did you mean STATION_QUIET_DOOR?" in told, "settings for HTTP are known over stdio"
    words = copy.server("completion", "words", "install", "cursor", "--env", "STATION_QUIET").split()
    assert words == [NAME, "STATION_QUIET_CODE", "STATION_QUIET_CODE_FILE"]


def test_no_credential_takes_its_name(copy: Copy) -> None:
    header = json.loads((copy.project / "station_mcp" / "bindings.json").read_text())
    [variable] = header["security"]["quiet_hours"]["variables"].values()
    assert variable not in (NAME, "STATION_QUIET_CODE")


def test_readme_site_and_bundle_tell_of_it(copy: Copy) -> None:
    readme = (copy.project / "README.md").read_text()
    assert f"\n| `{NAME}` | {PURPOSE}; 7 by default |\n" in readme
    assert "`STATION_QUIET_CODE_FILE` names a file that holds it |\n" in readme
    assert "QUIET_DOOR" not in readme, "settings for HTTP are not in the README"
    site = copy.run("-c", "from reference_from_code import settings; print(settings.markdown())")
    assert f"`PETSTORE_QUIET_HOURS`\n: {PURPOSE.capitalize()}; 7 by default." in site
    assert "Its value must be a number of seconds" in site.split("PETSTORE_QUIET_HOURS")[1].split("PETSTORE_")[0]
    copy.run("-m", "mcpgen", "bundle", "station", "--no-wheel")
    [bundle] = (copy.project / "dist").glob("*.mcpb")
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    field = manifest["user_config"][NAME]
    assert (field["title"], field["type"]) == ("Quiet", "string")
    assert field["description"] == f"{PURPOSE.capitalize()}; 7 by default"
    assert "STATION_QUIET_CODE" not in manifest["user_config"], "users are asked only for rows with a form"
