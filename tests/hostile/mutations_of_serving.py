"""The guards of serving over HTTP: who may ask, and what belongs to whom."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

ADMISSION, CALLERS = "tests/streamable/test_admission.py", "tests/streamable/test_callers.py"
HANDLES = "tests/streamable/test_handles.py"

OF_SERVING = (
    Mutation(
        "names of hosts",
        "admission.py",
        "_name(host) not in LOOPBACK and not {host,",
        "False and not {host,",
        (ADMISSION,),
    ),
    Mutation("pages of other origins", "admission.py", "origins[0].lower() not in allowed", "False", (ADMISSION,)),
    Mutation("the end of a handle", "seal.py", "            raise Expired", "            pass", (HANDLES,)),
    Mutation("the owner of a handle", "seal.py", 'owner.encode("utf-8", "surrogatepass")', 'b""', (HANDLES,)),
    Mutation(
        "the purpose of a handle", "seal.py", "(purpose.encode(), self._audience", '(b"", self._audience', (HANDLES,)
    ),
    Mutation("one text of a handle", "seal.py", " or _text(sealed) != handle", "", (HANDLES,)),
    Mutation("who reads a kept result", "result_store.py", "not self._names.admits(whole))", "False)", (CALLERS,)),
)
