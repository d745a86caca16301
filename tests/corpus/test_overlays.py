"""Apply an overlay, x-mcp keys and overrides of realistic size to a published document.

Serve the result, and call one tool.

The document lies beside the repository. The tests are skipped if it is missing.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.read.fetch import read
from mcpgen.regenerate.publish import plan, publish
from tests.runtime.process import Server
from tests.wire.upstream import listening

DOCUMENT = Path(__file__).parents[3] / "shared" / "corpus" / "dev" / "github-rest.json"
pytestmark = pytest.mark.skipif(not DOCUMENT.is_file(), reason="the corpus is not beside the repository")

NAMED = {
    "/repos/{owner}/{repo}": ("get", "get_repository"),
    "/repos/{owner}/{repo}/issues": ("get", "find_issues"),
    "/repos/{owner}/{repo}/issues/{issue_number}": ("get", "get_issue"),
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ("post", "comment_issue"),
    "/repos/{owner}/{repo}/pulls": ("get", "find_pulls"),
    "/repos/{owner}/{repo}/pulls/{pull_number}": ("get", "get_pull"),
    "/repos/{owner}/{repo}/pulls/{pull_number}/merge": ("put", "merge_pull"),
    "/repos/{owner}/{repo}/branches": ("get", "find_branches"),
    "/repos/{owner}/{repo}/commits": ("get", "find_commits"),
    "/repos/{owner}/{repo}/releases": ("get", "find_releases"),
}
HIDDEN = ("labels", "milestones", "assignees", "topics", "forks", "tags", "teams", "languages", "contributors", "keys")


def overlay() -> str:
    """Return an overlay of 33 actions: ten rename and describe, ten add a parameter, ten hide, three match many
    targets.
    """
    actions: list[dict[str, object]] = []
    for path, (method, name) in NAMED.items():
        words = f"{name.replace('_', ' ').capitalize()}, as our team wants it."
        target = f"$.paths['{path}'].{method}"
        actions.append({"target": target, "update": {"x-mcp": {"name": name, "description": words}}})
        extra = {"name": "X-Team", "in": "header", "schema": {"type": "string"}}
        actions.append({"target": target, "update": {"parameters": [extra]}})
    hidden = (f"$.paths['/repos/{{owner}}/{{repo}}/{last}']" for last in HIDDEN)
    actions += [{"target": target, "update": {"x-mcp": {"hidden": True}}} for target in hidden]
    actions.append({"target": "$.paths[?match(@.get.operationId, 'gists/.*')]", "remove": True})
    actions.append({"target": "$.paths.*[?@.deprecated == true]", "remove": True})
    actions.append({"target": "$.paths[*][?search(@.summary, '[Ee]nterprise')]", "update": {"x-mcp": {"hidden": True}}})
    return yaml.safe_dump({"overlay": "1.0.0", "info": {"title": "Ours", "version": "1"}, "actions": actions})


TOOLS = """
mcpgen: 1
server: {name: hub, title: Hub}
openapi: [{document: github-rest.json}]
ref_dir: [%s]
overlays: [ours.overlay.yaml]
include: ['path:/repos/{owner}/{repo}', 'path:/repos/{owner}/{repo}/*', 'path:/gists*']
overrides:
  issues/list-for-repo: {arguments: {x_team: {value: core}, per_page: {default: 10}, owner: {default: octo}}}
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    folder = tmp_path_factory.mktemp("overlaid")
    (folder / "ours.overlay.yaml").write_text(overlay())
    own = TOOLS.replace("document: github-rest.json", f"document: {DOCUMENT}") % DOCUMENT.parent
    (folder / "x.tools.yaml").write_text(own)
    return compile_source(read(str(folder / "x.tools.yaml")), Options(), Project())


def test_the_overlay_is_applied_as_it_says(found: Compiled) -> None:
    assert [str(each) for each in found.diagnostics if each.severity == "error"] == []
    assert [each for each in found.diagnostics if each.code in ("unused-overlay", "invalid-extension")] == []
    tools = {tool.name: tool for tool in found.catalog.tools}
    assert {name for _, name in NAMED.values()} <= tools.keys()
    for path, (method, name) in NAMED.items():
        tool = tools[name]
        assert (tool.operation.method.lower(), tool.operation.path) == (method, path)
        assert "as our team wants it." in tool.description
        assert name == "find_issues" or "x_team" in str(tool.input_schema["properties"])
    paths = {tool.operation.path for tool in found.catalog.tools}
    assert paths.isdisjoint(f"/repos/{{owner}}/{{repo}}/{last}" for last in HIDDEN)
    assert not any(path.startswith("/gists") for path in paths)
    assert not any(tool.operation.deprecated for tool in found.catalog.tools)


def test_a_tool_of_it_is_called(found: Compiled, tmp_path: Path) -> None:
    publish(plan(tmp_path / "out", found.tree, (), None), found.tree)
    with listening() as upstream:
        env = {"HUB_BASE_URL": f"http://127.0.0.1:{upstream.port}"}
        with Server(tmp_path / "out", package="hub_mcp", env=env) as server:
            assert not server.result("find_issues", repo="hello", state="open")["isError"]
        sent = upstream.received.get(timeout=120)
    assert sent.startswith(b"GET /repos/octo/hello/issues?"), sent
    assert b"per_page=10" in sent.split(b" ")[1]
    assert b"state=open" in sent.split(b" ")[1]
    assert b"\r\nX-Team: core\r\n" in sent
