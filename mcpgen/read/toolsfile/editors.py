"""What editors need to complete and check a tools file: the schema of the format, and the line that points to it.

The schema stands as a file beside each tools file that we write, and the line names it by a relative path. That works
without a network, in a folder that was moved, and for the version that wrote it. VS Code's YAML extension and every
editor with yaml-language-server read the line, JetBrains' IDEs too.
"""

from mcpgen.base.jsonvalue import as_text
from mcpgen.read.toolsfile import schema_check

NAME = "mcpgen.schema.json"
"""What the schema is called beside a tools file."""


# Decision 0130: The schema of the tools file has a URN as its id.
def line(name: str = NAME) -> str:
    """The first line of a tools file, where the schema is the file `name` beside it."""
    return f"# yaml-language-server: $schema={name}"


def schema_file() -> bytes:
    """The JSON Schema of the tools file, as it is published."""
    return schema_check.PATH.read_bytes()


def is_schema_file(data: bytes) -> bool:
    """Whether `data` is that schema as this or another version of mcpgen wrote it."""
    return as_text(schema_check.schema().get("$id")).encode() in data[:500]
