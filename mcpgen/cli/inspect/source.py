"""What is inspected: a document, or what the lock of a generated project remembers of one."""

from pathlib import Path

from mcpgen import fetch, projects
from mcpgen.fetch import Network
from mcpgen.options import Options
from mcpgen.pipeline import Compiled, compile_source


def compiled(source: str, flags: Options) -> Compiled:
    """The compile of SOURCE, or of the project in DIR as it was generated but for what `flags` say."""
    directory = Path(source)
    if not directory.is_dir():
        return compile_source(fetch.read(source, flags.ref_dir, Network(flags.allow_redirect)), flags)
    project = projects.remembered(directory)
    recorded = projects.located(directory, project.source)
    network = Network(flags.allow_redirect or project.recorded.allow_redirect)
    fetched = fetch.read(recorded, flags.ref_dir or project.recorded.ref_dir, network)
    return compile_source(fetched, flags, project)
