"""List mutations that remove safety checks on what HTTP callers may see and call by their scopes and roles."""

from __future__ import annotations

from tests.hostile.mutation import Mutation, cases

SCOPES = "tests/identity/test_scopes.py"
VIEWS = "tests/identity/test_views.py"
SHOWN = "tests/identity/test_views_by_scope.py"

OF_CALLERS = (
    Mutation(
        "arguments named as secrets in the audit",
        "audit.py",
        "dumps(without_named_secrets(call.arguments))",
        "dumps(call.arguments)",
        ("tests/streamable/test_logged_secrets.py",),
    ),
    Mutation(
        "calls with too few scopes",
        "access.py",
        "return None if needed <= identity.scopes else",
        "return None or",
        (VIEWS,),
    ),
    Mutation("scopes by an alias", "access.py", "name = self._whole.resolve_alias(name)", "pass", (VIEWS,)),
    Mutation(
        "withheld by an alias",
        "protocol.py",
        "self._catalog.withheld.get(self._catalog.resolve_alias(name))",
        "self._catalog.withheld.get(name)",
        ("tests/runtime/test_aliases.py",),
    ),
    Mutation(
        "an alias over a tool",
        "catalog.py",
        "name not in self.aliases or name in self._described.places()",
        "name not in self.aliases",
        ("tests/runtime/test_aliases.py",),
    ),
    Mutation("scopes of a resource", "access.py", "self._resources.get(uri_of(found.entry), ())", "()", (SCOPES,)),
    Mutation(
        "all scopes of an alternative",
        "access.py",
        "any(each <= scopes for each",
        "any(each & scopes for each",
        (VIEWS,),
    ),
    Mutation("tools beyond the scopes", "access.py", "if is_met(self._needs.get(name, ()), held)", "if True", (VIEWS,)),
    Mutation("tools for other roles", "access.py", "self._is_for(name, roles)]", "True]", (VIEWS,)),
    Mutation(
        "roles of the operator for callers with a token",
        "access.py",
        "self._roles if identity is None",
        "self._roles if True",
        (VIEWS,),
    ),
    Mutation(
        "lists of the table before",
        "access.py",
        "self._views: dict[tuple[frozenset[str], frozenset[str]], View] = {}",
        "self._views = getattr(self, '_views', {})",
        (VIEWS,),
    ),
    Mutation("the view of a tool of others", "views.py", "or not catalog.has(name) or", "or", (SHOWN,)),
    Mutation(
        "a tool of others in a view",
        "views.py",
        '"before" not in view or catalog.has(view["before"])',
        "True",
        (SHOWN,),
    ),
    Mutation("views without end", "access.py", "len(self._views) >= MOST_VIEWS or", "False or", (VIEWS,)),
    Mutation("bytes of views", "access.py", "> MOST_BYTES", "> 2**62", (VIEWS,)),
    Mutation("a list for many", "access.py", "private = True", "private = False", (VIEWS,)),
    Mutation(
        "the roles of a pointer",
        "callers.py",
        "if isinstance(found, dict) else None",
        "if isinstance(found, dict) else found",
        (VIEWS,),
    ),
)

OF_CALLERS_COMPILED = (
    Mutation(
        "keys that would open an operation",
        "mcpgen/read/openapi/security.py",
        "    if found:\n",
        "    if True:\n",
        cases("scopes/alternatives"),
    ),
    Mutation(
        "scopes that a document would lift",
        "mcpgen/lower/tool/guards.py",
        "added | frozenset(each) for",
        "(added or frozenset(each)) for",
        cases("scopes/extension"),
    ),
)
