"""List mutations that remove safety checks on calling an API as the caller: the token that is sent, and the login that
brought the token, must be the caller's own.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

EXCHANGE, LOGIN = "tests/delegation/test_exchange.py", "tests/delegation/test_login.py"
GATEWAY, SETTINGS = "tests/delegation/test_gateway.py", "tests/delegation/test_settings.py"

OF_DELEGATION = (
    Mutation(
        "tokens by caller",
        "caller_credentials.py",
        "digest(proof, delegation.scheme",
        "digest(delegation.scheme",
        (EXCHANGE,),
    ),
    Mutation(
        "tokens by scopes",
        "caller_credentials.py",
        "delegation.resource, *own.scopes)",
        "delegation.resource)",
        (EXCHANGE,),
    ),
    Mutation(
        "the caller's issuer",
        "provider_metadata.py",
        "(provider.issuer and issuer != provider.issuer)",
        "False",
        (EXCHANGE,),
    ),
    Mutation("pauses of one caller", "caller_credentials.py", "if held.again > now:", "if False:", (EXCHANGE,)),
    Mutation(
        "the caller's rights first", "credentials.py", "not set(each).isdisjoint(delegated)", "False", (EXCHANGE,)
    ),
    Mutation("answers of token endpoints", "token_response.py", "or len(response.content) > largest", "", (EXCHANGE,)),
    Mutation(
        "logins by user", "kept_logins.py", 'f"login:{digest(user, scheme)}"', 'f"login:{digest(scheme)}"', (LOGIN,)
    ),
    Mutation("logins that are used up", "login_callback.py", "        if not void:\n", "        if True:\n", (LOGIN,)),
    Mutation("mixed-up servers", "login_callback.py", "named != endpoints.issuer and (", "False and (", (LOGIN,)),
    Mutation(
        "answers without an issuer",
        "login_callback.py",
        "(named is not None or endpoints.says_issuer)",
        "named is not None",
        (LOGIN,),
    ),
    Mutation(
        "one secret for all links",
        "caller_credentials.py",
        'url.partition("&state=")[0]',
        "url",
        ("tests/delegation/test_links.py",),
    ),
    Mutation(
        "logins in the log",
        "login_callback.py",
        'log.seldom("warning", "login_of',
        'log.event("warning", "login_of',
        (LOGIN,),
    ),
    Mutation("the user who began", "login_links.py", "and claims.get(begun.claim) == begun.value", "", (LOGIN,)),
    Mutation("the audience of an ID token", "login_links.py", "and client in audiences", "", (LOGIN,)),
    Mutation("the page that asks", "login_callback.py", "        if begun.claim:\n", "        if True:\n", (LOGIN,)),
    Mutation(
        "fields given twice",
        "login_callback.py",
        "return found if len(found) == len(pairs) else {}",
        "return found",
        (LOGIN,),
    ),
    Mutation(
        "the path of a scheme",
        "login_callback.py",
        "each.way == USER and each.slug == slug",
        "each.way == USER",
        (LOGIN,),
    ),
    Mutation(
        "forms of other pages",
        "admission.py",
        'head.get("sec-fetch-site") not in (None, "same-origin")',
        "False",
        (LOGIN,),
    ),
    Mutation(
        "one value of a gateway",
        "response_writer.py",
        "if len(values) == 1 and is_value",
        "if values and is_value",
        (GATEWAY,),
    ),
    Mutation("fields of a gateway", "delegation_settings.py", "or lower in _KEPT", "", (SETTINGS,)),
    Mutation(
        "endpoints inside",
        "delegation_settings.py",
        "and (inside or found.address.scheme",
        "and (found.address.scheme",
        (SETTINGS,),
    ),
    Mutation(
        "two tokens to fetch",
        "credentials.py",
        "if delegated and (grants or len(asking) > 1):",
        "if delegated and grants:",
        (GATEWAY,),
    ),
    Mutation("Bearer written twice", "credentials.py", "{bare(text, word)}", "{text}", (GATEWAY,)),
)
