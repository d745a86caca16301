"""`mcpgen inspect`: show the tools and their requests, as a table, one tool in full, JSON, or an HTML page.

The source is a document, or the stored source of a generated project. `--search` and `--call` run the generated server:
it shows the answer that a model would get from its search, and explains a call without sending it.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from mcpgen.base import tokens
from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.base.plurals import counted
from mcpgen.base.source_urls import without_secrets
from mcpgen.cli import onefile, options, report, servers, source
from mcpgen.cli.inspect import contract, findings, table
from mcpgen.cli.inspect import tool as one
from mcpgen.emit import page
from mcpgen.emit.table import cost
from mcpgen.model import ToolSpec
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled
from mcpgen.retrieval.index import build

_MOST = 8
"""Limit on the tools that an error message lists if none has a similar name."""
_NAMED = 40
_ENDINGS = (".yaml", ".yml", ".json")


@click.command("inspect", short_help="Show the tools of SOURCE, and the request of each.")
@click.argument("given", metavar="SOURCE|DIR")
@click.argument("workflow_files", metavar="[WORKFLOWS]... [TOOL]", nargs=-1)
@options.compiling
@click.option(
    "--call",
    "arguments",
    metavar="JSON",
    help="Show the request of TOOL for these arguments (a JSON object); nothing is sent.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fail if a tool costs more than this number of tokens.",
)
@click.option(
    "--search",
    "queries",
    multiple=True,
    metavar="QUERY",
    help="Show which tools a server with --tools search finds for this query; repeatable.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write an HTML page of the tools to this file."
)
@options.output_format
def command(
    given: str,
    flags: Options,
    arguments: str | None,
    max_tokens: int | None,
    html: Path | None,
    queries: tuple[str, ...],
    output: str,
) -> None:
    """Show the tools of SOURCE, or of a generated project in DIR, and the requests that they send.

    WORKFLOWS are Arazzo documents about the operations of SOURCE: URLs, or files with the ending .yaml, .yml or .json.
    TOOL is a tool's name, its operationId, or its request ("GET /pets/{id}"). --call shows the request that the
    generated server would send for a call, with credentials as <VARIABLE>.

    Exit codes: 0 done, 1 findings (a tool over --max-tokens, a call that would be refused), 2 cannot go on.
    """
    flags, wanted = _split(flags)
    if arguments is not None and wanted is None:
        raise click.UsageError("--call needs a TOOL.")
    if html is not None and wanted is not None:
        raise click.UsageError("--html shows all tools: leave TOOL out, or select operations with --include.")
    if queries and (wanted is not None or html is not None):
        raise click.UsageError("--search searches all tools: leave TOOL and --html out.")
    if not all(map(str.strip, queries)):
        raise click.UsageError(
            'The query of --search is empty: write what a tool should do, such as "list open orders".'
        )
    if queries:
        with report.ending(output):
            _show_search(given, flags, queries, output)
        report.leave(report.DONE)
    with report.ending(output):
        compiled = source.compiled(given, flags)
        tools = list(compiled.catalog.tools) if wanted is None else _called(compiled.catalog.tools, wanted)
        found = [*compiled.diagnostics, *_exceeding(tools, max_tokens)]
        called = _explained(compiled, tools, arguments, output) if arguments is not None else None
        document = contract.document(compiled.catalog, tools, found) if output == "json" or html else {}
        if html is not None:
            _write_page(html, document, "" if flags != Options() else given, compiled)
    if output == "json":
        report.result_json({**document, **({"call": called.document} if called else {})})
    else:
        _show(compiled, tools, found, whole=wanted is None, page=html)
        _say_call(called)
    if sentence := _over_budget(tools, max_tokens) if max_tokens else "":
        report.say(f"error: {sentence} [over-budget]", fg="red")
    failed = any(diagnostic.severity == "error" for diagnostic in found) or (called is not None and called.refused)
    report.leave(report.FINDINGS if failed else report.DONE)


def _split(flags: Options) -> tuple[Options, str | None]:
    """Return the flags with the Arazzo documents alone, and the tool that stands among their names, or None."""
    named = [
        each for each in flags.workflow_files if "://" not in each and (" " in each or not each.endswith(_ENDINGS))
    ]
    if len(named) > 1:
        raise click.UsageError(f"Name one TOOL, not {' and '.join(named)}.")
    documents = tuple(each for each in flags.workflow_files if each not in named)
    return replace(flags, workflow_files=documents), named[0] if named else None


def _show(
    compiled: Compiled, tools: Sequence[ToolSpec], found: Sequence[Diagnostic], *, whole: bool, page: Path | None
) -> None:
    if not whole:
        for entry in tools:
            one.show(entry, compiled.catalog, found)
        return
    concerned = findings.Concerned(tools)
    report.diagnostics(
        [diagnostic for diagnostic in compiled.diagnostics if not concerned.by(diagnostic)],
        compiled.catalog.skipped,
        most=1,
    )
    if page is None:
        table.show(tools, compiled.catalog.skipped, found)
        table.show_features(compiled.catalog)
    else:
        report.say(f"Wrote {page}: {counted(len(tools), 'tool')}.", err=False)


def _say_call(called: _Explained | None) -> None:
    if called is None:
        return
    if called.out:
        report.say(err=False)
        report.say("The request (it was not sent):", err=False, bold=True)
        report.say_lines(["", *called.out.rstrip("\n").split("\n")], err=False)
    if called.err:
        report.say_lines(called.err.rstrip("\n").split("\n"), fg="red" if called.refused else "yellow")


def _called(tools: Sequence[ToolSpec], wanted: str) -> list[ToolSpec]:
    """Return the tools that `wanted` names, by tool name, operationId or request.

    Raises FatalError, with similar names, if there is no such tool.
    """
    method, _, path = wanted.partition(" ")
    found = (
        [tool for tool in tools if tool.name == wanted]
        or [tool for tool in tools if tool.operation.id == wanted]
        or [tool for tool in tools if _request(tool) == f"{method.upper()} {path.strip()}"]
    )
    if found:
        return found
    known = {tool.name: None for tool in tools}
    known |= {word: None for tool in tools for word in (tool.operation.id, _request(tool)) if word}
    near = difflib.get_close_matches(wanted, known, n=3)
    names = [tool.name for tool in tools]
    some = ", ".join(names[:_MOST]) + (", …" if len(names) > _MOST else ".")
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {some}"
    raise FatalError("invalid-flag", f"There is no tool {wanted}.", hint=hint)


def _request(tool: ToolSpec) -> str:
    return f"{tool.operation.method} {tool.operation.path}"


def _exceeding(tools: Sequence[ToolSpec], most: int | None) -> list[Diagnostic]:
    """Return a diagnostic for each tool that costs more than `most` tokens, the largest first."""
    heavy = sorted(((cost(tool), tool) for tool in tools), key=lambda found: -found[0])
    return [
        Diagnostic(
            "over-budget",
            f"{tool.name} takes about {cost:,} tokens; --max-tokens allows {most:,}.",
            "Shorten the description of the tool, hide some of its arguments, or leave the tool out.",
            tool.operation.where,
        )
        for cost, tool in heavy
        if most is not None and cost > most
    ]


def _over_budget(tools: Sequence[ToolSpec], most: int) -> str:
    """Return a sentence that names all tools over the limit, or "" if there are none."""
    costs = sorted(((cost(tool), tool.name) for tool in tools), key=lambda found: (-found[0], found[1]))
    heavy = [f"{name} {cost:,}" for cost, name in costs if cost > most]
    if not heavy:
        return ""
    one = len(heavy) == 1
    named = ", ".join(heavy[:_NAMED]) + (f", and {len(heavy) - _NAMED:,} more" if len(heavy) > _NAMED else "")
    return f"{len(heavy):,} tool{' takes' if one else 's take'} more than {most:,} tokens: {named}."


def _write_page(path: Path, document: JsonObject, source: str, compiled: Compiled) -> None:
    """Write the HTML page of `document` to `path`, atomically. `compiled`: result of the compile of `source`, from
    whose tools the search index of the page is built. If `source` is a
    document, and no flag changes its tools, the page can write a tools file for it.

    Raises FatalError if a file that is not such a page exists at `path`, or the page cannot be written.
    """
    index = build(compiled.catalog.tools, compiled.definitions, ()).index
    onefile.write(
        path,
        page.page({**document, "search": page.search_data(index), "source": _document(source, compiled)}),
        lambda there: there.startswith(page.MARK),
        refused=" and is not a page that mcpgen wrote",
        hint="Name another file with --html, or remove this file.",
    )


def _document(source: str, compiled: Compiled) -> str:
    """Return how a tools file beside the document names it: by its URL, or its file name. "" for another source."""
    if [each.name for each in compiled.sources.described_by] != [source]:
        return ""
    return without_secrets(source) if "://" in source else Path(source).name


def _show_search(given: str, flags: Options, queries: tuple[str, ...], output: str) -> None:
    """Print the search's answer to `queries`, and how many tokens the answer has.

    The server is compiled with `--tools search`, even if the project was generated without it. Raises FatalError if the
    search fails.
    """
    compiled = source.compiled(given, replace(flags, tools="search"))
    asked = [word for query in queries for word in ("--search", query)]
    with servers.emitted(compiled) as server:
        code, out, err = server.ask(*asked)
    if code != report.DONE:
        raise FatalError("invalid-flag", f"The search failed: {err.strip() or 'the server gave no reason.'}")
    text = out.rstrip("\n")
    cost = tokens.estimate(text)
    if output == "json":
        document: JsonObject = {"queries": list[JsonValue](queries), "answer": text, "tokens": cost}
        report.result_json(document)
        return
    report.say_lines(text.split("\n"), err=False)
    report.say(f"About {cost:,} tokens.", err=True)


@dataclass(frozen=True, slots=True)
class _Explained:
    """Output of a server's `--explain`.

    `out`: the request, as JSON if the format is JSON. `err`: what the server wrote to stderr. `refused`: True if the
    server would refuse the call.
    """

    out: str
    err: str
    refused: bool

    @property
    def document(self) -> JsonObject:
        """Return what `--explain` printed (`out`), parsed, without the version of its format (`schema`), for the JSON
        output of `inspect`.
        """
        found = as_object(json.loads(self.out))
        return {key: value for key, value in found.items() if key != "schema"}


def _explained(compiled: Compiled, tools: Sequence[ToolSpec], arguments: str, output: str) -> _Explained:
    """Return what the generated server's `--explain` prints for a call with JSON `arguments`: the request that it would
    send. `tools` must contain only the tool to call.

    The server has the environment of this process but no hooks: hooks belong to a project, whose own `--explain` runs
    them. Raises FatalError if `tools` contains several tools, or if the call cannot be explained.
    """
    if len(tools) > 1:
        names = " or ".join(tool.name for tool in tools)
        raise FatalError("invalid-flag", "--call needs one tool.", hint=f"Name one of these tools: {names}.")
    try:
        readable = isinstance(json.loads(arguments), dict)
    except ValueError:
        readable = False
    if not readable:
        raise FatalError(
            "invalid-flag",
            "The value of --call is not a JSON object.",
            hint="Write a JSON object, as in --call '{\"id\": 7}'.",
        )
    with servers.emitted(compiled) as server:
        code, out, err = server.ask("--explain", tools[0].name, arguments, "--format", output)
    if code not in (report.DONE, report.FINDINGS):
        raise FatalError("invalid-flag", f"The call cannot be explained: {err.strip() or 'the server failed.'}")
    return _Explained(out, err, refused=code == report.FINDINGS)
