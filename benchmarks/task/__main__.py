"""Measure what a task of five steps costs on GitHub's 1,223 operations, for each way to offer them.

    python -m benchmarks.task [DOCUMENT] [--answers TOKENS] [--flags FLAGS]

The task is about a failed workflow run: list the runs, list its jobs, read the log, open an issue, comment on it. Real
servers over stdio carry out each way. The API records what it receives, and answers with about TOKENS (300). Ways:

- all: every tool is listed.
- FastMCP's search, over the tools that FastMCP makes of the document: one query at a time, answered by definitions.
- our search: one search for all steps, then calls.
- our search and a program: one search, then one program (`program.txt`). FLAGS are the flags of `generate` with which
  the server lists `run_program`; `--flags=` leaves this way out.
- a workflow: one call of a tool that the owner of the server wrote (`workflow.tools.yaml`), and that makes the five
  calls. The server lists this tool alone. Its issue has the whole log.

No model runs: its queries and calls are fixed. They use only tools and arguments that an answer has shown. The
exception is a tool that FastMCP's search does not find. Tokens are counted with the tokenizer o200k if node is
installed, otherwise estimated. In lists of tools, only the parts that MCP hosts pass on are counted (name, description,
arguments). `all turns`: tokens that the model reads in all turns together, because each turn reads the whole context
again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attacks.subjects import Session
from benchmarks.bars import Bar, show
from benchmarks.corpus import CORPUS
from benchmarks.retrieval import peer
from benchmarks.surface import tokenizer
from benchmarks.task import api
from benchmarks.task.conversation import Conversation
from benchmarks.task.ways import WAYS, Names
from mcpgen.base import tokens

DOCUMENT = CORPUS / "github-rest.json"
WORKFLOW = Path(__file__).with_name("workflow.tools.yaml")
PATIENCE = 300.0
PEERS_NAMES = {
    "GET /repos/{owner}/{repo}/actions/runs": "actionslist_workflow_runs_for_repo",
    "GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs": "actionslist_jobs_for_workflow_run",
    "GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs": "actionsdownload_job_logs_for_workflow_run",
    "POST /repos/{owner}/{repo}/issues": "issuescreate",
    "POST /repos/{owner}/{repo}/issues/{issue_number}/comments": "issuescreate_comment",
}
"""Method and path → FastMCP's name of the tool, for the tools of the task."""
MOST_TOKENS, MOST_TRIPS = 5000, 6
MOST_TOKENS_OF_PROGRAM, MOST_TRIPS_OF_PROGRAM = 3000, 2
MOST_TOKENS_OF_WORKFLOW, MOST_TRIPS_OF_WORKFLOW = 400, 1


@dataclass(frozen=True, slots=True)
class Row:
    """Results of the task with one way to offer the tools, such as a search.

    `listed`: tokens of the list of tools. `context`: tokens of the model's context after the last turn. `read`: tokens
    read over all turns. `found`: how many tools of the task the model was shown.
    """

    name: str
    listed: int
    trips: int
    context: int
    read: int
    found: int


def count(texts: list[str]) -> list[int]:
    """Return the number of tokens of each text, which is estimated if the tokenizer is not installed."""
    try:
        return tokenizer.count(texts)
    except tokenizer.Unavailable:
        return [tokens.estimate(json.loads(text) if text[:1] in "[{" else text) for text in texts]


def generated(document: Path, folder: Path, surface: str, *flags: str) -> Path:
    """Generate our server, and return its folder. `surface`: value of `--tools`.

    `flags`: further flags of `generate`.
    """
    project = folder / "-".join((document.stem, surface, *flags))
    command = [
        sys.executable,
        "-m",
        "mcpgen",
        "generate",
        "--parts",
        "all",
        str(document),
        "-o",
        str(project),
        "--name",
        "github",
    ]
    subprocess.run([*command, "--tools", surface, *flags], check=True, capture_output=True)
    return project


def workflow_of(document: Path, folder: Path) -> Path:
    """Write the tools file with the workflow for the task, and return its path."""
    text = WORKFLOW.read_text(encoding="utf-8").replace("DOCUMENT", json.dumps(str(document.resolve())))
    written = folder / WORKFLOW.name
    written.write_text(text.replace("FOLDER", json.dumps(str(document.resolve().parent))), "utf-8")
    return written


def names_of(project: Path) -> Names:
    """Return a mapping from method and path to the name of our tool."""
    command = [sys.executable, "-m", "mcpgen", "inspect", str(project), "--format", "json"]
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {f"{tool['operation']['method']} {tool['operation']['path']}": tool["name"] for tool in document["tools"]}


