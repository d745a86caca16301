"""List mutations that remove what keeps one caller from using up what all callers share, and checks of whose token it
is.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

ISSUERS, ATTACKS, SCOPES = (f"tests/identity/test_{name}.py" for name in ("issuers", "attacks", "scopes"))
BOUNDS, MEMORY, HANDLES = (f"tests/streamable/test_{name}.py" for name in ("bounds", "memory", "handles"))
SHARED = "tests/streamable/test_shared_events.py"
SUBSCRIPTIONS = "tests/streamable/test_subscriptions.py"
PROGRAMS = "tests/functional/test_programs_over_http.py::test_programs_of_one_caller_leave_workers_for_others"
HOOKS = "tests/runtime/test_hook_threads.py"
CONNECTIONS = "aiohttp_door.py"
NEWCOMERS = "tests/runtime/test_newcomers.py"

OF_SHARES = (
    Mutation("tokens without an audience", "claims.py", 'if "aud" not in claims and', "if False and", (ISSUERS,)),
    Mutation(
        "tokens bound to a key", "claims.py", 'if claims.get("cnf") is not None:', "if False:", (ATTACKS, ISSUERS)
    ),
    Mutation(
        "refresh tokens", "claims.py", 'if "refresh_token" in (claims.get("token_type"),', "if () in ((),", (ISSUERS,)
    ),
    Mutation("scopes at first", "access.py", "is not None or self._reads(name)", "is not None or True", (SCOPES,)),
    Mutation("short tokens", "guard.py", "if len(token) < _SHORTEST:", "if False:", (ISSUERS,)),
    Mutation(
        "places for tokens that were valid",
        "guard.py",
        "self._for_valid if self._valid.get(digest, self._wall()) else self._for_others",
        "self._for_others",
        (ISSUERS,),
    ),
    Mutation("the soft limit of descriptors", "over_http.py", "and soft < most:", "and False:", (BOUNDS,)),
    Mutation(
        "connections by descriptors",
        "limits.py",
        "min(wanted, free * 3 // 4)",
        "wanted",
        (BOUNDS,),
    ),
    Mutation("connections that give way", CONNECTIONS, "                oldest.give_way()\n", "", (BOUNDS,)),
    Mutation(
        "connections of others that stay",
        CONNECTIONS,
        "self._places.largest() if",
        "next(iter(self._of)) if",
        (BOUNDS,),
    ),
    Mutation("connections that are served", CONNECTIONS, "if each.is_idle()), None)", "), None)", (BOUNDS,)),
    Mutation("new connections by turns", "newcomers.py", "add(newcomer.network, next", 'add("", next', (NEWCOMERS,)),
    Mutation("a first head that is late", "newcomers.py", "self.dismiss(newcomer, TOO_SLOW)", "break", (NEWCOMERS,)),
    Mutation(
        "a first head after the last connection",
        "newcomers.py",
        "self._waiting and self._loop",
        "0 and self._loop",
        (NEWCOMERS,),
    ),
    Mutation("sockets that nobody serves", CONNECTIONS, "self._listener.close()  # now", "pass  # now", (NEWCOMERS,)),
    Mutation("a first head without end", "newcomers.py", "len(first) >= _ENOUGH or ", "", (NEWCOMERS,)),
    Mutation("a repeated cause in the log", "log.py", "    if now < due:", "    if False:", (BOUNDS,)),
    Mutation(
        "repeated refusals in the log",
        "consent.py",
        'tell = log.event if said == "accept" else log.seldom',
        "tell = log.event",
        ("tests/runtime/test_consent.py",),
    ),
    Mutation(
        "one deadline for a body",
        "aiohttp_door.py",
        "        if first:  # not again",
        "        if True:  # not",
        (BOUNDS,),
    ),
    Mutation("workers for programs", "sandbox.py", "await self._places.enter(caller, _PATIENCE)", "pass", (PROGRAMS,)),
    Mutation(
        "workers that are given back",
        "program_runs.py",
        "        if len(written) <= LARGEST_AT_REST:",
        "        if False:",
        (PROGRAMS,),
    ),
    Mutation(
        "confirmations of one caller",
        "sealed_states.py",
        "Places(MOST_SPENT, SHARE)",
        "Places(MOST_SPENT, 1)",
        (HANDLES,),
    ),
    Mutation(
        "recorded events of one caller",
        "event_stream.py",
        "max(self._of.values(), key=lambda each: each.size).drop_oldest()",
        "next(iter(self._of.values())).drop_oldest()",
        (MEMORY,),
    ),
    Mutation(
        "events of one caller for the store",
        "sharing.py",
        "if not is_last and not self._places.has(caller):",
        "if False:",
        (SHARED,),
    ),
    Mutation(
        "missing events of the store",
        "sharing.py",
        'if latest is not None and entry.get("n", 0) > latest + (entry.get("e") is not None):',
        "if False:",
        (SHARED,),
    ),
    Mutation(
        "numbers of one caller in the store",
        "sharing.py",
        "if void := await self._spent.spend(number, seconds, caller):",
        "if void := '':",
        (SHARED,),
    ),
    Mutation(
        "polls of one caller",
        "endpoint.py",
        "of.setdefault(exchange.caller, {})",
        'of.setdefault("", {})',
        (SUBSCRIPTIONS,),
    ),
    Mutation("hooks of one caller", "hook_runner.py", "spans.caller()", '""', (HOOKS,)),
    Mutation("files of one caller", "limits.py", "has(caller, many)", 'has("", many)', (MEMORY,)),
    Mutation(
        "settings of one caller's sessions",
        "session.py",
        "if self._callers[each] == most)",
        ")",
        (MEMORY,),
    ),
)
