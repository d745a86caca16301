"""Read the flags of openapi-mcp-generator, as `index.js` of 3.3.0 and 4.0.1 does, and derive the names of its tools.

The rules of names come from `parser/extract-tools.js` and `utils/code-gen.js`. Versions 4.x and 3.x treat long names
and repeated names differently.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha1
from itertools import count
from math import ceil

from mcpgen.adopt.foreign import (
    CHECKS_CERTIFICATES,
    Described,
    Filters,
    ForeignServer,
    Naming,
    Remark,
    listens_over_http,
)
from mcpgen.adopt.operations import RawOperation
from mcpgen.adopt.programs import flags
from mcpgen.adopt.programs.flags import Arity
from mcpgen.base.diagnostics import Where

_SHORTEST = 8
_HASH_LENGTH = 6
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

_FLAGS: dict[str, Arity] = {
    **dict.fromkeys(
        [
            "input", "output", "server-name", "server-version", "base-url", "transport", "port", "default-include",
            "max-tool-name-length", "header-passthrough",
        ],
        "value",
    ),
    **dict.fromkeys(
        ["allow-external-refs", "insecure", "generate-lib", "custom-auth", "oauth-creds-in-body", "force"], "switch"
    ),
}  # fmt: skip
_SHORT = {
    "-i": "input",
    "-o": "output",
    "-n": "server-name",
    "-v": "server-version",
    "-b": "base-url",
    "-t": "transport",
    "-p": "port",
    "-k": "insecure",
}
_REMARKS = {
    "insecure": CHECKS_CERTIFICATES,
    "custom-auth": "src/auth.ts contains your own code. Write its effect as a hook in hooks.py.",
    "header-passthrough": (
        "The new server does not forward its callers' headers to the API; see 'Call the API as the user' in the "
        "documentation."
    ),
    "allow-external-refs": "mcpgen does not follow references to URLs. Keep the files in the document's folder.",
    "oauth-creds-in-body": (
        "To fetch tokens, the new server sends the client id and secret in the Authorization header, not in the body."
    ),
}


def read(words: Sequence[str], environ: Mapping[str, str], where: Where | None) -> ForeignServer:
    """Return the server that a command line of openapi-mcp-generator generates."""
    settings = flags.read(words, _FLAGS, _SHORT, environ, {}, where)
    remarks = [*settings.remarks]
    remarks += [Remark(text, where) for flag, text in _REMARKS.items() if settings.texts(flag)]
    if settings.text("transport") in ("web", "streamable-http"):
        remarks.append(listens_over_http(settings.text("port"), "3000", where))
    longest = settings.text("max-tool-name-length")
    excluded = settings.text("default-include").strip().lower() in ("false", "0", "no", "off")
    return ForeignServer(
        "openapi-mcp-generator",
        (Described(settings.text("input"), settings.text("base-url"), None, where=where),),
        settings.text("server-name"),
        filters=Filters(by_default=not excluded),
        naming=Naming(int(longest) if longest.isdecimal() and int(longest) else 64),
        remarks=tuple(remarks),
    )


# -- names of tools ----------------------------------------------------------------------------------------------------


def assign(operations: Iterable[RawOperation], longest: int) -> list[tuple[RawOperation, str]]:
    """Return each operation with the name that version 4.x of openapi-mcp-generator gives, of at most `longest`
    characters.
    """
    longest = max(longest, _SHORTEST)
    return _assigned(
        operations, lambda name: _shortened(name, longest), lambda base, name: _hashed(base, name, longest)
    )


def assign_former(operations: Iterable[RawOperation]) -> list[tuple[RawOperation, str]]:
    """Return each operation with the name that version 3.x of openapi-mcp-generator gives."""
    return _assigned(operations, lambda name: name, lambda base, name: (f"{base}_{number}" for number in count(1)))


def _assigned(
    operations: Iterable[RawOperation],
    shorten: Callable[[str], str],
    others: Callable[[str, str], Iterable[str]],
) -> list[tuple[RawOperation, str]]:
    used: set[str] = set()
    found = []
    for operation in operations:
        name = re.sub(r"[^a-zA-Z0-9_-]", "_", operation.id or _derived(operation))
        base = shorten(name)
        final = base if base not in used else next(each for each in others(base, name) if each not in used)
        used.add(final)
        found.append((operation, final))
    return found


def _hashed(base: str, name: str, longest: int) -> Iterable[str]:
    for attempt in count():
        suffix = "_" + sha1(f"{name}#{attempt}".encode(), usedforsecurity=False).hexdigest()[:_HASH_LENGTH]
        yield base[: max(1, longest - len(suffix))] + suffix


def _derived(operation: RawOperation) -> str:
    """Return the name for an operation without an operationId: `get /users/{id}/posts` gives `GetUsersPosts`."""
    parts = [part for part in operation.path.split("/") if part]
    name = operation.method.lower()
    for index, part in enumerate(parts):
        if not (part.startswith("{") and part.endswith("}")):
            name += _title(part)
        elif index == len(parts) - 1:
            name += "By" + _title(part)
    name += "Root" if name == operation.method.lower() else ""
    return name[:1].upper() + name[1:]


def _title(text: str) -> str:
    joined = re.sub(r"[-_/](.)", lambda found: found[1].upper(), text.lower())
    bare = joined.removeprefix("{").removesuffix("}")
    return bare[:1].upper() + bare[1:]


def _shortened(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    shorter = _abbreviated(name)
    if len(shorter) <= longest and shorter != name:
        return shorter
    return _cut(shorter if len(shorter) < len(name) else name, longest)


def _abbreviated(name: str) -> str:
    segments = [segment for segment in re.split(r"[_-]+", name) if segment]
    words = [word for segment in segments for word in (_WORDS.findall(segment) or [segment])]
    if len(words) <= 1:
        return name
    return "_".join([words[0], *(word if len(word) <= 3 else word[:4] for word in words[1:])])


def _cut(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    suffix = "_" + sha1(name.encode(), usedforsecurity=False).hexdigest()[:_HASH_LENGTH]
    room = longest - len(suffix)
    if room - 2 < 4:
        return f"{name[: max(1, room)]}{suffix}"[:longest]
    head = ceil((room - 2) * 0.6)
    tail = room - 2 - head
    return f"{name[:head]}__{name[len(name) - tail :] if tail > 0 else ''}{suffix}"[:longest]
