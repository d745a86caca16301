# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Handle HTTP requests: with aiohttp's low-level server, or as an ASGI application."""
