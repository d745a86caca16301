"""Measure requirements REL-12 and REL-15: a server of 5,000 tools, and servers in unusual environments."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.promises.session import session
from mcpgen.cli import main
from tests.hostile.subject import PACKAGE
from tests.leaks import planted
from tests.runtime.process import call, line
from tests.runtime.upstream import serving

SURROUNDINGS: dict[str, Mapping[str, str]] = {
    "as it is": {},
    "LANG=C": {"LANG": "C", "LC_ALL": "C"},
    "LANG=tr_TR.ISO-8859-9": {"LANG": "tr_TR.ISO-8859-9", "LC_ALL": "tr_TR.ISO-8859-9"},
    "PYTHONUTF8=0": {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    "PYTHONUTF8=1": {"PYTHONUTF8": "1"},
    "PYTHONIOENCODING": {"PYTHONIOENCODING": "utf-16:strict"},
    "PYTHONHASHSEED": {"PYTHONHASHSEED": "7"},
    "PYTHONOPTIMIZE=2": {"PYTHONOPTIMIZE": "2"},
    "TZ=Pacific/Kiritimati": {"TZ": "Pacific/Kiritimati"},
    "TZ that is none": {"TZ": "Nowhere/None+99:99"},
    "no HOME": {"HOME": "/nonexistent"},
    "HOME that cannot be written to": {"HOME": "/proc"},
    "no folder for temporary files": {"TMPDIR": "/nonexistent", "TEMP": "", "TMP": ""},
    "PYTHONDONTWRITEBYTECODE": {"PYTHONDONTWRITEBYTECODE": "1"},
    "PYTHONWARNINGS=error": {"PYTHONWARNINGS": "error"},
    "PYTHONASYNCIODEBUG": {"PYTHONASYNCIODEBUG": "1"},
    "an odd umask": {"_UMASK": "0o777"},
}
SAID = line("server/discover") + line("tools/list") + call(1, "get_detail", id="né日\U0001f600", q="é") + call(2, "no")


def answers(project: Path, port: int, environ: Mapping[str, str]) -> list[str]:
    """Return the responses of a server in this environment to the lines in SAID, sorted."""
    umask = int(environ.get("_UMASK", "0o22"), 8)
    server = subprocess.Popen(
        [sys.executable, "-m", PACKAGE],
        cwd=project,
        env={**planted("HOSTILE"), "HOSTILE_BASE_URL": f"http://127.0.0.1:{port}/api/v1", **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        umask=umask,
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(SAID)
        server.stdin.flush()
        # Read all responses before closing stdin. After the end of stdin, a server on a busy machine may lack the time
        # for the remaining calls.
        said = [server.stdout.readline() for _ in SAID.splitlines()]
        server.stdin.close()
        said += server.stdout.readlines()
        complaints = server.stderr.read()
    assert server.returncode == 0, complaints
    return sorted(each.decode("ascii").rstrip("\n") for each in said)


async def nothing_around_it_matters(project: Path) -> list[Bar]:
    """Measure requirement REL-15: responses are the same with any locale, encoding, time zone or home directory."""
    async with serving() as upstream:
        told = {
            name: await asyncio.to_thread(answers, project, upstream.port, environ)
            for name, environ in SURROUNDINGS.items()
        }
        targets = {request.split(b"\r\n")[0] for request in upstream.requests}
    others = [name for name, said in told.items() if said != told["as it is"]]
    print(f"{len(told)} surroundings: {', '.join(told)}; other answers in: {', '.join(others) or 'none'}")
    return [
        Bar(f"REL-15 surroundings with other answers, of {len(told)}", len(others), "<=", 0),
        Bar("REL-15 requests that they made of one call", len(targets), "<=", 1),
    ]


async def many_tools(project: Path, tools: int = 5000) -> list[Bar]:
    """Measure requirement REL-12: the start, listing and memory of a server with `tools` tools."""
    with tempfile.TemporaryDirectory() as folder:
        large = _with_tools(Path(folder), tools)
        began = time.perf_counter()
        async with session(large, 9) as server:
            await server.request("server/discover")
            started = time.perf_counter() - began
            began = time.perf_counter()
            listed = (await server.request("tools/list"))["result"]["tools"]
            took = time.perf_counter() - began
            held = server.resident("VmHWM")
    assert len(listed) == tools
    digest = hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:12]
    print(f"{tools:,} tools, {len(json.dumps(listed)) / 2**20:.1f} MiB of list, digest {digest}")
    return [
        Bar("REL-12 seconds to the first answer", started, "<=", 2),
        Bar("REL-12 seconds to the list", took, "<=", 1),
        Bar("REL-12 MiB held", held, "<=", 150),
    ]


def _with_tools(folder: Path, tools: int) -> Path:
    """Generate a project with `tools` tools."""
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "limit", "in": "query", "description": "How many at most.", "schema": {"type": "integer"}},
        {"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["asc", "desc"]}},
    ]
    paths = {
        f"/things{number}/{{id}}": {
            "get": {
                "operationId": f"get_thing_{number}",
                "summary": f"Get a thing of kind {number}",
                "parameters": parameters,
            }
        }
        for number in range(tools)
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "hostile", "version": "1"},
        "servers": [{"url": "https://api.hostile.example"}],
        "paths": paths,
    }
    (folder / "openapi.json").write_text(json.dumps(document))
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence), contextlib.suppress(SystemExit):
        main(["generate", str(folder / "openapi.json"), "-o", str(folder / "out"), "--name", "hostile"])
    return folder / "out"


assert os.name == "posix", "umask and /proc are POSIX's"
