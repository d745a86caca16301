"""Parse bytes as JSON or YAML into a `Document`."""

from mcpgen.base.conflict_marks import conflict_line
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.read.document import budgets, json_text
from mcpgen.read.document.document import Document
from mcpgen.read.document.memory import Memory
from mcpgen.read.document.web_page import refuse_page


def load(name: str, data: bytes, diagnostics: Diagnostics, memory: Memory | None = None) -> Document:
    """Parse `data` as JSON, else as YAML, and return the document.

    Raises FatalError with a place if it is neither, or if it exceeds a limit or the remaining `memory`.
    """
    memory = memory or Memory()
    text = _decode(name, data)
    memory.take_text(name, data, text)
    document = _read(name, text, diagnostics, memory.nodes_left)
    memory.take_nodes(document.nodes)
    return document


def _read(name: str, text: str, diagnostics: Diagnostics, most_nodes: int) -> Document:
    looks_like_json = text.lstrip()[:1] in ("{", "[")
    if looks_like_json:
        try:
            nodes = json_text.count_nodes(text, name, most_nodes)
            return Document(name, json_text.parse(text, name, diagnostics), text, nodes=nodes)
        except json_text.NotJson as not_json:
            failure = not_json
    refuse_page(name, text)
    from mcpgen.read.document import yaml_text  # imported late: takes a quarter of the start-up

    try:
        composed = yaml_text.compose(text, name, diagnostics, most_nodes)
        return Document(name, composed.value, text, composed.outline, composed.nodes)
    except FatalError:
        if line := conflict_line(text):
            message = "The text contains conflict marks of a merge."
            raise FatalError("syntax", message, Where(name, "", line, 1), "Resolve the merge in this file.") from None
        if looks_like_json:
            raise FatalError("syntax", failure.message, failure.where, "Correct the JSON at this place.") from None
        raise


def _decode(name: str, data: bytes) -> str:
    if len(data) > budgets.BYTES:
        raise FatalError(
            "too-large",
            f"The source is {len(data):,} bytes long; mcpgen accepts at most {budgets.BYTES:,} bytes.",
            Where(name),
            "Split the document, or remove what you do not need.",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise FatalError(
            "not-text", "The source is not UTF-8 text.", Where(name, "", line, column), "Save the file as UTF-8."
        ) from None
    if not text.strip():
        raise FatalError(
            "syntax", "The source is empty.", Where(name, "", 1, 1), "Name a file that holds an API description."
        )
    return text
