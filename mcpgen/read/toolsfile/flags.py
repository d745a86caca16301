"""Read the keys of the tools file that have the meaning of command-line flags.

Invalid values are skipped here; `schema_check` has already reported them.
"""

from typing import get_args

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import clipped
from mcpgen.model import SchemaProfile
from mcpgen.model.options import PROGRAMS, SURFACES, Options
from mcpgen.read.document import Document
from mcpgen.read.toolsfile.documents import PlacedText, named

_PROFILES: dict[str, SchemaProfile] = {word: word for word in get_args(SchemaProfile)}


def read(root: JsonObject, where: Where, diagnostics: Diagnostics) -> Options:
    """Return the values of the keys that are named like command-line flags, from `ref_dir` to `max_tokens`.

    Missing keys count as flags that were not given. Paths are returned as written.
    """
    profile, most = root.get("schema_profile"), root.get("max_tokens")
    # The key is under `server`, because `tools` at the root is the list of handwritten tools.
    server = as_object(root.get("server"))
    variables = as_object(root.get("server_var")).items()
    for name, value in variables:
        if not name or "=" in name or value == "":
            message = "A variable of a server URL needs a value, and a name that contains no `=`."
            diagnostics.add("invalid-value", message, where.inside("server_var", name), "Write NAME: VALUE.")
    for index, url in enumerate(texts(root, "accept_origin")):
        if not origins.is_origin(origins.of_url(url)):
            place = where.inside("accept_origin", index)
            message = f"'{clipped(url)}' is not an origin (scheme, host and port)."
            diagnostics.add("invalid-value", message, place, "Write an origin as in https://login.example.com.")
    return Options(
        ref_dir=texts(root, "ref_dir"),
        body_type=texts(root, "body_type"),
        server_var=tuple(
            f"{name}={value}" for name, value in variables if isinstance(value, str) and value and "=" not in name
        ),
        schema_profile=_PROFILES.get(profile) if isinstance(profile, str) else None,
        accept_origin=texts(root, "accept_origin"),
        optional_bodies=root.get("optional_bodies") is True,
        security="none" if root.get("security") == "none" else None,
        max_tokens=most if isinstance(most, int) and not isinstance(most, bool) and most > 0 else None,
        tools=_word(server.get("tools"), SURFACES),
        programs=_word(server.get("programs"), PROGRAMS),
    )


def _word(value: JsonValue, known: tuple[str, ...]) -> str | None:
    """Return the value if it is one of the `known` words, else None."""
    return value if isinstance(value, str) and value in known else None


def folders(document: Document) -> tuple[PlacedText, ...]:
    """Return the folders listed under `ref_dir`. They must be known before references in the file are resolved."""
    return named(as_object(document.value), "ref_dir", document.where(""))


def texts(root: JsonObject, key: str) -> tuple[str, ...]:
    """Return the texts in the list under `key`."""
    return tuple(text for text in as_list(root.get(key)) if isinstance(text, str) and text)
