"""Collect the files of a generated project."""

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import mcpgen
from mcpgen import views
from mcpgen.base import assets, runtime
from mcpgen.base.jsonvalue import digest
from mcpgen.base.tree import FileTree
from mcpgen.emit import features, offered, parts, table, wings
from mcpgen.emit.deployment import deployment_files, secret_files
from mcpgen.emit.environment import (
    alternatives,
    can_log_in,
    environment,
    needed_variables,
    needy,
    setting_rows,
)
from mcpgen.emit.offered import GITATTRIBUTES, GITATTRIBUTES_TEXT
from mcpgen.emit.sinks import render
from mcpgen.emit.skills import shell_skill
from mcpgen.lower.text.prose import first_sentence
from mcpgen.lower.tool.accounts import variables_of
from mcpgen.model import MOST_WEBHOOKS, Catalog, Identity
from mcpgen.model.options import ALL_PARTS
from mcpgen.read.toolsfile import editors

MOST_IN_LINKS = 8
"""Limit on the environment variables in one link. Some systems cut links at 2,000 characters."""


@dataclass(frozen=True, slots=True)
class Button:
    """A link and the name of the client that it opens."""

    client: str
    url: str


SUMS = "SHA256SUMS"

RUNTIME = "runtime/"
"""Folder inside a generated package that holds the runtime, the same Python in every server."""

# The MIT licence requires its text in every copy. mcpgen sets no conditions for the project's other files.
LICENSE = f"{RUNTIME}LICENSE"

_PY = ".py"

_ENTRY_OF_HTTP = "asgi.py"
"""File of a package outside of its runtime that only a server over HTTP has."""

RUNTIME_DEPENDENCIES = ("aiohttp>=3.14.4,<4", "jsonschema-rs>=0.60,<0.70")
"""Dependencies of a generated server. mcpgen has the same dependencies with the same version bounds, because it runs
generated servers itself.
"""

HTTP_DEPENDENCIES = ("cryptography>=50.0.0,<51", "joserfc>=1.8,<2", "redis>=6.4,<9")
"""Dependencies of a generated server that serves HTTP. A server over stdio never imports them."""

EXTRAS = {
    "http": ("http", HTTP_DEPENDENCIES),
    "keyring": ("login", ("keyring>=25.6,<26",)),
    "programs": ("programs", ("pydantic-monty>=1.4,<2",)),
    "socks": ("reach", ("aiohttp-socks>=0.11,<0.13",)),
    "otel": ("telemetry", ("opentelemetry-proto>=1.36,<2",)),
}
"""Name of each extra → the part that uses it, and its dependencies. `keyring` keeps the refresh tokens of logins."""


def emit(catalog: Catalog, chosen: Collection[str] = (ALL_PARTS,), *, deploy: bool = False) -> FileTree:
    """Return every file of the project except the lock file. With `deploy`, the files for deployment are included.

    `chosen`: the parts that the server gets beside those that its tables need. The result depends only on the
    arguments and the compiler's version.
    """
    identity = catalog.identity
    package = identity.package
    tables = _tables(catalog)
    of_wings = parts.wings_of(chosen, tables)
    files = {f"{package}/{name}": data for name, data in {**tables, **_package_files(of_wings)}.items()}
    files[editors.NAME] = editors.schema_file()
    files[GITATTRIBUTES] = GITATTRIBUTES_TEXT
    files[offered.TEST] = offered.test_file()
    has = parts.parts_of(of_wings)
    values = {**_values(catalog, has), "deploy": deploy}
    files.update(render(assets.project_templates(), values))
    if "shell" in has:
        files[shell_skill.NAME] = shell_skill.project_file(catalog)
    if deploy:
        files.update(deployment_files(catalog))
    return FileTree(files)


def unneeded(tree: FileTree, identity: Identity, chosen: Collection[str]) -> list[str]:
    """Return the paths of the package's files in `tree` that the server would not have if its owner chose parts."""
    inside = f"{identity.package}/"
    files = {path.removeprefix(inside): data for path, data in tree.items() if path.startswith(inside)}
    needed = _package_files(parts.wings_of(chosen, files))
    return [inside + path for path in files if path.endswith(_PY) and path not in needed]


def parts_in(files: Iterable[str]) -> tuple[str, ...]:
    """Return the parts that only an owner can have chosen, of a package that has these files."""
    present = {*files}
    there = [
        wing for wing, paths in _modules().items() if present.issuperset(f"{RUNTIME}{path}{_PY}" for path in paths)
    ]
    return tuple(sorted(parts.parts_of(there) & parts.PURPOSES.keys()))


