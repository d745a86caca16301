"""Install real products under `.products/` by their official instructions. Skip a test if that fails."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.interop import environments
from tests.interop.environments import ROOT, run

PRODUCTS = ROOT / ".products"


def pip(product: str, *requirements: str) -> Path:
    """Install a product from a Python package index, and return its virtual environment."""
    return _installed(requirements, lambda: environments.python(product, *requirements, home=PRODUCTS))


def npm(product: str, packages: Mapping[str, str]) -> Path:
    """Install packages of npm, by name and version, and return the folder with their `node_modules`."""
    return _installed(tuple(packages), lambda: environments.node(product, packages))


def debian(product: str, *packages: str) -> Path:
    """Return a folder with unpacked Debian packages, including their missing dependencies."""

    def make(folder: Path) -> None:
        archives = folder / "archives"
        (archives / "partial").mkdir(parents=True)
        # With an empty folder for archives, apt also prints the URLs of packages that the machine has in its cache.
        options = ("-o", f"Dir::Cache::Archives={archives}", "--no-install-recommends", "--print-uris", "--yes")
        wanted = run("apt-get", "install", "-qq", *options, *packages).splitlines()
        names = [line.split()[1].partition("_")[0] for line in wanted if line.startswith("'")]
        run("apt-get", "download", "-qq", *names, cwd=archives)
        for archive in sorted(archives.glob("*.deb")):
            run("dpkg-deb", "--extract", str(archive), str(folder))

    def install() -> Path:
        return environments.made(product, {"debian": packages}, make, PRODUCTS)

    return _installed(packages, install)


def _installed(wanted: tuple[str, ...], install: Callable[[], Path]) -> Path:
    try:
        return install()
    except (environments.Missing, RuntimeError, OSError, subprocess.SubprocessError) as failure:
        pytest.skip(f"{' '.join(wanted)} cannot be installed: {str(failure)[-300:]}")
