"""List mutations that remove safety checks on the origins to which calls and credentials are sent."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

ORIGINS = "tests/runtime/test_origins.py"
CONSTANT = ("tests/functional/test_constant_headers.py",)

OF_ORIGINS = (
    Mutation(
        "origins that nobody accepted",
        "origins.py",
        "if address.origin in listed or wanted <= listed:",
        "if True:",
        (ORIGINS,),
    ),
    Mutation(
        "a host that is made of variables",
        "origins.py",
        "wanted = {origin_of(url), origin_of(filled)}",
        "wanted = {origin_of(filled)}",
        (ORIGINS,),
    ),
    Mutation(
        "the default of a variable of the host",
        "origins.py",
        "wanted = {origin_of(url), origin_of(filled)}",
        "wanted = {origin_of(url)}",
        (ORIGINS,),
    ),
    Mutation(
        "a token host beside a base URL",
        "origins.py",
        "if self._typed and not self._is_named(address) else",
        "if False else",
        (ORIGINS,),
    ),
    Mutation(
        "a token endpoint that a provider names",
        "origins.py",
        "or self._is_named(address) or listed):",
        "or self._is_named(address) or True):",
        (ORIGINS,),
    ),
    Mutation(
        "origins that came with a later table",
        "origins.py",
        "self._all.intersection(at_start)",
        "self._all",
        (ORIGINS,),
    ),
    Mutation(
        "the password of a login",
        "credentials.py",
        'private = [values[role] for role in scheme["secret"]]',
        'private = [""]',
        ("tests/runtime/test_credentials.py",),
    ),
    Mutation(
        "constant fields at another origin",
        "constant_headers.py",
        "return server(0).origin ==",
        "return",
        CONSTANT,
    ),
    Mutation("constant fields of HTTP's own", "constant_headers.py", "fields.is_name(name)", "name", CONSTANT),
    Mutation("a secret that results show", "constant_headers.py", "if name.lower() in _SECRET or", "if", CONSTANT),
    Mutation(
        "the table that a server began with",
        "commands.py",
        "given.read_only, at_start=catalog, http",
        "given.read_only, http",
        ("tests/functional/test_origins.py",),
    ),
)
