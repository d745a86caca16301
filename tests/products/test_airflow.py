"""Change Airflow's variables and pools through the generated server, and check them by Airflow's command line."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.products import installs
from tests.products.product import Server, asked, free_port, generate, running, served

pytestmark = pytest.mark.world


class Flow(NamedTuple):
    """A running Airflow: the server generated for it, and its command line."""

    server: Server
    program: str
    folder: Path
    variables: dict[str, str]

    def told(self, *command: str) -> list[dict[str, Any]]:
        """Return the JSON that Airflow's command line lists."""
        printed = asked(self.program, *command, "--output", "json", folder=self.folder, variables=self.variables)
        listed: list[dict[str, Any]] = json.loads(printed[printed.index("[") :])
        return listed


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flow]:
    root, folder = installs.pip("airflow", "apache-airflow==3.3.2"), tmp_path_factory.mktemp("airflow")
    program, port = str(root / "bin" / "airflow"), free_port()
    variables = {
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "PATH": f"{root / 'bin'}:/usr/bin:/bin",
    }
    asked(program, "db", "migrate", folder=folder, variables=variables)
    command = [program, "api-server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    with running(command, "Uvicorn running on", folder, variables):
        url = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{url}/auth/token") as answer:
            token = json.load(answer)["access_token"]
        project = generate(f"{url}/openapi.json", folder / "project", "--name", "airflow")
        with served(project, {"AIRFLOW_BASE_URL": url, "AIRFLOW_HTTP_BEARER": token}, token) as server:
            yield Flow(server, program, folder, variables)


def test_variables_are_created_read_filtered_paged_changed_and_deleted(flow: Flow) -> None:
    server = flow.server
    for key, value in {"tide": "low", "moon": "full & bright", "tide/height": "2.5", "sun": "ö"}.items():
        assert server.call("create_variable", key=key, value=value)["key"] == key
    assert {each["key"] for each in flow.told("variables", "list")} == {"tide", "moon", "tide/height", "sun"}
    assert server.call("get_variable", variable_key="tide/height")["value"] == "2.5"

    of_tides = server.call("list_variables", variable_key_pattern="tide%", order_by=["-key"])
    assert [each["key"] for each in of_tides["variables"]] == ["tide/height", "tide"]
    pages = [server.call("list_variables", order_by=["key"], limit=3, offset=offset) for offset in (0, 3)]
    assert [[each["key"] for each in page["variables"]] for page in pages] == [["moon", "sun", "tide"], ["tide/height"]]
    assert {page["total_entries"] for page in pages} == {4}

    server.call("update_variable", variable_key="tide", key="tide", value="high", update_mask=["value"])
    assert server.call("get_variable", variable_key="tide")["value"] == "high"
    server.call("delete_variable", variable_key="tide/height")
    server.call("delete_variable", variable_key="sun")
    asked(flow.program, "variables", "export", "all.json", folder=flow.folder, variables=flow.variables)
    exported = json.loads((flow.folder / "all.json").read_text())
    assert exported == {"tide": "high", "moon": "full & bright"}
    assert "404" in server.refused("get_variable", variable_key="sun")


def test_pools_are_created_changed_and_deleted(flow: Flow) -> None:
    server = flow.server
    server.call("create_pool", name="sea", slots=3, description="For tides", include_deferred=False)
    server.call("create_pool", name="sky", slots=5)
    # Airflow's document makes all members of this body optional, but the API requires all of them.
    server.call("update_pool", pool_name="sea", pool="sea", slots=7, description="For tides", include_deferred=False)
    server.call("delete_pool", pool_name="sky")
    pools = {each["pool"]: (each["slots"], each["description"]) for each in flow.told("pools", "list")}
    assert pools.pop("sea") == ("7", "For tides")
    assert "sky" not in pools
