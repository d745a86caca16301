"""List mutations that remove limits on the work that files of other people cause in the compiler."""

from __future__ import annotations

from tests.hostile.mutation import Mutation


def rows(*names: str) -> tuple[str, ...]:
    """Return the pytest ids of rows of test_foreign_files.py."""
    test = "test_hard_16_a_file_of_other_people_ends_within_its_budget"
    return tuple(f"tests/hostile/test_foreign_files.py::{test}[{name}]" for name in names)


OF_FOREIGN_FILES = (
    Mutation(
        "sizes of values in a script",
        "mcpgen/adopt/script/evaluate.py",
        "        self._left -= size(found)\n",
        "",
        rows("a script that doubles a text", "a script that doubles a list"),
    ),
    Mutation(
        "functions of a script that are read once",
        "mcpgen/adopt/script/evaluate.py",
        "inner = replace(own, bound={})",
        "inner = __import__('mcpgen.adopt.script.evaluate', fromlist=['of']).of(function, own)",
        rows("a script that calls a long function often"),
    ),
    Mutation(
        "a command in a remark",
        "mcpgen/adopt/foreign.py",
        "port if port and port.isascii() and port.isdigit() else default",
        "port or default",
        ("tests/adopt/test_hostile.py",),
    ),
    Mutation(
        "values that a filter examines",
        "mcpgen/read/overlay/query.py",
        "        cast(_Environment, context.env).pay_for_value()\n",
        "",
        rows("a filter of many tests"),
    ),
    Mutation(
        "values that a filter compares",
        "mcpgen/read/overlay/query.py",
        "budget.spend(_COMPARING + _cost(left, right))",
        "budget.spend(1)",
        rows("a filter that compares large values"),
    ),
    Mutation(
        "texts that a filter searches",
        "mcpgen/read/overlay/query.py",
        "        self._environment.budget.spend(_length(text))\n",
        "",
        rows("a filter that searches a long text"),
    ),
    Mutation(
        "patterns of a filter",
        "mcpgen/read/overlay/query.py",
        "        self._environment.budget.spend(COMPILING)\n",
        "",
        rows("a filter of many patterns"),
    ),
    Mutation(
        "members that an overlay copies",
        "mcpgen/read/overlay/__init__.py",
        "self.budget.spend(1 + len(value) // _COPIED)",
        "pass",
        rows("actions that copy a long list"),
    ),
    Mutation(
        "steps of an overlay",
        "mcpgen/read/overlay/__init__.py",
        "LEAST_STEPS = 1_000_000",
        "LEAST_STEPS = 100_000_000",
        rows("a filter within a filter"),
    ),
    Mutation(
        "variables of a collection within variables",
        "mcpgen/read/translate/postman/urls.py",
        "        if len(text) + sum(map(len, values)) > _LONGEST:\n            break\n",
        "",
        rows("variables in the server of a collection"),
    ),
    Mutation(
        "resource names of a Discovery document",
        "mcpgen/read/translate/discovery.py",
        " and max(len(path), len(pattern)) <= _LONGEST",
        "",
        rows("a path of many resource names"),
    ),
    Mutation(
        "open quotes of a collection",
        "mcpgen/read/translate/postman/examples.py",
        '(?:[^"\\\\]++|\\\\.)*+"?)',
        '(?:[^"\\\\]|\\\\.)*")',
        rows("a body of a collection with many open quotes"),
    ),
)
