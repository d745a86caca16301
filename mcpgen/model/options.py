"""The command-line options of a run, and how lock files and tools files state them."""

from dataclasses import dataclass, fields, replace
from typing import Any, get_args, get_type_hints

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.runtime import absent_parts
from mcpgen.model import SchemaProfile


@dataclass(frozen=True, slots=True)
class Options:
    """The command-line flags that decide what is compiled, each under its own name.

    `ref_dir`, `overlay` and `workflow_files` (Arazzo documents): paths. `max_tokens`: limit for one tool's definition.
    `accept_origin`: URLs whose origins may receive calls and credentials. `allow_redirect`: HOST or HOST:PORT.
    `security`: `none` for an API without credentials. `fetch_header`: NAME=VARIABLE for the request that fetches
    SOURCE. `fetch_cert` and `fetch_key`: variables that name the files of a client certificate for that request.
    `deploy`: True to write deployment files as well. `tools`: `all` to list all tools, `search` to list only tools that
    find and call them. `programs`: which tools a program written by a model may call (`none`, `reads`, `all`). `parts`:
    parts that the server gets beside those that its document needs; also `all`, or `none` to forget the parts of
    earlier runs. Flags that were not given are None, empty or False.
    """

    name: str | None = None
    base_url: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ref_dir: tuple[str, ...] = ()
    allow_redirect: tuple[str, ...] = ()
    body_type: tuple[str, ...] = ()
    server_var: tuple[str, ...] = ()
    overlay: tuple[str, ...] = ()
    workflow_files: tuple[str, ...] = ()
    schema_profile: SchemaProfile | None = None
    max_tokens: int | None = None
    structured: bool = False
    fields: bool = False
    optional_bodies: bool = False
    lookups: bool = False
    views: bool = False
    accept_origin: tuple[str, ...] = ()
    security: str | None = None
    fetch_header: tuple[str, ...] = ()
    fetch_cert: str | None = None
    fetch_key: str | None = None
    deploy: bool = False
    tools: str | None = None
    programs: str | None = None
    parts: tuple[str, ...] = ()

    def over(self, remembered: "Options") -> "Options":
        """Return these options. Options that were not given are taken from `remembered`.

        The accepted origins of both are combined, and so are the parts.
        """
        origins = tuple(dict.fromkeys((*remembered.accept_origin, *self.accept_origin)))
        together = {"accept_origin": origins, "parts": _parts(remembered.parts, self.parts)}
        return replace(remembered, **{key: getattr(self, key) for key in recorded(self)} | together)


PARTS = absent_parts.PARTS
"""Names of the parts of a server that its owner can choose."""

ALL_PARTS, NO_PARTS = "all", "none"
"""Further values of `parts`: every part, and no part but those that the document and the other flags need."""


def _parts(before: tuple[str, ...], named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts of earlier runs with those `named` now. `all` and `none` replace the parts of earlier runs, and
    any name replaces an earlier `all`.
    """
    if not named or ALL_PARTS in named:
        return named or before
    kept = () if NO_PARTS in named or ALL_PARTS in before else before
    return tuple(sorted({*kept, *named} - {NO_PARTS})) or (NO_PARTS,)


SURFACES = ("all", "search")
"""Values of `tools`: a server lists all tools, or tools that find and call them."""

PROGRAMS = ("none", "reads", "all")
"""Values of `programs`: which tools a program written by a model may call, in a server with a search."""

MOST_PINNED = 8

_DEFAULTS = Options()
_WORDS = {
    "schema_profile": get_args(SchemaProfile),
    "security": ("none",),
    "tools": SURFACES,
    "programs": PROGRAMS,
}
_TYPES = get_type_hints(Options)


def recorded(options: Options) -> JsonObject:
    """Return flag → value for the options that were given, as the lock file holds them.

    `read_options` reads them back.
    """
    given = {field.name: getattr(options, field.name) for field in fields(Options)}
    return {
        key: list[JsonValue](value) if isinstance(value, tuple) else value
        for key, value in given.items()
        if value != getattr(_DEFAULTS, key)
    }


def _is_meant(key: str, written: JsonValue) -> bool:
    """Return True if `written` is a valid value of the flag `key`: one of its words, or a value of its type; a number
    is positive.
    """
    if key in _WORDS:
        return written in _WORDS[key]
    kind = _TYPES.get(key)
    return type(written) in (kind, *get_args(kind)) and (type(written) is not int or written > 0)


def read_options(value: JsonValue) -> Options:
    """Return the options that a lock file records, or that a tools file sets. Invalid values are ignored: people write
    tools files, and merge lock files by hand.
    """
    found: dict[str, Any] = {}
    for key, written in as_object(value).items():
        if getattr(_DEFAULTS, key, None) == ():
            found[key] = tuple(entry for entry in as_list(written) if isinstance(entry, str))
        elif _is_meant(key, written):
            found[key] = written
    return replace(_DEFAULTS, **found)
