# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Let any replica answer any request: sealed handles that cannot be forged (`seal`), and a store that all replicas
share.

Imports `text`, `core` and `settings`. Loaded only over HTTP.
"""
