"""Test tools files over several documents end to end: what servers list, and what raw sockets receive from
their calls.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.tree import FileTree
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.read.fetch import Fetched, read
from mcpgen.regenerate.publish import plan, publish
from tests.runtime.process import Server
from tests.wire.upstream import listening

LIBRARY = """
openapi: 3.1.0
info: {title: The library, version: 1.0.0}
servers: [{url: https://library.example.com}]
paths:
  /books:
    get:
      operationId: findAll
      summary: Retrieves the paginated collection
      parameters:
        - {name: q, in: query, schema: {type: string}}
        - {name: "page[size]", in: query, schema: {type: integer, minimum: 1, maximum: 100}}
        - {name: sort, in: query, schema: {type: string, enum: [title, year]}}
        - {name: debug, in: query, schema: {type: boolean}}
        - {name: X-Client, in: header, schema: {type: string}}
    post:
      operationId: createOne
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [title, source]
              properties:
                title: {type: string}
                year: {type: integer}
                source: {type: string}
                language: {type: string, enum: [en, de]}
  /books/{bookId}:
    parameters: [{name: bookId, in: path, required: true, schema: {type: integer}}]
    get: {operationId: findOne, parameters: [{name: expand, in: query, schema: {type: string}}]}
    delete: {operationId: removeOne, summary: Purge}
  /loans:
    post:
      operationId: loanCreate
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, required: [book], properties: {book: {type: integer}, days: {type: integer}}}
  /loans/{id}/return:
    post:
      operationId: loanReturn
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
  /internal/reindex: {post: {operationId: reindex}}
"""

CURATED = """
mcpgen: 1
server: {name: library, title: Library}
openapi: [{document: library.yaml}]
overrides:
  findAll:
    name: find_books
    title: Find books
    description: Finds books by words of their title.
    arguments:
      q: {name: words, description: Words of the title., required: true}
      page_size: {name: limit, default: 20, description: How many.}
      sort: {description: In which order.}
      debug: {hide: true}
      X-Client: {value: assistant}
  createOne:
    name: add_book
    title: Add a book
    description: Adds a book.
    arguments:
      title: {description: Its title.}
      source: {value: assistant}
      language: {default: en}
  GET /books/{id}:
    name: get_book
    title: Get a book
    description: Gets a book.
    arguments: {bookId: {name: book, description: The number of the book.}, expand: {default: author, hide: true}}
    annotations: {openWorldHint: false}
  removeOne:
    name: delete_book
    title: Delete a book
    description: Deletes a book for ever.
    arguments: {bookId: {name: book, description: The number of the book.}}
    annotations: {idempotentHint: false}
    confirm: when-supported
  loanCreate:
    name: lend
    title: Lend a book
    description: Lends a book.
    arguments: {book: {description: The number of the book.}, days: {description: For how long., default: 14}}
  loanReturn:
    name: take_back
    title: Take a book back
    description: Takes a book back.
    arguments: {id: {name: loan, description: The loan.}}
    annotations: {idempotentHint: true}
  reindex: {hide: true}
"""

WRITTEN = """
mcpgen: 1
server: {name: library, title: Library}
base_url: https://library.example.com
tools:
  - name: find_books
    title: Find books
    description: Finds books by words of their title.
    request: GET /books
    parameters:
      - {name: words, in: query, required: true, description: Words of the title., schema: {type: string}}
      - {name: limit, in: query, description: How many., schema: {type: integer, minimum: 1, maximum: 100, default: 20}}
      - {name: sort, in: query, description: In which order., schema: {type: string, enum: [title, year]}}
  - name: add_book
    title: Add a book
    description: Adds a book.
    request: POST /books
    body:
      type: object
      required: [title]
      properties:
        title: {type: string, description: Its title.}
        language: {type: string, enum: [en, de], default: en}
        year: {type: integer}
  - name: get_book
    title: Get a book
    description: Gets a book.
    request: GET /books/{book}
    parameters: [{name: book, in: path, required: true, description: The number of the book., schema: {type: integer}}]
    annotations: {openWorldHint: false}
  - name: delete_book
    title: Delete a book
    description: Deletes a book for ever.
    request: DELETE /books/{book}
    parameters: [{name: book, in: path, required: true, description: The number of the book., schema: {type: integer}}]
    annotations: {idempotentHint: false}
    confirm: when-supported
  - name: lend
    title: Lend a book
    description: Lends a book.
    annotations: {destructiveHint: false}
    request: POST /loans
    body:
      type: object
      required: [book]
      properties:
        book: {type: integer, description: The number of the book.}
        days: {type: integer, description: For how long., default: 14}
  - name: take_back
    title: Take a book back
    description: Takes a book back.
    request: POST /loans/{loan}/return
    parameters: [{name: loan, in: path, required: true, description: The loan., schema: {type: string}}]
    annotations: {idempotentHint: true}
"""


def compiled(folder: Path, options: Options | None = None, settings: str = "", **files: str) -> Compiled:
    """Write `files` into the folder, compile the first one, and return the result.

    In a name of a file, `_` stands for a dot, as in `x_yaml`.
    """
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    own = Fetched("mcpgen.yaml", settings.encode()) if settings else None
    source = folder / next(iter(files)).replace("_", ".")
    return compile_source(read(str(source)), options or Options(), Project(settings=own))


def served(folder: Path, tree: FileTree, **env: str) -> Server:
    out = folder / "out"
    publish(plan(out, tree, (), None), tree)
    package = next(out.glob("*_mcp")).name
    return Server(out, package=package, env=env)


def errors(found: Compiled) -> list[str]:
    return [str(each) for each in found.diagnostics if each.severity == "error"]


def test_overrides_and_tools_written_by_hand_give_the_same_list(tmp_path: Path) -> None:
    curated = compiled(tmp_path, x_yaml=CURATED, library_yaml=LIBRARY)
    written = compiled(tmp_path, w_yaml=WRITTEN)
    assert errors(curated) == errors(written) == []
    lists = [found.tree["library_mcp/tools.json"] for found in (curated, written)]
    assert json.loads(lists[0]) == json.loads(lists[1])
    assert lists[0] == lists[1]
    assert len(json.loads(lists[0])) == 6


CALLS: list[tuple[str, dict[str, Any], bytes, bytes, bytes]] = [
    ("find_books", {"words": "sea"}, b"GET /books?q=sea&page[size]=20 ", b"X-Client: assistant", b""),
    ("find_books", {"words": "sea", "limit": 5}, b"GET /books?q=sea&page[size]=5 ", b"", b""),
    ("add_book", {"title": "Sea"}, b"POST /books ", b"", b'{"title":"Sea","source":"assistant","language":"en"}'),
    ("add_book", {"title": "Sea", "language": "de"}, b"POST /books ", b"", b'"language":"de"'),
    ("get_book", {"book": 7}, b"GET /books/7?expand=author ", b"", b""),
    ("lend", {"book": 7}, b"POST /loans ", b"", b"book=7&days=14"),
    ("take_back", {"loan": "a b"}, b"POST /loans/a%20b/return ", b"", b""),
]


def test_defaults_and_fixed_values_are_sent(tmp_path: Path) -> None:
    found = compiled(tmp_path, x_yaml=CURATED, library_yaml=LIBRARY)
    with (
        listening() as upstream,
        served(tmp_path, found.tree, LIBRARY_BASE_URL=f"http://127.0.0.1:{upstream.port}") as server,
    ):
        for name, arguments, line, header, body in CALLS:
            assert not server.result(name, **arguments)["isError"], name
            sent = upstream.received.get(timeout=120)
            head, _, content = sent.partition(b"\r\n\r\n")
            assert head.replace(b"%5B", b"[").replace(b"%5D", b"]").startswith(line), sent
            assert header in head, sent
            assert body in content, sent


def described(port: int, member: str) -> str:
    return f"""
openapi: 3.1.0
info: {{title: Pets, version: 1.0.0}}
servers: [{{url: 'http://127.0.0.1:{port}'}}]
security: [{{token: []}}]
components:
  securitySchemes: {{token: {{type: http, scheme: bearer}}}}
  schemas: {{Pet: {{type: object, required: [{member}], properties: {{{member}: {{type: string}}}}}}}}
paths:
  /pets:
    post:
      operationId: addPet
      requestBody: {{required: true, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Pet'}}}}}}}}
"""


def test_what_is_called_alike_in_two_documents_is_not_mixed_up(tmp_path: Path) -> None:
    tools = "mcpgen: 1\nserver: {name: two}\nopenapi: [{document: a.yaml, prefix: a}, {document: b.yaml, prefix: b}]\n"
    with listening() as one, listening() as other:
        documents = {"a_yaml": described(one.port, "color"), "b_yaml": described(other.port, "price")}
        found = compiled(tmp_path, None, "", x_yaml=tools, **documents)
        keys = {"TWO_A_TOKEN": "of-the-first-document", "TWO_B_TOKEN": "of-the-second-document"}
        with served(tmp_path, found.tree, **keys) as server:
            for name, argument in (("b_add_pet", "price"), ("a_add_pet", "color")):
                assert not server.result(name, **{argument: "x"})["isError"]
        first, second = one.received.get(timeout=120), other.received.get(timeout=120)
        assert one.received.empty()
        assert other.received.empty()
    assert b"Bearer of-the-first-document\r\n" in first
    assert first.endswith(b'{"color":"x"}')
    assert b"Bearer of-the-second-document\r\n" in second
    assert second.endswith(b'{"price":"x"}')


def test_one_document_comes_out_as_it_would_by_itself(tmp_path: Path) -> None:
    alone = compiled(tmp_path, library_yaml=LIBRARY)
    tools = "mcpgen: 1\nserver: {name: library, title: Another}\nopenapi: [{document: library.yaml}]\n"
    within = compiled(tmp_path, x_yaml=tools, library_yaml=LIBRARY)
    assert within.tree["library_mcp/tools.json"] == alone.tree["library_mcp/tools.json"]
    assert within.lock.promises.names == alone.lock.promises.names
    bindings = [json.loads(found.tree["library_mcp/bindings.json"]) for found in (alone, within)]
    assert [each["bindings"] for each in bindings[:1]] == [each["bindings"] for each in bindings[1:]]


OVERLAY = """
overlay: 1.0.0
info: {title: O, version: '1'}
actions:
  - target: $.paths['/a'].get
    update: {summary: List of the overlay, x-mcp: {title: Overlaid}}
"""
HEAD = "openapi: 3.1.0\ninfo: {title: P, version: '1'}\nservers: [{url: 'https://p.example.com'}]\n"
DOCUMENT = HEAD + "paths: {/a: {get: {operationId: listA, summary: Derived title%s}}}\n"
EXTENDED = DOCUMENT % ", x-mcp: {title: Extended}"
FILE = "mcpgen: 1\nserver: {name: p}\nopenapi: [{document: d.yaml}]\n"
OVERLAID = FILE + "overlays: [o.yaml]\n"
OWN = OVERLAID + "overrides: {listA: {title: Tools file}}\n"
SETTINGS = "mcpgen: 1\noverrides: {GET /a: {title: Settings}}\n"


@pytest.mark.parametrize(
    ("source", "document", "settings", "title"),
    [
        (FILE, DOCUMENT % "", "", "Derived title"),
        (FILE, EXTENDED, "", "Extended"),
        (OVERLAID, EXTENDED, "", "Overlaid"),
        (OWN, EXTENDED, "", "Tools file"),
        (OWN, EXTENDED, SETTINGS, "Settings"),
    ],
)
def test_precedence_of_what_is_said_of_a_tool(
    tmp_path: Path, source: str, document: str, settings: str, title: str
) -> None:
    found = compiled(tmp_path, settings=settings, x_yaml=source, d_yaml=document, o_yaml=OVERLAY)
    assert errors(found) == []
    assert [tool.title for tool in found.catalog.tools] == [title]


BOTH = HEAD + "paths: {/a: {get: {operationId: a}}, /b: {get: {operationId: b}}, /c: {get: {operationId: c}}}\n"


@pytest.mark.parametrize(
    ("flags", "settings", "source", "paths"),
    [
        (Options(), "", "", "/a /b /c"),
        (Options(), "", "include: ['id:a']", "/a"),
        (Options(), "include: ['id:b']", "include: ['id:a']", "/b"),
        (Options(include=("id:c",)), "include: ['id:b']", "include: ['id:a']", "/c"),
        (Options(include=("id:c",)), "exclude: ['id:c']", "", ""),
        (Options(exclude=("id:a",)), "exclude: ['id:b']", "exclude: ['id:c']", "/b /c"),
    ],
)
def test_precedence_of_selection(tmp_path: Path, flags: Options, settings: str, source: str, paths: str) -> None:
    settings = f"mcpgen: 1\n{settings}\n" if settings else ""
    files = {"x_yaml": f"{FILE}{source}\ntools: [{{name: own, request: GET /own}}]\n", "d_yaml": BOTH}
    found = compiled(tmp_path, flags, settings, **files) if paths else None
    assert (
        " ".join(tool.operation.path for tool in (found.catalog.tools if found else ()) if tool.name != "own") == paths
    )


@pytest.mark.parametrize(
    ("flags", "settings", "source", "url"),
    [
        (Options(), "", "", "https://p.example.com"),
        (Options(), "", "base_url: https://file.example.com", "https://file.example.com"),
        (
            Options(),
            "base_url: https://own.example.com",
            "base_url: https://file.example.com",
            "https://own.example.com",
        ),
        (
            Options(base_url="https://flag.example.com"),
            "base_url: https://own.example.com",
            "",
            "https://flag.example.com",
        ),
    ],
)
def test_precedence_of_the_base_url(tmp_path: Path, flags: Options, settings: str, source: str, url: str) -> None:
    settings = f"mcpgen: 1\n{settings}\n" if settings else ""
    found = compiled(tmp_path, flags, settings, x_yaml=f"{FILE}{source}\n", d_yaml=BOTH)
    assert [server.url for server in found.catalog.servers] == [url]


def test_recorded_flags_give_way_to_the_tools_file(tmp_path: Path) -> None:
    for name, text in (("x.yaml", FILE + "include: ['id:a']\nbase_url: https://file.example.com\n"), ("d.yaml", BOTH)):
        (tmp_path / name).write_text(text)
    recorded = Options(include=("id:b",), base_url="https://recorded.example.com")
    found = compile_source(read(str(tmp_path / "x.yaml")), Options(), Project(recorded=recorded))
    assert [tool.operation.path for tool in found.catalog.tools] == ["/a"]
    assert found.catalog.servers[0].url == "https://file.example.com"


def test_keys_of_the_lock_do_not_depend_on_where_the_run_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = "mcpgen: 1\nserver: {name: two}\nopenapi: [{document: a.yaml}, {document: b.yaml}]\n"
    for name, text in (("x.yaml", tools), ("a.yaml", described(1, "color")), ("b.yaml", described(2, "price"))):
        (tmp_path / name).write_text(text)
    keys = []
    for folder, source in ((tmp_path, "x.yaml"), (tmp_path.parent, f"{tmp_path.name}/x.yaml")):
        monkeypatch.chdir(folder)
        keys.append(compile_source(read(source), Options(), Project()).lock.promises.names)
    assert keys[0] == keys[1] == {"a.yaml POST /pets": "add_pet", "b.yaml POST /pets": "create_pet"}
