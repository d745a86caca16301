"""Collect the files of a generated project (DESIGN: contract of the generated project)."""

from pathlib import Path

from mcpgen.base import assets
from mcpgen.base.tree import FileTree
from mcpgen.emit import attributes, checksums, features, offered, table
from mcpgen.emit.deployment import deployment_files, secret_files
from mcpgen.emit.environment import alternatives, environment
from mcpgen.emit.render import render
from mcpgen.lower.text.prose import sentences, shortened
from mcpgen.model import Catalog, Identity
from mcpgen.read.toolsfile import editors

RUNTIME = "runtime/"
"""The folder of a package with the Python of every server."""

# Decision 0163: The runtime is under the MIT licence, the rest is its owner's.
LICENSE = f"{RUNTIME}LICENSE"

LONGEST_SAID = 200
"""Longest text about a tool, a resource or a prompt in the README, in characters."""

RUNTIME_DEPENDENCIES = ("aiohttp>=3.14.3,<4", "jsonschema-rs>=0.60,<0.70")
"""Dependencies of a generated server. mcpgen has the same with the same bounds, because it runs generated servers
itself.
"""

HTTP_DEPENDENCIES = ("cryptography>=46.0.3,<51", "joserfc>=1.8,<2", "redis>=6.4,<9")
"""What a generated server needs besides to serve HTTP: the extra `http`, which stdio never imports."""

KEYRING_DEPENDENCIES = ("keyring>=25.6,<26",)
"""What a generated server needs besides to keep refresh tokens in the system's keyring: the extra `keyring`."""


def emit(catalog: Catalog, *, deploy: bool = False) -> FileTree:
    """Return every file of the project except the lock, with `deploy` also those by which it is deployed.

    The result depends only on the catalog, `deploy` and the compiler.
    """
    identity = catalog.identity
    tools = table.tools_json(catalog)
    package = identity.package
    files = {f"{package}/{name}": data for name, data in _package_files().items()}
    files[table.tools_path(catalog)] = tools
    beside = features.tables(catalog)
    files.update({f"{package}/{name}.json": data for name, data in beside.items()})
    if catalog.search is not None:
        files[f"{package}/search.json"] = catalog.search.index
    files[f"{package}/bindings.json"] = table.bindings_json(catalog, tools, beside)
    files[editors.NAME] = editors.schema_file()
    files[attributes.NAME] = attributes.FILE
    files[offered.TEST] = offered.test_file()
    files.update(render(assets.project_templates(), {**_values(catalog), "deploy": deploy}))
    if deploy:
        files.update(deployment_files(catalog))
    return FileTree(files)


def user_files(identity: Identity) -> frozenset[str]:
    """Return the paths of the files that belong to the user."""
    return frozenset({"mcpgen.yaml", attributes.NAME, f"{identity.package}/hooks.py", *offered.ONCE})


def _package_files() -> dict[str, bytes]:
    """Return the files that are the same in every package: Python, and the licence and the digests of the runtime."""
    root = assets.package_templates()
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in _copied_files(root)}
    runtime = {path.removeprefix(RUNTIME): data for path, data in files.items() if path.startswith(RUNTIME)}
    return {**files, f"{RUNTIME}{checksums.NAME}": checksums.checksums(runtime)}


def _copied_files(root: Path) -> list[Path]:
    """Return the licence and the Python files alone: an installed template folder also holds compiled files."""
    python = [path for path in root.rglob("*.py") if "__pycache__" not in path.parts]
    return sorted([*python, root / LICENSE])


def _values(catalog: Catalog) -> dict[str, object]:
    """Return the values for the templates. These only loop and choose, and compute nothing."""
    variables = environment(catalog)
    return {
        "identity": catalog.identity,
        "search": catalog.search is not None,
        "base_url": catalog.servers[0].url if catalog.servers else "",
        "environment": variables,
        "credentials": [row for row in variables if row.usual],
        "alternatives": alternatives(catalog),
        "clients": [scheme.variables for scheme in catalog.schemes if scheme.type == "oauth2"],
        "tools": [
            {
                "name": tool.name,
                "says": _first_sentence(tool.description) or tool.title,
                "request": f"{tool.operation.method} {tool.operation.path}",
                "effect": tool.annotations.effect,
                "roles": ", ".join(tool.roles),
                "confirm": "" if tool.confirm == "never" else tool.confirm,
            }
            for tool in catalog.tools
        ],
        "resources": [
            {
                "uri": each.uri,
                "says": _first_sentence(each.resource.description) or each.resource.title or each.resource.name,
                "source": f"GET {each.resource.operation.path}" if each.resource.operation else "",
            }
            for each in catalog.resources
        ],
        "prompts": [
            {
                "name": each.prompt.name,
                "says": _first_sentence(each.prompt.description) or each.prompt.title or each.prompt.name,
                "arguments": ", ".join(argument.name for argument in each.prompt.arguments),
            }
            for each in catalog.prompts
        ],
        "hook": next((tool.name.replace("-", "_") for tool in catalog.tools if tool.name != "all"), "TOOL"),
        "skipped": [{"operation": entry.operation, "reason": entry.reason.message} for entry in catalog.skipped],
        "dependencies": RUNTIME_DEPENDENCIES,
        "http_dependencies": HTTP_DEPENDENCIES,
        "keyring_dependencies": KEYRING_DEPENDENCIES,
        "secret_files": secret_files(catalog),
    }


def _first_sentence(description: str) -> str:
    """Return the first sentence of a description, at most LONGEST_SAID characters of it."""
    paragraph = description.strip().partition("\n")[0]
    return shortened(next(iter(sentences(paragraph)), ""), LONGEST_SAID)