def user_files(identity: Identity) -> frozenset[str]:
    """Return the paths of the project's files that the user may edit, and that regeneration never overwrites."""
    return frozenset({"mcpgen.yaml", GITATTRIBUTES, f"{identity.package}/hooks.py", *offered.ONCE})


def _tables(catalog: Catalog) -> dict[str, bytes]:
    """Return name → contents of the JSON files that describe the server."""
    tools, beside = table.tools_json(catalog), features.tables(catalog)
    found = {"tools.json": tools, **{f"{name}.json": data for name, data in beside.items()}}
    if catalog.search is not None:
        found["search.json"] = table.search_json(catalog, catalog.search)
    return {**found, "bindings.json": table.bindings_json(catalog, tools, beside)}


def _package_files(of_wings: frozenset[str]) -> dict[str, bytes]:
    """Return path → contents of the files that are the same in every package with these wings.

    These are the Python files, the licence, and SHA256SUMS of the runtime.
    """
    root = assets.package_templates()
    places = {path.relative_to(root).as_posix(): path for path in _copied_files(root)}
    absent = [path for wing, found in _modules().items() if wing not in of_wings for path in found]
    left_out = {f"{RUNTIME}{path}{_PY}" for path in absent}
    if "http" not in parts.parts_of(of_wings):
        left_out.add(_ENTRY_OF_HTTP)
    files = {path: place.read_bytes() for path, place in places.items() if path not in left_out}
    if "views" in of_wings:
        files[f"{RUNTIME}views/application.html"] = views.application()
    runtime = {path.removeprefix(RUNTIME): data for path, data in files.items() if path.startswith(RUNTIME)}
    return {**files, f"{RUNTIME}{SUMS}": checksums(runtime)}


def _modules() -> dict[str, list[str]]:
    """Return wing → the paths of its modules in the runtime, without `.py`."""
    runtime = assets.package_templates() / RUNTIME
    paths = (path.relative_to(runtime) for path in _copied_files(assets.package_templates()) if runtime in path.parents)
    return wings.modules(path.with_suffix("").as_posix() for path in paths if path.suffix == _PY)


def _copied_files(root: Path) -> list[Path]:
    """Return the paths of the licence and of the Python source files below `root`."""
    python = [path for path in root.rglob("*.py") if "__pycache__" not in path.parts]
    return sorted([*python, root / LICENSE])


def _values(catalog: Catalog, has: frozenset[str]) -> dict[str, object]:
    """Return name → value for the Jinja templates. Templates contain no logic except loops and conditions over these
    values.

    `has`: the parts of the server.
    """
    finders = catalog.search.finders.values() if catalog.search is not None else ()
    has_programs = runtime.search_listing.RUN_READS in finders
    variables, needed, choices = environment(catalog), needed_variables(catalog), alternatives(needy(catalog))
    said = {*needed, *(name for choice in choices for way in choice.ways for name in way)}
    schemes = [scheme for *_, each in variables_of(catalog) for scheme in each]
    own = {name for scheme in schemes for name in scheme.variables.values()}
    return {
        "identity": catalog.identity,
        "search": catalog.search is not None,
        "extra": catalog.extra,
        "base_url": next((server.url for server in catalog.servers if "://" in server.url), ""),
        "environment": variables,
        "settings": setting_rows(catalog, has),
        "parts": has,
        "absent": [(name, says) for name, says in parts.PURPOSES.items() if name not in has],
        "needed": needed,
        "optional": [row.variable for row in variables if row.usual and row.variable not in said],
        "certificate": catalog.asks_certificate,
        "from_file": next((row.variable for row in variables if row.variable in own), ""),
        "buttons": install_links(
            catalog.identity, needed[:MOST_IN_LINKS], [row.variable for row in variables if row.secret]
        ),
        "most_in_links": MOST_IN_LINKS,
        "alternatives": choices,
        "delegable": "" if catalog.accounts else next((each.variables["value"] for each in schemes if each.tokens), ""),
        "clients": [scheme.variables for scheme in schemes if scheme.tokens and "fetched" in scheme.ways],
        "logins": list(_logins(catalog)),
        "accounts": [
            {"name": each.name, "prefix": each.environment(catalog.identity.prefix), "says": each.description}
            for each in catalog.accounts
        ],
        "tools": [
            {
                **shell_skill.row(tool),
                "request": f"{tool.operation.method} {tool.operation.path}",
                "roles": ", ".join(tool.roles),
                "scopes": ", or ".join(" ".join(each) for each in tool.binding.caller_scopes),
                "confirm": "" if tool.confirm == "never" else tool.confirm,
                "starts": tool.binding.task is not None,
                "asks": ", ".join(name for each in tool.questions for name in each.form),
            }
            for tool in catalog.tools
        ],
        "resources": [
            {
                "uri": each.uri,
                "says": first_sentence(each.resource.description) or each.resource.title or each.resource.name,
                "source": f"GET {each.resource.operation.path}" if each.resource.operation else "",
            }
            for each in catalog.offered
            if each.resource.extra.get("skill") != {}
        ],
        "prompts": [
            {
                "name": each.prompt.name,
                "says": first_sentence(each.prompt.description) or each.prompt.title or each.prompt.name,
                "arguments": ", ".join(argument.name for argument in each.prompt.arguments),
            }
            for each in catalog.prompts
        ],
        "webhooks": catalog.webhooks[:MOST_WEBHOOKS],
        "more_webhooks": str(len(catalog.webhooks) - MOST_WEBHOOKS) if len(catalog.webhooks) > MOST_WEBHOOKS else "",
        "skipped": [{"operation": entry.operation, "reason": entry.reason.message} for entry in catalog.skipped],
        "dependencies": RUNTIME_DEPENDENCIES,
        "extras": {
            extra: needed
            for extra, (part, needed) in EXTRAS.items()
            if part in has and (extra != "programs" or has_programs)
        },
        "programs": has_programs,
        "secret_files": secret_files(catalog),
    }


