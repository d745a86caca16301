"""Change Prefect's variables, work pools and artifacts through the generated server, and check them by Prefect's
command line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.leaks import SECRET
from tests.products import installs
from tests.products.product import Server, asked, free_port, generate, running, served

pytestmark = pytest.mark.world


class Flows(NamedTuple):
    """MCP server generated for a running Prefect server, and what a test needs to run Prefect's command line.

    `program`: path of Prefect's command. `folder` and `variables`: its working directory and environment variables.
    """

    server: Server
    program: str
    folder: Path
    variables: dict[str, str]

    def told(self, *command: str) -> Any:
        """Return the JSON that Prefect's command line prints."""
        return json.loads(asked(self.program, *command, "-o", "json", folder=self.folder, variables=self.variables))


@pytest.fixture(scope="module")
def flows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flows]:
    # later versions of this dependency are incompatible with Prefect
    root = installs.pip("prefect", "prefect==3.8.8", "fastapi<0.140")
    folder, port = tmp_path_factory.mktemp("prefect"), free_port()
    url = f"http://127.0.0.1:{port}"
    variables = {
        "PREFECT_HOME": str(folder),
        "PREFECT_API_URL": f"{url}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_LOGGING_LEVEL": "INFO",
        "PREFECT_LOGGING_SERVER_LEVEL": "INFO",
        "NO_COLOR": "1",
    }
    program = str(root / "bin" / "prefect")
    with running([program, "server", "start", "--port", str(port)], "Uvicorn running on", folder, variables):
        project = generate(f"{url}/openapi.json", folder / "project", "--name", "prefect")
        with served(project, {"PREFECT_BASE_URL": f"{url}/api", "PREFECT_TOKEN": SECRET}, SECRET) as server:
            yield Flows(server, program, folder, variables)


def test_variables_are_created_read_filtered_paged_changed_and_deleted(flows: Flows) -> None:
    server = flows.server
    values: dict[str, Any] = {"tide": "low", "moon": {"phase": [1, 2.5]}, "wind": None, "sun": True}
    for name, value in values.items():
        server.call("create_variable", name=name, value=value, tags=["sky" if name != "tide" else "sea"])
    shown = {name: flows.told("variable", "inspect", name)["value"] for name in ("tide", "moon")}
    assert shown == {"tide": "low", "moon": {"phase": [1, 2.5]}}
    assert server.call("read_variable_by_name", name="moon")["value"] == {"phase": [1, 2.5]}

    of_sky = {"tags": {"all_": ["sky"]}}
    found = server.call("read_variables", variables=of_sky, sort="NAME_ASC")
    assert [each["name"] for each in found] == ["moon", "sun", "wind"]
    pages = [server.call("read_variables", sort="NAME_ASC", limit=3, offset=offset) for offset in (0, 3)]
    assert [[each["name"] for each in page] for page in pages] == [["moon", "sun", "tide"], ["wind"]]
    assert server.call("count_variables", variables=of_sky) == 3

    server.call("update_variable_by_name", name="tide", value="high")
    assert flows.told("variable", "inspect", "tide")["value"] == "high"
    server.call("delete_variable_by_name", name="tide")
    assert {each["name"] for each in flows.told("variable", "ls")} == {"moon", "sun", "wind"}
    assert "404" in server.refused("read_variable_by_name", name="tide")


def test_a_flow_and_its_run_are_created_found_and_deleted(flows: Flows) -> None:
    server = flows.server
    flow = server.call("create_flow", name="tides", tags=["sea"])
    run = server.call("create_flow_run", flow_id=flow["id"], name="first", state={"type": "SCHEDULED"})
    assert [each["name"] for each in flows.told("flow-run", "ls")] == ["first"]
    wanted = {"flows": {"name": {"any_": ["tides"]}}, "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}}}
    assert [each["id"] for each in server.call("read_flow_runs", **wanted)] == [run["id"]]
    server.call("set_flow_run_state", id=run["id"], state={"type": "CANCELLED", "message": "No wind"}, force=True)
    assert flows.told("flow-run", "inspect", run["id"])["state"]["type"] == "CANCELLED"
    server.call("update_flow_run", id=run["id"], name="second")
    assert flows.told("flow-run", "inspect", run["id"])["name"] == "second"
    server.call("delete_flow_run", id=run["id"])
    assert server.call("count_flow_runs") == 0
