"""Test the log: each event is exactly one line, whatever its values contain."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from package.runtime.core import log


@pytest.mark.parametrize(
    "value",
    [
        *("x\nERROR fake", "\x1b[31mred", "\u202e\u2028", "\ud800", 'quote"'),
        *("y" * 100_000, "\u20ac" * 500, "\x00" * 9_000, "\U0001f600" * 9_000),
    ],
    ids=lambda value: ascii(value[:8]),
)
def test_cfg_04_one_physical_line_of_ascii(value: str, capfd: Any) -> None:
    log.event("warning", "odd", value=value, number=3)
    written = capfd.readouterr().err
    assert written.isascii()
    assert written.isprintable() is False
    assert written[:-1].isprintable()
    assert len(written) < 4096
    event = json.loads(written)
    assert (event["level"], event["event"], event["number"]) == ("warning", "odd", 3)
    assert event["value"][:1] == value[:1].replace("\ud800", "\ufffd")


def test_levels(capfd: Any) -> None:
    for threshold, expected in (("debug", 4), ("info", 3), ("warning", 2), ("error", 1)):
        log.set_level(threshold)
        for level in log.LEVELS:
            log.event(level, "said")
        assert len(capfd.readouterr().err.splitlines()) == expected


def test_a_line_of_many_fields_is_cut_until_it_fits(capfd: Any) -> None:
    log.event("error", "large", short="whole", **{f"field_{number}": "x" * 400 for number in range(20)})
    written = capfd.readouterr().err
    assert 2048 < len(written) <= 4096
    event = json.loads(written)
    assert event["short"] == "whole"
    assert {len(event[f"field_{number}"]) for number in range(20)} == {125}


def test_a_line_that_would_block_is_left_out_whole(capfd: Any) -> None:
    log.event("error", "large", numbers=[*range(2000)])
    assert capfd.readouterr().err == ""


def test_life_06_without_stderr_nothing_happens() -> None:
    kept = os.dup(2)
    try:
        os.close(2)
        log.event("error", "unheard")
    finally:
        os.dup2(kept, 2)
        os.close(kept)
