"""Write the SKILL.md of a project: a skill that says how to call its tools from a shell.

The server serves the file as well if its owner names it (`skills: [{from: project}]`). The text then also addresses
models that reach the same tools through the server.
"""

from mcpgen.base import assets
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.emit.sinks import render
from mcpgen.lower.text.prose import first_sentence
from mcpgen.model import Catalog, ToolSpec

NAME = "SKILL.md"


def project_file(catalog: Catalog) -> bytes:
    """Return the SKILL.md of the project: the served text if it is a resource of the server."""
    served = shell_skill(catalog, is_served=True)
    contents = (each.resource.content for each in catalog.resources)
    return served if served.decode() in contents else shell_skill(catalog, is_served=False)


def front_matter(catalog: Catalog, *, is_served: bool) -> JsonObject:
    """Return the front matter of the SKILL.md."""
    title, command = catalog.identity.title, catalog.identity.command
    says = f"Call the API of {title} from a shell, by the command {command}."
    if is_served:
        says = f"Call the API of {title} by the tools of its MCP server, or from a shell by the command {command}."
    return {"name": command, "description": says}


def shell_skill(catalog: Catalog, *, is_served: bool) -> bytes:
    """Return the text of the SKILL.md. `is_served`: True if models also read it through the server."""
    values = {
        **front_matter(catalog, is_served=is_served),
        **finders(catalog),
        "identity": catalog.identity,
        "is_served": is_served,
        "tools": [row(tool) for tool in catalog.tools],
    }
    return render(assets.project_templates().parent / "shell", values)[NAME]


def row(tool: ToolSpec) -> dict[str, str]:
    """Return the name, the first sentence and the effect of a tool."""
    says = first_sentence(tool.description) or tool.title
    return {"name": tool.name, "says": says, "effect": tool.annotations.effect}


def finders(catalog: Catalog) -> dict[str, str]:
    """Return the names of the tools that find and call others, or "" in a server without a search."""
    found = {kind: called for called, kind in catalog.search.finders.items()} if catalog.search else {}
    return {
        "finds": found.get("search_tools", ""),
        "calls": found.get("call_tool", ""),
        "writes": found.get("call_writing_tool", ""),
    }
