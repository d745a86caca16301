"""A server of ours stands every attack of docs/explanation/attacks.md; whole processes, judged by bytes."""

from __future__ import annotations

import pytest

from benchmarks.attacks.scenes import SCENES
from benchmarks.attacks.scenes.verdicts import Scene
from benchmarks.attacks.subjects import Subject, ours


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return ours(tmp_path_factory.mktemp("attacks"))


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.case} {scene.attack}")
def test_it_stands(scene: Scene, subject: Subject) -> None:
    verdict = scene.judge(subject)
    assert verdict.held, verdict.what
