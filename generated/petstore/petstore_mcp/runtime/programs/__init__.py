# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: run programs that a model writes and that call tools as functions.

Only `sandbox` imports the library pydantic-monty. `program_runs` carries out the calls of a program.
"""
