"""Test multipart bodies whose parts have positions: a raw socket gets them, and the standard library reads them."""

from __future__ import annotations

import base64
import email
import email.policy
import shutil
from email.message import EmailMessage
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.functional.test_redirects import Site, told
from tests.runtime.process import Server

DOCUMENT = Path(__file__).parents[1] / "cases" / "openapi_3_2" / "multipart_items" / "openapi.yaml"
KINDS = ("text/markdown", "text/plain", "text/plain")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    shutil.copy(DOCUMENT, folder / "t.yaml")
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "t.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


def messages(asked: str) -> EmailMessage:
    """Return the body of a request as the standard library reads it."""
    head, _, body = asked.partition("\r\n\r\n")
    [kind] = [line for line in head.split("\r\n") if line.startswith("Content-Type: ")]
    return email.message_from_bytes(f"{kind}\r\n\r\n{body}".encode("latin-1"), policy=email.policy.HTTP)


def parts(asked: str) -> tuple[str, list[tuple[str, str | None, str]]]:
    """Return the type of a body, and of each of its parts the type, the disposition and the content."""
    message, found = messages(asked), []
    for each in message.iter_parts():
        content = each.get_payload(decode=True)
        assert isinstance(content, bytes)
        found.append((each.get_content_type(), each["Content-Disposition"], content.decode()))
    return message.get_content_type(), found


def test_each_item_is_a_part_by_its_position(project: Path, tmp_path: Path) -> None:
    api = Site("127.0.0.1")
    (tmp_path / "bird.jpeg").write_text("picture")
    environ = {"T_BASE_URL": api.url, "T_FILES_DIR": str(tmp_path)}
    texts = ["# One", "--two\r\nContent-Type: text/html\r\n\r\n", "three"]
    with api.listening, Server(project, package="t_mcp", env=environ) as server:
        server.result("send_mixed", body=[{"id": 1}, {"id": 2}])
        server.result("send_texts", body=texts)
        server.result("send_related", body=[{"title": "t"}, base64.b64encode(b"text").decode()])
        server.result("send_related", body=[{"title": "t"}, "file:bird.jpeg"])
        for wrong, said in (([], "at least one item"), ([{"title": "t"}, "file:../x"], "body[1]: expected a file")):
            assert said in told(server.result("send_related", body=wrong))
    item = "application/vnd.item+json"
    assert [parts(asked) for asked in api.asked] == [
        ("multipart/mixed", [(item, None, '{"id":1}'), (item, None, '{"id":2}')]),
        ("multipart/mixed", [(kind, None, text) for kind, text in zip(KINDS, texts, strict=True)]),
        ("multipart/related", [("application/json", None, '{"title":"t"}'), ("image/png", None, "text")]),
        (
            "multipart/related",
            [
                ("application/json", None, '{"title":"t"}'),
                ("image/jpeg", 'attachment; filename="bird.jpeg"', "picture"),
            ],
        ),
    ]


def test_header_fields_of_a_part_are_those_of_its_position(project: Path) -> None:
    api = Site("127.0.0.1")
    page: dict[str, object] = {
        "body": ["<p>", "p {}", "a {}", "b {}"],
        "item_1_content_location": "/page",
        "items_content_location": ["/p", "/a", "/b"],
        "items_content_language": [["de", "fr"], []],
    }
    wrong: list[tuple[dict[str, object], str]] = [
        (
            {"items_content_location": ["/p", "/a"]},
            "items_content_location: expected 3 values: one for each item after",
        ),
        ({"items_content_location": []}, "items_content_location: expected 3 values"),
        ({"items_content_language": [["de"]] * 4}, "items_content_language: expected at most 3 values"),
        ({"items_content_location": ["/p", "/a", "/b\r\nX: y"]}, "items_content_location: expected visible ASCII"),
        ({"item_1_content_location": "/\u00e9"}, "item_1_content_location: expected visible ASCII"),
        ({"body": ["<p>"]}, "items_content_location: expected 0 values"),
        ({"body": ["<p>", "p {}"]}, "items_content_location: expected 1 value: one"),
    ]
    with api.listening, Server(project, package="t_mcp", env={"T_BASE_URL": api.url}) as server:
        server.result("send_page", **page)
        server.result("send_page", body=["<p>"], item_1_content_location="/page")
        server.result("send_ordered_form", body=["Bird", base64.b64encode(b"bird").decode()])
        for change, said in wrong:
            assert said in told(server.result("send_page", **(page | change)))
        noted = server.result("send_notes", body=["one"], item_2_x_note="two")
        assert "item_2_x_note: belongs to an item that is missing" in told(noted)
    kind = [("X-Kind", "style")]
    assert [[each.items() for each in messages(asked).iter_parts()] for asked in api.asked] == [
        [
            [("Content-Type", "text/html"), ("Content-Location", "/page")],
            [("Content-Type", "text/css"), ("Content-Language", "de,fr"), ("Content-Location", "/p"), *kind],
            [("Content-Type", "text/css"), ("Content-Location", "/a"), *kind],
            [("Content-Type", "text/css"), ("Content-Location", "/b"), *kind],
        ],
        [[("Content-Type", "text/html"), ("Content-Location", "/page")]],
        [
            [("Content-Disposition", 'form-data; name="title"')],
            [("Content-Type", "image/png"), ("Content-Disposition", 'form-data; name="picture"; filename="p.png"')],
        ],
    ]
