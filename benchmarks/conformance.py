"""Run the official MCP conformance suite over HTTP: `python -m benchmarks.conformance [--replicas]`.

The server is generated from `tests/conformance/everything.tools.yaml`. Each scenario that fails is printed with its
first reason. The exit code is 1 if fewer scored scenarios pass than required, or if an unscored scenario of the
transport fails. With `--replicas`, a balancer picks one of three replicas at random for each request.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.replicas.rig import Missing, Rig
from tests.conformance import api
from tests.conformance.suite import REVISIONS, UNSCORED, Suite
from tests.interop import environments

TOOLS = Path(__file__).parents[1] / "tests" / "conformance" / "everything.tools.yaml"


async def main(replicas: int) -> int:
    """Run the official MCP conformance suite for both protocol revisions that it supports, and return the exit code.

    `replicas`: the number of server processes.
    """
    suite = await asyncio.to_thread(Suite)
    runner, port = await api.start()
    with tempfile.TemporaryDirectory(prefix="mcpgen-conformance-") as name:
        folder = Path(name)
        command = [
            sys.executable,
            "-m",
            "mcpgen",
            "generate",
            "--parts",
            "all",
            str(TOOLS),
            "-o",
            str(folder / "server"),
        ]
        subprocess.run(command, check=True, capture_output=True)
        rig = Rig(folder, "everything", f"http://127.0.0.1:{port}")
        try:
            await rig.start(replicas, stored=replicas > 1, balanced=replicas > 1)
            url = rig.balanced if replicas > 1 else rig.url(0)
            found = [await asyncio.to_thread(_revision, suite, url, each, folder) for each in REVISIONS]
        finally:
            await rig.stop()
            await runner.cleanup()
    return int(not all(found))


def _revision(suite: Suite, url: str, revision: str, folder: Path) -> bool:
    """Run the scenarios of a protocol revision, and print the results. Return True if enough of them pass."""
    scored = suite.scored(revision)
    ran = {each.name: each for each in suite.run(url, revision, folder / revision)}
    passed = [name for name in scored if name in ran and ran[name].passed]
    print(f"{revision}: {len(passed)} of {len(scored)} scored scenarios (bar: {REVISIONS[revision]})")
    for name in scored:
        if name not in passed:
            print(f"    {name}: {ran[name].failures[0][:140] if name in ran else 'did not run'}")
    met = len(passed) >= REVISIONS[revision]
    for name in UNSCORED[revision]:
        found = suite.run(url, revision, folder / f"{revision}-{name}", name)
        well = bool(found) and all(each.passed for each in found)
        print(f"    not scored, {name}: {'passed' if well else 'FAILED'}")
        met = met and well
    return met


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", action="store_true", help="behind a balancer, with three replicas and a store")
    try:
        sys.exit(asyncio.run(main(3 if parser.parse_args().replicas else 1)))
    except (Missing, environments.Missing) as missing:
        sys.exit(f"This needs {missing}.")
