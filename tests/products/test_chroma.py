"""Change Chroma's collections and records through the generated server, and check them by Chroma's Python client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.leaks import SECRET
from tests.products import installs
from tests.products.product import Server, asked, free_port, generate, running, served

pytestmark = pytest.mark.world

LOOK = """
import json, sys
import chromadb

client = chromadb.HttpClient(host="127.0.0.1", port=int(sys.argv[1]))
print(json.dumps(eval(sys.argv[2], {"client": client, "of": client.get_collection})))
"""
"""Program that evaluates an expression on a database with Chroma's own client, and prints JSON."""


class Store(NamedTuple):
    """The generated server of a running Chroma at `port`, and the interpreter `python` that has Chroma's client."""

    server: Server
    python: str
    port: int
    folder: Path

    def seen(self, expression: str) -> Any:
        """Return the value of an expression, evaluated with Chroma's client."""
        return json.loads(asked(self.python, "-c", LOOK, str(self.port), expression, folder=self.folder))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    root, folder, port = installs.pip("chroma", "chromadb==1.5.9"), tmp_path_factory.mktemp("chroma"), free_port()
    command = [str(root / "bin" / "chroma"), "run", "--path", str(folder / "data"), "--port", str(port)]
    with running(command, "Frontend server listening", folder):
        url = f"http://127.0.0.1:{port}"
        project = generate(f"{url}/openapi.json", folder / "project", "--name", "chroma")
        with served(project, {"CHROMA_BASE_URL": url, "CHROMA_API_KEY_AUTH": SECRET}, SECRET) as server:
            yield Store(server, str(root / "bin" / "python"), port, folder)


def test_records_are_added_read_filtered_paged_changed_and_deleted(store: Store) -> None:
    server, where = store.server, {"tenant": "default_tenant", "database": "default_database"}
    made = server.call("create_collection", **where, name="birds", metadata={"from": "the field"})
    assert made["name"] == "birds"
    assert store.seen("[each.name for each in client.list_collections()]") == ["birds"]

    birds = {**where, "collection_id": made["id"]}
    names = ["wren", "crow", "swift", "kite"]
    server.call(
        "collection_add",
        **birds,
        ids=names,
        embeddings=[[float(turn), 1.0] for turn, _ in enumerate(names)],
        documents=[f"A {name}." for name in names],
        metadatas=[{"legs": 2, "size": "small" if name in ("wren", "swift") else "large"} for name in names],
    )
    assert store.seen("of('birds').count()") == 4
    assert server.call("collection_count", **birds) == 4

    small = server.call("collection_get", **birds, where={"size": {"$eq": "small"}}, include=["documents"])
    assert (small["ids"], small["documents"]) == (["wren", "swift"], ["A wren.", "A swift."])
    pages = [server.call("collection_get", **birds, limit=3, offset=offset)["ids"] for offset in (0, 3)]
    assert pages == [names[:3], names[3:]]
    nearest = server.call("collection_query", **birds, query_embeddings=[[2.1, 1.0]], n_results=2)
    assert nearest["ids"] == [["swift", "kite"]]

    server.call("collection_update", **birds, ids=["crow"], documents=["A rook."], metadatas=[{"size": "middling"}])
    assert store.seen("of('birds').get('crow')['documents']") == ["A rook."]
    assert store.seen("of('birds').get('crow')['metadatas'][0]['size']") == "middling"
    server.call("collection_upsert", **birds, ids=["owl"], embeddings=[[9.0, 9.0]], documents=["An owl."])
    assert store.seen("of('birds').get('owl')['documents']") == ["An owl."]
    server.call("collection_delete", **birds, ids=["wren", "kite"])
    assert sorted(store.seen("of('birds').get()['ids']")) == ["crow", "owl", "swift"]


def test_collections_are_listed_in_pages_renamed_and_deleted(store: Store) -> None:
    server, where = store.server, {"tenant": "default_tenant", "database": "zoo"}
    server.call("create_database", tenant="default_tenant", name="zoo")
    made = [server.call("create_collection", **where, name=name)["id"] for name in ("bats", "cats", "rats")]
    pages = [server.call("list_collections", **where, limit=2, offset=offset) for offset in (0, 2)]
    assert [len(page) for page in pages] == [2, 1]
    assert {each["name"] for page in pages for each in page} == {"bats", "cats", "rats"}
    assert server.call("count_collections", **where) == 3

    server.call("update_collection", **where, collection_id=made[0], new_name="flying_bats")
    of_zoo = "client.__class__.set_database(client, 'zoo') or sorted(each.name for each in client.list_collections())"
    assert store.seen(of_zoo) == ["cats", "flying_bats", "rats"]
    server.call("delete_collection", **where, collection_id="cats")
    assert store.seen(of_zoo) == ["flying_bats", "rats"]
    assert "404" in server.refused("get_collection", **where, collection_id="cats")
