# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: the server over Streamable HTTP.

`streamable` is the protocol without I/O. `sealed` encrypts what clients store for the server. `requests` handles one
request, and `service` all of them. `doors` are the two HTTP servers: aiohttp's, and an ASGI application. `over_http`
connects all of these.
"""
