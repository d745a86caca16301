"""Find the files of a package that neither mcpgen wrote nor `hooks.py` imports, and refuse those that may be secrets.

Everything in the package is released, so a key file or a backup of an editor would be published.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from mcpgen.base.errors import FatalError
from mcpgen.base.secrets import holds_key, is_secret_name, without_secrets

_BACKUP = re.compile(r".*(?:~|\.(?:bak|orig|old|rej|save|sw[a-p]|tmp))|#.*#", re.IGNORECASE)
_KEY_FILE = re.compile(
    r".*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|env|tfstate|ovpn|htpasswd)|id_(?:rsa|dsa|ecdsa|ed25519)(?:\.\w+)?"
    r"|.*service[_-]?account.*\.json|kubeconfig|callers\.txt|wallet\.dat|_?netrc",
    re.IGNORECASE,
)
_LARGEST = 1_000_000
"""Limit on the bytes of a file that are searched for secrets. Key files are small."""


def other_files(package: str, files: Mapping[str, bytes], generated: Iterable[str]) -> tuple[str, ...]:
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
