# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find tools by what they do, and describe them briefly (`--tools search`).

The package does no input or output, is loaded by the first search, and imports `text` and `core`.
"""
