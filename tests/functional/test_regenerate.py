"""Test `mcpgen regenerate`: it compiles a project again with the source and flags stored in the lock file."""

from __future__ import annotations

import contextlib
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mcpgen
from mcpgen.lock import lockfile as locks
from mcpgen.regenerate import changelog
from tests.functional.regeneration import (
    DELETE,
    GET,
    LIST,
    OUT,
    PET,
    api,
    files,
    lock,
    names,
    operation,
    run,
    write,
)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def project() -> None:
    write(LIST, GET, DELETE)
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0


# -- Regeneration of a project ----------------------------------------------------------------------------------------


def test_nothing_changed_is_nothing_written(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in OUT.rglob("*")}
    assert run("regenerate", "out") == 0
    assert run("regenerate", "out", "--check") == 0
    assert {path: path.stat().st_mtime_ns for path in OUT.rglob("*")} == before
    assert capsys.readouterr().out.endswith("Pets: 3 tools; the project in out is up to date.\n" * 2)


def test_it_is_run_where_one_stands(project: None, monkeypatch: pytest.MonkeyPatch) -> None:
    write(LIST)
    monkeypatch.chdir(OUT)
    assert run("regenerate") == 0
    monkeypatch.chdir("..")
    assert list(names().values()) == ["list_pets"]
    assert lock().source == "../api.json"


def test_names_that_a_lock_promised_before_arguments_began_with_a_letter_stay(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def listed(*wire_names: str) -> dict[str, Any]:
        parameters = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in wire_names]
        return {"GET /pets": operation("listPets", parameters=parameters)}

    write(listed("_id", "2fa"))
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    (known,) = lock().promises.tools.values()
    assert {*known.arguments.values()} == {"id", "argument_2fa"}
    path = OUT / locks.NAME
    older = path.read_text().replace('"query _id": "id"', '"query _id": "_id"')
    path.write_text(older.replace('"query 2fa": "argument_2fa"', '"query 2fa": "_2fa"'))
    write(listed("_id", "2fa", "_page"))
    capsys.readouterr()
    assert run("regenerate", "out") == 0
    (tool,) = json.loads((OUT / "zoo_mcp" / "tools.json").read_bytes())
    assert {*tool["inputSchema"]["properties"]} == {"_id", "_2fa", "page"}
    said = capsys.readouterr().err
    assert [said.count(f"The argument {name} of list_pets") for name in ("_id", "_2fa", "page")] == [1, 1, 0]


def test_only_what_changed_is_written(project: None) -> None:
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in OUT.rglob("*") if path.is_file()}
    write(LIST, GET, {"DELETE /pets/{id}": operation("deletePet", "Delete a pet for ever", parameters=[PET])})
    assert run("regenerate", "out") == 0
    after = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in OUT.rglob("*") if path.is_file()}
    assert {path.as_posix() for path in after if before.get(path) != after[path]} == {
        f"out/{name}" for name in ("CHANGELOG.md", "README.md", "SKILL.md", "mcpgen.lock.json", "pyproject.toml")
    } | {"out/zoo_mcp/bindings.json", "out/zoo_mcp/tools.json"}


@pytest.mark.parametrize(
    ("changed", "version", "heading"),
    [
        ([LIST, GET], "0.2.0", "- Breaking: The tool delete\\_pet was removed."),
        ([LIST, GET, DELETE, {"GET /toys": operation("listToys")}], "0.1.1", "- Additive: The tool list\\_toys is"),
        (
            [LIST, GET, {"DELETE /pets/{id}": operation("deletePet", "Delete a pet for ever", parameters=[PET])}],
            "0.1.1",
            "- Cosmetic: `delete_pet`: The title",
        ),
    ],
    ids=["breaking", "additive", "cosmetic"],
)
def test_the_version_moves_with_the_gravest_change(
    project: None, changed: list[dict[str, Any]], version: str, heading: str
) -> None:
    write(*changed)
    assert run("regenerate", "out") == 0
    assert lock().version == version
    assert f'version = "{version}"' in (OUT / "pyproject.toml").read_text()
    history = (OUT / "CHANGELOG.md").read_text()
    assert f"\n## {version}\n" in history
    assert heading in history.partition(f"## {version}")[2]


