# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Let any replica answer any request, by encrypted ids that clients store (`seal`), and by a shared store.

A replica is one of several processes that serve the same API. This package may import `text`, `core` and `settings`. It
is imported only by a server that uses the HTTP transport.
"""
