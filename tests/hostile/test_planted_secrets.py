"""Plant 200 secrets in documents and configurations, and search everything that mcpgen writes and prints for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bundle.releases import archived, is_archive
from tests.command import Done, mcpgen
from tests.hostile import planted_configurations, planted_documents
from tests.hostile.planted_documents import Plants

SEEDS = (1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3)))
DESCRIPTIONS = ("openapi", "collection", "discovery")
PLAIN = """
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: https://a.example}]
paths:
  /a: {get: {operationId: a, tags: [all], responses: {"200": {description: ok}}}}
"""


def leaks(plants: Plants, texts: dict[str, bytes]) -> list[str]:
    """Return the places of planted values that occur in `texts`, as "place of the value in name of the text"."""
    folded = {name: data.lower() for name, data in texts.items()}
    return [
        f"{place} in {name}"
        for value, place in plants.planted.items()
        for name, data in folded.items()
        if value.lower().encode() in data
    ]


def written(folder: Path) -> dict[str, bytes]:
    """Return a mapping from path to contents of all files in a folder, and of all files in archives there."""
    found: dict[str, bytes] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name, data = path.relative_to(folder).as_posix(), path.read_bytes()
        found |= {f"{name}/{inside}": each for inside, each in archived(name, data)} if is_archive(name) else {}
        found[name] = data
    return {**found, "names of files": "\n".join(found).encode()}


def printed(name: str, done: Done) -> dict[str, bytes]:
    return {f"{name}: {stream}": text.encode() for stream, text in (("out", done.stdout), ("err", done.stderr))}


def compiled(source: Path, folder: Path) -> dict[str, bytes]:
    """Return everything that the commands write and print about a document."""
    texts: dict[str, bytes] = {}
    project = folder / "project"
    for name, arguments in {
        "generate": ("generate", str(source), "-o", str(project)),
        "check": ("check", str(source), "--format", "json"),
        "inspect": ("inspect", str(source), "--format", "json"),
        "inspect --html": ("inspect", str(source), "--html", str(folder / "page.html")),
        "init": ("init", str(source), "-o", str(folder / "init.yaml")),
    }.items():
        texts |= printed(name, mcpgen(*arguments))
    if project.is_dir():
        texts |= printed("bundle", mcpgen("bundle", str(project), "-o", str(folder / "release")))
        assert (folder / "release").is_dir(), texts["bundle: err"].decode()
    return {**texts, **written(folder)}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", DESCRIPTIONS)
def test_no_secret_of_a_document_is_written_or_printed(kind: str, seed: int, tmp_path: Path) -> None:
    plants = Plants(seed)
    write: Callable[[Plants], dict[str, Any]] = getattr(planted_documents, kind)
    source = tmp_path / "in" / "source.json"
    source.parent.mkdir()
    source.write_text(json.dumps(write(plants), indent=1))
    (tmp_path / "out").mkdir()
    texts = compiled(source, tmp_path / "out")
    assert leaks(plants, texts) == []
    assert any(name.endswith("tools.json") for name in texts), texts["generate: err"].decode()
    told = texts["generate: err"].decode()
    assert "[secret-left-out]" in told
    assert "source.json:" in told


def test_the_documents_have_200_secrets() -> None:
    plants = Plants(1)
    for kind in (*DESCRIPTIONS, "tools_file"):
        getattr(planted_documents, kind)(plants)
    planted_configurations.script(plants, "api.yaml")
    planted_configurations.configuration(plants, "api.yaml")
    assert len(plants.planted) >= 200


@pytest.mark.parametrize("seed", SEEDS)
def test_no_secret_of_a_tools_file_is_written_or_printed(seed: int, tmp_path: Path) -> None:
    plants = Plants(seed)
    source = tmp_path / "in" / "source.yaml"
    source.parent.mkdir()
    source.write_text(yaml.safe_dump(planted_documents.tools_file(plants)))
    (tmp_path / "out").mkdir()
    texts = compiled(source, tmp_path / "out")
    assert leaks(plants, texts) == []
    assert "[secret-constant]" in texts["generate: err"].decode(), "the owner must move the value to `security`"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["script", "configuration"])
def test_adopt_copies_no_secret(kind: str, seed: int, tmp_path: Path) -> None:
    plants = Plants(seed)
    document = tmp_path / "api.yaml"
    document.write_text(PLAIN)
    if kind == "script":
        source = tmp_path / "server.py"
        source.write_text(planted_configurations.script(plants, str(document)))
    else:
        source = tmp_path / "mcp.json"
        source.write_text(json.dumps(planted_configurations.configuration(plants, str(document)), indent=1))
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "mcpgen.yaml"
    texts = printed("adopt", mcpgen("adopt", str(source), "-o", str(target)))
    assert target.is_file(), texts["adopt: err"].decode()
    texts |= printed("adopt as JSON", mcpgen("adopt", str(source), "-o", "-", "--format", "json"))
    texts |= compiled(target, tmp_path / "out")
    assert leaks(plants, texts) == []


def test_a_finding_about_the_text_quotes_no_secret(tmp_path: Path) -> None:
    key = Plants(1).form("key")
    source = tmp_path / "source.json"
    source.write_text(PLAIN.replace('version: "1"', f'version: "1", {key}: 1, {key}: 2'))
    done = mcpgen("generate", str(source), "-o", str(tmp_path / "out"))
    assert "[duplicate-key]" in done.stderr
    assert key not in done.stderr
