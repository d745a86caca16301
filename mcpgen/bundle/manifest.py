"""Write the manifest of an MCP bundle (`.mcpb`, manifest 0.4 of modelcontextprotocol/mcpb) and the other files of the
bundle.
"""

import re

from mcpgen.base import assets
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_text, document, without_empty
from mcpgen.base.tree import FileTree
from mcpgen.bundle.project import PYPROJECT, README, Project
from mcpgen.bundle.registry import Publisher
from mcpgen.bundle.settings import Setting
from mcpgen.lower.text.prose import first_sentence

MANIFEST_VERSION = "0.4"
ENTRY = "server.py"

PYTHON = "3.13"
"""Version of Python that uv installs for a bundle. All dependencies have wheels for it, on every system that hosts run
on.
"""

_NOT_BUILT = "\n# Run from its folder by uv, which installs the dependencies alone.\n[tool.uv]\npackage = false\n"
_KINDS = {"text": "string", "folder": "directory", "switch": "boolean"}
_CLAUSE = re.compile(r"(>=|<=|<|>|==|~=)\s*([0-9]+(?:\.[0-9]+){0,2})(\.\*)?")


# A bundle with compiled wheels would fit only one platform, so `uv` installs the dependencies. `uv` must not build the
# package, because it would download a build backend that no lock file fixes.
def bundle_files(project: Project, publisher: Publisher, settings: tuple[Setting, ...]) -> FileTree:
    """Return the files of the bundle. The host installs the dependencies in pyproject.toml with uv."""
    files = {
        "manifest.json": document(manifest(project, publisher, settings)),
        PYPROJECT: project.files[PYPROJECT] + _NOT_BUILT.encode("ascii"),
        README: project.files[README],
        ".python-version": f"{PYTHON}\n".encode("ascii"),
        # Some hosts ignore `mcp_config` and run the entry point, and no module inside a package can be run as a script.
        ENTRY: (assets.bundle_templates() / ENTRY).read_bytes(),
        **project.package_files,
        **project.licences,
    }
    if (lock := project.files.get("uv.lock")) is not None:
        files["uv.lock"] = lock.replace(b'source = { editable = "." }', b'source = { virtual = "." }')
    return FileTree(files)


def manifest(project: Project, publisher: Publisher, settings: tuple[Setting, ...]) -> JsonObject:
    """Return the manifest of an .mcpb: how a host starts the server, and which settings it asks its user for."""
    identity = project.identity
    has_search, prompts = "search" in project.surface.header, bool(project.surface.prompts)
    optional: JsonObject = {
        "repository": {"type": "git", "url": publisher.repository} if publisher.repository else None,
        "license": as_text(project.metadata.get("license")) or None,
        "tools": None if has_search else _tools(project),
        "tools_generated": has_search or None,
        "prompts_generated": prompts or None,
    }
    asked: JsonObject = {setting.variable: _asked(setting) for setting in settings}
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": identity.command,
        "display_name": identity.title,
        "version": identity.version,
        "description": project.description,
        "author": {"name": publisher.name or identity.title},
        **{name: value for name, value in optional.items() if value is not None},
        "server": {
            "type": "uv",
            "entry_point": ENTRY,
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", ENTRY],
                "env": {setting.variable: f"${{user_config.{setting.variable}}}" for setting in settings},
            },
        },
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": python_range(as_text(project.metadata.get("requires-python")))},
        },
        "user_config": asked,
    }


def _tools(project: Project) -> JsonValue:
    rows = ((tool.name, as_text(tool.shown.get("description"))) for tool in project.surface.tools)
    return [{"name": name, "description": first_sentence(said)} if said else {"name": name} for name, said in rows]


def _asked(setting: Setting) -> JsonObject:
    """Return the entry of a setting in `user_config`.

    A host writes `${user_config.X}` literally into the environment if X has neither a value nor a default. Therefore
    every optional setting has a default, which may be the empty text.
    """
    said = setting.description
    if setting.choices:
        said = f"{said}. One of: {', '.join(setting.choices)}"
    entry: JsonObject = {"type": _KINDS[setting.kind], "title": setting.title, "description": said}
    entry |= without_empty(sensitive=setting.secret, required=setting.needed)
    if not setting.needed:
        entry["default"] = False if setting.kind == "switch" else setting.default
    return entry


def python_range(specifier: str) -> str:
    """Return a PEP 440 specifier of Python as an npm range: `>=3.11,<3.15` becomes `>=3.11 <3.15`.

    Raises FatalError for a clause that npm ranges cannot express.
    """
    return " ".join(_npm_clause(clause.strip()) for clause in specifier.split(",") if clause.strip()) or "*"


def _npm_clause(clause: str) -> str:
    found = _CLAUSE.fullmatch(clause)
    if found is None or (found[3] and found[1] != "=="):
        message = (
            "The requires-python of the project has a clause that the manifest of an .mcpb cannot express: "
            f"{clause[:40]}."
        )
        raise FatalError("no-project", message, hint="Write each clause of requires-python with >=, <=, <, > or ==.")
    operator, version = found[1], found[2]
    if operator == "==":
        return f"{version}.x" if found[3] else version
    if operator == "~=":
        head = version.split(".")[:-1]
        return f">={version} <{'.'.join([*head[:-1], str(int(head[-1]) + 1)])}" if head else f">={version}"
    return operator + version
