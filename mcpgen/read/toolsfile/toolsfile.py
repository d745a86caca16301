"""`ToolsFile`: what a tools file says. To know one from an API description takes none of its readers."""

from dataclasses import dataclass

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.model import Api, Change
from mcpgen.model.options import Options
from mcpgen.model.selection import Selector
from mcpgen.read.toolsfile.documents import Included, Named
from mcpgen.read.toolsfile.logins import LoginChoice


@dataclass(frozen=True, slots=True)
class ToolsFile:
    """What a tools file says. `api` is the server with the tools that are written by hand, `documents` where others
    come from. `choices` are flags that it stands for; `variables` is where those of server URLs stand,
    `security` where the schemes do; `login` is where a credential comes from.
    """

    api: Api
    documents: tuple[Included, ...]
    overlays: tuple[Named, ...]
    body_types: tuple[Named, ...]
    include: tuple[Selector, ...]
    exclude: tuple[Selector, ...]
    changes: tuple[Change, ...]
    choices: Options
    variables: Where
    security: Where
    login: LoginChoice | None = None


def is_tools_file(value: JsonValue) -> bool:
    """Whether a document calls itself a tools file."""
    return isinstance(value, dict) and "mcpgen" in value
