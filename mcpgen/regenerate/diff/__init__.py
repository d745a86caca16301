"""Compare two servers from the view of a model that uses their tools, and of an operator who runs them.

Every change has a grade. `breaking`: a call that worked, or code that read a result, may fail. `additive`: something
was added that breaks nothing. `cosmetic`: only people who read texts notice the change.
"""

from mcpgen.base.jsonvalue import as_object
from mcpgen.base.work import Budget
from mcpgen.regenerate.diff.change import GRADES, Change, Difference, Grade, next_version, ordered, release
from mcpgen.regenerate.diff.matching import match
from mcpgen.regenerate.diff.surface import TABLES, Surface, of_catalog, of_project, of_tables

__all__ = [
    "GRADES", "TABLES", "Change", "Difference", "Grade", "Surface", "compare", "next_version", "of_catalog",
    "of_project", "of_tables", "release",
]  # fmt: skip


def compare(old: Surface, new: Surface, *, moves: bool = True) -> Difference:
    """Return every change from `old` to `new`.

    `moves`: recognise an operation whose method or path changed. If False, the tool of such an operation counts as
    removed, and a new tool as added.
    """
    # imported here, since these modules are needed only for a comparison
    from mcpgen.regenerate.diff import authorization, features, objections, rules, server, tools
    from mcpgen.regenerate.diff.variance.scope import PART, RUN  # imported here: only comparisons need it

    matched = match(old, new, follow=moves)
    schemes = authorization.renamed_schemes(
        as_object(old.header.get("security")), as_object(new.header.get("security"))
    )
    found = [*server.compared(old, new, list(matched.pairs), schemes), *features.compared(old, new)]
    found += [rules.of_tool("tool-removed", tool.name, before=tool.request) for tool in matched.gone]
    found += [rules.of_tool("tool-added", tool.name, after=tool.request) for tool in matched.added]
    found += [change for tool in matched.added for change in objections.of_tool(None, tool)]
    budget = Budget(RUN, PART)
    elsewhere = {tool.operation_id: tool for tool in new.tools if tool.operation_id}
    for before, after in matched.pairs:
        now = elsewhere.get(before.operation_id, after)
        found += tools.compared(before, after, schemes, now, budget, guessed=after.key in matched.guessed)
    return ordered(found)
