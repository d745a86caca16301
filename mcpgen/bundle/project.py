"""Open a generated project for a release: its identity, the JSON files that describe its tools, and the files to
release.

Only files that mcpgen wrote and files in the package are released. A generated file that was edited stops the release.
A file of the package that neither mcpgen wrote nor `hooks.py` imports stops it if it may be a secret: everything in the
package is released, so a key file or a backup of an editor would be published.
"""

import ast
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text, digest
from mcpgen.base.secrets import holds_key, is_secret_name, without_secrets
from mcpgen.base.tree import FileTree
from mcpgen.emit import user_files
from mcpgen.lock.lockfile import Lock
from mcpgen.model import Identity
from mcpgen.regenerate import changelog, projects
from mcpgen.regenerate.diff import Surface
from mcpgen.regenerate.publish import no_lock, present, previous_lock

PYPROJECT, README = "pyproject.toml", "README.md"
_BESIDE = (PYPROJECT, README, changelog.NAME, "tests/test_server.py", "uv.lock")
"""Files outside of the package that are released if they exist."""

_LICENCE = re.compile(r"(?:LICEN[CS]E|COPYING|NOTICE)(?:\.(?:md|txt|rst))?", re.IGNORECASE)
_MOST_FILES = 20_000
_BACKUP = re.compile(r".*(?:~|\.(?:bak|orig|old|rej|save|sw[a-p]|tmp))|#.*#", re.IGNORECASE)
_KEY_FILE = re.compile(
    r".*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|env|tfstate|ovpn|htpasswd)|id_(?:rsa|dsa|ecdsa|ed25519)(?:\.\w+)?"
    r"|.*service[_-]?account.*\.json|kubeconfig|callers\.txt|wallet\.dat|_?netrc",
    re.IGNORECASE,
)
_LARGEST = 1_000_000
"""Limit on the bytes of a file that are searched for secrets. Key files are small."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project that can be released.

    `files`: path → contents of all files to release. `metadata`: table `[project]` of its pyproject.toml. `surface`:
    the contents of the generated JSON files that describe its tools. `compiler`: the version of mcpgen that wrote the
    project. `others`: files of the package that neither mcpgen wrote nor `hooks.py` imports.
    """

    identity: Identity
    files: FileTree
    metadata: JsonObject
    surface: Surface
    compiler: str
    others: tuple[str, ...] = ()

    @property
    def package_files(self) -> Mapping[str, bytes]:
        return {path: data for path, data in self.files.items() if path.startswith(f"{self.identity.package}/")}

    @property
    def licences(self) -> Mapping[str, bytes]:
        """Return the licence files of the project's owner."""
        return {path: data for path, data in self.files.items() if _LICENCE.fullmatch(path)}

    @property
    def description(self) -> str:
        return as_text(self.metadata.get("description"))


# People reviewed and tested the files in the project, and a new compile could give others (docs/decisions/writing.md).
def open_project(directory: Path) -> Project:
    """Return the project in `directory`. Raises FatalError if there is no project, it is incomplete, or a generated
    file was edited.
    """
    lock = previous_lock(directory)
    if lock is None:
        raise no_lock(directory)
    files = _released_files(directory, lock)
    _refuse_edited(directory, lock, files)
    others = _other_files(lock.package, files, lock.files)
    surface = projects.surface(directory, lock)
    if surface is None:
        raise _unusable(directory, "The project's tools.json or bindings.json cannot be read.")
    metadata = _metadata(directory, files)
    server = as_object(surface.header.get("server"))
    identity = Identity(lock.options.name or "", as_text(server.get("title")), lock.version)
    said = (server.get("name"), server.get("version"), metadata.get("name"), metadata.get("version"))
    if said != (identity.name, identity.version, identity.command, identity.version):
        raise _unusable(
            directory, "The project's lock file, tools.json and pyproject.toml name different servers or versions."
        )
    return Project(identity, files, metadata, surface, lock.compiler, others)


def _released_files(directory: Path, lock: Lock) -> FileTree:
    """Return the files to put into the release: those in `_BESIDE` (such as the README), licences, and the package
    without hidden files.

    Raises FatalError if one of these is a link, or has a name that is invalid on some operating systems.
    """
    names = [*_BESIDE, *_licences(directory), *_below(directory, lock.package)]
    found = {name: data for name in names if (data := present(directory, name)) is not None}
    try:
        return FileTree(found)
    except ValueError:
        message = f"The package {lock.package} has a file whose name is invalid on some operating systems."
        raise FatalError("output-refused", message, hint="Rename it.") from None


def _licences(directory: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(directory) if _LICENCE.fullmatch(name))
    except OSError:
        return []


