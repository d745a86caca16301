# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Turn HTTP responses into tool results: removed fields, output schemas, paging, stored results, and error texts.

This package may import `http` and packages of lower layers.
"""
