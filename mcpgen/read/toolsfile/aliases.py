"""Read `aliases:` of the tools file: other names by which a tool can be called.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from collections.abc import Mapping

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonObject, as_list
from mcpgen.base.names import ALIAS


def of_tool(entry: JsonObject, where: Where) -> Mapping[str, Where]:
    """Return alias → its place in the tools file, for each alias of a tool. `where`: the place of the tool or
    override.
    """
    place = where.inside("aliases")
    return {
        name: place.inside(index)
        for index, name in enumerate(as_list(entry.get("aliases")))
        if isinstance(name, str) and ALIAS.fullmatch(name)
    }
