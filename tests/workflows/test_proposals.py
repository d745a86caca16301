"""Test the workflows that `mcpgen init --workflows` proposes: each is a comment, and compiles without its `#`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcpgen.cli import main

HERE, SPECS = Path(__file__).parent, Path(__file__).parents[2] / "specs"


def proposed(document: Path, folder: Path) -> str:
    """Return the tools file with all proposed workflows, and nothing else that is proposed."""
    file = folder / "tools.yaml"
    with pytest.raises(SystemExit) as ended:
        main(["init", str(document), "-o", str(file), "--workflows"])
    assert ended.value.code == 0
    before, _, workflows = file.read_text().partition("# tools:\n")
    told = before + "tools:\n" + re.sub("(?m)^#", "", workflows)
    file.write_text(told)
    return told


def test_links_and_ids_become_workflows(tmp_path: Path) -> None:
    told = proposed(HERE / "links.yaml", tmp_path)
    assert re.findall("- name: (.*)", told) == [
        "create_order_then_pay_order",
        "get_order_then_pay_order",
        "get_member_of_first_member",
        "list_members_of_first_team",
    ]
    assert '- {call: get_member, with: {team_id: "{list_teams/items/0/id}", member_id: "{list_members/0/id}"}}' in told
    assert 'arguments: {product: "string required", tags: "array required", card: "string required"}' in told
    assert "delete_member" not in told.partition("tools:\n")[2], "what writes is proposed only by the document's links"


def test_jobs_become_workflows(tmp_path: Path) -> None:
    told = proposed(HERE / "jobs.yaml", tmp_path)
    assert re.findall("- name: (.*)", told) == ["export_shop_and_wait", "start_build_and_wait"]
    assert (
        '- {call: get_build, with: {build_id: "{start_build/id}"}, until: "{get_build/status} == \'succeeded\' || '
        "{get_build/status} == 'failed'\", retry: {times: 30, seconds: 5}}"
    ) in told
    assert (
        '- {call: get_export_result, with: {shop: "{shop}", export_id: "{export_shop/export_id}"}, '
        "when: \"{get_export/status} == 'done'\"}"
    ) in told
    assert "ping_and_wait" not in told, "nothing in the document says where to look"


@pytest.mark.parametrize("document", [HERE / "links.yaml", HERE / "jobs.yaml", SPECS / "petstore.openapi.yaml"])
def test_each_proposal_compiles(document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = proposed(document, tmp_path)
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["check", str(tmp_path / "tools.yaml")])
    assert ended.value.code == 0, capsys.readouterr().err
    assert "- name: " in told


def test_nothing_is_proposed_unasked(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["init", str(HERE / "links.yaml"), "-o", str(tmp_path / "tools.yaml")])
    assert "steps:" not in (tmp_path / "tools.yaml").read_text()
