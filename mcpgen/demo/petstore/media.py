"""Create pictures, sounds and archives for the seed data, and detect the type of uploads. The bytes are the same on
every machine.
"""

from __future__ import annotations

import json
import struct
import wave
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zipfile import ZipFile, ZipInfo

_PAW = (
    "................", "....##...##.....", "...####.####....", "...####.####....", "...####.####....",
    ".#..##...##..#..", "###.........###.", "###...###...###.", ".##..#####..##..", "....#######.....",
    "...#########....", "...#########....", "....###.###.....", "................",
)  # fmt: skip
_PAPER = bytes((250, 247, 240))
_SCALE = 4


def paw(colour: tuple[int, int, int]) -> bytes:
    """Return a PNG picture of a one-coloured paw on an off-white ground: 64 by 56 pixels, a palette of two colours."""
    rows = [
        int("".join("01"[dot == "#"] * _SCALE for dot in line), 2).to_bytes(8) for line in _PAW for _ in range(_SCALE)
    ]
    header = struct.pack(">IIBBBBB", len(_PAW[0]) * _SCALE, len(rows), 1, 3, 0, 0, 0)
    # Level 0 stores uncompressed: compressed bytes differ between builds of zlib.
    pixels = zlib.compress(b"".join(b"\x00" + row for row in rows), 0)
    chunks = ((b"IHDR", header), (b"PLTE", _PAPER + bytes(colour)), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def tone(hertz: int) -> bytes:
    """Return a quarter of a second of a falling triangle wave: WAV, 8 kHz, 8 bits, mono."""
    rate, count = 8000, 2000
    samples = bytes(
        128 + (abs(n * hertz * 4 % (4 * rate) - 2 * rate) - rate) * 100 * (count - n) // (rate * count)
        for n in range(count)
    )
    stream = BytesIO()
    with wave.open(stream, "wb") as sound:
        sound.setparams((1, 1, rate, count, "NONE", "not compressed"))
        sound.writeframes(samples)
    return stream.getvalue()


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive of these files, uncompressed, all with the same date."""
    stream = BytesIO()
    with ZipFile(stream, "w") as bundle:
        for name, data in files.items():
            entry = ZipInfo(name, (2026, 2, 1, 9, 0, 0))
            entry.create_system = 3  # Unix: by default, this byte of the archive would depend on the operating system
            bundle.writestr(entry, data)
    return stream.getvalue()


def document(value: Any) -> bytes:
    """Return a JSON value, indented for readers, as the bytes of a file."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def picture_type(data: bytes) -> str | None:
    """Return the content type of a picture by its first bytes, or None if it is neither PNG nor JPEG."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    return "image/jpeg" if data.startswith(b"\xff\xd8\xff") else None


def is_wav(data: bytes) -> bool:
    """Return True if these bytes begin as a WAV file does."""
    return data[:4] == b"RIFF" and data[8:12] == b"WAVE"