def ours(project: Path) -> Callable[[str], Session]:
    """Return a function that starts our server for the API at a URL."""
    command = (sys.executable, "-m", "github_mcp")
    return lambda url: Session(command, project, {**_environ(), "GITHUB_BASE_URL": url}, PATIENCE)


def theirs(document: Path) -> Callable[[str], Session]:
    """Return a function that starts FastMCP's server for the API at a URL.

    Raise peer.Unavailable if FastMCP cannot be installed.
    """
    command = (peer.python(), str(peer.SCRIPT), "--serve")
    told = {"DOCUMENT": str(document)}
    return lambda url: Session(command, document.parent, {**_environ(), **told, "BASE_URL": url}, PATIENCE)


def _environ() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}


def measured(name: str, way: str, start: Callable[[str], Session], names: Names, size: int) -> Row | None:
    """Carry out the task in the given way (a key of WAYS), and return the results.

    Return None if the way is "program" but the server does not list `run_program`.
    """
    with api.serve(size) as running:
        session = start(running.url)
        try:
            session.shake_hands()
            conversation = Conversation(session)
            if way == "program" and "run_program" not in conversation.listed:
                return None
            done = WAYS[way](conversation, names)
        finally:
            session.end()
        check(running.requests)
    listed, *said = count(conversation.texts())
    before = [listed + sum(said[: 1 + 2 * trip]) for trip in range(conversation.trips + 1)]
    return Row(name, listed, conversation.trips, before[-1], sum(before), done.found)


def check(requests: list[str]) -> None:
    """Check the requests that the API received. Raise RuntimeError that lists them if they are not the five requests
    of the benchmark's task.
    """
    place = api.REPOSITORY
    expected = [
        f"GET {place}/actions/runs?status=failure",
        f"GET {place}/actions/runs/{api.RUN}/jobs",
        f"GET {place}/actions/jobs/{api.JOB}/logs",
        f"POST {place}/issues",
        f"POST {place}/issues/{api.ISSUE}/comments",
    ]
    if [request.partition(" {")[0] for request in requests] != expected or api.FAILURE not in requests[3]:
        raise RuntimeError(f"the API received something else: {requests}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=Path, nargs="?", default=DOCUMENT)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument(
        "--flags", default="--programs all --structured", help="of generate, by which a server runs programs"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        listing, searching = (generated(given.document, Path(folder), surface) for surface in ("all", "search"))
        names = names_of(listing)
        rows = [
            measured("all tools", "all", ours(listing), names, given.answers),
            measured("search", "batched", ours(searching), names, given.answers),
        ]
        project = generated(workflow_of(given.document, Path(folder)), Path(folder), "all")
        rows.append(measured("workflow", "workflow", ours(project), names, given.answers))
        if given.flags:
            project = generated(given.document, Path(folder), "search", *given.flags.split())
            rows.append(measured("search and a program", "program", ours(project), names, given.answers))
        try:
            rows.append(
                measured(f"{peer.NAME}, search", "one by one", theirs(given.document), PEERS_NAMES, given.answers)
            )
        except peer.Unavailable as reason:
            print(reason)
    found = [row for row in rows if row is not None]
    print(f"{'':28} {'list':>8} {'trips':>6} {'context':>9} {'all turns':>10} {'found':>6}")
    for row in found:
        print(f"{row.name:28} {row.listed:8,} {row.trips:6} {row.context:9,} {row.read:10,} {row.found:4} of 5")
    return show(bars(found))


def bars(rows: list[Row]) -> list[Bar]:
    """Return the tokens of context and the round trips of our ways, each with the limit that the figure must keep.

    The way with a program that calls all tools (`run_program`) is included if it was measured.
    """
    limits = {
        "search": (MOST_TOKENS, MOST_TRIPS),
        "search and a program": (MOST_TOKENS_OF_PROGRAM, MOST_TRIPS_OF_PROGRAM),
        "workflow": (MOST_TOKENS_OF_WORKFLOW, MOST_TRIPS_OF_WORKFLOW),
    }
    found = []
    for row in rows:
        if row.name in limits:
            context, trips = limits[row.name]
            found.append(Bar(f"tokens of context, {row.name}", row.context, "<=", context))
            found.append(Bar(f"trips, {row.name}", row.trips, "<=", trips))
    return found


if __name__ == "__main__":
    sys.exit(main())
