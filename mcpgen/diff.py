"""What changed between two catalogs, as a model that uses them sees it: tools added, removed, changed."""

from dataclasses import dataclass

from mcpgen.emit.table import tool_object
from mcpgen.jsonvalue import as_object, compact
from mcpgen.model import Catalog, ToolSpec


@dataclass(frozen=True, slots=True)
class Change:
    """One changed tool and what about it changed, as short phrases."""

    tool: str
    what: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def compare(old: Catalog, new: Catalog) -> Difference:
    """The difference from `old` to `new`, by tool name."""
    before, after = {tool.name: tool for tool in old.tools}, {tool.name: tool for tool in new.tools}
    both = sorted(before.keys() & after.keys())
    changed = [Change(name, what) for name in both if (what := tuple(_phrases(before[name], after[name])))]
    return Difference(
        tuple(sorted(after.keys() - before.keys())), tuple(sorted(before.keys() - after.keys())), tuple(changed)
    )


def _phrases(old: ToolSpec, new: ToolSpec) -> list[str]:
    before, after = as_object(old.input_schema.get("properties")), as_object(new.input_schema.get("properties"))
    phrases = [f"argument {key} added" for key in after if key not in before]
    phrases += [f"argument {key} removed" for key in before if key not in after]
    phrases += [f"argument {key} changed" for key in after if key in before and before[key] != after[key]]
    if old.input_schema.get("required") != new.input_schema.get("required"):
        phrases.append("required arguments changed")
    one, other = tool_object(old), tool_object(new)
    phrases += [f"{key} changed" for key in ("title", "description", "annotations") if one[key] != other[key]]
    if not phrases and (compact(one) != compact(other) or old.binding != new.binding):
        phrases.append("request changed")
    return phrases
