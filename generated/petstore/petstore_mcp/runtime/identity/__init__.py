# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: identify callers by their access tokens. The server is an OAuth 2 resource server (RFC 6750, 9068, 9728).

Loaded only if an issuer is set.
"""
