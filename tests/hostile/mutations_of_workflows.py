"""List mutations that remove safety checks on workflows: who may call their tools, who confirms their writes, which
limits hold, and what is undone.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

WORKFLOWS, OVER_HTTP = "tests/workflows/test_workflow_runs.py", "tests/workflows/test_over_http.py"

OF_WORKFLOWS = (
    Mutation(
        "consent to a workflow",
        "workflow_step.py",
        "            call.result = await services.once(consent.of_server).obtain(call, about)",
        "            pass",
        (WORKFLOWS,),
    ),
    Mutation(
        "consent to each write",
        "workflow_runs.py",
        'return "always" if own == "always" else self._each',
        'return ""',
        (WORKFLOWS,),
    ),
    Mutation(
        "consent of a tool without that of its workflow",
        "workflow_runs.py",
        "        if self._record.is_agreed:",
        "        if True:",
        (WORKFLOWS,),
    ),
    Mutation(
        "tools that a workflow's caller may not call",
        "workflow_step.py",
        "            check_offered(name, catalog)",
        "            pass",
        (WORKFLOWS,),
    ),
    Mutation(
        "a no of the user in a workflow",
        "workflow_runs.py",
        """        if span.confirmation not in ("", "accept") or span.unanswered:""",
        "        if False:",
        (WORKFLOWS,),
    ),
    Mutation(
        "number of calls of a workflow",
        "workflow_runs.py",
        "        if self._record.calls > MOST_CALLS and not self._record.failed:",
        "        if False:",
        (WORKFLOWS,),
    ),
    Mutation(
        "size of the outputs of a workflow",
        "workflow_runs.py",
        "        if self._record.size > MOST_BYTES:",
        "        if False:",
        (WORKFLOWS,),
    ),
    Mutation(
        "items of a loop",
        "workflow_runs.py",
        "        if len(found) > most:",
        "        if False:",
        (WORKFLOWS,),
    ),
    Mutation(
        "secrets in what a step sees",
        "step_calls.py",
        'return _value(redactor.text(clean(decode(content, answer.header("content-type"))[0])[0]))',
        'return _value(clean(decode(content, answer.header("content-type"))[0])[0])',
        (WORKFLOWS,),
    ),
    Mutation(
        "undo of a workflow that failed",
        "workflow_runs.py",
        "            await self._within(UNDO_SECONDS, self._undone())",
        "            pass",
        (WORKFLOWS,),
    ),
    Mutation(
        "order of undo",
        "workflow_runs.py",
        "            entry = record.undo[-1]",
        "            entry = record.undo[0]",
        (WORKFLOWS,),
    ),
    Mutation(
        "the run that asked",
        "kept_runs.py",
        "if found[0] != _digest(about) or",
        "if False or",
        (WORKFLOWS, "tests/functional/test_programs.py", "tests/functional/test_programs_over_http.py"),
    ),
)
