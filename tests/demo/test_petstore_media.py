"""Test photos, sounds and archives of the petstore: they are valid files, and have the same bytes after upload and
download.
"""

from __future__ import annotations

import struct
import wave
import zipfile
import zlib
from io import BytesIO

import pytest

from mcpgen.demo import petstore
from tests.demo.exchange import call, get, of_parts
from tests.demo.petstore_cases import FILE, PNG, WAV, of_wav


def test_a_photo_comes_back_as_it_was_sent(running: petstore.Running) -> None:
    data = PNG + b"\r\n--almost\r\n"
    metadata = b'{"taken_at": "2026-01-20T10:00:00Z", "public": false}'
    parts = of_parts(
        ('name="caption"', "", "Flöckchen frißt".encode()),
        ('name="metadata"', "application/json", metadata),
        ('name="file"; filename="mö \\"x\\".png"', "image/png", data),
    )
    photo = call(running.url, "POST", "/pets/3/photos", parts)
    assert photo.json() == {
        "id": 3,
        "pet_id": 3,
        "content_type": "image/png",
        "file_name": 'mö "x".png',
        "size": len(data),
        "caption": "Flöckchen frißt",
        "metadata": {"taken_at": "2026-01-20T10:00:00Z", "public": False},
        "created_at": "2026-02-01T09:00:01Z",
    }
    assert photo.headers["location"] == "/v1/photos/3"
    assert call(running.url, "GET", "/photos/3").body == data
    assert get(running.url, "/pets/3")["photo_ids"] == [3]


def test_a_jpeg_is_told_from_a_png(running: petstore.Running) -> None:
    data = b"\xff\xd8\xff\xe0 and so on"
    call(running.url, "POST", "/pets/3/photos", of_parts((FILE, "image/jpeg", data)))
    received = call(running.url, "GET", "/photos/3")
    assert (received.media, received.body) == ("image/jpeg", data)


@pytest.mark.parametrize(
    ("part", "status", "words"),
    [
        (('name="file"', "image/png", PNG), 422, "must be a file: give the part a file name"),
        ((FILE, "application/octet-stream", PNG), 422, "must have the content type image/png or image/jpeg"),
        (('name="caption"; filename="c.txt"', "text/plain", b"x"), 400, "has caption as a file"),
        (('name="metadata"', "", b"{}"), 400, "has metadata as text/plain, and it must be application/json"),
        (('name="metadata"', "application/json", b"{"), 400, "has a part metadata that is not JSON"),
        (('name="picture"; filename="a.png"', "image/png", PNG), 422, "is not a part of a photo"),
        (("", "image/png", PNG), 400, "is not multipart: a part has no Content-Disposition"),
    ],
)
def test_a_wrong_part_is_named(
    running: petstore.Running, part: tuple[str, str, bytes], status: int, words: str
) -> None:
    received = call(running.url, "POST", "/pets/3/photos", of_parts(part))
    assert (received.status, words in received.body.decode()) == (status, True)
    assert len(running.store.rows("photos")) == 2


def _chunks(png: bytes) -> dict[bytes, bytes]:
    """Return the data of the chunks of a PNG by name, after a check of their checksums."""
    found, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + data),)
        found[kind], at = data, at + 12 + length
    return found


def test_the_seeded_photo_is_a_png(running: petstore.Running) -> None:
    chunks = _chunks(call(running.url, "GET", "/photos/1").body)
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    assert len(zlib.decompress(chunks[b"IDAT"])) == 56 * (1 + 64 // 8)


def test_the_seeded_sound_is_a_recording(running: petstore.Running) -> None:
    with wave.open(BytesIO(call(running.url, "GET", "/pets/1/sound").body)) as sound:
        assert (sound.getnframes(), sound.getframerate()) == (2000, 8000)


def test_a_sound_is_replaced(running: petstore.Running) -> None:
    assert call(running.url, "PUT", "/pets/5/sound", of_wav(WAV)).status == 204
    assert call(running.url, "GET", "/pets/5/sound").body == WAV


def test_a_dossier_has_all_about_a_pet(running: petstore.Running) -> None:
    received = call(running.url, "GET", "/pets/1/dossier")
    assert received.headers["content-disposition"] == 'attachment; filename="pet-1.zip"'
    with zipfile.ZipFile(BytesIO(received.body)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["pet.json", "events.json", "notes.txt", "photos/1.png"]
        assert archive.read("photos/1.png") == call(running.url, "GET", "/photos/1").body
