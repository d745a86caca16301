"""Define the task: a workflow run has failed; find the error in its log, open an issue, and comment on the issue."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

PLACE = {"owner": "octo", "repo": "orders"}
TASK = (
    "The tests of octo/orders fail. Find the last failed workflow run and the job that failed in it, read its log, open"
    " an issue with the error, and comment on the issue which job it was."
)
Answers = list[str]
"""Texts of the answers to the steps so far."""


class Step(NamedTuple):
    """One call of the task.

    `operation`: method and path in the document. `queries`: two search texts; the second is used if the first finds
    nothing. `arguments`: function that makes the arguments from the answers so far.
    """

    operation: str
    queries: tuple[str, str]
    arguments: Callable[[Answers], dict[str, Any]]


def _first(text: str, *path: str | int) -> Any:
    value = json.loads(text)
    for part in path:
        value = value[part]
    return value


def _error(log: str) -> str:
    return next(line for line in log.splitlines() if line.startswith("E   "))


STEPS = (
    Step(
        "GET /repos/{owner}/{repo}/actions/runs",
        ("list failed workflow runs of a repository", "list workflow runs for a repository"),
        lambda done: {**PLACE, "status": "failure"},
    ),
    Step(
        "GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs",
        ("list the jobs of a workflow run", "list jobs for a workflow run"),
        lambda done: {**PLACE, "run_id": _first(done[0], "workflow_runs", 0, "id")},
    ),
    Step(
        "GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs",
        ("download the log of a job", "download job logs for a workflow run"),
        lambda done: {**PLACE, "job_id": _first(done[1], "jobs", 0, "id")},
    ),
    Step(
        "POST /repos/{owner}/{repo}/issues",
        ("create an issue in a repository", "create an issue"),
        lambda done: {**PLACE, "title": "tests fail on main", "body": _error(done[2])},
    ),
    Step(
        "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
        ("create a comment on an issue", "create an issue comment"),
        lambda done: {
            **PLACE,
            "issue_number": _first(done[3], "number"),
            "body": f"It was the job {_first(done[1], 'jobs', 0, 'name')}.",
        },
    ),
)
