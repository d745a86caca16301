"""Compile each document of the corpus, a collection of published API documents, and print the results as a table.

    python -m benchmarks.corpus [FOLDER]

FOLDER holds documents, and beside it is a `manifest.tsv` that counts their operations. The default is the corpus beside
the repository. At least 99.9 % of the operations that OpenAPI can express must become tools. The table marks reasons
for skipping an operation that OpenAPI cannot express. Login operations are counted separately: they become tools only
if the server's owner allows it.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.bars import Bar, show
from mcpgen.base.errors import FatalError
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "dev"

INEXPRESSIBLE = {
    "invalid-path": "the path holds characters that no path has",
    "invalid-media-type": "the body names no media type",
    "unsupported-method": "TRACE; names that are no methods",
    "unsupported-body": "a form that is not an object: its fields have no names",
}
"""Codes of reasons whose cause is the document: OpenAPI forbids or cannot express what the document says."""


LOGIN = "login-operation"


class Row(NamedTuple):
    """The results of one document.

    `skipped`: reason for which operations became no tools → number of these operations. Login operations have the
    reason LOGIN. `refusal`: the error if the document cannot be compiled, or "".
    """

    name: str
    operations: int
    tools: int
    skipped: Counter[str]
    seconds: float
    list_bytes: int
    refusal: str


def rows(folder: Path) -> Iterator[Row]:
    """Compile each document that the manifest lists in `folder`, and yield the numbers of its operations and tools."""
    with (folder.parent / "manifest.tsv").open(encoding="utf-8", newline="") as table:
        entries = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    for entry in entries:
        if entry["path"].startswith(f"{folder.name}/"):
            yield row(folder.parent / entry["path"], folder, int(entry["operations"]))


def row(path: Path, folder: Path, operations: int) -> Row:
    """Compile one document, and return its results."""
    name = path.relative_to(folder).as_posix()
    started = time.perf_counter()
    try:
        compiled = compile_source(fetch.read(str(path)), Options())
    except FatalError as end:
        return Row(name, operations, 0, Counter(), time.perf_counter() - started, 0, str(end))
    seconds = time.perf_counter() - started
    catalog = compiled.catalog
    skipped = Counter(entry.reason.code for entry in catalog.skipped)
    skipped += Counter(each.code for each in compiled.diagnostics if each.code == LOGIN)
    size = len(compiled.tree[f"{catalog.identity.package}/tools.json"])
    return Row(name, operations, len(catalog.tools), skipped, seconds, size, "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=CORPUS)
    found = list(rows(parser.parse_args().folder))
    print(f"{'document':52} {'operations':>10} {'tools':>6} {'seconds':>8} {'list kB':>8}  skipped")
    for each in found:
        why = ", ".join(f"{count} {code}" for code, count in sorted(each.skipped.items())) or each.refusal
        print(
            f"{each.name[-52:]:52} {each.operations:10,} {each.tools:6,} {each.seconds:8.2f} "
            f"{each.list_bytes / 1000:8.0f}  {why}"
        )
    total = sum(each.operations for each in found)
    tools = sum(each.tools for each in found)
    by_code = sum((each.skipped for each in found), Counter[str]())
    beyond = sum(count for code, count in by_code.items() if code in INEXPRESSIBLE or code == LOGIN)
    print(f"\n{len(found)} documents, {total:,} operations, {tools:,} tools, skipped: {dict(by_code)}")
    for code in sorted(by_code):
        print(f"  {code}: {INEXPRESSIBLE.get(code, 'hidden' if code == LOGIN else 'expressible')}")
    unread = [each.name for each in found if each.operations and not each.tools]
    return show(
        [
            Bar(
                "per cent of expressible operations, without logins, that became tools",
                100 * tools / (total - beyond),
                ">=",
                99.9,
            ),
            Bar("documents with operations and without a tool", len(unread), "<=", 0),
            Bar("operations that are neither tool nor listed", total - tools - sum(by_code.values()), "<=", 0),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
