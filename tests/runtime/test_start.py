"""Test the start with settings: a wrong value ends it at once with one sentence; correct settings cost little."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.settings import settings

from tests.leaks import searched, trap
from tests.runtime.conversation import TABLE
from tests.runtime.process import Server, line
from tests.runtime.table_stub import Catalog as Stub
from tests.runtime.test_process import EARLY, OWN, imported

SECRET = "sk-SECRET-that-nobody-may-see"
MATERIAL = Path(__file__).parent / "tls"
EXIT_CONFIG = 78


def started(home: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Start a server, request its list of tools, and return the finished process with its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-m", "mirror_mcp", *arguments],
        cwd=home,
        env={**kept, **trap().environment(), **environ},
        input=line("tools/list"),
        capture_output=True,
        check=False,
    )
    searched(done.stdout + done.stderr, SECRET)
    return done


@pytest.mark.parametrize(
    ("environ", "sentences"),
    [
        (
            {"MIRROR_KEY": f"{SECRET}\nx"},
            ["MIRROR_KEY must be visible ASCII characters without blanks at the ends."],
        ),
        (
            {"MIRROR_KEY": f"{SECRET}\u00e9", "MIRROR_TIMEOUT": "soon", "MIRROR_LOG_LEVEL": SECRET},
            [
                "MIRROR_TIMEOUT must be a number of seconds from 0.1 to 3600.",
                "MIRROR_LOG_LEVEL must be one of debug, info, warning, error.",
                "MIRROR_KEY must be visible ASCII characters without blanks at the ends.",
            ],
        ),
        ({"MIRROR_KEY_FILE": f"/{SECRET}"}, ["MIRROR_KEY_FILE must name a file that can be read."]),
        (
            {"MIRROR_BASE_URL": f"http://{SECRET}@api.example"},
            ["MIRROR_BASE_URL must not hold a user name or password: credentials have variables of their own."],
        ),
        ({"MIRROR_READ_ONLY": "perhaps"}, ["MIRROR_READ_ONLY must be 1 or 0."]),
    ],
)
def test_cred_01_wrong_settings_end_the_start_with_one_sentence_each(
    home: Path, environ: dict[str, str], sentences: list[str]
) -> None:
    done = started(home, **environ)
    assert done.returncode == EXIT_CONFIG
    assert done.stdout == b""
    assert done.stderr.decode().splitlines() == sentences
    assert b"SECRET" not in done.stderr


def test_wrong_settings_end_the_start_with_flags_too(home: Path) -> None:
    done = started(home, "--base-url", "https://api.example", MIRROR_TIMEOUT="x")
    assert (done.returncode, done.stdout) == (EXIT_CONFIG, b"")


def test_a_credential_that_is_not_set_keeps_nothing_from_starting(home: Path) -> None:
    done = started(home)
    assert done.returncode == 0
    assert b'"name":"echo"' in done.stdout


def test_settings_are_checked_without_anything_heavy(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIRROR_KEY", SECRET)
    monkeypatch.setenv("MIRROR_BASE_URL", "https://api.example/v1")
    before = imported(home, "-c", "import runpy")
    loaded = imported(home, "-m", "mirror_mcp", said=line("server/discover")) - before - {"runpy"}
    own = {name.removeprefix("mirror_mcp.runtime.") for name in loaded if name.startswith("mirror_mcp.runtime.")}
    rooms = {name.partition(".")[0] for name in own - OWN}
    assert own - OWN - rooms == {
        *("settings.settings", "settings.credential_env", "settings.origins", "settings.sizes"),
        *("settings.settings_table", "text.fields", "text.addresses"),
    }
    assert rooms == {"settings", "text"}
    assert {name for name in loaded if not name.startswith("mirror_mcp")} <= EARLY


class TestReadOnly:
    """Test the read-only setting: `tools/list`, `tools/call` and `--explain` do not know tools that may change data."""

    @pytest.mark.parametrize(
        ("arguments", "environ"), [(("--read-only",), {}), ((), {"MIRROR_READ_ONLY": "1"})], ids=["flag", "variable"]
    )
    def test_only_what_changes_nothing_is_served(
        self, home: Path, arguments: tuple[str, ...], environ: dict[str, str]
    ) -> None:
        with Server(home, *arguments, env={**os.environ, **environ}) as server:
            assert [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]] == ["echo", "show"]
            refused = server.ask("tools/call", name="wait", arguments={})
            assert refused["error"]["code"] == -32602
            assert server.ask("tools/call", name="echo", arguments={"text": "hi"})["result"]["isError"] is False
            server.end()
            assert server.ended() == 0

    @pytest.mark.parametrize(("flags", "code"), [(["--list"], 0), (["--explain", "wait", "{}"], 2)])
    def test_the_command_line_knows_them_no_more(self, home: Path, flags: list[str], code: int) -> None:
        done = started(home, "--read-only", *flags)
        assert done.returncode == code
        assert re.findall(rb"^\w+", done.stdout, re.MULTILINE) == ([b"echo", b"show"] if code == 0 else [])

    def test_the_list_is_the_bytes_of_the_table(self) -> None:
        catalog = Catalog.load(str(TABLE))
        lines = (TABLE / "tools.json").read_bytes().splitlines()
        catalog.hide_changing()
        assert catalog.tools == [b"[" + lines[1] + lines[2].rstrip(b",") + b"]"]
        assert (catalog.names(), catalog.hidden) == (["echo", "show"], ["wait"])
        assert not catalog.has("wait")
        assert catalog.nearest("wait") == []


def load(environ: dict[str, str], **table: Any) -> settings.Settings:
    catalog: Any = Stub(**table)
    return settings.load(catalog, environ)


@pytest.mark.parametrize(
    ("files", "problems"),
    [
        ({"CA_FILE": "localhost.pem"}, []),
        ({"CLIENT_CERT": "client.pem", "CLIENT_KEY": "client_key.pem"}, []),
        ({"CLIENT_CERT": "localhost.pem"}, []),
        ({"CA_FILE": "client_key.pem"}, ["PETSTORE_CA_FILE must hold certificates in PEM."]),
        ({"CLIENT_CERT": "client.pem"}, ["with PETSTORE_CLIENT_KEY must hold a certificate and its key in PEM"]),
        (
            {"CLIENT_CERT": "client.pem", "CLIENT_KEY": "client_key_locked.pem"},
            ["must hold a certificate and its key in PEM; PETSTORE_CLIENT_KEY_PASSWORD unlocks the key."],
        ),
        (
            {"CLIENT_CERT": "localhost.pem", "CLIENT_KEY": "client_key.pem"},
            ["PETSTORE_CLIENT_CERT with PETSTORE_CLIENT_KEY must hold a certificate and its key"],
        ),
        ({"CLIENT_KEY": "client_key.pem"}, ["PETSTORE_CLIENT_KEY is set and PETSTORE_CLIENT_CERT is not"]),
        ({"CLIENT_CERT": "none.pem"}, ["PETSTORE_CLIENT_CERT must name a file that can be read."]),
    ],
)  # fmt: skip
def test_cred_14_certificates_and_keys_are_tried_at_the_start(files: dict[str, str], problems: list[str]) -> None:
    found = load({f"PETSTORE_{name}": str(MATERIAL / file) for name, file in files.items()}).problems
    assert len(found) == len(problems)
    assert all(part in problem for part, problem in zip(problems, found, strict=True))


def test_what_the_description_says_wrongly_is_no_mistake_of_the_operator() -> None:
    variable = {"variable": "PETSTORE_VAR_REGION", "default": "xx", "enum": ["eu", "us"]}
    made = load({}, servers=[{"url": "https://{r}.example", "variables": {"r": variable}}])
    assert (made.problems, str(made.server(0))) == ([], "https://xx.example")


def test_cfg_04_what_is_complained_of_stays_one_line_that_moves_no_cursor(capfd: pytest.CaptureFixture[str]) -> None:
    from package.runtime.core.stdio import complain

    complain("PETSTORE_VAR_A must be one of a\nERROR b, \x1b[31m, \u202e.")
    assert capfd.readouterr().err == "PETSTORE_VAR_A must be one of a?ERROR b, ?[31m, ?.\n"
