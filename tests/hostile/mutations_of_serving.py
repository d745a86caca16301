"""List mutations that remove safety checks of an HTTP server: who may send requests, and which data belongs to whom."""

from __future__ import annotations

from tests.hostile.mutation import Mutation
from tests.hostile.mutations_of_tasks import OF_TASKS

ADMISSION, CALLERS = "tests/streamable/test_admission.py", "tests/streamable/test_callers.py"
CARDS = "tests/streamable/test_cards.py"
HANDLES, RECENT = "tests/streamable/test_handles.py", "tests/streamable/test_recent_sessions.py"
INLINE, BOUNDS = "tests/streamable/test_inline.py", "tests/streamable/test_bounds.py"

OF_SERVING = (
    Mutation(
        "names of hosts",
        "admission.py",
        "name not in LOOPBACK and not {host,",
        "False and not {host,",
        (ADMISSION,),
    ),
    Mutation(
        "the host of a whole URL", "aiohttp_door.py", 'if request.raw_path.startswith("/"):', "if True:", (ADMISSION,)
    ),
    Mutation(
        "clients that accept no stream",
        "endpoint.py",
        "exchange.plain = not admits(head, STREAM)",
        "pass",
        (ADMISSION,),
    ),
    Mutation(
        "paths that only begin like a prefix",
        "admission.py",
        'path.startswith(f"{prefix}/")',
        "path.startswith(prefix)",
        ("tests/streamable/test_own_paths.py",),
    ),
    Mutation("pages of other origins", "admission.py", "origins[0].lower() not in allowed", "False", (ADMISSION,)),
    Mutation("a card unasked for", "server_card.py", "if not name or url is None or", "if", (CARDS,)),
    Mutation(
        "the address of a card",
        "listening.py",
        'if listening["HTTP_CARD"] and listening["HTTP_URL"] is None:',
        "if False:",
        (CARDS,),
    ),
    Mutation(
        "the name of a card", "listening.py", 'not (_is_part(namespace, "") and _is_part(name, "_"))', "False", (CARDS,)
    ),
    Mutation("the end of a handle", "seal.py", "            raise Expired", "            pass", (HANDLES,)),
    Mutation("the owner of a handle", "seal.py", 'owner.encode("utf-8", "surrogatepass")', 'b""', (HANDLES,)),
    Mutation(
        "the purpose of a handle", "seal.py", "(purpose.encode(), self._audience", '(b"", self._audience', (HANDLES,)
    ),
    Mutation("one text of a handle", "seal.py", " or _text(sealed) != handle", "", (HANDLES,)),
    Mutation("who uses a cached session", "session.py", "if owner == principal", "if True", (RECENT,)),
    Mutation("the end of a cached session", "session.py", "if until <= now:", "if False:", (RECENT,)),
    Mutation("how many sessions are cached", "session.py", "len(self._entries) > MOST", "False", (RECENT,)),
    Mutation(
        "streams that have ended",
        "session.py",
        "and recording.ended_with(named[1])",
        "and False",
        ("tests/streamable/test_streams.py",),
    ),
    Mutation("sessions that have ended", "older.py", "found.digest in self._ended", "False", (RECENT,)),
    Mutation(
        "one request at a time",
        "aiohttp_door.py",
        "not task.done() and not self._busy",
        "not task.done()",
        (INLINE,),
    ),
    Mutation(
        "a connection with a pending call",
        "aiohttp_door.py",
        "if self._busy or self._exp",
        "if self._exp",
        (INLINE,),
    ),
    Mutation(
        "clients that leave",
        "aiohttp_door.py",
        "            begun.lost()\n\n    def handle",
        "            pass\n\n    def handle",
        ("tests/streamable/test_streams.py",),
    ),
    Mutation(
        "fields of one line",
        "aiohttp_door.py",
        'text.count("\\r") == text.count("\\n") == len(lines) - 1',
        "True",
        (INLINE,),
    ),
    Mutation(
        "a head that differs from the last",
        "admission.py",
        "fields == self._sent and path == self.path",
        "path == self.path",
        (INLINE,),
    ),
    Mutation(
        "a path that differs from the last",
        "admission.py",
        "fields == self._sent and path == self.path",
        "fields == self._sent",
        (INLINE,),
    ),
    Mutation(
        "the token of a repeated head",
        "admission.py",
        "        peer = self._peer(head)\n",
        '        peer = Peer("", "", head.address) if head.was_admitted else self._peer(head)\n',
        ("tests/identity/test_ends.py",),
    ),
    Mutation("small responses alone", "request_task.py", "len(part.body) <= MOST and", "", (BOUNDS,)),
    Mutation("who reads a kept result", "result_store.py", "not self._names.admits(whole))", "False)", (CALLERS,)),
    *OF_TASKS,
)
