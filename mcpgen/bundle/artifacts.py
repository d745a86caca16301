"""Create all files of a release: the bundle, the wheel and the sdist, `server.json`, the server card and the SBOM.

Zip files are reproducible: the order, times, modes and system of their entries are fixed, so equal files give equal
bytes. The project's own build backend builds the wheel and the sdist, from a copy with only the files to release.
"""

import io
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import digest, document
from mcpgen.base.tree import FileTree
from mcpgen.bundle import registry
from mcpgen.bundle.manifest import bundle_files
from mcpgen.bundle.project import README, Project
from mcpgen.bundle.registry import Publisher
from mcpgen.bundle.sbom import bill_of_materials
from mcpgen.bundle.settings import list_settings

DEFAULT_EPOCH = 1580601600
"""Time of all entries if SOURCE_DATE_EPOCH is not set: 2020-02-02, as in hatchling."""

_FIRST, _LAST = 315532800, 4354819199
"""Earliest and latest time that a zip file can hold, in seconds since 1970: the years 1980 to 2107."""

_UNIX = 3
_MODE = 0o100644 << 16

_PATIENCE = 120
"""Limit in seconds for a build, which usually takes less than two seconds."""

_PASSED_ON = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "HOME", "USERPROFILE", "PYTHONPATH")
"""Environment variables that the build process gets. It gets no others, so no credentials reach it."""

SUMS = "SHA256SUMS"
SERVER_JSON, CARD = "server.json", "server-card.json"


def make_artifacts(project: Project, publisher: Publisher, epoch: int, *, wheel: bool = True) -> FileTree:
    """Return file name → contents of the release. The same project and the same settings give the same bytes.

    `epoch`: time of all archive entries. `wheel`: False leaves out the wheel and the sdist. If `publisher` has no name
    in the MCP registry, `server.json` and `server-card.json` are left out. Raises FatalError if the project cannot be
    released.
    """
    publisher.check()
    settings = list_settings(project)
    bundle = _zip_bytes(bundle_files(project, publisher, settings), epoch)
    made = {registry.bundle_name(project): bundle}
    named = bool(publisher.registry_name)
    if wheel:
        made |= _build_distributions(project, registry.ownership_proof(publisher) if named else "", epoch)
    bill = document(bill_of_materials(project, made))
    if named:
        made[SERVER_JSON] = document(registry.server_json(project, publisher, settings, digest(bundle)))
        made[CARD] = document(registry.server_card(project, publisher))
    made[f"{project.identity.command}-{project.identity.version}.cdx.json"] = bill
    sums = "".join(f"{digest(data)}  {name}\n" for name, data in sorted(made.items()))
    return FileTree({**made, SUMS: sums.encode("ascii")})


# -- zip files ---------------------------------------------------------------------------------------------------------


def release_epoch(given: str | None) -> int:
    """Return the time to give to all files in archives, in seconds since 1970: `given`, else DEFAULT_EPOCH.

    `given`: the environment variable SOURCE_DATE_EPOCH (reproducible-builds.org), or None.

    Raises FatalError if `given` is not a number of seconds that a zip file can hold.
    """
    if given is None or given == "":
        return DEFAULT_EPOCH
    if not (given.isascii() and given.isdigit() and len(given) < 12 and _FIRST <= int(given) <= _LAST):
        message = "SOURCE_DATE_EPOCH is not a Unix time between the years 1980 and 2107."
        raise FatalError(
            "invalid-flag",
            message,
            hint="Set SOURCE_DATE_EPOCH to the output of `git log -1 --format=%ct`, or unset it.",
        )
    return int(given)


def _zip_bytes(files: Mapping[str, bytes], epoch: int) -> bytes:
    """Return a zip file of `files`, sorted by path. All entries have the time `epoch` and the same permissions."""
    moment = datetime.fromtimestamp(epoch, UTC)
    time = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, time)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()


# -- wheel and sdist ---------------------------------------------------------------------------------------------------


# hatchling packs all files that git does not ignore, also secrets, so it gets a copy of the listed files
# (docs/decisions/writing.md).
def _build_distributions(project: Project, proof: str, epoch: int) -> dict[str, bytes]:
    """Return file name → contents of the wheel and the sdist.

    `proof`: a line to append to the README on PyPI, or "". `epoch`: time of all archive entries. Raises FatalError if
    the build fails.
    """
    files = dict(project.files)
    files.pop("uv.lock", None)
    if proof:
        files[README] = files[README].rstrip(b"\n") + f"\n\n{proof}\n".encode("ascii")
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        source, built = Path(folder, "source"), Path(folder, "built")
        _write_source(files, source)
        _run_hatchling(source, built, epoch)
        return {path.name: path.read_bytes() for path in sorted(built.iterdir())}


def _write_source(files: Mapping[str, bytes], source: Path) -> None:
    for path, data in files.items():
        place = source / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(0o644)
    # hatchling leaves out what a .gitignore in `source` or a parent folder names; this .git folder ends the search
    (source / ".git").mkdir()


def _run_hatchling(source: Path, built: Path, epoch: int) -> None:
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-m", "hatchling", "build", "--directory", str(built)]
    try:
        done = subprocess.run(
            command,
            cwd=source,
            env=environment,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        done = None
    if done is None or done.returncode:
        message = "The build backend of the project could not build the wheel and the sdist."
        hint = "Run `python -m build` in the project to see the error, or use --no-wheel."
        raise FatalError("output-failed", message, hint=hint)
