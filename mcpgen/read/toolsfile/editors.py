"""Help editors to complete and check a tools file: the schema of its format, and a first line that points to the
schema.

The schema is a file beside each tools file that mcpgen writes, named by a relative path. So it works without a network,
in a moved folder, and for the version of mcpgen that wrote it. VS Code's YAML extension, every editor with
yaml-language-server, and JetBrains' IDEs read the line.
"""

from mcpgen.base.jsonvalue import as_text
from mcpgen.read.toolsfile import schema_check

NAME = "mcpgen.schema.json"
"""Name of the schema file beside a tools file."""


# The schema's `$id` is a URN, because a web address would promise that a site serves the schema. Editors find it by the
# relative path. It uses only keywords of draft-07, because many editors support no later draft.
def line(name: str = NAME) -> str:
    """Return the first line of a tools file, which points to the schema file `name` beside it."""
    return f"# yaml-language-server: $schema={name}"


def schema_file() -> bytes:
    """Return the JSON Schema of the tools file, as it is published."""
    return schema_check.published().encode()


def is_schema_file(data: bytes) -> bool:
    """Return True if `data` is the schema of the tools file, as written by this or another version of mcpgen."""
    return as_text(schema_check.schema().get("$id")).encode() in data[:500]
