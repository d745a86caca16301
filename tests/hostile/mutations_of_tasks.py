"""List mutations that remove safety checks on jobs and tasks: who may ask for a task, where its requests may go, and
when it ends.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

JOBS, IDS = "tests/runtime/test_jobs.py", "tests/runtime/test_task_ids.py"
COMBINED = "tests/functional/test_task_combinations.py"
TELEMETRY = "tests/telemetry/test_tasks.py"
TASKS, OVER_HTTP = "tests/functional/test_tasks.py", "tests/functional/test_tasks_over_http.py"

OF_TASKS = (
    Mutation(
        "signatures of task ids",
        "task_calls.py",
        "not hmac.compare_digest(signature, self._signature(body))",
        "False",
        (IDS, TASKS),
    ),
    Mutation("spellings of task ids", "task_calls.py", "if not canonical or ", "if ", (IDS,)),
    Mutation("old task ids", "task_calls.py", "<= self._clock():", "< 0:", (IDS, JOBS)),
    Mutation("task ids of other credentials", "task_calls.py", "        found.update(b", "        bytes(b", (IDS,)),
    Mutation(
        "task ids of another principal",
        "sealed_states.py",
        "self._seal.open(_OF_TASKS, spans.owner(), id)",
        "self._seal.open(_PURPOSE, 'ann', id)",
        (IDS,),
    ),
    Mutation("tasks of tools that are not offered", "task_calls.py", " and offered.has(job.tool)", "", (JOBS,)),
    Mutation(
        "ids of tasks in telemetry",
        "task_calls.py",
        "hashlib.sha256(id.encode()).hexdigest()[:_DIGITS] if id",
        "id if id",
        (TELEMETRY,),
    ),
    Mutation("status URLs that leave the origin", "jobs.py", "if reason := trail.go(found):", "if False:", (TASKS,)),
    Mutation(
        "status URLs inside ids", "jobs.py", "if reason := trail.go(url):", "if trail.go(url) and False:", (JOBS,)
    ),
    Mutation("credentials at status URLs elsewhere", "jobs.py", "if trail.left:", "if False:", (JOBS,)),
    Mutation("jobs at work, for programs", "task_calls.py", "if spans.in_program() else", "if False else", (COMBINED,)),
    Mutation(
        "results that did not come", "jobs.py", "if isinstance(found, Failure) else", "if False else", (COMBINED,)
    ),
    Mutation(
        "tools that require tasks", "required_capabilities.py", ', "tasks": dialogue.tasks', ', "tasks": True', (TASKS,)
    ),
    Mutation("polls without end", "jobs.py", "if job.interval >= left:", "if False:", (JOBS,)),
    Mutation("pauses that an API asks for", "jobs.py", ", SHORTEST), LONGEST)", ", 0.0), 1e9)", (JOBS,)),
    Mutation(
        "the life that a client asks for", "jobs.py", "min(seconds, most) if seconds", "seconds if seconds", (JOBS,)
    ),
    Mutation("ids of jobs that are no scalars", "jobs.py", "if _is_scalar(each)}", "}", (JOBS,)),
    Mutation(
        "errors that other conditions admit",
        "conditions.py",
        'if "pointer" not in each and "not" not in each)',
        'if "pointer" not in each)',
        (JOBS,),
    ),
    Mutation(
        "jobs that have ended",
        "task_calls.py",
        "(seen.state == job_state.WORKING and await self._cancelled.claim(job))",
        "await self._cancelled.claim(job)",
        (TASKS,),
    ),
    Mutation(
        "jobs that another replica has cancelled",
        "task_calls.py",
        "return self._shared is None or await self._shared.kept(name) is None",
        "return True",
        (OVER_HTTP,),
    ),
    Mutation("jobs that are being cancelled", "task_calls.py", "if name in self._held:", "if False:", (TASKS,)),
    Mutation(
        "jobs whose state is unknown",
        "task_calls.py",
        'reason = "" if seen.known else',
        'reason = "" if True else',
        (TASKS,),
    ),
    Mutation(
        "jobs that were cancelled", "task_calls.py", "and await self._cancelled.has(job):", "and False:", (TASKS,)
    ),
    Mutation("words of an API on a job", "job_state.py", "brief(str(each), LONGEST_MESSAGE)", "str(each)", (JOBS,)),
)
