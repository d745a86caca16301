"""Show all tools as a table, the tools and tags that take most tokens of a model, and the resources and prompts."""

from collections import Counter
from collections.abc import Sequence

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import as_object
from mcpgen.base.plurals import counted
from mcpgen.cli import report
from mcpgen.cli.inspect import contract, findings, layout
from mcpgen.emit import table
from mcpgen.model import Catalog, Skipped, ToolSpec

HEAD = ("tool", "method", "path", "args", "tokens", "notes")
_RIGHT = (3, 4)
_YIELDING = (0, 2, 5)

HEAVIEST = 5
"""Number of the heaviest tools that get a bar if there are more tools. From a hundred tools on, twice as many get
one.
"""

GROUPED = 40
"""Number of tools from which on tags get bars too, because users will then want to select operations by tag."""

BAR = 24


def show(tools: Sequence[ToolSpec], skipped: Sequence[Skipped], diagnostics: Sequence[Diagnostic]) -> None:
    """Print one line per tool, then bars of tokens for the heaviest tools, and for tags if there are many tools."""
    concerned = findings.Concerned(tools)
    costs = {tool.name: table.cost(tool) for tool in tools}
    concerning: dict[str, list[Diagnostic]] = {}
    for found in diagnostics:
        for name in concerned.by(found):
            concerning.setdefault(name, []).append(found)
    rows = [_row(tool, costs[tool.name], concerning.get(tool.name, [])) for tool in tools]
    head, *lines = layout.columns([HEAD, *rows], _RIGHT, _YIELDING)
    report.say(head, err=False, bold=True)
    for line in lines:
        report.say(line, err=False)
    counts = [(len(rows), "tool"), (sum(costs.values()), "token"), (len(skipped), "skipped operation")]
    if logins := sum(each.code == "login-operation" for each in diagnostics):
        counts.append((logins, "hidden login"))
    report.say(", ".join(counted(*count) for count in counts) + ".", err=False)
    if len(tools) > HEAVIEST:
        _draw(costs)
    if len(tools) >= GROUPED:
        _draw_tags(tools, costs)


def _row(tool: ToolSpec, cost: int, concerning: Sequence[Diagnostic]) -> tuple[str, ...]:
    operation = tool.operation
    notes = ", ".join(findings.words(tool, concerning))
    arguments = str(len(contract.arguments_json(tool) or as_object(tool.whole_schema.get("properties"))))
    return tool.name, operation.method, operation.path, arguments, f"{cost:,}", notes


def _draw(costs: dict[str, int]) -> None:
    heaviest = Counter(costs).most_common(HEAVIEST * (2 if len(costs) >= 100 else 1))
    total = sum(costs.values())
    share = sum(cost for _, cost in heaviest) / total
    report.say_lines(["", f"The {len(heaviest)} tools with the most tokens have {share:.0%} of all tokens:"], err=False)
    _bars([(name, cost) for name, cost in heaviest], total)


def _draw_tags(tools: Sequence[ToolSpec], costs: dict[str, int]) -> None:
    tokens: Counter[str] = Counter()
    members: Counter[str] = Counter()
    for tool in tools:
        tag = tool.operation.tags[0] if tool.operation.tags else "(no tag)"
        tokens[tag] += costs[tool.name]
        members[tag] += 1
    if len(tokens) < 2:
        return
    shown = tokens.most_common(2 * HEAVIEST)
    which = f", the first {len(shown)} of {len(tokens)}" if len(tokens) > len(shown) else ""
    report.say_lines(["", f"By tag{which}:"], err=False)
    _bars([(f"{tag} ({counted(members[tag], 'tool')})", cost) for tag, cost in shown], sum(costs.values()))


def _bars(found: Sequence[tuple[str, int]], total: int) -> None:
    most = max(cost for _, cost in found)
    rows = [(name, f"{cost:,}", f"{cost / total:.1%}", layout.bar(cost / most, BAR)) for name, cost in found]
    for line in layout.columns(rows, (1, 2), (0,)):
        report.say("  " + line, err=False)


def show_features(catalog: Catalog) -> None:
    """Print each resource and each prompt on a line. Print nothing if there are none."""
    resources = [
        (each.uri, f"GET {each.resource.operation.path}" if each.resource.operation else each.resource.media_type)
        for each in catalog.offered
    ]
    prompts = [
        (each.prompt.name, ", ".join(argument.name for argument in each.prompt.arguments)) for each in catalog.prompts
    ]
    _table(("resource", "holds"), resources)
    _table(("prompt", "arguments"), prompts)
    report.webhooks(catalog.webhooks)


def _table(head: tuple[str, str], rows: list[tuple[str, str]]) -> None:
    if not rows:
        return
    first, *lines = layout.columns([head, *rows], (), (0, 1))
    report.say(err=False)
    report.say(first, err=False, bold=True)
    for line in lines:
        report.say(line, err=False)
