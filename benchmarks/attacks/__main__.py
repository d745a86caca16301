"""Try attacks and faults on a server of ours and on FastMCP's `from_openapi`, from the same document.

    python -m benchmarks.attacks [--only CASE] [--markdown]

A judge decides each case by bytes: what the API received on a raw socket, what the server wrote, whether its process
lives. The cases are those of the threat model (tests/requirements.py). The exit code is 1 if our server fails a case.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.attacks.scenes import SCENES
from benchmarks.attacks.scenes.verdicts import Scene, Verdict
from benchmarks.attacks.subjects import Subject, ours, peer


def _judged(scene: Scene, subject: Subject) -> Verdict:
    try:
        return scene.judge(subject)
    except Exception as problem:  # a server that an attack kills must not end the whole run
        return Verdict(False, f"the conversation broke: {type(problem).__name__}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases that begin so, such as UP")
    parser.add_argument("--markdown", action="store_true", help="the table as docs/explanation/attacks.md has it")
    options = parser.parse_args()
    row = "| {} | {} | {} | {} |" if options.markdown else "{:8} {:36} {:48} {}"
    marks = ("no: ", "yes: ") if options.markdown else ("FAILED ", "held   ")
    chosen = [scene for scene in SCENES if scene.case.startswith(options.only)]
    with tempfile.TemporaryDirectory() as folder:
        tried = [ours(Path(folder)), peer(Path(folder))]
        print(row.format("case", "attack", *(subject.name for subject in tried)))
        if options.markdown:
            print("|---|---|---|---|")
        counts = dict.fromkeys((subject.name for subject in tried), 0)
        for scene in chosen:
            verdicts = [_judged(scene, subject) for subject in tried]
            for subject, verdict in zip(tried, verdicts, strict=True):
                counts[subject.name] += verdict.held
            print(
                row.format(scene.case, scene.attack, *(marks[each.held] + each.what for each in verdicts)), flush=True
            )
    print("\n" + ", ".join(f"{name} stood {count} of {len(chosen)}" for name, count in counts.items()))
    return 0 if counts[tried[0].name] == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
