"""Lower workflows to the normal form of the tables: the names of tools, and values of their arguments."""

from mcpgen.lower.workflows.resolve import resolve as resolve
