"""Compile the source of a command: a document, or the stored source of a generated project."""

from pathlib import Path

from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Network
from mcpgen.regenerate import projects


def compiled(source: str, flags: Options) -> Compiled:
    """Compile `source` and return the result.

    If `source` is the directory of a project, the source and flags that the project stores are used. Flags that are
    given replace stored flags.
    """
    directory = Path(source)
    if not directory.is_dir():
        network = Network.of(flags, source)
        return compile_source(fetch.read(source, flags.ref_dir, network), flags)
    project = projects.remembered(directory)
    recorded, own = projects.located(directory, project.source), project.recorded
    network = Network.of(flags.over(own), recorded)
    fetched = fetch.read(recorded, flags.ref_dir or own.ref_dir, network)
    return compile_source(fetched, flags, project)
