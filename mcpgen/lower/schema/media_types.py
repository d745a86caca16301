"""Decide how a media type is sent as a request body, and how as a string that contains bytes."""

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model import BodyEncoding

_JSON_LINES = frozenset(
    {
        "application/jsonl",
        "application/x-jsonlines",
        "application/x-ndjson",
        "application/ndjson",
        "application/json-seq",
    }
)


_TEXTUAL = ("yaml", "/graphql", "/sdp", "/sql", "/csv", "javascript", "/toml", "/rtf", "/x-sh", "/markdown")


def encoding_of(media_type: str) -> BodyEncoding:
    """Return how a body of a media type is written."""
    essence = media_type.partition(";")[0].strip().lower()
    if essence in ("*/*", "application/*") or essence.endswith(("/json", "+json")):
        return "json"
    if essence == "application/x-www-form-urlencoded":
        return "form"
    if essence.startswith("multipart/"):
        return "multipart"
    if essence.endswith(("/xml", "+xml")):
        return "xml"
    if essence in _JSON_LINES or essence.endswith("+json-seq"):
        return "jsonl"
    if essence.startswith("text/") or essence.endswith(_TEXTUAL):
        return "text"
    return "binary"


def is_file(node: JsonObject) -> bool:
    """Return True if a part of a form is a file: `format: binary` of OpenAPI 3.0, or a string with a binary media type
    of 3.1.
    """
    media_type = node.get("contentMediaType")
    return node.get("format") == "binary" or (
        isinstance(media_type, str) and encoding_of(media_type) == "binary" and "contentEncoding" not in node
    )
