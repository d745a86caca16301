# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The types of the tables, for mypy and the compiler. No server loads these modules."""
