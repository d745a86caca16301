"""Data type for the contents of a tools file. This module recognises a tools file without importing the readers of its
parts. It reads the keys that have the meaning of command-line flags.
"""

from dataclasses import dataclass, fields

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object
from mcpgen.base.names import clipped
from mcpgen.model import Account, Api, Change, GivenVariable
from mcpgen.model.options import ALL_PARTS, Options, read_options
from mcpgen.model.selection import Selector
from mcpgen.read.document import Document
from mcpgen.read.toolsfile.access import LoginChoice
from mcpgen.read.toolsfile.documents import IncludedDocument, PlacedText, named
from mcpgen.read.toolsfile.schema_check import schema

_ELSEWHERE = ("base_url", "include", "exclude")
"""Keys with the names of flags that other modules read, because messages need the places of their values."""

_OF_SERVER = ("tools", "programs")
"""Keys of `server` that have the meaning of flags. `tools` at the root is the list of handwritten tools."""


@dataclass(frozen=True, slots=True)
class ToolsFile:
    """The contents of a tools file.

    `api`: the server with its handwritten tools. `documents`: API descriptions whose operations become further tools.
    `choices`: settings that could also be given as command-line flags. `variables` and `security`: positions in the
    file of the keys `server_var` and `security`. `login`: the operation that returns a credential. `pins`: tools that
    stay listed in a server with `--tools search`. `workflows`: Arazzo documents. `given`: variables of server URLs that
    calls give. `accounts`: accounts of the API, if the server has several. `unread`: the whole file, for passes that
    read keys of their own, and `where`: its position.
    """

    api: Api
    documents: tuple[IncludedDocument, ...]
    overlays: tuple[PlacedText, ...]
    workflows: tuple[PlacedText, ...]
    body_types: tuple[PlacedText, ...]
    include: tuple[Selector, ...]
    exclude: tuple[Selector, ...]
    changes: tuple[Change, ...]
    choices: Options
    variables: Where
    security: Where
    unread: JsonObject
    where: Where
    login: LoginChoice | None = None
    pins: tuple[PlacedText, ...] = ()
    given: tuple[GivenVariable, ...] = ()
    accounts: tuple[Account, ...] = ()


def is_tools_file(value: JsonValue) -> bool:
    """Return True if a document has the key `mcpgen`, which marks a tools file."""
    return isinstance(value, dict) and "mcpgen" in value


# -- flags -------------------------------------------------------------------------------------------------------------


def read(root: JsonObject, where: Where, diagnostics: Diagnostics) -> Options:
    """Return the values of the keys that are named like command-line flags.

    Missing keys count as flags that were not given. Paths are returned as written.
    """
    server = as_object(root.get("server"))
    variables = as_object(root.get("server_var")).items()
    for name, value in variables:
        if not name or "=" in name or value == "":
            message = "A variable of a server URL needs a value, and a name that contains no `=`."
            diagnostics.add("invalid-value", message, where.inside("server_var", name), "Write NAME: VALUE.")
    for index, url in enumerate(as_list(root.get("accept_origin"))):
        if isinstance(url, str) and url and not origins.is_origin(origins.of_url(url)):
            place = where.inside("accept_origin", index)
            message = f"'{clipped(url)}' is not an origin (scheme, host and port)."
            diagnostics.add("invalid-value", message, place, "Write an origin as in https://login.example.com.")
    flags = {field.name for field in fields(Options)} & as_object(schema()["properties"]).keys()
    chosen: JsonObject = {key: root[key] for key in flags.difference(_ELSEWHERE) if key in root}
    chosen |= {key: server[key] for key in _OF_SERVER if key in server}
    parts: list[JsonValue] = [ALL_PARTS] if root.get("parts") == ALL_PARTS else as_list(root.get("parts"))
    chosen["parts"] = [*parts, "http"] if server.get("http") is True else parts
    chosen["server_var"] = [
        f"{name}={value}" for name, value in variables if isinstance(value, str) and value and "=" not in name
    ]
    return read_options(chosen)


def folders(document: Document) -> tuple[PlacedText, ...]:
    """Return the folders listed under `ref_dir`. They must be known before references in the file are resolved."""
    return named(as_object(document.value), "ref_dir", document.where(""))