def _logins(catalog: Catalog) -> Iterator[dict[str, str | bool]]:
    """Yield the environment variables and the command-line name of each security scheme by which users log in.

    `login.scheme.label` of the runtime derives the same name.
    """
    for account, prefix, schemes in variables_of(catalog):
        for scheme in (each for each in schemes if each.user):
            label = scheme.variables["value"].removeprefix(f"{prefix}_").lower()
            yield {**scheme.variables, "label": label, "account": account, "first": can_log_in(scheme)}


# -- install links -----------------------------------------------------------------------------------------------------


# Links are shown as text: until the owner publishes the package, its name on PyPI may belong to somebody else, and a
# click would run that package with the user's credentials.
def install_links(identity: Identity, variables: Sequence[str], secrets: Sequence[str]) -> list[Button]:
    """Return the install links of a server.

    `variables`: environment variables that most users set, at most MOST_IN_LINKS. `secrets`: those of `variables`
    whose values are secrets.
    """
    name, start = identity.name, {"command": "uvx", "args": [identity.command]}
    env = _member("env", {each: f"${{env:{each}}}" for each in variables})
    plain = _member("env", {each: f"${{{each}}}" for each in variables})
    prompts = {each: f"{name}-{each.lower().replace('_', '-')}" for each in variables}
    asked = _member("env", {each: f"${{input:{prompts[each]}}}" for each in variables})
    inputs = [
        {
            "type": "promptString",
            "id": prompts[each],
            "description": each,
            **({"password": True} if each in secrets else {}),
        }
        for each in variables
    ]
    code = quote(_compact_json({"name": name, **_member("inputs", inputs), **start, **asked}), safe="")
    return [
        Button("Cursor", _link_to("https://cursor.com/install-mcp", name=name, config=_base64({**start, **env}))),
        Button("VS Code", _link_to("https://insiders.vscode.dev/redirect", url=f"vscode:mcp/install?{code}")),
        # LM Studio fills in no variables, so its users add them in its mcp.json.
        Button("LM Studio", _link_to("https://lmstudio.ai/install-mcp", name=name, config=_base64(start))),
        Button(
            "Kiro", _link_to("https://kiro.dev/launch/mcp/add", name=name, config=_compact_json({**start, **plain}))
        ),
        # Links for Goose contain no environment variables. Goose passes on the variables of its own environment.
        Button("Goose", _link_to("goose://extension", cmd="uvx", arg=identity.command, id=name, name=name)),
    ]


def _member(key: str, value: object) -> dict[str, object]:
    return {key: value} if value else {}


def _link_to(base: str, **query: str) -> str:
    return f"{base}?{urlencode(query, quote_via=quote, safe='')}"


def _compact_json(value: Mapping[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _base64(value: Mapping[str, object]) -> str:
    return base64.b64encode(_compact_json(value).encode()).decode()


# -- checksums ---------------------------------------------------------------------------------------------------------


# Nobody reviews files that are the same in every project; digests show accidental edits. `sha256sum --check` reads them
# too, so nobody has to trust the runtime's own check.
def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the contents of SHA256SUMS for `files`, path in the runtime → contents.

    A digest is the SHA-256 of the contents with LF for each CRLF, since a checkout may have changed line ends.
    """
    digests = {path: digest(data.replace(b"\r\n", b"\n")) for path, data in sorted(files.items())}
    lines = [f"# mcpgen {mcpgen.__version__}", *(f"{known}  {path}" for path, known in digests.items()), ""]
    return "\n".join(lines).encode("ascii")
