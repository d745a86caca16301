"""Implement `--search`: show the answer that a model would get from the search of the generated server."""

from dataclasses import replace

from mcpgen.base import tokens
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.cli import report, servers
from mcpgen.cli.inspect import source
from mcpgen.model.options import Options


def show(given: str, flags: Options, queries: tuple[str, ...], output: str) -> None:
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
