"""Install the measured programs, each in its own environment under `.clients/`. Environments are made once and used
again.

The programs are mcpgen, the servers that it generates, and servers of other projects for the same document.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.speed import api, documents
from benchmarks.speed.process import Subject
from tests.interop import environments
from tests.interop.environments import ROOT, Missing

FASTMCP = ("fastmcp>=4.1,<5", "pyyaml>=6,<7")
SDK = ("mcp>=2.3,<3", "aiohttp>=3.14,<4", "jsonschema-rs>=0.60,<0.70")
PIP = "pip>=25.1"
"""Lowest version of pip. Older versions make console scripts that import `re`, which takes a third of our server's
start.
"""
UVICORN = "uvicorn[standard]>=0.54,<1"
"""Requirement of uvicorn with `httptools` and `uvloop`, as our documentation recommends."""
HTTP, ASGI = "mcpgen", "mcpgen, uvicorn"
"""Names of our server in reports: over HTTP with aiohttp, and as an ASGI application under uvicorn."""
FASTMCP_ASGI, SDK_ASGI = "FastMCP, uvicorn[standard]", "SDK lowlevel, uvicorn[standard]"
"""Names of the other servers under the same uvicorn as ours. Otherwise they run under their own version of uvicorn."""
GENERATOR_NAME, ALONE = "openapi-mcp-generator", "aiohttp alone"
GENERATOR = {GENERATOR_NAME: "4.0.1"}
PEERS = Path(__file__).parent / "peers"
OURS, STRUCTURED, MANY = "bench", "typed", "many"
"""Names of our servers: of the measured API, the same with output schemas, and one with 1,200 tools."""
_COMPILER_PARTS = ("mcpgen", "templates", "specs", "pyproject.toml", "README.md", "LICENSE")


@dataclass(frozen=True, slots=True)
class Programs:
    """Paths of all installed programs, and of two OpenAPI documents.

    `document`: document of the measured API. `many`: document with over a thousand operations. `many_name`: name of the
    API that `many` describes.
    `left_out`: a sentence that says which program is not installed, and why; "" if all are installed.
    """

    document: Path
    many: Path
    many_name: str
    compiler: Path
    servers: Path
    http: Path
    fastmcp: Path
    fastmcp_asgi: Path
    sdk: Path
    sdk_asgi: Path
    node: Path | None
    left_out: str

    @property
    def python(self) -> str:
        """Return the path of Python in our servers' environment."""
        return str(self.servers / "bin" / "python")

    def ours(self, url: str = "", name: str = OURS, module: bool = False, **more: str) -> Subject:
        """Return our server, started by its console script or by `python -m`."""
        prefix = name.upper()
        told = {f"{prefix}_BASE_URL": url, f"{prefix}_API_KEY": api.KEY} if url else {}
        variables = told | {f"{prefix}_{key}": value for key, value in more.items()}
        script = (str(self.servers / "bin" / f"{name}-mcp"),)
        command = (self.python, "-m", f"{name}_mcp") if module else script
        return Subject("mcpgen", command, variables, self.servers)

    def theirs(self, url: str = "http://127.0.0.1:9", document: Path | None = None, **more: str) -> Subject:
        """Return FastMCP's server."""
        return self._peer("FastMCP", self.fastmcp, "from_openapi.py", url, document, **more)

    def lowlevel(self, url: str = "http://127.0.0.1:9", document: Path | None = None, **more: str) -> Subject:
        """Return the official SDK's lowlevel server, over aiohttp."""
        return self._peer("SDK lowlevel", self.sdk, "lowlevel.py", url, document, **more)

    def over_http(self, url: str, port: int, *flags: str) -> Subject:
        """Return our server, started with `--http`."""
        script = str(self.http / "bin" / f"{OURS}-mcp")
        return Subject(HTTP, (script, "--http", str(port), *flags), self._told(url), self.http)

    def under_uvicorn(self, url: str, port: int) -> Subject:
        """Return our server as an ASGI application under uvicorn. Access logs are off, as for every measured server."""
        command = (str(self.http / "bin" / "uvicorn"), f"{OURS}_mcp.asgi:app", "--port", str(port))
        return Subject(ASGI, (*command, "--no-access-log"), self._told(url), self.http)

    def theirs_under_uvicorn(self, url: str, port: int) -> Subject:
        """Return FastMCP's server as an ASGI application under the same uvicorn as ours."""
        return self._peer(FASTMCP_ASGI, self.fastmcp_asgi, "from_openapi.py", url, TEXT="1", PORT=str(port), ASGI="1")

    def lowlevel_under_uvicorn(self, url: str, port: int) -> Subject:
        """Return the SDK's lowlevel server as an ASGI application under the same uvicorn as mcpgen's server."""
        return self._peer(SDK_ASGI, self.sdk_asgi, "lowlevel.py", url, PORT=str(port))

    def proxy(self, url: str) -> Subject:
        """Return a proxy that does only what a call needs. Its time is a lower limit for servers."""
        return self._peer("raw asyncio proxy", self.servers, "proxy.py", url)

    def loop(self, url: str) -> Subject:
        """Return a program that only makes requests with aiohttp. Its time is a lower limit for calls."""
        return self._peer(ALONE, self.servers, "loop.py", url)

    def generator(self, url: str = "http://127.0.0.1:9") -> list[Subject]:
        """Return the server of openapi-mcp-generator in a list, or an empty list if node is missing."""
        if self.node is None:
            return []
        variables = {"API_BASE_URL": url, "API_KEY_APIKEY": api.KEY}
        return [Subject(GENERATOR_NAME, ("node", str(self.node / "out" / "build" / "index.js")), variables)]

    def _told(self, url: str) -> dict[str, str]:
        return {f"{OURS.upper()}_BASE_URL": url, f"{OURS.upper()}_API_KEY": api.KEY}

    def _peer(self, name: str, folder: Path, file: str, url: str, document: Path | None = None, **more: str) -> Subject:
        told = {"DOCUMENT": str(document or self.document), "BASE_URL": url, "KEY": api.KEY}
        return Subject(name, (str(folder / "bin" / "python"), str(PEERS / file)), told | more)


