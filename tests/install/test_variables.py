"""Test which environment variables a server's entry in the configuration of a client gets.

Also test that runtime and compiler agree on which of them are secrets.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.install import entries
from package.runtime.settings.settings_table import SETTINGS

from mcpgen.emit.environment import environment
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Network
from tests.install.client_files import HERE

SOURCE = str(HERE / "schemes.openapi.yaml")
P = "EVERY_WAY_"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Catalog, set[str]]:
    """Return the catalog as the runtime reads it, and the names of the secret variables that the compiler
    determines.
    """
    compiled = compile_source(fetch.read(SOURCE, (), Network((), (), SOURCE)), Options())
    folder: Path = tmp_path_factory.mktemp("tables")
    for path, data in compiled.tree.items():
        if path.endswith(".json") and "_mcp/" in path:
            (folder / Path(path).name).write_bytes(data)
    return Catalog.load(str(folder)), {row.variable for row in environment(compiled.catalog) if row.secret}


def test_both_halves_agree_on_what_is_a_secret(both: tuple[Catalog, set[str]]) -> None:
    catalog, secrets = both
    found = entries.secret_names(catalog)
    over_http = {f"{P}{name}" for name in ("STATE_KEY", "STORE", "METRICS_TOKEN", "AUTH_INTROSPECTION_CLIENT_SECRET")}
    assert set(found) == {*secrets, *over_http, f"{P}PROXY", f"{P}CLIENT_KEY_PASSWORD"}
    assert len(secrets) >= 5


def test_every_setting_that_works_over_stdio_is_written(both: tuple[Catalog, set[str]]) -> None:
    """Set every variable of the settings table. Those for HTTP and those of other programs are left out."""
    features = {name: row.feature for row in SETTINGS for name in row.variables(P.removesuffix("_"))}
    found = entries.choose_variables(both[0], dict.fromkeys(features, "x"))
    left_out = {name for name, feature in features.items() if feature == "http" or name.startswith("OTEL_")}
    in_files = {f"{P}PROXY", f"{P}CLIENT_KEY_PASSWORD"}  # their _FILE variables hold them
    assert features.keys() - {*found.values, *found.secrets} == left_out | in_files
    assert in_files <= {*entries.choose_variables(both[0], dict.fromkeys(in_files, "x")).secrets}


def test_variables_of_other_programs_and_of_callers_are_not_written(both: tuple[Catalog, set[str]]) -> None:
    given = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", f"{P}TOKEN_AS": "exchange", f"{P}TIMEOUT": "5"}
    assert entries.choose_variables(both[0], given).values == {f"{P}TIMEOUT": "5"}


ROWS = {
    "nothing is set: the first way of each tool": (
        {},
        {},
        ["KEY", "PLAIN_PASSWORD", "MACHINE_CLIENT_SECRET"],
        ["VAR_TENANT", "PLAIN_USERNAME", "MACHINE_CLIENT_ID"],
    ),
    "one way of two is enough": (
        {"TOKEN": "t", "KEY": "k", "MACHINE": "m", "VAR_TENANT": "a"},
        {"VAR_TENANT": "a"},
        ["KEY", "MACHINE", "TOKEN"],
        [],
    ),
    "names and settings have values, and files of secrets their paths": (
        {
            "PLAIN_USERNAME": "ann",
            "PLAIN_PASSWORD_FILE": "/p",
            "KEY_FILE": "/k",
            "MACHINE_CLIENT_ID": "i",
            "MACHINE_CLIENT_SECRET": "s",
            "VAR_TENANT": "a",
            "TIMEOUT": "5",
            "STATE_KEY": "over HTTP alone",
            "NEVER_HEARD_OF": "x",
        },
        {
            "PLAIN_USERNAME": "ann",
            "PLAIN_PASSWORD_FILE": "/p",
            "KEY_FILE": "/k",
            "MACHINE_CLIENT_ID": "i",
            "VAR_TENANT": "a",
            "TIMEOUT": "5",
        },
        ["MACHINE_CLIENT_SECRET"],
        [],
    ),
    "a name that a file contains is not missing": (
        {"KEY": "k", "VAR_TENANT": "a", "PLAIN_USERNAME_FILE": "/u"},
        {"VAR_TENANT": "a", "PLAIN_USERNAME_FILE": "/u"},
        ["KEY", "PLAIN_PASSWORD", "MACHINE_CLIENT_SECRET"],
        ["MACHINE_CLIENT_ID"],
    ),
}


@pytest.mark.parametrize(("environ", "values", "secrets", "missing"), ROWS.values(), ids=ROWS)
def test_what_an_entry_gets(
    environ: dict[str, str],
    values: dict[str, str],
    secrets: list[str],
    missing: list[str],
    both: tuple[Catalog, set[str]],
) -> None:
    found = entries.choose_variables(both[0], {f"{P}{name}": value for name, value in environ.items()})
    assert found.values == {f"{P}{name}": value for name, value in values.items()}
    assert found.secrets == [f"{P}{name}" for name in secrets]
    assert found.missing == [f"{P}{name}" for name in missing]
