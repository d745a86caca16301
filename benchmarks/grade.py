"""Print the tables of `docs/explanation/grade.md`: twelve graded documents, and faults made by machine.

    python -m benchmarks.grade [--faults N]

The documents stand in the corpus beside the repository. With each stands its grade, the change that would help most,
and the score after the overlay of `mcpgen grade --patch` is applied. With `--faults`, each fault is made in at most N
operations of each document of `tests/grade/calibration.py` instead.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mcpgen.emit import table
from mcpgen.grade import patch
from mcpgen.grade.grade import Grade, grade
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch
from tests.grade.calibration import CORPUS, Outcome, outcomes
from tests.grade.calibration import DOCUMENTS as DOCUMENTS_WITH_FAULTS
from tests.grade.faults import FAULTS

DOCUMENTS = {
    "Adyen Checkout": "adyen-checkout-v71.json",
    "Box": "box.json",
    "GitHub": "github-rest.json",
    "Jira": "jira.json",
    "Notion": "notion.json",
    "OpenAI": "openai.yaml",
    "SendGrid": "sendgrid.json",
    "Slack": "slack-web-swagger2.json",
    "Spotify": "spotify.json",
    "Stripe": "stripe.yaml",
    "Twilio Verify": "twilio-verify-v2.yaml",
    "Xero Accounting": "xero-accounting.json",
}


def _compiled(source: Path, *overlays: str) -> tuple[Compiled, Grade]:
    compiled = compile_source(fetch.read(str(source)), Options(overlay=overlays))
    return compiled, grade(compiled.catalog, compiled.definitions)


def row(name: str, source: Path) -> str:
    """Return the row of the table for one document."""
    compiled, found = _compiled(source)
    first = found.changes[0]
    after, more = "the same", ""
    if actions := patch.actions(compiled.catalog, compiled.sources.described_by):
        with tempfile.TemporaryDirectory() as folder:
            overlay = Path(folder) / "overlay.yaml"
            overlay.write_bytes(patch.overlay(actions, source.name))
            patched, better = _compiled(source, str(overlay))
        old, new = (sum(map(table.cost, each.catalog.tools)) for each in (compiled, patched))
        after, more = f"{better.score:.1f}", f"+{100 * (new - old) / old:.1f} %"
    change = f"`{first.rule.name}` (+{first.gain:.1f})"
    return f"| {name} | {len(found.tools):,} | {found.letter} | {found.score:.1f} | {change} | {after} | {more} |"


def rows(folder: Path, largest: int | None = None) -> Iterator[str]:
    """Yield the row of each document in the folder that is not larger than `largest` bytes."""
    for name, file in DOCUMENTS.items():
        path = folder / file
        if path.exists() and (largest is None or path.stat().st_size <= largest):
            yield row(name, path)


def calibration(most: int) -> Iterator[str]:
    """Yield the row of each fault: how often it was made, how often noticed, and how many other tools changed."""
    with tempfile.TemporaryDirectory() as folder:
        for fault, rule in FAULTS.items():
            found: list[Outcome] = []
            for name in DOCUMENTS_WITH_FAULTS:
                found += itertools.islice(outcomes(name, fault, rule, Path(folder)), most)
            noticed, stray = sum(each.is_noticed for each in found), sum(len(each.elsewhere) for each in found)
            yield f"| {fault.__name__.replace('_', ' ')} | `{rule}` | {len(found)} | {noticed} | {stray} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, metavar="N")
    most = parser.parse_args().faults
    for each in rows(CORPUS) if most is None else calibration(most):
        print(each, flush=True)


if __name__ == "__main__":
    main()