def prepare(folder: Path) -> Programs:
    """Install mcpgen, servers that it generates, and the servers that these are compared with. Return all paths.

    `folder`: folder for files of this benchmark.
    """
    document = folder / "bench.json"
    document.write_text(json.dumps(api.document()), encoding="utf-8")
    many, many_name = documents.many(folder)
    compiler = installed_compiler()
    node, left_out = None, ""
    try:
        node = _generator(document)
    except Missing as missing:
        left_out = f"openapi-mcp-generator is left out: {missing}."
    servers = _servers(compiler, document, many, folder)
    return Programs(
        document=document,
        many=many,
        many_name=many_name,
        compiler=compiler,
        servers=servers,
        http=_over_http(folder / OURS),
        fastmcp=environments.python("bench-fastmcp", *FASTMCP),
        fastmcp_asgi=environments.python("bench-fastmcp-asgi", *FASTMCP, UVICORN),
        sdk=environments.python("bench-sdk", *SDK),
        sdk_asgi=environments.python("bench-sdk-asgi", *SDK, UVICORN),
        node=node,
        left_out=left_out,
    )


@cache
def installed_compiler() -> Path:
    """Install mcpgen itself as users do, and return its environment."""
    return environments.python("bench-mcpgen", str(ROOT), digest=_digest(ROOT / part for part in _COMPILER_PARTS))


def _servers(compiler: Path, document: Path, many: Path, folder: Path) -> Path:
    """Compile our servers anew, and return their environment.

    The environment is made again only if the compiled files have changed.
    """
    sources = {OURS: (document, ()), STRUCTURED: (document, ("--structured",)), MANY: (many, ())}
    for name, (source, flags) in sources.items():
        command = [str(compiler / "bin" / "mcpgen"), "generate", str(source), "-o", str(folder / name), "--name", name]
        subprocess.run([*command, "--http", *flags], check=True, capture_output=True)
    projects = [folder / name for name in sources]
    parts = [project / part for project in projects for part in (f"{project.name}_mcp", "pyproject.toml")]
    return environments.python("bench-servers", *map(str, projects), digest=_digest(parts), pip=PIP)


def _over_http(project: Path) -> Path:
    """Return a virtual environment with our generated server, its extra `http`, and uvicorn."""
    parts = [project / part for part in (f"{project.name}_mcp", "pyproject.toml")]
    return environments.python("bench-http", f"{project}[http]", UVICORN, digest=_digest(parts))


def _generator(document: Path) -> Path:
    """Let openapi-mcp-generator make a project of the document, install its dependencies and compile it. Return its
    folder.
    """
    tool = environments.node("bench-generator", GENERATOR)

    def make(folder: Path) -> None:
        folder.mkdir(parents=True)
        out = folder / "out"
        maker = tool / "node_modules" / ".bin" / "openapi-mcp-generator"
        subprocess.run([str(maker), "-i", str(document), "-o", str(out)], check=True, capture_output=True)
        for command in (["npm", "install", "--silent", "--no-audit", "--no-fund"], ["npx", "tsc"]):
            subprocess.run(command, cwd=out, check=True, capture_output=True)

    origin = {"packages": GENERATOR, "document": hashlib.sha256(document.read_bytes()).hexdigest()}
    return environments.made("bench-generated", origin, make)


def _digest(parts: Iterable[Path]) -> str:
    """Return a digest of files and folders by their paths and bytes."""
    seen = hashlib.sha256()
    for part in parts:
        for path in sorted(part.rglob("*")) if part.is_dir() else [part]:
            if path.is_file() and "__pycache__" not in path.parts:
                seen.update(path.relative_to(part.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return seen.hexdigest()


def versions(programs: Programs) -> dict[str, str]:
    """Return a mapping from the name of each measured program to its version."""
    found = {
        "mcpgen": _version(programs.compiler, "mcpgen"),
        "FastMCP": _version(programs.fastmcp, "fastmcp"),
        "SDK lowlevel": _version(programs.sdk, "mcp"),
        "aiohttp": _version(programs.servers, "aiohttp"),
    }
    return found | (GENERATOR if programs.node else {})


def _version(folder: Path, name: str) -> str:
    """Return the version of an installed distribution in this environment."""
    code = f"import importlib.metadata; print(importlib.metadata.version({name!r}))"
    done = subprocess.run([str(folder / "bin" / "python"), "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()
