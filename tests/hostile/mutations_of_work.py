"""List mutations that remove safety checks on the CPU time, memory and file descriptors that calls take."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

WALK, WORK = "tests/runtime/test_schema_walk.py", "tests/hostile/test_work.py"
CROWDED = "tests/hostile/test_crowded.py"

OF_WORK = (
    Mutation(
        "who keeps most makes room",
        "limits.py",
        "(shares[caller], caller == own)",
        "0",
        ("tests/runtime/test_resources.py", "tests/streamable/test_callers.py"),
    ),
    Mutation(
        "results that all replicas keep",
        "sharing.py",
        "await self._make_room(about, size, seconds)",
        "pass",
        ("tests/streamable/test_callers.py",),
    ),
    Mutation("steps of a call", "limits.py", "        if self._steps < 0:", "        if False:", (WALK,)),
    Mutation("problems that are made", "argument_errors.py", "if len(self) >= MOST_SHOWN:", "if False:", (WORK,)),
    Mutation("schemas in circles", "violations.py", "elif not _is_among(found, walked):", "else:", (WALK,)),
    Mutation("values of a message", "jsonrpc.py", "    if is_crowded(line):", "    if False:", (WORK,)),
    Mutation("pairs of a request", "styles.py", "if pairs + len(left) > MOST_PAIRS:", "if False:", (WORK,)),
    Mutation("names of pairs that repeat", "styles.py", "if characters > MOST_CHARACTERS:", "if False:", (WORK,)),
    Mutation(
        "memory of a pattern",
        "patterns.py",
        "jsonschema_rs.RegexOptions(size_limit=PATTERN_BYTES)",
        "jsonschema_rs.RegexOptions()",
        ("tests/unit/test_patterns.py",),
    ),
    Mutation(
        "secrets beyond one pattern",
        "redaction.py",
        "    if len(words) > WORDS_AT_ONCE:\n",
        "    if False:\n",
        ("tests/runtime/test_credentials.py",),
    ),
    Mutation(
        "patterns left to the API",
        "arguments.py",
        'tool.binding.get("unchecked", ())',
        "()",
        ("tests/runtime/test_arguments.py",),
    ),
    Mutation(
        "a stderr that nobody reads", "log.py", "or not writable():", "or False:", ("tests/runtime/test_process.py",)
    ),
    Mutation("memory of all answers", "limits.py", "found = places.has(caller, many)", "found = True", (CROWDED,)),
    Mutation("memory that is given back", "trimming.py", "            trim()\n\n", "            pass\n\n", (CROWDED,)),
    Mutation(
        "rooms by descriptors",
        "limits.py",
        "return max(0, limit - _taken(limit) - SPARE)",
        "return None",
        (CROWDED,),
    ),
    Mutation("what is loaded first", "preload.py", "    load(catalog, settings)\n", "", (CROWDED,)),
    Mutation("what files need", "preload.py", '("..files.multipart",)', "()", (CROWDED,)),
    Mutation(
        "letters that are escaped",
        "redaction.py",
        "_ESCAPED_LETTER.search(text) is not None",
        "False",
        ("tests/runtime/test_credentials.py",),
    ),
    Mutation(
        "length of a token",
        "token_response.py",
        "not 0 < len(token) <= LONGEST",
        "not token",
        ("tests/runtime/test_tokens.py",),
    ),
)
