"""Run the steps of `mcpgen demo`: compile a document, serve it, call its tools, change it and compile it again.

Every step is real: it uses the compiler's own pipeline, a server in its own process, and an HTTP API on loopback. Each
step is returned as a value, which the command line prints. All files are removed at the end.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mcpgen.base import assets
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, as_object, compact
from mcpgen.demo import petstore
from mcpgen.demo.client import REVISION, Client, connect
from mcpgen.emit import offered, project
from mcpgen.emit.offered import GITATTRIBUTES
from mcpgen.emit.project import HTTP_DEPENDENCIES, LICENSE
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project
from mcpgen.read.document import load
from mcpgen.read.fetch import Fetched, read
from mcpgen.read.toolsfile import editors
from mcpgen.regenerate.diff import Difference
from mcpgen.regenerate.publish import plan, publish
from mcpgen.regenerate.regenerate import NextGeneration, succeed

_FILE = Path(".cursor", "mcp.json")


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of one server in a client's configuration file: path of the file, command line, environment
    variables.
    """

    file: Path
    command: list[str]
    environment: dict[str, str]


_LIBRARY = "cryptography"
"""Library that a server needs for HTTP, and not for stdio."""

_META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    "io.modelcontextprotocol/clientInfo": {"name": "mcpgen-demo", "version": "1"},
}
_PATIENCE = 20.0
"""Seconds that a replica may take to start."""


class Replica:
    """One server process, which listens at a port on loopback."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/mcp"
        self._port = port

    def call(self, tool: str, arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Call a tool and return its result. Raises RuntimeError if the response is no result."""
        params = {"name": tool, "arguments": arguments, "_meta": _META, **more}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": REVISION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE)
        try:
            connection.request("POST", "/mcp", json.dumps(message), headers)
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        if "result" not in answer:
            raise RuntimeError(answer["error"]["message"])
        result: dict[str, Any] = answer["result"]
        return result


