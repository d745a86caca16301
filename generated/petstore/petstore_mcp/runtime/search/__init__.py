# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find tools by what they do, and describe them briefly (`--tools search`). Pure.

Loaded by the first search. Imports `text` and `core`.
"""
