"""Build releases of servers for published documents, and check them by the validators of those who distribute releases.

    python -m benchmarks.bundles [--documents 100]

From each document, a project and its release are made twice, in two directories. The manifest goes to `mcpb validate`
and its JSON Schema, `server.json` to the rules of the registry, and the server card to its schema. Wheel and sdist go
to `twine check --strict`, and the bill of materials to the schema of CycloneDX. The server must read each variable that
the release asks for.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bars import Bar, show
from benchmarks.corpus import CORPUS
from mcpgen.base.errors import FatalError
from mcpgen.base.tree import FileTree
from tests.bundle.checkers import CARD, MANIFEST, registry_findings, schema_findings
from tests.bundle.releases import manifest, release, write_project
from tests.bundle.tools import CHECK_BILLS, mcpb, python_tools

PATIENCE = 600

_READ = """
import json, sys
from importlib import import_module
catalog = import_module(sys.argv[1] + ".runtime.core.catalog")
settings = import_module(sys.argv[1] + ".runtime.settings.settings")
asked = json.loads(sys.argv[2])
found = settings.load(catalog.Catalog.load(sys.argv[3]), dict.fromkeys(asked, "x"))
print("\\n".join(line for line in found.warnings if "is no setting of this server" in line))
"""


@dataclass(frozen=True, slots=True)
class Released:
    """The release of the project made from one document. `same`: True if a second build of it gave the same bytes."""

    name: str
    project: Path
    files: Path
    made: FileTree
    same: bool


def releases(count: int, home: Path) -> Iterator[Released]:
    """Yield the releases for the first `count` documents of the corpus from which a project can be generated."""
    done = 0
    with (CORPUS.parent / "manifest.tsv").open(encoding="utf-8", newline="") as table:
        entries = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    for path in (CORPUS.parent / entry["path"] for entry in entries):
        if done == count:
            return
        folder = home / str(done)
        try:
            project = write_project(folder / "one", path)
            other = write_project(folder / "two" / "elsewhere", path)
        except FatalError:
            continue
        made = release(project, wheel=True)
        (folder / "dist").mkdir()
        for name, data in made.items():
            (folder / "dist" / name).write_bytes(data)
        done += 1
        yield Released(path.name, project, folder / "dist", made, dict(release(other, wheel=True)) == dict(made))


def findings(each: Released) -> list[str]:
    """Return the errors that the schemas, the registry's rules and `mcpb validate` report for one release."""
    value = manifest(each.made)
    found = schema_findings(MANIFEST, value) + schema_findings(CARD, json.loads(each.made["server-card.json"]))
    found += registry_findings(json.loads(each.made["server.json"]))
    (each.files / "manifest.json").write_text(json.dumps(value))
    done = run([*mcpb(), "validate", str(each.files / "manifest.json")])
    return found + ([] if done.returncode == 0 else [done.stdout + done.stderr])


def unread(each: Released) -> list[str]:
    """Return the variables that a release asks its users for but its server does not read."""
    asked = [*manifest(each.made)["user_config"]]
    package = next(path.name for path in each.project.iterdir() if path.name.endswith("_mcp"))
    command = [sys.executable, "-c", _READ, package, json.dumps(asked), str(each.project / package)]
    done = run(command, cwd=each.project)
    return [line for line in (done.stdout if done.returncode == 0 else done.stderr).splitlines() if line]


def run(command: list[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=cwd)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100)
    with tempfile.TemporaryDirectory(prefix="bundles-") as folder:
        made = list(releases(parser.parse_args().documents, Path(folder)))
        with ThreadPoolExecutor(2) as pool:
            said = [*zip(made, pool.map(findings, made), pool.map(unread, made), strict=True)]
        for each, found, names in said:
            for line in [*found, *names]:
                print(f"{each.name}: {line}")
        wheels = [str(path) for each in made for path in each.files.iterdir() if path.name.endswith((".whl", ".gz"))]
        twine = run([str(python_tools() / "twine"), "check", "--strict", *wheels])
        bills = run(
            [
                str(python_tools() / "python"),
                "-c",
                CHECK_BILLS,
                *(str(path) for each in made for path in each.files.glob("*.cdx.json")),
            ]
        )
        print(bills.stdout + bills.stderr + ("" if twine.returncode == 0 else twine.stdout))
        return show(
            [
                Bar("documents released", len(made), ">=", 100),
                Bar(
                    "findings of mcpb, the JSON Schemas and the registry",
                    sum(len(found) for _, found, _ in said),
                    "<=",
                    0,
                ),
                Bar(
                    "wheels and sdists that twine refuses",
                    twine.stdout.count("FAILED") + (twine.returncode != 0),
                    "<=",
                    0,
                ),
                Bar("bills of materials that are invalid", len((bills.stdout + bills.stderr).splitlines()), "<=", 0),
                Bar("variables that a server does not read", sum(len(names) for *_, names in said), "<=", 0),
                Bar("releases whose second build has other bytes", sum(not each.same for each in made), "<=", 0),
            ]
        )


if __name__ == "__main__":
    sys.exit(main())
