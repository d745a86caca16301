"""List mutations that remove safety checks on callers' access tokens, and on the servers that issue the tokens."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

ATTACKS, RULES = "tests/identity/test_attacks.py", "tests/identity/test_rules.py"
ISSUERS, ENDS = "tests/identity/test_issuers.py", "tests/identity/test_ends.py"
CLAIMS, TOKENS = "claims.py", "signed_tokens.py"

OF_IDENTITY = (
    Mutation("algorithms of tokens", TOKENS, "or algorithm not in ALGORITHMS:", "or False:", (ATTACKS,)),
    Mutation(
        "signatures of tokens",
        "guard.py",
        "(await issuer.key(told.algorithm, told.kid)).verify(token)",
        "pass",
        (ATTACKS,),
    ),
    Mutation(
        "keys of their own algorithm",
        TOKENS,
        'not in ("", algorithm):',
        'not in ("", algorithm) and False:',
        (ATTACKS,),
    ),
    Mutation("critical extensions", TOKENS, 'if "crit" in header or "b64" in header:', "if False:", (ATTACKS,)),
    Mutation("kinds of tokens", TOKENS, "or kind.lower() not in _TYPES or", "or", (ATTACKS,)),
    Mutation("claims twice", TOKENS, "or repeated:", "or False:", (ATTACKS,)),
    Mutation("the issuer of a token", CLAIMS, 'if claims.get("iss") != issuer:', "if False:", (ISSUERS,)),
    Mutation(
        "the audience of a token", CLAIMS, "each in audiences for each in found", "True for each in found", (ATTACKS,)
    ),
    Mutation("the end of a token", CLAIMS, "if now >= end + LEEWAY:", "if False:", (ATTACKS,)),
    Mutation("the beginning of a token", CLAIMS, 'if "nbf" in claims and now', "if False and now", (ATTACKS,)),
    Mutation("times that are true", CLAIMS, "isinstance(value, bool) or", "", (ATTACKS,)),
    Mutation("somebody calls", CLAIMS, "if not (subject or client):", "if False:", (ATTACKS,)),
    Mutation("active tokens", CLAIMS, 'if claims.get("active") is not True:', "if False:", (ISSUERS,)),
    Mutation("keys by their id", "issuer.py", "if each.kid == kid), None)", "), None)", (ATTACKS,)),
    Mutation(
        "one fetch for unknown keys", "issuer.py", "if self._clock() < self._next_unknown:", "if False:", (ATTACKS,)
    ),
    Mutation("withdrawn keys", "issuer.py", "if withdrawn:", "if False:", (ISSUERS,)),
    Mutation("the issuer of metadata", "issuer.py", 'if found.get("issuer") != self.name:', "if False:", (ISSUERS,)),
    Mutation(
        "hosts of metadata",
        "issuer.py",
        "if address.origin != issuer.origin and (",
        "if False and (",
        (ISSUERS,),
    ),
    Mutation("the size of answers of issuers", "issuer.py", "len(answer.content) > most:", "False:", (ISSUERS,)),
    Mutation("refused tokens are remembered", "guard.py", "self._refused.add(", "bool(", (ISSUERS,)),
    Mutation("scopes of calls", "access.py", "needed |= self._always | nearest", "needed |= nearest", (RULES,)),
    Mutation("two Authorization fields", "admission.py", "if len(sent) > 1:", "if False:", (RULES,)),
    Mutation("sessions of principals", "identity.py", "dumps([issuer, subject, client])", "dumps([issuer])", (RULES,)),
    Mutation("streams that end", "response_writer.py", "self._guard.seconds_left(caller)", "3600.0", (ENDS,)),
)
