"""The guards of what an answer comes to: advice on its pages, files that are written, redirects that are followed."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

DOWNLOADS, FILES = "tests/functional/test_downloads.py", "tests/runtime/test_files.py"
ENGINE = "tests/runtime/test_engine.py"
RESPONSES = "tests/runtime/test_responses.py"

OF_RESULTS = (
    Mutation("pages that repeat", "paging.py", "    if present is None:", "    if True:", (RESPONSES,)),
    Mutation("pages behind the last", "paging.py", "_is_last(len(items), said, sent)", "False", (RESPONSES,)),
    Mutation("progress before an answer", "engine.py", "await taken.quiet()", "pass", (ENGINE,)),
    Mutation("answers behind progress", "engine.py", "await asyncio.sleep(left)", "pass", (ENGINE,)),
    Mutation("names of downloads", "downloads.py", "if not _is_plain(self._steps):", "if False:", (DOWNLOADS,)),
    Mutation("devices as downloads", "downloads.py", "or _DEVICE.fullmatch(name)", "", (DOWNLOADS,)),
    Mutation("hidden names of downloads", "downloads.py", "or clean(name)[1]", "", (DOWNLOADS,)),
    Mutation("downloads that are there", "downloads.py", "        if taken:", "        if False:", (DOWNLOADS,)),
    Mutation("downloads that were cut", "downloads.py", "if answer.cut:", "if False:", (DOWNLOADS,)),
    Mutation("secrets in downloads", "downloads.py", "piece = stream.feed(", "stream.feed(", (DOWNLOADS,)),
    Mutation("names taken meanwhile", "safe_open.py", "if not self._replaces:  #", "if False:  #", (FILES,)),
)
