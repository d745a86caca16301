# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""File signatures: the media type that the first bytes of a file indicate (WHATWG MIME Sniffing, 6). Pure functions.

An image block with invalid data or an unsupported type ends the conversation in some clients: the client sends the
block again in every later request, and the model provider refuses each. So a declared type is used only if the bytes
agree.
"""

from __future__ import annotations

OCTETS = "application/octet-stream"
_ZIP = "application/zip"

#: Tuples of first bytes, bytes from the ninth on, and media type
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", b"", "image/png"),
    (b"\xff\xd8\xff", b"", "image/jpeg"),
    (b"GIF87a", b"", "image/gif"),
    (b"GIF89a", b"", "image/gif"),
    (b"RIFF", b"WEBP", "image/webp"),
    (b"II*\0", b"", "image/tiff"),
    (b"MM\0*", b"", "image/tiff"),
    (b"RIFF", b"WAVE", "audio/wav"),
    (b"ID3", b"", "audio/mpeg"),
    (b"OggS", b"", "audio/ogg"),
    (b"fLaC", b"", "audio/flac"),
    (b"%PDF-", b"", "application/pdf"),
    (b"PK\x03\x04", b"", _ZIP),
    (b"\x1f\x8b", b"", "application/gzip"),
)
_MPEG_FRAMES = (b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2")
"""First bytes of MP3 files without tags.

Two bytes prove little, so they are used only for content declared as audio.
"""

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
_EXTENSIONS = {
    "avif": "image/avif",
    "bmp": "image/bmp",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": _OFFICE + "wordprocessingml.document",
    "epub": "application/epub+zip",
    "gif": "image/gif",
    "gz": "application/gzip",
    "heic": "image/heic",
    "htm": "text/html",
    "html": "text/html",
    "ics": "text/calendar",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "m4a": "audio/mp4",
    "md": "text/markdown",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "odp": _OPEN + "presentation",
    "ods": _OPEN + "spreadsheet",
    "odt": _OPEN + "text",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": _OFFICE + "presentationml.presentation",
    "rtf": "application/rtf",
    "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "vcf": "text/vcard",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
    "xls": "application/vnd.ms-excel",
    "xlsx": _OFFICE + "spreadsheetml.sheet",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": _ZIP,
}
"""Media types by file name extension. The system's table is not used, since it differs between machines."""

#: Image and audio types that models and MCP clients accept
TAKEN = frozenset(
    (
        *("image/png", "image/jpeg", "image/gif", "image/webp"),
        *("audio/wav", "audio/mpeg", "audio/ogg", "audio/flac"),
    )
)
_SHOWN = TAKEN | {"image/tiff"}
_ALSO = frozenset(
    (
        *("image/jpg", "image/pjpeg", "image/x-png", "audio/mp3", "audio/x-mp3", "audio/x-mpeg", "audio/vorbis"),
        *("audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/x-flac", "audio/opus"),
    )
)
"""Other names of the types in _SHOWN. Content with other first bytes has none of these types, whatever was declared."""


# Declared media types are often wrong, and some clients end a conversation at an image block without a valid image.
def type_of(content: bytes) -> str:
    """Return the media type that the first bytes indicate, or "" if no signature matches."""
    for start, ninth, kind in _SIGNATURES:
        if content.startswith(start) and content[8 : 8 + len(ninth)] == ninth:
            return kind
    return ""


def type_of_file(content: bytes, name: str) -> str:
    """Return the media type of a file: by its first bytes, else by the extension of its name, else "".

    If the bytes are those of a ZIP file, the extension decides, since many formats are ZIP files.
    """
    shown = type_of(content)
    named = _EXTENSIONS.get(name.rpartition(".")[2].lower(), "") if "." in name else ""
    return named if named and shown in ("", _ZIP) else shown


def settled(label: str, content: bytes) -> str:
    """Return the actual media type of content that was declared as image or audio.

    The first bytes decide. If the declared type `label` has no known signature, such as image/avif, it is returned
    unless the bytes indicate another type.
    """
    family = label.partition("/")[0]
    shown = type_of(content) or ("audio/mpeg" if family == "audio" and content[:2] in _MPEG_FRAMES else "")
    if shown.partition("/")[0] == family:
        return shown
    return OCTETS if shown or label in _SHOWN or label in _ALSO else label
