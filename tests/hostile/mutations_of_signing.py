"""List mutations that remove safety checks on proofs of passwords and signatures of requests."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

PUBLISHED = ("tests/runtime/test_signatures.py",)
SIGNED = ("tests/functional/test_signatures.py",)

OF_SIGNING = (
    Mutation("a long challenge", "digest.py", "len(value) > _LONGEST", "False", PUBLISHED),
    Mutation("a challenge that no field can repeat", "digest.py", "not value.isprintable()", "False", PUBLISHED),
    Mutation("challenges of other schemes", "digest.py", 'if name.lower() == "digest" else None', "", PUBLISHED),
    Mutation("a challenge without a proof", "digest.py", "if not self.qop:", "if False:", PUBLISHED),
    Mutation("a refused password", "digest.py", "            self._challenge = None\n", "            pass\n", SIGNED),
    Mutation("a host that only begins like one of AWS", "sigv4.py", "host.endswith(each)", "each in host", PUBLISHED),
    Mutation("a request without a region", "sigv4.py", "            if not value:", "            if False:", SIGNED),
)
