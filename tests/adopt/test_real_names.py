"""Compare the tool names that mcpgen derives with those of other MCP generators, for published documents and public
configurations.
"""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mcpgen.adopt import operations, selection
from mcpgen.adopt.programs import generator, ivotoby
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.read.document import load
from tests.adopt import real
from tests.adopt.configurations import SHOP, configurations
from tests.interop.environments import Missing

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
MOST_BYTES = 1_500_000

pytestmark = pytest.mark.world


@pytest.fixture(scope="module", autouse=True)
def _environments() -> None:
    try:
        real.python_home()
        real.node_home()
    except (Missing, RuntimeError, OSError, subprocess.SubprocessError) as reason:
        pytest.skip(f"the other tools cannot be installed here: {str(reason)[-300:]}")


@pytest.fixture(scope="module")
def documents() -> list[str]:
    if not CORPUS.is_dir():
        pytest.skip("the published documents are not here")
    with (CORPUS / "manifest.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if int(row["bytes"]) < MOST_BYTES]
    return [str(CORPUS / row["path"]) for row in rows if row["path"].startswith("dev/")]


def _listed(path: str) -> tuple[operations.RawOperation, ...]:
    return operations.listed(load(path, Path(path).read_bytes(), Diagnostics()).value, {})


def _has_references(path: str) -> bool:
    """Return True if a path or operation of a document is a `$ref`.

    The compiler resolves such references, but this test does not, so it skips these documents.
    """
    document: Any = load(path, Path(path).read_bytes(), Diagnostics()).value
    items = document.get("paths", {}).values()
    inside = (each for item in items for each in item.values() if isinstance(each, dict))
    return any("$ref" in each for each in (*items, *inside))


def _compare(documents: list[str], answers: list[Any], ours: Any) -> None:
    count = 0
    for path, theirs in zip(documents, answers, strict=True):
        if theirs is None or _has_references(path):
            continue
        count += len(theirs)
        missing = {str(each) for each in theirs} - {str(each) for each in ours(_listed(path))}
        assert not missing, path
    assert count > 1500


def test_the_names_of_fastmcp(documents: list[str], tmp_path: Path) -> None:
    answers = real.ask("names_fastmcp.py", documents, tmp_path)
    _compare(
        documents, answers, lambda found: [name for _, _, name in selection.fastmcp_names(found, {}, lambda _: "tool")]
    )


def test_the_names_of_the_packages_of_node(documents: list[str], tmp_path: Path) -> None:
    answers = real.ask("names_node.mjs", documents, tmp_path)

    def of(key: str) -> list[Any]:
        return [answer[key] for answer in answers]

    _compare(documents, of("generator"), lambda found: [name for _, name in generator.assign(found, 64)])
    _compare(documents, of("former"), lambda found: [name for _, name in generator.assign_former(found)])
    for key, abbreviates in (("ivotoby", True), ("plain", False)):
        _compare(
            documents,
            of(key),
            lambda found, abbreviates=abbreviates: [
                [id_, name]
                for _, id_, name in ivotoby.assign(operations.in_written_order(found), abbreviates=abbreviates)
            ],
        )


def test_the_names_of_the_configurations(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Run other MCP generators on public configurations, and compare their tool names with the stored ones."""
    rows = [each for each in configurations() if not each.refused]
    scripts = [each for each in rows if each.file.endswith(".py")]
    generated = [each for each in rows if "openapi-mcp-generator" in each.command + each.text]
    servers = [each for each in rows if each not in scripts and each not in generated]
    jobs = [real.job_of_script(each, tmp_path / str(index)) for index, each in enumerate(scripts)]
    found = dict(zip((each.name for each in scripts), real.ask("names_of_script.py", jobs, tmp_path), strict=True))
    answers = real.ask("names_of_command.py", [real.job_of_command(each) for each in servers], tmp_path)
    found |= dict(zip((each.name for each in servers), answers, strict=True))
    (of_shop,) = real.ask("names_node.mjs", [str(SHOP)], tmp_path)
    found |= {each.name: [*of_shop["generator"], *of_shop["former"]] for each in generated}
    written = {name: sorted(set(names)) for name, names in sorted(found.items())}
    if request.config.getoption("--update"):
        real.ANSWERS.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    assert written == json.loads(real.ANSWERS.read_text(encoding="utf-8"))
