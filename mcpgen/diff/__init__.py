"""What changed between two servers, as a model that uses their tools sees it, and whoever runs them.

Every change has a grade: breaking, where a call that worked, or code that read a result, may work no longer; additive,
where there is more than before; cosmetic, where nobody but a reader notices.
"""

from mcpgen.diff import authorization, features, rules, server, tools
from mcpgen.diff.change import GRADES, Change, Difference, Grade, ordered
from mcpgen.diff.matching import held, match
from mcpgen.diff.surface import TABLES, Surface, of_catalog, of_tables
from mcpgen.jsonvalue import as_object

__all__ = ["GRADES", "TABLES", "Change", "Difference", "Grade", "Surface", "compare", "held", "of_catalog", "of_tables"]


def compare(old: Surface, new: Surface) -> Difference:
    """Every change from `old` to `new`."""
    matched = match(old, new)
    schemes = authorization.renamed_schemes(
        as_object(old.header.get("security")), as_object(new.header.get("security"))
    )
    found = [*server.compared(old, new, list(matched.pairs), schemes), *features.compared(old, new)]
    found += [rules.of_tool("tool-removed", tool.name, before=tool.request) for tool in matched.gone]
    found += [rules.of_tool("tool-added", tool.name, after=tool.request) for tool in matched.added]
    for before, after in matched.pairs:
        found += tools.compared(before, after, schemes)
    return ordered(found)
