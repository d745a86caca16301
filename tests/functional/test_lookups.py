"""Test a generated server with `lookups: true`, as a process: an argument may be a name instead of an id.

The server then makes the calls that find the id. If several things have the name, a call that writes is refused.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcpgen.cli import main
from tests.functional.films import DOCUMENT, TOOLS_FILE, Api
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META
from tests.streamable import servers
from tests.streamable.messages import encoded, mirrored


class Speaker(NamedTuple):
    """MCP client of a server, over one transport. `ask` returns the result or the error of one request."""

    ask: Callable[[str, dict[str, Any]], Any]

    def call(self, tool: str, arguments: dict[str, Any], **more: Any) -> Any:
        Api.seen.clear()
        return self.ask("tools/call", {"name": tool, "arguments": arguments, **more})


@pytest.fixture(scope="module")
def api() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def generated(folder: Path, api: ThreadingHTTPServer, surface: str) -> Path:
    (folder / "openapi.yaml").write_text(DOCUMENT % api.server_port)
    (folder / "tools.yaml").write_text(TOOLS_FILE % surface)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, api: ThreadingHTTPServer) -> Path:
    """Return the folder of a generated server `caller` for the running API."""
    return generated(tmp_path_factory.mktemp("lookups"), api, "all")


def started(project: Path, **more: str) -> Server:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return Server(project, package="caller_mcp", env={**kept, "CALLER_ROLES": "clerk", **more})


def by_stdio(server: Server) -> Speaker:
    def ask(method: str, params: dict[str, Any]) -> Any:
        whole = {**params, "_meta": {**ENVELOPE, META + "clientCapabilities": {"elicitation": {}}}}
        server.say(json.dumps({"jsonrpc": "2.0", "id": "c", "method": method, "params": whole}).encode() + b"\n")
        message = server.message()
        return message.get("result", message)

    return Speaker(ask)


def by_http(server: servers.Server) -> Speaker:
    def ask(method: str, params: dict[str, Any]) -> Any:
        whole = {**params, "_meta": {**ENVELOPE, META + "clientCapabilities": {"elicitation": {}}}}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": whole}
        found = server.ask("POST", fields=mirrored(message), body=encoded(message)).message
        return found.get("result", found)

    return Speaker(ask)


class _Api(NamedTuple):
    port: int


@pytest.fixture(scope="module", params=["stdio", pytest.param("http", marks=pytest.mark.slow)])
def speaker(request: pytest.FixtureRequest, project: Path, api: ThreadingHTTPServer) -> Iterator[Speaker]:
    """Yield a client of one server, once for each transport."""
    if request.param == "stdio":
        with started(project) as running:
            yield by_stdio(running)
        return
    with servers.Server(project, _Api(api.server_port), "aiohttp", ROLES="clerk") as serving:  # type: ignore[arg-type]
        yield by_http(serving)


@pytest.fixture(scope="module")
def local(project: Path) -> Iterator[Speaker]:
    with started(project) as running:
        yield by_stdio(running)


def texts(result: Any) -> list[str]:
    return [block["text"] for block in result["content"]]


def test_what_is_listed(local: Speaker) -> None:
    tools = {tool["name"]: tool["inputSchema"] for tool in local.ask("tools/list", {})["tools"]}
    assert list(tools["get_movie"]["properties"]) == ["movie_id", "movie"]
    assert "required" not in tools["get_movie"]
    assert tools["get_movie"]["properties"]["movie_id"]["description"].endswith("Or give movie.")
    told = tools["get_movie"]["properties"]["movie"]["description"]
    assert told == "The title, in place of movie_id: search_movies finds the id. Give exactly one of the two."
    exact = tools["rate_movie"]["properties"]["movie"]["description"]
    assert exact.startswith("The exact title, in place of movie_id:")
    assert list(tools["get_member"]["properties"]) == ["team_id", "team", "member_id", "member"]
    assert list(tools["write_report"]["properties"])[:2] == ["movie", "team_id"]
    assert {"movie_name", "team"} < set(tools["write_report"]["properties"]), "no name is taken twice"


READS: list[tuple[str, dict[str, Any], list[str], str]] = [
    (
        "get_movie",
        {"movie": "titanic ii"},
        ["GET /search/movie?query=titanic%20ii", "GET /movie/2"],
        "movie: Titanic II (2010), id 2",
    ),
    (
        "get_movie",
        {"movie": "Titanic"},
        ["GET /search/movie?query=Titanic", "GET /movie/597"],
        "movie: Titanic (1997), id 597 (the first of 2 that are called so; also Titanic (1953), id 16535)",
    ),
    (
        "get_movie",
        {"movie": "titan"},
        ["GET /search/movie?query=titan", "GET /movie/597"],
        "movie: Titanic (1997), id 597 (the first that was found, none is called so; also Titanic (1953), id 16535;"
        " Titanic II (2010), id 2)",
    ),
    ("get_movie", {"movie_id": 8}, ["GET /movie/8"], ""),
    (
        "list_members",
        {"team": "Team 5"},
        ["GET /teams", "GET /teams?page=2", "GET /teams?page=3", "GET /teams/t5/members"],
        "team: Team 5, id t5",
    ),
    (
        "get_member",
        {"team": "Team 4", "member": "ann"},
        [
            "GET /teams",
            "GET /teams?page=2",
            "GET /teams?page=3",
            "GET /teams/t4/members",
            "GET /teams/t4/members/74",
        ],
        "team: Team 4, id t4\nmember: Ann, id 74",
    ),
    ("get_member", {"team_id": "t4", "member_id": 1}, ["GET /teams/t4/members/1"], ""),
]


@pytest.mark.parametrize(("tool", "arguments", "requests", "said"), READS)
def test_a_name_is_the_calls_that_it_stands_for(
    speaker: Speaker, tool: str, arguments: dict[str, Any], requests: list[str], said: str
) -> None:
    result = speaker.call(tool, arguments)
    assert Api.seen == requests
    assert "\n".join(texts(result)).endswith(said)
    if not result["isError"] and tool == "get_movie" and said:
        assert result["structuredContent"]["_text"] == said, "an output schema is kept, and says the same"


REFUSED: list[tuple[str, dict[str, Any], int, str]] = [
    ("get_movie", {}, 0, "movie_id: is required, or movie in its place"),
    ("get_movie", {"movie": "Alien", "movie_id": 8}, 0, "movie: is given beside movie_id; give one of the two"),
    ("get_movie", {"movie": "  "}, 0, "movie: is empty"),
    (
        "get_movie",
        {"movie": "Nothing"},
        1,
        "movie 'Nothing', looked up by search_movies: none was found. Give movie_id.",
    ),
    ("get_movie", {"movie": "broken"}, 4, "looked up by search_movies: that failed: HTTP 500"),
    ("list_members", {"team": "Twins"}, 3, "2 are called so: Twins, id t7; Twins, id t8. Give team_id."),
    ("list_members", {"team": "Team"}, 3, "none is called so. There are Team 1, id t1; Team 2, id t2;"),
    (
        "rate_movie",
        {"movie": "Titanic", "value": 9},
        1,
        "rate_movie was not called. movie 'Titanic', looked up by search_movies: 2 are called so: Titanic (1997), id"
        " 597; Titanic (1953), id 16535. Give movie_id.",
    ),
    ("rate_movie", {"movie": "Titan", "value": 9}, 1, "none is called so. There are Titanic (1997), id 597;"),
    ("rate_movie", {"movie": "Titanic I", "value": 9}, 1, "none is called so. There is Titanic II (2010), id 2."),
    ("rate_movie", {"movie": "many", "value": 9}, 10, "there are more than were looked through; called so: Many"),
]


@pytest.mark.parametrize(("tool", "arguments", "requests", "said"), REFUSED)
def test_what_is_not_certain_is_not_called(
    local: Speaker, tool: str, arguments: dict[str, Any], requests: int, said: str
) -> None:
    result = local.call(tool, arguments)
    assert result["isError"]
    assert said in texts(result)[0]
    assert len(Api.seen) <= requests
    assert all(each.startswith(("GET /search/movie", "GET /teams")) for each in Api.seen)
    assert not any("/members" in each for each in Api.seen)


def test_a_list_that_says_that_it_goes_on_is_not_whole(local: Speaker) -> None:
    result = local.call("rate_movie", {"movie": "more", "value": 9})
    assert "there are more than were looked through; called so: More (2001), id 77" in texts(result)[0]


def test_a_call_that_writes_takes_the_only_one(local: Speaker) -> None:
    result = local.call("rate_movie", {"movie": "alien", "value": 9})
    assert Api.seen[-1] == 'POST /movie/8/rating {"value":9}'
    assert texts(result)[-1] == "movie: Alien (1979), id 8"


def test_names_of_the_api_are_one_line_of_what_is_seen(local: Speaker) -> None:
    told = texts(local.call("get_movie", {"movie": "aliens"}))[-1]
    assert told == "movie: Aliens id 8 (1986), id 9 (the first that was found, none is called so)"


@pytest.mark.parametrize(("action", "sent"), [("accept", True), ("decline", False)])
def test_the_user_sees_what_was_found(speaker: Speaker, action: str, sent: bool) -> None:
    asked = speaker.call("delete_movie", {"movie": "Titanic II"})
    question = asked["inputRequests"]["confirm"]["params"]["message"]
    assert "/movie/2\n" in question
    assert '- movie: "Titanic II"\n- movie_id: "2, looked up: movie: Titanic II (2010), id 2"' in question
    assert not any(each.startswith("DELETE") for each in Api.seen)
    answer = {"inputResponses": {"confirm": {"action": action}}, "requestState": asked["requestState"]}
    result = speaker.call("delete_movie", {"movie": "Titanic II"}, **answer)
    assert ("DELETE /movie/2" in Api.seen) is sent
    assert "movie: Titanic II (2010), id 2" in "\n".join(texts(result))


def test_a_yes_is_for_the_item_that_was_seen(local: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = local.call("delete_movie", {"movie": "Alien"})
    monkeypatch.setattr("tests.functional.films.MOVIES", [(666, "Alien", "1979-05-25")])
    answer = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": asked["requestState"]}
    result = local.call("delete_movie", {"movie": "Alien"}, **answer)
    assert result["isError"]
    assert not any(each.startswith("DELETE") for each in Api.seen)


def test_what_the_caller_may_not_call_is_not_called(project: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    with started(project, CALLER_ROLES="nobody", CALLER_AUDIT=str(audit), CALLER_AUDIT_ARGUMENTS="true") as server:
        speaker = by_stdio(server)
        refused = speaker.call("list_members", {"team": "Team 1"})
        assert Api.seen == []
        allowed = speaker.call("list_members", {"team_id": "t1"})
        speaker.call("rate_movie", {"movie": "alien", "value": 9})
        server.end()
        assert server.ended() == 0
    assert refused["isError"]
    assert "The tool list_teams is not offered" in texts(refused)[0]
    assert not allowed["isError"]
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [(each["tool"], each["outcome"]) for each in lines] == [
        ("list_members", "refused"),
        ("list_members", "ok"),
        ("search_movies", "ok"),
        ("rate_movie", "ok"),
    ]
    assert lines[2]["within"] == lines[3]["call"]
    assert lines[2]["arguments"] == '{"query":"alien"}'
    assert lines[3]["looked_up"] == '{"movie_id":8}'


@pytest.mark.slow
def test_a_call_through_a_search_is_the_same(tmp_path: Path, api: ThreadingHTTPServer) -> None:
    with started(generated(tmp_path, api, "search")) as server:
        speaker = by_stdio(server)
        described = speaker.call("describe_tools", {"names": ["get_movie"]})
        direct = speaker.call("get_movie", {"movie": "alien"})
        through = speaker.call("call_tool", {"name": "get_movie", "arguments": {"movie": "alien"}})
    assert "movie?: str" in texts(described)[0]
    assert direct == through


@pytest.mark.slow
def test_a_change_of_the_tools_file_is_additive(tmp_path: Path, api: ThreadingHTTPServer) -> None:
    project = generated(tmp_path, api, "all")
    settings = tmp_path / "tools.yaml"
    wanted = settings.read_text()
    without = tmp_path / "without.yaml"
    without.write_text(wanted.replace(", lookups: true", ""))
    with pytest.raises(SystemExit) as ended:
        main(["diff", str(without), str(project), "--fail-on", "breaking"])
    assert ended.value.code == 0
    with pytest.raises(SystemExit) as ended:
        main(["diff", str(project), str(without), "--fail-on", "breaking"])
    assert ended.value.code != 0
