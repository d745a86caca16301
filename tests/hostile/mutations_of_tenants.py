"""List mutations that remove safety checks on tenants and accounts."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

TENANTS = ("tests/functional/test_tenants.py",)
ACCOUNTS = ("tests/functional/test_accounts.py",)
HANDLES = ("tests/streamable/test_handles.py",)

OF_TENANTS = (
    Mutation(
        "a value that leaves its place in the URL",
        "tenants.py",
        "and _WORD.fullmatch(value) is not None",
        "",
        TENANTS,
    ),
    Mutation("the cookie of another tenant", "tenants.py", "if self._has_session and", "if False and", TENANTS),
    Mutation(
        "a credential of the server for an account",
        "accounts.py",
        "return self.prefix + variable",
        "return before + variable",
        ACCOUNTS,
    ),
    Mutation("what identifies the server", "accounts.py", 'elif own_value != "own":', "else:", ACCOUNTS),
    Mutation(
        "an account that the caller does not have",
        "executor.py",
        "if given not in able:",
        "if given not in self._of:",
        ACCOUNTS,
    ),
    Mutation("a caller without an account", "executor.py", "if not found:", "if False:", ACCOUNTS),
    Mutation(
        "results of another account",
        "executor.py",
        "for name in self._allowed())",
        "for name in self._accounts)",
        ACCOUNTS,
    ),
    Mutation("handles of another account", "seal.py", 'found._audience += b"/" + account.encode()', "pass", HANDLES),
)
