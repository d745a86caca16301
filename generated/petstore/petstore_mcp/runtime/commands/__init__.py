# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The command line: flags and commands, `--list`, `--explain`, `--doctor`, and the check of the runtime's digests.

This package may import `calls` and packages on lower floors.
"""
