"""Apply the decisions of the project's owner to the operations of an API: exclude operations, and change others.

`selecting` excludes operations. `naming` finds the operations that an override's key names, and reports keys that name
none. `changes` writes each override into its operation, where later passes read it.
"""

from mcpgen.merge.overrides.changes import apply
from mcpgen.merge.overrides.naming import former, is_written, named
from mcpgen.merge.overrides.securing import unsecured, without_security
from mcpgen.merge.overrides.selecting import chosen, report_unused, visible

__all__ = [
    "apply",
    "chosen",
    "former",
    "is_written",
    "named",
    "report_unused",
    "unsecured",
    "visible",
    "without_security",
]
