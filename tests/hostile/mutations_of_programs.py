"""List mutations that remove safety checks on programs that a model writes: which tools they may call, who confirms
writes, and which limits hold.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

PROGRAMS, OVER_HTTP = "tests/functional/test_programs.py", "tests/functional/test_programs_over_http.py"

OF_PROGRAMS = (
    Mutation(
        "functions of what writes",
        "program_runs.py",
        "elif kind != RUN and offered.writes(",
        "elif False and offered.writes(",
        (PROGRAMS,),
    ),
    Mutation(
        "functions of what is not offered",
        "program_runs.py",
        "if not offered.has(called):",
        "if False:",
        (PROGRAMS,),
    ),
    Mutation(
        "functions of the server's own tools",
        "program_runs.py",
        "{*catalog.names(), *catalog.hidden} - own",
        "{*catalog.names(), *catalog.hidden}",
        (PROGRAMS,),
    ),
    Mutation("types of a program", "sandbox.py", "if stubs else {}", "if False else {}", (PROGRAMS,)),
    Mutation("number of calls", "program_runs.py", "if self.record.calls > MOST_CALLS:", "if False:", (PROGRAMS,)),
    Mutation(
        "a no of the user",
        "program_runs.py",
        'if span.confirmation not in ("", "accept") or span.unanswered:',
        "if False:",
        (PROGRAMS,),
    ),
    Mutation("an answer that is cut", "program_runs.py", "        if span.cut:", "        if False:", (PROGRAMS,)),
    Mutation(
        "a program read once", "sealed_states.py", '(b"", void) if void else', '(b"", void) if False else', (OVER_HTTP,)
    ),
    Mutation(
        "the owner of a program",
        "sealed_states.py",
        "_PURPOSE, spans.owner(), state",
        '_PURPOSE, "", state',
        (OVER_HTTP,),
    ),
    Mutation("size of a sealed program", "sealed_states.py", "+ 100 > LONGEST_RUN:", "+ 100 > 10**9:", (OVER_HTTP,)),
    Mutation("memory of a program", "sandbox.py", '"max_memory": MEMORY', '"max_memory": None', (PROGRAMS,)),
    Mutation(
        "time of a program",
        "sandbox.py",
        '"max_feed_duration_secs": SECONDS',
        '"max_feed_duration_secs": 1000.0',
        (PROGRAMS,),
    ),
    Mutation("an empty package of the sandbox", "listing.py", 'name.startswith("_monty.")', "True", (PROGRAMS,)),
)
