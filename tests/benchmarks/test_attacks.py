"""Run every attack of docs/explanation/attacks.md on the process of a generated server.

The server must withstand each attack.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.attacks.scenes import SCENES
from benchmarks.attacks.scenes.verdicts import Scene
from benchmarks.attacks.subjects import Subject, ours

HEAVY = {"HARD-19"}
"""Attacks that are left out here, because they send half a gigabyte. `tests/hostile/test_crowded.py` covers them."""


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return replace(ours(tmp_path_factory.mktemp("attacks")), patience=120.0)


AS_PARAMETERS = [
    pytest.param(scene, id=f"{scene.case} {scene.attack}", marks=pytest.mark.slow if scene.case in HEAVY else ())
    for scene in SCENES
]


@pytest.mark.parametrize("scene", AS_PARAMETERS)
def test_it_stands(scene: Scene, subject: Subject) -> None:
    verdict = scene.judge(subject)
    assert verdict.held, verdict.what
