"""Data type for the contents of a tools file. This module recognises a tools file without importing the readers of its
parts.
"""

from dataclasses import dataclass

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.model import Account, Api, Change, GivenVariable
from mcpgen.model.options import Options
from mcpgen.model.selection import Selector
from mcpgen.read.toolsfile.access import LoginChoice
from mcpgen.read.toolsfile.documents import IncludedDocument, PlacedText


@dataclass(frozen=True, slots=True)
class ToolsFile:
    """The contents of a tools file.

    `api`: the server with its handwritten tools. `documents`: API descriptions whose operations become further tools.
    `choices`: settings that could also be given as command-line flags. `variables` and `security`: positions in the
    file of the keys `server_var` and `security`. `login`: the operation that returns a credential. `pins`: tools that
    stay listed in a server with `--tools search`. `skills`: the unread value of the key `skills`, and its position.
    `workflows`: Arazzo documents. `given`: variables of server URLs that calls give. `accounts`: accounts
    of the API, if the server has several.
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
    login: LoginChoice | None = None
    pins: tuple[PlacedText, ...] = ()
    skills: tuple[JsonValue, Where] | None = None
    given: tuple[GivenVariable, ...] = ()
    accounts: tuple[Account, ...] = ()


def is_tools_file(value: JsonValue) -> bool:
    """Return True if a document has the key `mcpgen`, which marks a tools file."""
    return isinstance(value, dict) and "mcpgen" in value
