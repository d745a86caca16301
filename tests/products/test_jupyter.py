"""Change Jupyter Server's files, notebooks and checkpoints through the generated server, and check them on disk."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.products import installs
from tests.products.product import Server, free_port, generate, running, served

pytestmark = pytest.mark.world

NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Tides"}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PICTURE = bytes(range(256))
TOKEN = secrets.token_hex(16)


class Shelf(NamedTuple):
    """The generated server of a running Jupyter Server, and the folder whose files the Jupyter Server serves."""

    server: Server
    folder: Path


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    root, folder = installs.pip("jupyter", "jupyter-server==2.21.1"), tmp_path_factory.mktemp("jupyter")
    (document,) = root.glob("lib/*/site-packages/jupyter_server/services/api/api.yaml")
    home, port = folder / "home", free_port()
    home.mkdir()
    command = [str(root / "bin" / "jupyter-server"), "--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    token = ["--ServerApp.port_retries=0", "--IdentityProvider.token=" + TOKEN]
    with running([*command, *token, f"--ServerApp.root_dir={home}"], "is running at", folder):
        project = generate(str(document), folder / "project", "--name", "jupyter")
        variables = {"JUPYTER_BASE_URL": f"http://127.0.0.1:{port}", "JUPYTER_HEADER": f"Authorization: token {TOKEN}"}
        with served(project, variables, TOKEN) as server:
            yield Shelf(server, home)


def test_files_are_created_read_listed_changed_uploaded_downloaded_and_deleted(shelf: Shelf) -> None:
    server, folder = shelf
    (folder / "sea").mkdir()
    made = server.call("create_content", path="sea", type="directory")
    assert (folder / made["path"]).is_dir()
    server.call("rename_content", path=made["path"], path_body="tides")
    assert (folder / "tides").is_dir()
    assert not (folder / made["path"]).exists()

    server.call("save_content", path="tides/low.txt", type="file", format="text", content="Low\nwater")
    assert (folder / "tides/low.txt").read_text() == "Low\nwater"
    server.call("save_content", path="tides/low.txt", type="file", format="text", content="Lower")
    assert (folder / "tides/low.txt").read_text() == "Lower"
    (folder / "tides" / "dörf & más.txt").write_text("Grüße")
    assert server.call("get_content", path="tides/dörf & más.txt", type="file")["content"] == "Grüße"

    server.call(
        "save_content",
        path="tides/moon.bin",
        type="file",
        format="base64",
        content=base64.b64encode(PICTURE).decode(),
    )
    assert (folder / "tides/moon.bin").read_bytes() == PICTURE
    fetched = server.call("get_content", path="tides/moon.bin", type="file", format="base64")
    assert base64.b64decode(fetched["content"]) == PICTURE

    listed = server.call("get_content", path="tides", type="directory")["content"]
    assert {entry["name"] for entry in listed} == {"low.txt", "dörf & más.txt", "moon.bin"}
    assert server.call("get_content", path="tides", type="directory", content=0)["content"] is None

    server.call("delete_content", path="tides/low.txt")
    assert not (folder / "tides/low.txt").exists()
    assert "404" in server.refused("get_content", path="tides/low.txt")


def test_a_notebook_has_checkpoints(shelf: Shelf) -> None:
    server, folder = shelf
    (folder / "tides.ipynb").write_text(json.dumps(NOTEBOOK))
    assert server.call("get_content", path="tides.ipynb")["type"] == "notebook"
    checkpoint = server.call("create_content_checkpoint", path="tides.ipynb")
    (folder / "tides.ipynb").write_text(json.dumps({**NOTEBOOK, "cells": []}))
    server.call("restore_content_checkpoint", path="tides.ipynb", checkpoint_id=checkpoint["id"])
    assert json.loads((folder / "tides.ipynb").read_text())["cells"]
    server.call("delete_content_checkpoint", path="tides.ipynb", checkpoint_id=checkpoint["id"])
    assert server.call("list_content_checkpoints", path="tides.ipynb") == []
