"""Run eight agent frameworks as MCP clients, each in its own process and environment. No real model is called.

`drivers/` has a script for each framework; `drivers/job.py` describes jobs and reports.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.interop import environments

DRIVERS = Path(__file__).with_name("drivers")
#: Timeout in seconds for one framework to carry out all its jobs. No test measures time with it.
PATIENCE = 300
FRAMEWORKS: dict[str, Callable[[], Path]] = {
    "langchain": partial(environments.python, "langchain", "langchain-mcp-adapters==0.3.2"),
    "llamaindex": partial(environments.python, "llamaindex", "llama-index-tools-mcp==0.6.0"),
    "pydantic_ai": partial(environments.python, "pydantic_ai", "pydantic-ai-slim[mcp]==2.68.0"),
    "openai_agents": partial(environments.python, "openai_agents", "openai-agents==0.24.0"),
    "strands": partial(environments.python, "strands", "strands-agents==1.62.0"),
    "smolagents": partial(environments.python, "smolagents", "smolagents[mcp]==1.26.0", "mcp<2"),
    "autogen": partial(environments.python, "autogen", "autogen-ext[mcp]==0.7.5", "mcp<2"),
    "vercel": partial(environments.node, "vercel", {"ai": "7.0.173", "@ai-sdk/mcp": "2.0.99"}),
}

Job = dict[str, Any]
Report = dict[str, Any]


class Unavailable(Exception):
    """Raised if a framework cannot be installed here. The message says which package, and why."""


def carry_out(framework: str, jobs: Sequence[Job]) -> list[Report]:
    """Let an agent framework carry out jobs: for each job, list the tools of its server, and call one of them.

    Return a report for each job. Raise Unavailable if the framework cannot be installed.
    """
    command = _command(framework, _installed(framework))
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NODE_"))}
    done = subprocess.run(
        command,
        cwd=environments.ROOT,
        input=json.dumps(jobs),
        env=environment | {"OPENAI_AGENTS_DISABLE_TRACING": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{framework} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    reports: list[Report] = json.loads(done.stdout)
    return reports


def _installed(framework: str) -> Path:
    install = FRAMEWORKS[framework]
    try:
        return install()
    except environments.Missing as missing:
        raise Unavailable(str(missing)) from missing
    except (RuntimeError, OSError, subprocess.SubprocessError) as failure:
        wanted = " ".join(map(str, install.args[1:])) if isinstance(install, partial) else framework
        raise Unavailable(f"{wanted} cannot be installed: {str(failure)[-300:]}") from failure


def _command(framework: str, environment: Path) -> list[str]:
    if (environment / "bin" / "python").exists():
        return [str(environment / "bin" / "python"), "-m", f"tests.converters.drivers.use_{framework}"]
    script = f"use_{framework}.mjs"
    # node finds packages only beside the script, so the script is copied there
    shutil.copy(DRIVERS / script, environment)
    return ["node", str(environment / script)]
