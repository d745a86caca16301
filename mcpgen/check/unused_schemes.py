"""Find security schemes of a tools file that nothing uses. An operator would set a credential that is never sent."""

from collections.abc import Iterable

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.lower.request import security
from mcpgen.merge.overrides import is_written
from mcpgen.model import Api
from mcpgen.read.toolsfile import ToolsFile


def warn(api: Api, files: Iterable[ToolsFile], diagnostics: Diagnostics) -> None:
    """Report each security scheme of `files` that no operation of `api` needs.

    `api` must contain all operations, before `include` and `exclude` apply. After an error nothing is reported, since
    the failed part may have needed the scheme.
    """
    if any(each.severity == "error" for each in diagnostics):
        return
    accepted = security.undeclared(api)
    used = {name for one in api.all_operations for names in security.requirement(one, api, accepted) for name in names}
    beside = any(not is_written(each) for each in api.operations)
    hint = "Remove the scheme, or name it in the `security` of a tool" + (
        "; operations of a document use only the `security` of that document." if beside else "."
    )
    for file in files:
        for scheme in file.api.schemes:
            if not scheme.unsent and scheme.name not in used:
                message = f"Nothing uses the security scheme '{clipped(scheme.name)}'."
                diagnostics.add("unused-scheme", message, file.security.inside(scheme.name), hint)
