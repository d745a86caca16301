"""A compile that follows what was there before: operations that moved keep their names, not only those that stayed.

A lock promises a name to an operation by its method and path. Where the path is another one, what the tool was and is
tells that it is the same operation, so it has to be compiled before its name can be promised.
"""

from dataclasses import replace

from mcpgen.diff import TABLES, Surface, held, of_tables
from mcpgen.fetch import Fetched
from mcpgen.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source


def surface_of(compiled: Compiled) -> Surface:
    """What the tables of a compile say."""
    package = compiled.catalog.identity.package
    tables = {name: data for name in TABLES if (data := compiled.tree.get(f"{package}/{name}")) is not None}
    return of_tables(tables, {tool.name: tool.operation.key for tool in compiled.catalog.tools})


def compile_after(before: Surface, fetched: Fetched, options: Options, project: Project) -> Compiled:
    """The compile of `fetched` in `project`, whose lock is that of `before`. It is compiled twice where an operation
    moved and has another name.
    """
    compiled, lock = compile_source(fetched, options, project), project.lock
    if lock is None:
        return compiled
    surface = surface_of(compiled)
    moved = {key: name for key, name in held(before, surface).items() if key not in lock.tools}
    named = {tool.operation.key: tool.operation.name for tool in compiled.catalog.tools}
    if all(surface.names[key] == name or named[key] is not None for key, name in moved.items()):
        return compiled
    lock = replace(lock, tools={**lock.tools, **moved})
    return compile_source(fetched, options, replace(project, lock=lock))
