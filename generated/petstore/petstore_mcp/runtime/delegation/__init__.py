# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: call the API with the rights of the caller. The way is a token exchange, a login in the browser, or a
credential that a gateway sends with each request.

Loaded only if an environment variable `<SCHEME>_AS` is set.
"""
