"""Decide how a media type is sent as a request body, and which strings contain the bytes of a file."""

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.model import BodyEncoding
from mcpgen.read.openapi.parameters import is_json

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
    """Return how a request body with this media type is serialized, such as `json` or `multipart`."""
    essence = media_type.partition(";")[0].strip().lower()
    if essence in ("*/*", "application/*") or is_json(essence):
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
    """Return True if a part of a form is a file.

    It is a file if it has `format: binary` (OpenAPI 3.0), or is a string with a binary media type (OpenAPI 3.1).
    """
    media_type = node.get("contentMediaType")
    return node.get("format") == "binary" or (
        isinstance(media_type, str) and encoding_of(media_type) == "binary" and "contentEncoding" not in node
    )