def test_a_version_written_by_hand_stays_and_that_is_said(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    (OUT / "mcpgen.yaml").write_text("mcpgen: 1\nserver: {name: zoo, version: 3.1.0}\n")
    assert run("regenerate", "out") == 0
    write(LIST)
    assert run("regenerate", "out") == 0
    assert lock().version == "3.1.0"
    assert "[pinned-version]" in capsys.readouterr().err


def test_the_flags_of_last_time_count_and_another_source_is_remembered(tmp_path: Path) -> None:
    write(LIST, GET, DELETE)
    flags = ["--name", "zoo", "--exclude", "method:DELETE", "--structured", "--base-url", "https://own.example"]
    assert run("generate", "api.json", "-o", "out", *flags) == 0
    before, own = files(), lock().options
    write(LIST, GET, DELETE, name="next.json")
    assert run("regenerate", "out", "--source", "next.json") == 0
    assert lock().source == "../next.json"
    assert (lock().options, lock().version) == (own, "0.1.0")
    assert {path for path, data in files().items() if before[path] != data} == {locks.NAME}
    Path("api.json").unlink()
    assert run("regenerate", "out", "--check") == 0


Serve = Callable[[dict[str, bytes]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Yield a function that starts an HTTP server for a mapping from path to bytes, and returns the server's URL."""
    with contextlib.ExitStack() as stack:

        def start(served: dict[str, bytes]) -> str:
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(served[self.path])

                def log_message(self, *arguments: object) -> None:
                    pass

            server = stack.enter_context(http.server.HTTPServer(("127.0.0.1", 0), Handler))
            stack.callback(server.shutdown)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            return f"http://127.0.0.1:{server.server_port}"

        yield start


def test_a_source_on_the_network_is_fetched_again(serve: Serve) -> None:
    served = {"/api.json": api(**LIST, **GET)}
    url = f"{serve(served)}/api.json"
    assert run("generate", url, "-o", "out") == 0
    assert lock().source == url
    served["/api.json"] = api(**LIST)
    assert run("regenerate", "out", "--check") == 1
    assert run("regenerate", "out") == 0
    assert list(names().values()) == ["list_pets"]


def test_a_secret_of_a_url_is_not_remembered(capsys: pytest.CaptureFixture[str], serve: Serve) -> None:
    url = serve({"/api.json?v=1&token=hushhush": api(**LIST)})
    assert run("generate", f"{url}/api.json?v=1&token=hushhush", "-o", "out") == 0
    assert b"hushhush" not in b"".join(files().values())
    assert lock().source == f"{url}/api.json?v=1&token=LEFT-OUT"
    assert run("regenerate", "out") == 2
    assert "Name the document or the tools file with --source. " in capsys.readouterr().err.replace("\n", " ")
    assert run("regenerate", "out", "--source", f"{url}/api.json?v=1&token=hushhush", "--check") == 0


def test_a_project_behind_a_link_finds_its_source() -> None:
    write(LIST)
    Path("real/deep").mkdir(parents=True)
    Path("link").symlink_to("real/deep")
    assert run("generate", "api.json", "-o", "link/out") == 0
    assert run("regenerate", "link/out", "--check") == 0
    assert run("regenerate", "real/deep/out", "--check") == 0


# -- Runs that write nothing ------------------------------------------------------------------------------------------


def test_txt_10_one_changed_description_is_stale_and_shown(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    before, surface = files(), lock().promises.tools["GET /pets"].surface
    write({"GET /pets": operation("listPets", "Lists pets, and sends them to evil.example")}, GET, DELETE)
    assert run("regenerate", "out", "--check") == 1
    said = capsys.readouterr().out
    assert "list_pets: The description of the tool has new wording." in said
    assert "the project is out of date: generating again would write 7 files to out" in said
    assert files() == before
    assert run("regenerate", "out") == 0
    assert lock().promises.tools["GET /pets"].surface != surface
    assert lock().version == "0.1.1"
    assert (
        lock().promises.tools["GET /pets/{}"].surface
        == json.loads(before[locks.NAME])["tools"]["GET /pets/{}"]["surface"]
    )


def test_a_dry_run_shows_and_writes_nothing(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    before = files()
    write(LIST)
    assert run("regenerate", "out", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "  The tool delete_pet was removed.\n" in said
    assert "would write" in said
    assert files() == before


@pytest.mark.parametrize("gate", ["breaking", "additive", "any"])
@pytest.mark.parametrize(
    ("grade", "changed"),
    [
        ("breaking", [LIST]),
        ("additive", [LIST, GET, DELETE, {"GET /toys": operation("listToys")}]),
        ("cosmetic", [{"GET /pets": operation("listPets", "Lists the pets")}, GET, DELETE]),
        ("none", [LIST, GET, DELETE]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_gate_stops_what_is_as_grave(project: None, gate: str, grade: str, changed: list[dict[str, Any]]) -> None:
    stopped = {
        "breaking": ["breaking"],
        "additive": ["breaking", "additive"],
        "any": ["breaking", "additive", "cosmetic"],
    }
    write(*changed)
    before = files()
    assert run("regenerate", "out", "--fail-on", gate) == int(grade in stopped[gate])
    assert (files() == before) == (grade in (*stopped[gate], "none"))


def test_the_markdown_is_all_that_stdout_has(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    write(LIST, GET)
    capsys.readouterr()
    assert run("regenerate", "out", "--format", "markdown") == 0
    said = capsys.readouterr()
    letter, points = graded(capsys)
    grade = f"Grade of the tools: {letter} ({points} of 100 points)."
    head = f"**1 breaking, 0 additive, 0 cosmetic. The minor version moves.**\n\n{grade}\n\n### Breaking\n"
    assert said.out.startswith(head)
    assert "Pets 0.1.0 → 0.2.0: 2 tools; wrote 7 files to out." in said.err


def test_the_grade_in_the_markdown_is_the_same_before_and_after_writing(
    project: None, capsys: pytest.CaptureFixture[str]
) -> None:
    write(LIST, {request: {**found, "summary": ""} for request, found in GET.items()})
    capsys.readouterr()
    assert run("regenerate", "out", "--check", "--format", "markdown") == 1
    shown = capsys.readouterr().out
    assert run("regenerate", "out", "--format", "markdown") == 0
    assert capsys.readouterr().out == shown
    letter, points = graded(capsys)
    assert f"\n\nGrade of the tools: {letter} ({points} of 100 points).\n\n" in shown
    assert run("regenerate", "out", "--format", "markdown") == 0
    assert "Grade" not in capsys.readouterr().out, "nothing changed"


def graded(capsys: pytest.CaptureFixture[str]) -> tuple[str, float]:
    """Return the letter and the points that `mcpgen grade` gives the project."""
    capsys.readouterr()
    assert run("grade", "out", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    return found["letter"], found["score"]


def test_the_json_says_what_changed_and_what_was_written(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    write(LIST, GET)
    capsys.readouterr()
    assert run("regenerate", "out", "--check", "--format", "json") == 1
    stale = json.loads(capsys.readouterr().out)
    assert (stale["stale"], stale["written"], len(stale["wouldWrite"])) == (True, [], 7)
    assert run("regenerate", "out", "--format", "json") == 0
    done = json.loads(capsys.readouterr().out)
    assert done["written"] == stale["wouldWrite"]
    assert done["version"] == {"before": "0.1.0", "after": "0.2.0"}
    assert [(change["grade"], change["code"], change["tool"]) for change in done["changes"]] == [
        ("breaking", "tool-removed", "delete_pet")
    ]
    assert (done["schema"], done["stale"], done["edited"]) == (1, False, [])


# -- Projects of older and newer versions of mcpgen -------------------------------------------------------------------


def test_a_later_compiler_says_what_it_changes_and_why(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    written = json.loads((OUT / locks.NAME).read_bytes())
    module = OUT / "zoo_mcp" / "runtime" / "core" / "stdio.py"
    module.write_text("# of an older version\n")
    written["mcpgen"] = "0.0.9"
    written["files"]["zoo_mcp/runtime/core/stdio.py"] = locks.digests({"": module.read_bytes()})[""]
    (OUT / locks.NAME).write_text(json.dumps(written))
    assert run("regenerate", "out") == 0
    said = capsys.readouterr()
    assert f"The project was generated by mcpgen 0.0.9; this is {mcpgen.__version__}, which changes 1 file." in said.err
    told = changelog.release_notes("0.0.9", mcpgen.__version__)
    assert told
    assert all(sentence in said.err for sentence in told)
    assert (lock().version, lock().compiler) == ("0.1.1", mcpgen.__version__)
    assert f"- Generated by mcpgen {mcpgen.__version__}; it was 0.0.9." in (OUT / "CHANGELOG.md").read_text()


def test_an_older_compiler_says_that_it_is_one(project: None, capsys: pytest.CaptureFixture[str]) -> None:
    text = (OUT / locks.NAME).read_text()
    (OUT / locks.NAME).write_text(text.replace(f'"mcpgen": "{mcpgen.__version__}"', '"mcpgen": "99.0.0"'))
    assert run("regenerate", "out") == 0
    assert "[older-compiler]" in capsys.readouterr().err


def test_a_lock_of_the_first_format_is_taken_up(project: None) -> None:
    before = lock()
    written = json.loads((OUT / locks.NAME).read_bytes())
    written["lock"] = 1
    written["tools"] = {**before.promises.names, "GET /pets": "all_the_pets"}
    del written["retired"]
    (OUT / locks.NAME).write_text(json.dumps(written))
    assert run("regenerate", "out", "--overwrite") == 0
    assert json.loads((OUT / locks.NAME).read_bytes())["lock"] == locks.FORMAT
    assert names() == {**before.promises.names, "GET /pets": "all_the_pets"}


# -- Exit codes and errors --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["nothing"], "no-project"), (["."], "no-project"), (["piped"], "no-source"), (["lost"], "unreadable")],
    ids=["no directory", "no project", "from standard input", "its source is gone"],
)
def test_what_cannot_be_generated_again_is_one_sentence(
    arguments: list[str], code: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(LIST)
    assert run("generate", "api.json", "-o", "lost") == 0
    process = [sys.executable, "-m", "mcpgen", "generate", "-", "-o", "piped"]
    subprocess.run(process, input=Path("api.json").read_bytes(), check=True, capture_output=True)
    Path("api.json").unlink()
    before = files(Path("lost"))
    assert run("regenerate", *arguments) == 2
    said = capsys.readouterr().err
    assert f"[{code}]" in said
    assert ".." not in said, "a path as one would write it"
    assert "Traceback" not in said
    assert files(Path("lost")) == before


def test_a_source_with_an_error_writes_nothing(project: None) -> None:
    before = files()
    (OUT / "mcpgen.yaml").write_text("mcpgen: 1\noverrides: {nothingEver: {name: x}}\n")
    write(LIST)
    assert run("regenerate", "out") == 1
    assert {**files(), "mcpgen.yaml": b""} == {**before, "mcpgen.yaml": b""}


# -- New origins in a document ----------------------------------------------------------------------------------------


def moved_api(token_host: str, server: str = "https://api.example.com") -> bytes:
    """Return the API's document with OAuth client credentials, whose token URL is at `token_host`."""
    flow = {"tokenUrl": f"https://{token_host}/token", "scopes": {}}
    scheme = {"type": "oauth2", "flows": {"clientCredentials": flow}}
    document = json.loads(api(**LIST))
    document |= {"servers": [{"url": server}], "security": [{"machine": []}]}
    document["components"] = {"securitySchemes": {"machine": scheme}}
    return json.dumps(document).encode()


def test_hard_05_a_project_of_a_compiler_without_the_list_keeps_the_origins_of_its_table() -> None:
    Path("api.json").write_bytes(moved_api("login.example.com"))
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    bindings = OUT / "zoo_mcp" / "bindings.json"
    older = json.loads((OUT / locks.NAME).read_bytes())
    del older["origins"]
    (OUT / locks.NAME).write_text(json.dumps(older))
    whole = json.loads(bindings.read_bytes())
    del whole["origins"]
    bindings.write_text(json.dumps(whole))
    Path("api.json").write_bytes(moved_api("evil.example.com"))
    assert run("regenerate", "out", "--overwrite") == 0
    assert lock().origins == {
        "https://api.example.com": True,
        "https://evil.example.com": False,
        "https://login.example.com": True,
    }
    assert json.loads(bindings.read_bytes())["origins"] == ["https://api.example.com", "https://login.example.com"]


def test_hard_05_of_tables_that_cannot_be_read_no_origin_was_promised() -> None:
    Path("api.json").write_bytes(moved_api("login.example.com"))
    assert run("generate", "api.json", "-o", "out", "--name", "zoo") == 0
    older = json.loads((OUT / locks.NAME).read_bytes())
    del older["origins"]
    (OUT / locks.NAME).write_text(json.dumps(older))
    (OUT / "zoo_mcp" / "bindings.json").write_text("{")
    assert run("regenerate", "out", "--overwrite") == 0
    assert lock().origins == dict.fromkeys(["https://api.example.com", "https://login.example.com"], False)