def _below(directory: Path, package: str) -> Iterator[str]:
    """Yield the paths of the files of a package, without compiled Python files and hidden files."""
    count = 0
    for folder, folders, names in os.walk(directory / package):
        folders[:] = sorted(name for name in folders if name != "__pycache__" and not name.startswith("."))
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted([*names, *links]):
            if name.startswith(".") or name.endswith((".pyc", ".pyo")):
                continue
            count += 1
            if count > _MOST_FILES:
                message = f"The package {package} has more than {_MOST_FILES:,} files."
                raise FatalError(
                    "output-refused", message, hint="Move files that the server does not need out of the package."
                )
            yield Path(folder, name).relative_to(directory).as_posix()


def _refuse_edited(directory: Path, lock: Lock, files: Mapping[str, bytes]) -> None:
    """Raise FatalError if a generated file of the release is missing or was edited."""
    identity = Identity(lock.options.name or "", "", "")
    free = {*user_files(identity), changelog.NAME}
    generated = {path: known for path, known in lock.files.items() if path not in free}
    ours = {path for path in generated if path in (PYPROJECT, README) or path.startswith(f"{lock.package}/")}
    if missing := sorted(ours - files.keys()):
        raise _unusable(directory, f"{missing[0]} is missing.")
    if edited := sorted(path for path in ours if digest(files[path]) != generated[path]):
        message = (
            f"{edited[0]} in {directory} was edited by hand, and a release may contain only unedited generated files."
        )
        hint = "Run `mcpgen regenerate`. It shows the edit, and names a file of yours to which you can move the edit."
        raise FatalError("edited-file", message, hint=hint)


def _metadata(directory: Path, files: Mapping[str, bytes]) -> JsonObject:
    """Return the table `[project]` of pyproject.toml."""
    try:
        table: JsonObject = tomllib.loads(files[PYPROJECT].decode("utf-8"))
    except (KeyError, ValueError, RecursionError):
        raise _unusable(directory, f"The project's {PYPROJECT} cannot be read.") from None
    metadata = as_object(table.get("project"))
    if not all(isinstance(each, str) for each in as_list(metadata.get("dependencies"))):
        raise _unusable(directory, f"The project's {PYPROJECT} cannot be read.")
    return metadata


def _unusable(directory: Path, reason: str) -> FatalError:
    message = f"The project in {directory} cannot be released. {reason}"
    return FatalError(
        "no-project",
        message,
        hint="Run `mcpgen regenerate` on the project, or restore the project from version control.",
    )


def _other_files(package: str, files: Mapping[str, bytes], generated: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of files that mcpgen did not write and `hooks.py` does not import, directly or indirectly.

    `files`: those of the package. `generated`: those that mcpgen wrote. Raises FatalError if a file may be a secret.
    """
    hooks = f"{package}/hooks.py"
    own = {path: files[path] for path in sorted(files.keys() - set(generated)) if path.startswith(f"{package}/")}
    if hooks in files:
        own[hooks] = files[hooks]
    for path, data in own.items():
        if reason := _refusal(path, data):
            hint = "Move the file out of the package. The server reads its secrets from environment variables."
            raise FatalError("secret-file", f"{path} would be published, but {reason}.", hint=hint)
    imported = _imported(hooks, package, own)
    return tuple(path for path in own if path not in imported)


def _refusal(path: str, data: bytes) -> str:
    """Return why a file must not be published, or ""."""
    name = PurePosixPath(path).name
    if _BACKUP.fullmatch(name):
        return "its name is that of an editor's backup"
    is_python = name.endswith(".py")
    if _KEY_FILE.fullmatch(name) or (not is_python and is_secret_name(name.partition(".")[0])):
        return "its name is that of a file with secrets"
    text = data[:_LARGEST].decode("utf-8", "replace")
    if holds_key(text) or (not is_python and "\0" not in text and without_secrets(text) != text):
        return "it holds a text that may be a secret"
    return ""


def _imported(hooks: str, package: str, files: Mapping[str, bytes]) -> set[str]:
    """Return the paths of the modules that the module `hooks` imports, and of those that they import."""
    found, waiting = set[str](), [hooks]
    while waiting:
        path = waiting.pop()
        if path in files and path not in found:
            found.add(path)
            for module in _imports(path, package, files[path]):
                place = module.replace(".", "/")
                waiting += [f"{place}.py", f"{place}/__init__.py"]
    return found


def _imports(path: str, package: str, data: bytes) -> Iterator[str]:
    """Yield the full names of modules that the Python file at `path` may import from its package."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    above = PurePosixPath(path).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith(f"{package}."))
        elif isinstance(node, ast.ImportFrom):
            parts = above[: len(above) - node.level + 1] if node.level else ()
            module = ".".join([*parts, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{each.name}" for each in node.names)
