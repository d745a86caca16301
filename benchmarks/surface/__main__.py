"""Measure the tools of published documents as a model sees them, and compare the results with limits.

    python -m benchmarks.surface [FOLDER] [--only GLOB] [--part PART,...] [--show N] [--pairs FILE]

FOLDER holds documents, and beside it is a `manifest.tsv` that names them. The default is the corpus beside the
repository. Parts: names, converters, tokens, descriptions, hints. `converters` runs the converters of model providers'
SDKs over every tool. `tokens` also counts the document's inputs that the tools show: fewer tokens are better only if no
input is lost. `--show` prints N examples of each finding; `--pairs` writes each tool and its o200k tokens.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import bars
from benchmarks.bars import Bar
from benchmarks.surface import converters, coverage, descriptions, hints, judged_names, names, tokenizer, tokens
from benchmarks.surface.documents import CORPUS, Surface, surfaces

PARTS = ("names", "converters", "tokens", "descriptions", "hints")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=CORPUS)
    parser.add_argument("--only", default="*")
    parser.add_argument("--part", type=_parts, default=PARTS)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--pairs", type=Path)
    chosen = parser.parse_args()
    found = list(surfaces(chosen.folder, chosen.only))
    if not found:
        parser.error(f"no document of {chosen.folder} matches {chosen.only}")
    held: list[Bar] = []
    for part in chosen.part:
        if part == "names":
            held += names.show([names.measure(surface) for surface in found], chosen.show)
            held += judged_names.show([judged_names.measure(surface) for surface in found], chosen.show)
        elif part == "converters":
            held += converters.show([converters.measure(surface) for surface in found], chosen.show)
        elif part == "tokens":
            held += _tokens(found, chosen.show, chosen.pairs)
            held += coverage.show([coverage.measure(surface) for surface in found], chosen.show)
        elif part == "hints":
            held += hints.show([hints.measure(surface) for surface in found], chosen.show)
        else:
            held += descriptions.show([descriptions.measure(surface) for surface in found], chosen.show)
    print()
    return bars.show(held)


def _parts(text: str) -> tuple[str, ...]:
    parts = tuple(text.split(","))
    if not set(parts) <= set(PARTS):
        raise argparse.ArgumentTypeError(f"parts are {', '.join(PARTS)}")
    return parts


def _tokens(found: list[Surface], examples: int, pairs: Path | None) -> list[Bar]:
    try:
        rows = tokens.measure(found)
    except tokenizer.Unavailable as reason:
        print(f"\ntokens: not claimed: {reason}")
        return []
    if pairs is not None:
        tokens.write_pairs(rows, pairs)
    return tokens.show(rows, examples)


if __name__ == "__main__":
    sys.exit(main())
