"""List mutations that remove safety checks on arguments that give a name instead of an id, and on calls that fetch
several pages.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

LOOKUPS, PAGES = "tests/functional/test_lookups.py", "tests/functional/test_pages.py"
LISTS, SHAPES = "tests/functional/test_lookups_of_pages.py", "tests/functional/test_page_shapes.py"

OF_LOOKUPS = (
    Mutation(
        "several for a call that writes",
        "named_items.py",
        "if same and (writes or not ranked):",
        "if False:",
        (LOOKUPS,),
    ),
    Mutation(
        "one of many pages, to write", "named_items.py", "if writes and same and part:", "if False:", (LOOKUPS, LISTS)
    ),
    Mutation("another name, to write", "named_items.py", "if writes or not ranked:", "if not ranked:", (LOOKUPS,)),
    Mutation(
        "lines in names",
        "named_items.py",
        "name = brief(self.names[0], LONGEST_NAME) if",
        "name = self.names[0] if",
        (LOOKUPS,),
    ),
    Mutation(
        "an id beside a name", "lookups.py", "if name in arguments and number in arguments:", "if False:", (LOOKUPS,)
    ),
    Mutation(
        "neither id nor name", "lookups.py", 'elif "required" in lookup and name', "elif False and name", (LOOKUPS,)
    ),
    Mutation("blank names", "lookups.py", 'elif not str(arguments.get(name, "-")).strip():', "elif False:", (LOOKUPS,)),
    Mutation(
        "errors of lookups",
        "lookups.py",
        "    if result.is_error:\n        raise NotFound",
        "    if False:\n        raise NotFound",
        (LOOKUPS,),
    ),
    Mutation(
        "what is confirmed",
        "lookups.py",
        "shown(call.given, found) if call.given else {}",
        "call.given",
        (LOOKUPS,),
    ),
    Mutation(
        "tools that are not offered",
        "inner_calls.py",
        "if not (offered.has(name) or catalog.is_inner(name)):",
        "if False:",
        (LOOKUPS,),
    ),
    Mutation(
        "the record of inner calls",
        "inner_calls.py",
        "            record.end(inner.key, outcome)",
        "            pass",
        (LOOKUPS,),
    ),
    Mutation("the call around a call", "inner_calls.py", "        spans.leave(before)\n", "", (LOOKUPS,)),
    Mutation(
        "pages at another host",
        "joined_pages.py",
        "        if self._is_elsewhere(self._next):\n            self.stop",
        "        if False:\n            self.stop",
        (PAGES,),
    ),
    Mutation("pages at another path", "joined_pages.py", "elif self._next.address:", "elif False:", (PAGES,)),
    Mutation("pages that came before", "joined_pages.py", "if text and text in self._seen:", "if False:", (PAGES,)),
    Mutation(
        "fewer items than the total",
        "joined_pages.py",
        "(self._stopped or self._lacks)",
        "self._stopped",
        (SHAPES, LISTS),
    ),
    Mutation(
        "pages before the one that is called first",
        "paging.py",
        "progress.strict and not (",
        "False and not (",
        (LISTS,),
    ),
    Mutation(
        "lookups in a part of a list",
        "page_walk.py",
        "if whole is not None and not joined.complete:",
        "if False:",
        (LISTS,),
    ),
    Mutation(
        "lookups in a part of an answer", "joined_pages.py", "return self.count > 0 and not", "return not", (LISTS,)
    ),
    Mutation(
        "page 1 that is page 0", "joined_pages.py", "if following and self.count == 1 and", "if False and", (SHAPES,)
    ),
    Mutation(
        "errors that are no end",
        "joined_pages.py",
        "self._next.guessed and answer.status in _BEHIND",
        "self._next.guessed",
        (SHAPES,),
    ),
    Mutation(
        "words for page 0",
        "page_arguments.py",
        "if re.search(said, words, re.IGNORECASE)), None)",
        "if False), None)",
        (SHAPES,),
    ),
    Mutation(
        "totals without a size",
        "paging.py",
        "told = bool(facts.more or facts.total or",
        "told = bool(facts.more or",
        (SHAPES,),
    ),
    Mutation("endless pages", "joined_pages.py", "elif self.count >= self._most_pages or", "elif", (PAGES,)),
    Mutation("pages that grow", "joined_pages.py", "size > self._most_bytes or", "", (PAGES,)),
    Mutation(
        "what is removed from pages",
        "page_walk.py",
        'self._tool.binding.get("result", {}).get("remove", ())',
        "()",
        (PAGES,),
    ),
)