_CONFIRMING = Fetched("mcpgen.yaml", b"mcpgen: 1\nserver: {confirm: {DELETE: always}}\n")
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the demo: a headline, and lines printed below it.

    `sent`: the command or request. `came`: lines of the output or response.
    """

    headline: str
    sent: str = ""
    came: tuple[str, ...] = ()


def tell() -> Generator[Step, None, None]:
    """Run the demo, and yield each step once it is done. Raises RuntimeError if a step did not go as expected.

    Closing the generator between two steps ends its processes and removes its files.
    """
    document = read(str(assets.specs() / "petstore.openapi.yaml"))
    with tempfile.TemporaryDirectory(prefix="mcpgen-demo-") as folder:
        directory = Path(folder) / "petstore"
        compiled = _generate(document, directory, Project()).compiled
        yield Step(
            "An OpenAPI document is compiled into a standalone MCP server",
            "mcpgen generate petstore.openapi.yaml --http",
            (f"{_tools(compiled)}; {len(compiled.tree)} files, {_rendered(compiled)} of them depend on the document",),
        )
        with petstore.serve() as api:
            environment = {
                **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "SYSTEMROOT")},
                "PETSTORE_BASE_URL": api.url,
                "PETSTORE_API_KEY": petstore.API_KEY,
                "PETSTORE_BEARER": petstore.TOKEN,
                "PETSTORE_LOG_LEVEL": "error",
            }
            entry = _install(directory, compiled.catalog.identity.name, environment)
            yield _installed(entry)
            with connect(entry.command, directory.parent, environment | entry.environment) as client:
                yield from _conversation(client, api, compiled)
            compiled = _confirming(document, directory, compiled)
            yield _over_http(directory, environment, api, compiled)
        yield from _next_version(document, directory, compiled)
    yield Step("Nothing is left behind", "", (f"{folder} is removed; the server and the API have stopped",))


def _generate(document: Fetched, directory: Path, project: Project) -> NextGeneration:
    succession = succeed(directory, document, Options(parts=("http",)), project)
    compiled = succession.compiled
    publish(plan(directory, compiled.tree, compiled.user_files, project.lock), compiled.tree)
    return succession


def _tools(compiled: Compiled) -> str:
    return f"{len(compiled.catalog.tools)} tools"


def _rendered(compiled: Compiled) -> int:
    """Return how many files of a project may contain text of the document: all except Python files and files that are
    equal in every project.
    """
    same = (".py", editors.NAME, GITATTRIBUTES, offered.GITIGNORE, LICENSE, project.SUMS)
    return sum(not path.endswith(same) for path in compiled.tree)


def _installed(entry: Entry) -> Step:
    written = entry.file.read_text(encoding="utf-8")
    _expect(petstore.API_KEY not in written and petstore.TOKEN not in written, "a secret was written into the file")
    _, *arguments = entry.command
    return Step(
        "One command writes it into an MCP client: Cursor, or one of twelve others",
        "mcpgen install petstore cursor --project --with python",
        (
            f"{_FILE.as_posix()} now says: {' '.join(['python', *arguments])}",
            "the file contains no key and no token, only the names of their variables",
            "without `--with`, it makes an environment for the server beside it, and names the Python of that",
        ),
    )


# -- calls over stdio --------------------------------------------------------------------------------------------------


def _conversation(client: Client, api: petstore.Running, compiled: Compiled) -> Iterator[Step]:
    found = client.request("server/discover")
    identity = found["_meta"]["io.modelcontextprotocol/serverInfo"]
    yield Step(
        "The server is started as that file says, over stdio, and a client asks who it is",
        f"server/discover in revision {REVISION}",
        (f"{identity['name']} {identity['version']}, in {found['supportedVersions'][0]} and four older revisions",),
    )
    tools = client.request("tools/list")["tools"]
    requests = {tool.name: f"{tool.operation.method} {tool.operation.path}" for tool in compiled.catalog.tools}
    width = max(map(len, requests))
    rows = tuple(f"{tool['name'].ljust(width)}  {requests[tool['name']]}" for tool in tools)
    yield Step("It lists its tools; each is one operation of the API", "tools/list", rows)
    yield _called(
        client, api, "A tool is called, and the call becomes one HTTP request", "list_pets", species=["cat"], limit=2
    )
    yield _created(client, api)
    before = len(api.requests)
    refused = _called(
        client, api, (
            "Wrong arguments are refused before anything is sent, and all errors are reported at once"
        ), "update_pet",
        petId=1, status="avalable", wieght_kg=4,
    )  # fmt: skip
    _expect(len(api.requests) == before, "a refused call reached the API")
    yield refused
    yield _called(client, api, "An error of the API comes back as text that a model can act on", "get_pet", petId=999)
    yield _picture(client)


def _called(client: Client, api: petstore.Running, headline: str, tool: str, **arguments: Any) -> Step:
    seen = len(api.requests)
    result = client.call(tool, **arguments)
    sent = tuple(f"the API received  {request.method} {request.target}" for request in api.requests[seen:])
    text = result["content"][0]["text"]
    lines = [line for line in text.splitlines() if line.strip()]
    if result.get("isError"):
        lines[0] = f"isError: {lines[0]}"
    return Step(headline, _shown(tool, arguments), (*sent, *map(_clipped, lines)))


def _created(client: Client, api: petstore.Running) -> Step:
    before = len(api.store.rows("pets"))
    step = _called(
        client, api, "A tool that writes; the credential comes from the environment, not from the model", "create_pet",
        name="Minka", species="cat", status="available", traits={"coat": "tabby"},
    )  # fmt: skip
    after = len(api.store.rows("pets"))
    _expect(after == before + 1, "the pet was not created")
    return Step(step.headline, step.sent, (*step.came, f"the API holds {after} pets; it held {before}"))


def _picture(client: Client) -> Step:
    block = client.call("download_photo", photoId=1)["content"][0]
    data = base64.b64decode(block["data"])
    _expect(block["type"] == "image" and data.startswith(PNG_SIGNATURE), "the photo is not a PNG image")
    what = f"an {block['type']} block: {block['mimeType']}, {len(data):,} bytes, a valid PNG signature"
    return Step("An image from the API arrives as an image", _shown("download_photo", {"photoId": 1}), (what,))


# -- calls over HTTP ---------------------------------------------------------------------------------------------------


def _confirming(document: Fetched, directory: Path, compiled: Compiled) -> Compiled:
    """Compile and return the server as an owner would set it up for other users: a call that deletes must be
    confirmed.
    """
    return _generate(document, directory, Project(lock=compiled.lock, settings=_CONFIRMING)).compiled


def _over_http(directory: Path, environment: dict[str, str], api: petstore.Running, compiled: Compiled) -> Step:
    headline = "The same server over HTTP: two replicas share one confirmation"
    if find_spec(_LIBRARY) is None:
        needed = shlex.join(["python", "-m", "pip", "install", *HTTP_DEPENDENCIES])
        return Step(headline, "", (f"not shown: it needs {needed}",))
    package = compiled.catalog.identity.package
    tool, arguments = "delete_pet", {"petId": 2}
    with _serve(package, directory, environment, 2) as (first, second):
        seen = len(api.requests)
        asked = first.call(tool, arguments)
        _expect(asked.get("resultType") == "input_required", "the user was not asked")
        _expect(len(api.requests) == seen, "the API was asked before the user")
        question = asked["inputRequests"]["confirm"]["params"]["message"].splitlines()[0]
        answers = {"confirm": {"action": "accept", "content": {}}}
        done = second.call(tool, arguments, requestState=asked["requestState"], inputResponses=answers)
        again = second.call(tool, arguments, requestState=asked["requestState"], inputResponses=answers)
        _expect(not done["isError"], "the confirmed call failed")
        sent = [f"{request.method} {request.target}" for request in api.requests[seen:]]
    return Step(
        headline,
        f"python -m {package} --http PORT, twice, with one PETSTORE_STATE_KEY; then {_shown(tool, arguments)}",
        (
            f"{first.url} asks the user: {question}",
            f"{second.url} gets the answer yes; the API received  {sent[0]}",
            f"the same answer sent again: {_clipped(again['content'][0]['text'].splitlines()[0])}",
        ),
    )


# -- the next version of the API --------------------------------------------------------------------------------------


def _next_version(document: Fetched, directory: Path, compiled: Compiled) -> Iterator[Step]:
    changed = Fetched(document.name, compact(_revised(document)).encode())
    again = _generate(changed, directory, Project(lock=compiled.lock, settings=_CONFIRMING))
    yield Step(
        "The API changes; the server is generated again over the old one",
        "mcpgen generate petstore.openapi.yaml --http",
        tuple(_lines(again.difference)),
    )


def _revised(document: Fetched) -> JsonObject:
    """Return the document as a later version could be: one operation removed, one added, and one parameter added."""
    value = copy.deepcopy(as_object(load(document.name, document.data, Diagnostics()).value))
    paths = as_object(value["paths"])
    del paths["/featured-pet"]
    paths["/pets/{petId}/toys"] = {
        "get": {
            "operationId": "listToys",
            "summary": "List the toys of a pet",
            "parameters": [{"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "responses": {"200": {"description": "The toys."}},
        }
    }
    parameters = as_object(as_object(paths["/pets"])["get"])["parameters"]
    assert isinstance(parameters, list)
    parameters.append({"name": "breed", "in": "query", "schema": {"type": "string"}})
    return value


def _lines(difference: Difference) -> Iterator[str]:
    """Yield a line for each change of a tool, except for cosmetic changes."""
    signs = {"tool-added": "+", "tool-removed": "-"}
    for change in sorted(difference.changes, key=lambda change: signs.get(change.code, "~")):
        if change.tool and change.grade != "cosmetic":
            sentence = "" if change.code in signs else f": {change.sentence}"
            yield f"{signs.get(change.code, '~')} {change.tool}{sentence} ({change.grade})"


# -- texts of the steps ------------------------------------------------------------------------------------------------


def _shown(tool: str, arguments: dict[str, Any]) -> str:
    return f"{tool}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def _clipped(line: str) -> str:
    return line if len(line) <= 160 else line[:159] + "…"


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RuntimeError(otherwise)


# -- the installation --------------------------------------------------------------------------------------------------


def _install(project: Path, name: str, environment: Mapping[str, str]) -> Entry:
    """Run `mcpgen install` in the parent folder of the project, and return the entry written to Cursor's `mcp.json`
    in this folder.

    The entry starts the server with the current Python, because the default makes an environment, which may need the
    network. Raises RuntimeError if `mcpgen install` fails.
    """
    command = [sys.executable, "-m", "mcpgen", "install", str(project), "cursor", "--project", "--with", "python"]
    done = subprocess.run(
        command, cwd=project.parent, env=dict(environment), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the server was not installed: {done.stderr.strip()[-300:]}")
    file = project.parent / _FILE
    written = json.loads(file.read_text(encoding="utf-8"))["mcpServers"][name]
    given = {key: value for key, value in written["env"].items() if not value.startswith("${")}
    return Entry(file, [written["command"], *written["args"]], given)


# -- two replicas ------------------------------------------------------------------------------------------------------


@contextmanager
def _serve(package: str, directory: Path, environment: Mapping[str, str], how_many: int) -> Iterator[list[Replica]]:
    """Start `how_many` replicas of a server that share a signing key, and yield them. The replicas are stopped when the
    context ends.
    """
    prefix = package.removesuffix("_mcp").upper()
    shared = {**environment, f"{prefix}_STATE_KEY": secrets.token_hex(32)}
    with ExitStack() as ends:
        ports = []
        for _ in range(how_many):
            port = _free_port()
            command = [sys.executable, "-m", package, "--http", str(port)]
            process = subprocess.Popen(command, cwd=directory, env=shared, stdin=subprocess.DEVNULL)
            ends.callback(_end, process)
            ports.append(port)
        for port in ports:
            _wait_for(port)
        yield [Replica(port) for port in ports]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def _wait_for(port: int) -> None:
    """Wait until a server listens at the port. Raises RuntimeError if none does within _PATIENCE seconds."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("a replica did not start")
