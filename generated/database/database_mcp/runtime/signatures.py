# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What the first bytes of a file say of its type (WHATWG MIME Sniffing, 6). Pure.

An image that is none, or of a type that a client does not take, ends the conversation of some clients: their model's
provider refuses it in every request from then on. So a label counts as far as the bytes agree.
"""

from __future__ import annotations

OCTETS = "application/octet-stream"

#: First bytes, what stands at the ninth byte, and the type.
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
    (b"PK\x03\x04", b"", "application/zip"),
    (b"\x1f\x8b", b"", "application/gzip"),
)
_MPEG_FRAMES = (b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2")
"""How MP3 without tags begins. Two bytes are little, so they count for what is called audio alone."""

#: What models and the clients between take as an image or a sound.
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
"""Other names of these types. Content that begins otherwise is none of them."""


def type_of(content: bytes) -> str:
    """Return the media type that the first bytes show; "" for what has no signature here."""
    for start, ninth, kind in _SIGNATURES:
        if content.startswith(start) and content[8 : 8 + len(ninth)] == ninth:
            return kind
    return ""


def settled(label: str, content: bytes) -> str:
    """Return the media type of content that is labelled as an image or a sound: that of its bytes.

    A label without a signature here, such as image/avif, is taken at its word unless the bytes show something else.
    """
    family = label.partition("/")[0]
    shown = type_of(content) or ("audio/mpeg" if family == "audio" and content[:2] in _MPEG_FRAMES else "")
    if shown.partition("/")[0] == family:
        return shown
    return OCTETS if shown or label in _SHOWN or label in _ALSO else label
