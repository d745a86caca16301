"""Test arguments that take a name instead of an id, for callers with access tokens: the server never looks up the id
with a tool that the caller may not call.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from mcpgen.cli import main
from tests.functional.films import DOCUMENT, TOOLS_FILE, Api
from tests.identity.guarded import URL, Guarded
from tests.identity.issuer import Issuer
from tests.streamable.messages import calling
from tests.streamable.servers import Server

pytestmark = pytest.mark.slow


class _Upstream(NamedTuple):
    port: int


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Yield a server whose callers have roles in their tokens. Only the role `clerk` may call `list_teams`."""
    folder = tmp_path_factory.mktemp("films")
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api, Issuer() as issuer:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        (folder / "openapi.yaml").write_text(DOCUMENT % api.server_port)
        (folder / "tools.yaml").write_text(TOOLS_FILE % "all")
        with pytest.raises(SystemExit) as ended:
            main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out")])
        assert ended.value.code == 0
        settings = {"HTTP_URL": URL, "AUTH_ISSUER": issuer.name, "AUTH_ROLES_CLAIM": "roles", "AUDIT": "stderr"}
        upstream: Any = _Upstream(api.server_port)
        with Server(folder / "out", upstream, "aiohttp", None, (), **settings) as server:
            found = Guarded(server, issuer, issuer)
            yield found
        found.search()
        api.shutdown()


def called(guarded: Guarded, roles: list[str], **arguments: Any) -> Any:
    Api.seen.clear()
    answer = guarded.call(guarded.bearer(roles=roles), calling("list_members", **arguments))
    assert answer.status == 200
    return answer.message["result"]


def test_a_caller_of_the_role_may_give_a_name(guarded: Guarded) -> None:
    result = called(guarded, ["clerk"], team="Team 1")
    assert not result["isError"]
    assert Api.seen[-1] == "GET /teams/t1/members"


def test_nothing_is_looked_up_by_a_tool_of_another_role(guarded: Guarded) -> None:
    result = called(guarded, ["guest"], team="Team 1")
    assert result["isError"]
    assert "The tool list_teams is not offered: no role of this caller" in result["content"][0]["text"]
    assert Api.seen == []
    assert not called(guarded, ["guest"], team_id="t1")["isError"]
