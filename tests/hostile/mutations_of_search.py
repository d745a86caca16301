"""List mutations that remove safety checks of a tool search: what can be called through it, and what it shows.

Include the mutations of `mutations_of_programs.py` and `mutations_of_lookups.py`.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation
from tests.hostile.mutations_of_lookups import OF_LOOKUPS
from tests.hostile.mutations_of_programs import OF_PROGRAMS

SEARCH, RETRIEVAL = "tests/functional/test_search.py", "tests/unit/test_retrieval.py"

OF_SEARCH = (
    *OF_PROGRAMS,
    Mutation(
        "what writes through the tool that reads",
        "search_listing.py",
        " or (kind == CALL and catalog.writes(called))",
        "",
        (SEARCH,),
    ),
    Mutation("a finder through a finder", "search_listing.py", "called in catalog.finders or ", "", (SEARCH,)),
    Mutation(
        "a call of more than a name and arguments",
        "search_listing.py",
        ' or not arguments.keys() <= {"name", "arguments"}',
        "",
        (SEARCH,),
    ),
    Mutation("hidden tools that are searched", "retriever.py", "may(name) and (", "(", (SEARCH, RETRIEVAL)),
    Mutation(
        "hidden tools that are described",
        "tools.py",
        "            if self._catalog.has(name):\n                found.append",
        "            if name in self._retriever.names:\n                found.append",
        (SEARCH,),
    ),
    Mutation(
        "hidden tools that are counted",
        "listing.py",
        "            groups, others = self._visible(catalog)\n",
        "",
        (SEARCH,),
    ),
    Mutation(
        "an index of another table",
        "listing.py",
        'if f"{crc32(content):08x}" != self._search["digest"]:',
        "if False:",
        (SEARCH,),
    ),
    Mutation(
        "a list of another table",
        "catalog.py",
        """if line and _digest(crc32(line)) == search["listed"]["digest"]:""",
        "if line:",
        (SEARCH,),
    ),
    Mutation(
        "the length of a query", "search_listing.py", '"maxLength": LONGEST_QUERY', '"maxLength": 10**6', (SEARCH,)
    ),
    *OF_LOOKUPS,
)
