"""Test warnings about unknown environment variables: they name variables that seem meant for this server, and none that
it reads.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from package.runtime.settings import mistaken_variables, settings
from package.runtime.settings.settings_table import SETTINGS

from tests.golden.projects import project
from tests.leaks import searched
from tests.runtime.table_stub import Catalog
from tests.scheme_entries import any_header, api_key, basic, oauth

VALUE = "value-that-nobody-may-see"
ROLES = ("value", "client_id", "client_secret", "token_url")
SCHEMES: dict[str, dict[str, Any]] = {
    "key": api_key("header", "X-Key", "PETSTORE_KEY"),
    "any": any_header("PETSTORE_HEADER"),
    "basic": basic("PETSTORE_BASIC_USERNAME", "PETSTORE_BASIC_PASSWORD"),
    "oauth": oauth({role: f"PETSTORE_OAUTH_{role.upper()}" for role in ROLES}, "https://api.petstore.example/token"),
}
SERVERS = [{"url": "https://{r}.example", "variables": {"r": {"variable": "PETSTORE_VAR_REGION", "default": "eu"}}}]


def warned(*names: str, base_url: str | None = None) -> list[str]:
    catalog: Any = Catalog(servers=SERVERS, security=SCHEMES)
    warnings = settings.load(catalog, dict.fromkeys(names, VALUE), base_url).warnings
    found = [sentence for sentence in warnings if "no setting" in sentence]
    assert VALUE not in str(found)
    return found


def test_what_the_server_reads_is_known() -> None:
    credentials = [name for scheme in SCHEMES.values() for name in scheme["variables"].values()]
    files = [f"{name}_FILE" for name in credentials if not name.endswith("_URL")]
    rows = [name for row in SETTINGS for name in row.variables("PETSTORE")]
    known = [*rows, "PETSTORE_VAR_REGION", *credentials, *files]
    assert warned(*known) == []
    assert warned(*known, base_url="https://x.example") == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PETSTORE_READONLY", "PETSTORE_READ_ONLY"),
        ("PETSTORE_READ_ONLY_MODE", "PETSTORE_READ_ONLY"),
        ("PETSTORE_ROLE", "PETSTORE_ROLES"),
        ("PETSTORE_AUDITS", "PETSTORE_AUDIT"),
        ("PETSTORE_VAR_REGIO", "PETSTORE_VAR_REGION"),
        ("PETSTORE_BASIC_PASSWORD_FILES", "PETSTORE_BASIC_PASSWORD_FILE"),
        ("PETSTORE_VOLUME_FILE", ""),
        ("PETSTORE_ADMIN_SOMETHING", ""),
    ],
)
def test_a_name_that_nothing_reads_is_told_with_the_nearest(name: str, meant: str) -> None:
    [sentence] = warned(name)
    assert sentence == f"{name} is no setting of this server and does nothing." + (
        f" Did you mean {meant}?" if meant else ""
    )


def test_others_are_not_ours_and_what_is_empty_does_nothing_anyway() -> None:
    catalog: Any = Catalog()
    assert settings.load(catalog, {"PETSTOREX": "1", "OTHER_READONLY": "1", "PETSTORE_READONLY": ""}).warnings == []


def test_many_are_one_line_and_no_name_breaks_it() -> None:
    [sentence] = warned(*(f"PETSTORE_ADMIN_{number:02}\n\x1b[2J" for number in range(9)))
    assert sentence.isprintable()
    assert (sentence.count("PETSTORE_ADMIN"), sentence[-24:]) == (
        mistaken_variables.MOST_TOLD,
        " 4 more are none either.",
    )


def test_what_hooks_mention_is_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mistaken_variables, "_HOOKS", str(tmp_path / "hooks.py"))
    assert len(warned("PETSTORE_SIGNING_KEY")) == 1
    (tmp_path / "hooks.py").write_text('KEY = os.environ["PETSTORE_SIGNING_KEY"]')
    assert warned("PETSTORE_SIGNING_KEY") == []


def test_the_doctor_and_the_log_say_it() -> None:
    environ = {"STATION_READONLY": VALUE, "STATION_BASE_URL": "http://127.0.0.1:9"}
    sentence = "STATION_READONLY is no setting of this server and does nothing. Did you mean STATION_READ_ONLY?"
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_forecast","arguments":{}}}\n'
    began = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    began += b'"clientInfo":{"name":"x","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    for flags, said in (["--doctor"], b""), ([], began + asked):
        command = [sys.executable, "-m", "station_mcp", *flags]
        done = subprocess.run(
            command, cwd=project("station"), env=environ, input=said, capture_output=True, timeout=120
        )
        text = (done.stdout if flags else done.stderr).decode()
        assert text.count(sentence) == 1
        searched(done.stdout + done.stderr, VALUE)
