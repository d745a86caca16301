"""Start the servers that agent frameworks call in tests: each generated example, and one server with unusual names.
Each server has its own API.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from mcpgen.demo import petstore
from mcpgen.demo.http import Running
from tests import station
from tests.examples.api import Api
from tests.examples.conversations import NAMES as EXAMPLES
from tests.leaks import SECRET, searched

NAMES = "names"
NAMES_ARGUMENTS = {
    "id": "a",
    "typename": "b",
    "top": "c",
    "argument_2fa": "d",
    "argument_model_config": "e",
    "argument_model_dump": "f",
    "argument_self": "g",
    "argument_config": "h",
    "argument_run_manager": "i",
    "argument_runtime": "j",
    "class": "k",
    "schema": "l",
    "kwargs": "m",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. `answer`: a part of the expected text. `heard`: the requests that the API must receive."""

    tool: str
    arguments: dict[str, Any]
    answer: str
    heard: tuple[str, ...]


CALLS = {
    "calculator": Call("add", {"a": 2, "b": 3}, "2 + 3 = 5", ("GET /add?a=2&b=3",)),
    # No framework can ask its user, and this server wants each call confirmed. So the call fails, and no request is
    # made. The text is not compared, because OpenAI Agents and AutoGen replace it.
    "clinical": Call("query_patient_cohort", {"condition": "asthma"}, "", ()),
    "database": Call(
        "execute_query",
        {"query": "SELECT name FROM users WHERE city = 'London'"},
        "Ada",
        ('POST /query {"sql":"SELECT name FROM users WHERE city = \'London\'"}',),
    ),
    "echo": Call("hello", {"input": "hello, world"}, "hello, world", ('POST /echo {"data":"hello, world"}',)),
    "files": Call("analyze_file", {"name": "harbour.csv"}, "4 lines", ("GET /files/harbour.csv/analysis",)),
    "weather": Call("weather_current", {"location": "Oslo"}, "Oslo", ("GET /current?location=Oslo",)),
    "petstore": Call("list_pets", {"species": ["cat"], "limit": 1}, "cat", ("GET /v1/pets?species=cat&limit=1",)),
    "station": Call("get_current_conditions", {"city": "Oslo"}, "Oslo", ("GET /v1/current?city=Oslo",)),
    NAMES: Call(
        "get_thing",
        NAMES_ARGUMENTS,
        "found",
        (
            "GET /things/a?__typename=b&$top=c&2fa=d&model_config=e&model_dump=f&self=g&config=h&run_manager=i"
            "&runtime=j&class=k&schema=l&kwargs=m",
        ),
    ),
}


Object = dict[str, Any]


class Used(NamedTuple):
    """The reports of an agent framework and the requests that the APIs received, each by the name of the server."""

    reports: dict[str, Object]
    heard: dict[str, list[str]]


Folder = Callable[[str], Path]
"""Function from the name of a server to the folder of its project."""


def use(carry_out: Callable[[list[Object]], list[Object]], folder: Folder, *, search: bool) -> Used:
    """Serve the APIs of all examples, and the API of the server that NAMES stands for, whose parameters have unusual
    names. Give `carry_out` one job for each server. Return the reports, and the requests that the APIs received.

    `search`: True if the servers list a tool search, through which the tools are called. Raise AssertionError if a
    report holds the credential.
    """
    with ExitStack() as stack:
        apis = {name: stack.enter_context(Api(name)) for name in EXAMPLES}
        demos: dict[str, Running] = {
            "petstore": stack.enter_context(petstore.serve(api_key=SECRET, token=SECRET)),
            "station": stack.enter_context(station.serve(api_key=SECRET)),
        }
        things, heard = stack.enter_context(_serve_things())
        urls = {name: api.url for name, api in apis.items()} | {name: api.url for name, api in demos.items()}
        urls[NAMES] = things

        jobs = {name: _job(name, url, folder(name), search) for name, url in urls.items()}
        reports = dict(zip(jobs, carry_out([*jobs.values()]), strict=True))
        searched(json.dumps(reports).encode())
        shown = {name: api.end()[1].splitlines() for name, api in apis.items()}
        asked = {name: [f"{each.method} {each.target}" for each in api.requests] for name, api in demos.items()}
        return Used(reports, {**shown, **asked, NAMES: heard})


def tools(folder: Path) -> dict[str, dict[str, Any]]:
    """Return a mapping from name to tool, read from the project's `tools.json`."""
    (path,) = folder.glob("*_mcp/tools.json")
    return {tool["name"]: tool for tool in json.loads(path.read_bytes())}


def _job(name: str, url: str, folder: Path, search: bool) -> dict[str, Any]:
    prefix, call = name.upper(), CALLS[name]
    variables = {
        "PYTHONPATH": str(folder),
        f"{prefix}_BASE_URL": url,
        f"{prefix}_TOKEN" if name in (*EXAMPLES, NAMES) else f"{prefix}_API_KEY": SECRET,
        **({"CLINICAL_ROLES": "researcher,statistician"} if name == "clinical" else {}),
    }
    server = {"command": sys.executable, "args": ["-m", f"{name}_mcp"], "env": variables}
    if not search:
        return {"server": server, "tool": call.tool, "arguments": call.arguments}
    reads = tools(folder)[call.tool]["annotations"]["readOnlyHint"]
    inner = {"name": call.tool, "arguments": call.arguments}
    return {"server": server, "tool": "call_tool" if reads else "call_writing_tool", "arguments": inner}


@contextmanager
def _serve_things() -> Iterator[tuple[str, list[str]]]:
    """Serve an API that answers every path with 200. Yield its URL, and the list of requests that it receives."""
    heard: list[str] = []

    class Things(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"GET {self.path}")
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"found":true}')

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Things) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", heard
        finally:
            server.shutdown()
            thread.join()
